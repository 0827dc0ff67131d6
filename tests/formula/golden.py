"""The golden pairs of truths and models, where ASSAY_BENCHMARKS points at them, with the boxes of their variables."""

from __future__ import annotations

import csv
import os
import re
from pathlib import Path

import pytest

__all__ = ["ACCEPTED", "FILE", "Row", "domain_of", "needs_golden", "rows"]

Row = dict[str, str]
Box = tuple[float, float]

FILE = Path(os.environ.get("ASSAY_BENCHMARKS", "")) / "formula" / "equivalence_pairs.csv"

needs_golden = pytest.mark.skipif(
    not (os.environ.get("ASSAY_BENCHMARKS") and FILE.is_file()),
    reason="ASSAY_BENCHMARKS does not point at a folder with formula/equivalence_pairs.csv",
)

# an adjudicated verdict -> the verdicts that agree with it
ACCEPTED = {
    "exact": {"identical", "offset", "factor", "affine"},
    "form": {"form"},
    "none": {"different"},
    "form_with_dead_terms": {"different"},
    "undefined": {"undefined"},
}

_ALL = "*"
_BOXES: dict[str, dict[str, Box]] = {
    "III_9_52": {"p_d Ef t h": (1, 3)},
    "II_11_27": {"n alpha": (0, 1), "epsilon Ef": (1, 2)},
    "II_24_17": {"omega": (4, 6), "c": (1, 2), "d": (2, 4)},
    "II_36_38": {_ALL: (1, 3)},
    "II_6_15b": {_ALL: (1, 3)},
    "I_6_2a": {_ALL: (1, 3)},
    "I_50_26": {_ALL: (1, 3)},
    "I_10_7": {"v": (1, 2), "c": (3, 10)},
    "I_34_1": {"v": (1, 2), "c": (3, 10)},
    "I_48_2": {"v": (1, 2), "c": (3, 10)},
    "I_15_3x": {"x": (5, 10), "u t": (1, 2), "c": (3, 20)},
    "I_18_12": {"theta": (0, 5)},
    "I_39_11": {"gamma": (2, 5)},
    "I_43_43": {"gamma": (2, 5)},
    "I_9_18": {"m1 m2 G x2 y2 z2": (1, 2), "x1 y1 z1": (3, 4)},
    "test_1": {"Z_1 Z_2 alpha hbar c": (1, 2), "E_n theta": (1, 3)},
    "test_2": {"m k_G L E_n": (1, 3), "theta1 theta2": (0, 6)},
    "test_4": {"m U L r": (1, 3), "E_n": (8, 12)},
    "test_5": {_ALL: (1, 3)},
    "test_6": {_ALL: (1, 3)},
    "test_12": {"y": (1, 3), "d": (4, 6)},
    "test_14": {"theta": (0, 6)},
    "test_15": {"c": (5, 20), "v": (1, 3), "theta": (0, 6)},
    "test_20": {"beta": (0, 6)},
}


def rows() -> list[Row]:
    """All pairs."""
    with FILE.open(newline="") as file:
        return list(csv.DictReader(file))


def domain_of(row: Row) -> dict[str, Box]:
    """The box of a pair's variables: all names of the truth that are not called and not pi."""
    words = re.findall(r"[A-Za-z_]\w*\b(?!\()", row["true_formula"])
    names = sorted(set(words) - {"pi"})
    kind = row["dataset"].partition("_")[0]
    domain: dict[str, Box] = dict.fromkeys(names, {"strogatz": (0.2, 3.0), "fastsrb": (0.5, 3.0)}.get(kind, (1.0, 5.0)))
    for listed, box in _BOXES.get(row["dataset"].removeprefix("feynman_"), {}).items():
        domain.update(dict.fromkeys(names if listed == _ALL else set(listed.split()) & set(names), box))
    return domain
