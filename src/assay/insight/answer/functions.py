"""Feature functions: source code that computes one insight column, row by row."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from assay.core import InvalidInput
from assay.core.display import counted, shortened
from assay.intake.fields import demand_text

__all__ = [
    "LONGEST_CODE",
    "DocumentedFunctions",
    "FeatureFunction",
    "read_function_file",
    "read_functions",
    "score_of",
    "source_lines",
]

LONGEST_CODE = 1_000_000  # characters
_LONGEST_SHOWN = 4000
_LINE_END = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureFunction:
    """Python source that defines one feature function.

    The function's first argument is a row of the primary table; ``df_train`` and ``aux_dataframes`` (tables by file
    name) are optional.

    Parameters
    ----------
    name : str
        The name of the function, and of the column that it computes.
    code : str
        Source that defines a function of this name.
    score : float, optional
        How highly its author ranks it; None for unranked.

    Raises
    ------
    InvalidInput
        The name is empty, the code too long, or the score no finite number.

    Examples
    --------
    >>> FeatureFunction(name="age", code="def age(row): return row['age']").score is None
    True
    """

    name: str
    code: str
    score: float | None = None

    def __repr__(self) -> str:
        ranked = "" if self.score is None else f", score {self.score:g}"
        return f"FeatureFunction({shortened(self.name)!r}, {counted(self.code.count(chr(10)) + 1, 'line')}{ranked})"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.code[:_LONGEST_SHOWN])}{'…' if len(self.code) > _LONGEST_SHOWN else ''}</pre>"

    def __post_init__(self) -> None:
        for key in ("name", "code"):
            demand_text(getattr(self, key), what=f"feature function: {key}")
        if not self.name:
            raise InvalidInput("feature function: the name is empty.")
        if len(self.code) > LONGEST_CODE:
            raise InvalidInput(
                f"feature function {self.name!r}: {len(self.code)} characters of code are more than the "
                f"{LONGEST_CODE} allowed."
            )
        if self.score is not None:
            # through text, because a whole number may be beyond all floats
            number = isinstance(self.score, int | float) and not isinstance(self.score, bool)
            score = score_of(str(self.score)) if number else None
            if score is None:
                shown = str(self.score)[:60]
                raise InvalidInput(f"feature function {self.name!r}: score must be a finite number, got {shown}.")
            object.__setattr__(self, "score", score)


def score_of(text: str) -> float | None:
    """The number in a text; None when there is none, or none that can be ranked.

    >>> score_of("9e-05"), score_of("n/a"), score_of("nan")
    (9e-05, None, None)
    """
    try:
        score = float(text)
    except ValueError:
        return None
    return score if math.isfinite(score) else None


def read_functions(content: Mapping[str, object], path: Path) -> tuple[FeatureFunction, ...]:
    """Those of ``sorted_feature_functions`` by descending score, unranked ones last, then ``new_feature_functions``.

    The keys of the first are scores as texts; they are ranked as numbers.
    """
    ranked = content.get("sorted_feature_functions")
    if ranked is None:
        ranked = {}
    if not isinstance(ranked, dict):
        raise InvalidInput(
            f"{path}: 'sorted_feature_functions' must map scores to functions, got {type(ranked).__name__}."
        )
    functions = [
        _function(entry, f"{path}: 'sorted_feature_functions', {score[:60]!r}", score=score_of(score))
        for score, entry in ranked.items()
    ]
    functions.sort(key=lambda function: math.inf if function.score is None else -function.score)
    new = content.get("new_feature_functions")
    if new is None:
        new = []
    if not isinstance(new, list):
        raise InvalidInput(f"{path}: 'new_feature_functions' must be a list, got {type(new).__name__}.")
    functions += [_function(entry, f"{path}: 'new_feature_functions'[{place}]") for place, entry in enumerate(new)]
    return tuple(functions)


def _function(entry: object, where: str, *, score: float | None = None) -> FeatureFunction:
    """One function of a JSON file; errors begin with where it stands."""
    if not isinstance(entry, dict) or not all(isinstance(entry.get(key), str) for key in ("name", "code")):
        raise InvalidInput(f'{where}: must be a function {{"name": TEXT, "code": TEXT}}, got {str(entry)[:60]}.')
    try:
        return FeatureFunction(name=entry["name"], code=entry["code"], score=score)
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error}") from None


class DocumentedFunctions(NamedTuple):
    """Feature functions, and for those with a docstring its first line by name."""

    functions: tuple[FeatureFunction, ...] = ()
    meanings: Mapping[str, str] = MappingProxyType({})


def read_function_file(file: str | Path, *, expected: str) -> DocumentedFunctions:
    """The public functions of a Python file with the first lines of their docstrings; nothing is run here."""
    path = Path(file)
    if not path.is_file():
        raise InvalidInput(f"{path}: file not found. Give {expected}.")
    try:
        source = path.read_text(encoding="utf-8-sig")  # editors may begin a file with a byte order mark
        tree = ast.parse(source, filename=str(path))
    except SyntaxError as error:
        raise InvalidInput(f"{path}, line {error.lineno}: {error.msg}. Correct the Python file.") from None
    except ValueError as error:  # no UTF-8, or a null byte
        raise InvalidInput(f"{path}: is not a Python file ({error}).") from None
    definitions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
    if not definitions:
        raise InvalidInput(f"{path}: defines no function. Each column is one: def debt_share(row): return ...")
    names = dict.fromkeys(node.name for node in definitions)  # the last of several functions of one name is the one
    docs = {node.name: (ast.get_docstring(node) or "").partition("\n")[0].strip() for node in definitions}
    return DocumentedFunctions(
        tuple(FeatureFunction(name=name, code=source) for name in names),
        {name: words.rstrip(".") for name, words in docs.items() if words},
    )


def source_lines(code: str) -> list[str]:
    r"""The lines of a source as Python counts them: a form feed or another separator of Unicode ends none.

    >>> source_lines("a = 'x\x0cy'\r\nb = 1")
    ["a = 'x\x0cy'", 'b = 1']
    """
    return _LINE_END.split(code)
