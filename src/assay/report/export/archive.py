"""One run as a zip file: its records, plan and tables, which read back into the same results."""

from __future__ import annotations

import json
import math
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Unpack

from assay.core import (
    AnyTrack,
    AssayError,
    Budget,
    InvalidInput,
    Record,
    canonical_json,
    digest_bytes,
    plain,
)
from assay.harness.metric_facts import MetricFacts, stored_track
from assay.harness.plan import Cell
from assay.harness.process.isolation import Isolation
from assay.harness.store.store import Run
from assay.harness.store.withdrawals import Withdrawal
from assay.harness.subject_ref import SubjectRef
from assay.intake.archives import pack, read_member
from assay.report.export.files import write_whole
from assay.report.export.frames import rows_of
from assay.report.export.tables import csv_table, json_bytes, scores_csv, scores_parquet
from assay.report.page.html import render
from assay.report.result_set import ResultSet, TrackResults
from assay.report.tables.summary import Bootstrap
from assay.stats.sequential.decisions import Decisions
from assay.version import __version__

__all__ = [
    "ARCHIVE_SCHEMA",
    "MANIFEST",
    "json_lines",
    "manifest_body",
    "manifest_text",
    "read_archive",
    "record_files",
    "track_folder",
    "write_archive",
]

ARCHIVE_SCHEMA = 1
MANIFEST = "manifest.json"
_ABOUT = """# A run of Assay

- `manifest.json`: schema, tracks with their settings, and the SHA-256 of every other file
- `TRACK/records.jsonl`: one record per line, whole
- `TRACK/lost.jsonl`: planned cells that could not be finished, with the reasons
- `scores.csv`, `scores.parquet`: one row per record and metric
- `records.csv`, `leaderboard.csv`, `comparisons.csv`, `problems.csv`: everything the report shows
- `report.json`: leaderboards, comparisons and records
- `report.html`: the report

Read it with `assay.report.load("FILE.zip")` or `assay report FILE.zip`. The columns are described in Assay's
documentation under "Report".
"""


def write_archive(results: ResultSet, path: Path, *, with_html: bool = True, **bootstrap: Unpack[Bootstrap]) -> None:
    """Write a run as a zip; equal results give equal bytes."""
    summaries = results.summaries(**bootstrap)
    files: dict[str, bytes] = {"README.md": _ABOUT.encode(), **record_files(results)}
    files["scores.csv"] = scores_csv(results)
    files["scores.parquet"] = scores_parquet(results)
    for name, (columns, rows) in rows_of(summaries).items():
        files[f"{name}.csv"] = csv_table(columns, rows)
    files["report.json"] = json_bytes(summaries)
    if with_html:
        files["report.html"] = render(summaries).encode("utf-8", errors="backslashreplace")
    digests = {name: digest_bytes(content) for name, content in files.items()}
    files[MANIFEST] = manifest_text(manifest_body(results, digests))
    write_whole(path, pack(files, level=6))


def read_archive(path: Path, *, tracks: Mapping[str, AnyTrack] | None = None) -> ResultSet:
    """The results that a zip holds, checked against its manifest; nothing is unpacked onto the disk."""
    overrides = tracks or {}
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = json.loads(read_member(archive, MANIFEST, path=path))
            if not isinstance(manifest, dict) or manifest.get("schema") != ARCHIVE_SCHEMA:
                raise InvalidInput(
                    f"{path}: not an export of Assay with schema {ARCHIVE_SCHEMA}. Write it again: assay export."
                )
            results = tuple(_read_track(archive, path, manifest, entry, overrides) for entry in manifest["tracks"])
    except FileNotFoundError:
        raise InvalidInput(f"{path}: file not found.") from None
    except AssayError:
        raise
    except Exception as error:  # zipfile and zlib raise classes of many kinds
        raise InvalidInput(f"{path}: this export is damaged ({error}). Write it again: assay export.") from error
    return ResultSet(folder=path, tracks=results)


def record_files(results: ResultSet) -> dict[str, bytes]:
    """The records and the lost cells of each track, by name."""
    files: dict[str, bytes] = {}
    for place, track in enumerate(results.tracks):
        folder = track_folder(place, track.track.name)
        files[f"{folder}/records.jsonl"] = json_lines(record.to_json() for record in track.records)
        files[f"{folder}/lost.jsonl"] = json_lines(_loss(track, cell, reason) for cell, reason in track.losses)
    return files


def manifest_text(body: Mapping[str, Any]) -> bytes:
    """A manifest as it is written: equal content, equal bytes."""
    return (json.dumps(body, indent=1, sort_keys=True) + "\n").encode()


def manifest_body(results: ResultSet, digests: Mapping[str, str]) -> dict[str, Any]:
    """What was run, and the digest of every file."""
    return {
        "schema": ARCHIVE_SCHEMA,
        "assay": __version__,
        "tracks": [
            {
                "name": track.track.name,
                "folder": track_folder(place, track.track.name),
                "question": track.track.question,
                "headline": track.headline,
                "run": track.run.id,
                "created": track.run.created,
                "settings": plain(dict(track.run.settings)),
                "planned": track.planned,
                "finished": len(track.records),
                "withdrawn": [withdrawal.to_json() for withdrawal in track.withdrawals],
                **({"metrics": [facts.to_json() for facts in track.run.metrics]} if track.run.metrics else {}),
                **({} if track.run.decisions is None else {"decisions": plain(track.run.decisions.to_json())}),
            }
            for place, track in enumerate(results.tracks)
        ],
        "sha256": dict(digests),
    }


def track_folder(place: int, name: str) -> str:
    """A folder inside the zip that no name can lead out of."""
    safe = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "-_") else "-" for letter in name)
    return f"{place + 1}-{safe[:40]}"


def _read_track(
    archive: zipfile.ZipFile,
    path: Path,
    manifest: Mapping[str, Any],
    entry: Mapping[str, Any],
    overrides: Mapping[str, AnyTrack],
) -> TrackResults:
    name, folder = str(entry["name"]), str(entry["folder"])
    texts = {}
    for kind in ("records", "lost"):
        content = read_member(archive, f"{folder}/{kind}.jsonl", path=path)
        if digest_bytes(content) != manifest["sha256"][f"{folder}/{kind}.jsonl"]:
            raise InvalidInput(f"{path}: {folder}/{kind}.jsonl: checksum mismatch. Write it again: assay export.")
        texts[kind] = [json.loads(line) for line in content.splitlines()]  # bytes: only \n ends a line
    run = Run(
        id=int(entry["run"]),
        track=name,
        created=str(entry["created"]),
        settings=entry["settings"],
        metrics=tuple(MetricFacts.from_json(facts) for facts in entry.get("metrics", ())),
        decisions=Decisions.from_json(entry["decisions"]) if "decisions" in entry else None,
    )
    return TrackResults(
        track=stored_track(name, run.metrics, overrides),
        run=run,
        records=tuple(Record.from_json(body) for body in texts["records"]),
        planned=int(entry["planned"]),
        losses=tuple(_lost(body) for body in texts["lost"]),
        floors={str(body["record_key"]): _floors(body["floors"]) for body in texts["lost"] if "floors" in body},
        withdrawals=tuple(Withdrawal(**body) for body in entry.get("withdrawn", ())),
    ).ranked()


def json_lines(bodies: Iterable[Any]) -> bytes:
    """Values as canonical JSON, one per line."""
    return "".join(canonical_json(body) + "\n" for body in bodies).encode("utf-8", errors="surrogatepass")


def _loss(track: TrackResults, cell: Cell, reason: str) -> dict[str, Any]:
    """A planned cell without the paths of the machine that ran it; with what a failure scores there, if it is known."""
    floors = track.floors.get(cell.record_key)
    return {
        "track": cell.track,
        "problem": cell.problem,
        "problem_digest": cell.problem_digest,
        "tags": plain(cell.tags),
        "subject": {"kind": cell.subject.kind, "name": cell.subject.name, "digest": cell.subject.digest},
        "budget": cell.budget.to_json(),
        "settings": plain(cell.settings),
        "answer_key": cell.answer_key,
        "record_key": cell.record_key,
        "reason": reason,
        **({} if floors is None else {"floors": plain(dict(floors))}),
    }


def _floors(body: Mapping[str, Any]) -> dict[str, float]:
    return {name: math.nan if score is None else float(score) for name, score in body.items()}


def _lost(body: Mapping[str, Any]) -> tuple[Cell, str]:
    fields = {name: value for name, value in body.items() if name not in ("reason", "floors")}
    cell = Cell(
        **{
            **fields,
            "folder": "",
            "subject": SubjectRef(**body["subject"]),
            "budget": Budget(**body["budget"]),
            "isolation": Isolation(),
        }
    )
    return cell, str(body["reason"])
