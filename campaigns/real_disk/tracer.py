"""Runs a program under ptrace and acts at its Nth disk-changing system call.

A seccomp filter stops the program only at calls that can change a disk, and at opens; each one
whose file lies below given directories is numbered, over all threads. At the number asked for the
tracer kills the program (before the call, after it, or with half of it done), lets the call fail
with an errno, or cuts it short. `strace -e inject` counts per thread and per system call and
cannot tear a write; this counts as the disk sees it.

Linux on x86-64 only: `supported()` tells.
"""

import ctypes
import os
import platform
import signal
import sys
import threading
from dataclasses import dataclass, field

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long

PTRACE_TRACEME, PTRACE_CONT, PTRACE_GETREGS, PTRACE_SETREGS = 0, 7, 12, 13
PTRACE_SYSCALL, PTRACE_SETOPTIONS = 24, 0x4200
# SYSGOOD, FORK, VFORK, CLONE, EXEC, SECCOMP, EXITKILL
OPTIONS = 0x1 | 0x2 | 0x4 | 0x8 | 0x10 | 0x80 | 0x100000
EVENT_SECCOMP = 7
WALL = 0x40000000

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
SECCOMP_RET_TRACE, SECCOMP_RET_ALLOW = 0x7FF00000, 0x7FFF0000

# By which argument a call names what it changes: a descriptor, or a descriptor and a path.
BY_DESCRIPTOR = {
    1: "write", 18: "pwrite64", 20: "writev", 74: "fsync", 75: "fdatasync", 77: "ftruncate",
    91: "fchmod", 93: "fchown", 190: "fsetxattr", 199: "fremovexattr", 285: "fallocate",
    296: "pwritev", 328: "pwritev2", 40: "sendfile", 326: "copy_file_range", 277: "sync_file_range",
}
BY_PATH = {
    257: "openat", 437: "openat2", 258: "mkdirat", 263: "unlinkat", 264: "renameat",
    265: "linkat", 266: "symlinkat", 268: "fchmodat", 316: "renameat2", 259: "mknodat",
}
NAMES = BY_DESCRIPTOR | BY_PATH
WRITES = {"write", "pwrite64", "writev", "pwritev", "pwritev2"}
O_CREAT, O_TMPFILE = 0o100, 0o20000000


def supported() -> bool:
    return sys.platform == "linux" and platform.machine() == "x86_64"


class Registers(ctypes.Structure):
    _fields_ = [(name, ctypes.c_ulonglong) for name in (
        "r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss "
        "fs_base gs_base ds es fs gs").split()]


class Filter(ctypes.Structure):
    _fields_ = [("code", ctypes.c_ushort), ("jt", ctypes.c_ubyte), ("jf", ctypes.c_ubyte),
                ("k", ctypes.c_uint)]


class Program(ctypes.Structure):
    _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.POINTER(Filter))]


def seccomp_program() -> Program:
    """Traces the calls of `NAMES` and allows all others."""
    load_number = Filter(0x20, 0, 0, 0)
    tests = [Filter(0x15, len(NAMES) - at, 0, number) for at, number in enumerate(NAMES)]
    filters = [load_number, *tests, Filter(0x06, 0, 0, SECCOMP_RET_ALLOW),
               Filter(0x06, 0, 0, SECCOMP_RET_TRACE)]
    array = (Filter * len(filters))(*filters)
    return Program(len(filters), array)


@dataclass
class Fault:
    """What happens at which call.

    `act` is `kill` (before the call), `kill_after`, `torn` (half of a write, then killed; as
    `kill_after` for other calls), `short` (half of a write) or an errno. The first call from number `at`
    on that the fault fits has it. A sticky errno stays for all later ones.
    """

    at: int
    act: str | int
    sticky: bool = False
    fits: frozenset[str] | None = None


@dataclass
class Seen:
    """One numbered call."""

    number: int
    name: str
    path: str
    size: int
    creates: bool
    step: int

    def __str__(self) -> str:
        return f"#{self.number} {self.name}({self.path}, {self.size}) in call {self.step}"


@dataclass
class Traced:
    """A program that runs under the tracer, with pipes to its standard streams."""

    argv: list[str]
    cwd: str
    below: list[str]
    fault: Fault | None = None
    env: dict[str, str] | None = None
    opens: bool = False
    step: int = 0
    seen: list[Seen] = field(default_factory=list)
    fired: Seen | None = None
    ended: bool = False
    status: int | None = None
    trouble: BaseException | None = None

    def __post_init__(self) -> None:
        self.pid = 0
        self._ready = threading.Event()
        self._at_exit: dict[int, tuple[str, int]] = {}
        child_in, self.stdin = os.pipe()
        self.stdout, child_out = os.pipe()
        self._thread = threading.Thread(target=self._trace, args=(child_in, child_out), daemon=True)
        self._thread.start()
        self._ready.wait()

    def lift(self) -> None:
        """Ends a sticky fault."""
        self.ended = True

    def kill(self) -> None:
        if self._thread.is_alive() and self.pid:
            try:
                os.kill(self.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def join(self, timeout: float) -> bool:
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def close_input(self) -> None:
        if self.stdin >= 0:
            os.close(self.stdin)
            self.stdin = -1

    def close(self) -> None:
        self.kill()
        self._thread.join(30)
        self.close_input()
        if self.stdout >= 0:
            os.close(self.stdout)
            self.stdout = -1
        if self.trouble:
            raise self.trouble

    def _trace(self, child_in: int, child_out: int) -> None:
        try:
            self.pid = self._spawn(child_in, child_out)
        except BaseException as error:
            self.trouble = error
            return
        finally:
            os.close(child_in)
            os.close(child_out)
            self._ready.set()
        try:
            self._loop()
        except BaseException as error:
            self.trouble = error
            os.kill(self.pid, signal.SIGKILL)

    def _spawn(self, child_in: int, child_out: int) -> int:
        program = seccomp_program()
        env = self.env if self.env is not None else dict(os.environ)
        pid = os.fork()
        if pid == 0:
            try:
                os.setpgid(0, 0)
                os.chdir(self.cwd)
                os.dup2(child_in, 0)
                os.dup2(child_out, 1)
                os.closerange(3, 1024)
                libc.ptrace(PTRACE_TRACEME, 0, None, None)
                os.kill(os.getpid(), signal.SIGSTOP)
                libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
                if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0):
                    os._exit(126)
                os.execve(self.argv[0], self.argv, env)
            finally:
                os._exit(127)
        os.waitpid(pid, WALL)
        if libc.ptrace(PTRACE_SETOPTIONS, pid, None, OPTIONS) < 0:
            raise OSError(ctypes.get_errno(), "ptrace is not possible here")
        libc.ptrace(PTRACE_CONT, pid, None, None)
        return pid

    def _loop(self) -> None:
        while True:
            try:
                tid, status = os.waitpid(-self.pid, WALL)
            except ChildProcessError:
                return
            if not os.WIFSTOPPED(status):
                if tid == self.pid:
                    self.status = status
                continue
            stopped_by, event = os.WSTOPSIG(status), status >> 16
            how, deliver = PTRACE_CONT, 0
            if event == EVENT_SECCOMP:
                how = self._entry(tid)
            elif stopped_by == signal.SIGTRAP | 0x80:
                self._exit(tid)
            elif event == 0 and stopped_by not in (signal.SIGSTOP, signal.SIGTRAP):
                deliver = stopped_by
            libc.ptrace(how, tid, None, deliver)

    def _entry(self, tid: int) -> int:
        """At the entry of a call of `NAMES`; returns how to go on."""
        regs = Registers()
        if libc.ptrace(PTRACE_GETREGS, tid, None, ctypes.byref(regs)) < 0:
            return PTRACE_CONT
        seen = self._look(tid, regs)
        if seen is None:
            return PTRACE_CONT
        self.seen.append(seen)
        fault = self.fault
        if fault is None or self.ended:
            return PTRACE_CONT
        # Two runs of the same calls need not make the same system calls: the fault takes the next one that it fits.
        if seen.number < fault.at or fault.fits is not None and seen.name not in fault.fits:
            return PTRACE_CONT
        if self.fired is not None and not (fault.sticky and fault.fits is not None):
            return PTRACE_CONT
        self.fired = self.fired or seen
        act = fault.act
        if act == "torn" and seen.name not in WRITES:
            act = "kill_after"
        match act:
            case "kill":
                os.kill(self.pid, signal.SIGKILL)
                return PTRACE_CONT
            case "kill_after":
                self._at_exit[tid] = ("kill", 0)
                return PTRACE_SYSCALL
            case "torn" | "short":
                self._at_exit[tid] = ("kill" if act == "torn" else "restore", regs.rdx)
                regs.rdx = max(1, regs.rdx // 2)
                libc.ptrace(PTRACE_SETREGS, tid, None, ctypes.byref(regs))
                return PTRACE_SYSCALL
            case int() as number:
                regs.orig_rax = (1 << 64) - 1
                regs.rax = (1 << 64) - number
                libc.ptrace(PTRACE_SETREGS, tid, None, ctypes.byref(regs))
                return PTRACE_CONT
        raise ValueError(act)

    def _exit(self, tid: int) -> None:
        what, rdx = self._at_exit.pop(tid, (None, 0))
        if what == "kill":
            os.kill(self.pid, signal.SIGKILL)
        elif what == "restore":
            regs = Registers()
            libc.ptrace(PTRACE_GETREGS, tid, None, ctypes.byref(regs))
            regs.rdx = rdx
            libc.ptrace(PTRACE_SETREGS, tid, None, ctypes.byref(regs))

    def _look(self, tid: int, regs: Registers) -> Seen | None:
        """Tells what the call changes, if that lies below the directory that is watched."""
        name = NAMES.get(regs.orig_rax)
        if name is None:
            return None
        creates = False
        try:
            if name in BY_DESCRIPTOR.values():
                path = os.readlink(f"/proc/{tid}/fd/{regs.rdi & 0xFFFFFFFF}")
            else:
                at = ctypes.c_int(regs.rdi & 0xFFFFFFFF).value
                given = self._text(tid, regs.rsi)
                base = "/proc/%d/cwd" % tid if at == -100 else f"/proc/{tid}/fd/{at}"
                path = os.path.join(os.readlink(base), given)
                if name == "openat":
                    creates = bool(regs.rdx & (O_CREAT | O_TMPFILE))
                if name.startswith("open") and not creates and not self.opens:
                    return None
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            return None
        path = path.removesuffix(" (deleted)")
        if not any((path + "/").startswith(top + "/") for top in self.below):
            return None
        size = regs.rdx if name in WRITES else 0
        return Seen(len(self.seen) + 1, name, os.path.relpath(path, self.cwd), size, creates,
                    self.step)

    @staticmethod
    def _text(tid: int, address: int) -> str:
        with open(f"/proc/{tid}/mem", "rb", buffering=0) as memory:
            memory.seek(address)
            # A page at a time: the text may end where the mapping does.
            text = b""
            while b"\0" not in text and len(text) < 8192:
                text += memory.read(4096 - (address + len(text)) % 4096)
        return os.fsdecode(text.split(b"\0")[0])


