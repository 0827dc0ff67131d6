"""Answers of the insight track: columns, the functions that compute them, and their values, as bytes or folders."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from assay.core import InvalidInput, Json, SubjectFailed, canonical_json, find_inside, read_json
from assay.core.display import counted, object_html, shortened
from assay.core.errors import suggest
from assay.core.files.text import parse_json
from assay.insight.answer.functions import FeatureFunction, read_function_file, read_functions
from assay.insight.columns.blocks import pack, unpack
from assay.insight.columns.typed_columns import as_frame
from assay.intake.answers import demand_answer_size, no_answer
from assay.intake.fields import demand_text, text_of, texts_of
from assay.intake.tables import read_checked_csv, write_table

__all__ = [
    "FeatureFunction",
    "InsightAnswer",
    "decode",
    "encode",
    "read_solution",
    "ready_answer",
    "words_of",
    "write_solution",
]

_MAGIC = b"assay-insight-1\n"
_SIZE = struct.Struct("<Q")
_ATTRIBUTES = "solution_attributes.json"
_PARTS = ("train", "test")


def words_of(column: str) -> str:
    """A column's name as words, used where there is no description.

    >>> words_of("late_payments_in_90_days")
    'late payments in 90 days'
    """
    return column.replace("_", " ")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InsightAnswer:
    """Declared insight columns in order, what they mean, the functions that compute them, and their values if shipped.

    Parameters
    ----------
    solved_by : str
        Who solved the task.
    columns : sequence of str
        The declared insight columns, the best first.
    descriptions : sequence of str, optional
        What they mean, one per column; else the columns' names serve.
    functions : sequence of FeatureFunction, optional
        Source that computes the columns.
    train : DataFrame, optional
        The enriched training table with any columns, where values are shipped.
    test : DataFrame, optional
        The same for the test rows; both or none.
    notes : sequence of str, optional
        How the answer came about, a transcript for instance; kept, and scored nothing.

    Raises
    ------
    InvalidInput
        A column is declared twice, or only one of the tables is given.

    Examples
    --------
    >>> InsightAnswer(solved_by="me", columns=("late_payments",)).descriptions
    ('late payments',)
    """

    solved_by: str
    columns: tuple[str, ...]
    descriptions: tuple[str, ...] = ()
    functions: tuple[FeatureFunction, ...] = ()
    train: pd.DataFrame | None = None
    test: pd.DataFrame | None = None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"InsightAnswer({shortened(self.solved_by)!r}: {self._size()})"

    def _repr_html_(self) -> str:
        computed = {function.name for function in self.functions}
        rows = (
            (name, words, "yes" if name in computed else "")
            for name, words in zip(self.columns, self.descriptions, strict=True)
        )
        columns = ("column", "what it means", "function")
        title = f"Answer of {self.solved_by}: {self._size()}"
        return object_html(title, {}, columns=columns, rows=rows, total=len(self.columns))

    def _size(self) -> str:
        values = "without values" if self.train is None else "with values"
        return f"{counted(len(self.columns), 'column')}, {counted(len(self.functions), 'function')}, {values}"

    def __post_init__(self) -> None:
        columns = _as_texts(self.columns, "columns")
        for name in columns:
            if not name:
                raise InvalidInput("answer: a declared column has an empty name.")
            if columns.count(name) > 1:
                raise InvalidInput(f"answer: column {name!r} is declared {columns.count(name)} times; once is enough.")
        words = _as_texts(self.descriptions, "descriptions")
        functions = tuple(self.functions)
        for function in functions:
            if not isinstance(function, FeatureFunction):
                raise InvalidInput(
                    "answer: functions must be as FeatureFunction(name='age', code='def age(row): ...'); got "
                    f"{type(function).__name__}."
                )
        if (self.train is None) != (self.test is None):
            present, absent = _PARTS if self.test is None else _PARTS[::-1]
            raise InvalidInput(f"answer: there is a {present} table but no {absent} table; give both or none.")
        object.__setattr__(self, "solved_by", _as_texts((self.solved_by,), "solved_by")[0])
        object.__setattr__(self, "columns", columns)
        descriptions = words if len(words) == len(columns) else tuple(map(words_of, columns))
        object.__setattr__(self, "descriptions", descriptions)
        object.__setattr__(self, "functions", functions)
        object.__setattr__(self, "notes", _as_texts(self.notes, "notes"))
        for part in _PARTS:
            if getattr(self, part) is not None:
                object.__setattr__(self, part, as_frame(getattr(self, part), what=f"answer, {part} table"))


def _as_texts(values: object, name: str) -> tuple[str, ...]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidInput(f"answer: {name} must be a sequence of texts, got {type(values).__name__}.")
    return tuple(demand_text(value, what=f"answer: {name}") for value in values)


def encode(answer: InsightAnswer) -> bytes:
    """The answer as bytes: a mark, the size of a JSON header, the header, the columns of the tables; never a pickle."""
    if not isinstance(answer, InsightAnswer):
        raise no_answer(
            answer,
            wanted="columns with the functions that compute them, as InsightAnswer(solved_by='me', columns=['age'], "
            "functions=[FeatureFunction(name='age', code='def age(row): ...')])",
        )
    tables: dict[str, Json] = {}
    blocks = []
    for part, frame in (("test", answer.test), ("train", answer.train)):
        if frame is not None:
            tables[part], block = pack(frame)
            blocks.append(block)
    header = canonical_json(
        {
            "solved_by": answer.solved_by,
            "columns": list(answer.columns),
            "descriptions": list(answer.descriptions),
            "functions": [[function.name, function.code, function.score] for function in answer.functions],
            "tables": tables,
            **({"notes": list(answer.notes)} if answer.notes else {}),
        }
    ).encode()
    data = b"".join((_MAGIC, _SIZE.pack(len(header)), header, *blocks))
    demand_answer_size(data, remedy="Ship fewer columns.")
    return data


def decode(data: bytes) -> InsightAnswer:
    """Read an answer from untrusted bytes; whatever is wrong with them is an InvalidInput.

    >>> answer = InsightAnswer(solved_by="me", columns=("age",))
    >>> decode(encode(answer)).columns
    ('age',)
    """
    demand_answer_size(data)
    start = len(_MAGIC) + _SIZE.size
    if not data.startswith(_MAGIC) or len(data) < start:
        raise InvalidInput("answer: these bytes are not an encoded answer of the insight track.")
    (size,) = _SIZE.unpack_from(data, len(_MAGIC))
    if size > len(data) - start:
        raise InvalidInput(f"answer: the header should have {size} bytes, {len(data) - start} are there.")
    header = _read_header(data[start : start + size])
    rest = memoryview(data)[start + size :]
    frames: dict[str, pd.DataFrame] = {}
    for part in sorted(header["tables"]):
        frames[part], rest = unpack(header["tables"][part], rest)
    if len(rest):
        raise InvalidInput(f"answer: {len(rest)} bytes are left after the last table.")
    return InsightAnswer(
        solved_by=header["solved_by"],
        columns=header["columns"],
        descriptions=header["descriptions"],
        functions=tuple(
            FeatureFunction(name=name, code=code, score=score) for name, code, score in header["functions"]
        ),
        notes=header.get("notes", ()),
        **frames,
    )


def _read_header(data: bytes) -> dict[str, Any]:
    header = parse_json(data, what="answer: the header", finite="every number must be finite")
    expected = {"solved_by": str, "columns": list, "descriptions": list, "functions": list, "tables": dict}
    if isinstance(header, dict) and "notes" in header:
        expected["notes"] = list
    if not isinstance(header, dict) or set(header) != set(expected):
        raise InvalidInput(f"answer: the header must be an object with the keys {', '.join(sorted(expected))}.")
    for key, kind in expected.items():
        if not isinstance(header[key], kind):
            raise InvalidInput(f"answer: {key} must be a {kind.__name__}, got {type(header[key]).__name__}.")
    for place, entry in enumerate(header["functions"]):
        if not isinstance(entry, list) or len(entry) != 3:
            raise InvalidInput(f"answer: functions[{place}] must hold a name, code and a score.")
    if header["tables"] and set(header["tables"]) != set(_PARTS):
        raise InvalidInput("answer: tables must be train and test, or none.")
    return header


def read_solution(folder: str | Path) -> InsightAnswer:
    """Read a solution: a folder, or a Python file whose public functions each compute one column.

    The folder holds ``solution_attributes.json``, and ``enriched_train.csv`` and ``enriched_test.csv`` if values are
    shipped. Unknown keys are ignored; no declared columns, or code without values, are answers too. Without
    ``solved_by`` the folder's name serves.

    Parameters
    ----------
    folder : str or Path
        The folder, or a file ``*.py``; nothing of it is run here.

    Returns
    -------
    InsightAnswer
        The answer.

    Raises
    ------
    InvalidInput
        A file is missing or malformed; the message names it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_solution(folder, InsightAnswer(solved_by="me", columns=("age",)))
    ...     read_solution(folder)
    InsightAnswer('me': 1 column, 0 functions, without values)
    """
    folder = Path(folder)
    if folder.suffix == ".py" and not folder.is_dir():
        functions, meanings = read_function_file(folder, expected="a Python file with functions, or a solution folder")
        columns = tuple(function.name for function in functions)
        words = tuple(meanings.get(name) or words_of(name) for name in columns)
        return InsightAnswer(solved_by=folder.stem, columns=columns, descriptions=words, functions=functions)
    path = folder / _ATTRIBUTES
    _demand_own(folder, _ATTRIBUTES, *(f"enriched_{part}.csv" for part in _PARTS))
    content = read_json(path)
    columns = texts_of(content, "enriched_column_names", path)
    frames = {}
    files = {part: folder / f"enriched_{part}.csv" for part in _PARTS}
    if any(file.is_file() for file in files.values()):
        for part, file in files.items():
            if not file.is_file():
                other = next(name for name in files.values() if name != file)
                raise InvalidInput(f"{file}: file not found beside {other.name}. Give both tables or none.")
            frames[part] = read_checked_csv(file)
            for column in columns:
                if column not in frames[part].columns:
                    known = [str(name) for name in frames[part].columns]
                    raise InvalidInput(f"{file}: declared column {column!r} is not there. {suggest(column, known)}")
    try:
        return InsightAnswer(
            solved_by=text_of(content, "solved_by", path, default=folder.resolve().name),
            columns=columns,
            descriptions=texts_of(content, "feature_descriptions", path, optional=True),
            functions=read_functions(content, path),
            notes=_notes(content.get("notes")),
            **frames,
        )
    except InvalidInput as error:
        message = str(error)
        raise InvalidInput(message if message.startswith(str(folder)) else f"{path}: {message}") from None


def _demand_own(folder: Path, *names: str) -> None:
    """Refuse links that leave the folder: one to the truth would be scored as an answer."""
    for name in names:
        if (folder / name).is_symlink() and find_inside(folder, name) is None:
            raise InvalidInput(f"{folder / name}: is a link that leads out of the solution's folder, or nowhere.")


def _notes(value: object) -> tuple[str, ...]:
    """Notes that are texts; anything else is ignored."""
    if isinstance(value, str):
        return (value,)
    return tuple(entry for entry in value if isinstance(entry, str)) if isinstance(value, list) else ()


def write_solution(folder: str | Path, answer: InsightAnswer) -> None:
    """Write a solution folder, as ``read_solution`` reads it.

    Functions are written under their scores, unranked ones as new functions.

    Parameters
    ----------
    folder : str or Path
        The folder; it is made.
    answer : InsightAnswer
        The answer.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_solution(folder, InsightAnswer(solved_by="me", columns=("age",)))
    ...     [path.name for path in Path(folder).iterdir()]
    ['solution_attributes.json']
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    ranked: dict[str, Json] = {}
    new: list[Json] = []
    for function in answer.functions:
        entry: dict[str, Json] = {"name": function.name, "code": function.code}
        key = repr(function.score)
        if function.score is None:
            new.append(entry)
        else:
            while key in ranked:  # the score is the key, so equal scores need different spellings
                digits, power, exponent = key.partition("e")
                key = f"{digits}{'' if '.' in digits else '.'}0{power}{exponent}"
            ranked[key] = entry
    content: dict[str, Json] = {
        "solved_by": answer.solved_by,
        "enriched_column_names": list(answer.columns),
        "solution_type": "SolutionType.FeatureEngineering",
        "new_feature_functions": new,
        "sorted_feature_functions": ranked,
        "feature_descriptions": list(answer.descriptions),
        **({"notes": list(answer.notes)} if answer.notes else {}),
    }
    text = json.dumps(content, indent=4, ensure_ascii=False, allow_nan=False)
    (folder / _ATTRIBUTES).write_text(text + "\n", encoding="utf-8")
    for part, frame in (("train", answer.train), ("test", answer.test)):
        if frame is not None:
            write_table(folder / f"enriched_{part}.csv", frame)


def ready_answer(folder: Path, problem_id: str) -> bytes:
    """The encoded answer of an agent's folder to one problem: SubjectFailed when there is none."""
    place = find_inside(Path(folder), problem_id)
    if place is None or not place.is_dir():
        raise SubjectFailed("missing answer", f"no answer for problem {problem_id!r}: expected a folder of that name")
    return encode(read_solution(place))
