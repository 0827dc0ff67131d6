"""A table of one's own as a problem: no known formula, so accuracy, size and extrapolation are judged."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from assay.core import InvalidInput, UnknownName
from assay.formula.equivalence.sampling import Domain, check_domain
from assay.formula.expression.program import FloatArray
from assay.formula.problem.task import OWN, FormulaTask, FormulaTruth, Part, write_problem
from assay.intake.columns import read_columns, read_header

__all__ = ["formula_names", "write_table_problem"]

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
) -> dict[str, str]:
    """Write a problem folder from a CSV file; gives the names that were changed, as formulas can only hold words.

    Test rows come from the file ``test``, else a share ``holdout`` of the rows is drawn for it. Rows outside of ``box``
    (bounds by the columns' own names) are for extrapolation: nothing is fitted to them. The same table gives the same
    bytes.
    """
    folder, table = Path(folder), Path(table)
    header = read_header(table)
    for name in (target, *ignore, *(box or {})):
        if name not in header:
            raise InvalidInput(f"{table}: {UnknownName('column', name, header)}")
    columns = [name for name in header if name != target and name not in ignore]
    if not columns:
        raise InvalidInput(f"{table}: no column is left beside the target {target!r}.")
    renamed = dict(zip([*columns, target], formula_names([*columns, target]), strict=True))
    rows = read_columns(table, (*columns, target))
    if target in (box or {}):
        raise InvalidInput(f"the box bounds inputs, not the target {target!r}.")
    bounds = {renamed[name]: limits for name, limits in check_domain(box or {}).items()}
    inside = np.ones(len(rows), dtype=bool)
    for name, (low, high) in (box or {}).items():
        values = rows[:, columns.index(name)]
        inside &= (values >= low) & (values <= high)
    known, beyond = rows[inside], rows[~inside]
    if test is not None:
        train, held = known, read_columns(Path(test), (*columns, target))
    else:
        train, held = _split(known, holdout, seed, table)
    if box and len(beyond) < _FEWEST:
        raise InvalidInput(f"{table}: {len(beyond)} rows lie outside of the box; give bounds that leave some out.")
    if len(train) < _FEWEST:
        raise InvalidInput(f"{table}: {len(train)} rows are left to fit a formula to; at least {_FEWEST} are needed.")
    name = _NOT_IN_NAMES.sub("-", table.stem).strip("-") or "table"
    variables = tuple(renamed[column] for column in columns)
    task = FormulaTask(
        name=name,
        variables=variables,
        target=renamed[target],
        parts=(Part(noise=0.0, inputs=train[:, :-1], target=train[:, -1]),),
    )
    truth = FormulaTruth(
        formula=None,
        property=OWN,
        domain=bounds,
        test_inputs=held[:, :-1],
        test_target=held[:, -1],
        extrapolation_inputs=beyond[:, :-1] if box else None,
        extrapolation_target=beyond[:, -1] if box else None,
    )
    tags: dict[str, str | float] = {"property": OWN, "origin": "table", "variables": len(variables)}
    write_problem(folder, id=name, task=task, truth=truth, tags=tags)
    return {old: new for old, new in renamed.items() if old != new}


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
