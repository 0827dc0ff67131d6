"""Explainers scored on the organisations of outside authors."""

from __future__ import annotations

import pytest
from benchmarks.drift_outside import OUTSIDE, clustered, judged, read_organisations, summary
from benchmarks.drift_weights import choices_of, fit

from assay.drift.subjects import SUBJECTS


def test_an_organisation_is_read_and_our_explainer_is_ahead_of_words_alone() -> None:
    organisations = read_organisations(OUTSIDE / "author-b" / "org-1")
    (organisation,) = organisations
    assert (organisation.language, len(organisation.grades)) == ("en", 5)
    ours, words = (
        summary(judged(organisations, lambda _: SUBJECTS["explainer"]())),
        summary(judged(organisations, lambda _: SUBJECTS["bm25"]())),
    )
    assert ours["ranking"]["all"]["mrr"]["value"] > words["ranking"]["all"]["mrr"]["value"]
    assert ours["abstention"]["causeless"] == 1
    assert sum(row["drifts"] for row in ours["reliability"]) == 5


def test_intervals_resample_organisations() -> None:
    found = clustered([1.0, 1.0, 0.0, 0.0], ["a", "a", "b", "b"])
    assert (found["value"], found["low"], found["high"]) == (0.5, 0.0, 1.0)


def test_a_fit_puts_weight_on_what_tells_the_golden_documents() -> None:
    problems = read_organisations(OUTSIDE / "author-b" / "org-1")[0].problems
    weights = fit(list(choices_of(problems[:1])))
    assert weights.factors["day"] + weights.factors["direction"] + weights.factors["sense"] > 0.5
    assert weights.factors["late"] <= 0.0
    assert weights.factors["process"] == pytest.approx(0.8, abs=1.0)
