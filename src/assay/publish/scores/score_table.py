"""A long table of scores, a row each: read, and refused with its rows and the remedy where something is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assay.core import InvalidInput, UnknownName
from assay.core.errors import near_key
from assay.core.files.folders import demand_file
from assay.intake.csv_scan import scan_csv
from assay.intake.table.layout.separators import find_separator
from assay.intake.table.layout.source import read_source
from assay.intake.table.options import TableOptions
from assay.intake.tables import is_parquet, read_table
from assay.report.wording import some_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CELL", "TAG", "read_scores"]

CELL: Final = ("subject", "problem", "seed")
TAG: Final = "tag."  # before the name of a tag of the problem
_NEEDED: Final = ("subject", "problem", "seed", "metric", "value", "direction")
_TEXTS: Final = ("subject", "problem", "metric", "direction")
_DEFAULT: Final = TableOptions()
_LOOKED_AT: Final = 200  # lines that the separator is found in
_SHOWN: Final = 3  # rows, or cells, that an error names
_LARGEST_SEED: Final = 2**53  # up to which a number in a table is exact


def read_scores(path: Path, options: TableOptions = _DEFAULT) -> pd.DataFrame:
    """The rows of a table with the columns subject, problem, seed, metric, value and direction, and ``tag.NAME``.

    What is said of the table wins; separator, encoding and decimal commas are found. Every row has a place in the error
    that refuses it: the line of a text file, or the row of a Parquet file.
    """
    demand_file(path)
    frame = read_table(path) if is_parquet(path) else _read_texts(path, options)
    for role, name in options.columns.items():
        if role not in _NEEDED:
            raise UnknownName("role of a column", role, _NEEDED)
        if name not in frame.columns:
            raise UnknownName(f"column of {path}", name, list(map(str, frame.columns)))
        frame = frame.drop(columns=role, errors="ignore").rename(columns={name: role})
    frame = frame.drop(columns=list(options.ignore), errors="ignore")
    for name in _NEEDED:
        if name not in frame.columns:
            near = near_key(name, list(map(str, frame.columns)))
            raise InvalidInput(
                f"{path}: the column {name!r} is missing.{near} A row holds one score: {', '.join(_NEEDED)}; columns "
                f"{TAG}NAME are tags of the problems."
            )
    if frame.empty:
        raise InvalidInput(f"{path}: the table has no rows. Write one for each score.")
    frame = frame[[*_NEEDED, *(name for name in frame.columns if str(name).startswith(TAG))]].copy()
    for name in _TEXTS:
        texts = frame[name].astype("string").str.strip()
        _refuse(path, texts.isna() | (texts == ""), f"{name!r} is empty", "Fill it in, or leave the row out")
        frame[name] = texts.astype(object)
    _numbers(path, frame)
    wrong = ~frame["direction"].isin(["max", "min"])
    _refuse(path, wrong, "'direction' is neither max nor min", "Write max where more is better, else min")
    _demand_one_direction(path, frame)
    twice = frame.duplicated([*CELL, "metric"], keep=False)
    _refuse(
        path,
        twice,
        "the same subject, problem, seed and metric occur more than once",
        "Leave one of them, or give seeds",
    )
    _demand_one_tag(path, frame)
    return frame


def _read_texts(path: Path, options: TableOptions) -> pd.DataFrame:
    """The cells as they are written, those of ``value`` with points; of commas in UTF-8 each line is looked at."""
    source = read_source(path, options)
    cut = find_separator(source.text.splitlines()[:_LOOKED_AT], options, str(path))
    if cut.sign == "," and source.encoding.startswith(("utf-8", "ascii")):
        scan_csv(path)
    frame = read_table(
        path, sep=cut.sign, quotechar=cut.quote, encoding=source.encoding, dtype=str, keep_default_na=False
    )
    value = options.columns.get("value", "value")
    if cut.sign != "," and value in frame.columns:
        frame[value] = frame[value].str.replace(",", ".")
    return frame


def _numbers(path: Path, frame: pd.DataFrame) -> None:
    import numpy as np
    import pandas as pd

    for name in ("seed", "value"):
        numbers = pd.to_numeric(frame[name], errors="coerce").astype(float)
        if name == "seed":
            bad = ~np.isfinite(numbers) | (numbers % 1 != 0) | (numbers < 0) | (numbers > _LARGEST_SEED)
            _refuse(path, bad, "'seed' is not a whole number of at least 0", "Write 0 where there is one run only")
            frame[name] = numbers.astype("int64")
            continue
        remedy = "Leave the row out and add --allow-gaps (allow_gaps=True in Python) where a score is undefined"
        _refuse(path, ~np.isfinite(numbers), "'value' is not a finite number", remedy)
        frame[name] = numbers


def _refuse(path: Path, wrong: Any, what: str, remedy: str) -> None:
    """Refuse the rows that are marked, by their places."""
    import numpy as np

    rows = np.asarray(wrong, dtype=bool).nonzero()[0]
    if not rows.size:
        return
    kind, first = ("row", 1) if is_parquet(path) else ("line", 2)  # below the header
    places = some_of([str(number + first) for number in rows.tolist()], _SHOWN)
    raise InvalidInput(f"{path}, {kind}{'s' * (rows.size > 1)} {places}: {what}. {remedy}.")


def _demand_one_direction(path: Path, frame: pd.DataFrame) -> None:
    first = frame.groupby("metric", sort=False)["direction"].transform("first")
    mixed = frame["direction"] != first
    if mixed.any():
        name = frame["metric"][mixed].iloc[0]
        what = f"metric {name!r} has another direction than before"
        _refuse(path, mixed & (frame["metric"] == name), what, "Give a metric one direction, or two names")


def _demand_one_tag(path: Path, frame: pd.DataFrame) -> None:
    for name in frame.columns[len(_NEEDED) :]:
        first = frame.groupby("problem", sort=False)[name].transform("first")
        differs = (frame[name] != first) & ~(frame[name].isna() & first.isna())
        _refuse(path, differs, f"{name!r} of the problem is another one than before", "Give a problem one value of it")
