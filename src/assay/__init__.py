"""Assay: what a discovery is made of. The names below are the front door; each is imported when it is first used."""

import importlib
from typing import TYPE_CHECKING

from assay.version import __version__

if TYPE_CHECKING:
    from assay import cases as cases
    from assay import conformal as conformal
    from assay import drift as drift
    from assay import formula as formula
    from assay import insight as insight
    from assay.api import (
        Check,
        Verification,
        bundle,
        check,
        compare,
        import_scores,
        load,
        load_model,
        problems,
        read_table,
        rescore,
        run,
        score,
        subjects,
        tracks,
        verify,
    )
    from assay.core import (
        Aggregate,
        AssayError,
        Budget,
        InfrastructureFailed,
        Interval,
        InvalidInput,
        Metric,
        MissingExtra,
        Problem,
        Record,
        Subject,
        SubjectFailed,
        Track,
        UnknownName,
    )
    from assay.report import Leaderboard, Results

__all__ = [
    "Aggregate",
    "AssayError",
    "Budget",
    "Check",
    "InfrastructureFailed",
    "Interval",
    "InvalidInput",
    "Leaderboard",
    "Metric",
    "MissingExtra",
    "Problem",
    "Record",
    "Results",
    "Subject",
    "SubjectFailed",
    "Track",
    "UnknownName",
    "Verification",
    "__version__",
    "bundle",
    "check",
    "compare",
    "import_scores",
    "load",
    "load_model",
    "problems",
    "read_table",
    "rescore",
    "run",
    "score",
    "subjects",
    "tracks",
    "verify",
]

_TRACKS = ("cases", "conformal", "drift", "formula", "insight")

if not TYPE_CHECKING:  # a type checker knows every name from the imports above

    def __getattr__(name: str) -> object:
        if name in _TRACKS:
            return importlib.import_module(f"assay.{name}")
        if name not in __all__:
            raise AttributeError(f"module 'assay' has no attribute {name!r}")
        if name in ("Check", "Verification") or name[0].islower():  # functions, and the results of two of them
            home = "assay.api"
        else:
            home = "assay.report" if name in ("Leaderboard", "Results") else "assay.core"
        value = getattr(importlib.import_module(home), name)
        globals()[name] = value  # the next access does not come here
        return value

    def __dir__() -> list[str]:
        return sorted({*__all__, *_TRACKS})
