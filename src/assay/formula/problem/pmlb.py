"""Tables of PMLB as problems: read as they are, split and standardised as SRBench does."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TextIO, cast

import numpy as np

from assay.core import InvalidInput, UnknownName, demand_whole, find_problems
from assay.core.arrays import FloatArray, column_spreads
from assay.core.files.near import near_path
from assay.formula.problem.number_table import NumberTable, read_numbers
from assay.formula.problem.task import OWN, FormulaTask, FormulaTruth, Part, load, write_problem
from assay.intake import limits
from assay.intake.table.options import TableOptions

__all__ = [
    "SUFFIXES",
    "Split",
    "data_columns",
    "find_target",
    "open_text",
    "split_seeds",
    "srbench_split",
    "table_files",
    "write_pmlb_problems",
]

SUFFIXES = (".tsv.gz", ".tsv", ".csv.gz", ".csv")
_TARGET = "target"
_USUAL_TARGETS = (_TARGET, "y")
_TRAIN, _MOST_TRAINING_ROWS = 0.75, 10_000


class Split(NamedTuple):
    """Rows to fit to and rows to test on, the target last."""

    train: FloatArray
    test: FloatArray


def table_files(folder: Path) -> dict[str, Path]:
    """The tables of a folder by the names of their data sets: ``NAME.tsv.gz``, or ``NAME/NAME.tsv.gz`` as in PMLB.

    ``.tsv``, ``.csv`` and ``.csv.gz`` are tables as well.
    """
    if not folder.is_dir():
        raise InvalidInput(f"{folder}: folder of tables not found.{near_path(folder)}")
    tables: dict[str, Path] = {}
    for path in sorted([*folder.iterdir(), *folder.glob("*/*")]):
        suffix = next((suffix for suffix in SUFFIXES if path.name.endswith(suffix)), None)
        if suffix is None or not path.is_file():
            continue
        name = path.name.removesuffix(suffix)
        if path.parent != folder and path.parent.name != name:
            continue
        if name in tables:
            raise InvalidInput(
                f"{folder}: {tables[name].relative_to(folder)} and {path.relative_to(folder)} are both the data set "
                f"{name!r}; keep one."
            )
        tables[name] = path
    return tables


def open_text(path: Path) -> TextIO:
    """A text file, packed by gzip or not; a byte order mark is passed over."""
    if path.suffix == ".gz":
        return cast(TextIO, gzip.open(path, "rt", encoding="utf-8-sig"))
    return path.open(encoding="utf-8-sig")


def find_target(header: Sequence[str], named: str | None, path: Path) -> str:
    """The target of a table: the column that is named, else ``target`` or ``y``, else the last."""
    if named is not None and named not in header:
        raise InvalidInput(f"{path}: {UnknownName('column (target)', named, header)}")
    return named or next((name for name in _USUAL_TARGETS if name in header), header[-1])


def data_columns(folder: Path) -> dict[str, tuple[str, ...]]:
    """The inputs of every data set in their order: of the tables of a folder, or of its problem folders."""
    files = table_files(folder)
    if not files:
        return {path.name: load(path).task.variables for path in find_problems(folder)}
    columns = {}
    for name, path in files.items():
        with open_text(path) as stream:
            try:
                line = stream.readline(limits.LONGEST_ROW)
                cells = next(csv.reader([line], delimiter="\t" if ".tsv" in path.suffixes else ","), [""])
            except (OSError, EOFError, UnicodeDecodeError, csv.Error) as error:
                raise InvalidInput(f"{path}: its header cannot be read ({error}).") from None
        header = [cell.strip() for cell in cells]
        target = find_target(header, None, path)
        columns[name] = tuple(column for column in header if column != target)
    return columns


def split_seeds(splits: int) -> list[int]:
    """The seeds of SRBench's repetitions, in their order.

    >>> split_seeds(3)
    [23654, 15795, 860]
    """
    demand_whole(splits, "splits", least=1)
    seeds: list[int] = np.random.RandomState(42).randint(2**15 - 1, size=splits).tolist()
    return seeds


def srbench_split(rows: FloatArray, seed: int) -> Split:
    """Three quarters to fit to, at most 10,000 rows, drawn with replacement from more as SRBench does."""
    from sklearn.model_selection import train_test_split

    train, test = train_test_split(rows, train_size=_TRAIN, test_size=1 - _TRAIN, random_state=seed)
    if len(rows) > _MOST_TRAINING_ROWS:
        train = train[np.random.RandomState(seed).choice(np.arange(len(train)), size=_MOST_TRAINING_ROWS)]
    return Split(train, test)


def _standardised(split: Split) -> Split:
    """By the training rows; a column that does not vary there is only moved."""
    centre, spread = split.train.mean(axis=0), column_spreads(split.train)
    spread = np.where(spread > 0, spread, 1.0)
    return Split((split.train - centre) / spread, (split.test - centre) / spread)


def write_pmlb_problems(
    out: str | Path,
    folder: str | Path,
    *,
    datasets: Sequence[str] = (),
    splits: int = 1,
    standardise: bool = True,
) -> tuple[str, ...]:
    r"""Write a problem folder for every table of PMLB and every split of SRBench's protocol.

    Parameters
    ----------
    out : str or Path
        Where the problem folders go, ``NAME-SEED`` each.
    folder : str or Path
        Tables with a column ``target``: ``NAME.tsv.gz``, or ``NAME/NAME.tsv.gz`` as PMLB has them.
    datasets : sequence of str, optional
        Some of them; all by default.
    splits : int, default 1
        How many of SRBench's seeds; it used ten.
    standardise : bool, default True
        Centre and scale inputs and target by the training rows, as SRBench does. R² is the same in both units.

    Returns
    -------
    tuple of str
        The ids of the problems.

    Raises
    ------
    InvalidInput
        If a table is not found, or one has no usable column ``target``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     rows = "\n".join(f"{x}\t{x % 7}\t{3 * x}" for x in range(40))
    ...     _ = Path(place, "line.tsv").write_text(f"a\tb\ttarget\n{rows}\n")
    ...     write_pmlb_problems(Path(place, "problems"), place, splits=2)
    ('line-23654', 'line-15795')
    """
    out, files = Path(out), table_files(Path(folder))
    if not files:
        raise InvalidInput(f"{folder}: holds no table ({', '.join(SUFFIXES)}).")
    for name in datasets:
        if name not in files:
            raise UnknownName("data set", name, files)
    seeds = split_seeds(splits)
    problems = []
    for name in datasets or files:
        own = read_numbers(files[name], _TARGET, TableOptions())
        for seed in seeds:
            split = srbench_split(own.rows, seed)
            problem = f"{name}-{seed}"
            _write(out / problem, problem, own, _standardised(split) if standardise else split, name, seed)
            problems.append(problem)
    return tuple(problems)


def _write(folder: Path, problem: str, own: NumberTable, split: Split, name: str, seed: int) -> None:
    train, test = split
    task = FormulaTask(
        name=problem,
        variables=own.variables,
        target=own.renamed[_TARGET],
        parts=(Part(noise=0.0, inputs=train[:, :-1], target=train[:, -1]),),
    )
    truth = FormulaTruth(formula=None, property=OWN, domain={}, test_inputs=test[:, :-1], test_target=test[:, -1])
    tags: Mapping[str, str | float] = {
        "property": OWN,
        "origin": "pmlb",
        "dataset": name,
        "split": seed,
        "variables": len(own.variables),
    }
    write_problem(folder, id=problem, task=task, truth=truth, tags=dict(tags))
