"""How a feature function wants to be called: read from its parameters' names, as the public benchmark uses them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

__all__ = ["CallPlan", "SignatureUnknown", "plan_call"]

Source: TypeAlias = Literal["row", "frame", "key", "train", "auxiliary"]

_FRAMES = {"df", "data", "dataframe", "frame", "table", "df_rows", "X"}
_TRAINS = {"df_train", "train", "train_df", "df", "training", "training_df", "df_training", "train_data", "data"}
_AUXILIARY = {"tables", "dataframes", "data_frames", "dfs", "other_tables"}
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_STARRED = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class SignatureUnknown(TypeError):
    """A parameter without default that we have nothing for."""


@dataclass(frozen=True, slots=True)
class CallPlan:
    """Where each argument comes from; ``key`` names the column that is passed instead of the row."""

    positional: tuple[Source, ...]
    named: tuple[tuple[str, Source], ...] = ()
    key: str = ""

    @property
    def vectorised(self) -> bool:
        """Called once with the whole table instead of once per row."""
        return "frame" in self.positional

    def needs(self, source: Source) -> bool:
        """Whether it is passed anywhere."""
        return source in self.positional or any(other == source for _, other in self.named)


def plan_call(function: Callable[..., Any], columns: Collection[str]) -> CallPlan:
    """Match a function's parameters with what there is to pass.

    >>> plan_call(lambda row, aux_data: 0, [])
    CallPlan(positional=('row', 'auxiliary'), named=(), key='')
    >>> plan_call(lambda row, df_train, aux, threshold=10: 0, []).positional
    ('row', 'train', 'auxiliary')
    >>> plan_call(lambda df: 0, []).vectorised
    True
    """
    try:
        parameters = [p for p in inspect.signature(function).parameters.values() if p.kind not in _STARRED]
    except (TypeError, ValueError):  # a callable without a readable signature
        return CallPlan(("row",))
    if not parameters or parameters[0].kind not in _POSITIONAL:
        raise SignatureUnknown("takes no row: its first parameter must be the row or the table")
    first = parameters[0]
    plan: list[Source] = [_first(first, columns)]
    named: list[tuple[str, Source]] = []
    skipped = False
    for parameter in parameters[1:]:
        source = _source(parameter, {*plan, *(other for _, other in named)})
        if source is None:
            if parameter.default is inspect.Parameter.empty:
                raise SignatureUnknown(f"parameter {parameter.name!r} is neither the row, df_train nor the tables")
            skipped = True
        elif skipped or parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            named.append((parameter.name, source))
        else:
            plan.append(source)
    return CallPlan(tuple(plan), tuple(named), first.name if plan[0] == "key" else "")


def _first(parameter: inspect.Parameter, columns: Collection[str]) -> Source:
    if parameter.name in _FRAMES or _annotated(parameter, "DataFrame"):
        return "frame"
    return "key" if parameter.name in columns and parameter.name != "row" else "row"


def _source(parameter: inspect.Parameter, used: Collection[str]) -> Source | None:
    name = parameter.name.lower()
    if name.startswith("aux") or name in _AUXILIARY:
        return "auxiliary"
    if name in _TRAINS or name.startswith(("df_train", "train_")):
        return "train"
    if parameter.default is not inspect.Parameter.empty:
        return None
    if _annotated(parameter, "Dict", "dict", "Mapping") and "auxiliary" not in used:
        return "auxiliary"
    if _annotated(parameter, "DataFrame") and "train" not in used:
        return "train"
    return None if "auxiliary" in used else "auxiliary"


def _annotated(parameter: inspect.Parameter, *words: str) -> bool:
    """Whether the annotation is, by its outermost name, one of the words."""
    if parameter.annotation is inspect.Parameter.empty:
        return False
    outer = str(parameter.annotation).removeprefix("<class '").split("[")[0].rstrip("'>").rsplit(".", 1)[-1]
    return outer in words
