//! Access control lists as Linux keeps them in an attribute.
//!
//! A version number (2), then for each entry a tag and permissions of two bytes each and an identity
//! of four, all with the lowest byte first.

const VERSION_LEN: usize = 4;
const ENTRY_LEN: usize = 8;

const OWNER: u16 = 0x01;
const OWNING_GROUP: u16 = 0x04;
const MASK: u16 = 0x10;
const OTHERS: u16 = 0x20;

/// Takes from a default list what the mode with which a file is created does not ask for, as the
/// kernel does: from its owner, from all others, and from the mask or, without one, the group.
///
/// What is no such list stays as it is: the kernel will refuse it.
pub(super) fn restrict(list: &mut [u8], mode: u32) {
    let has_mask = tags(list).any(|tag| tag == MASK);
    let entries = list.get_mut(VERSION_LEN..).unwrap_or_default();
    for entry in entries.chunks_exact_mut(ENTRY_LEN) {
        let &mut [tag_low, tag_high, ref mut low, ref mut high, ..] = entry else { continue };
        let bits = match u16::from_le_bytes([tag_low, tag_high]) {
            OWNER => mode >> 6,
            MASK => mode >> 3,
            OWNING_GROUP if !has_mask => mode >> 3,
            OTHERS => mode,
            _ => continue,
        };
        let permissions = u16::from_le_bytes([*low, *high]) & (bits & 7) as u16;
        [*low, *high] = permissions.to_le_bytes();
    }
}

fn tags(list: &[u8]) -> impl Iterator<Item = u16> {
    let entries = list.get(VERSION_LEN..).unwrap_or_default().chunks_exact(ENTRY_LEN);
    entries.filter_map(|entry| Some(u16::from_le_bytes([*entry.first()?, *entry.get(1)?])))
}
