"""Calls that look into other processes: memory, descriptors, registers, counters."""

from __future__ import annotations

import ctypes
import os
import struct

from tests.harness.attacks import means


def _ptrace(request: int, pid: int) -> str:
    means.syscall(101, request, pid, 0, 0)
    means.syscall(101, 17, pid, 0, 0)  # detach
    return f"traced process {pid}"


def victim_traced(target: means.Target) -> str | None:
    return means.every([lambda: _ptrace(16, target.victim), lambda: _ptrace(0x4206, target.victim)])


def driver_traced(target: means.Target) -> str | None:
    return means.every([lambda pid=pid: _ptrace(0x4206, pid) for pid in means.of_the_run(target)])


def victim_traced_by_a_child(target: means.Target) -> str | None:
    return means.in_child(lambda: _ptrace(0x4206, target.victim))


def _peek(pid: int, call: int) -> str:
    """Eight bytes of the first page of libc's own data would do; any address that is mapped there will."""
    buffer = ctypes.create_string_buffer(8)
    for line in open("/proc/self/maps"):
        here = (ctypes.c_uint64 * 2)(ctypes.addressof(buffer), 8)
        there = (ctypes.c_uint64 * 2)(int(line.split("-")[0], 16), 8)
        try:
            means.syscall(call, pid, here, 1, there, 1, 0)
        except OSError as error:
            if error.errno == 14:  # EFAULT: allowed, but nothing at this address
                return f"process {pid} may be read"
            raise
        return f"read process {pid}"
    raise OSError("no map")


def memory_of_the_driver_read(target: means.Target) -> str | None:
    return means.every([lambda pid=pid: _peek(pid, 310) for pid in means.of_the_run(target)])


def memory_of_the_victim_written(target: means.Target) -> str | None:
    """Nothing is written: no address below the first page can be."""
    here, there = (ctypes.c_uint64 * 2)(0, 0), (ctypes.c_uint64 * 2)(8, 8)
    buffer = ctypes.create_string_buffer(8)
    here[0], here[1] = ctypes.addressof(buffer), 8
    try:
        means.syscall(311, target.victim, here, 1, there, 1, 0)
    except OSError as error:
        if error.errno == 14:
            return "memory of the victim may be written"
        raise
    return "wrote memory of the victim"


def _stolen(pid: int) -> str | None:
    handle = means.syscall(434, pid, 0)
    for number in range(3, 64):
        try:
            descriptor = means.syscall(438, handle, number, 0)
        except OSError as error:
            if error.errno == 9:
                continue
            raise
        return f"took descriptor {number} of {pid}: {os.readlink(f'/proc/self/fd/{descriptor}')}"
    return None


def descriptor_of_the_driver_taken(target: means.Target) -> str | None:
    return means.every([lambda pid=pid: _stolen(pid) for pid in means.of_the_run(target)])


def descriptors_compared_with_the_driver(target: means.Target) -> str | None:
    return means.every(
        [
            lambda pid=pid: f"kcmp: {means.syscall(312, os.getpid(), pid, 1, 0, 0)}"
            for pid in (target.driver, target.victim)
        ]
    )


def events_of_the_driver_counted(target: means.Target) -> str | None:
    def count(pid: int, processor: int) -> str:
        attributes = bytearray(128)
        struct.pack_into("<IIQ", attributes, 0, 1, 128, 1)  # software, page faults
        buffer = (ctypes.c_char * 128).from_buffer(attributes)
        return f"counts events of {pid}: {means.syscall(298, buffer, pid, processor, -1, 0)}"

    return means.every([lambda: count(target.driver, -1), lambda: count(target.victim, -1), lambda: count(-1, 0)])


def list_of_locks_of_the_driver(target: means.Target) -> str | None:
    head, size = ctypes.c_uint64(), ctypes.c_uint64()
    return means.every(
        [
            lambda pid=pid: f"{means.syscall(274, pid, ctypes.byref(head), ctypes.byref(size))}: address {head.value:x}"
            for pid in (target.driver, target.victim)
        ]
    )


def pages_of_the_driver_moved(target: means.Target) -> str | None:
    pages, status = (ctypes.c_uint64 * 1)(0x400000), (ctypes.c_int * 1)(0)
    nodes = (ctypes.c_uint64 * 1)(1)
    return means.every(
        [
            lambda pid=pid: f"move_pages: {means.syscall(279, pid, 1, pages, None, status, 0)}"
            for pid in (target.driver, target.victim)
        ]
        + [lambda: f"migrate_pages: {means.syscall(256, target.victim, 64, nodes, nodes)}"]
    )


def memory_of_the_driver_advised(target: means.Target) -> str | None:
    handle = means.syscall(434, target.victim, 0)
    area = (ctypes.c_uint64 * 2)(0x400000, 4096)
    try:
        return f"process_madvise: {means.syscall(440, handle, area, 1, 20, 0)}"
    except OSError as error:
        if error.errno == 12:  # ENOMEM: allowed, but nothing at this address
            return "process_madvise may be used on the victim"
        raise


def namespaces_of_the_driver_entered(target: means.Target) -> str | None:
    handle = means.syscall(434, target.driver, 0)
    means.syscall(308, handle, 0x20000 | 0x20000000)  # mounts and processes
    return means.read(target.secret) or "entered the namespaces of the driver"


def namespaces_entered_through_proc(target: means.Target) -> str | None:
    def enter(name: str) -> str:
        means.syscall(308, os.open(f"/proc/{target.driver}/ns/{name}", os.O_RDONLY), 0)
        return f"entered the {name} namespace of the driver"

    return means.every([lambda name=name: enter(name) for name in ("mnt", "net", "pid_for_children", "ipc", "user")])


def own_tracer_chosen(target: means.Target) -> str | None:
    """Harmless by itself; what counts is that the accomplice's side is not reached through it."""
    means.syscall(157, 0x59616D61, target.victim, 0, 0, 0)  # PR_SET_PTRACER
    means.syscall(157, 4, 1, 0, 0, 0)  # PR_SET_DUMPABLE
    return means.every([lambda: _ptrace(16, target.victim)])
