"""Scores of another benchmark into a results folder; everything made of them says that they were imported."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from assay.core import Budget, InvalidInput, Record, digest_json
from assay.core.files.digest import digest_file, digest_folder
from assay.core.problem import Tags
from assay.harness.metric_facts import IMPORTED, MetricFacts
from assay.harness.plan import Cell, Plan, answer_key, record_key
from assay.harness.process.isolation import Isolation
from assay.harness.store.lock import locked
from assay.harness.store.store import Store
from assay.harness.store.stored_answer import Finished, StoredAnswer
from assay.harness.subject_ref import SubjectRef
from assay.intake.inspect_logs import read_log_scores
from assay.intake.table.options import TableOptions
from assay.publish.scores.score_table import CELL, TAG, read_scores

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Imported", "demand_distinct", "import_frame", "import_table"]

_DEFAULT: Final = TableOptions()
_SHOWN: Final = 3  # gaps that an error names
_AT_ONCE: Final = 500  # records of a transaction
_LONGEST_NAME: Final = 60
_LOG: Final = ".eval"  # of Inspect; a folder may hold several


class Imported(NamedTuple):
    """What was brought in."""

    folder: Path
    track: str
    records: int
    gaps: int  # scores that the table lacks


def import_table(
    path: Path, out: Path, *, name: str = "", allow_gaps: bool = False, options: TableOptions = _DEFAULT
) -> Imported:
    """Bring a long table of scores, or logs of Inspect, into a results folder, as the latest run of a track of its own.

    A subject that lacks a score that others have is an error; with ``allow_gaps`` the score is undefined, and a cell
    without any is not done.
    """
    frame = read_log_scores(path) if path.suffix == _LOG or path.is_dir() else read_scores(path, options)
    demand_distinct(path, frame)
    return import_frame(frame, path, out, name=name, allow_gaps=allow_gaps)


def import_frame(frame: pd.DataFrame, path: Path, out: Path, *, name: str = "", allow_gaps: bool = False) -> Imported:
    """Bring checked scores into a results folder; ``path`` is the file, or folder, that they come from."""
    digest = digest_folder(path) if path.is_dir() else digest_file(path)
    gaps = _gaps(path, frame, allow=allow_gaps)
    title = " ".join((name or path.resolve().name.partition(".")[0]).split())[:_LONGEST_NAME]
    if not title or not title.isprintable():
        raise InvalidInput(f"name: must be a printable text, got {name!r}.")
    track = f"{title}{IMPORTED}"
    source = f"{path.name} (SHA-256 {digest[:16]})"
    goals: dict[str, str] = dict(zip(frame["metric"], frame["direction"], strict=True))
    facts = tuple(
        MetricFacts(name=metric, text=source, goal=goal, version=1, summary="Imported.", floor=math.nan)  # type: ignore[arg-type]
        for metric, goal in goals.items()
    )
    cells = _cells(track, digest, frame, versions=dict.fromkeys(goals, 1))
    scores: dict[tuple[str, str, int], dict[str, float]] = {}
    for subject, problem, seed, metric, value in frame[[*CELL, "metric", "value"]].itertuples(index=False):
        scores.setdefault((subject, problem, int(seed)), {})[metric] = value
    finished: list[Finished] = [
        (_record(cell, {metric: own.get(metric, math.nan) for metric in goals}, source), _NO_ANSWER)
        for cell in cells
        if (own := scores.get((cell.subject.name, cell.problem, cell.budget.seed))) is not None
    ]
    with locked(out), Store(out, create=True) as store, store.transaction():
        for start in range(0, len(finished), _AT_ONCE):
            store.commit(*finished[start : start + _AT_ONCE])
        store.add_run(Plan(track=track, settings={}, cells=tuple(cells), metrics=facts))
    return Imported(out, track, len(finished), gaps)


_NO_ANSWER: Final = StoredAnswer(status="ok", payload=b"", isolation="imported")


def demand_distinct(path: Path, frame: pd.DataFrame) -> None:
    """Refuse a score that stands more than once: the last would win, and hide gaps."""
    twice = frame.duplicated([*CELL, "metric"], keep=False)
    if twice.any():
        first = frame[twice].iloc[0]
        raise InvalidInput(
            f"{path}: {int(twice.sum()):,} scores stand more than once, such as {first['subject']} / "
            f"{first['problem']} / seed {first['seed']} / {first['metric']}. Keep one file of each run."
        )


def _gaps(path: Path, frame: pd.DataFrame, *, allow: bool) -> int:
    """How many scores a full table would have more; they are an error unless allowed."""
    import pandas as pd

    parts = [frame[column].unique() for column in (*CELL, "metric")]
    missing = math.prod(map(len, parts)) - len(frame)
    if missing and not allow:
        whole = pd.MultiIndex.from_product(parts)
        absent = whole.difference(pd.MultiIndex.from_frame(frame[[*CELL, "metric"]]), sort=False)
        named = "; ".join(" / ".join(map(str, entry)) for entry in absent[:_SHOWN])
        raise InvalidInput(
            f"{path}: {missing:,} of {math.prod(map(len, parts)):,} scores are missing, such as {named} (subject / "
            "problem / seed / metric). Add them, or accept gaps: --allow-gaps (allow_gaps=True in Python); means are "
            "then over fewer problems."
        )
    return missing


def _cells(track: str, digest: str, frame: pd.DataFrame, *, versions: Mapping[str, int]) -> list[Cell]:
    """Every subject, problem and seed of the table; the file's content tells them from those of another state of it."""
    names = [str(column) for column in frame.columns if str(column).startswith(TAG)]
    first = frame.drop_duplicates("problem").set_index("problem")
    tags: dict[str, Tags] = {
        str(problem): {name.removeprefix(TAG): _tag(row[name]) for name in names} for problem, row in first.iterrows()
    }
    cells = []
    for problem in frame["problem"].unique():
        problem_digest = digest_json({"file": digest, "problem": problem})
        for subject in frame["subject"].unique():
            ref = SubjectRef(kind="ready", name=subject, digest=digest_json({"file": digest, "subject": subject}))
            for seed in sorted(map(int, frame["seed"].unique())):
                budget = Budget(seed=seed)
                answer = answer_key(track, problem_digest, subject, ref.digest, budget)
                cells.append(
                    Cell(
                        track=track,
                        problem=problem,
                        problem_digest=problem_digest,
                        folder="",
                        tags=tags[problem],
                        subject=ref,
                        budget=budget,
                        settings={},
                        isolation=Isolation(),
                        answer_key=answer,
                        record_key=record_key(answer, versions, {}),
                    )
                )
    return cells


def _tag(value: Any) -> str | float:
    """A number where the text is one."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return str(value)
    return number if math.isfinite(number) else str(value)


def _record(cell: Cell, scores: Mapping[str, float], source: str) -> Record:
    return cell.record(
        status="ok",
        scores=dict(scores),
        isolation="imported",
        versions=dict.fromkeys(scores, 1),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        imported=source,
    )
