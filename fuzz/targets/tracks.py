"""What every track reads: answers, and the files of a problem's folder, one broken and the others whole."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from assay.core import AnyTrack, get_track, track_names
from fuzz.containers import mutate_framed, mutate_gzip, zipped
from fuzz.mutation import Mutator, mutate, mutate_json, suited
from fuzz.targets.target import Target

__all__ = ["smallest", "track_targets"]

_ROWS = 60
_LARGEST = 400_000  # bytes of a file that is worth breaking


def track_targets(folder: Path) -> Iterator[Target]:
    """Of all tracks that are installed."""
    for name in track_names():
        track = get_track(name)
        problems = folder / name
        problems.mkdir(parents=True)
        track.builtin(problems)
        yield from _answers(track, problems)
        yield from _problem_files(track, problems)


def smallest(track: AnyTrack, problems: Path) -> Path:
    """The problem folder with the fewest bytes; where reading takes long, a smaller one is made."""
    if track.name == "drift":
        return _small_drift(problems)
    folder = min(
        (path for path in problems.iterdir() if (path / track.marker).is_file()),
        key=lambda path: sum(file.stat().st_size for file in path.rglob("*") if file.is_file()),
    )
    return _cut(folder, problems.parent / f"{track.name}-small") if track.name == "insight" else folder


def _cut(folder: Path, small: Path) -> Path:
    """The same tables with their first rows only."""
    if not small.is_dir():
        shutil.copytree(folder, small)
        for path in small.rglob("*.csv"):
            path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[: _ROWS + 1]))
    return small


def _small_drift(problems: Path) -> Path:
    from assay.drift.detection.drift import Drift
    from assay.drift.documents.document import Corpus
    from assay.drift.logs.local_time import moment
    from assay.drift.logs.read import read_log
    from assay.drift.problem.task import DriftTask, DriftTruth, write_problem
    from fuzz.targets.logs import event_log

    small = problems.parent / "drift-small"
    if small.is_dir():
        return small
    source = problems.parent / "Permits.xes"
    source.write_bytes(event_log())
    log = read_log(source)
    texts = {"rule.txt": "From 12 January 2020 every permit needs two signatures.", "note.md": "# Lunch\n\n2 May 2020."}
    corpus = Corpus.from_texts(texts)
    starts = [moment(int(start)) for start in log.starts]
    drift = Drift(
        id="small_drift_1_1",
        process=log.name,
        type="sudden",
        start_case=log.cases[2],
        end_case=log.cases[3],
        start=starts[2],
        end=starts[3],
        confidence=0.7,
    )
    task = DriftTask(name="small", drifts=(drift,), corpus=corpus, logs={log.name: log}, glossary={"HOD": "head"})
    truth = DriftTruth.of(corpus, [["rule.txt"]])
    write_problem(small, id="small", task=task, truth=truth, tags={})
    return small


def _answers(track: AnyTrack, problems: Path) -> Iterator[Target]:
    problem = track.load(smallest(track, problems))
    seed = track.encode(track.oracle(problem))
    way = mutate_json if seed[:1] == b"{" else mutate_framed(seed[: seed.index(b"\n") + 1])
    yield Target(f"{track.name} answer", (seed,), track.decode, weight=20, mutate=way)


def _problem_files(track: AnyTrack, problems: Path) -> Iterator[Target]:
    whole = smallest(track, problems)
    broken = problems.parent / f"{track.name}-broken"
    shutil.copytree(whole, broken)
    counts: dict[tuple[str, str], int] = {}
    for path in sorted(whole.rglob("*")):
        alike = (str(path.parent), path.suffix)  # of many documents in one folder two are enough
        counts[alike] = counts.get(alike, 0) + path.is_file()
        if not path.is_file() or path.stat().st_size > _LARGEST or counts[alike] > (2 if path.suffix != ".csv" else 9):
            continue
        place = broken / path.relative_to(whole)

        def read(data: bytes, place: Path = place, original: bytes = path.read_bytes()) -> object:
            place.write_bytes(data)
            try:
                return track.load(broken)
            finally:
                place.write_bytes(original)

        name = f"{track.name} {path.relative_to(whole)}"
        yield Target(name, (path.read_bytes(),), read, mutate=_way(path.name))


def _way(name: str) -> Mutator:
    if name.endswith(".npz"):
        return zipped()
    return mutate_gzip(mutate) if name.endswith(".gz") else suited(name)
