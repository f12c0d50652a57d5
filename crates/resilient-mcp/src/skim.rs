//! Finds the `id` of a message that cannot be parsed, so that it can still be answered.
//!
//! A skim takes a JSON text piece by piece, in constant memory and without recursion, and keeps
//! nothing but the scalar under the outermost object's `id`. It never fails: what it cannot make
//! sense of it passes over.

use rmcp::model::RequestId;

/// Longer keys and scalars than this are not an id.
const TOKEN_MAX: usize = 256;

/// A pass over one message.
#[derive(Debug, Default)]
pub struct Skim {
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// The key or scalar being read, when it belongs to the outermost object.
    token: Vec<u8>,
    after_id_key: bool,
    id: Option<RequestId>,
}

impl Skim {
    /// The id of a whole text.
    pub(crate) fn id_of(text: &[u8]) -> Option<RequestId> {
        let mut skim = Self::default();
        skim.feed(text);
        skim.id()
    }

    /// Takes the next piece of the text.
    pub fn feed(&mut self, mut piece: &[u8]) {
        loop {
            if self.in_string && !self.escaped && self.depth != 1 {
                // A text of a hundred megabytes is one string: nothing in it matters but its end.
                let at = memchr::memchr2(b'"', b'\\', piece).unwrap_or(piece.len());
                piece = piece.get(at..).unwrap_or_default();
            }
            let Some((&byte, rest)) = piece.split_first() else { return };
            self.take(byte);
            piece = rest;
        }
    }

    /// The id seen so far.
    #[must_use]
    pub fn id(self) -> Option<RequestId> {
        self.id
    }

    fn take(&mut self, byte: u8) {
        if self.in_string {
            self.keep(byte);
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.keep(byte);
            }
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.end_of_member();
                self.depth = self.depth.saturating_sub(1);
            }
            b',' => self.end_of_member(),
            b':' if self.depth == 1 => {
                self.after_id_key = self.token == br#""id""#;
                self.token.clear();
            }
            _ if byte.is_ascii_whitespace() => {}
            _ => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.token.len() < TOKEN_MAX {
            self.token.push(byte);
        }
    }

    fn end_of_member(&mut self) {
        if self.depth == 1 {
            if self.after_id_key {
                self.id = serde_json::from_slice(&self.token).ok();
            }
            self.after_id_key = false;
            self.token.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::NumberOrString::{Number, String};

    #[test]
    fn the_outermost_id_is_found_wherever_it_stands() {
        let id = |text: &[u8]| Skim::id_of(text);
        assert_eq!(id(br#"{"id":7,"params":{"id":8}}"#), Some(Number(7)));
        assert_eq!(id(br#"{"params":{"id":8,"x":"\"id\":9"},"id" : "a\"b"}"#), {
            Some(String("a\"b".into()))
        });
        assert_eq!(id(br#"{"id":7,"params":{"content":"cut he"#), Some(Number(7)));
        assert_eq!(id(br#"[{"id":7}]"#), None);
        assert_eq!(id(br#"{"id":null}"#), None);
        assert_eq!(id(b"\"id\":7"), None);
        assert_eq!(id(b"}}}]],,::"), None);
    }

    #[test]
    fn pieces_and_depth_do_not_matter() {
        let text = [b"{\"params\":".as_slice(), &b"[".repeat(100_000), b"],\"id\":1}"].concat();
        assert_eq!(Skim::id_of(&text), None, "the id is inside the brackets");
        let text = [
            b"{\"params\":".as_slice(),
            &b"[".repeat(100_000),
            &b"]".repeat(100_000),
            b",\"id\":1}",
        ]
        .concat();
        let mut skim = Skim::default();
        text.chunks(7).for_each(|piece| skim.feed(piece));
        assert_eq!(skim.id(), Some(Number(1)));
    }
}
