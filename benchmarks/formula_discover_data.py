"""What `discover` is compared on beside generated problems: public equations, and laws from a file of one's own."""

from __future__ import annotations

import csv
import hashlib
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from assay.core.arrays import FloatArray
from assay.formula import parse
from assay.formula.expression.program import table_values

__all__ = ["Law", "equations", "laws_in"]

HELD_OUT_EQUATIONS = 60
_FUNCTIONS = {"sqrt", "sin", "cos", "exp", "log", "tanh", "pi", "cot", "tan", "asin", "acos", "abs", "max", "min"}
_ROWS = 300
_OF_NATURE = 1e3  # a constant this far from one is counted as one: units in which it is
# where the publishers' ranges are not 1 to 5
_RANGES = {
    "III_9_52": "p_d,Ef,t,h=1:3",
    "II_11_27": "n,alpha=0:1 epsilon,Ef=1:2",
    "II_24_17": "omega=4:6 c=1:2 d=2:4",
    "II_36_38": "*=1:3",
    "II_6_15b": "*=1:3",
    "I_6_2a": "*=1:3",
    "I_50_26": "*=1:3",
    "I_10_7": "v=1:2 c=3:10",
    "I_34_1": "v=1:2 c=3:10",
    "I_48_2": "v=1:2 c=3:10",
    "I_15_3x": "x=5:10 u,t=1:2 c=3:20",
    "I_18_12": "theta=0:5",
    "I_39_11": "gamma=2:5",
    "I_43_43": "gamma=2:5",
    "I_9_18": "m1,m2,G,x2,y2,z2=1:2 x1,y1,z1=3:4",
    "test_1": "Z_1,Z_2,alpha,hbar,c=1:2 E_n,theta=1:3",
    "test_2": "m,k_G,L,E_n=1:3 theta1,theta2=0:6",
    "test_4": "m,U,L,r=1:3 E_n=8:12",
    "test_5": "*=1:3",
    "test_6": "*=1:3",
    "test_12": "y=1:3 d=4:6",
    "test_14": "theta=0:6",
    "test_15": "c=5:20 v=1:3 theta=0:6",
    "test_20": "beta=0:6",
}


class Law(NamedTuple):
    """A formula, the range of each variable, and how its table is drawn; noise in shares of the target's RMS."""

    name: str
    difficulty: str
    formula: str
    ranges: Mapping[str, tuple[float, float]]
    rows: int = _ROWS
    noise: float = 0.0
    distractors: int = 0
    seed: int = 0

    def table(self) -> tuple[FloatArray, FloatArray]:
        """Inputs, the distractors last, and the target at rows where the formula has values."""
        rng = np.random.default_rng([7, self.seed])
        box = [*self.ranges.values()]
        box += [box[number % len(box)] for number in range(self.distractors)]
        inputs = np.column_stack([rng.uniform(*bounds, size=self.rows + self.rows // 3) for bounds in box])
        names = list(self.ranges)
        with np.errstate(all="ignore"):
            target = table_values(parse(self.formula, names=names, dialect="plain"), names, inputs[:, : len(names)])
        rows = np.flatnonzero(np.isfinite(target))[: self.rows]
        inputs, target = inputs[rows], target[rows]
        size = self.noise * float(np.sqrt(np.mean(np.square(target)))) if len(target) else 0.0
        return inputs, target + size * rng.standard_normal(len(target))


def laws_in(path: Path) -> list[Law]:
    """The laws of a file: tables ``[[law]]`` with the fields of a law."""
    with path.open("rb") as file:
        entries = tomllib.load(file)["law"]
    return [
        Law(
            name=str(one["name"]),
            difficulty=str(one.get("difficulty", "")),
            formula=str(one["formula"]),
            ranges={name: (float(low), float(high)) for name, (low, high) in one["ranges"].items()},
            rows=int(one.get("rows", _ROWS)),
            noise=float(one.get("noise", 0.0)),
            distractors=int(one.get("distractors", 0)),
            seed=int(one.get("seed", number)),
        )
        for number, one in enumerate(entries)
    ]


def equations(*, held_out: bool, noises: Sequence[float] = (0.0,)) -> list[Law]:
    """The public equations as laws: one half, by a hash of the name; formulas of another source fill up the held-out.

    These are taken in the order of their hash where no data set has their number, and then where a held-out one has.
    """
    path = Path(os.environ.get("ASSAY_BENCHMARKS", "")) / "formula" / "equivalence_pairs.csv"
    if not path.is_file():
        return []
    first: dict[str, str] = {}
    with path.open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            first.setdefault(row["dataset"], row["true_formula"])
    ordered = sorted(first.items(), key=lambda entry: hashlib.sha256(entry[0].encode()).digest()[1:])
    plain = {name: formula for name, formula in ordered if not name.startswith("fastsrb")}
    published = {name.removeprefix("feynman_") for name in plain}
    chosen = {
        name: formula for name, formula in plain.items() if hashlib.sha256(name.encode()).digest()[0] % 2 == held_out
    }
    halves = {name.removeprefix("feynman_") for name in chosen}
    for with_half in (False, True) if held_out else ():  # at last also those whose number the held-out half has
        for name, formula in ordered:
            number = name.removeprefix("fastsrb_").replace(".", "_")
            same = {number, f"test_{number[1:]}"} if number.startswith("B") else {number}
            members = same & (published - halves if with_half else published)
            if len(chosen) < HELD_OUT_EQUATIONS and name.startswith("fastsrb") and not members and name not in chosen:
                natural = _in_natural_units(formula)
                if _varies(Law(name, "", natural, _box_of(name, natural))):
                    chosen[name] = natural
    return [
        Law(name, "", formula, _box_of(name, formula), noise=noise, seed=_seed_of(name))
        for name, formula in chosen.items()
        for noise in noises
    ]


def _in_natural_units(formula: str) -> str:
    """Constants that are far from one as one, as no table could tell them from it."""

    def change(match: re.Match[str]) -> str:
        value = abs(float(match[0]))
        return match[0] if 1 / _OF_NATURE <= value <= _OF_NATURE or not value else "1"

    return re.sub(r"(?<![A-Za-z_\d.])\d+\.?\d*(?:[eE][-+]?\d+)?", change, formula)


def _varies(law: Law) -> bool:
    _, target = law.table()
    return len(target) == law.rows and float(np.ptp(target)) > 1e-3 * float(np.abs(target).max())


def _seed_of(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")


def _box_of(name: str, formula: str) -> dict[str, tuple[float, float]]:
    """The range of every variable of an equation."""
    ranges: dict[str, tuple[float, float]] = {}
    for entry in _RANGES.get(name.removeprefix("feynman_"), "").split():
        names, _, bounds = entry.partition("=")
        low, _, high = bounds.partition(":")
        ranges |= dict.fromkeys(names.split(","), (float(low), float(high)))
    usual = ranges.get("*", (0.2, 3.0) if name.startswith("strogatz") else (1.0, 5.0))
    variables = sorted(set(re.findall(r"[A-Za-z_]\w*", formula)) - _FUNCTIONS)
    return {variable: ranges.get(variable, usual) for variable in variables}
