"""Writing a bundle: the same results folder gives the same bytes."""

from __future__ import annotations

import hashlib
import io
import secrets
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from assay.core import InvalidInput, digest_bytes, plain
from assay.core.display import counted, shell_word
from assay.harness.metric_facts import IMPORTED
from assay.harness.metric_ref import MetricRef, metric_files, resolve_metric
from assay.harness.store.store import Store
from assay.harness.subject_ref import SubjectRef
from assay.intake.archives import EPOCH
from assay.publish.bundle.layout import (
    ABOUT,
    ANSWERS,
    BUNDLE_VERSION,
    MANIFEST,
    README,
    SIGNATURE,
    demand_name,
    manifest_digest,
    metric_folder,
)
from assay.publish.bundle.problems import Problems
from assay.publish.bundle.shape import demand_shape
from assay.publish.bundle.signature import sign
from assay.report.export.archive import json_lines, manifest_body, manifest_text, record_files, track_folder
from assay.report.loading import load
from assay.report.results import Results
from assay.report.track_records import TrackRecords

__all__ = ["BundleFile", "write_bundle"]

_PIECE: Final = 1 << 20
_NAMED: Final = frozenset({"registered", "privileged"})  # subjects of the package, which can be built by name


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleFile:
    """A bundle that was written."""

    path: Path
    digest: str  # of its manifest
    records: int
    size: int
    notices: tuple[str, ...] = ()  # what a reviewer will not be able to check


def write_bundle(
    folder: Path,
    out: Path,
    *,
    metrics: Sequence[str] = (),
    slim: bool = False,
    key: Path | None = None,
    say: Callable[[str], None] | None = None,
) -> BundleFile:
    """Write the latest runs of a results folder as a bundle, whole or not at all.

    ``metrics`` name the author's own ones, whose code is put in. ``slim`` leaves out built-in problems, which every
    installation of this version writes again. ``key`` signs the manifest.
    """
    tell = say or (lambda line: None)
    results = load(folder)
    if not results.folder.is_dir():
        raise InvalidInput(f"{folder}: an archive, and a results folder is needed. Give the folder that it came from.")
    for track in results.tracks:
        if track.track.name.endswith(IMPORTED):
            raise InvalidInput(
                f"{folder}: the scores of {track.track.name!r} were imported. A bundle holds answers that can be "
                "examined again: bundle a folder with runs alone."
            )
    tell("reading records")
    files: dict[str, bytes | Path] = {README: ABOUT.encode(), **record_files(results)}
    payloads: dict[str, str] = {}  # digest -> a key under which the store has it
    entries: list[dict[str, Any]] = []
    notices: list[str] = []
    codes = _codes(results, metrics)
    with Store(results.folder, read_only=True) as store, tempfile.TemporaryDirectory(prefix="assay-bundle-") as spare:
        problems = Problems(results.folder, Path(spare))
        for place, track in enumerate(results.tracks):
            name = track.track.name
            tell(f"reading the answers and problems of {name}")
            rows = list(_answer_rows(store, track, payloads))
            files[f"{track_folder(place, name)}/answers.jsonl"] = json_lines(rows)
            cells = store.cells(track.run.id)
            entries.append(
                {
                    "subjects": [_subject(ref) for ref in _distinct(cell.subject for cell in cells)],
                    "problems": problems.entries(track.track, cells, files, slim=slim),
                    "versions": dict(next((record.versions for record in track.records), {})),
                    "code": [_code(ref, files) for ref in codes.get(name, ())],
                }
            )
            notices += _unchecked(track, codes.get(name, ()))
        members = [*files, *(f"{ANSWERS}/{digest}" for digest in payloads)]
        for member in members:
            demand_name(member, what=str(folder))
        tell(f"packing {counted(len(members), 'file')}")
        with _draft(out) as draft, zipfile.ZipFile(draft, "w") as archive:
            digests: dict[str, str] = {}
            for member in sorted(members):
                source = files.get(member)
                if source is None:
                    source = store.answer(payloads[member.rpartition("/")[2]]).payload
                    assert source is not None  # its digest is known
                digests[member] = _write(archive, member, source)
            body = _whole_manifest(results, digests, entries)
            text = manifest_text(body)
            _write(archive, MANIFEST, text)
            if key is not None:
                _write(archive, SIGNATURE, sign(text, key))
    with zipfile.ZipFile(out) as archive:
        demand_shape(archive, out)  # what cannot be verified is not handed over silently
    records = sum(len(track.records) for track in results.tracks)
    return BundleFile(
        path=out, digest=body["digest"], records=records, size=out.stat().st_size, notices=tuple(dict.fromkeys(notices))
    )


def _whole_manifest(
    results: Results, digests: Mapping[str, str], entries: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    body = manifest_body(results, digests)
    software: dict[str, set[str]] = {}
    for track in results.tracks:
        for record in track.records:
            for name, version in record.software.items():
                software.setdefault(name, set()).add(version)
    body |= {
        "bundle": BUNDLE_VERSION,
        "tracks": [{**track, **entry} for track, entry in zip(body["tracks"], entries, strict=True)],
        "software": {name: sorted(versions) for name, versions in software.items()},
    }
    return {**body, "digest": manifest_digest(body)}


def _answer_rows(store: Store, track: TrackRecords, payloads: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Of each answer all but its bytes and what its subject printed, which may be private."""
    for record in track.records:
        answer = store.answer(record.answer_key)
        digest = None if answer.payload is None else digest_bytes(answer.payload)
        if digest is not None:
            payloads.setdefault(digest, record.answer_key)
        yield {
            "key": record.answer_key,
            "payload": digest,
            "status": answer.status,
            "error": answer.error,
            "error_kind": answer.error_kind,
            "isolation": answer.isolation,
            "seconds": plain(answer.seconds),
            "cost": plain(answer.cost),
            "software": plain(answer.software),
        }


def _distinct(refs: Iterator[SubjectRef]) -> list[SubjectRef]:
    return list({(ref.name, ref.digest): ref for ref in refs}.values())


def _subject(ref: SubjectRef) -> dict[str, Any]:
    """What a reviewer may know of a subject: no path of the author's machine."""
    own = {"target": ref.target, "parameters": plain(ref.parameters)} if ref.kind in _NAMED else {}
    return {"name": ref.name, "digest": ref.digest, "kind": ref.kind, **own}


def _codes(results: Results, texts: Sequence[str]) -> dict[str, list[MetricRef]]:
    """The code of the author's metrics, by track; it must be what the records were scored with."""
    codes: dict[str, list[MetricRef]] = {}
    understood: set[str] = set()
    for track in results.tracks:
        scored = {facts.source for facts in track.run.metrics if facts.source}
        for text in texts:
            try:
                ref = resolve_metric(text, track.track)
            except InvalidInput:
                if len(results.tracks) == 1:
                    raise
                continue
            if ref is not None and ref.digest in scored:
                codes.setdefault(track.track.name, []).append(ref)
                understood.add(text)
    for text in texts:
        if text not in understood:
            raise InvalidInput(
                f"metric {text!r}: no record was scored with its code as it is now. Score the answers with it: "
                f"assay rescore {shell_word(results.folder)} --metric {shell_word(text)}."
            )
    return codes


def _code(ref: MetricRef, files: dict[str, bytes | Path]) -> dict[str, Any]:
    inside, sources = metric_folder(ref.digest), metric_files(ref)
    files |= {f"{inside}/{name}": path for name, path in sources.items()}
    is_file = ref.kind == "file"
    target = Path(ref.target).relative_to(ref.root).as_posix() if is_file else ref.target
    kind = "file" if is_file else "module"
    # the name that the author gave it may be a path of the author's machine
    text = f"{target}:{ref.attribute}" if ref.attribute else target
    return {
        **{"kind": kind, "text": text, "target": target, "attribute": ref.attribute},
        **{"digest": ref.digest, "folder": inside, "files": sorted(sources)},
    }


def _unchecked(track: TrackRecords, codes: Sequence[MetricRef]) -> list[str]:
    included = {ref.digest for ref in codes}
    return [
        f"{facts.name}: a metric of yours, which reviewers cannot check without its code. Put it in: "
        f"--metric {facts.text}"
        for facts in track.run.metrics
        if facts.source and facts.source not in included and not facts.aggregate
    ]


@contextmanager
def _draft(out: Path) -> Iterator[Path]:
    """A file beside ``out`` that takes its place at the end; an error or Ctrl-C leaves nothing behind."""
    draft = out.parent / f".assay-{secrets.token_hex(8)}.tmp"
    try:
        draft.touch(exist_ok=False)
    except OSError as error:
        raise InvalidInput(
            f"{out}: cannot be written ({error.strerror}). Give the path of a file in a folder that exists."
        ) from error
    try:
        yield draft
        try:
            draft.replace(out)
        except OSError as error:
            raise InvalidInput(f"{out}: cannot be written ({error.strerror}). Give the path of a file.") from error
    finally:
        draft.unlink(missing_ok=True)


def _write(archive: zipfile.ZipFile, name: str, source: bytes | Path) -> str:
    """Add a member whose bytes depend on its content alone; its digest."""
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.external_attr = 0o644 << 16
    entry.create_system = 3
    entry.compress_type = zipfile.ZIP_DEFLATED  # at the level that zlib takes by itself
    entry.file_size = len(source) if isinstance(source, bytes) else source.stat().st_size
    total = hashlib.sha256()
    with (
        io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as stream,
        archive.open(entry, "w") as sink,
    ):
        while piece := stream.read(_PIECE):
            total.update(piece)
            sink.write(piece)
    return total.hexdigest()
