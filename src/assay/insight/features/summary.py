"""A summary of the columns that were found: text, and pictures where a page can show them."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.charts.styles import standalone_style
from assay.core.display import counted, visible
from assay.insight.answer.functions import FeatureFunction
from assay.insight.features.effects import Effect
from assay.insight.features.pictures import Picture, draw_columns
from assay.insight.problem.task import ProblemType

__all__ = ["Summary", "head_of", "sentence", "summarise"]

_TABLE_AT = {"look_up": 2, "joined": 3}  # which argument of these helpers is a table's name
_PAGE = "body { font: 15px/1.5 system-ui, sans-serif; max-width: 1180px; margin: 2em auto; background: var(--paper); }"
_CHOSEN = "The figures are of the rows of fit, by which the columns were chosen: expect less on other rows."


class Summary(str):
    """Sentences with effect sizes; a notebook shows pictures and code as well, and ``write`` makes a page of them."""

    __slots__ = ("_body",)
    _body: str

    def __new__(cls, text: str, body: str) -> Summary:  # noqa: D102 - a text has no __init__ of its own
        summary = super().__new__(cls, text)
        summary._body = body
        return summary

    def _repr_html_(self) -> str:
        """As a notebook shows it."""
        return f'<div class="panel"><style>{standalone_style()}</style>{self._body}</div>'

    def write(self, path: str | Path) -> Path:
        """A page that stands alone."""
        path = Path(path)
        title = f'<meta charset="utf-8"><title>{escape(self.splitlines()[0])}</title>'
        style = f"<style>{standalone_style()}\n{_PAGE}</style>"
        page = (
            f'<!doctype html><html lang="en"><head>{title}{style}</head><body class="panel">{self._body}</body></html>'
        )
        path.write_text(page + "\n", encoding="utf-8")
        return path


def summarise(
    functions: Sequence[FeatureFunction],
    explanation: Sequence[str],
    effects: Sequence[Effect],
    tables: Mapping[str, Any],
    head: str,
) -> Summary:
    """Each column with the insight that it claims, its effect and its picture; which tables they are from."""
    first = f"{counted(len(functions), 'column')} found. {head}"
    origins = [
        f"From table {name!r}: {counted(sum(name in _tables_read(f.code) for f in functions), 'column')}."
        for name in tables
    ]
    listed = [f"{f.name}: {words}" for f, words in zip(functions, explanation, strict=True)]
    lines = [
        textwrap.fill(f"{number}. {entry}", 120, subsequent_indent="   ") for number, entry in enumerate(listed, 1)
    ]
    text = "\n".join([first, *lines, *origins, _CHOSEN])
    return Summary(text, _body(functions, explanation, effects, first, origins))


def _body(
    functions: Sequence[FeatureFunction],
    explanation: Sequence[str],
    effects: Sequence[Effect],
    first: str,
    origins: Sequence[str],
) -> str:
    """Pictures by outcome (of several classes, each column tells another best), then sentences with their code."""
    parts = [f"<p>{escape(first)}</p>"]
    for outcome in dict.fromkeys(effect.outcome for effect in effects):
        mine = [
            (Picture(f.name, words, f"{effect.measure} {effect.size:.2f}", effect.groups), effect)
            for f, words, effect in zip(functions, explanation, effects, strict=True)
            if effect.outcome == outcome
        ]
        groups = mine[0][1].groups
        overall = sum(group.rows * group.value for group in groups) / max(sum(group.rows for group in groups), 1)
        parts.append(draw_columns([picture for picture, _ in mine], outcome=outcome, overall=overall))
    parts.append("<ol>")
    for function, words in zip(functions, explanation, strict=True):
        code = f"<details><summary>code</summary><pre>{escape(function.code)}</pre></details>"
        parts.append(f"<li><b>{escape(function.name)}</b>: {escape(words)}{code}</li>")
    parts.append("</ol>" + "".join(f"<p>{escape(line)}</p>" for line in (*origins, _CHOSEN)))
    return "".join(parts)


def sentence(text: str) -> str:
    """One line, whatever stands in names and values."""
    return visible(" ".join(text.split()))


def head_of(target: npt.NDArray[Any], kind: ProblemType, name: str) -> str:
    """The target over all rows."""
    if kind == "regression":
        return f"The mean of {name} is {np.mean(target.astype(float)):.4g} over {counted(len(target), 'row')}."
    labels, counts = np.unique(target.astype(str), return_counts=True)
    if kind == "binary":
        labels, counts = labels[-1:], counts[-1:]
    shares = ", ".join(
        f"{label} in {100 * count / len(target):.0f} %" for label, count in zip(labels, counts, strict=True)
    )
    return sentence(f"{name} is {shares} of {counted(len(target), 'row')}.")


def _tables_read(code: str) -> set[Any]:
    """The tables that a written function names."""
    read: set[Any] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "aux_dataframes":
            read.add(ast.literal_eval(node.slice))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _TABLE_AT:
            name = node.args[_TABLE_AT[node.func.id]]
            read |= {name.value} if isinstance(name, ast.Constant) else set()
    return read
