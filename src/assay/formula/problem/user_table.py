"""A table of one's own as a problem: no known formula, so accuracy, size and extrapolation are judged."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from assay.core import InvalidInput, UnknownName
from assay.core.arrays import BoolArray
from assay.formula.equivalence.sampling import Domain, check_domain
from assay.formula.expression.program import FloatArray
from assay.formula.problem.task import OWN, FormulaTask, FormulaTruth, Part, write_problem
from assay.intake.columns import demand_finite, read_columns
from assay.intake.table.options import TableOptions
from assay.intake.table.read import read_user_table
from assay.intake.table.reading import TableReading
from assay.intake.tables import is_parquet
from assay.intake.user_frame import is_plain

__all__ = ["demand_varied", "formula_names", "rows_inside", "write_table_problem"]

_FEWEST = 2
_NOT_IN_NAMES = re.compile(r"\W+")


def write_table_problem(
    folder: str | Path,
    table: str | Path,
    *,
    target: str,
    test: str | Path | None = None,
    holdout: float = 0.25,
    box: Domain | None = None,
    ignore: Sequence[str] = (),
    seed: int = 0,
    options: TableOptions | None = None,
    tell: Callable[[TableReading], None] | None = None,
) -> dict[str, str]:
    r"""Write a problem folder from a table of one's own.

    The same table gives the same bytes. Without a known formula, accuracy, size and extrapolation can be judged.

    Parameters
    ----------
    folder : str or Path
        The problem folder to write.
    table : str or Path
        A CSV file with a header, in any usual way to write one; Parquet or Excel.
    target : str
        The column to find a formula for.
    test : str or Path, optional
        A file with the test rows; by default a share of the table is drawn for it.
    holdout : float, default 0.25
        That share.
    box : mapping of str to (float, float), optional
        Bounds by column: rows outside are for extrapolation, nothing is fitted to them.
    ignore : sequence of str, optional
        Columns to leave out.
    seed : int, default 0
        Seed of the split.
    options : TableOptions, optional
        How the file is written; detected by default.
    tell : callable, optional
        Called with how each column was read.

    Returns
    -------
    dict of str to str
        The columns that were renamed, as formulas can only hold words.

    Raises
    ------
    InvalidInput
        A column does not exist, or too few rows are left.

    Examples
    --------
    >>> import tempfile
    >>> from assay.formula import load
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = Path(folder, "fall.csv")
    ...     rows = [f"{0.1 * i:.1f},{4.905 * (0.1 * i) ** 2:.4f}" for i in range(40)]
    ...     _ = table.write_text("\n".join(["time (s),way", *rows]))
    ...     write_table_problem(Path(folder, "fall"), table, target="way")
    ...     load(Path(folder, "fall")).task
    {'time (s)': 'time_s'}
    FormulaTask('fall': way from time_s; 30 training rows)
    """
    folder, table = Path(folder), Path(table)
    options = options or TableOptions()
    ignore = (*ignore, *options.ignore)
    options = replace(options, ignore=())  # a file of test rows need not have the columns to leave out
    reading = read_user_table(table, options)
    if tell is not None:
        tell(reading)
    header = [column.name for column in reading.columns]
    box = check_domain(box or {})
    for name in (target, *ignore, *box):
        if name not in header:
            raise InvalidInput(f"{table}: {UnknownName('column', name, header)}")
    columns = [name for name in header if name != target and name not in ignore]
    if not columns:
        raise InvalidInput(f"{table}: no column is left besides the target {target!r}.")
    renamed = dict(zip([*columns, target], formula_names([*columns, target]), strict=True))
    rows = _read_numbers(table, reading, (*columns, target), options)
    if target in box:
        raise InvalidInput(f"the box bounds inputs, not the target {target!r}.")
    bounds = {renamed[name]: limits for name, limits in box.items()}
    inside = rows_inside(rows, columns, box, where=table, options=options)
    inner, beyond = rows[inside], rows[~inside]
    if test is not None:
        further = read_user_table(test, options, like=reading)
        train, test_rows = inner, _read_numbers(Path(test), further, (*columns, target), options)
    else:
        train, test_rows = _split(inner, holdout, seed, table)
    if len(train) < _FEWEST:
        raise InvalidInput(f"{table}: {len(train)} rows are left to fit a formula to; at least {_FEWEST} are needed.")
    demand_varied(train[:, -1], target, where=table)
    name = _NOT_IN_NAMES.sub("-", table.stem).strip("-") or "table"
    variables = tuple(renamed[column] for column in columns)
    task = FormulaTask(
        name=name,
        variables=variables,
        target=renamed[target],
        parts=(Part(noise=0.0, inputs=train[:, :-1], target=train[:, -1]),),
        test_inputs=test_rows[:, :-1],
    )
    truth = FormulaTruth(
        formula=None,
        property=OWN,
        domain=bounds,
        test_inputs=test_rows[:, :-1],
        test_target=test_rows[:, -1],
        extrapolation_inputs=beyond[:, :-1] if box else None,
        extrapolation_target=beyond[:, -1] if box else None,
    )
    tags: dict[str, str | float] = {"property": OWN, "origin": "table", "variables": len(variables)}
    write_problem(folder, id=name, task=task, truth=truth, tags=tags)
    return {old: new for old, new in renamed.items() if old != new}


def rows_inside(
    rows: FloatArray, columns: Sequence[str], box: Domain, *, where: object, options: TableOptions
) -> BoolArray:
    """Which rows lie inside of a box; refused where it has too few rows inside or outside of it."""
    inside = np.ones(len(rows), dtype=np.bool_)
    ranges = []
    for name, (low, high) in box.items():
        values = rows[:, columns.index(name)]
        inside &= (values >= low) & (values <= high)
        ranges.append(f"{name} in {values.min():g}..{values.max():g}")
    count, total = int(inside.sum()), len(rows)
    if box and min(count, total - count) < _FEWEST:
        bounds = ",".join(f"{name}={low:g}:{high:g}" for name, (low, high) in box.items())
        side = f"{count} rows lie inside" if count < _FEWEST else f"{total - count} rows lie outside"
        flag = "--box" if options.syntax == "flags" else "box"
        raise InvalidInput(
            f"{where}, {flag} {bounds}: {side} of the box; the table has {', '.join(ranges)}. Give bounds around a "
            "part of the rows."
        )
    return inside


def demand_varied(target: FloatArray, name: str, *, where: object) -> None:
    """Refuse a target that is the same everywhere: there is no formula to find."""
    if np.ptp(target) == 0:
        raise InvalidInput(f"{where}: the target {name!r} is {target[0]:g} in every training row.")


def _read_numbers(path: Path, reading: TableReading, names: Sequence[str], options: TableOptions) -> FloatArray:
    """The named columns as a matrix of finite numbers, the target last."""
    by_name = {column.name: column for column in reading.columns}
    for name in names:
        if name not in by_name:
            raise InvalidInput(f"{path}: {UnknownName('column', name, by_name)}")
        if by_name[name].type in ("text", "datetime"):
            raise _no_numbers(path, reading, name, options, is_target=name == names[-1])
    if is_plain(path, reading) and not is_parquet(path):
        return read_columns(path, names)
    rows = np.column_stack([reading.frame[name].to_numpy(dtype=np.float64, na_value=np.nan) for name in names])
    demand_finite(rows, names, path)
    return rows


def _no_numbers(
    path: Path, reading: TableReading, name: str, options: TableOptions, *, is_target: bool
) -> InvalidInput:
    import pandas as pd

    texts = reading.frame[name].astype(str)
    row = int(pd.to_numeric(texts, errors="coerce").isna().to_numpy().argmax())
    other = options.remedy("target", "COLUMN") if is_target else options.remedy("ignore", name)
    remedy = f"name another column with {other}" if is_target else f"leave it out with {other}"
    return InvalidInput(
        f"{path}: column {name!r} must hold numbers, found {texts.iloc[row]!r} in row {row + 1}. Encode it as numbers, "
        f"or {remedy}."
    )


def _split(rows: FloatArray, holdout: float, seed: int, table: Path) -> tuple[FloatArray, FloatArray]:
    if not 0 < holdout < 1:
        raise InvalidInput(f"the share of rows to hold out must lie between 0 and 1, got {holdout}.")
    count = max(_FEWEST, round(holdout * len(rows)))
    if len(rows) - count < _FEWEST:
        raise InvalidInput(f"{table}: {len(rows)} rows are too few to fit on some and test on {count}.")
    order = np.random.default_rng(seed).permutation(len(rows))
    return rows[np.sort(order[count:])], rows[np.sort(order[:count])]


def formula_names(names: Sequence[str]) -> list[str]:
    """Names that formulas can hold, each once.

    >>> formula_names(["body mass (kg)", "2nd", "x", "body-mass [kg]"])
    ['body_mass_kg', '_2nd', 'x', 'body_mass_kg_2']
    """
    words: list[str] = []
    for name in names:
        word = _NOT_IN_NAMES.sub("_", name).strip("_") if _NOT_IN_NAMES.search(name) else name
        word = f"_{word}" if not word or word[0].isdigit() else word
        number = 2
        unique = word
        while unique in words:
            unique, number = f"{word}_{number}", number + 1
        words.append(unique)
    return words
