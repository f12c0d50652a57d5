//! The checks of wallets.

use sha2::{Digest, Sha256};

use super::kinds::Sum;

/// Tells whether the address of a wallet fits its check.
pub(super) fn fits(sum: Option<Sum>, word: &str) -> bool {
    match sum {
        Some(Sum::Base58) => is_base58(word.as_bytes()).unwrap_or(false),
        Some(Sum::Bech32) => is_bech32(word.as_bytes()).unwrap_or(false),
        None => word.bytes().skip(2).all(|byte| byte.is_ascii_hexdigit()),
    }
}

/// Twenty-five bytes, of which the last four begin the digest of the digest of the others.
fn is_base58(word: &[u8]) -> Option<bool> {
    const DIGITS: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    let mut bytes = [0_u8; 25];
    for char in word {
        let mut carry = DIGITS.iter().position(|digit| digit == char)?;
        for byte in bytes.iter_mut().rev() {
            carry += usize::from(*byte) * 58;
            *byte = (carry % 256) as u8;
            carry /= 256;
        }
        if carry > 0 {
            return None;
        }
    }
    let (body, check) = bytes.split_last_chunk::<4>()?;
    Some(Sha256::digest(Sha256::digest(body)).starts_with(check))
}

/// The polynomial of BIP 173 leaves one, that of BIP 350 another constant.
fn is_bech32(word: &[u8]) -> Option<bool> {
    const DIGITS: &[u8; 32] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";
    const STEPS: [u32; 5] = [0x3B6A_57B2, 0x2650_8E6D, 0x1EA1_19FA, 0x3D42_33DD, 0x2A14_62B3];
    let (prefix, body) = word.split_at_checked(word.iter().rposition(|byte| *byte == b'1')?)?;
    let values = body.get(1..)?.iter().map(|char| DIGITS.iter().position(|digit| digit == char));
    let values = values.collect::<Option<Vec<usize>>>()?.into_iter().map(|value| value as u32);
    let high = prefix.iter().map(|byte| u32::from(byte >> 5));
    let low = prefix.iter().map(|byte| u32::from(byte & 31));
    let sum = high.chain([0]).chain(low).chain(values).fold(1, |sum: u32, value| {
        let top = sum >> 25;
        let next = (sum & 0x01FF_FFFF) << 5 ^ value;
        STEPS
            .iter()
            .enumerate()
            .fold(next, |next, (bit, step)| if top >> bit & 1 == 1 { next ^ step } else { next })
    });
    Some(sum == 1 || sum == 0x2BC8_30A3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_addresses_fit() {
        // The first block's, and the example of BIP 173.
        assert!(fits(Some(Sum::Base58), "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"));
        assert!(!fits(Some(Sum::Base58), "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb"));
        assert!(fits(Some(Sum::Bech32), "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"));
        assert!(!fits(Some(Sum::Bech32), "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5"));
    }
}
