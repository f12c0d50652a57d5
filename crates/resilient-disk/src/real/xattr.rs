//! Reading extended attributes of any length, and the errors that say that one is out of reach.

use rustix::io::Errno;

use super::is_unsupported;

/// Errors that say that an attribute is not for this process, this file system or no longer there.
pub(super) fn is_out_of_reach(error: Errno) -> bool {
    #[cfg(target_os = "linux")]
    const GONE: Errno = Errno::NODATA;
    #[cfg(target_vendor = "apple")]
    const GONE: Errno = Errno::NOATTR;
    matches!(error, Errno::PERM | Errno::ACCESS | GONE) || is_unsupported(error)
}

/// Calls a function that fills a buffer, with larger ones until the answer fits.
pub(super) fn read_growing(
    mut read: impl FnMut(&mut [u8]) -> rustix::io::Result<usize>,
) -> rustix::io::Result<Vec<u8>> {
    // Linux stores 64 KiB at most; only a huge resource fork of macOS is refused.
    const LEN_MAX: usize = 32 << 20;
    let mut buf = vec![0; 1024];
    loop {
        match read(&mut buf) {
            Err(Errno::RANGE) if buf.len() < LEN_MAX => buf = vec![0; buf.len() * 8],
            Err(error) => return Err(error),
            Ok(len) => {
                buf.truncate(len);
                return Ok(buf);
            }
        }
    }
}
