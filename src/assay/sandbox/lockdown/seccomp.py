"""Seccomp: which system calls this process may make, decided in the kernel by a small program that we assemble here.

A rule names a call and, where a call is safe in some forms only, what its arguments must be. Arguments are registers of
64 bits: a pointer is compared in both halves, or one that is aligned to 4 GiB would pass for NULL.
"""

from __future__ import annotations

import ctypes
import errno
import struct
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from assay.sandbox.lockdown.kernel import forbid_new_privileges, syscall
from assay.sandbox.lockdown.syscalls import MACHINES, Machine

__all__ = [
    "ALLOW",
    "KILL",
    "REFUSE",
    "UNKNOWN",
    "UNSUPPORTED",
    "Condition",
    "Rule",
    "assemble",
    "guest_program",
    "guest_rules",
    "install",
    "process_rules",
]

_LOAD, _JUMP_EQUAL, _JUMP_SET, _JUMP_GREATER_EQUAL, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16
_SET_MODE_FILTER, _SYNCHRONISE_THREADS = 1, 1
_X32 = 0x4000_0000  # the second set of numbers that x86_64 kernels may accept

_SIGABRT = 6
_ANY_PROCESS = 0x7E57_AB1E  # a placeholder above every process number

ALLOW, KILL = 0x7FFF_0000, 0x8000_0000
REFUSE, UNKNOWN, UNSUPPORTED = (
    0x0005_0000 | code for code in (errno.EPERM, errno.ENOSYS, errno.ENOTSUP)
)  # it fails so


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


class Condition(NamedTuple):
    """One argument must equal one of some values; or, given ``clear``, have none of those bits."""

    argument: int
    values: tuple[int, ...] = ()
    clear: int = 0
    wide: bool = True  # False: the kernel reads an int, the upper half means nothing


class Rule(NamedTuple):
    """What happens to a call whose conditions all hold, and what when one does not."""

    call: str
    action: int = ALLOW
    conditions: tuple[Condition, ...] = ()
    otherwise: int = REFUSE


def _instruction(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("<HBBI", code, then, otherwise, value)


def _check(condition: Condition, otherwise: int) -> list[bytes]:
    """Continues after these instructions when the condition holds, else returns the other action."""
    low = _ARGUMENTS_AT + 8 * condition.argument
    refuse = _instruction(_RETURN, otherwise)
    if condition.clear:
        parts = [(low, condition.clear & 0xFFFF_FFFF), (low + 4, condition.clear >> 32)]
        return [
            step
            for offset, bits in parts
            if bits
            for step in (_instruction(_LOAD, offset), _instruction(_JUMP_SET, bits, 0, 1), refuse)
        ]
    steps: list[bytes] = []
    for value in reversed(condition.values):
        past = len(steps) + 1  # what lies between this value's test and the end: other values, then the return
        one = [_instruction(_LOAD, low), _instruction(_JUMP_EQUAL, value & 0xFFFF_FFFF, past, 0)]
        if condition.wide:
            one = [
                _instruction(_LOAD, low + 4),
                _instruction(_JUMP_EQUAL, value >> 32, 0, 2),
                _instruction(_LOAD, low),
                _instruction(_JUMP_EQUAL, value & 0xFFFF_FFFF, past, 0),
            ]
        steps = one + steps
    return [*steps, refuse]


def assemble(machine: Machine, rules: Sequence[Rule], *, default: int) -> bytes:
    """The filter program: another architecture is killed, listed calls follow their rule, others the default.

    Calls that the machine does not have are left out. Jumps are relative, so that blocks can be made ahead.
    """
    program = [
        _instruction(_LOAD, _ARCHITECTURE_AT),
        _instruction(_JUMP_EQUAL, machine.audit, 1, 0),
        _instruction(_RETURN, KILL),
        _instruction(_LOAD, _NUMBER_AT),
        _instruction(_JUMP_GREATER_EQUAL, _X32, 0, 1),
        _instruction(_RETURN, UNKNOWN),
    ]
    blocks = [_block(machine.numbers[rule.call], rule) for rule in rules if rule.call in machine.numbers]
    return b"".join([*program, *blocks, _instruction(_RETURN, default)])


@cache
def _block(number: int, rule: Rule) -> bytes:
    steps = [step for condition in rule.conditions for step in _check(condition, rule.otherwise)]
    steps.append(_instruction(_RETURN, rule.action))
    return b"".join([_instruction(_JUMP_EQUAL, number, 0, len(steps)), *steps])


_GUEST_CALLS = """
read write readv writev pread64 pwrite64 close open openat lseek stat lstat fstat newfstatat statx access faccessat
faccessat2 readlink readlinkat getcwd getdents64 getdents dup dup2 dup3 poll ppoll select pselect6 pipe pipe2
eventfd2 mmap munmap mprotect mremap madvise brk rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending sigaltstack
futex sched_yield sched_getaffinity getpid gettid getppid getuid geteuid getgid getegid getpgrp getrlimit getrusage
times uname capget sysinfo getcpu clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time getrandom
restart_syscall exit exit_group
"""

_PROCESS_DENIED = """
io_uring_setup io_uring_enter io_uring_register ptrace process_vm_readv process_vm_writev process_madvise
pidfd_getfd mount umount2 move_mount open_tree fsopen fsmount fsconfig fspick mount_setattr pivot_root chroot
unshare setns bpf perf_event_open keyctl add_key request_key kexec_load kexec_file_load init_module finit_module
delete_module userfaultfd open_by_handle_at name_to_handle_at reboot swapon swapoff sethostname setdomainname syslog
acct quotactl settimeofday clock_settime clock_adjtime adjtimex
shmget shmat shmctl semget semop semctl semtimedop msgget msgsnd msgrcv msgctl mq_open mq_unlink
inotify_init inotify_init1 inotify_add_watch fanotify_init fanotify_mark migrate_pages move_pages
"""

# what a file's owner may do without opening it for writing, and so out of Landlock's sight
_METADATA = """
chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes futimesat utimensat setxattr lsetxattr
fsetxattr setxattrat removexattr lremovexattr fremovexattr removexattrat file_setattr
"""
_ATTRIBUTES = "getxattr lgetxattr listxattr llistxattr getxattrat listxattrat"  # by path, read past Landlock
_HIDDEN_MEMORY = "memfd_create memfd_secret"  # held without being mapped, so that no count of a process shows it

_ON_OTHERS = "prlimit64 sched_setaffinity sched_setscheduler sched_setparam sched_setattr"  # the first argument: whom
_SOCKET_CALLS = "connect bind listen accept accept4"

_FCNTL_SAFE = (0, 1, 2, 3, 4, 1030, 1032)  # duplicate, flags, pipe size; not F_SETOWN, which sends signals
_IOCTL_SAFE = (0x5401, 0x5450, 0x5451)  # is it a terminal, inherit on exec or not
_PRCTL_READS = (3, 39)  # may it be traced, may it gain rights
_NEW_NAMESPACES = 0x7E02_0000  # mount, cgroup, uts, ipc, user, pid, net
_TERMINAL_INJECTION = (0x5412, 0x541C)
_FILE_FLAGS = (0x4008_6602, 0x4004_6602, 0x401C_5820)  # immutable, append-only, no access times
_SOCKET_LEVEL, _BUFFER_SIZES = 1, (7, 32)
_INTERNET = (2, 10)  # the families of IPv4 and IPv6; not local services, the kernel's netlink, or virtual machines
# a datagram socket of a pair could still send to any address; streams and packets in sequence stay connected
_PAIRED = tuple(kind | flags for kind in (1, 5) for flags in (0, 0x800, 0x80000, 0x80800))


def guest_rules(pid: int) -> list[Rule]:
    """What a guest may call: files and memory, no process, thread, socket or signal but its own abort.

    The process number is the guest's own, which is known after the fork only.
    """
    return [
        *(Rule(call) for call in _GUEST_CALLS.split()),
        Rule("fcntl", conditions=(Condition(1, _FCNTL_SAFE, wide=False),)),
        Rule("ioctl", conditions=(Condition(1, _IOCTL_SAFE, wide=False),)),
        Rule("prctl", conditions=(Condition(0, _PRCTL_READS, wide=False),)),
        Rule("prlimit64", conditions=(Condition(0, (0,), wide=False), Condition(2, (0,)))),  # read own limits
        Rule("tgkill", conditions=(Condition(0, (pid,), wide=False), Condition(2, (_SIGABRT,), wide=False))),
        Rule("clone3", UNKNOWN),  # so that the C library falls back to clone, which is refused
    ]


def guest_program(machine: Machine, pid: int) -> bytes:
    """The filter of a guest; it is assembled once, then only the process number is filled in."""
    return _general_program(machine.audit).replace(struct.pack("<I", _ANY_PROCESS), struct.pack("<I", pid))


@cache
def _general_program(audit: int) -> bytes:
    machine = next(machine for machine in MACHINES.values() if machine.audit == audit)
    return assemble(machine, guest_rules(_ANY_PROCESS), default=REFUSE)


def process_rules(*, network: bool, read_only: bool = False, counted: bool = False) -> list[Rule]:
    """What a confined process may not call; the default of its filter is to allow.

    Modes, times and attributes of files may be changed where all others are mounted ``read_only``; memory that is not
    mapped may be had where it is ``counted`` all the same.
    """
    return [
        *(Rule(call, REFUSE) for call in _PROCESS_DENIED.split()),
        *(Rule(call, UNSUPPORTED) for call in _ATTRIBUTES.split()),
        *([] if read_only else (Rule(call, REFUSE) for call in _METADATA.split())),
        *([] if counted else _uncounted_rules()),
        *([Rule("socket", conditions=(Condition(0, _INTERNET, wide=False),))] if network else _offline_rules()),
        Rule("socketpair", conditions=(Condition(1, _PAIRED, wide=False),)),
        *(Rule(call, conditions=(Condition(0, (0,), wide=False),)) for call in _ON_OTHERS.split()),
        Rule("setpriority", conditions=(Condition(0, (0,), wide=False), Condition(1, (0,), wide=False))),
        Rule("ioprio_set", conditions=(Condition(0, (1,), wide=False), Condition(1, (0,), wide=False))),
        Rule("clone", conditions=(Condition(0, clear=_NEW_NAMESPACES),)),
        Rule("clone3", UNKNOWN),
        Rule("ioctl", REFUSE, (Condition(1, (*_TERMINAL_INJECTION, *_FILE_FLAGS), wide=False),), otherwise=ALLOW),
    ]


def _uncounted_rules() -> list[Rule]:
    """Memory that no process's count shows: files without a name or a mapping, large buffers of sockets."""
    larger = (Condition(1, (_SOCKET_LEVEL,), wide=False), Condition(2, _BUFFER_SIZES, wide=False))
    return [
        *(Rule(call, UNKNOWN) for call in _HIDDEN_MEMORY.split()),
        Rule("setsockopt", REFUSE, larger, otherwise=ALLOW),
    ]


def _offline_rules() -> list[Rule]:
    return [
        Rule("socket", REFUSE),
        *(Rule(call, REFUSE) for call in _SOCKET_CALLS.split()),
        Rule("sendto", conditions=(Condition(4, (0,)),)),  # to the other end of a pair only
    ]


def install(machine: Machine, program: bytes) -> None:
    """Load a filter for every thread of this process; it cannot be taken off."""
    forbid_new_privileges()
    code = ctypes.create_string_buffer(program, len(program))
    loaded = _Program(len(program) // 8, ctypes.cast(code, ctypes.c_void_p))
    number = machine.numbers["seccomp"]
    uncovered = syscall("seccomp", number, _SET_MODE_FILTER, _SYNCHRONISE_THREADS, ctypes.byref(loaded))
    if uncovered > 0:
        raise OSError(errno.EBUSY, f"seccomp: thread {uncovered} could not be covered")
