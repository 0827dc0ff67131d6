"""Feature functions as source: named, described, standing alone."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Collection
from typing import Any

import pandas as pd

from assay.insight.answer.functions import LONGEST_CODE, FeatureFunction
from assay.insight.search.kernels import KERNELS, kernel_source
from assay.insight.search.recipes import Recipe, SourceDraft

__all__ = ["name_for", "write_function"]

_LONGEST_NAME = 70
_HEAD = "import re\nfrom datetime import UTC, datetime\n\nimport numpy as np\nimport pandas as pd\n\nkept = {}\n"


def name_for(recipe: Recipe, names: Collection[str]) -> str:
    """A short name that is a Python name and not taken."""
    text = re.sub(r"\.csv|_table\b", "", recipe.slug)
    text = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_").lower()
    text = re.sub(r"_+", "_", text)[:_LONGEST_NAME].strip("_") or "feature"
    if text[0].isdigit() or keyword.iskeyword(text) or text in KERNELS:
        text = f"feature_{text}"
    name, number = text, 2
    while name in names:
        name, number = f"{text}_{number}", number + 1
    return name


def write_function(
    recipe: Recipe, name: str, test: pd.DataFrame | None, *, score: float | None = None
) -> FeatureFunction | None:
    """The function of a recipe; ``test`` are rows that count with the training rows where the primary table is used.

    None when it would be longer than a function may be.
    """
    out = SourceDraft()
    expression = recipe.write(out)
    parts = [_HEAD]
    if out.train:
        parts.append(_pooled(sorted(out.pooled), out, test))
    arguments = ["row", *(["df_train"] if out.train else []), *(["aux_dataframes"] if out.tables else [])]
    words = recipe.words.replace("\\", " ").replace('"', "'")
    body = f'def {name}({", ".join(arguments)}):\n    """{words[:1].upper()}{words[1:]}."""\n    return {expression}\n'
    text = "\n\n\n".join([*out.setup, body])
    names = {node.id for node in ast.walk(ast.parse(text + "\n".join(parts))) if isinstance(node, ast.Name)}
    code = "\n\n".join([parts[0], kernel_source(sorted(names)), *parts[1:], text])
    return None if len(code) >= LONGEST_CODE else FeatureFunction(name=name, code=code, score=score)


def _pooled(columns: list[str], out: SourceDraft, test: pd.DataFrame | None) -> str:
    """The training rows, and beside them other rows of the primary table whose inputs are known."""
    text = "\n".join(out.setup)
    stacked = "stacked(" in text  # names the columns that it takes
    used = [column for column in columns if (repr(column) if stacked else f"t[{column!r}]") in text]
    if test is None:
        return f"def pooled(train):\n    return train[{used!r}].reset_index(drop=True)"
    lines = [f"    {column!r}: {_literal(test[column])},\n" for column in used]
    rows = (
        "# inputs of further rows of the primary table, without their target\nOTHERS = {\n" + "".join(lines) + "}\n\n\n"
    )
    return rows + (
        "def pooled(train):\n"
        "    known = {name: train[name].tolist() + values for name, values in OTHERS.items()}\n"
        "    return pd.DataFrame(known)"
    )


def _literal(values: pd.Series[Any]) -> str:
    cells = [None if pd.isna(value) else value for value in values.tolist()]
    plain = [value if value is None or isinstance(value, bool | int | float | str) else str(value) for value in cells]
    infinite = (float("inf"), float("-inf"))
    literals = [f"float({str(value)!r})" if value in infinite else repr(value) for value in plain]
    return f"[{', '.join(literals)}]"
