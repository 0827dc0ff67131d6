from __future__ import annotations

from collections.abc import Mapping

import pytest

from assay.core import Aggregate, InvalidInput, Metric, MetricFamily, Record, as_metrics, get_track


def brevity(evidence: str) -> float:
    """One over the length.

    More of it."""
    return 1 / len(evidence)


def none(records: object) -> Mapping[str, float]:
    return {}


def test_a_name_and_a_function_make_a_metric_whose_definition_is_the_function() -> None:
    metric = Metric("brevity", brevity)
    assert metric.definition is brevity
    assert (metric.summary, metric.goal, metric.floor, metric.version) == ("One over the length.", "max", 0.0, 1)


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"name": " brevity"}, " ' brevity': the name must be a printable text without blanks"),
        ({"name": ""}, " '': the name"),
        ({"name": "two\nlines"}, "the name must be a printable text"),
        ({"function": 3}, "the function must be callable, got 3"),
        ({"goal": "maximize"}, "the goal must be 'max' or 'min', got 'maximize'"),
        ({"version": 0}, "the version must be a whole number from 1, got 0"),
        ({"version": True}, "the version must be a whole number from 1, got True"),
    ],
)
@pytest.mark.parametrize("kind", [Metric, Aggregate])
def test_wrong_facts_are_refused_when_a_metric_is_made(kind: type, facts: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        kind(**{"name": "brevity", "function": brevity, **facts})


@pytest.mark.parametrize("limits", [(1.0, 0.0), (0.5, 0.5), (0.0, float("nan"))])
def test_limits_are_in_order(limits: tuple[float, float]) -> None:
    with pytest.raises(InvalidInput, match=r"metric 'brevity': the limits must be in order, got \("):
        Metric("brevity", brevity, limits=limits)


def test_the_ends_are_the_limits_and_without_them_floor_and_oracle() -> None:
    assert Metric("a", brevity, floor=lambda problem: 0.5).ends == (None, None)
    assert Metric("a", brevity, floor=-1.0, oracle=1.0).ends == (-1.0, 1.0)
    assert Metric("a", brevity, floor=lambda problem: 0.5, oracle=0.9, limits=(0, 1)).ends == (0, 1)
    assert Metric("a", brevity, goal="min", floor=1.0, limits=(0, 1)).ends == (1, 0)
    assert Metric("a", brevity, limits=(float("-inf"), 1)).ends == (None, 1)


def test_functions_metrics_and_aggregates_are_taken_alone_or_in_a_list() -> None:
    aggregate, metric = Aggregate("none", none), Metric("length", len)
    assert as_metrics(aggregate, what="mine") == (aggregate,)
    assert [entry.name for entry in as_metrics([brevity, (metric, aggregate)], what="mine")] == [
        "brevity",
        "length",
        "none",
    ]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (lambda evidence: 1.0, r"mine: this function has no name. Give it one: Metric\('name', function\)"),
        (3, "mine: neither a Metric, an Aggregate nor a function of evidence, but int"),
        (Record, "mine: neither a Metric, an Aggregate nor a function of evidence, but type"),
        ("brevity", "but str"),
    ],
)
def test_what_is_no_metric_is_refused_with_the_way_out(value: object, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        as_metrics(value, what="mine")


def share(level: float) -> Metric[str]:
    return Metric(f"share@{level:.15g}", lambda evidence: level)


SHARE = MetricFamily(name="share", parameter="level", make=share, example=0.95, whole=False, least=0, most=1)


@pytest.mark.parametrize("text", ["share@0", "share@1.5", "share@nan", "share@", "share@much"])
def test_a_number_outside_the_family_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InvalidInput, match=f"metric '{text}': level must be above 0, at most 1, as in 'share@0.95'"):
        SHARE.of(text)


def test_one_number_has_one_name() -> None:
    member = SHARE.of("share@0.95")
    assert member is not None
    assert member.name == "share@0.95"
    with pytest.raises(InvalidInput, match="metric 'share@0.950': write it as 'share@0.95'"):
        SHARE.of("share@0.950")


@pytest.mark.parametrize("track", ["cases", "conformal", "drift", "formula"])
def test_every_family_gives_metrics_of_the_names_that_it_is_asked_for(track: str) -> None:
    known = get_track(track)
    assert known.families
    for family in known.families:
        name = family.shown(family.example)
        assert known.metric(name).name == name
        assert known.metric(name).summary
        assert family.label in known.metric_names()


def test_the_registered_members_of_a_family_are_those_that_it_makes() -> None:
    drift = get_track("drift")
    for name in ("recall@1", "recall@2", "recall@5", "success@1", "success@2", "success@5"):
        (member,) = [result for family in drift.families if (result := family.of(name)) is not None]
        registered = drift.metric(name)
        for field in ("name", "definition", "goal", "floor", "oracle", "version"):
            assert getattr(member, field) == getattr(registered, field)
