"""Reading a results folder, or the export of one."""

from __future__ import annotations

import copyreg
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from assay.core import Aggregate, AnyTrack, InvalidInput
from assay.core.display import shell_word
from assay.core.files.folders import user_path
from assay.harness.driver.result import RunResult
from assay.harness.metric_facts import stored_track
from assay.harness.metric_loading import load_metrics
from assay.harness.metric_ref import resolve_metric
from assay.harness.store.schema import STORE_NAME
from assay.harness.store.store import Run, Store
from assay.report.export.archive import read_archive
from assay.report.results import Outcome, Results, TrackResults

__all__ = ["load", "results_of", "tracks_of", "with_metrics"]

_TABLES: Final = (".csv", ".html", ".json", ".md", ".parquet")  # exports without the records


def load(folder: Path | str, *, tracks: Mapping[str, AnyTrack] | None = None) -> Results:
    """The latest run of each track in a results folder, or what an export (a zip file) holds; nothing is written.

    Tracks are found by name among the installed ones; ``tracks`` adds others, or stands in for them. Metrics from
    outside appear by what the run stored of them: no code of theirs is imported.
    """
    folder = _place(user_path(folder))
    overrides = tracks or {}
    if folder.is_file() or folder.suffix == ".zip":
        return Results(folder=folder, tracks=read_archive(folder, tracks=overrides).tracks)
    with Store(folder, read_only=True) as store:
        track_results = tracks_of(store, store.latest_runs(), overrides)
    if not track_results:
        raise InvalidInput(
            f"{folder}: nothing was run here yet. Run something first: assay run TRACK --out {shell_word(folder)}."
        )
    return Results(folder=folder, tracks=track_results)


def _place(path: Path) -> Path:
    """A results folder or an archive; the store's own file stands for its folder."""
    if path.name == STORE_NAME and path.is_file():
        return path.parent
    if path.is_file() and path.suffix.lower() in _TABLES:
        raise InvalidInput(f"{path}: an exported table. Give the results folder that it came from, or a .zip archive.")
    if not path.exists() and path.suffix.lower() != ".zip":
        raise InvalidInput(f"{path}: results folder not found.{_near(path)}")
    return path


def _near(path: Path) -> str:
    try:
        beside = [place.parent.name for place in path.parent.glob(f"*/{STORE_NAME}")]
    except OSError:
        beside = []
    close = get_close_matches(path.name, beside, n=1, cutoff=0.5)
    return f" Did you mean {str(path.with_name(close[0]))!r}?" if close else ""


def _reduced(results: Results) -> tuple[object, tuple[object, ...]]:
    """The pickled form: the folder, and the names of the tracks."""
    if results.keep is not None:
        raise InvalidInput(
            f"results in the temporary folder {results.folder} cannot be pickled: it is removed with them. Run with "
            "out='results', or keep them as a file: results.export('results.zip')."
        )
    return _loaded, (str(results.folder.absolute()), tuple(entry.track.name for entry in results.tracks))


def _loaded(folder: str, tracks: tuple[str, ...]) -> Results:
    return load(folder).only(tracks)


copyreg.pickle(Results, _reduced)  # type: ignore[arg-type]


def results_of(result: RunResult, *, keep: object = None) -> Results:
    """The results of a run: the records of its own plans, and no others of its folder."""
    with Store(result.out, read_only=True) as store:
        runs = {run.id: run for run in store.runs()}
        own = tuple(runs[result.runs[track]] for track in sorted(result.runs))
        return Results(
            folder=result.out, tracks=tracks_of(store, own, result.tracks), outcome=Outcome.of(result), keep=keep
        )


def tracks_of(store: Store, runs: tuple[Run, ...], overrides: Mapping[str, AnyTrack]) -> tuple[TrackResults, ...]:
    """The records of these plans, each with its track; those given stand in for the installed ones."""
    floors = store.floors()
    return tuple(
        TrackResults(
            track=stored_track(run.track, run.metrics, overrides),
            run=run,
            records=store.records(run.id),
            planned=store.planned(run.id),
            planned_problems=store.planned_problems(run.id),
            losses=store.losses(run.id),
            floors=floors,
            withdrawals=store.withdrawals(run.id),
        ).ranked()
        for run in runs
    )


def with_metrics(
    results: Results, texts: Sequence[str], *, folder: Path | None = None
) -> tuple[Results, tuple[str, ...]]:
    """The results with the aggregates among these metrics, and the names of the columns that the texts mean.

    A text is a name, or names code as for a run; relative paths start at ``folder``. The code of an aggregate is
    needed for every table; a metric must have scored the records already.
    """
    names: dict[str, None] = {}
    tracks = []
    for entry in results.tracks:
        extra: list[Aggregate] = []
        for text in texts:
            ref = resolve_metric(text, entry.track, folder=folder)
            if ref is None:
                names[text] = None
                continue
            sources = entry.track.sources()
            for metric in load_metrics(ref, entry.track):
                names[metric.name] = None
                if isinstance(metric, Aggregate):
                    extra.append(metric)
                elif sources.get(metric.name) != metric.source:
                    why = "were scored by another state of" if metric.name in sources else "do not hold"
                    raise InvalidInput(
                        f"{results.folder}: the records of track {entry.track.name!r} {why} {metric.name!r}. Score the "
                        f"stored answers with it: assay rescore {shell_word(results.folder)} --metric "
                        f"{shell_word(text)}."
                    )
        tracks.append(replace(entry, track=entry.track.with_metrics(extra)) if extra else entry)
    return replace(results, tracks=tuple(tracks)), tuple(names)
