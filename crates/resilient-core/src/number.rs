//! Numbers of JSON, kept as Python's `json` keeps them: integers of any length, and floats that are
//! doubles.
//!
//! `serde_json` holds a number as its text (`arbitrary_precision`), for a server in Python reads
//! and writes integers beyond 64 bits exactly. A float's text is still made that of its double, so
//! that what is written does not depend on how somebody spelled it.

use serde_json::{Number, Value};

use crate::error::{BEYOND_DOUBLE, Error, Result};

/// Gives every float in the value the shortest text of its double.
///
/// # Errors
/// A float is beyond every double.
pub(crate) fn normalize(argument: &'static str, value: &mut Value) -> Result<()> {
    let mut ahead = vec![value];
    while let Some(value) = ahead.pop() {
        match value {
            Value::Number(number) if is_float(number) => {
                let double = number.as_f64().and_then(Number::from_f64);
                *number = double.ok_or_else(|| Error::BadArgument {
                    argument,
                    message: BEYOND_DOUBLE.to_owned(),
                })?;
            }
            Value::Array(items) => ahead.extend(items),
            Value::Object(map) => ahead.extend(map.values_mut()),
            _ => {}
        }
    }
    Ok(())
}

fn is_float(number: &Number) -> bool {
    number.as_str().contains(['.', 'e', 'E'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalized(text: &str) -> Option<String> {
        let mut value = serde_json::from_str(text).expect("JSON");
        normalize("data", &mut value).is_ok().then(|| value.to_string())
    }

    #[test]
    fn integers_stay_and_floats_are_those_of_their_doubles() {
        let long = "-1234567890123456789012345678901234567890";
        assert_eq!(normalized(long).as_deref(), Some(long));
        assert_eq!(
            normalized(r#"[1.50, 1E5, {"a": [10e-1, -0.0, 0]}, 1e22, 0.1e-6]"#).as_deref(),
            Some(r#"[1.5,100000.0,{"a":[1.0,-0.0,0]},1e+22,1e-7]"#)
        );
        assert_eq!(normalized("[1, 1e400]"), None);
    }
}
