"""Problems of the formula track: tables to find a formula from, and the formula that only examination sees."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias, cast, get_args

import numpy as np
from markupsafe import Markup

from assay.core import InvalidInput, Json, Problem, Tags, UnknownName, read_manifest
from assay.core.display import counted, object_html, shortened
from assay.core.files.text import read_text, write_json
from assay.formula.equivalence.sampling import Domain
from assay.formula.expression.parser import parse
from assay.formula.expression.program import FloatArray, compute
from assay.formula.expression.typesetting import typeset_text
from assay.formula.problem.files import read_box, read_names, read_parts, read_truth_file
from assay.intake.columns import read_columns, write_columns

__all__ = [
    "OWN",
    "PROPERTIES",
    "FormulaTask",
    "FormulaTruth",
    "Part",
    "Property",
    "Role",
    "Surrogate",
    "bounds_of",
    "load",
    "write_problem",
]

Property: TypeAlias = Literal["rediscovery", "local-optima", "features", "extrapolation", "noise", "own"]
Role: TypeAlias = Literal["relevant", "irrelevant", "surrogate"]

OWN: Property = "own"
PROPERTIES: tuple[Property, ...] = ("rediscovery", "local-optima", "features", "extrapolation", "noise")

_TRACK = "formula"
_FORMULA = "truth/formula.txt"
_FEW = 6  # variables that are named and not counted
_NOWHERE: Mapping[str, tuple[float, float]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Part:
    """One training table: its noise as a share of the target's variance, inputs of shape (rows, variables), target."""

    noise: float
    inputs: FloatArray
    target: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FormulaTask:
    """What a subject sees: training tables over the same variables, one except for problems about noise.

    Parameters
    ----------
    name : str
        The problem's id.
    variables : tuple of str
        The names of the inputs, in the order of the columns.
    target : str
        The name of the target.
    parts : tuple of Part
        The training tables, each with ``inputs`` of shape (rows, variables), a ``target`` and the ``noise`` in it.
    test_inputs : ndarray of shape (rows, variables), optional
        The test rows where no formula is known: there a model without a formula is judged by what it predicts.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.formula.problem.task import Part
    >>> part = Part(noise=0.0, inputs=np.array([[1.0], [2.0]]), target=np.array([1.0, 4.0]))
    >>> FormulaTask(name="square", variables=("x",), target="y", parts=(part,))
    FormulaTask('square': y from x; 2 training rows)
    """

    name: str
    variables: tuple[str, ...]
    target: str
    parts: tuple[Part, ...]
    test_inputs: FloatArray | None = None

    def __repr__(self) -> str:
        return f"FormulaTask({shortened(self.name)!r}: {self._what()}; {self._rows()})"

    def _repr_html_(self) -> str:
        facts = {"asks": f"a formula for {self._what()}", "sees": self._rows(), "variables": ", ".join(self.variables)}
        rows = [(part.noise, len(part.target)) for part in self.parts]
        return object_html(f"Task {self.name}", facts, columns=("noise", "training rows"), rows=rows, total=len(rows))

    def _what(self) -> str:
        few = len(self.variables) <= _FEW
        inputs = shortened(", ".join(self.variables)) if few else f"{len(self.variables)} variables"
        return f"{shortened(self.target)} from {inputs}"

    def _rows(self) -> str:
        rows = counted(sum(len(part.target) for part in self.parts), "training row")
        return rows if len(self.parts) == 1 else f"{rows} in {counted(len(self.parts), 'table')}"


class Surrogate(NamedTuple):
    """A feature that approximates a part of the formula: that part plus N(mean, sd²)."""

    formula: str
    mean: float
    sd: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FormulaTruth:
    """The formula, noise-free test data, and what was planted; ``formula`` is None for data of one's own.

    Parameters
    ----------
    formula : str or None
        The true formula; None for data of one's own.
    property : str
        The property that the problem was made for: ``rediscovery``, ``local-optima``, ``features``, ``extrapolation``,
        ``noise``, or ``own``.
    domain : mapping of str to (float, float)
        The training box: bounds by variable.
    test_inputs : ndarray of shape (rows, variables)
        The test rows.
    test_target : ndarray of shape (rows,)
        Their target, free of noise.
    extrapolation_inputs : ndarray, optional
        Rows outside of the training box.
    extrapolation_target : ndarray, optional
        Their target.
    extrapolation_box : mapping of str to (float, float)
        The wider box whose points outside of ``domain`` make the extrapolation partition.
    roles : mapping of str to str
        What each variable is for: ``relevant``, ``irrelevant`` or ``surrogate``.
    planted : mapping of str to Surrogate
        For each surrogate the part of the formula that it stands for.
    noise_sds : tuple of float
        The standard deviation of the noise in each training table.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.array([[1.0], [2.0]])
    >>> FormulaTruth(
    ...     formula="x**2", property="rediscovery", domain={"x": (0, 2)}, test_inputs=rows, test_target=rows[:, 0] ** 2
    ... )
    FormulaTruth('x**2', made for rediscovery; 2 test rows)
    """

    formula: str | None
    property: Property
    domain: Domain
    test_inputs: FloatArray
    test_target: FloatArray
    extrapolation_inputs: FloatArray | None = None
    extrapolation_target: FloatArray | None = None
    extrapolation_box: Domain = field(default_factory=lambda: _NOWHERE)
    roles: Mapping[str, Role] = field(default_factory=dict)
    planted: Mapping[str, Surrogate] = field(default_factory=dict)
    noise_sds: tuple[float, ...] = ()

    def __repr__(self) -> str:
        formula = "no known formula" if self.formula is None else repr(shortened(self.formula))
        return f"FormulaTruth({formula}, made for {self.property}; {counted(len(self.test_target), 'test row')})"

    def _repr_html_(self) -> str:
        formula = "not known" if self.formula is None else Markup(typeset_text(self.formula))
        rows = {"test rows": self.test_target, "rows beyond the training box": self.extrapolation_target}
        facts = {"formula": formula, "property": self.property}
        facts |= {name: str(len(target)) for name, target in rows.items() if target is not None}
        return object_html("Truth", facts, columns=("variable", "role"), rows=self.roles.items(), total=len(self.roles))

    def _of(self, role: Role) -> tuple[str, ...]:
        return tuple(name for name, actual in self.roles.items() if actual == role)

    @builtins.property
    def relevant(self) -> tuple[str, ...]:
        """The variables of the formula."""
        return self._of("relevant")

    @builtins.property
    def irrelevant(self) -> tuple[str, ...]:
        """Variables that have nothing to do with the target."""
        return self._of("irrelevant")

    @builtins.property
    def surrogates(self) -> tuple[str, ...]:
        """Variables that stand for a part of the formula."""
        return self._of("surrogate")


def load(folder: str | Path) -> Problem[FormulaTask, FormulaTruth]:
    """Read and check one problem folder.

    Parameters
    ----------
    folder : str or Path
        A folder with ``problem.json``, ``train.csv`` and ``truth/``.

    Returns
    -------
    Problem
        The problem, with a ``FormulaTask`` and a ``FormulaTruth``.

    Raises
    ------
    InvalidInput
        A file is missing or malformed; the message names it and the remedy.

    Examples
    --------
    >>> import tempfile
    >>> from assay.formula import generate
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     generate(folder, problems=1, seed=7, properties=["features"], difficulties=["easy"])
    ...     problem = load(Path(folder, "select-7-000"))
    >>> problem.id, len(problem.task.variables), problem.truth.property
    ('select-7-000', 20, 'features')
    """
    folder = Path(folder)
    manifest = read_manifest(folder, track=_TRACK)
    where, content = f"problem {manifest.id!r} ({folder / 'problem.json'})", manifest.content
    target = content.get("target")
    if not isinstance(target, str) or not target:
        raise InvalidInput(f"{where}: 'target' must name the column to predict, got {target!r}.")
    variables = read_names(content.get("variables"), target, where=where)
    columns = (*variables, target)
    parts = []
    for entry in read_parts(content.get("parts"), where=where):
        values = read_columns(folder / entry.file, columns)
        parts.append(Part(noise=entry.noise, inputs=values[:, :-1], target=values[:, -1]))
    task = FormulaTask(name=manifest.id, variables=variables, target=target, parts=tuple(parts))
    truth = _load_truth(folder, task, content, where=where)
    if truth.property != OWN:
        task = replace(task, name=f"task-{manifest.digest[:8]}")  # ids say what a problem was made for
    if truth.formula is None:
        task = replace(task, test_inputs=truth.test_inputs)
    return Problem(id=manifest.id, digest=manifest.digest, task=task, truth=truth, tags=manifest.tags, track=_TRACK)


def has_formula(folder: Path) -> bool:
    """Whether the true formula of a problem folder is known."""
    return (folder / _FORMULA).is_file()


def _load_truth(folder: Path, task: FormulaTask, content: Mapping[str, object], *, where: str) -> FormulaTruth:
    columns = (*task.variables, task.target)
    secret = folder / "truth"
    formula = read_text(folder / _FORMULA).strip() if has_formula(folder) else None
    hidden = read_truth_file(secret / "truth.json", task.variables)
    test = read_columns(secret / "test.csv", columns)
    beyond = read_columns(secret / "extrapolation.csv", columns) if (secret / "extrapolation.csv").is_file() else None
    declared = hidden.property or content.get("property", OWN if formula is None else "rediscovery")
    if declared not in get_args(Property):
        raise InvalidInput(f"{where}: {UnknownName('property', str(declared), [*PROPERTIES, OWN])}")
    inside = {
        name: bounds_of(np.concatenate([part.inputs[:, place] for part in task.parts]))
        for place, name in enumerate(task.variables)
    }
    truth = FormulaTruth(
        formula=formula,
        property=cast(Property, declared),
        domain={**inside, **read_box(content.get("domain", {}), task.variables, where=f"{where}: 'domain'")},
        test_inputs=test[:, :-1],
        test_target=test[:, -1],
        extrapolation_inputs=None if beyond is None else beyond[:, :-1],
        extrapolation_target=None if beyond is None else beyond[:, -1],
        extrapolation_box=hidden.box,
        roles=cast(Mapping[str, Role], hidden.roles),
        planted={name: Surrogate(*entry) for name, entry in hidden.planted.items()},
        noise_sds=hidden.noise_sds,
    )
    _check(task, truth, where=where)
    return truth


def bounds_of(values: FloatArray) -> tuple[float, float]:
    """The range of the values, a little wider where there is one value only."""
    low, high = float(values.min()), float(values.max())
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def _check(task: FormulaTask, truth: FormulaTruth, *, where: str) -> None:
    """What the property needs is there."""
    needs = {
        "rediscovery": (truth.formula, "truth/formula.txt"),
        "local-optima": (truth.surrogates, "a variable with the role 'surrogate' in truth/truth.json"),
        "features": (truth.irrelevant, "a variable with the role 'irrelevant' in truth/truth.json"),
        "extrapolation": (truth.extrapolation_target is not None, "truth/extrapolation.csv"),
        "noise": (len(task.parts) > 1, "at least two entries in 'parts'"),
    }
    there, what = needs.get(truth.property, (True, ""))
    if not there:
        raise InvalidInput(f"{where}: a problem with the property {truth.property!r} needs {what}.")
    levels = [part.noise for part in task.parts]
    if len(set(levels)) != len(levels):
        raise InvalidInput(f"{where}: 'parts' must differ in their noise, got {levels}.")
    if len(truth.test_target) < 2:
        raise InvalidInput(f"{where}: truth/test.csv needs at least two rows.")
    if truth.extrapolation_target is not None and len(truth.extrapolation_target) < 2:
        raise InvalidInput(f"{where}: truth/extrapolation.csv needs at least two rows.")
    if truth.formula is not None:
        try:
            tree = parse(truth.formula, names=task.variables, dialect="plain")
        except InvalidInput as error:
            raise InvalidInput(f"{where}: truth/formula.txt: {error}") from None
        columns = dict(zip(task.variables, truth.test_inputs.T, strict=True))
        missing = int((~np.isfinite(compute(tree, columns))).sum())
        if missing:
            raise InvalidInput(f"{where}: truth/formula.txt has no finite real value in {missing} rows of test.csv.")


def write_problem(folder: Path, *, id: str, task: FormulaTask, truth: FormulaTruth, tags: Tags) -> None:
    """Write one problem folder; the same problem gives the same bytes."""
    folder = Path(folder)
    _check(task, truth, where=f"problem {id!r}")
    columns = (*task.variables, task.target)
    several = len(task.parts) > 1
    files = [f"train_{round(100 * part.noise):02d}.csv" if several else "train.csv" for part in task.parts]
    if len(set(files)) < len(files):
        files = [f"train_part{place}.csv" for place in range(len(files))]
    manifest: dict[str, Json] = {
        "id": id,
        "track": _TRACK,
        "tags": dict(tags),
        "variables": list(task.variables),
        "target": task.target,
        "domain": _plain_box(truth.domain),
        "parts": [{"file": file, "noise": part.noise} for file, part in zip(files, task.parts, strict=True)],
    }
    write_json(folder / "problem.json", manifest)
    for file, part in zip(files, task.parts, strict=True):
        write_columns(folder / file, columns, np.column_stack([part.inputs, part.target]))
    write_columns(folder / "truth" / "test.csv", columns, np.column_stack([truth.test_inputs, truth.test_target]))
    for name in ("extrapolation.csv", "formula.txt"):  # of a problem that was written here before
        (folder / "truth" / name).unlink(missing_ok=True)
    if truth.extrapolation_inputs is not None and truth.extrapolation_target is not None:
        beyond = np.column_stack([truth.extrapolation_inputs, truth.extrapolation_target])
        write_columns(folder / "truth" / "extrapolation.csv", columns, beyond)
    if truth.formula is not None:
        (folder / "truth" / "formula.txt").write_text(truth.formula + "\n", encoding="utf-8", newline="\n")
    hidden: dict[str, Json] = {
        # not in problem.json, which programs get to see: what a problem was made for is a hint
        "property": truth.property,
        "roles": dict(truth.roles),
        "surrogates": {name: entry._asdict() for name, entry in truth.planted.items()},
        "extrapolation_box": _plain_box(truth.extrapolation_box),
        "noise_sds": list(truth.noise_sds),
    }
    write_json(folder / "truth" / "truth.json", {name: value for name, value in hidden.items() if value})


def _plain_box(box: Domain) -> dict[str, Json]:
    return {name: [float(low), float(high)] for name, (low, high) in box.items()}
