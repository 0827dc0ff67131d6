from __future__ import annotations

from assay.drift.detection.profile import ChangeProfile, ChangeRow
from assay.drift.explanation.rendering.flow import flow_change


def row(kind: str, name: str, before: float, after: float, *, p: float = 1.0) -> ChangeRow:
    activities = tuple(name.split(" → ")) if kind == "relation" else (name.removesuffix(", repeated"),)
    return ChangeRow(kind, name, before, after, after - before, 1.0, p, activities)  # type: ignore[arg-type]


def profile(*rows: ChangeRow) -> ChangeProfile:
    return ChangeProfile(rows=rows, cases_before=100, cases_after=100)


def test_steps_and_flows_say_whether_they_changed_for_sure() -> None:
    change = flow_change(
        profile(
            row("activity", "a", 1.0, 1.0),
            row("activity", "b", 0.9, 0.2, p=1e-9),
            row("activity", "b, repeated", 0.5, 0.1, p=1e-9),
            row("relation", "a → b", 0.9, 0.2, p=1e-9),
            row("relation", "b → a", 0.3, 0.4, p=0.5),
        )
    )
    assert {step.name: step.change for step in change.steps} == {"a": "same", "b": "less"}
    assert {(flow.source, flow.target): flow.change for flow in change.flows} == {
        ("a", "b"): "less",
        ("b", "a"): "same",
    }


def test_rare_flows_are_left_out_and_counted_unless_they_changed_or_a_step_would_hang_in_the_air() -> None:
    change = flow_change(
        profile(
            *(row("activity", name, 1.0, 1.0) for name in "abc"),
            row("activity", "d", 0.01, 0.04, p=0.001),
            row("relation", "a → b", 1.0, 1.0),
            row("relation", "b → c", 0.9, 0.9),
            row("relation", "a → c", 0.02, 0.03),
            row("relation", "c → d", 0.01, 0.04),
            row("relation", "c → a", 0.0, 0.03, p=0.002),
        )
    )
    assert {(flow.source, flow.target) for flow in change.flows} == {("a", "b"), ("b", "c"), ("c", "d"), ("c", "a")}
    assert change.left_out == 1


def test_a_relation_at_a_distance_is_no_flow() -> None:
    change = flow_change(
        profile(
            row("activity", "a", 1.0, 1.0),
            row("activity", "b", 1.0, 1.0),
            row("relation", "a → b", 0.5, 0.5),
            ChangeRow("relation", "b → … → a", 0.1, 0.9, 0.8, 50.0, 1e-9, ("b", "a")),
        )
    )
    assert [flow[:2] for flow in change.flows] == [("a", "b")]
