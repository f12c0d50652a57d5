//! Checks that a string can carry in itself.
//!
//! A check that fits makes a finding more credible; one that does not proves nothing, because most
//! test strings fail theirs and filters look at none.

/// Tells whether the last six characters are the CRC-32 of what stands before, in base 62.
pub(super) fn crc32_base62(token: &[u8]) -> bool {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let Some((body, check)) = token.split_last_chunk::<6>() else { return false };
    let mut sum = crc32(body);
    for byte in check.iter().rev() {
        if DIGITS.get((sum % 62) as usize) != Some(byte) {
            return false;
        }
        sum /= 62;
    }
    sum == 0
}

/// The CRC-32 of zip and Ethernet.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = crc >> 1 ^ (0xEDB8_8320 & (crc & 1).wrapping_neg());
        }
    }
    !crc
}

/// Luhn's check over digits; anything else is skipped.
pub(super) fn luhn(text: &[u8]) -> bool {
    let digits = text.iter().rev().filter(|byte| byte.is_ascii_digit());
    let sum: u32 = digits
        .enumerate()
        .map(|(nth, byte)| {
            let digit = u32::from(byte - b'0');
            if nth % 2 == 0 { digit } else { digit * 2 % 10 + digit / 5 }
        })
        .sum();
    sum.is_multiple_of(10)
}

/// The remainder by 97 that ISO 7064 asks for: one for a right IBAN whose first four characters
/// were moved to its end.
pub(super) fn mod97(text: impl Iterator<Item = u8>) -> u32 {
    text.fold(0, |rest, byte| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        b'A'..=b'Z' => (rest * 100 + u32::from(byte - b'A') + 10) % 97,
        b'a'..=b'z' => (rest * 100 + u32::from(byte - b'a') + 10) % 97,
        _ => rest,
    })
}

/// Verhoeff's check over digits, as Aadhaar numbers carry it.
pub(super) fn verhoeff(text: &[u8]) -> bool {
    // In the dihedral group of ten elements the last five turn around; the permutation is applied ever again.
    const STEP: [u8; 10] = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
    let step = |digit: u8, _| STEP.get(usize::from(digit)).copied().unwrap_or(0);
    let times = |one: u8, other: u8| match (one < 5, other < 5) {
        (true, true) => (one + other) % 5,
        (true, false) => (one + other) % 5 + 5,
        (false, true) => (one + 5 - other) % 5 + 5,
        (false, false) => (one + 5 - other) % 5,
    };
    let digits = text.iter().rev().filter(|byte| byte.is_ascii_digit()).map(|byte| byte - b'0');
    let moved = digits.enumerate().map(|(nth, digit)| (0..nth % 8).fold(digit, step));
    moved.fold(0, times) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_textbooks() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert!(luhn(b"79927398713") && !luhn(b"79927398710"));
        assert!(verhoeff(b"2363") && !verhoeff(b"2364"));
        // GB82 WEST 1234 5698 7654 32, rearranged.
        assert_eq!(mod97(b"WEST12345698765432GB82".iter().copied()), 1);
    }

    #[test]
    fn a_token_that_ends_in_its_own_sum_is_told() {
        // CRC-32 0xCBF43926 is 3421780262 = 3·62⁵ + 45·62⁴ + 35·62³ + 19·62² + 29·62 + 48
        // (checked by multiplying out).
        let digit =
            |value: usize| b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[value];
        let mut sum = 3_421_780_262_usize;
        let mut check = Vec::new();
        for _ in 0..6 {
            check.insert(0, digit(sum % 62));
            sum /= 62;
        }
        assert_eq!(sum, 0);
        assert!(crc32_base62(&[b"123456789".as_slice(), &check].concat()));
        assert!(!crc32_base62(b"123456789000000") && !crc32_base62(b"123"));
    }
}
