from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from assay.drift.generate.trees import Choice, Loop, Node, Optional, Parallel, Sequence, Step, change_step, play, steps

A, B, C, D = (Step(name) for name in "ABCD")


def played(tree: Node, times: int = 4000) -> Counter[str]:
    rng = np.random.default_rng(1)
    return Counter("".join(step.activity for step in play(tree, rng)) for _ in range(times))


def test_a_sequence_is_always_the_same() -> None:
    assert played(Sequence((A, B, C)), 20) == {"ABC": 20}


def test_a_choice_follows_its_weights() -> None:
    traces = played(Choice((A, B), (3.0, 1.0)))
    assert set(traces) == {"A", "B"}
    assert traces["A"] / 4000 == pytest.approx(0.75, abs=0.03)


def test_parallel_parts_interleave_in_all_orders_equally() -> None:
    traces = played(Parallel((Sequence((A, B)), Sequence((C, D)))))
    assert set(traces) == {"ABCD", "ACBD", "ACDB", "CABD", "CADB", "CDAB"}
    assert min(traces.values()) / 4000 == pytest.approx(1 / 6, abs=0.03)


def test_optional_and_repeated_steps_follow_their_probabilities() -> None:
    assert played(Optional(A, 0.3))["A"] / 4000 == pytest.approx(0.3, abs=0.03)
    traces = played(Loop(A, 0.4))
    assert set(traces) == {"A", "AA", "AAA", "AAAA", "AAAAA"}
    assert traces["A"] / 4000 == pytest.approx(0.6, abs=0.03)


def test_one_activity_is_changed_wherever_it_stands() -> None:
    tree = Sequence((A, Parallel((B, Optional(A, 0.5))), Loop(Choice((A, C), (1.0, 1.0)), 0.1)))
    changed = change_step(tree, "A", lambda step: replace(step, hours=99.0))
    assert [step.hours for step in steps(changed)] == [99.0, 8.0, 99.0, 99.0, 8.0]
    assert [step.activity for step in steps(changed)] == list("ABAAC")
