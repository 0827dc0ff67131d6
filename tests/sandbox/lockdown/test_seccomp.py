"""The filter is run here by a small interpreter of its own, written from the kernel's description of the format."""

from __future__ import annotations

import os
import platform
import re
import struct
from pathlib import Path

import pytest

from assay.sandbox.lockdown.seccomp import (
    ALLOW,
    KILL,
    REFUSE,
    UNKNOWN,
    Condition,
    Rule,
    assemble,
    guest_program,
    guest_rules,
    process_rules,
)
from assay.sandbox.lockdown.syscalls import MACHINES, Machine

X86 = MACHINES["x86_64"]
PID = 4242


def decide(program: bytes, number: int, *arguments: int, audit: int = X86.audit) -> int:
    padded = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("<IIQ6Q", number & 0xFFFFFFFF, audit, 0, *padded)
    steps = [struct.unpack_from("<HBBI", program, at) for at in range(0, len(program), 8)]
    value, at = 0, 0
    while True:
        code, then, otherwise, constant = steps[at]
        at += 1
        if code == 0x20:
            (value,) = struct.unpack_from("<I", data, constant)
        elif code == 0x06:
            return int(constant)
        else:
            holds = {0x15: value == constant, 0x45: bool(value & constant), 0x35: value >= constant}[code]
            at += then if holds else otherwise


@pytest.fixture(params=["x86_64", "aarch64"])
def machine(request: pytest.FixtureRequest) -> Machine:
    return MACHINES[request.param]


def guest(machine: Machine) -> bytes:
    return guest_program(machine, PID)


def test_listed_calls_pass_and_all_others_fail(machine: Machine) -> None:
    program = guest(machine)
    for name in ("read", "openat", "mmap", "exit_group", "futex"):
        assert decide(program, machine.numbers[name], audit=machine.audit) == ALLOW
    for name in ("socket", "execve", "execveat", "kill", "tkill", "ptrace", "memfd_create", "io_uring_setup", "bpf"):
        assert decide(program, machine.numbers[name], audit=machine.audit) == REFUSE
    assert decide(program, 9999, audit=machine.audit) == REFUSE


def test_neither_processes_nor_threads_can_be_started(machine: Machine) -> None:
    program = guest(machine)
    thread = 0x3D0F00  # the flags the C library gives for a thread
    for flags in (0, 17, thread):
        assert decide(program, machine.numbers["clone"], flags, audit=machine.audit) == REFUSE
    assert decide(program, machine.numbers["clone3"], audit=machine.audit) == UNKNOWN
    for name in {"fork", "vfork"} & set(machine.numbers):
        assert decide(program, machine.numbers[name], audit=machine.audit) == REFUSE


def test_another_architecture_kills_and_the_second_set_of_numbers_is_unknown() -> None:
    assert decide(guest(X86), X86.numbers["read"], audit=0x40000003) == KILL
    assert decide(guest(X86), 0x40000000 | X86.numbers["read"]) == UNKNOWN


@pytest.mark.parametrize("pointer", [1, 1 << 12, 1 << 32, 7 << 32, (1 << 32) + 8, 1 << 63])
def test_own_limits_can_be_read_but_no_pointer_sets_them(pointer: int) -> None:
    number = X86.numbers["prlimit64"]
    assert decide(guest(X86), number, 0, 7, 0, 0xDEAD) == ALLOW
    assert decide(guest(X86), number, 0, 7, pointer, 0) == REFUSE
    assert decide(guest(X86), number, PID + 1, 7, 0, 0xDEAD) == REFUSE


def test_a_guest_signals_nobody_but_itself_and_only_to_abort() -> None:
    number = X86.numbers["tgkill"]
    assert decide(guest(X86), number, PID, PID, 6) == ALLOW
    assert decide(guest(X86), number, PID, PID, 9) == REFUSE
    assert decide(guest(X86), number, PID + 1, PID, 6) == REFUSE


def test_the_number_is_filled_in_once_and_the_program_is_otherwise_the_same() -> None:
    assert guest_program(X86, PID) == assemble(X86, guest_rules(PID), default=REFUSE)
    one, two = guest_program(X86, 1), guest_program(X86, 2)
    assert sum(a != b for a, b in zip(one, two, strict=True)) == 1


def test_descriptor_control_is_limited_to_what_sends_no_signal() -> None:
    program = guest(X86)
    assert [decide(program, X86.numbers["fcntl"], 3, command) for command in (1, 3, 1030)] == [ALLOW] * 3
    assert [decide(program, X86.numbers["fcntl"], 3, command) for command in (8, 10, 1024)] == [REFUSE] * 3
    assert decide(program, X86.numbers["ioctl"], 0, 0x5401) == ALLOW
    assert decide(program, X86.numbers["ioctl"], 0, 0x5412) == REFUSE


def test_a_wide_condition_compares_both_halves_and_a_narrow_one_the_lower() -> None:
    for wide, expected in ((True, REFUSE), (False, ALLOW)):
        rule = Rule("read", conditions=(Condition(2, (5, 0x1_0000_0006), wide=wide),))
        program = assemble(X86, [rule], default=KILL)
        assert decide(program, 0, 0, 0, 5) == ALLOW
        assert decide(program, 0, 0, 0, 0x1_0000_0006) == ALLOW
        assert decide(program, 0, 0, 0, 0x2_0000_0005) == expected
        assert decide(program, 0, 0, 0, 4) == REFUSE
    assert decide(assemble(X86, [], default=KILL), 0) == KILL


def test_a_confined_process_may_fork_but_not_reach_the_network_or_new_namespaces() -> None:
    program = assemble(X86, process_rules(network=False), default=ALLOW)
    assert decide(program, X86.numbers["clone"], 17) == ALLOW
    assert decide(program, X86.numbers["clone"], 0x3D0F00) == ALLOW
    assert decide(program, X86.numbers["clone"], 0x10000011) == REFUSE
    assert decide(program, X86.numbers["execve"]) == ALLOW
    assert decide(program, X86.numbers["socketpair"], 1, 1) == ALLOW
    assert decide(program, X86.numbers["ioctl"], 0, 0x5412) == REFUSE
    assert decide(program, X86.numbers["ioctl"], 0, 0x5401) == ALLOW
    for name in ("socket", "ptrace", "unshare", "io_uring_setup", "mount"):
        assert decide(program, X86.numbers[name]) == REFUSE
    assert decide(assemble(X86, process_rules(network=True), default=ALLOW), X86.numbers["socket"], 2) == ALLOW


STREAM, DATAGRAM, CLOSE_ON_EXEC = 1, 2, 0x80000
ANOTHER = 4711


@pytest.mark.parametrize("network", [False, True])
def test_a_confined_process_reaches_itself_only(machine: Machine, network: bool) -> None:
    program = assemble(machine, process_rules(network=network), default=ALLOW)

    def verdict(name: str, *arguments: int) -> int:
        return decide(program, machine.numbers[name], *arguments, audit=machine.audit)

    for name in ("prlimit64", "sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr"):
        assert verdict(name, 0) == ALLOW
        assert verdict(name, ANOTHER) == REFUSE
    assert verdict("setpriority", 0, 0, 19) == ALLOW
    assert {verdict("setpriority", 0, ANOTHER), verdict("setpriority", 1, 0), verdict("setpriority", 2, 0)} == {REFUSE}
    assert verdict("ioprio_set", 1, 0) == ALLOW
    assert {verdict("ioprio_set", 1, ANOTHER), verdict("ioprio_set", 3, 0)} == {REFUSE}
    for name in ("shmget", "semget", "msgget", "mq_open", "inotify_init1", "fanotify_init", "migrate_pages"):
        assert verdict(name) == REFUSE
    assert verdict("socketpair", 1, STREAM | CLOSE_ON_EXEC) == ALLOW
    assert verdict("socketpair", 1, DATAGRAM | CLOSE_ON_EXEC) == REFUSE


def test_sockets_of_a_confined_process_are_pairs_or_internet(machine: Machine) -> None:
    offline = assemble(machine, process_rules(network=False), default=ALLOW)
    online = assemble(machine, process_rules(network=True), default=ALLOW)
    numbers, audit = machine.numbers, machine.audit
    for family, action in ((1, REFUSE), (2, ALLOW), (10, ALLOW), (16, REFUSE), (17, REFUSE), (40, REFUSE)):
        assert decide(online, numbers["socket"], family, audit=audit) == action
        assert decide(offline, numbers["socket"], family, audit=audit) == REFUSE
    for name in ("connect", "bind", "listen", "accept", "accept4"):
        assert decide(online, numbers[name], 3, audit=audit) == ALLOW
        assert decide(offline, numbers[name], 3, audit=audit) == REFUSE
    assert decide(offline, numbers["sendto"], 3, 0, 0, 0, 0, audit=audit) == ALLOW
    assert decide(offline, numbers["sendto"], 3, 0, 0, 0, 1 << 40, audit=audit) == REFUSE


@pytest.mark.parametrize(
    ("name", "header"),
    [("x86_64", "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), ("aarch64", "/usr/include/asm-generic/unistd.h")],
)
def test_the_numbers_are_those_of_the_kernels_own_headers(name: str, header: str) -> None:
    if not Path(header).exists():
        pytest.skip(f"{header} is not installed")
    text = Path(header).read_text()
    numbers = {key: int(number) for key, number in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text)}
    numbers["newfstatat"] = numbers.get("newfstatat", numbers.get("fstatat", -1))
    newest = max(numbers.values())  # of an older system the header ends before our table does
    ours = {key: number for key, number in MACHINES[name].numbers.items() if number <= newest}
    assert {key: numbers.get(key) for key in ours} == ours
    assert len(ours) > 150


def test_a_machine_is_called_verified_only_where_the_corpus_ran() -> None:
    assert [name for name, machine in MACHINES.items() if machine.verified] == ["x86_64"]
    assert platform.machine() in MACHINES or os.uname().sysname != "Linux"
