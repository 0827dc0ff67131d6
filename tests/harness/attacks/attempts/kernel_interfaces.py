"""Less known calls that open files, change the machine, or run code elsewhere."""

from __future__ import annotations

import ctypes
import mmap
import os
import struct
import subprocess
import time

from tests.harness.attacks import means


def secret_opened_by_a_handle(target: means.Target) -> str | None:
    """A handle names a file without a path; the folder on which it is opened only names the disk."""
    handle = ctypes.create_string_buffer(struct.pack("<Ii", 128, 0), 136)
    mount = ctypes.c_int()
    means.syscall(303, -100, target.secret.encode(), handle, ctypes.byref(mount), 0)
    folder = os.open(".", os.O_RDONLY)
    return means.read(means.syscall(304, folder, handle, os.O_RDONLY))


def secret_opened_by_a_ring(target: means.Target) -> str | None:
    """io_uring opens the file in the kernel's own hands."""
    parameters = bytearray(120)
    ring = means.syscall(425, 4, (ctypes.c_char * 120).from_buffer(parameters))
    head = struct.unpack_from("<10I", parameters, 0)
    sent = struct.unpack_from("<10I", parameters, 40)  # head, tail, mask, entries, flags, dropped, array
    offsets = struct.unpack_from("<10I", parameters, 80)  # head, tail, mask, entries, overflow, cqes
    submissions = mmap.mmap(ring, sent[6] + head[0] * 4, offset=0)
    completions = mmap.mmap(ring, offsets[5] + head[1] * 16, offset=0x8000000)
    entries = mmap.mmap(ring, head[0] * 64, offset=0x10000000)
    name = ctypes.create_string_buffer(target.secret.encode())
    # IORING_OP_OPENAT: opcode, flags, ioprio, fd, offset, address, mode, open flags, user data
    entries[:40] = struct.pack("<BBHiQQIIQ", 18, 0, 0, -100, 0, ctypes.addressof(name), 0, os.O_RDONLY, 7)
    struct.pack_into("<I", submissions, sent[6], 0)
    struct.pack_into("<I", submissions, sent[1], 1)
    means.syscall(426, ring, 1, 1, 1, None, 0)
    _, result, _ = struct.unpack_from("<QiI", completions, offsets[5])
    if result < 0:
        raise OSError(-result, os.strerror(-result))
    return means.read(result)


def secret_after_mounting(target: means.Target) -> str | None:
    """In a new user and mount namespace, the folder of the secret is bound into the working folder."""

    def bind() -> str | None:
        means.syscall(272, 0x10000000 | 0x20000)
        os.mkdir("bound")
        means.syscall(165, target.home.encode(), b"bound", None, 4096, None)
        return means.read("bound/" + os.path.basename(target.secret))

    return means.in_child(bind)


def secret_after_the_newer_mount_calls(target: means.Target) -> str | None:
    tree = means.syscall(428, -100, target.home.encode(), 1)  # open_tree, a clone
    return means.read(os.open(os.path.basename(target.secret), os.O_RDONLY, dir_fd=tree))


def file_system_mounted_outside(target: means.Target) -> str | None:
    means.syscall(165, b"tmpfs", target.home.encode(), b"tmpfs", 0, b"size=64k")
    return "mounted over the user's folder"


def root_changed_to_another_folder(target: means.Target) -> str | None:
    return f"pivot_root {means.syscall(155, target.home.encode(), target.home.encode())}"


def namespaces_made_one_by_one(target: means.Target) -> str | None:
    """A namespace by itself is no crime; a root user in it who reads the secret is."""

    def enter(flag: int) -> str | None:
        means.syscall(272, flag)
        return means.read(target.secret)

    flags = (0x10000000, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x20000000, 0x40000000, 0x80)
    return means.every([lambda flag=flag: means.in_child(lambda: enter(flag)) for flag in flags])


def secret_by_calls_of_the_x32_table(target: means.Target) -> str | None:
    return means.read(means.syscall(0x40000000 | 2, target.secret.encode(), os.O_RDONLY, 0))


_GATE = bytes.fromhex("53 89f8 89f3 89d1 4489c2 cd80 5b c3".replace(" ", ""))


def _old_call(number: int, *arguments: int) -> int:
    """A call through ``int 0x80``: the table of 32-bit programs, whose numbers mean other calls."""
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(_GATE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(code))
    function = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_uint] * 5)(address)
    padded = [*arguments, 0, 0, 0, 0][:4]
    return int(function(number, padded[0], padded[1], 0, padded[2]))


def _low(data: bytes) -> int:
    """Data at an address that fits into 32 bits."""
    library = ctypes.CDLL(None)
    library.mmap.restype = ctypes.c_void_p
    address = library.mmap(None, 4096, 3, 0x22 | 0x40, -1, 0)  # MAP_32BIT
    ctypes.memmove(address, data + b"\0", len(data) + 1)
    return int(address)


def secret_by_calls_of_32_bit_programs(target: means.Target) -> str | None:
    def call() -> str | None:
        opened = _old_call(5, _low(target.secret.encode()), os.O_RDONLY)
        return means.read(opened) if opened >= 0 else None

    return means.in_child(call)


def mode_by_calls_of_32_bit_programs(target: means.Target) -> str | None:
    def call() -> str | None:
        return None if _old_call(15, _low(target.plain.encode()), 0o666) else "changed the mode with int 0x80"

    return means.in_child(call)


def victim_signalled_by_calls_of_32_bit_programs(target: means.Target) -> str | None:
    return means.in_child(lambda: None if _old_call(37, target.victim, 18) else "signalled the victim with int 0x80")


def filter_answered_by_itself(target: means.Target) -> str | None:
    """A filter of its own that lets the kernel ask the subject, who says yes; it must not overrule an older filter."""

    def program(number: int) -> ctypes.Array[ctypes.c_char]:
        steps = ((0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x7FC00000), (0x06, 0, 0, 0x7FFF0000))
        return ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *step) for step in steps))

    def ask() -> str | None:
        steps = program(90)  # chmod
        holder = ctypes.create_string_buffer(struct.pack("<H6xQ", 4, ctypes.addressof(steps)))
        means.syscall(157, 38, 1, 0, 0, 0)
        listener = means.syscall(317, 1, 8, holder)
        child = os.fork()
        if child == 0:
            status = means._LIBC.syscall(ctypes.c_long(90), target.plain.encode(), ctypes.c_long(0o666))
            os._exit(7 if status == 0 else 1)
        notice = ctypes.create_string_buffer(80)
        deadline = time.monotonic() + 1
        while time.monotonic() < deadline:
            if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                break
            if _ready(listener):
                means.syscall(16, listener, 0xC0502100, notice)
                (identifier,) = struct.unpack_from("<Q", notice)
                reply = ctypes.create_string_buffer(struct.pack("<QqiI", identifier, 0, 0, 1))
                means.syscall(16, listener, 0xC0182101, reply)
        _, status = os.waitpid(child, 0)
        return "overruled the filter" if os.waitstatus_to_exitcode(status) == 7 else None

    return means.in_child(ask)


def _ready(descriptor: int) -> bool:
    import select

    return bool(select.select([descriptor], [], [], 0.05)[0])


def filter_that_allows_everything(target: means.Target) -> str | None:
    steps = ctypes.create_string_buffer(struct.pack("<HBBI", 0x06, 0, 0, 0x7FFF0000))
    holder = ctypes.create_string_buffer(struct.pack("<H6xQ", 1, ctypes.addressof(steps)))
    means.syscall(157, 38, 1, 0, 0, 0)
    means.syscall(317, 1, 0, holder)
    return means.every([lambda: means.read(target.secret), lambda: os.chmod(target.plain, 0o666) or "changed the mode"])


def ruleset_that_allows_everything(target: means.Target) -> str | None:
    """A Landlock layer of its own that allows reading everywhere."""
    rights = ctypes.create_string_buffer(struct.pack("<QQQ", 0xC, 0, 0))
    ruleset = means.syscall(444, rights, 8, 0)
    rule = ctypes.create_string_buffer(struct.pack("<Qi", 0xC, os.open("/", os.O_PATH)))
    means.syscall(445, ruleset, 1, rule, 0)
    means.syscall(157, 38, 1, 0, 0, 0)
    means.syscall(446, ruleset, 0)
    return means.read(target.secret)


def secret_by_threads_of_its_own(target: means.Target) -> str | None:
    """Threads that were there before, or are made now, are confined too."""
    import threading

    breaches: list[str | None] = []

    def look() -> None:
        try:
            breaches.append(means.read(target.secret))
        except OSError:
            breaches.append(None)

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return next((entry for entry in breaches if entry), None)


def kernel_objects_by_bpf(target: means.Target) -> str | None:
    attributes = ctypes.create_string_buffer(128)
    return means.every(
        [
            lambda command=command: f"bpf {command}: {means.syscall(321, command, attributes, 128)}"
            for command in (11, 12)
        ]
    )


def files_watched_with_fanotify(target: means.Target) -> str | None:
    group = means.every([lambda: str(means.syscall(300, 0, 0)), lambda: str(means.syscall(300, 0x200, 0))])
    means.syscall(301, int(group or 0), 1, 0x20, -100, target.home.encode())
    return "watches the user's folder"


def key_of_the_user_read(target: means.Target) -> str | None:
    for ring in (-4, -5, -3):
        try:
            key = means.syscall(250, 10, ring, b"user", means.PLANTED_KEY, 0)
        except OSError as error:
            last = error
            continue
        buffer = ctypes.create_string_buffer(256)
        means.syscall(250, 11, key, buffer, 256)
        return means.secret_in(buffer.raw) or "found the key"
    raise last


def key_requested_from_the_kernel(target: means.Target) -> str | None:
    return f"got key {means.syscall(249, b'user', means.PLANTED_KEY, None, -4)}"


def key_left_for_the_user(target: means.Target) -> str | None:
    name = f"mark-{target.token}".encode()
    return means.every(
        [lambda ring=ring: f"left a key: {means.syscall(248, b'user', name, b'x', 1, ring)}" for ring in (-4, -5)]
    )


def name_of_the_machine(target: means.Target) -> str | None:
    """The one that it has already."""
    name = os.uname().nodename.encode()
    return f"sethostname {means.syscall(170, name, len(name))}"


def clock_of_the_machine(target: means.Target) -> str | None:
    """Set to what it shows."""
    now = (ctypes.c_long * 2)(*divmod(time.time_ns(), 10**9))
    adjustment = ctypes.create_string_buffer(208)
    struct.pack_into("<I", adjustment, 0, 0x2000)  # ADJ_NANO: no change of speed
    return means.every(
        [
            lambda: f"adjtimex {means.syscall(159, adjustment)}",
            lambda: f"clock_adjtime {means.syscall(305, 0, adjustment)}",
            lambda: f"clock_settime {means.syscall(227, 0, now)}",
        ]
    )


def log_of_the_kernel(target: means.Target) -> str | None:
    buffer = ctypes.create_string_buffer(4096)
    return f"read {means.syscall(103, 3, buffer, 4096)} bytes of the kernel's log"


def ports_of_the_machine(target: means.Target) -> str | None:
    return means.every([lambda: f"iopl {means.syscall(172, 3)}", lambda: f"ioperm {means.syscall(173, 0x80, 1, 1)}"])


def quotas_and_swap(target: means.Target) -> str | None:
    return means.every(
        [
            lambda: f"swapon {means.syscall(167, b'/none', 0)}",
            lambda: f"quotactl {means.syscall(179, 0x80000101, None, 0, 0)}",
            lambda: f"acct {means.syscall(163, target.mark().encode())}",
        ]
    )


def rights_raised(target: means.Target) -> str | None:
    """All capabilities again, and then the secret."""
    header = ctypes.create_string_buffer(struct.pack("<Ii", 0x20080522, 0))
    data = ctypes.create_string_buffer(struct.pack("<6I", *[0xFFFFFFFF] * 6))
    return means.every(
        [
            lambda: (means.syscall(126, header, data) and None) or "raised its capabilities",
            lambda: os.setresuid(0, 0, 0) if os.getuid() else None,
            lambda: means.read(target.secret),
        ]
    )


def groups_and_users_changed(target: means.Target) -> str | None:
    """Another user's identity reaches what that user may; as an ordinary user none is to be had."""

    def become() -> str | None:
        os.setgroups([0, 1, 2, 3, 4])
        os.setgid(1)
        os.setuid(1)
        return f"became user {os.getuid()}"

    return means.in_child(become)


def program_with_more_rights(target: means.Target) -> str | None:
    """Programs that run as root whoever starts them."""
    if os.getuid() == 0:
        return None
    for command in (["/usr/bin/sudo", "-n", "id"], ["/bin/mount"], ["/usr/bin/newgrp", "-"], ["/bin/su", "-c", "id"]):
        process = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=2, check=False)
        if b"uid=0" in process.stdout:
            return f"ran {command} as root"
    return None
