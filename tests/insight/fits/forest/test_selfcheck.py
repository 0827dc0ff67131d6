from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from assay.insight.fits.forest import selfcheck, versions
from assay.insight.fits.forest.engine import choose_engine
from assay.insight.fits.forest.selfcheck import Finding, check_engines, trials
from assay.insight.fits.forest.settings import ForestSettings
from assay.insight.fits.forest.sklearn_engine import predict_with_sklearn
from assay.insight.fits.forest.versions import merges_close_values, version_doubt

ROWS = np.arange(9.0).reshape(-1, 1)


@pytest.fixture(autouse=True)
def _no_checks_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "_checked", {})


def engine_now() -> str:
    return choose_engine(ROWS, ROWS[:, 0], ROWS, task="regression", classes=0, settings=ForestSettings()).engine


def test_every_engine_agrees_here() -> None:
    assert check_engines() == []
    assert {trial.engine for trial in trials()} == {"closed-form", "one-column", "many-columns"}


def test_the_trials_lie_on_both_sides_of_the_guard() -> None:
    routed = {
        trial.name: choose_engine(
            trial.train,
            trial.target,
            trial.test,
            task="classification" if trial.classes else "regression",
            classes=trial.classes,
            settings=ForestSettings(max_depth=trial.max_depth),
        ).engine
        for trial in trials()
    }
    assert routed == {trial.name: trial.engine for trial in trials()}


def test_an_unverified_version_is_trusted_only_after_a_clean_check(monkeypatch: pytest.MonkeyPatch) -> None:
    merges = merges_close_values()
    monkeypatch.setattr(versions, "VERIFIED", ((0, 1, 0), (0, 2, 0)))
    assert engine_now() == "scikit-learn"
    assert merges_close_values() == merges
    assert check_engines() == []
    assert engine_now() == "closed-form"


def test_a_disagreement_is_named_and_sends_everything_to_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:

    def other_bits(*arguments: Any, **options: Any) -> Any:
        values = predict_with_sklearn(*arguments, **options)
        return np.nextafter(values, np.inf) if options["task"] == "classification" else values

    monkeypatch.setattr(selfcheck, "predict_with_sklearn", other_bits)
    findings = check_engines()
    assert {finding.trial for finding in findings} == {trial.name for trial in trials() if trial.classes}
    assert "self-check" in version_doubt()
    assert engine_now() == "scikit-learn"


def test_a_finding_reads_as_a_sentence() -> None:
    sentence = str(Finding("two classes, tied values", "closed-form", 0.25))
    assert sentence == "closed-form differs from scikit-learn by 0.25 on two classes, tied values"


def test_without_a_compiler_there_is_nothing_to_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selfcheck, "numba_missing", lambda: "numba cannot be imported (gone)")
    monkeypatch.setattr(selfcheck, "predict_with_sklearn", None)
    assert check_engines() == []
