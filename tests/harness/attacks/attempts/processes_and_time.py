"""More processes and more time than allowed: bombs, daemons, blocked signals, clocks; at most 64, and 20 seconds."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import struct
import sys
import threading
import time

from tests.harness.attacks import means

_MOST = 64  # processes of these attempts; a limit lies below


def _children(count: int) -> list[int]:
    started: list[int] = []
    try:
        for _ in range(count):
            child = os.fork()
            if child == 0:
                signal.alarm(10)
                time.sleep(10)
                os._exit(0)
            started.append(child)
    except OSError:
        pass
    return started


@means.limits(seconds=4)
def many_processes(target: means.Target) -> str | None:
    started = _children(_MOST)
    time.sleep(0.3)
    alive = [child for child in started if os.waitpid(child, os.WNOHANG)[0] == 0]
    for child in alive:
        os.kill(child, signal.SIGKILL)
    return f"{len(alive)} children at once" if len(alive) >= _MOST else None


@means.limits(seconds=4)
def many_daemons(target: means.Target) -> str | None:
    """None of them is a child; they answer over a pipe."""
    mine, other = os.pipe()
    for _ in range(_MOST // 2):
        child = os.fork()
        if child == 0:
            os.setsid()
            try:
                os.fork()
            finally:
                os.write(other, b"x")
                signal.alarm(5)
                time.sleep(5)
                os._exit(0)
    time.sleep(0.5)
    os.set_blocking(mine, False)
    alive = len(os.read(mine, 1000))
    return f"{alive} processes at once" if alive >= _MOST else None


@means.limits(seconds=2)
def endless_loop_with_all_signals_blocked(target: means.Target) -> object:
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    for number in range(1, 65):
        if number not in (signal.SIGKILL, signal.SIGSTOP, 32, 33):
            signal.signal(number, signal.SIG_IGN)
    until = time.monotonic() + 15
    while time.monotonic() < until:
        pass
    raise RuntimeError("BREACH: 15 seconds under a limit of 2")


@means.limits(seconds=2)
def one_long_calculation(target: means.Target) -> object:
    """No Python code runs meanwhile, and no handler."""
    return pow(3, 10**9)


@means.limits(seconds=2)
def stopped_by_its_own_hand(target: means.Target) -> object:
    os.kill(os.getpid(), signal.SIGSTOP)
    time.sleep(10)
    return target.answer()


@means.limits(seconds=2)
def children_that_are_stopped(target: means.Target) -> object:
    for child in _children(3):
        os.kill(child, signal.SIGSTOP)
    return target.answer()


@means.limits(seconds=2)
def child_that_shares_its_memory(target: means.Target) -> object:
    """The parent of a vfork sleeps where few signals reach it."""
    library = ctypes.CDLL(None)
    if library.vfork() == 0:
        library.sleep(15)
        library._exit(0)
    raise RuntimeError("BREACH: 15 seconds under a limit of 2")


def daemon_that_lives_on(target: means.Target) -> object:
    means.daemon(lambda: time.sleep(19))
    return target.answer()


def daemon_with_all_channels(target: means.Target) -> object:
    means.daemon(lambda: time.sleep(19), keep=True)
    return target.answer()


def daemon_that_has_many_lives(target: means.Target) -> object:
    """It forks faster than a list of processes is read; for 8 seconds, at most two at once."""

    def live() -> None:
        until = time.monotonic() + 8
        while time.monotonic() < until:
            if os.fork():
                os._exit(0)
            os.setsid()

    means.daemon(live)
    return target.answer()


def daemon_with_the_name_of_another(target: means.Target) -> object:
    def pose() -> None:
        means.syscall(157, 15, b"systemd", 0, 0, 0)
        means.syscall(157, 1, 0, 0, 0, 0)  # PR_SET_PDEATHSIG, none
        os.chdir("/")
        time.sleep(19)

    means.daemon(pose)
    return target.answer()


def daemon_that_cannot_be_traced(target: means.Target) -> object:
    def hide() -> None:
        means.syscall(157, 4, 0, 0, 0, 0)  # PR_SET_DUMPABLE: its files under /proc belong to root now
        time.sleep(19)

    means.daemon(hide)
    return target.answer()


def sibling_made_by_clone(target: means.Target) -> object:
    """A child of the subject's parent, whose end confuses who waits for the subject."""
    child = means.syscall(56, 0x8000 | 17, 0, 0, 0, 0)  # CLONE_PARENT
    if child == 0:
        os._exit(0)
    return target.answer()


def sibling_that_lives_on(target: means.Target) -> object:
    child = means.syscall(56, 0x8000 | 17, 0, 0, 0, 0)
    if child == 0:
        os.setsid()
        signal.alarm(19)
        time.sleep(19)
        os._exit(0)
    return target.answer()


def reaper_of_its_own(target: means.Target) -> object:
    """Orphans come to the subject, and not to who counts them; then the subject ends first."""
    means.syscall(157, 36, 1, 0, 0, 0)
    means.daemon(lambda: time.sleep(19))
    return target.answer()


def program_in_the_background(target: means.Target) -> object:
    means.shell("setsid nohup sleep 19 >/dev/null 2>&1 & (trap '' TERM HUP INT; setsid sleep 19 >/dev/null 2>&1) &")
    return target.answer()


@means.limits(seconds=2)
def threads_that_never_end(target: means.Target) -> object:
    for _ in range(8):
        threading.Thread(target=time.sleep, args=(15,)).start()
    return target.answer()


@means.limits(seconds=2)
def answer_from_a_thread_after_the_main_one(target: means.Target) -> object:
    """The main thread ends by itself; the process goes on as a zombie leader."""
    threading.Thread(target=time.sleep, args=(15,), daemon=True).start()
    means._LIBC.syscall(ctypes.c_long(60), ctypes.c_long(0))  # exit, of this thread only
    return target.answer()


@means.limits(seconds=2)
def answer_after_the_time_by_a_twin(target: means.Target) -> object:
    """The parent waits to be ended; the twin answers after that."""
    if os.fork():
        time.sleep(15)
    time.sleep(2.5)
    raise RuntimeError("BREACH: answered after the end")


@means.limits(seconds=2)
def processor_time_limit_raised(target: means.Target) -> object:
    for kind in (resource.RLIMIT_CPU, resource.RLIMIT_NPROC, resource.RLIMIT_RTTIME):
        try:
            resource.setrlimit(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        except (OSError, ValueError):
            continue
    until = time.monotonic() + 15
    while time.monotonic() < until:
        pass
    raise RuntimeError("BREACH: 15 seconds under a limit of 2")


def interval_timers_of_the_kernel(target: means.Target) -> object:
    """Timers do not outlive the process, but signals to its group would reach others."""
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    signal.signal(signal.SIGALRM, lambda *rest: os.killpg(0, signal.SIGCONT))
    time.sleep(0.2)
    return target.answer()


def clock_of_a_namespace(target: means.Target) -> str | None:
    """A namespace with another time, for a process that then measures for the harness."""
    means.syscall(272, 0x80)
    with open("/proc/self/timens_offsets", "w") as file:
        file.write("monotonic 86400 0")
    return "has a clock of its own"


def busy_on_all_processors(target: means.Target) -> object:
    """Rivals are measured by the clock; at least this must end with the cell."""

    def burn() -> None:
        until = time.monotonic() + 15
        while time.monotonic() < until:
            pass

    for _ in range(2):
        means.daemon(burn)
    return target.answer()


def futex_of_another(target: means.Target) -> str | None:
    """Waking those who wait on a word in a library's data page, which is private: nobody is there."""
    page = ctypes.create_string_buffer(struct.pack("<i", 0), 4)
    woken = means.syscall(202, page, 1, 64, None, None, 0)
    return f"woke {woken}" if woken else None


def interpreter_that_never_starts(target: means.Target) -> object:
    """The process becomes another program that keeps the channel and says nothing."""
    os.execv("/bin/sleep", ["sleep", "1"])
    return sys.argv
