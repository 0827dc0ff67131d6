from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import pytest

from assay.core import InvalidInput, canonical_json, get_track
from assay.core.track import AnyTrack
from assay.harness.metric_facts import MetricFacts, facts_of, with_facts
from assay.harness.metric_loading import resolve_metrics
from assay.harness.rescoring import _metrics_by_track
from assay.harness.store.store import Run

MINE = """
import math
from assay.core import Aggregate, Metric

def half(evidence):
    "Half of it."
    return 0.5

METRICS = [
    Metric("half", half, goal="min", floor=2.5, version=3, flag="leak"),
    Metric("varies", half, floor=lambda problem: 1.0),
    Metric("undefined", half, floor=float("nan")),
    Aggregate("across", lambda records: {}, goal="min"),
]
"""


@pytest.fixture
def facts(tmp_path: Path, parity: AnyTrack) -> tuple[MetricFacts, ...]:
    (tmp_path / "mine.py").write_text(MINE)
    refs, track = resolve_metrics(["mine.py"], parity, folder=tmp_path)
    return facts_of(refs, track)


def test_facts_survive_storage_as_they_are(facts: tuple[MetricFacts, ...]) -> None:
    again = tuple(MetricFacts.from_json(json.loads(canonical_json(fact.to_json()))) for fact in facts)
    assert [fact.to_json() for fact in again] == [fact.to_json() for fact in facts]  # a floor may be no number
    assert [fact.floor for fact in facts][:2] == [2.5, None]
    assert math.isnan(facts[2].floor or 0)
    assert [fact.name for fact in facts if fact.aggregate] == ["across"]


def test_what_stands_for_a_metric_has_its_facts_and_cannot_score(
    facts: tuple[MetricFacts, ...], parity: AnyTrack
) -> None:
    half = with_facts(parity, facts).metric("half")
    assert (half.goal, half.floor, half.version, half.flag, half.summary) == ("min", 2.5, 3, "leak", "Half of it.")
    assert half.source == facts[0].source
    with pytest.raises(InvalidInput, match="metric 'half': its code is not here. Name it: mine.py"):
        half.function(())
    assert callable(with_facts(parity, facts).metric("varies").floor)


def test_a_member_of_a_family_keeps_its_definition_and_a_known_name_is_left_alone() -> None:
    drift = get_track("drift")
    member = MetricFacts(name="recall@10", text="recall@10", goal="max", version=1, summary="")
    registered = MetricFacts(name="mrr", text="mrr", goal="min", version=1, summary="")
    track = with_facts(drift, [member, registered])
    assert track.metrics[-1].definition is drift.metric("recall@2").definition
    assert track.metric("mrr").goal == "max"


def test_a_store_never_says_what_to_import_when_its_answers_are_scored_again() -> None:
    member = MetricFacts(name="recall@10", text="antigravity:fly", goal="max", version=1, summary="")
    invented = MetricFacts(name="fly", text="antigravity:fly", goal="max", version=1, summary="")
    latest = Run(id=1, track="drift", created="", settings={}, metrics=(member, invented))
    refs, _ = _metrics_by_track([latest], (), None)["drift"]
    assert [(ref.kind, ref.target) for ref in refs] == [("family", "recall@10")]
    assert "antigravity" not in sys.modules
