import pickle

import numpy as np

from assay.cases.neighbors.rotation import fit_directions, fit_mahalanobis, fit_spreads

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(40, 3))


def test_whitened_rows_have_the_identity_as_covariance() -> None:
    turned = fit_mahalanobis(ROWS)(ROWS, False)
    np.testing.assert_allclose(np.cov(turned, rowvar=False), np.eye(3), atol=1e-9)


def test_spread_rows_have_variance_one_and_constant_features_stay() -> None:
    rows = np.column_stack([ROWS, np.full(40, 2.0)])
    divided = fit_spreads(rows, None)(rows, True)
    np.testing.assert_allclose(divided.var(axis=0, ddof=1), [1, 1, 1, 0], atol=1e-12)
    assert divided[0, 3] == 2.0


def test_directions_have_length_one_also_where_there_is_none() -> None:
    rows = np.vstack([ROWS, np.zeros((1, 3))])
    for query in (False, True):
        np.testing.assert_allclose((fit_directions(centred=False)(rows, query) ** 2).sum(axis=1), 1.0)
    level = fit_directions(centred=True)(np.full((1, 3), 0.1), True)
    assert level[0].tolist() == [0.0, 0.0, 0.0, 0.0, 1.0]


def test_one_row_is_turned_as_in_company_and_rotations_can_be_pickled() -> None:
    for rotation in (fit_mahalanobis(ROWS), fit_directions(centred=True), fit_spreads(ROWS, None)):
        again = pickle.loads(pickle.dumps(rotation))
        np.testing.assert_array_equal(again(ROWS[5:6], True)[0], rotation(ROWS, True)[5])


def test_a_single_case_spans_the_space_as_it_is() -> None:
    one = ROWS[:1]
    np.testing.assert_allclose(np.abs(fit_mahalanobis(one)(one, False)), np.abs(one)[:, :], atol=1e-12)
