from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assay.report.failure_groups import group_failures
from assay.report.failures import Failure


def failure(subject: str, reason: str, problem: str = "p0", **other: Any) -> Failure:
    given = {"status": "failed", "track": "toy", "seed": 0, "kind": "exception", **other}
    return Failure(subject=subject, problem=problem, reason=reason, **given)


@pytest.mark.parametrize(
    ("one", "other", "are_alike"),
    [
        ("needed 12 MB (a.py, line 3, in solve)", "needed 1_7.5e-3 MB (a.py, line 3, in solve)", False),
        ("2 scores were given for 285 queries.", "-2.5 scores were given for 1,024 queries.", True),
        ("<object at 0x7f12ab…>", "<object at 0x55ffaa…>", True),
        ("cannot read /tmp/x1/a b", "cannot read /home/me/data.csv c", False),
        ("cannot read /tmp/x1/a", "cannot read ~/data.csv", True),
        ("KeyError: 'a' (a.py, line 3, in solve)", "KeyError: 'a' (a.py, line 4, in solve)", False),
        ("KeyError: 'a'", "KeyError: 'b'", False),
    ],
)
def test_reasons_that_differ_in_numbers_paths_and_addresses_are_one(one: str, other: str, are_alike: bool) -> None:
    groups = group_failures([failure("mine", one), failure("mine", other, "p1")], {("toy", "mine"): 2})
    assert len(groups) == (1 if are_alike else 2)


def test_groups_say_who_what_how_many_and_where_first_the_worst_subject_first() -> None:
    failures = [
        failure("b", "no answer within 1 s", "p1", kind="timeout", seed=3),
        failure("a", "ValueError: two\nlines 1"),
        failure("b", "no answer within 1 s", "p2", kind="timeout"),
        failure("a", "ValueError: two\nlines 2", "p1"),
        failure("b", "KeyError: 'x'", "p4"),
        failure("c", "a worker died", "p0", status="lost", kind=""),
        failure("d", "it has seen the truth", status="withdrawn", kind="9 cells"),
    ]
    groups = group_failures(failures, Counter({("toy", "a"): 2, ("toy", "b"): 9, ("toy", "c"): 1}))
    assert [(group.headline, group.reason, group.place) for group in groups] == [
        ("b: 2 of 9 cells failed (timeout)", "no answer within 1 s", "p1, seed 3"),
        ("b: 1 of 9 cells failed (exception)", "KeyError: 'x'", "p4, seed 0"),
        ("a: all 2 cells failed (exception)", "ValueError: two lines 1", "p0, seed 0"),
        ("c: its only cell lost", "a worker died", "p0, seed 0"),
    ]
    assert groups[0].problems == 2
    assert groups[0].to_json()["cells"] == 2


def test_the_command_that_shows_the_first_one_is_quoted_for_a_shell() -> None:
    record: Any = object()
    first = failure("command(run='./a b.sh')", "x", "my problem", seed=2, record=record)
    (group,) = group_failures([first], {})
    command = """assay show 'my results' --subject "command(run='./a b.sh')" --problem 'my problem' --seed 2"""
    assert group.show_command(Path("my results")) == command
    (lost,) = group_failures([failure("a", "x", status="lost")], {})
    assert lost.show_command("r") == ""
