//! The checks that numbers carry in themselves, by name; what weights and remainders a number has is data.

use super::super::checksum::{mod97, verhoeff};
use super::kinds::{Check, Shows};

/// The value of `A` where no other is said.
const LETTER: u32 = 10;

fn digit(byte: u8) -> Option<u32> {
    char::from(byte).to_digit(10)
}

impl Check {
    /// Tells whether the letters and digits of a number fit; it is given as it is written, too.
    pub(super) fn fits(&self, raw: &str, compact: &[u8]) -> bool {
        self.asks(raw, compact).unwrap_or(false)
    }

    fn asks(&self, raw: &str, compact: &[u8]) -> Option<bool> {
        Some(match self {
            Self::Luhn { from, before, base, first, plain } => {
                let text = compact.get(from.unwrap_or(0)..)?;
                let text = [before.unwrap_or_default().as_bytes(), text].concat();
                let base = base.unwrap_or(10);
                let last = text.last().copied().and_then(digit).filter(|_| *plain == Some(true));
                // What is added twice too much and what is not are the same by the base.
                let sum =
                    luhn(&text, base, first.unwrap_or(LETTER)) + (base - 2) * last.unwrap_or(0);
                sum.is_multiple_of(base)
            }
            Self::Verhoeff => verhoeff(compact),
            Self::Mod97 => {
                let (head, rest) = compact.split_at_checked(4)?;
                mod97(rest.iter().chain(head).copied()) == 1
            }
            Self::Mod11 { from } => {
                let (last, body) = compact.get(from.unwrap_or(0)..)?.split_last()?;
                let carry = body.iter().try_fold(10, |carry, byte| {
                    let sum = (carry + digit(*byte)?) % 10;
                    Some(if sum == 0 { 10 } else { sum } * 2 % 11)
                })?;
                (11 - carry) % 10 == digit(*last)?
            }
            Self::Octets => is_public(raw),
            Self::Weights { weights, second, from, at, plus, first, values, shows } => {
                let end = compact.len() - if matches!(shows, Shows::Pair(_)) { 2 } else { 1 };
                let at = at.unwrap_or(end);
                let value = |byte: u8| match byte {
                    b'0'..=b'9' => digit(byte),
                    _ => match values {
                        Some(values) => digit(*values.as_bytes().get(usize::from(byte - b'A'))?),
                        None => Some(u32::from(byte - b'A') + first.unwrap_or(LETTER)),
                    },
                };
                let sum = |weights: &[u32]| {
                    // Without a place they end before the check.
                    let from = from.map_or_else(|| at.checked_sub(weights.len()), Some);
                    let skipped = if from.is_none() { weights.len() - at } else { 0 };
                    let part =
                        compact.get(from.unwrap_or(0)..)?.iter().zip(weights.get(skipped..)?);
                    part.filter(|(_, weight)| **weight > 0)
                        .try_fold(plus.unwrap_or(0), |sum, (byte, weight)| {
                            Some(sum + value(*byte)? * weight)
                        })
                };
                let first = sum(weights)?;
                match shows {
                    Shows::Character(all) => {
                        let all = all.as_bytes();
                        let shown = |sum: u32| all.get(sum as usize % all.len());
                        let again = second.filter(|_| shown(first) == Some(&b' '));
                        shown(again.map_or(Some(first), sum)?) == compact.get(at)
                    }
                    Shows::Rest(modulus, rest) => first % modulus == *rest,
                    Shows::Pair(modulus) => {
                        u64::from(first % modulus % 100) == value_of(compact.get(at..)?)
                    }
                }
            }
            Self::Number { before, leads, shows } => {
                let lead = leads
                    .unwrap_or_default()
                    .bytes()
                    .position(|lead| compact.first() == Some(&lead));
                let before = lead.map_or_else(
                    || value_of(before.unwrap_or_default().as_bytes()),
                    |lead| lead as u64,
                );
                let number = |len: usize| {
                    let digits = compact.get(..len)?.iter().filter(|byte| byte.is_ascii_digit());
                    Some(digits.fold(before, |value, byte| value * 10 + u64::from(byte - b'0')))
                };
                let len = compact.len();
                match shows {
                    Shows::Character(all) => {
                        let value = number(len - 1)? % all.len() as u64;
                        all.as_bytes().get(value as usize) == compact.last()
                    }
                    Shows::Rest(modulus, rest) => {
                        number(len)? % u64::from(*modulus) == u64::from(*rest)
                    }
                    Shows::Pair(modulus) => {
                        let modulus = u64::from(*modulus);
                        modulus - number(len.checked_sub(2)?)? % modulus
                            == value_of(compact.get(len - 2..)?)
                    }
                }
            }
        })
    }
}

fn value_of(digits: &[u8]) -> u64 {
    digits.iter().fold(0, |value, byte| value * 10 + u64::from(byte.wrapping_sub(b'0')))
}

/// The sum of the digits, of which every second one counts twice from the right, as the sum of its own digits.
fn luhn(text: &[u8], base: u32, first: u32) -> u32 {
    let mut values = Vec::with_capacity(2 * text.len());
    for byte in text {
        match byte {
            b'0'..=b'9' => values.push(u32::from(byte - b'0')),
            _ if base > 10 => values.push(u32::from(byte.wrapping_sub(b'A')) + 10),
            _ => {
                let value = u32::from(byte.wrapping_sub(b'A')) + first;
                values.extend([value / 10, value % 10]);
            }
        }
    }
    values
        .iter()
        .rev()
        .enumerate()
        .map(|(nth, value)| if nth % 2 == 0 { *value } else { value * 2 / base + value * 2 % base })
        .sum()
}

/// Tells whether a text is an address that is routed on the internet: not of a private network, a document or a group.
fn is_public(raw: &str) -> bool {
    let Ok(address) = raw.parse::<std::net::Ipv4Addr>() else { return false };
    let [first, second, ..] = address.octets();
    let special = address.is_private() || address.is_loopback() || address.is_link_local();
    let shown = address.is_documentation() || address.is_broadcast() || address.is_multicast();
    let reserved = matches!(first, 0 | 240..)
        || first == 100 && second & 0b1100_0000 == 64
        || first == 198 && second & !1 == 18;
    !(special || shown || reserved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn luhn_is_that_of_cards_and_of_letters() {
        assert_eq!((luhn(b"79927398713", 10, 10) % 10, luhn(b"79927398710", 10, 10) % 10), (0, 7));
        // In base ten a letter is two digits: A as 01 is nothing but a one.
        assert_eq!(luhn(b"A123456780", 10, 1), luhn(b"01123456780", 10, 1));
    }

    #[test]
    fn an_address_of_a_network_of_ones_own_is_not_public() {
        for address in [
            "10.1.2.3",
            "192.168.0.1",
            "127.0.0.1",
            "203.0.113.9",
            "100.64.0.1",
            "1.2.3",
            "1.2.3.400",
        ] {
            assert!(!is_public(address), "{address}");
        }
        assert!(is_public("81.2.69.142"));
    }
}
