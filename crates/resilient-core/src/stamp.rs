//! Time as it is written: UTC, whole seconds, `YYYY-MM-DDTHH:MM:SSZ`.

use jiff::Timestamp;

/// Formats nanoseconds since 1970.
#[must_use]
pub fn utc(now_ns: u128) -> String {
    let seconds = i64::try_from(now_ns / 1_000_000_000).unwrap_or(i64::MAX);
    Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX).to_string()
}

/// Formats as [`utc`], without separators: for file names.
#[must_use]
pub fn compact(now_ns: u128) -> String {
    utc(now_ns).replace(['-', ':'], "")
}

/// Reads an ISO 8601 time with an offset or `Z`; nanoseconds since 1970.
#[must_use]
pub fn parse(text: &str) -> Option<i128> {
    text.trim().parse::<Timestamp>().ok().map(Timestamp::as_nanosecond)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_survives_its_own_text() {
        let ns = 1_790_000_000_987_654_321;
        assert_eq!(utc(ns), "2026-09-21T14:13:20Z");
        assert_eq!(compact(ns), "20260921T141320Z");
        assert_eq!(parse("2026-09-21T14:13:20Z"), Some(1_790_000_000_000_000_000));
        assert_eq!(parse("2026-09-21T16:13:20+02:00"), Some(1_790_000_000_000_000_000));
        assert_eq!(parse("yesterday"), None);
        assert_eq!(parse("2026-09-21T14:13:20"), None);
    }
}
