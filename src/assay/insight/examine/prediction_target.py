"""What a model is asked to predict: the target, or a ground-truth column."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from assay.insight.fits.encoding import (
    MISSING,
    OTHER,
    as_floats,
    fill_numbers,
    is_number,
    merge_categories,
    texts_of,
    unused_name,
)
from assay.insight.problem.task import ProblemType, infer_problem_type

__all__ = ["Outcome", "make_outcome"]


@dataclass(frozen=True, eq=False)
class Outcome:
    """Values to predict in both parts: numbers for regression, class codes for classification.

    A class that only the test part knows has a code that no model can predict.
    """

    name: str
    problem_type: ProblemType
    train: npt.NDArray[Any]  # float64, or int64 codes
    test: npt.NDArray[Any]
    classes: int = 0  # that the training part knows: codes 0 .. classes - 1

    @cached_property
    def digest(self) -> bytes:
        """Of the values of both parts and what kind they are."""
        head = f"{self.problem_type}|{self.classes}|".encode()
        return blake2b(head + self.train.tobytes() + b"|" + self.test.tobytes(), digest_size=16).digest()

    @property
    def regression(self) -> bool:
        """Whether numbers are predicted."""
        return self.problem_type == "regression"

    @property
    def constant(self) -> bool:
        """Whether the training part holds a single value: then nothing can be learnt."""
        return bool((self.train == self.train[0]).all())


def make_outcome(
    name: str,
    train: pd.Series,
    test: pd.Series,
    *,
    problem_type: ProblemType | None = None,
    most_categories: int | None = None,
) -> Outcome:
    """A column as an outcome; without a declared type the rule for problem types decides by the training part.

    Gaps of a number column are filled as in a predictor. Of a text column at most ``most_categories`` classes are kept,
    the rarest merged.
    """
    kind = problem_type or infer_problem_type(train)
    if kind == "regression":
        filled = fill_numbers(name, as_floats(train), as_floats(test))
        return Outcome(name, kind, filled.train, filled.test)
    if is_number(train) and is_number(test):
        return _coded(name, kind, as_floats(train), as_floats(test))
    texts, test_texts = texts_of(train), texts_of(test)
    if most_categories is not None:
        categories, merged = merge_categories(texts, most_categories)
        if merged:
            other = unused_name(OTHER, texts, test_texts)
            texts, test_texts = (_merge(column, categories, other) for column in (texts, test_texts))
    missing = unused_name(MISSING, texts, test_texts)
    return _coded(name, kind, texts.fillna(missing).to_numpy(), test_texts.fillna(missing).to_numpy())


def _coded(name: str, kind: ProblemType, train: npt.NDArray[Any], test: npt.NDArray[Any]) -> Outcome:
    classes, codes = np.unique(train, return_inverse=True)
    unknown = np.setdiff1d(test, classes)
    every = np.concatenate([classes, unknown])
    order = np.argsort(every)
    test_codes = order[np.searchsorted(every, test, sorter=order)]
    return Outcome(name, kind, codes.astype(np.int64), test_codes.astype(np.int64), classes=len(classes))


def _merge(values: pd.Series, categories: list[str], other: str) -> pd.Series:
    return values.where(values.isin(categories) | values.isna(), other)
