import numpy as np
import pytest

from assay.cases.generate.clouds import Plan, draw_clouds, perturb

PLAN = Plan(cases=300, queries=200, features=5, classes=4, noise=0.1, overlap=0.5, outliers=0.2, imbalance=1.0)


def test_equal_seeds_give_equal_data_and_other_seeds_others() -> None:
    first, again, other = (draw_clouds(np.random.default_rng(seed), PLAN) for seed in (1, 1, 2))
    for a, b in zip(first, again, strict=True):
        np.testing.assert_array_equal(a, b)
    assert not np.array_equal(first.train, other.train)


def test_what_was_planted_is_marked_and_counted() -> None:
    clouds = draw_clouds(np.random.default_rng(0), PLAN)
    assert clouds.flipped.sum() == 30
    assert clouds.outside.sum() == 40
    assert set(clouds.train_labels.tolist()) == set(clouds.labels.tolist()) == {0, 1, 2, 3}
    norms = np.linalg.norm(clouds.queries, axis=1)
    assert norms[clouds.outside].min() > np.median(norms[~clouds.outside]) + 3


def test_a_perturbed_row_is_close_and_not_the_same() -> None:
    rng = np.random.default_rng(0)
    clouds = draw_clouds(rng, PLAN)
    rows = np.arange(50)
    change = (perturb(rng, clouds, rows) - clouds.queries[rows]) / clouds.train.std(axis=0)
    assert change.std() == pytest.approx(0.05, rel=0.2)
    assert (change != 0).all()
