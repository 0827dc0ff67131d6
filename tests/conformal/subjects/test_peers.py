"""Other libraries on single tasks: the sets and metrics that MAPIE 1.6.0 and crepes 0.9.1 give, stored and live."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.conformal import PredictionSets, calibrate, coverage, efficiency, informativeness, size_stratified_coverage
from assay.conformal.metrics import empty_rate
from assay.conformal.sets.checks import as_alpha
from assay.conformal.subjects.builtin import SUBJECTS
from assay.conformal.subjects.peers import SCORES_OF, predict
from assay.core import MissingExtra, UnknownName

# made by running them on whole numbers over a power of two, so that ties are exact
ROWS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "fixtures" / "peer_sets.json").read_text())["rows"]
OURS = {"lac": "hinge", "hinge": "hinge", "margin": "margin", "top_k": "top_k"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['library']}-{row['score']}-{row['alpha']}")
def test_our_sets_are_those_of_the_other_library(row: dict[str, Any]) -> None:
    old, new = np.array(row["calibration"]) / row["grid"], np.array(row["test"]) / row["grid"]
    assert row["grid"] > 1000 or len(np.unique(old)) < old.size / 2  # there are ties to get wrong
    sets = calibrate([old], [row["labels"]], alpha=level(row), score=OURS[row["score"]]).predict_sets([new])
    assert sets.labels(0) == row["sets"]


def level(row: dict[str, Any]) -> Fraction:
    """Theirs. crepes keeps a class whose p-value equals α, which costs it one rank where (n + 1)α is whole."""
    alpha = as_alpha(row["alpha"])
    whole = ((len(row["labels"]) + 1) * alpha).denominator == 1
    return alpha - Fraction(1, 10**6) if row["library"] == "crepes" and whole else alpha


def test_both_cases_of_equal_p_values_are_among_the_rows() -> None:
    assert {level(row) == as_alpha(row["alpha"]) for row in ROWS if row["library"] == "crepes"} == {True, False}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['library']}-{row['score']}-{row['alpha']}")
def test_our_metrics_are_those_of_mapie(row: dict[str, Any]) -> None:
    sets = PredictionSets.from_labels([row["sets"]], classes=[len(row["test"][0])])
    labels = [row["test_labels"]]
    assert coverage(sets, labels) == pytest.approx(row["coverage"], abs=1e-12)
    assert efficiency(sets) == pytest.approx(row["width"], abs=1e-12)
    assert size_stratified_coverage(sets, labels) == pytest.approx(row["ssc"], abs=1e-12)


@pytest.mark.parametrize(
    "row", [row for row in ROWS if "avg_c" in row], ids=lambda row: f"{row['score']}-{row['alpha']}"
)
def test_our_metrics_are_those_of_crepes(row: dict[str, Any]) -> None:
    sets = PredictionSets.from_labels([row["sets"]], classes=[len(row["test"][0])])
    assert 1 - coverage(sets, [row["test_labels"]]) == pytest.approx(row["error"], abs=1e-12)
    assert efficiency(sets) == pytest.approx(row["avg_c"], abs=1e-12)
    assert informativeness(sets) == pytest.approx(row["one_c"], abs=1e-12)
    assert empty_rate(sets) == pytest.approx(row["empty"], abs=1e-12)


def test_the_stored_rows_cover_both_libraries_and_all_scores_that_are_comparable() -> None:
    assert {(row["library"], row["score"]) for row in ROWS} == {
        ("mapie", "lac"),
        ("mapie", "top_k"),
        ("crepes", "hinge"),
        ("crepes", "margin"),
    }
    assert len(ROWS) >= 30
    assert sum("avg_c" in row for row in ROWS) >= 20


@pytest.mark.parametrize(("library", "score"), [("mapie", "lac"), ("crepes", "hinge"), ("crepes", "margin")])
def test_the_libraries_themselves_still_agree_where_they_are_installed(sample: Any, library: str, score: str) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed; the stored rows stand in for it")
    (p,), (y,) = sample(120, (5,), seed=3, grid=32)  # 81 α is not whole, so crepes' rank is ours
    theirs = predict(library, score, p[:80], y[:80], p[80:], alpha=0.1)
    ours = calibrate([p[:80]], [y[:80]], alpha=0.1, score=OURS[score]).predict_sets([p[80:]])
    assert isinstance(ours, PredictionSets)
    np.testing.assert_array_equal(ours.matrix(0), theirs)


@pytest.mark.parametrize("library", ["mapie", "crepes"])
def test_a_library_that_is_absent_is_named_with_the_way_to_get_it(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.conformal.subjects.peers.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=rf"{library}, which is not installed: pip install '{library}>="):
        SUBJECTS[library]()


def test_a_score_that_the_library_does_not_have_is_refused() -> None:
    with pytest.raises(UnknownName, match="hinge"):
        SUBJECTS["crepes"](score="hinges")
    assert "lac" in SCORES_OF["mapie"]
