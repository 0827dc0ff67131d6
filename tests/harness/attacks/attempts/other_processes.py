"""Signals, limits, priorities and processors of processes that are not the subject's own."""

from __future__ import annotations

import ctypes
import fcntl
import os
import resource
import signal
import struct
import time

from tests.harness.attacks import means


def limits_of_the_victim(target: means.Target) -> str | None:
    resource.prlimit(target.victim, resource.RLIMIT_NOFILE, (64, 64))
    return "lowered a limit of the victim"


def memory_limit_of_the_examiner(target: means.Target) -> str | None:
    """Not below what it has: a marker is enough."""
    return means.every(
        [
            lambda pid=pid: f"limited {pid}: {resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0))}"
            for pid in (target.driver, *means.ancestors()[:3])
        ]
    )


def limits_of_the_driver_read(target: means.Target) -> str | None:
    """Reading another's limits is a small thing to learn, and the same call."""
    return f"read {resource.prlimit(target.driver, resource.RLIMIT_NOFILE)}"


def priority_of_the_victim(target: means.Target) -> str | None:
    os.setpriority(os.PRIO_PROCESS, target.victim, 5)
    return "slowed the victim down"


def priority_of_the_run(target: means.Target) -> str | None:
    return means.every(
        [
            lambda pid=pid: os.setpriority(os.PRIO_PROCESS, pid, 1) or f"slowed {pid} down"
            for pid in (target.driver, *means.ancestors()[:3])
        ]
    )


def priority_of_the_process_group(target: means.Target) -> str | None:
    """The group may be shared with the examiner."""
    group = os.getpgid(os.getppid()) if os.getppid() else 0
    if group in (0, os.getpgid(0)):
        return None
    os.setpriority(os.PRIO_PGRP, group, 1)
    return "slowed the group of its parent down"


def priority_above_others(target: means.Target) -> str | None:
    os.setpriority(os.PRIO_PROCESS, 0, -5)
    return "put itself before all others"


def real_time_scheduling_of_its_own(target: means.Target) -> str | None:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    return "ran before all ordinary processes"


def deadline_scheduling_of_its_own(target: means.Target) -> str | None:
    attributes = struct.pack("<IIQiIQQQ", 48, 6, 0, 0, 0, 10**6, 10**7, 10**7)
    means.syscall(314, 0, attributes, 0)
    return "reserved a share of the processor"


def scheduling_of_the_victim(target: means.Target) -> str | None:
    return means.every(
        [
            lambda: os.sched_setscheduler(target.victim, os.SCHED_IDLE, os.sched_param(0)) or "made the victim idle",
            lambda: f"{means.syscall(314, target.victim, struct.pack('<IIQiIQQQ', 48, 3, 0, 0, 0, 0, 0, 0), 0)}",
        ]
    )


def processors_of_the_victim(target: means.Target) -> str | None:
    os.sched_setaffinity(target.victim, {min(os.sched_getaffinity(0))})
    return "bound the victim to a processor"


def processors_of_the_run(target: means.Target) -> str | None:
    return means.every(
        [
            lambda pid=pid: os.sched_setaffinity(pid, os.sched_getaffinity(pid)) or f"set the processors of {pid}"
            for pid in (target.driver, *means.ancestors()[:3])
        ]
    )


def disk_priority_of_the_victim(target: means.Target) -> str | None:
    return f"set {means.syscall(251, 1, target.victim, 3 << 13)}"


def disk_priority_above_others(target: means.Target) -> str | None:
    return f"real-time disk access {means.syscall(251, 1, 0, 1 << 13 | 7)}"


def victim_signalled(target: means.Target) -> str | None:
    os.kill(target.victim, signal.SIGCONT)
    return "sent the victim a signal"


def victim_stopped(target: means.Target) -> str | None:
    os.kill(target.victim, signal.SIGSTOP)
    os.kill(target.victim, signal.SIGCONT)
    return "stopped the victim"


def driver_signalled(target: means.Target) -> str | None:
    os.kill(target.driver, signal.SIGCONT)
    return "sent the driver a signal"


def victim_signalled_by_other_calls(target: means.Target) -> str | None:
    information = ctypes.create_string_buffer(128)
    struct.pack_into("<iii", information, 0, int(signal.SIGCONT), 0, -1)
    pid, number = target.victim, int(signal.SIGCONT)
    return means.every(
        [
            lambda: f"tkill {means.syscall(200, pid, number)}",
            lambda: f"tgkill {means.syscall(234, pid, pid, number)}",
            lambda: f"rt_sigqueueinfo {means.syscall(129, pid, number, information)}",
            lambda: f"rt_tgsigqueueinfo {means.syscall(297, pid, pid, number, information)}",
            lambda: f"pidfd_send_signal {means.syscall(424, means.syscall(434, pid, 0), number, None, 0)}",
        ]
    )


def victim_signalled_by_the_kernel(target: means.Target) -> str | None:
    """The kernel sends the signal for input on a pipe to whoever owns it; the victim's death is seen from outside."""
    mine, other = os.pipe()
    fcntl.fcntl(mine, fcntl.F_SETOWN, target.victim)
    fcntl.fcntl(mine, 10, int(signal.SIGUSR1))  # F_SETSIG
    fcntl.fcntl(mine, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    os.write(other, b"x")
    time.sleep(0.1)
    return None


def driver_signalled_by_a_lease(target: means.Target) -> str | None:
    """A lease on a file of its own, broken by itself, announced to the victim."""
    descriptor = os.open("leased", os.O_RDWR | os.O_CREAT)
    fcntl.fcntl(descriptor, fcntl.F_SETOWN, target.victim)
    fcntl.fcntl(descriptor, 10, int(signal.SIGUSR1))
    fcntl.fcntl(descriptor, 1024, fcntl.F_WRLCK)  # F_SETLEASE
    try:
        os.open("leased", os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        time.sleep(0.1)
    return None


def parent_killed(target: means.Target) -> object:
    """Whether that is a loss is seen from outside."""
    os.kill(os.getppid() or os.getpid(), signal.SIGKILL)
    time.sleep(0.3)
    return target.answer()


def parent_stopped(target: means.Target) -> object:
    if os.getppid() > 1:
        os.kill(os.getppid(), signal.SIGSTOP)
    return target.answer()


def parent_interrupted(target: means.Target) -> object:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGALRM, signal.SIGCHLD):
        if os.getppid() > 1:
            os.kill(os.getppid(), number)
    return target.answer()


def group_killed(target: means.Target) -> object:
    os.killpg(0, signal.SIGTERM)
    time.sleep(0.3)
    return target.answer()


def session_killed(target: means.Target) -> object:
    """The group that leads the session, if it is another one than that of the driver's own parents."""
    leader = os.getsid(0)
    if leader > target.driver:
        os.killpg(leader, signal.SIGKILL)
    time.sleep(0.3)
    return target.answer()


def workers_killed_one_by_one(target: means.Target) -> object:
    """All that stand between this process and the driver, as far as they are to be seen."""
    for pid in means.ancestors():
        if pid > target.driver:
            os.kill(pid, signal.SIGKILL)
    time.sleep(0.3)
    return target.answer()


def group_of_the_parent_joined(target: means.Target) -> str | None:
    group = os.getpgid(os.getppid()) if os.getppid() else 0
    if group in (0, os.getpgid(0)):
        return None
    os.setpgid(0, group)
    return "joined the group of its parent"


def core_scheduling_of_the_driver(target: means.Target) -> str | None:
    return means.every(
        [
            lambda pid=pid: f"shares a core with {pid}: {means.syscall(157, 62, 2, pid, 1, 0)}"
            for pid in (target.driver, target.victim)
        ]
    )
