from __future__ import annotations

from dataclasses import replace

import pytest

from assay.core import Aggregate, Budget, InvalidInput, Metric, UnknownName, get_track
from assay.core.track import AnyTrack


def test_settings_are_checked_against_the_tracks_own(parity: AnyTrack) -> None:
    track = replace(parity, settings={"depth": 3, "ratio": 0.5, "preset": "spec"})
    assert track.configure({"ratio": 1}) == {"depth": 3, "ratio": 1.0, "preset": "spec"}
    with pytest.raises(UnknownName, match="No setting of track 'parity' named 'dept'. Did you mean 'depth'"):
        track.configure({"dept": 1})
    with pytest.raises(InvalidInput, match="setting 'depth' of track 'parity' must be a int, got 'deep'"):
        track.configure({"depth": "deep"})


def test_a_headline_must_be_a_metric(parity: AnyTrack) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'accuracy'"):
        replace(parity, headline="acuracy")


def test_metric_names_are_unique(parity: AnyTrack) -> None:
    with pytest.raises(InvalidInput, match="two metrics share a name"):
        replace(parity, metrics=parity.metrics * 2)


def test_an_unknown_metric_gets_a_suggestion(parity: AnyTrack) -> None:
    with pytest.raises(UnknownName, match="No metric named 'acc'"):
        parity.metric("acc")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": -1}, "seed must be a whole number of at least 0, got -1"),
        ({"seed": True}, "seed must be a whole number"),
        ({"seconds": 0}, "seconds must be a positive number, got 0"),
        ({"seconds": float("inf")}, "seconds must be a positive number"),
        ({"seconds": float("nan")}, "seconds must be a positive number"),
        ({"memory_mb": 1.5}, "memory_mb must be a whole number of at least 1, got 1.5"),
    ],
)
def test_a_senseless_budget_is_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Budget(**options)  # type: ignore[arg-type]


def test_an_unknown_metric_is_told_of_the_families() -> None:
    with pytest.raises(UnknownName, match=r"Known: .*recall@5, recall@k, success@1"):
        get_track("drift").metric("precision@3")


def test_further_metrics_come_behind_the_tracks_own_and_may_not_take_a_name(parity: AnyTrack) -> None:
    first, across = Metric("first", len), Aggregate("across", dict, goal="min")  # type: ignore[arg-type]
    track = parity.with_metrics([first, across])
    assert [metric.name for metric in track.metrics] == ["accuracy", "first"]
    assert track.aggregates[-1] is across
    assert track.versions() == {**parity.versions(), "first": 1}
    assert parity.with_metrics([Metric("first", len, source="abc")]).sources() == {"first": "abc"}
    for name in ("accuracy", "first", "across"):
        with pytest.raises(InvalidInput, match=f"track 'parity' has a metric '{name}' already. Give yours another"):
            track.with_metrics([Metric(name, len)])
