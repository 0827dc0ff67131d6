"""Subjects of the formula track by name: baselines, other people's methods, files in SRBench's manner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from assay.core import Subject
from assay.formula.answer.answer import FormulaAnswer
from assay.formula.problem.task import FormulaTask
from assay.formula.subjects.discover import Discovery, Snap
from assay.formula.subjects.genetic import Gplearn
from assay.formula.subjects.linear import Linear
from assay.formula.subjects.operon import Operon
from assay.formula.subjects.polynomial import Polynomial
from assay.formula.subjects.pysr import PySr
from assay.formula.subjects.sindy import Sindy
from assay.formula.subjects.srbench_file import SrbenchFile

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
        "discover": Discovery,
        "snap": Snap,
    }
)
