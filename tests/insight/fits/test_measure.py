from __future__ import annotations

import math

import numpy as np

from assay.insight.examine.config import InsightConfig
from assay.insight.examine.prediction_target import Outcome
from assay.insight.fits.encoding import EncodedColumn
from assay.insight.fits.fits import FitCache
from assay.insight.fits.measure import Measure

RNG = np.random.default_rng(0)
X = EncodedColumn("x", RNG.normal(size=80), RNG.normal(size=40))
FLAT = EncodedColumn("flat", np.ones(80), RNG.normal(size=40))
BINARY = Outcome("y", "binary", (X.train > 0).astype(np.int64), (X.test > 0).astype(np.int64), 2)
NUMBER = Outcome("y", "regression", X.train * 2, X.test * 2)


def measure(**settings: object) -> Measure:
    return Measure(InsightConfig(N_RF_ESTIMATORS=5, **settings), FitCache())  # type: ignore[arg-type]


def test_no_information_is_chance_without_a_fit() -> None:
    measured = measure()
    assert measured.plain([], BINARY) == measured.plain([FLAT], BINARY) == 0.5
    assert measured.plain([], NUMBER) == measured.plain([FLAT], NUMBER) == 0.0
    assert measured.scaled([FLAT], NUMBER) == 0.5
    assert dict(measured.engines) == {"no information": 5}


def test_a_constant_outcome_is_chance_too() -> None:
    flat = Outcome("y", "regression", np.zeros(80), X.test)
    assert measure().scaled([X], flat) == 0.5


def test_a_single_class_in_the_test_part_is_undefined() -> None:
    one = Outcome("y", "binary", BINARY.train, np.zeros(40, dtype=np.int64), 2)
    assert math.isnan(measure().plain([X], one))
    assert math.isnan(measure().plain([FLAT], one))


def test_r2_is_moved_onto_the_scale_of_an_auc_unless_raw_values_are_asked_for() -> None:
    plain = measure().plain([X], NUMBER)
    assert 0.5 < plain < 1
    assert measure().scaled([X], NUMBER) == (plain + 1) / 2
    assert measure(r2_scale="raw").scaled([X], NUMBER) == plain


def test_an_auc_is_what_it_is() -> None:
    measured = measure()
    assert measured.scaled([X], BINARY) == measured.plain([X], BINARY) > 0.9
