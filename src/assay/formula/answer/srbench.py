"""SRBench result files as precomputed answers: a folder per algorithm, a text per data set, the recorded verdicts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from assay.core import InvalidInput, read_json
from assay.core.checks import is_number
from assay.core.files.near import near_path
from assay.formula.answer.model_files import formulas_in
from assay.formula.answer.srbench_names import Names, Reading, first_columns, read_names, truth_names
from assay.formula.equivalence.check import equivalent
from assay.formula.problem.pmlb import data_columns
from assay.intake.csv_lines import csv_text

__all__ = ["Imported", "Result", "import_results", "read_results"]

_UPDATED = ".json.updated"
_LONGEST_NAME = 200  # bytes
_FLAGS = ("symbolic_error_is_zero", "symbolic_error_is_constant", "symbolic_fraction_is_constant")
_TABLE = (
    *("algorithm", "dataset", "random_state", "target_noise", "r2_test", "model_size", "time_time"),
    *("srbench", "verdict", "symbolic_model", "judged", "reason"),
)


class Result(NamedTuple):
    """One run as SRBench recorded it; ``recorded`` is None where its symbolic comparison was never made."""

    algorithm: str
    dataset: str
    seed: str
    noise: float
    model: str
    simplified: str
    truth: str
    recorded: bool | None
    numbers: Mapping[str, float]
    path: Path


class Imported(NamedTuple):
    """What an import wrote: the folders of models, the table, and the files that hold no model, with the reason.

    ``unassessed`` have no verdict of SRBench's, ``unknown`` none of ours: which columns they mean cannot be known.
    """

    folders: tuple[Path, ...]
    table: Path
    results: int
    unassessed: int
    unknown: int
    left_out: tuple[str, ...]


def read_results(folder: Path) -> tuple[list[Result], list[str]]:
    """All result files below a folder, and what is wrong with those that hold no model.

    ``.json.updated``, which SRBench writes when it has compared a model with the truth, stands for its ``.json``.
    """
    if not folder.is_dir():
        raise InvalidInput(f"{folder}: folder of results not found.{near_path(folder)}")
    updated = sorted(folder.rglob(f"*{_UPDATED}"))
    replaced = {path.with_name(path.name.removesuffix(".updated")) for path in updated}
    files = sorted([*updated, *(path for path in folder.rglob("*.json") if path not in replaced)])
    results, rejected = [], []
    for path in files:
        try:
            results.append(_read(path))
        except InvalidInput as error:
            rejected.append(str(error))
    if not results:
        reason = f" The first: {rejected[0]}" if rejected else ""
        raise InvalidInput(f"{folder}: no result file of SRBench here, {len(files)} JSON files looked at.{reason}")
    return results, rejected


def _read(path: Path) -> Result:
    body: dict[str, Any] = read_json(path)
    for name in ("dataset", "algorithm", "symbolic_model"):
        if not isinstance(body.get(name), str) or not body[name].strip():
            raise InvalidInput(f"{path}: has no {name!r}.")
        if any("\ud800" <= letter <= "\udfff" for letter in body[name]):
            raise InvalidInput(f"{path}: {name!r} holds text that is not Unicode.")
    models = formulas_in(body["symbolic_model"])
    if not models:
        raise InvalidInput(f"{path}: 'symbolic_model' holds no formula.")
    seed = str(body.get("random_state", 0))
    for name, text in (("dataset", body["dataset"]), ("algorithm", body["algorithm"]), ("random_state", seed)):
        usable = text.isprintable() and len(text.encode()) <= _LONGEST_NAME
        if not usable or Path(text).name != text or text.startswith("."):
            raise InvalidInput(f"{path}: {name} {text[:60]!r} cannot name a file.")
    truth = body.get("true_model")
    return Result(
        algorithm=body["algorithm"],
        dataset=body["dataset"],
        seed=seed,
        noise=_number(body.get("target_noise")),
        model=models[0],
        simplified=_simplified(body),
        truth=truth.partition("=")[2].strip() or truth.strip() if isinstance(truth, str) else "",
        recorded=_recorded(body),
        numbers={name: _number(body.get(name)) for name in ("r2_test", "model_size", "time_time")},
        path=path,
    )


def _recorded(body: Mapping[str, Any]) -> bool | None:
    """SRBench's verdict: no or constant difference, or constant ratio, of a model that is not 0; None if never made."""
    flags = [body.get(name) for name in _FLAGS]
    if not any(isinstance(flag, bool) for flag in flags):
        return None
    shown = str(body.get("simplified_symbolic_model", "")).strip()
    return any(flag is True for flag in flags) and shown not in {"0", "nan", "NaN"}


def _simplified(body: Mapping[str, Any]) -> str:
    """What SRBench made of the model, over the data's names; empty where there is nothing of use."""
    text = body.get("simplified_symbolic_model")
    models = formulas_in(text) if isinstance(text, str) and max(text, default="") < "\ud800" else []
    return models[0] if models and models[0].lower() not in {"nan", "none"} else ""


def _number(value: object) -> float:
    return float(value) if is_number(value) else math.nan


def import_results(
    source: str | Path,
    out: str | Path,
    *,
    data: str | Path | None = None,
    compare: bool = True,
    seconds: float = 5.0,
) -> Imported:
    r"""Turn result files of SRBench into folders of models that can be judged and run.

    Models go to ``<algorithm>/<seed>/<data set>.txt`` below ``out``, those on noisy targets to
    ``<algorithm>@noise=<level>``; ``imported.csv`` lists all runs. A model that counts columns (``x0``, ``X1``) is read
    by the order of the data's columns where ``data`` tell it, and written over their names. Where they do not, the
    model as SRBench simplified it is compared, which has the data's names; without that, the verdict is empty and the
    reason stands beside it.

    Parameters
    ----------
    source : str or Path
        A folder with ``.json`` files, and ``.json.updated`` where models were assessed.
    out : str or Path
        Where to write.
    data : str or Path, optional
        Tables (``NAME.tsv.gz`` or ``NAME/NAME.tsv.gz`` as in PMLB, ``.csv``) or problem folders of the data sets, for
        the order of their columns.
    compare : bool, default True
        Add Assay's verdict beside SRBench's wherever a run names the true formula.
    seconds : float, default 5.0
        The most that one comparison may take.

    Returns
    -------
    Imported
        The folders written, the table, how many results there are, and what was left out.

    Raises
    ------
    InvalidInput
        There is no result file, or the same run is there twice.

    Examples
    --------
    >>> import json, tempfile
    >>> run = {"algorithm": "Ours", "dataset": "square", "random_state": 3, "symbolic_model": "x*x"}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "run.json").write_text(json.dumps(run))
    ...     imported = import_results(folder, Path(folder, "models"))
    ...     Path(folder, "models", "Ours", "3", "square.txt").read_text()
    'x*x\n'
    >>> imported.results, imported.unassessed
    (1, 1)
    """
    results, rejected = read_results(Path(source))
    readings = _readings(results, {} if data is None else data_columns(Path(data)))
    out = Path(out)
    folders: dict[Path, None] = {}
    result_at: dict[Path, Result] = {}
    for result in results:
        level = f"@noise={result.noise:g}" if result.noise > 0 else ""
        folder = out / f"{result.algorithm}{level}"
        path = folder / result.seed / f"{result.dataset}.txt"
        if path in result_at:
            raise InvalidInput(f"{result.path}: the same run is in {result_at[path].path}; keep one of them.")
        result_at[path] = result
        folders[folder] = None
    for path, reading in zip(result_at, readings, strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(reading.named + "\n", encoding="utf-8")
    table = out / "imported.csv"
    verdicts = [
        _verdict(result, reading, seconds) if compare and result.truth else Verdict()
        for result, reading in zip(results, readings, strict=True)
    ]
    table.write_text(_table(results, verdicts), encoding="utf-8")
    return Imported(
        folders=tuple(folders),
        table=table,
        results=len(results),
        unassessed=sum(result.recorded is None for result in results),
        unknown=sum(bool(verdict.reason) for verdict in verdicts),
        left_out=tuple(rejected),
    )


def _readings(results: Sequence[Result], columns: Mapping[str, tuple[str, ...]]) -> list[Reading]:
    first = first_columns((result.algorithm, result.model, columns.get(result.dataset)) for result in results)
    return [
        read_names(
            result.model,
            result.simplified,
            Names(truth_names(result.truth), columns.get(result.dataset), first.get(result.algorithm)),
        )
        for result in results
    ]


class Verdict(NamedTuple):
    """Of one model: which of SRBench's two texts was compared, or why none was."""

    verdict: str = ""
    judged: str = ""
    reason: str = ""


def _verdict(result: Result, reading: Reading, seconds: float) -> Verdict:
    if reading.reason:
        return Verdict(reason=reading.reason)
    try:
        equivalence = equivalent(result.truth, reading.text, names=reading.columns, seconds=seconds)
    except InvalidInput as error:
        return Verdict(f"truth unusable: {error}")
    return Verdict(equivalence.verdict, reading.judged)


def _table(results: Iterable[Result], verdicts: Iterable[Verdict]) -> str:
    rows: list[Sequence[object]] = [_TABLE]
    for result, verdict in zip(results, verdicts, strict=True):
        numbers = [result.numbers[name] for name in ("r2_test", "model_size", "time_time")]
        shown = [result.noise, *numbers]
        rows.append(
            [
                *(result.algorithm, result.dataset, result.seed),
                *("" if math.isnan(value) else repr(value) for value in shown),
                "" if result.recorded is None else str(result.recorded),
                *(verdict.verdict, result.model, verdict.judged, verdict.reason),
            ]
        )
    return csv_text(rows)
