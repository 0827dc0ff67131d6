"""Subjects of the formula track by name: baselines, other people's methods, files in SRBench's manner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from assay.core import Subject
from assay.formula.adapters import Gplearn, Linear, Operon, Polynomial, PySr, Sindy
from assay.formula.answer import FormulaAnswer
from assay.formula.estimators import SrbenchFile
from assay.formula.problem import FormulaTask

__all__ = ["SUBJECTS"]

SUBJECTS: Mapping[str, Callable[..., Subject[FormulaTask, FormulaAnswer]]] = MappingProxyType(
    {
        "linear": Linear,
        "polynomial": Polynomial,
        "gplearn": Gplearn,
        "pyoperon": Operon,
        "pysindy": Sindy,
        "pysr": PySr,
        "srbench": SrbenchFile,
    }
)
