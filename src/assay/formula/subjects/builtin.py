"""Subjects of the formula track by name: baselines, other people's methods, files in SRBench's manner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from assay.core import Subject
from assay.formula.answer.answer import FormulaAnswer
from assay.formula.problem.task import FormulaTask
from assay.formula.subjects.discover import ADAPTERS, Discovery, Snap
from assay.formula.subjects.srbench_file import SrbenchFile

__all__ = ["SUBJECTS"]

SUBJECTS: Mapping[str, Callable[..., Subject[FormulaTask, FormulaAnswer]]] = MappingProxyType(
    {
        **ADAPTERS,
        "srbench": SrbenchFile,
        "discover": Discovery,
        "snap": Snap,
    }
)
