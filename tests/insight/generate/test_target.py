from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score, roc_auc_score

from assay.insight.generate.target import expected_auc, make_target, standard


@given(st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]), min_size=2, max_size=12))
def test_the_expected_auc_is_the_mean_over_all_pairs(chances: list[float]) -> None:
    values = np.array(chances)
    wins = pairs = 0.0
    for i, p in enumerate(values):
        for j, q in enumerate(values):
            if i != j:
                pairs += p * (1 - q)
                wins += p * (1 - q) * (1.0 if p > q else 0.5 if p == q else 0.0)
    if pairs > 1e-9:
        assert expected_auc(values) == pytest.approx(wins / pairs)


@pytest.mark.parametrize("ceiling", [0.8, 0.9, 0.96])
def test_binary_and_multinomial_targets_reach_their_ceiling_and_no_more(ceiling: float) -> None:
    rng = np.random.default_rng(3)
    causes = rng.normal(size=(20_000, 3))
    target = make_target(rng, "binary", causes, ("a", "b", "c"), ceiling=ceiling)
    signs = [np.sign(np.corrcoef(cause, target.values)[0, 1]) for cause in causes.T]
    assert roc_auc_score(target.values, causes @ signs) == pytest.approx(ceiling, abs=0.01)
    assert 0.2 < target.values.mean() < 0.45
    assert (target.high == (target.values == 1)).all()
    several = make_target(rng, "multiclass", causes, ("a", "b", "c"), ceiling=ceiling)
    assert set(several.values) == {"a", "b", "c"}
    assert (several.high == (several.values == "c")).all()


@pytest.mark.parametrize("ceiling", [0.74, 0.9])
def test_a_linear_target_has_the_declared_share_of_signal(ceiling: float) -> None:
    rng = np.random.default_rng(4)
    causes = np.column_stack([standard(rng.gamma(1.0, size=20_000)) for _ in range(4)])
    target = make_target(rng, "regression", causes, (), ceiling=ceiling)
    fitted = LinearRegression().fit(causes, target.values).predict(causes)
    assert r2_score(target.values, fitted) == pytest.approx(ceiling, abs=0.01)


def test_standard_values_are_ranks_with_mean_0_and_deviation_1() -> None:
    values = standard(np.array([5.0, 1.0, 1.0, 100.0]))
    assert values.mean() == pytest.approx(0.0)
    assert values.std() == pytest.approx(1.0)
    assert values[1] == values[2] < values[0] < values[3]
    assert standard(np.array([2.0, 2.0])).tolist() == [0.0, 0.0]
