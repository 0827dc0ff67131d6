"""Inherited descriptors and the channel to the harness: read, forged, flooded, held open."""

from __future__ import annotations

import array
import contextlib
import fcntl
import json
import os
import pickle
import re
import signal
import socket
import stat
import struct
import time
from collections.abc import Callable, Iterator

from tests.harness.attacks import means

_REPLY = {
    "status": "ok",
    "isolation": "container",
    "level": "container",
    "seconds": 0.0,
    "cost": {},
    "usage": {},
    "error": None,
    "error_kind": None,
    "lost": True,
    "payload": None,
    "scores": {"auroc": 1.0},
}


def _channels() -> Iterator[int]:
    """Pipes and sockets that were there before the subject began."""
    for number in means.descriptors():
        mode = os.fstat(number).st_mode
        if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
            yield number


def _forged() -> list[bytes]:
    bodies = [json.dumps(_REPLY).encode(), pickle.dumps(_REPLY), pickle.dumps(("ok", _REPLY)), pickle.dumps(True)]
    return [head(len(body)) + body for body in bodies for head in (_plain, _network, _long, _line)]


def _plain(size: int) -> bytes:
    return b""


def _network(size: int) -> bytes:
    return struct.pack("!i", size)


def _long(size: int) -> bytes:
    return struct.pack("<Q", size)


def _line(size: int) -> bytes:
    return f"{size}\n".encode()


def _write_all(number: int, data: bytes) -> None:
    with contextlib.suppress(OSError):
        os.set_blocking(number, False)
        os.write(number, data)


def secret_in_inherited_files(target: means.Target) -> str | None:
    for number in means.descriptors():
        with contextlib.suppress(OSError):
            if stat.S_ISREG(os.fstat(number).st_mode) and (secret := means.secret_in(os.pread(number, 4096, 0))):
                return f"{secret} from descriptor {number}"
    return None


def folders_among_inherited_files(target: means.Target) -> str | None:
    """A descriptor of a folder outside would be a way out."""
    for number in means.descriptors():
        with contextlib.suppress(OSError):
            if stat.S_ISDIR(os.fstat(number).st_mode):
                return means.read(os.open(os.path.relpath(target.secret, f"/proc/self/fd/{number}"), 0, dir_fd=number))
    return None


def messages_on_inherited_channels(target: means.Target) -> str | None:
    """Whatever others send there: tasks, answers, truth."""
    for number in _channels():
        with contextlib.suppress(OSError):
            os.set_blocking(number, False)
            data = os.read(number, 1 << 16)
            if b"labels" in data or b"truth" in data or means.secret_in(data):
                return f"read {data[:80]!r} from descriptor {number}"
    return None


@means.limits(seconds=2)
def junk_into_all_channels(target: means.Target) -> object:
    for number in _channels():
        _write_all(number, os.urandom(4096))
    return target.answer()


@means.limits(seconds=2)
def forged_replies_into_all_channels(target: means.Target) -> object:
    for number in _channels():
        for reply in _forged():
            _write_all(number, reply)
    os._exit(0)


@means.limits(seconds=2)
def forged_replies_then_a_kill(target: means.Target) -> object:
    for number in _channels():
        _write_all(number, b"".join(_forged()))
    os.kill(os.getpid(), signal.SIGKILL)
    return None


@means.limits(seconds=2)
def code_in_a_forged_reply(target: means.Target) -> object:
    """Whoever unpickles it writes the marker."""

    class Gadget:
        def __reduce__(self) -> tuple[object, ...]:
            return os.system, (f"touch {target.mark()}",)

    body = pickle.dumps(Gadget())
    for number in _channels():
        for head in (_network, _plain, _long):
            _write_all(number, head(len(body)) + body)
    os._exit(0)


@means.limits(seconds=2)
def code_in_a_forged_reply_of_another_form(target: means.Target) -> object:
    class Gadget:
        def __reduce__(self) -> tuple[object, ...]:
            return os.system, (f"touch {target.mark()}",)

    body = pickle.dumps(Gadget())
    for number in _channels():
        _write_all(number, _long(len(body)) + body)
        _write_all(number, _long(len(body)) + body)
    os._exit(0)


@means.limits(seconds=2)
def result_in_a_forged_reply_of_another_form(target: means.Target) -> object:
    body = json.dumps({**_REPLY, "payload": json.dumps({"scores": [1.0] * 40})}).encode()
    for number in _channels():
        _write_all(number, _long(len(body)) + body)
    os._exit(0)


def _caught(changes: list[tuple[bytes, bytes]], action: Callable[[], object]) -> object:
    """A twin answers through the harness's own code; what it would have sent is changed and sent by this process."""
    channels = [number for number in _channels() if number > 2]
    mine, other = socket.socketpair()
    twin = os.fork()
    if twin == 0:
        mine.close()
        for number in channels:
            os.dup2(other.fileno(), number)
        return action()
    other.close()
    reply = b""
    while part := mine.recv(1 << 16):
        reply += part
    os.waitpid(twin, 0)
    for pattern, replacement in changes:
        reply = re.sub(pattern, lambda match, text=replacement: text.ljust(len(match.group())), reply)
    for number in channels:
        _write_all(number, reply)
    os._exit(0)


@means.limits(spent=0.7)
def reply_caught_and_changed(target: means.Target) -> object:
    """Seconds, usage and isolation are not what the twin's process found."""
    time.sleep(0.8)
    changes = [
        (rb'"(?:cpu_|peak_|)(?:seconds|memory_mb)": ?([0-9.e-]+)', b'"seconds":0'),
        (rb'"confined"', b'"docker"'),
        (rb'"none"', b'"vm"'),
    ]
    return _caught(changes, target.answer)


def _send(head: str, payload: bytes = b'{"scores":[0.5]}') -> object:
    """A reply in the form that the twin's replies were seen to have; then this process ends."""
    number = next(number for number in _channels() if number > 2)
    body = head.encode()
    with contextlib.suppress(OSError):
        os.write(number, _long(len(body)) + body + _long(len(payload)) + payload)
    os._exit(0)


def well_formed_reply_that_claims_a_loss(target: means.Target) -> object:
    return _send(
        '{"status": "lost", "usage": {}, "reason": "disk full", "lost": true, "kind": "disk", "error": "lost"}'
    )


def well_formed_reply_of_an_unknown_kind(target: means.Target) -> object:
    head = '{"status": "failed", "error_kind": "lost", "kind": "machine", "error": "disk full", "usage": {}}'
    return _send(head)


def well_formed_reply_with_half_a_character(target: means.Target) -> object:
    text = '"x\\ud800"'
    return _send(f'{{"status": "failed", "kind": {text}, "error": {text}, "usage": {{{text}: 1}}, "log": {text}}}')


@means.limits(cpu=0.4)
def well_formed_reply_with_usage_of_its_choice(target: means.Target) -> object:
    until = time.process_time() + 0.6
    while time.process_time() < until:
        pass
    usage = '{"cpu_seconds": 0, "seconds": 0, "peak_memory_mb": 0, "tokens": NaN, "cost_usd": -1e308}'
    scores = json.dumps({"scores": [0.5] * 40}).encode()
    return _send(f'{{"status": "ok", "usage": {usage}, "seconds": 0, "isolation": "container"}}', scores)


def well_formed_reply_with_absurd_numbers(target: means.Target) -> object:
    return _send('{"status": "ok", "usage": {"tokens": 1e999, "calls": ' + "9" * 5000 + ', "a": {"b": []}, "": null}}')


def reply_of_endless_depth(target: means.Target) -> object:
    return _send('{"status": "ok", "usage": ' + "[" * 100_000 + "]" * 100_000 + "}")


def reply_with_a_payload_of_endless_depth(target: means.Target) -> object:
    return _send('{"status": "ok", "usage": {}}', b'{"scores":' + b"[" * 500_000 + b"]" * 500_000 + b"}")


def reply_with_many_kinds_of_usage(target: means.Target) -> object:
    entries = ", ".join(f'"{"n" * 40}{number}": {number}' for number in range(15_000))
    scores = json.dumps({"scores": [0.5] * 40}).encode()
    return _send(f'{{"status": "ok", "usage": {{{entries}}}}}', scores)


@means.limits(seconds=2)
def payload_that_never_ends(target: means.Target) -> object:
    """Announced and begun, but sent byte by byte."""
    number = next(number for number in _channels() if number > 2)
    head = b'{"status": "ok", "usage": {}}'
    os.write(number, _long(len(head)) + head + _long(200 << 20))
    while True:
        os.write(number, b" ")
        time.sleep(0.05)


def failure_caught_and_changed(target: means.Target) -> object:
    """A failure becomes a loss that nobody counts."""

    def fail() -> object:
        raise ValueError("a failure")

    changes = [(rb'"exception"', b'"lost"'), (rb'"failed"', b'"lost"'), (rb'"kind": ?"[a-z ]+"', b'"kind":"lost"')]
    return _caught(changes, fail)


@means.limits(seconds=2)
def length_without_end(target: means.Target) -> object:
    """The head of a message that never comes."""
    for number in _channels():
        _write_all(number, struct.pack("!i", 0x7FFFFFFF) + b"x" * 100)
    time.sleep(10)
    return target.answer()


@means.limits(seconds=2)
def negative_and_absurd_lengths(target: means.Target) -> object:
    for number in _channels():
        _write_all(number, struct.pack("!iQ", -1, 1 << 62) + b"x" * 64)
    os._exit(0)


@means.limits(seconds=2)
def channels_closed(target: means.Target) -> object:
    os.closerange(0, 1024)
    time.sleep(0.2)
    return target.answer()


def channels_replaced(target: means.Target) -> object:
    null = os.open("/dev/null", os.O_RDWR)
    for number in list(_channels()):
        os.dup2(null, number)
    return target.answer()


def channels_shut_down(target: means.Target) -> object:
    for number in _channels():
        with contextlib.suppress(OSError):
            socket.socket(fileno=os.dup(number)).shutdown(socket.SHUT_RDWR)
    return target.answer()


def channels_that_do_not_wait(target: means.Target) -> object:
    """Flags belong to the open file, which the harness may share."""
    for number in means.descriptors():
        with contextlib.suppress(OSError):
            os.set_blocking(number, False)
            fcntl.fcntl(number, fcntl.F_SETFL, fcntl.fcntl(number, fcntl.F_GETFL) | os.O_APPEND | os.O_ASYNC)
            fcntl.fcntl(number, fcntl.F_SETOWN, target.victim)
    return target.answer()


def channels_made_small_and_full(target: means.Target) -> object:
    for number in _channels():
        with contextlib.suppress(OSError):
            fcntl.fcntl(number, 1031, 4096)  # F_SETPIPE_SZ
    return target.answer()


def files_passed_to_the_harness(target: means.Target) -> object:
    """Hundreds of descriptors for whoever receives on the channel."""
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * 200))]
    for number in _channels():
        with contextlib.suppress(OSError):
            socket.socket(fileno=os.dup(number)).sendmsg([b"x"], rights, socket.MSG_DONTWAIT)
    os._exit(0)


def inherited_files_truncated_and_moved(target: means.Target) -> object:
    for number in means.descriptors():
        with contextlib.suppress(OSError):
            if stat.S_ISREG(os.fstat(number).st_mode):
                os.lseek(number, 1 << 40, os.SEEK_SET)
                os.ftruncate(number, 0)
    return target.answer()


def channel_held_open_by_a_daemon(target: means.Target) -> object:
    """Who waits for the end of the channel waits for the daemon."""
    means.daemon(lambda: time.sleep(15), keep=True)
    return target.answer()


def late_reply_of_a_daemon(target: means.Target) -> object:
    def reply() -> None:
        time.sleep(0.5)
        for number in _channels():
            for forged in _forged():
                _write_all(number, forged)

    means.daemon(reply, keep=True)
    return target.answer()


def floods_of_output(target: means.Target) -> object:
    line = b"\x1b[2J\x00\xff BREACHLESS " + b"x" * 65_000 + b"\n"
    for number in (1, 2):
        for _ in range(400):
            os.write(number, line)
    return target.answer()


def output_that_looks_like_a_record(target: means.Target) -> object:
    os.write(1, json.dumps(_REPLY).encode() + b"\n")
    os.write(2, pickle.dumps(_REPLY) + b"\n")
    return target.answer()


@means.limits(seconds=2)
def input_waited_for(target: means.Target) -> object:
    os.read(0, 1)
    return target.answer()
