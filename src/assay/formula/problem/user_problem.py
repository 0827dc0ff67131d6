"""A problem from a table of one's own: with the true formula or without, noise, distractors, extrapolation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from assay.core import InvalidInput, Json, Tags, UnknownName
from assay.core.checks import demand_fraction, demand_share, demand_whole
from assay.core.display import counted
from assay.core.files.drafts import new_folder
from assay.formula.equivalence.dependence import used_variables
from assay.formula.equivalence.sampling import Domain, check_domain
from assay.formula.expression.expression import Expression
from assay.formula.expression.parser import parse
from assay.formula.expression.program import FloatArray, table_values
from assay.formula.generate.problem_builder import noise_sd
from assay.formula.metrics.accuracy import r_squared
from assay.formula.problem.number_table import FEWEST, NumberTable, read_numbers
from assay.formula.problem.task import OWN, FormulaTask, FormulaTruth, Part, Property, Role, write_problem
from assay.formula.problem.user_table import demand_varied
from assay.intake.new_problem import NewProblem, check_problems
from assay.intake.table.options import TableOptions
from assay.intake.table.reading import TableReading

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["new_problem"]

Table: TypeAlias = "str | Path | pd.DataFrame | TableReading | Any"

_FEW = {"training rows": 20, "test rows": 10, "extrapolation rows": 10}
_UNLIKELY = {"identifier": "an identifier", "constant": "a constant"}
_FITS, _REFUSED = 0.999, 0.75  # R² of a true formula: below the first there is a warning, below the second an error


def new_problem(
    folder: str | Path,
    table: Table,
    *,
    target: str,
    truth: str | None = None,
    test: Table | None = None,
    holdout: float = 0.25,
    box: Domain | None = None,
    extrapolation: Table | None = None,
    noise: Sequence[float] = (),
    property: str | None = None,
    ignore: Sequence[str] = (),
    seed: int = 0,
    id: str | None = None,
    tags: Tags | None = None,
    options: TableOptions | None = None,
) -> NewProblem:
    """Make a problem of a table of one's own, checked and ready to run.

    Without a known formula, accuracy, size and extrapolation are judged. With it, re-discovery is judged too, and test
    rows have the values of the formula, which are free of noise; columns that it does not use are distractors.

    Parameters
    ----------
    folder : str or Path
        The problem folder; must be new or empty.
    table : path, data frame or TableReading
        A CSV, Parquet or Excel file, a frame of pandas or polars, or what :func:`assay.read_table` gave.
    target : str
        The column to find a formula for. All other columns are inputs.
    truth : str, optional
        The true formula. It must fit the table with an R² of at least 0.75; below 0.999 there is a warning.
    test : path, data frame or TableReading, optional
        The test rows; by default a share of the table is drawn for them.
    holdout : float, default 0.25
        That share.
    box : mapping of str to (float, float), optional
        Bounds by column: rows outside are for extrapolation, nothing is fitted to them.
    extrapolation : path, data frame or TableReading, optional
        The extrapolation rows, instead of a box.
    noise : sequence of float, optional
        Shares of the target's variance: for each a training table with so much noise added to the target.
    property : str, optional
        The property that ranks subjects, where the truth is known. By default noise with two or more levels of it,
        extrapolation with rows for it, features with distractors, rediscovery otherwise.
    ignore : sequence of str, optional
        Columns to leave out.
    seed : int, default 0
        Seed of the split and of the noise; the same seed gives the same bytes.
    id : str, optional
        The problem's id; the folder's name by default.
    tags : mapping, optional
        Texts or numbers by name, for grouped statistics.
    options : TableOptions, optional
        How the files are to be read.

    Returns
    -------
    NewProblem
        What was written, with warnings and the next commands.

    Raises
    ------
    InvalidInput
        A column is missing or holds no numbers, too few rows are left, or the truth does not fit.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import pandas as pd
    >>> from assay.formula import load
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame(rng.uniform(1, 5, (100, 2)), columns=["m", "v"])
    >>> table["energy"] = table.m * table.v**2 / 2
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = new_problem(f"{folder}/energy", table, target="energy", truth="m*v**2/2", box={"v": (1, 4)})
    ...     load(f"{folder}/energy").truth
    FormulaTruth('m*v**2/2', made for extrapolation; 18 test rows)
    >>> made.facts["truth R²"]
    1.0
    """
    folder, options = Path(folder), options or TableOptions()
    options = replace(options, ignore=(*options.ignore, *ignore))
    demand_whole(seed, "seed")
    levels = _checked_levels(noise)
    own = read_numbers(table, target, options)
    bounds = check_domain(box or {})
    inside, beyond = own.split_by_box(bounds)
    if extrapolation is not None:
        if bounds:
            raise InvalidInput("give a box or a table for extrapolation, not both.")
        beyond = own.read_more(extrapolation)
    rng = np.random.default_rng(seed)
    train, test_rows = _split(inside, holdout, rng, own.source) if test is None else (inside, own.read_more(test))
    facts = _counted(train, test_rows, beyond, own)
    warnings = [
        f"{facts[what]} {what} are few: scores will be uncertain. {few} or more are a good start."
        for what, few in _FEW.items()
        if cast(int, facts.get(what, few)) < few
    ]
    warnings += [
        f"the input {column.name!r} looks like {what} ({column.why}). Leave it out: "
        f"{options.remedy('ignore', column.name)}."
        for column in own.readings[0].columns
        if column.name != target and (what := _UNLIKELY.get(column.role))
    ]
    roles: dict[str, Role] = {}
    if truth is not None:
        tree = _parsed(truth, own)
        fit_facts, fit_warnings = _fit(tree, truth, own, [train, test_rows, *([] if beyond is None else [beyond])])
        facts |= fit_facts
        warnings += fit_warnings
        used = used_variables(tree, domain=own.bounds(inside), names=own.variables)
        roles = {name: "relevant" if name in used else "irrelevant" for name in own.variables}
        test_rows = own.with_target(test_rows, tree)
        beyond = None if beyond is None else own.with_target(beyond, tree)
    parts, sds = _noisy(train, levels, rng)
    task = FormulaTask(name=id or folder.name, variables=own.variables, target=own.renamed[target], parts=parts)
    hidden = FormulaTruth(
        formula=truth,
        property=_property(property, truth=truth, levels=levels, beyond=beyond, roles=roles),
        domain={own.renamed[name]: limits for name, limits in bounds.items()},
        test_inputs=test_rows[:, :-1],
        test_target=test_rows[:, -1],
        extrapolation_inputs=None if beyond is None else beyond[:, :-1],
        extrapolation_target=None if beyond is None else beyond[:, -1],
        roles=roles,
        noise_sds=sds if levels else (),
    )
    facts["property"] = hidden.property
    standard_tags: Tags = {"property": hidden.property, "origin": "table", "variables": len(own.variables)}
    with new_folder(folder) as place:
        write_problem(place, id=task.name, task=task, truth=hidden, tags={**standard_tags, **(tags or {})})
        _, scores = check_problems("formula", place, oracle=truth is not None)
    return NewProblem(
        track="formula",
        folder=folder,
        problems=(task.name,),
        facts=facts,
        warnings=tuple(warnings),
        notes=tuple(f"In formulas, {old!r} is called {new}." for old, new in own.renamed.items() if old != new),
        tables=tuple(own.readings),
        oracle=scores,
        subjects=("linear", "polynomial"),
    )


def _split(rows: FloatArray, holdout: float, rng: np.random.Generator, source: str) -> tuple[FloatArray, FloatArray]:
    demand_fraction(holdout, "holdout")
    count = max(FEWEST, round(holdout * len(rows)))
    if len(rows) - count < FEWEST:
        raise InvalidInput(f"{source}: {counted(len(rows), 'row')} cannot be split into training and test rows.")
    order = rng.permutation(len(rows))
    return rows[np.sort(order[count:])], rows[np.sort(order[:count])]


def _counted(train: FloatArray, test: FloatArray, beyond: FloatArray | None, own: NumberTable) -> dict[str, Json]:
    if len(train) < FEWEST:
        raise InvalidInput(
            f"{own.source}: {counted(len(train), 'row')} to fit a formula to; at least {FEWEST} are needed."
        )
    demand_varied(train[:, -1], own.columns[-1], where=own.source)
    beyond_fact = {} if beyond is None else {"extrapolation rows": len(beyond)}
    return {"variables": len(own.variables), "training rows": len(train), "test rows": len(test), **beyond_fact}


def _parsed(truth: str, own: NumberTable) -> Expression:
    try:
        return parse(truth, names=own.variables, dialect="plain")
    except InvalidInput as error:
        raise InvalidInput(f"truth {truth!r}: {error}") from None


def _fit(
    tree: Expression, truth: str, own: NumberTable, tables: Sequence[FloatArray]
) -> tuple[dict[str, Json], list[str]]:
    """How well the true formula fits all rows."""
    rows = np.concatenate(tables)
    values = table_values(tree, own.variables, rows[:, :-1])
    undefined = int((~np.isfinite(values)).sum())
    if undefined:
        raise InvalidInput(f"truth {truth!r}: has no finite real value in {undefined} of {len(rows)} rows.")
    residuals = np.abs(rows[:, -1] - values)
    worst = int(residuals.argmax())
    r2, largest = r_squared(rows[:, -1], values), float(residuals[worst])
    figure = (
        f"truth {truth!r}: fits {own.columns[-1]!r} with an R² of {r2:.4g}; the largest residual is {largest:.4g}, "
        f"where the table says {rows[worst, -1]:.6g} and the formula {values[worst]:.6g}"
    )
    if not r2 >= _REFUSED:
        raise InvalidInput(
            f"{figure}. At least {_REFUSED:g} is needed. Check its constants and units, or leave the truth out."
        )
    warnings = [] if r2 >= _FITS else [f"{figure}. Test rows have the formula's values; is it the right one?"]
    return {"truth R²": round(r2, 9), "largest residual": float(f"{largest:.6g}")}, warnings


def _checked_levels(noise: Sequence[float]) -> tuple[float, ...]:
    levels = tuple(noise)
    for level in levels:
        demand_share(level, "noise")
    if len(set(levels)) < len(levels):
        raise InvalidInput(f"noise: each level must differ from the others, got {', '.join(map(str, levels))}.")
    return tuple(float(level) for level in levels)


def _noisy(
    train: FloatArray, levels: Sequence[float], rng: np.random.Generator
) -> tuple[tuple[Part, ...], tuple[float, ...]]:
    """The training rows once for each level, each with noise of its own."""
    inputs, clean = train[:, :-1], train[:, -1]
    sds = tuple(noise_sd(float(np.std(clean)), level) for level in levels or (0.0,))
    return tuple(
        Part(noise=level, inputs=inputs, target=clean + stream.normal(0.0, sd, size=len(clean)) if sd else clean)
        for level, sd, stream in zip(levels or (0.0,), sds, rng.spawn(len(sds)), strict=True)
    ), sds


def _property(
    requested: str | None,
    *,
    truth: str | None,
    levels: Sequence[float],
    beyond: FloatArray | None,
    roles: Mapping[str, Role],
) -> Property:
    """What ranks subjects on this problem."""
    possible: dict[Property, bool] = {
        "noise": len(levels) > 1,
        "extrapolation": beyond is not None,
        "features": "irrelevant" in roles.values(),
        "rediscovery": truth is not None,
    }
    if truth is None:
        if requested not in (None, OWN):
            raise InvalidInput(f"property {requested!r}: needs the true formula: --truth FORMULA, truth= in Python.")
        return OWN
    offered = [name for name, there in possible.items() if there]
    if requested is None:
        return offered[0]
    if requested not in offered:
        raise UnknownName("property for this material", requested, offered)
    return requested
