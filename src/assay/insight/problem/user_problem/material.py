"""The tables and options from which an insight problem is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core import InvalidInput, Tags
from assay.intake.table.options import TableOptions

if TYPE_CHECKING:
    import pandas as pd

    from assay.insight.problem.task import ProblemType

__all__ = ["Material", "named_tables"]

_RESERVED = ("train", "test")  # the parts of the main table have these file names


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Material:
    """Everything the user specified; the rest is detected."""

    tables: Mapping[str, Any]  # files or frames by name
    target: str
    main: str | None = None
    time: str | date | None = None
    table_times: Mapping[str, str | None] = field(default_factory=dict)
    target_time: str | date | None = None
    key: str | None = None
    experts: str | Path | pd.DataFrame | Sequence[Any] | None = None
    expert_columns: tuple[str, ...] = ()
    meanings: Mapping[str, str] = field(default_factory=dict)
    kind: ProblemType | None = None
    split: str | None = None
    holdout: float = 0.25
    seed: int = 0
    description: str = ""
    domain: str = ""
    ignore: tuple[str, ...] = ()
    id: str | None = None
    tags: Tags = field(default_factory=dict)
    options: TableOptions = field(default_factory=TableOptions)

    def remedy(self, option: str, value: str, *, role: str = "") -> str:
        """The option with a value, as a flag or an argument, as the user writes it."""
        text = self.options.remedy(option, value, role=role)
        return text.replace(repr(value), value) if option == "holdout" else text  # a number


def named_tables(sources: object) -> dict[str, Any]:
    """Tables by name: a mapping as it is, files by their names without the ending, a single frame as ``main``."""
    if isinstance(sources, Mapping):
        tables = {str(name): source for name, source in sources.items()}
    elif isinstance(sources, str | Path):
        tables = {_stem(sources): sources}
    elif isinstance(sources, Sequence):
        names = [_stem(source) for source in sources]
        for name in names:
            if names.count(name) > 1:
                raise InvalidInput(f"two tables are called {name!r}: name them, as in {{'orders': 'orders.csv'}}.")
        tables = dict(zip(names, sources, strict=True))
    else:
        tables = {"main": sources}
    if not tables:
        raise InvalidInput("no table is given: an insight problem needs at least one, with a column to predict.")
    for name in tables:
        if name in _RESERVED or not name or any(mark in name for mark in "/\\.="):
            raise InvalidInput(f"a table cannot be called {name!r}: give it a plain name other than train and test.")
    return tables


def _stem(source: object) -> str:
    if not isinstance(source, str | Path):
        raise InvalidInput("a frame has no name: give tables by name, as in {'orders': orders}.")
    return Path(source).name.partition(".")[0]
