//! Faults that a simulated disk can be told to have, and what each operation meets because of them.

use std::io;

/// A fault at one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The index of the operation among those that change something, counted from 0.
    pub at: u64,
    /// What happens there.
    pub kind: FaultKind,
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The operation does nothing, and from then on nothing works: every call on the disk fails
    /// with an error for which [`is_power_loss`] holds.
    PowerCut,
    /// As [`FaultKind::PowerCut`], but a write is carried out to its half.
    TornWrite,
    /// The operation fails and does nothing, except that a failed sync of a file dooms what it covered.
    Io {
        /// The number of the operating system's error.
        errno: i32,
        /// Whether it goes on. An error about space then meets every operation that
        /// takes space; another error meets every operation that changes something.
        sticky: bool,
    },
    /// A rename gives the file its new name, cannot take the old one, and fails: so does a system that
    /// has no rename without replacing, and links and unlinks instead.
    LinkOnly {
        /// The number of the operating system's error.
        errno: i32,
    },
    /// A write is carried out to its half and fails for lack of space, and the lack goes on.
    ShortWriteThenNoSpace,
}

/// Tells whether an error comes from [`FaultKind::PowerCut`] or [`FaultKind::TornWrite`].
#[must_use]
pub fn is_power_loss(error: &io::Error) -> bool {
    error.get_ref().and_then(|inner| inner.downcast_ref::<PowerLoss>()).is_some()
}

#[derive(Debug, thiserror::Error)]
#[error("the power is cut")]
struct PowerLoss;

fn power_loss() -> io::Error {
    io::Error::other(PowerLoss)
}

/// The error of a full disk.
pub(super) fn no_space() -> io::Error {
    if cfg!(unix) {
        io::Error::from_raw_os_error(ENOSPC)
    } else {
        io::ErrorKind::StorageFull.into()
    }
}

const ENOSPC: i32 = 28;
/// Too many open files in this process.
pub(super) const EMFILE: i32 = 24;

/// What an operation needs from the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    Space,
    Nothing,
}

/// What an operation meets.
#[derive(Debug)]
pub(super) enum Turn {
    Go,
    Fail(io::Error),
    /// A write is to be carried out to its half, and then to fail.
    Half(io::Error),
    /// A rename is to give the new name and keep the old one, and then to fail.
    LinkOnly(io::Error),
}

impl Turn {
    /// For operations that know no half.
    pub(super) fn go(self) -> io::Result<()> {
        match self {
            Self::Go => Ok(()),
            Self::Fail(error) | Self::Half(error) | Self::LinkOnly(error) => Err(error),
        }
    }
}

/// The faults that are planned, and the one that goes on.
#[derive(Clone, Debug, Default)]
pub(super) struct Faults {
    planned: Vec<Fault>,
    lasting: Option<Lasting>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lasting {
    Dark,
    NoSpace,
    Errno(i32),
}

impl Faults {
    pub(super) fn plan(&mut self, fault: Fault) {
        self.planned.push(fault);
    }

    /// Fails once the power is cut.
    pub(super) fn powered(&self) -> io::Result<()> {
        if self.lasting == Some(Lasting::Dark) { Err(power_loss()) } else { Ok(()) }
    }

    /// Decides what the operation of that index meets.
    pub(super) fn turn(&mut self, index: u64, need: Need) -> Turn {
        let planned = self.planned.iter().find(|fault| fault.at == index);
        if let Some(Fault { kind, .. }) = planned {
            let (turn, lasting) = match *kind {
                FaultKind::PowerCut => (Turn::Fail(power_loss()), Some(Lasting::Dark)),
                FaultKind::TornWrite => (Turn::Half(power_loss()), Some(Lasting::Dark)),
                FaultKind::ShortWriteThenNoSpace => {
                    (Turn::Half(no_space()), Some(Lasting::NoSpace))
                }
                FaultKind::LinkOnly { errno } => {
                    (Turn::LinkOnly(io::Error::from_raw_os_error(errno)), None)
                }
                FaultKind::Io { errno, sticky } => {
                    let error = io::Error::from_raw_os_error(errno);
                    (Turn::Fail(error), sticky.then_some(Lasting::Errno(errno)))
                }
            };
            self.lasting = lasting.or(self.lasting);
            return turn;
        }
        match self.lasting {
            Some(Lasting::Dark) => Turn::Fail(power_loss()),
            Some(Lasting::NoSpace) if need == Need::Space => Turn::Fail(no_space()),
            Some(Lasting::Errno(errno)) if need == Need::Space || !speaks_of_space(errno) => {
                Turn::Fail(io::Error::from_raw_os_error(errno))
            }
            _ => Turn::Go,
        }
    }
}

fn speaks_of_space(errno: i32) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    let kind = io::Error::from_raw_os_error(errno).kind();
    errno == ENOSPC || matches!(kind, StorageFull | QuotaExceeded | FileTooLarge)
}
