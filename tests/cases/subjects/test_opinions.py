"""Opinions on training cases come from models that did not see them, in small tables and in large ones."""

import numpy as np
import pytest

from assay.cases.subjects import opinions as module
from assay.cases.subjects.opinions import fit_opinions, opinions_left_out

RNG = np.random.default_rng(3)
NOISE, LABELS = RNG.normal(size=(300, 3)), RNG.integers(0, 2, 300)  # nothing to learn: only memory would be right


@pytest.mark.parametrize("most", [100_000, 200])
def test_what_is_said_of_left_out_cases_is_not_from_memory(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_CROSS_FITTED", most)
    judged = np.arange(0, 300, 2)
    fitted = fit_opinions(NOISE, LABELS, judged=judged, seed=0)
    honest = opinions_left_out(fitted, NOISE, LABELS, judged=judged, seed=0).argmax(axis=1)
    hits = (honest == LABELS[judged, None]).mean(axis=0)
    assert (hits < 0.65).all(), hits
    if most == 200:  # too many to fit three times: what is judged is left out of the one fit
        assert (fitted.log_shares(NOISE[judged]).argmax(axis=1)[:, 1] == LABELS[judged]).mean() < 0.65
    else:
        assert (fitted.log_shares(NOISE[judged]).argmax(axis=1)[:, 0] == LABELS[judged]).mean() > 0.95


def test_a_column_of_few_values_has_a_weight_for_each() -> None:
    colour = RNG.integers(0, 3, 300).astype(float)
    labels = (colour == 1).astype(np.int64)  # neither rising nor falling with the number
    fitted = fit_opinions(colour[:, None], labels, judged=np.arange(300), seed=0)
    linear = fitted.log_shares(np.array([[0.0], [1.0], [2.0]])).argmax(axis=1)[:, 2]
    assert linear.tolist() == [0, 1, 0]


def test_models_of_a_large_table_see_a_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {"MOST_PER_TREE": 50, "MOST_CROSS_FITTED": 200, "MOST_BOOSTED": 150, "MOST_LINEAR": 100}
    for name, size in sizes.items():
        monkeypatch.setattr(module, name, size)
    assert len(module._fitted_rows(300, np.arange(0, 300, 3))) == 150
    fitted = fit_opinions(NOISE, LABELS, judged=np.arange(0, 300, 3), seed=0)
    assert {len(sample) for sample in fitted.forest.estimators_samples_} == {50}
    assert len(fitted.linear.values[0]) == 100
