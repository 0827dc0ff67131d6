"""Tasks by name, and arrays and sets of other libraries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.conformal import (
    Calibration,
    PredictionSets,
    calibrate,
    count_sets,
    coverage,
    coverage_gap,
    coverage_interval,
)
from assay.conformal.metrics import worst_slice_coverage
from assay.conformal.sets.checks import as_probabilities, to_numpy
from assay.core import InvalidInput

RNG = np.random.default_rng(0)
KIND, SIZE = RNG.dirichlet(np.ones(3), 60), RNG.dirichlet(np.ones(3), 60)  # as many classes: shapes tell nothing
LABELS = {"kind": KIND.argmax(axis=1), "size": RNG.integers(0, 3, 60)}


class Tensor:
    """What torch gives: an array that must be detached and brought home first."""

    def __init__(self, array: Any, *, home: bool = False, dtype: str | None = None) -> None:
        self.array, self.home = np.asarray(array), home
        self.dtype = dtype or self.array.dtype

    def detach(self) -> Tensor:
        return self

    def cpu(self) -> Tensor:
        return Tensor(self.array, home=True, dtype=self.dtype if isinstance(self.dtype, str) else None)

    def float(self) -> Tensor:
        return Tensor(self.array.astype(np.float32), home=True)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if not self.home or isinstance(self.dtype, str):
            raise TypeError("can't convert to numpy")
        return self.array


class Capsule:
    """An array of a library that only speaks DLPack."""

    def __init__(self, array: Any) -> None:
        self.array = np.asarray(array)

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


def test_named_tasks_are_matched_whatever_their_order() -> None:
    plain = calibrate([KIND, SIZE], list(LABELS.values()), alpha=0.2)
    turned = {"size": LABELS["size"], "kind": LABELS["kind"]}
    for labels in (LABELS, turned, pd.DataFrame(turned)):
        named = calibrate({"kind": KIND, "size": SIZE}, labels, alpha=0.2)
        assert named.names == ("kind", "size")
        assert all((a == b).all() for a, b in zip(named.thresholds, plain.thresholds, strict=True))
        sets = named.predict_sets({"size": SIZE, "kind": KIND})
        assert sets == plain.predict_sets([KIND, SIZE])
        expected = count_sets(plain.predict_sets([KIND, SIZE]), list(LABELS.values()))
        assert count_sets(sets[:60], labels) == named.count({"size": SIZE, "kind": KIND}, labels) == expected
        assert coverage(sets, turned) == coverage(expected)
        assert coverage_interval(sets, turned, resamples=100) == coverage_interval(sets, labels, resamples=100)
        assert worst_slice_coverage(sets, turned, [0] * 60).coverage == coverage(expected, overall="joint")


def test_names_are_kept_in_files_and_only_where_there_are_any() -> None:
    named = calibrate({"kind": KIND, "size": SIZE}, LABELS, alpha=0.2)
    assert Calibration.from_json(named.to_json()).names == ("kind", "size")
    assert "names" not in calibrate([KIND], [LABELS["kind"]], alpha=0.2).to_json()


@pytest.mark.parametrize("method", ["joint", "joint-combinations"])
def test_joint_methods_match_by_name_too(method: str) -> None:
    named = calibrate({"kind": KIND, "size": SIZE}, LABELS, alpha=0.2, method=method)
    plain = calibrate([KIND, SIZE], list(LABELS.values()), alpha=0.2, method=method)
    turned = {"size": LABELS["size"], "kind": LABELS["kind"]}
    expected = plain.count([KIND, SIZE], list(LABELS.values()))
    assert named.count({"size": SIZE, "kind": KIND}, turned) == expected


def test_the_gap_over_combinations_matches_by_name_too() -> None:
    sets = PredictionSets.from_matrices({"kind": KIND >= 0.3, "size": SIZE >= 0.3})
    turned = {"size": LABELS["size"], "kind": LABELS["kind"]}
    expected = coverage_gap([KIND >= 0.3, SIZE >= 0.3], list(LABELS.values()), alpha=0.2, overall="joint")
    for labels in (LABELS, turned, pd.DataFrame(turned)):
        assert coverage_gap(sets, labels, alpha=0.2, overall="joint") == expected


def test_names_that_do_not_match_are_an_error_with_the_pair_to_rename() -> None:
    wrong = {"size": LABELS["size"], "sort": LABELS["kind"]}
    with pytest.raises(InvalidInput, match=r"labels: hold the tasks 'size', 'sort'.*\{'kind': values\['sort'\]"):
        calibrate({"kind": KIND, "size": SIZE}, wrong, alpha=0.2)
    with pytest.raises(InvalidInput, match="leave out the others"):
        calibrate({"kind": KIND, "size": SIZE}, LABELS | {"weight": LABELS["size"]}, alpha=0.2)
    named = calibrate({"kind": KIND, "size": SIZE}, LABELS, alpha=0.2)
    with pytest.raises(InvalidInput, match="probabilities: hold the tasks 'kind', 'sice'"):
        named.predict_sets({"kind": KIND, "sice": SIZE})
    with pytest.raises(InvalidInput, match="labels: hold the tasks"):
        count_sets(named.predict_sets({"kind": KIND, "size": SIZE}), wrong)


def test_names_on_one_side_only_are_no_guess() -> None:
    with pytest.raises(InvalidInput, match="labels name their tasks"):
        calibrate([KIND, SIZE], LABELS, alpha=0.2)
    with pytest.raises(InvalidInput, match="the probabilities name their tasks"):
        calibrate({"kind": KIND, "size": SIZE}, list(LABELS.values()), alpha=0.2)
    one = calibrate({"kind": KIND}, LABELS["kind"], alpha=0.2)  # one task needs no name
    assert len(one.predict_sets([KIND])) == 60


def test_sets_of_other_libraries_are_read() -> None:
    levels = np.stack([KIND >= 0.3, KIND >= 0.1], axis=2)  # MAPIE
    assert PredictionSets.from_matrices(levels, level=1) == PredictionSets.from_matrices([KIND >= 0.1])
    with pytest.raises(InvalidInput, match=r"have 2 levels.*level=0"):
        PredictionSets.from_matrices(levels)
    with pytest.raises(InvalidInput, match="no level 2"):
        PredictionSets.from_matrices(levels, level=2)
    names = np.array(["ash", "oak", "yew"])
    arrays = [names[row] for row in KIND >= 0.1]  # crepes: an array of labels per sample
    lists = [np.flatnonzero(row).tolist() for row in KIND >= 0.1]  # puncc: lists of numbers
    expected = PredictionSets.from_matrices([KIND >= 0.1])
    assert PredictionSets.from_labels([arrays], classes=[names.tolist()]) == expected
    assert PredictionSets.from_labels({"kind": lists}, classes={"kind": 3}) == expected
    assert PredictionSets.from_matrices(Tensor((KIND >= 0.1).astype(np.int32))) == expected  # TorchCP
    with pytest.raises(InvalidInput, match="sample 0: 'elm' is none of the classes"):
        PredictionSets.from_labels([[["elm"]]], classes=[["ash", "oak"]])


def test_arrays_of_other_libraries_are_read() -> None:
    for values in (Tensor(KIND), Capsule(KIND)):
        np.testing.assert_array_equal(to_numpy(values), KIND)
    half = Tensor(KIND, dtype="torch.bfloat16")
    np.testing.assert_array_equal(to_numpy(half), KIND.astype(np.float32))


def test_half_precision_is_taken_and_sums_to_one() -> None:
    wide = RNG.dirichlet(np.ones(40), 300).astype(np.float16)
    assert (np.abs(wide.sum(axis=1, dtype=np.float64) - 1) > 1e-4).any()
    (matrix,) = as_probabilities([wide])
    np.testing.assert_allclose(matrix.sum(axis=1), 1, rtol=0, atol=1e-12)
    with pytest.raises(InvalidInput, match="sums to"):
        as_probabilities([np.full((2, 2), 0.4, dtype=np.float16)])
    brain = Tensor([[0.25, 0.745], [1.0, 0.0]], dtype="torch.bfloat16")  # three bits less: sums are further off
    np.testing.assert_allclose(as_probabilities([brain])[0].sum(axis=1), 1, rtol=0, atol=1e-12)
