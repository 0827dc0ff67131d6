"""The files of a drift detector, ``prediction_results.csv`` and ``window_info.json``: read strictly, written back."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

from assay.core import InvalidInput, demand_closed
from assay.core.display import object_html
from assay.core.files.text import read_json_value
from assay.drift.detection.drift import DRIFT_TYPES, Drift, DriftType, drift_id
from assay.drift.logs.local_time import with_offset
from assay.drift.logs.timestamps import find_zone
from assay.drift.problem.writing import writing
from assay.intake.columns import read_rows
from assay.intake.csv_lines import write_rows
from assay.intake.fields import short

__all__ = ["Detection", "Windows", "read_detections", "read_windows", "write_detections"]

RESULTS, WINDOWS = "prediction_results.csv", "window_info.json"
_NEEDED = f"A detector folder needs {RESULTS} and {WINDOWS}."

_POINTS, _TYPES, _CONFIDENCE = "Detected Changepoints", "Detected Drift Types", "Prediction Confidence"
_GOLDEN = "gold_source_document"

Matching = Literal["exact", "last-number"]
Windows = dict[str, dict[str, datetime]]


class Detection(NamedTuple):
    """A drift and the documents that are said to have caused it; none when the file names none.

    Attributes
    ----------
    drift : Drift
        The drift.
    golden : tuple of str
        The documents that are said to have caused it; empty when the file names none.

    Examples
    --------
    >>> from datetime import UTC, datetime
    >>> day = datetime(2020, 3, 10, tzinfo=UTC)
    >>> drift = Drift(id="d1", process="Permits", type="sudden", start_case="7", end_case="7", start=day, end=day)
    >>> Detection(drift, ("rule.pdf",))
    Detection(drift=Drift('d1': sudden in 'Permits', 2020-03-10, confidence 1.00), golden=('rule.pdf',))
    """

    drift: Drift
    golden: tuple[str, ...]

    def _repr_html_(self) -> str:
        causes = ((name,) for name in self.golden)
        return self.drift._repr_html_() + object_html("", {}, columns=("cause",), rows=causes, total=len(self.golden))


def read_detections(
    folder: str | Path,
    *,
    test_set: str | None = None,
    timezone: str | None = None,
    matching: Matching = "exact",
    count_from: int = 1,
) -> tuple[Detection, ...]:
    """Read the drifts of a folder that a detector wrote.

    The folder holds ``prediction_results.csv`` and ``window_info.json``. Start and end of a drift are looked up in the
    windows by its case ids.

    Parameters
    ----------
    folder : str or Path
        The folder.
    test_set : str, optional
        What the drifts are called after; the folder by default.
    timezone : str, optional
        What times without a zone mean; UTC by default.
    matching : {"exact", "last-number"}, default "exact"
        ``last-number`` also accepts a window whose case id ends in the same number, because copies of one log bear
        different prefixes.
    count_from : int, default 1
        The number of the first row and of its first drift in the ids; 0 where other tools count from 0.

    Returns
    -------
    tuple of Detection
        The drifts with the documents said to have caused them, row by row.

    Raises
    ------
    InvalidInput
        A file is missing or malformed; the message names file and row.

    Examples
    --------
    >>> import tempfile
    >>> from assay.drift import simulate
    >>> planted = simulate(seed=1, cases=200).drifts[0].drift
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_detections(folder, [planted], golden=[["rule.pdf"]])
    ...     read_detections(folder, test_set="credit")[0].golden
    ('rule.pdf',)
    """
    root = Path(folder)
    demand_closed(root)
    results = root / RESULTS
    windows = read_windows(root / WINDOWS, timezone=timezone)
    name = test_set or root.resolve().name
    detections: list[Detection] = []
    for number, row in enumerate(_rows(results), 1):
        place = f"{results}, row {number}"
        process = row[""].strip()
        if process not in windows:
            raise InvalidInput(
                f"{place}: the log {process!r} is not in {WINDOWS}, which knows {', '.join(map(repr, windows))}."
            )
        points, types = _literal(row[_POINTS], _POINTS, place), _literal(row[_TYPES], _TYPES, place)
        confidences = _confidences(row[_CONFIDENCE], place)
        golden = _literal(row[_GOLDEN], _GOLDEN, place) if (row.get(_GOLDEN) or "").strip() else [()] * len(points)
        lengths = {_POINTS: len(points), _TYPES: len(types), _CONFIDENCE: len(confidences), _GOLDEN: len(golden)}
        if len(set(lengths.values())) > 1:
            listed = ", ".join(f"{column} {length}" for column, length in lengths.items())
            raise InvalidInput(
                f"{place}: the columns list different numbers of drifts ({listed}). Each needs one entry per drift."
            )
        for index, entry in enumerate(zip(points, types, confidences, golden, strict=True), 1):
            where = f"{place}, drift {index}"
            cases = _pair(entry[0], where)
            start, end = (_moment(case, windows[process], where, matching) for case in cases)
            drift = Drift(
                id=drift_id(name, number - 1 + count_from, index - 1 + count_from),
                process=process,
                type=_type(entry[1], where),
                start_case=cases[0],
                end_case=cases[1],
                start=min(start, end),
                end=max(start, end),
                confidence=entry[2],
            )
            detections.append(Detection(drift, _documents(entry[3], where)))
    return tuple(detections)


def read_windows(path: str | Path, *, timezone: str | None = None) -> Windows:
    """For each log the first case of every window and its time, in the order of the windows."""
    source = Path(path)
    zone = find_zone(timezone)
    raw = read_json_value(source, remedy=_NEEDED)
    if not isinstance(raw, dict) or not raw:
        raise InvalidInput(f'{source}: expected {{"<log>": {{"1": ["<case>", "<time>"], ...}}}}, got {short(raw)}.')
    windows: Windows = {}
    for process, entries in raw.items():
        if not isinstance(entries, dict) or not entries:
            raise InvalidInput(f"{source}: the log {process!r} has no windows, got {short(entries)}.")
        windows[process] = {}
        for key, entry in entries.items():
            place = f"{source}: log {process!r}, window {key!r}"
            if not (isinstance(entry, list) and len(entry) == 2 and all(isinstance(part, str) for part in entry)):
                raise InvalidInput(f'{place}: expected ["<case>", "<time>"], got {short(entry)}.')
            try:
                stamp = datetime.fromisoformat(entry[1].strip())
                zoned = stamp if stamp.tzinfo else stamp.replace(tzinfo=zone)
                zoned.astimezone(UTC)  # there it may lie before the year 1 or after 9999
                time = with_offset(zoned if timezone is None else zoned.astimezone(zone))
            except (ValueError, OverflowError):
                raise InvalidInput(f"{place}: {entry[1]!r} is not a time such as 2020-03-01 12:00:00.") from None
            windows[process].setdefault(entry[0], time)
    return windows


def write_detections(
    folder: str | Path,
    drifts: Sequence[Drift],
    *,
    golden: Sequence[Sequence[str]] | None = None,
    windows: Mapping[str, Mapping[str, datetime]] | None = None,
) -> None:
    """Write what ``read_detections`` reads; without ``golden`` the column is left out.

    ``windows`` adds further windows; the cases of the drifts are always among them.
    """
    root = Path(folder)
    processes = list(dict.fromkeys(drift.process for drift in drifts))
    stored: dict[str, dict[str, list[str]]] = {}
    for process in processes:
        firsts = dict((windows or {}).get(process, {}))
        for drift in drifts:
            if drift.process == process:
                firsts |= {drift.start_case: drift.start, drift.end_case: drift.end}
        ordered = sorted(firsts.items(), key=lambda item: item[1])
        stored[process] = {
            str(number): [case, str(stamp if stamp.utcoffset() else stamp.replace(tzinfo=None))]
            for number, (case, stamp) in enumerate(ordered, 1)
        }
    lines = [["", _POINTS, _TYPES, _CONFIDENCE, *([_GOLDEN] if golden is not None else [])]]
    for process in processes:
        chosen = [number for number, drift in enumerate(drifts) if drift.process == process]
        row = [
            process,
            repr([(drifts[at].start_case, drifts[at].end_case) for at in chosen]),
            repr([drifts[at].type for at in chosen]),
            "[" + " ".join(f"{drifts[at].confidence:.6g}" for at in chosen) + "]",
        ]
        if golden is not None:
            row.append(repr([golden[at][0] if len(golden[at]) == 1 else tuple(golden[at]) for at in chosen]))
        lines.append(row)
    with writing(root):
        root.mkdir(parents=True, exist_ok=True)
        (root / WINDOWS).write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        with (root / RESULTS).open("w", encoding="utf-8", newline="") as file:
            write_rows(file, lines)


def _rows(path: Path) -> list[dict[str, str]]:
    header, rows = read_rows(path, remedy=_NEEDED)
    missing = [
        column or "(the log's name, an empty header)"
        for column in ("", _POINTS, _TYPES, _CONFIDENCE)
        if column not in header
    ]
    if missing:
        raise InvalidInput(f"{path}: column missing: {', '.join(missing)}. It has: {', '.join(map(repr, header))}.")
    for number, row in enumerate(rows, 1):
        if None in row or None in row.values():
            raise InvalidInput(
                f"{path}, row {number}: it has not as many fields as the header. Quote fields with commas."
            )
    return rows


def _literal(text: str, column: str, place: str) -> list[Any]:
    try:
        value = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        value = None
    if not isinstance(value, list):
        raise InvalidInput(f"{place}: {column} must be a list in brackets, got {short(text)}.")
    return value


def _confidences(text: str, place: str) -> list[float]:
    """Numbers in brackets, apart by spaces, as numpy prints them, or by commas."""
    body = text.strip()
    try:
        if not (body.startswith("[") and body.endswith("]")):
            raise ValueError
        values = [float(part) for part in body[1:-1].replace(",", " ").split()]
    except ValueError:
        raise InvalidInput(
            f"{place}: {_CONFIDENCE} must be numbers in brackets such as [0.71 0.64], got {short(text)}."
        ) from None
    if not all(0.0 <= value <= 1.0 for value in values):
        raise InvalidInput(f"{place}: {_CONFIDENCE} must lie in [0, 1], got {short(text)}.")
    return values


def _pair(entry: object, place: str) -> tuple[str, str]:
    if isinstance(entry, tuple) and len(entry) == 2 and all(isinstance(case, str) for case in entry):
        return entry[0], entry[1]
    raise InvalidInput(
        f"{place}: a change point must be a pair of case ids such as ('case 7', 'case 9'), got {short(entry)}."
    )


def _type(entry: object, place: str) -> DriftType:
    if entry not in DRIFT_TYPES:
        raise InvalidInput(f"{place}: {entry!r} is not a drift type. Known: {', '.join(DRIFT_TYPES)}.")
    return cast(DriftType, entry)


def _documents(entry: object, place: str) -> tuple[str, ...]:
    names = (entry,) if isinstance(entry, str) else entry
    if not isinstance(names, tuple | list) or not all(isinstance(name, str) and name.strip() for name in names):
        raise InvalidInput(f"{place}: {_GOLDEN} must be a file name or a list of them, got {short(entry)}.")
    return tuple(names)


def _moment(case: str, windows: Mapping[str, datetime], place: str, matching: Matching) -> datetime:
    if case in windows:
        return windows[case]
    number = _last_number(case)
    alike = [candidate for candidate in windows if number is not None and _last_number(candidate) == number]
    if matching == "last-number" and len(alike) == 1:
        return windows[alike[0]]
    hint = f" A window opens with {alike[0]!r}: matching='last-number' takes it." if len(alike) == 1 else ""
    raise InvalidInput(
        f"{place}: case {case!r} opens none of the {len(windows)} windows in {WINDOWS}, so its time is unknown.{hint}"
    )


def _last_number(case: str) -> str | None:
    numbers = re.findall(r"\d+", case)
    return numbers[-1].lstrip("0") if numbers else None
