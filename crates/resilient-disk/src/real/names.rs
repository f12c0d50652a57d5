//! Which names Windows treats as something other than a file in the directory at hand.
//!
//! Pure, so that it is tested on every system.

/// Tells whether a name, as the bytes of an `OsStr`, is an ordinary file name on Windows.
///
/// Refused are separators, drives and streams (`:`), wildcards, control characters, names that
/// Windows shortens (a final dot or space) and the devices that exist in every directory.
pub(super) fn is_ordinary(name: &[u8]) -> bool {
    let forbidden = |byte: &u8| *byte < b' ' || b"<>:\"/\\|?*".contains(byte);
    !name.is_empty()
        && !name.ends_with(b".")
        && !name.ends_with(b" ")
        && !name.iter().any(forbidden)
        && !is_device(name)
}

/// `NUL`, `nul.txt` and `COM1 .x` are devices; `null` and `COM10` are not.
fn is_device(name: &[u8]) -> bool {
    let stem = name.split(|byte| *byte == b'.').next().unwrap_or(name);
    let stem = stem.trim_ascii_end().to_ascii_uppercase();
    match stem.strip_prefix(b"COM").or_else(|| stem.strip_prefix(b"LPT")) {
        // The superscript digits one, two and three count as digits.
        Some(port) => matches!(port, [b'0'..=b'9'] | [0xC2, 0xB9 | 0xB2 | 0xB3]),
        None => {
            matches!(stem.as_slice(), b"CON" | b"PRN" | b"AUX" | b"NUL" | b"CONIN$" | b"CONOUT$")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_ordinary;

    #[test]
    fn ordinary_names_pass() {
        for name in ["a", "a.txt", ".git", "..a", "null", "COM10", "console.log", "é", "a b"] {
            assert!(is_ordinary(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn separators_streams_and_devices_are_refused() {
        for name in [
            "", ".", "..", "a.", "a ", "a/b", "a\\b", "c:", "a:stream", "a\0b", "a*", "NUL",
            "nul.txt", "Con", "aux .x", "COM1", "lpt9.log", "COM²", "CONOUT$",
        ] {
            assert!(!is_ordinary(name.as_bytes()), "{name}");
        }
    }
}
