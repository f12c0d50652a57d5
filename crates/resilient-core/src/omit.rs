//! What an answer leaves out.

/// Whether a count is zero, which an answer does not list.
pub(crate) fn is_zero<T: Default + PartialEq>(count: &T) -> bool {
    *count == T::default()
}
