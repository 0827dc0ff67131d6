"""A reader that ends its process, or stands still where no alarm is heard, does not end the run."""

from __future__ import annotations

import os
import signal

import pytest
from fuzz.apart import attack_apart
from fuzz.targets import Target

from fuzz import apart


def test_a_process_that_dies_is_a_finding_and_the_next_inputs_follow() -> None:
    def read(data: bytes) -> object:
        if data == b"die":
            os.kill(os.getpid(), signal.SIGKILL)
        if data == b"odd":
            raise KeyError("odd")
        return None

    target = Target("deadly", (b"fine", b"die", b"odd"), read)
    result = list(attack_apart(target, 3, seed=0))
    assert [(finding.data, finding.kind) for finding in result] == [
        (b"die", "died (status -9)"),
        (b"odd", result[1].kind),
    ]
    assert result[1].kind.startswith("KeyError")


def test_a_process_that_stands_still_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "STILL", 0.3)

    def read(data: bytes) -> object:
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])  # as a loop in C is deaf to alarms
        while data == b"wait":
            signal.pause()
        return None

    result = list(attack_apart(Target("still", (b"wait", b"go"), read), 2, seed=0))
    assert [finding.data for finding in result] == [b"wait"]
    assert "stood still" in result[0].trouble


def test_what_an_attack_apart_finds_is_what_it_finds_here() -> None:
    from fuzz.engine import attack

    target = Target("ascii", (b"plain text", b"\xc3\xa9"), lambda data: data.decode("ascii"))
    here, there = list(attack(target, 60, seed=5)), list(attack_apart(target, 60, seed=5))
    assert here == there != []
