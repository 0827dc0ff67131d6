"""Reading a bundle from elsewhere: its shape, its manifest, every hash; then what it says, each part checked."""

from __future__ import annotations

import hashlib
import lzma
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Final, TypeVar

from assay.core import InvalidInput, Record
from assay.core.files.folders import demand_file
from assay.core.files.text import LARGEST_JSON, demand_size
from assay.harness.metric_facts import MetricFacts
from assay.harness.subject_ref import SubjectRef
from assay.intake.archives import read_member
from assay.publish.bundle.difference import Difference
from assay.publish.bundle.layout import ANSWERS, BUNDLE_VERSION, MANIFEST, SIGNATURE, manifest_digest
from assay.publish.bundle.parts import (
    BundledAnswer,
    answer_of,
    cells_of,
    code_of,
    parsed,
    problem_of,
    record_of,
    subject_of,
)
from assay.publish.bundle.shape import AGAIN, demand_shape, export_error
from assay.report.export.archive import manifest_text
from assay.version import __version__

__all__ = ["Bundle", "BundledTrack", "open_bundle"]

_LARGEST_MANIFEST: Final = 4 * LARGEST_JSON
_PIECE: Final = 1 << 20
_DAMAGED: Final = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, RuntimeError, OSError)
_CHANGED: Final = "A changed byte: the file is not the one that the manifest was written for"

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class BundledTrack:
    """What a bundle says of one track."""

    name: str
    settings: Mapping[str, Any]
    planned: int
    records: tuple[Record, ...]
    answers: Mapping[str, BundledAnswer]  # by key
    subjects: Mapping[tuple[str, str], SubjectRef]  # by name and digest
    problems: Mapping[str, str]  # digest -> folder in the bundle; empty for one that the package writes by itself
    versions: Mapping[str, int]
    metrics: tuple[MetricFacts, ...]
    code: tuple[Mapping[str, str], ...]
    lost: int
    withdrawn: int  # cells


@dataclass(frozen=True, slots=True)
class Bundle:
    """An open bundle whose shape is that of one; nothing of it is believed yet."""

    path: Path
    archive: zipfile.ZipFile
    manifest: Mapping[str, Any]
    text: bytes  # of the manifest, as it stands there

    def __enter__(self) -> Bundle:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.archive.close()

    @property
    def digest(self) -> str:
        """Of the manifest: what it is, whatever it says of itself."""
        return manifest_digest(self.manifest)

    @property
    def signature(self) -> bytes | None:
        """Of the manifest, if there is one."""
        return self.member(SIGNATURE) if SIGNATURE in self.archive.namelist() else None

    def member(self, name: str) -> bytes:
        """The bytes of a member."""
        try:
            return read_member(self.archive, name, path=self.path)
        except KeyError:
            raise InvalidInput(f"{self.path}: {name!r} is not there, and its manifest needs it. {AGAIN}.") from None
        except _DAMAGED as error:
            raise InvalidInput(f"{self.path}: {name!r} is damaged ({error}). {AGAIN}.") from error

    def payload(self, digest: str) -> bytes:
        """The bytes of an answer."""
        return self.member(f"{ANSWERS}/{digest}")

    def changed_bytes(self) -> Iterator[Difference]:
        """Members that are not what the manifest says, and a manifest that is not what it says of itself."""
        declared = self.manifest.get("digest")
        if declared != self.digest or manifest_text(self.manifest) != self.text:
            yield Difference("bytes", MANIFEST, "digest", str(declared), self.digest, _CHANGED)
        digests = self.manifest["sha256"]
        members = [name for name in self.archive.namelist() if name not in (MANIFEST, SIGNATURE)]
        for name in sorted({*digests} - {*members}):
            yield Difference("bytes", name, "", None, None, "The manifest names it, and it is missing")
        for name in members:
            if name not in digests:
                yield Difference("bytes", name, "", None, None, "It is there, and the manifest does not name it")
            elif (digest := self._digest(name)) != digests[name]:
                yield Difference("bytes", name, "sha256", str(digests[name]), digest, _CHANGED)

    def _digest(self, name: str) -> str:
        total = hashlib.sha256()
        rest = self.archive.getinfo(name).file_size
        try:
            with self.archive.open(name) as stream:
                while rest >= 0 and (piece := stream.read(min(_PIECE, rest + 1))):
                    total.update(piece)
                    rest -= len(piece)
        except _DAMAGED as error:
            return f"damaged ({error})"
        return total.hexdigest()

    def unpack(self, folders: Collection[str], target: Path) -> None:
        """Write the files below these folders of the archive to disk; their names were looked at already."""
        for name in self.archive.namelist():
            parts = name.split("/")
            if any("/".join(parts[:depth]) in folders for depth in range(1, len(parts))):
                path = target / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(self.member(name))
        for folder in folders:
            if not (target / folder).is_dir():
                raise InvalidInput(f"{self.path}: there is no {folder!r}, which its manifest needs. {AGAIN}.")

    def tracks(self) -> tuple[BundledTrack, ...]:
        """What the bundle says of each track; call it once the hashes are found right."""
        return tuple(self._track(entry, f"{MANIFEST}, track {place}") for place, entry in enumerate(self._entries(), 1))

    def _entries(self) -> list[Mapping[str, Any]]:
        entries = self.manifest.get("tracks")
        if not isinstance(entries, list) or not entries or not all(isinstance(entry, dict) for entry in entries):
            raise self._wrong(MANIFEST, "'tracks' must be a list of tracks")
        return entries

    def _track(self, entry: Mapping[str, Any], what: str) -> BundledTrack:
        def take(key: str, kind: type[T]) -> T:
            value = entry.get(key)
            if not isinstance(value, kind):
                raise self._wrong(what, f"{key!r} must be a {kind.__name__}, got {value!r:.60}")
            return value

        folder = take("folder", str)
        subjects = [self._part(subject_of, body, f"{what}, subjects") for body in take("subjects", list)]
        problems = [self._part(problem_of, body, f"{what}, problems") for body in take("problems", list)]
        return BundledTrack(
            name=take("name", str),
            settings=take("settings", dict),
            planned=take("planned", int),
            records=tuple(self._lines(f"{folder}/records.jsonl", record_of)),
            answers=dict(self._lines(f"{folder}/answers.jsonl", answer_of)),
            subjects={(ref.name, ref.digest): ref for ref in subjects},
            problems=dict(problems),
            versions=take("versions", dict),
            metrics=tuple(
                self._part(MetricFacts.from_json, body, f"{what}, metrics") for body in entry.get("metrics", ())
            ),
            code=tuple(self._part(code_of, body, f"{what}, code") for body in take("code", list)),
            lost=sum(1 for _ in self._lines(f"{folder}/lost.jsonl", dict)),
            withdrawn=sum(self._part(cells_of, body, f"{what}, withdrawn") for body in take("withdrawn", list)),
        )

    def _lines(self, name: str, make: Callable[[Any], T]) -> Iterator[T]:
        for number, line in enumerate(self.member(name).splitlines(), 1):
            what = f"{name}, line {number}"
            yield self._part(make, parsed(line, what=f"{self.path}: {what}"), what)

    def _part(self, make: Callable[[Any], T], body: Any, what: str) -> T:
        try:
            return make(body)
        except (InvalidInput, KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise self._wrong(what, f"not as Assay writes it ({type(error).__name__}: {error})") from error

    def _wrong(self, what: str, fault: str) -> InvalidInput:
        return InvalidInput(f"{self.path}: {what}: {fault}. {AGAIN}.")


def open_bundle(path: Path) -> Bundle:
    """Open a bundle and look at its shape and version; the caller closes it."""
    demand_file(path, remedy="" if path.is_dir() else "Give the bundle that assay bundle wrote.")
    try:
        archive = zipfile.ZipFile(path)
    except _DAMAGED as error:
        raise InvalidInput(
            f"{path}: cannot be read as a zip file ({error}): it is cut off, damaged or something else. {AGAIN}."
        ) from error
    try:
        demand_shape(archive, path)
        bundle = Bundle(path, archive, {}, b"")
        demand_size(archive.getinfo(MANIFEST).file_size, _LARGEST_MANIFEST, what=f"{path}: {MANIFEST}")
        text = bundle.member(MANIFEST)
        body = parsed(text, what=f"{path}: {MANIFEST}")
        _demand_version(body, path)
        digests = body.get("sha256")
        if not isinstance(digests, dict):
            raise InvalidInput(f"{path}: {MANIFEST}: 'sha256' must name every file with its digest. {AGAIN}.")
        return replace(bundle, manifest=body, text=text)
    except BaseException:
        archive.close()
        raise


def _demand_version(body: Any, path: Path) -> None:
    if not isinstance(body, dict) or ("bundle" not in body and "schema" not in body):
        raise InvalidInput(f"{path}: {MANIFEST} is not that of a bundle. Make one: assay bundle RESULTS.")
    version = body.get("bundle")
    if version is None:
        raise export_error(path)
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise InvalidInput(f"{path}: {MANIFEST}: 'bundle' must be a whole number of at least 1, got {version!r:.60}.")
    if version > BUNDLE_VERSION:
        raise InvalidInput(
            f"{path}: written by a newer Assay (bundle version {version}, assay {str(body.get('assay'))[:20]}; this is "
            f"assay {__version__}, which reads up to {BUNDLE_VERSION}). Verify it with a newer Assay."
        )
