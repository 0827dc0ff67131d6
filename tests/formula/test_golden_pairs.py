"""The equivalence checker on the golden pairs: every adjudicated row, and every row's time and kind of verdict."""

from __future__ import annotations

from collections import Counter
from functools import cache
from statistics import median

import pytest
from tests.formula.golden import ACCEPTED, Row, domain_of, needs_golden, rows

from assay.formula import Equivalence, equivalent

pytest.importorskip("mpmath", reason="the checker confirms with mpmath")
pytestmark = needs_golden

POSITIVE = {"identical", "offset", "factor", "affine", "form"}


@cache
def judged(adjudicated: bool = False) -> list[tuple[Row, Equivalence]]:
    chosen = [row for row in rows() if row["refit_verdict"] or not adjudicated]
    return [(row, equivalent(row["true_formula"], row["model_formula"], domain=domain_of(row))) for row in chosen]


def test_adjudicated_rows_get_their_verdict_except_two_that_are_argued() -> None:
    adjudicated = judged(adjudicated=True)
    missed = [(row, result) for row, result in adjudicated if result.verdict not in ACCEPTED[row["refit_verdict"]]]
    assert len(adjudicated) == 218
    assert [(row["dataset"], row["refit_verdict"], result.verdict) for row, result in missed] == [
        ("fastsrb_I.41.16", "none", "identical"),
        ("feynman_I_39_22", "form", "different"),
    ]
    cancelled, added = (result for _, result in missed)
    # in doubles the truth loses the digits of exp(tiny) - 1; with fifty digits both are one function
    assert cancelled.certificate.digits == 50
    assert cancelled.certificate.residual < 1e-12
    # a factor exp(-0.0008 n) was added: it contributes 0.005 standard deviations, more than the 0.003 that may go
    assert added.certificate.residual < 1e-8
    assert max(constant.moved for constant in added.certificate.constants) > 0.05


@pytest.mark.soak
def test_no_pair_is_undecided_and_none_takes_long() -> None:
    verdicts = Counter(result.verdict for _, result in judged())
    assert sum(verdicts.values()) == 1911
    assert verdicts["undecided"] / 1911 < 0.01
    times = [result.seconds for _, result in judged()]
    assert median(times) < 0.1
    assert max(times) < 5.0


@pytest.mark.soak
def test_every_recovery_that_srbench_saw_in_rils_rols_is_confirmed() -> None:
    results = [
        result for row, result in judged() if row["source"].startswith("rils") and row["srbench_verdict"] == "True"
    ]
    assert len(results) == 506
    assert {result.verdict for result in results} <= POSITIVE


@pytest.mark.soak
def test_zero_poles_and_complex_models_are_never_a_recovery() -> None:
    bad = [(row, f) for row, f in judged() if row["model_formula"] == "0" or "zoo" in row["model_formula"]]
    assert len(bad) == 6
    assert all(result.verdict in {"different", "undefined"} for _, result in bad)
    complex_ones = [f for row, f in judged() if row["source"].startswith("PhySO") and f.verdict == "undefined"]
    assert len(complex_ones) >= 30


@pytest.mark.soak
def test_positional_names_are_understood() -> None:
    (result,) = [result for row, result in judged() if row["model_formula"] == "v0*v3 + v1*v4 + v2*v5"]
    assert result.verdict == "identical"


@pytest.mark.soak
def test_a_letter_is_a_variable_where_the_truth_has_it() -> None:
    by_data_set = {
        row["dataset"]: f for row, f in judged() if row["dataset"] == "feynman_II_13_17" and f.verdict in POSITIVE
    }
    assert by_data_set
    euler = [f for row, f in judged() if "*E*" in row["model_formula"] and row["dataset"].startswith("feynman_I_12_5")]
    assert all(f.verdict in {"factor", "form"} for f in euler)
