"""Subjects that were submitted: their files are copied and digested, so that what runs later is what was submitted."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from assay.core import Call, InvalidInput, Json, digest_json, get_track
from assay.core.display import shell_word
from assay.core.files.text import read_json, write_json
from assay.harness.subject_ref import SubjectRef, resolve_subject
from assay.publish.arena.commitment import Commitment, read_commitment

__all__ = ["ENTRIES", "Entry", "demand_unchanged", "digest_of_entries", "enter", "read_entries"]

ENTRIES: Final = "entries.json"
REVEALED: Final = "revealed.json"
_FOLDER: Final = "entries"
_NAME = re.compile(r"[\w.@+-]+(?:\([^()]*\))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One subject: how it is named to a run from the arena's folder, and what it consists of."""

    name: str
    track: str
    reference: str
    digest: str

    @property
    def text(self) -> str:
        """The reference that a run takes."""
        return f"{self.name}={self.reference}"


def enter(folder: Path, subject: str, *, track: str | None = None) -> Entry:
    """Submit a subject: a Python file, with the local files that it needs, or the name of a built-in one.

    ``track`` is needed where the arena has several. Nothing can be submitted once the seed is revealed.
    """
    commitment = read_commitment(folder)
    if (folder / REVEALED).exists():
        raise InvalidInput(f"{folder}: the seed is revealed: nothing can be submitted any more. Open a new round.")
    name = _track(commitment, track)
    ref = resolve_subject(subject, get_track(name))
    entries = read_entries(folder)
    if not _NAME.fullmatch(ref.name):
        raise InvalidInput(f"subject {subject!r}: give it a name, as in mine={subject}.")
    if any((entry.track, entry.name) == (name, ref.name) for entry in entries):
        raise InvalidInput(f"{folder}: {ref.name!r} was submitted already. Give this one another name: NAME={subject}.")
    if ref.kind == "file":
        reference = _copied(folder, ref)
    elif ref.kind in ("registered", "privileged"):
        reference = ref.reference()
    else:
        raise InvalidInput(
            f"subject {subject!r}: an arena takes Python files and built-in subjects; answers cannot be submitted "
            "before the problems exist, and programs and modules cannot be copied whole. Wrap it in a Python file."
        )
    entry = Entry(name=ref.name, track=name, reference=reference, digest=ref.digest)
    _demand_same(folder, entry, "its copy is another subject: it reads files that its source does not name")
    _write(folder, [*entries, entry])
    return entry


def _track(commitment: Commitment, track: str | None) -> str:
    if track is None and len(commitment.tracks) > 1:
        raise InvalidInput(f"this round has several tracks: name one with --track, of {', '.join(commitment.tracks)}.")
    if track is not None and track not in commitment.tracks:
        raise InvalidInput(f"track {track!r}: this round has {', '.join(commitment.tracks)}.")
    return track or commitment.tracks[0]


def _copied(folder: Path, ref: SubjectRef) -> str:
    """Copy the files of a subject; say how it is named there."""
    root = Path(ref.root)
    slug = f"{re.sub(r'[^A-Za-z0-9_-]+', '-', ref.name)[:40]}-{ref.digest[:8]}"
    for part in ref.parts:
        source = root / part
        if source.is_file():
            target = folder / _FOLDER / slug / part
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
    inside = Path(ref.target).relative_to(root).as_posix()
    return str(Call(f"{_FOLDER}/{slug}/{inside}:{ref.attribute}", ref.parameters))


def read_entries(folder: Path) -> tuple[Entry, ...]:
    """What was submitted, in order."""
    path = folder / ENTRIES
    if not path.is_file():
        return ()
    content: Any = read_json(path).get("entries")
    try:
        return tuple(Entry(**{key: str(value) for key, value in entry.items()}) for entry in content)
    except (TypeError, AttributeError):
        raise InvalidInput(f"{path}: damaged, 'entries' must list name, track, reference and digest.") from None


def _write(folder: Path, entries: Sequence[Entry]) -> None:
    write_json(
        folder / ENTRIES, {"entries": [asdict(entry) for entry in entries], "digest": digest_of_entries(entries)}
    )


def digest_of_entries(entries: Sequence[Entry]) -> str:
    """The digest of the whole list: published before the seed, it proves that no entry was added later."""
    listed: list[Json] = [{"name": entry.name, "track": entry.track, "digest": entry.digest} for entry in entries]
    return digest_json(listed)


def demand_unchanged(folder: Path) -> tuple[Entry, ...]:
    """All entries, each still the subject that was submitted."""
    entries = read_entries(folder)
    if not entries:
        raise InvalidInput(f"{folder}: no subject has been submitted: assay arena enter {shell_word(folder)} mine.py.")
    for entry in entries:
        _demand_same(folder, entry, "it was changed since it was submitted, or libraries have other versions here")
    return entries


def _demand_same(folder: Path, entry: Entry, why: str) -> None:
    resolved = resolve_subject(entry.text, get_track(entry.track), folder=folder)
    if resolved.digest != entry.digest:
        raise InvalidInput(
            f"subject {entry.name!r}: {why} (digest {resolved.digest[:12]}..., submitted was {entry.digest[:12]}...)."
        )
