"""Feature functions: source code that computes one insight column, row by row."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path

from assay.core import InvalidInput
from assay.core.display import counted, shortened
from assay.intake.fields import demand_text

__all__ = ["LONGEST_CODE", "FeatureFunction", "read_function_file", "read_functions", "score_of"]

LONGEST_CODE = 1_000_000  # characters
_LONGEST_SHOWN = 4000


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
                given = str(self.score)[:60]
                raise InvalidInput(f"feature function {self.name!r}: score must be a finite number, got {given}.")
            object.__setattr__(self, "score", score)


def score_of(text: str) -> float | None:
    """The number that a text says; None when it says none, or none that can be ranked.

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

    Scores are the keys of the first, as texts; they are ranked as the numbers they say.
    """
    ranked = content.get("sorted_feature_functions")
    if ranked is None:
        ranked = {}
    if not isinstance(ranked, dict):
        raise InvalidInput(
            f"{path}: 'sorted_feature_functions' must map scores to functions, got {type(ranked).__name__}."
        )
    functions = [
        _function(entry, score_of(score), f"{path}: 'sorted_feature_functions', {score[:60]!r}")
        for score, entry in ranked.items()
    ]
    functions.sort(key=lambda function: math.inf if function.score is None else -function.score)
    new = content.get("new_feature_functions")
    if new is None:
        new = []
    if not isinstance(new, list):
        raise InvalidInput(f"{path}: 'new_feature_functions' must be a list, got {type(new).__name__}.")
    functions += [
        _function(entry, None, f"{path}: 'new_feature_functions'[{place}]") for place, entry in enumerate(new)
    ]
    return tuple(functions)


def _function(entry: object, score: float | None, where: str) -> FeatureFunction:
    if not isinstance(entry, dict) or not all(isinstance(entry.get(key), str) for key in ("name", "code")):
        raise InvalidInput(f'{where}: must be a function {{"name": TEXT, "code": TEXT}}, got {str(entry)[:60]}.')
    try:
        return FeatureFunction(name=entry["name"], code=entry["code"], score=score)
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error}") from None


def read_function_file(given: str | Path, *, wanted: str) -> tuple[tuple[FeatureFunction, ...], dict[str, str]]:
    """The public functions of a Python file, and the first line of the docstring of each; nothing is run here."""
    path = Path(given)
    if not path.is_file():
        raise InvalidInput(f"{path}: file not found. Give {wanted}.")
    try:
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source, filename=str(path))
    except SyntaxError as error:
        raise InvalidInput(f"{path}, line {error.lineno}: {error.msg}. Correct the Python file.") from None
    except ValueError as error:  # no UTF-8, or a null byte
        raise InvalidInput(f"{path}: is not a Python file ({error}).") from None
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
    if not found:
        raise InvalidInput(f"{path}: defines no function. Each column is one: def debt_share(row): return ...")
    names = dict.fromkeys(node.name for node in found)  # the last of several functions of one name is the one
    docs = {node.name: (ast.get_docstring(node) or "").partition("\n")[0].strip() for node in found}
    return (
        tuple(FeatureFunction(name=name, code=source) for name in names),
        {name: words.rstrip(".") for name, words in docs.items() if words},
    )
