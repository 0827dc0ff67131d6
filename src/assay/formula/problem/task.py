"""Problems of the formula track: tables to find a formula from, and the formula that only examination sees."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias, cast, get_args

import numpy as np

from assay.core import InvalidInput, Json, Problem, Tags, UnknownName, read_manifest
from assay.core.files.text import read_text, write_json
from assay.formula.equivalence.sampling import Domain
from assay.formula.expression.parser import parse
from assay.formula.expression.program import FloatArray, compute
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
    "load",
    "write_problem",
]

Property: TypeAlias = Literal["rediscovery", "local-optima", "features", "extrapolation", "noise", "own"]
Role: TypeAlias = Literal["relevant", "irrelevant", "surrogate"]

OWN: Property = "own"
PROPERTIES: tuple[Property, ...] = ("rediscovery", "local-optima", "features", "extrapolation", "noise")

_TRACK = "formula"
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

    The columns of ``inputs`` are in the order of ``variables``.
    """

    name: str
    variables: tuple[str, ...]
    target: str
    parts: tuple[Part, ...]


class Surrogate(NamedTuple):
    """A feature that approximates a part of the formula: that part plus N(mean, sd²)."""

    formula: str
    mean: float
    sd: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FormulaTruth:
    """The formula, noise-free test data, and what was planted; ``formula`` is None for data of one's own.

    ``domain`` is the training box; ``extrapolation_box`` the wider one whose points outside of ``domain`` make the
    extrapolation partition. ``roles`` says of every variable what it is for. ``noise_sds`` has one entry per part.
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


def load(folder: Path) -> Problem[FormulaTask, FormulaTruth]:
    """Read and check one problem folder."""
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
    return Problem(id=manifest.id, digest=manifest.digest, task=task, truth=truth, tags=manifest.tags, track=_TRACK)


def _load_truth(folder: Path, task: FormulaTask, content: Mapping[str, object], *, where: str) -> FormulaTruth:
    columns = (*task.variables, task.target)
    secret = folder / "truth"
    formula = read_text(secret / "formula.txt").strip() if (secret / "formula.txt").is_file() else None
    held = read_truth_file(secret / "truth.json", task.variables)
    test = read_columns(secret / "test.csv", columns)
    beyond = read_columns(secret / "extrapolation.csv", columns) if (secret / "extrapolation.csv").is_file() else None
    declared = held.property or content.get("property", OWN if formula is None else "rediscovery")
    if declared not in get_args(Property):
        raise InvalidInput(f"{where}: {UnknownName('property', str(declared), [*PROPERTIES, OWN])}")
    inside = {
        name: _bounds(np.concatenate([part.inputs[:, place] for part in task.parts]))
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
        extrapolation_box=held.box,
        roles=cast(Mapping[str, Role], held.roles),
        planted={name: Surrogate(*entry) for name, entry in held.planted.items()},
        noise_sds=held.noise_sds,
    )
    _check(task, truth, where=where)
    return truth


def _bounds(values: FloatArray) -> tuple[float, float]:
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
    if truth.extrapolation_inputs is not None and truth.extrapolation_target is not None:
        beyond = np.column_stack([truth.extrapolation_inputs, truth.extrapolation_target])
        write_columns(folder / "truth" / "extrapolation.csv", columns, beyond)
    if truth.formula is not None:
        (folder / "truth" / "formula.txt").write_text(truth.formula + "\n", encoding="utf-8", newline="\n")
    held: dict[str, Json] = {
        # not in problem.json, which programs get to see: what a problem was made for is a hint
        "property": truth.property,
        "roles": dict(truth.roles),
        "surrogates": {name: entry._asdict() for name, entry in truth.planted.items()},
        "extrapolation_box": _plain_box(truth.extrapolation_box),
        "noise_sds": list(truth.noise_sds),
    }
    write_json(folder / "truth" / "truth.json", {name: value for name, value in held.items() if value})


def _plain_box(box: Domain) -> dict[str, Json]:
    return {name: [float(low), float(high)] for name, (low, high) in box.items()}
