//! Living processes that take turns on one disk, call by call, in an order that a test chooses.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::resume_unwind;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::SimDisk;
use super::state::State;

/// The order in which living processes make their calls on a disk.
///
/// Each process is a thread with a disk of its own from [`Schedule::process`]. From
/// [`Schedule::run`] on, every call that a process makes on its disk (also one that only looks, and
/// each question for a lock) waits for its turn, and one call is made at a time. So a run is the
/// same each time, however the threads are scheduled, as long as processes share nothing but the
/// disk.
///
/// The order is a list of processes, by the order in which they joined: who makes the next call.
/// Where the list has ended, they take turns. A turn of a process that has ended goes to the next
/// one; so does that of a process which asks again for a lock that was refused to it, until some
/// lock is given back.
///
/// ```
/// use std::ffi::OsStr;
///
/// use resilient_disk::sim::{Schedule, SimDisk};
/// use resilient_disk::{Access, Disk};
///
/// let disk = SimDisk::new();
/// // The first process makes a call, then the second one two, then they take turns.
/// let schedule = Schedule::new([0, 1, 1]);
/// let create = |disk: SimDisk, names: &'static [&'static str]| {
///     move || {
///         let root = disk.open_root("/".as_ref())?;
///         names.iter().try_for_each(|name| {
///             root.create_new(OsStr::new(name), Access::Default).map(drop)
///         })
///     }
/// };
/// let first = create(schedule.process(&disk), &["a", "b"]);
/// let second = create(schedule.process(&disk), &["c", "d"]);
/// let answers = schedule.run(vec![Box::new(first), Box::new(second)]);
/// assert!(answers.iter().all(Result::is_ok));
/// assert_eq!(disk.trace(), ["create c", "create a", "create d", "create b"]);
/// ```
#[derive(Clone, Debug)]
pub struct Schedule {
    turns: Arc<Turns>,
}

/// What a process does.
pub type Calls<'a, T> = Box<dyn FnOnce() -> T + Send + 'a>;

impl Schedule {
    /// A schedule with that order.
    pub fn new<O>(order: O) -> Self
    where
        O: IntoIterator<Item = usize>,
        O::IntoIter: Send + 'static,
    {
        let table = Table {
            order: Box::new(order.into_iter()),
            next: 0,
            busy: false,
            calls: 0,
            places: Vec::new(),
        };
        Self { turns: Arc::new(Turns { table: Mutex::new(table), changed: Condvar::new() }) }
    }

    /// The disk as one more process uses it. Before and after [`Schedule::run`] it waits for nobody.
    #[must_use]
    pub fn process(&self, disk: &SimDisk) -> SimDisk {
        let mut table = self.turns.table();
        let seat = Seat { turns: self.turns.clone(), number: table.places.len() };
        table.places.push(Place::Absent);
        SimDisk { shared: Shared { state: disk.shared.state.clone(), seat: Some(Arc::new(seat)) } }
    }

    /// Runs the processes to their ends, one for each disk that was asked for, in that order.
    /// Returns what each of them returned.
    ///
    /// # Panics
    /// The calls are not one for each process, or one of them panics.
    pub fn run<T: Send>(&self, processes: Vec<Calls<'_, T>>) -> Vec<T> {
        let mut table = self.turns.table();
        assert_eq!(
            processes.len(),
            table.places.len(),
            "a process without calls, or calls without one"
        );
        table.places.fill(Place::Ready);
        table.next = table.places.len().saturating_sub(1);
        table.pass_on();
        drop(table);
        thread::scope(|scope| {
            let threads: Vec<_> = processes
                .into_iter()
                .enumerate()
                .map(|(number, calls)| {
                    let seat = Seat { turns: self.turns.clone(), number };
                    scope.spawn(move || {
                        let _present = Present(seat);
                        calls()
                    })
                })
                .collect();
            let ends = threads.into_iter().map(thread::ScopedJoinHandle::join);
            ends.map(|end| end.unwrap_or_else(|panic| resume_unwind(panic))).collect()
        })
    }

    /// How many calls the processes have made.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.turns.table().calls
    }
}

/// Whose turn it is, and who waits for it.
struct Turns {
    table: Mutex<Table>,
    changed: Condvar,
}

impl Turns {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Turns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let table = self.table();
        f.debug_struct("Turns").field("next", &table.next).field("calls", &table.calls).finish()
    }
}

struct Table {
    order: Box<dyn Iterator<Item = usize> + Send>,
    /// The process whose turn it is.
    next: usize,
    /// Whether it is in its call.
    busy: bool,
    calls: u64,
    places: Vec<Place>,
}

/// Where a process stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// It has not begun, or has ended: it takes no turns.
    Absent,
    Ready,
    /// A lock was refused to it, and none was given back since.
    Refused,
    /// The same, and it asks again.
    Waiting,
}

impl Table {
    /// Chooses who makes the next call.
    fn pass_on(&mut self) {
        let all = self.places.len();
        let listed = self.order.next();
        let others = (1..=all).map(|step| (self.next + step) % all);
        let all: Vec<usize> = listed.into_iter().chain(others).collect();
        let first = |wanted: &[Place]| {
            let is_wanted =
                |number: usize| self.places.get(number).is_some_and(|p| wanted.contains(p));
            all.iter().copied().find(|number| is_wanted(*number))
        };
        // Where each one waits for a lock, it is held by somebody outside: let them ask again.
        let next = first(&[Place::Ready, Place::Refused]).or_else(|| first(&[Place::Waiting]));
        self.next = next.unwrap_or(self.next);
    }
}

/// A process of a schedule.
#[derive(Debug)]
struct Seat {
    turns: Arc<Turns>,
    number: usize,
}

impl Seat {
    fn place(&self, table: &Table) -> Place {
        table.places.get(self.number).copied().unwrap_or(Place::Absent)
    }

    fn set(&self, table: &mut Table, to: Place) {
        if let Some(place) = table.places.get_mut(self.number) {
            *place = to;
        }
    }

    /// Waits for the turn of this process; not when it takes no turns.
    fn wait(&self, call: Call) -> Option<Turn<'_>> {
        let mut table = self.turns.table();
        loop {
            let place = self.place(&table);
            if place == Place::Absent {
                return None;
            }
            if table.next == self.number && !table.busy {
                if (place, call) != (Place::Refused, Call::Lock) {
                    self.set(&mut table, Place::Ready);
                    table.busy = true;
                    return Some(Turn(self));
                }
                self.set(&mut table, Place::Waiting);
                table.pass_on();
                self.turns.changed.notify_all();
                continue;
            }
            table = self.turns.changed.wait(table).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The process has its turn, until this is dropped.
struct Turn<'a>(&'a Seat);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut table = self.0.turns.table();
        table.busy = false;
        table.calls += 1;
        table.pass_on();
        self.0.turns.changed.notify_all();
    }
}

/// The process takes turns, until this is dropped, by its end or by a panic.
struct Present(Seat);

impl Drop for Present {
    fn drop(&mut self) {
        let mut table = self.0.turns.table();
        self.0.set(&mut table, Place::Absent);
        if table.next == self.0.number {
            table.pass_on();
        }
        self.0.turns.changed.notify_all();
    }
}

/// What a process is about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    /// It asks for a lock.
    Lock,
    Other,
}

/// A disk, as one process of a schedule sees it or as everybody does.
#[derive(Clone)]
pub(super) struct Shared {
    pub(super) state: Arc<Mutex<State>>,
    seat: Option<Arc<Seat>>,
}

impl Shared {
    pub(super) fn new(state: State) -> Self {
        Self { state: Arc::new(Mutex::new(state)), seat: None }
    }

    /// Whether both are on the same disk.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.state, &other.state)
    }

    /// Looks at the disk at once, for what is no call of a program.
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a call of a program, when it is its turn.
    pub(super) fn enter(&self) -> Entered<'_> {
        self.enter_for(Call::Other)
    }

    /// The same for a call that asks for a lock.
    pub(super) fn enter_for_lock(&self) -> Entered<'_> {
        self.enter_for(Call::Lock)
    }

    fn enter_for(&self, call: Call) -> Entered<'_> {
        let turn = self.seat.as_ref().and_then(|seat| seat.wait(call));
        Entered { state: self.lock(), _turn: turn }
    }

    /// Notes that a lock was refused to this process.
    pub(super) fn refused(&self) {
        if let Some(seat) = &self.seat {
            let mut table = seat.turns.table();
            if seat.place(&table) != Place::Absent {
                seat.set(&mut table, Place::Refused);
            }
        }
    }

    /// Notes that this process has given a lock back.
    pub(super) fn released(&self) {
        if let Some(seat) = &self.seat {
            let mut table = seat.turns.table();
            let refused = table.places.iter_mut().filter(|place| **place != Place::Absent);
            refused.for_each(|place| *place = Place::Ready);
        }
    }
}

/// The disk during a call. The turn is passed on after the disk is.
pub(super) struct Entered<'a> {
    state: MutexGuard<'a, State>,
    _turn: Option<Turn<'a>>,
}

impl Deref for Entered<'_> {
    type Target = State;

    fn deref(&self) -> &State {
        &self.state
    }
}

impl DerefMut for Entered<'_> {
    fn deref_mut(&mut self) -> &mut State {
        &mut self.state
    }
}
