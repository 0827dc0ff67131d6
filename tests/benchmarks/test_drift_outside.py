"""Explainers scored on the organisations of outside authors."""

from __future__ import annotations

import pytest
from benchmarks.drift_mixed import organisation, questions
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
    told = ("day", "direction", "sense")
    assert sum(weights[reading].factors[name] for reading in ("free", "named") for name in told) > 0.5
    assert max(weights[reading].factors["late"] for reading in weights) <= 0.0
    assert weights["free"].factors["process"] == pytest.approx(0.8, abs=1.0)
    assert weights["free"].factors["unnamed"] == 0.0  # prose need not name its process


def test_an_organisation_with_several_processes_has_one_corpus_and_three_questions_to_every_drift() -> None:
    problems = organisation(3, "easy")
    assert len({problem.task.drifts[0].process for problem in problems}) == len(problems) == 4
    assert len({id(problem.task.corpus) for problem in problems}) == 1
    posed = list(questions(problems[0]))
    assert [one.way for one in posed] == ["with the log", "without", "another change"] * 2
    assert posed[2].profile is posed[3].profile
