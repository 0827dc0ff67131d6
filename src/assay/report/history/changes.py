"""What changed since the run before: subjects, problems, settings, and scores, paired with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.core import AnyTrack, InvalidInput, UnknownName
from assay.harness.store.store import Run, Store
from assay.report.gates.gate import NotWorse, subjects_of
from assay.report.gates.pairing import Pairing, paired
from assay.report.loading import tracks_of
from assay.report.page.facts import setting_differences
from assay.report.result_set import ResultSet
from assay.report.track_records import TrackRecords

__all__ = ["Difference", "RunChanges", "run_changes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A subject in two runs: the paired difference, now less before, or why there is none."""

    subject: str
    changed: bool  # whether its own content is another
    same: bool  # whether every record is one and the same: nothing was run again
    pairing: Pairing | None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunChanges:
    """A run of a track and, where there is one, the run of that track before it in the same folder.

    Attributes
    ----------
    track, metric : str
        Of what, and the headline that differences are of.
    run : Run
        Which run.
    before : Run or None
        The one before; None for the first.
    finished, planned : int
        Cells of this run that are done, and all of them.
    subjects_added, subjects_removed, problems_added, problems_removed, problems_changed : tuple of str
        By name; a changed problem has the same name and another content.
    settings : mapping
        Settings that are others now, each with both values.
    differences : tuple of Difference
        For each subject of both runs.
    """

    track: str
    metric: str
    run: Run
    before: Run | None
    finished: int
    planned: int
    subjects_added: tuple[str, ...] = ()
    subjects_removed: tuple[str, ...] = ()
    problems_added: tuple[str, ...] = ()
    problems_removed: tuple[str, ...] = ()
    problems_changed: tuple[str, ...] = ()
    settings: Mapping[str, str] | None = None
    differences: tuple[Difference, ...] = ()


def run_changes(
    folder: Path, *, most: int | None = None, tracks: Mapping[str, AnyTrack] | None = None
) -> tuple[RunChanges, ...]:
    """The runs of a results folder, newest first, each with what changed since the run of its track before it.

    Parameters
    ----------
    folder : Path
        A results folder; nothing is written into it.
    most : int, optional
        At most so many runs.
    tracks : mapping, optional
        Tracks that stand in for the installed ones, by name.

    Returns
    -------
    tuple of RunChanges
        One for each run.
    """
    with Store(folder, read_only=True) as store:
        runs = store.runs()
        latest = list(reversed(runs))[:most]
        needed = {run.id for run in latest} | {before.id for run in latest if (before := _before(run, runs))}
        loaded = {run.id: tracks_of(store, (run,), tracks or {})[0] for run in runs if run.id in needed}
    return tuple(_changes(folder, loaded, run, _before(run, runs)) for run in latest)


def _before(run: Run, runs: Sequence[Run]) -> Run | None:
    return max(
        (one for one in runs if one.track == run.track and one.id < run.id), key=lambda one: one.id, default=None
    )


def _changes(folder: Path, loaded: Mapping[int, TrackRecords], run: Run, before: Run | None) -> RunChanges:
    now = loaded[run.id]
    alone = RunChanges(
        track=run.track, metric=now.headline, run=run, before=before, finished=len(now.records), planned=now.planned
    )
    if before is None:
        return alone
    then = loaded[before.id]
    subjects, earlier = set(subjects_of(now)), set(subjects_of(then))
    problems, earlier_problems = _digests(now, "problem"), _digests(then, "problem")
    common = problems.keys() & earlier_problems.keys()
    return replace(
        alone,
        subjects_added=tuple(sorted(subjects - earlier)),
        subjects_removed=tuple(sorted(earlier - subjects)),
        problems_added=tuple(sorted(problems.keys() - earlier_problems.keys())),
        problems_removed=tuple(sorted(earlier_problems.keys() - problems.keys())),
        problems_changed=tuple(sorted(name for name in common if problems[name] != earlier_problems[name])),
        settings=setting_differences(run.settings, before.settings, called="before", missing="not there before"),
        differences=tuple(_difference(folder, now, then, name) for name in sorted(subjects & earlier)),
    )


def _difference(folder: Path, now: TrackRecords, then: TrackRecords, subject: str) -> Difference:
    changed = _digests(now, "subject").get(subject) != _digests(then, "subject").get(subject)
    same = _keys(now, subject) == _keys(then, subject)
    gate = NotWorse(baseline=ResultSet(folder=folder, tracks=()), place="since the run before")
    try:
        pairing = paired(now, then, subject, now.headline, gate, folder=folder)
    except (InvalidInput, UnknownName) as error:
        return Difference(subject=subject, changed=changed, same=same, pairing=None, reason=str(error))
    return Difference(subject=subject, changed=changed, same=same, pairing=pairing)


def _digests(results: TrackRecords, kind: str) -> dict[str, frozenset[str]]:
    """Of each name the contents that it stood for."""
    names, digests = results.table.labels[kind], results.table.labels[f"{kind}_digest"]
    digests_of: dict[str, set[str]] = {}
    for name, digest in set(zip(names.codes.tolist(), digests.codes.tolist(), strict=True)):
        digests_of.setdefault(names.values[name], set()).add(digests.values[digest])
    return {name: frozenset(values) for name, values in digests_of.items()}


def _keys(results: TrackRecords, subject: str) -> frozenset[str]:
    return frozenset(record.key for record in results.where("subject", subject).records)
