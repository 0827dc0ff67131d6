"""The records of a bundle as cells that can be examined again here; what they say of themselves is checked first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from assay.core import Budget, InvalidInput, Record, Setting, digest_bytes, plain
from assay.core.problem import Manifest
from assay.harness.plan import Cell, answer_key, record_key
from assay.harness.process.isolation import Isolation
from assay.harness.subject_ref import ORACLE, SubjectRef
from assay.publish.bundle.comparing import cell_name
from assay.publish.bundle.difference import Difference
from assay.publish.bundle.local_track import LocalTrack
from assay.publish.bundle.parts import BundledAnswer
from assay.publish.bundle.problems import built_in_problems
from assay.publish.bundle.reading import Bundle, BundledTrack

__all__ = ["Case", "cases_of", "demand_share", "draw_sample"]

_SANDBOX: Final = "sandbox"
_CHANGED: Final = "A record that Assay wrote fits its own fields: it was changed"


@dataclass(frozen=True, slots=True)
class Case:
    """A record of the bundle, its answer, and the cell that examines it again."""

    record: Record
    answer: BundledAnswer
    cell: Cell

    @property
    def knows_truth(self) -> bool:
        """Whether its subject is one of the package that needs the truth: then the package makes the answer again."""
        return self.cell.subject.kind == "privileged"


def demand_share(share: float) -> None:
    """Refuse a share that is no part of the whole."""
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share <= 1:
        raise InvalidInput(f"share: must be above 0 and at most 1, got {share!r}.")


def draw_sample(records: Sequence[Record], share: float, digest: str, salt: str) -> set[str]:
    """The keys of a share of the records, drawn by the manifest's own hash and the reviewer's word."""
    order = sorted(
        {record.key for record in records}, key=lambda key: digest_bytes(f"{digest}\0{salt}\0{key}".encode())
    )
    return set(order[: math.ceil(share * len(order))])


def cases_of(local: LocalTrack, bundle: Bundle, place: Path, sample: set[str]) -> list[Case]:
    """The records of the sample as cells; what any record says wrongly of itself is noted."""
    bundled = local.bundled
    try:
        settings = local.track.configure(bundled.settings)
    except InvalidInput as error:
        reason = f"This installation cannot examine with these settings: {error}".rstrip(".")
        local.differences.append(Difference("settings", bundled.name, "", plain(bundled.settings), None, reason))
        return []
    settings |= _protection(local, settings)
    sources = {facts.name: facts.source for facts in bundled.metrics if facts.source and not facts.aggregate}
    sound: list[Record] = []
    seen: set[tuple[object, ...]] = set()
    for record in bundled.records:
        troubles = list(_troubles(record, bundled, sources, seen))
        local.differences += troubles
        if not any(trouble.name in ("answer", "subject", "problem", "budget") for trouble in troubles):
            sound.append(record)
    chosen = [record for record in sound if record.key in sample]
    folders = _folders(local, bundle, place, {record.problem_digest for record in chosen})
    cases: dict[str, Case] = {}
    for record in chosen:
        if record.problem_digest in folders and record.key not in cases:
            folder, manifest = folders[record.problem_digest]
            ref = _ref(local, record)
            cell = Cell(
                track=bundled.name,
                problem=manifest.id,
                problem_digest=manifest.digest,
                folder=str(folder),
                tags=manifest.tags,
                subject=ref,
                budget=_budget(record),
                settings=settings,
                isolation=Isolation(),
                answer_key=record.answer_key,
                record_key=record.key,
                metrics=local.metrics,
            )
            cases[record.key] = Case(record, bundled.answers[record.answer_key], cell)
    return list(cases.values())


def _protection(local: LocalTrack, settings: Mapping[str, Setting]) -> dict[str, Setting]:
    """The settings that protect this machine, which are not the author's to lower."""
    chosen, usual = settings.get(_SANDBOX), local.track.settings.get(_SANDBOX)
    if usual is None or chosen == usual:
        return {}
    local.stricter = True
    local.notes.append(
        f"{local.bundled.name}: the setting {_SANDBOX}={chosen!r} is not taken over; {usual!r} it is here"
    )
    return {_SANDBOX: usual}


def _budget(record: Record) -> Budget:
    return Budget(**record.budget)  # type: ignore[arg-type] # it checks each


def _troubles(
    record: Record, bundled: BundledTrack, sources: Mapping[str, str], seen: set[tuple[object, ...]]
) -> Iterator[Difference]:
    """What a record says that does not fit the rest of the bundle, or itself."""
    place = cell_name(record)

    def wrong(name: str, there: object, here: object, reason: str = _CHANGED) -> Difference:
        return Difference("record", place, name, plain(there), plain(here), reason)

    cell = (record.problem_digest, record.subject, record.subject_digest, record.seed, str(record.budget))
    if cell in seen:
        yield wrong("", None, None, "The bundle holds a second record of this cell: one of them was added")
    seen.add(cell)
    if record.track != bundled.name:
        yield wrong("track", record.track, bundled.name)
    if dict(record.versions) != dict(bundled.versions):
        yield wrong("versions", record.versions, bundled.versions, "The manifest says otherwise: one was changed")
    if dict(record.settings) != dict(bundled.settings):
        what = "The manifest says otherwise: one was changed"
        yield Difference("settings", place, "", plain(record.settings), plain(bundled.settings), what)
    if record.withdrawn or record.imported:
        yield wrong("imported", record.imported or "withdrawn", "", "Bundles hold records that were made by a run")
    if record.answer_key not in bundled.answers:
        yield wrong("answer", record.answer_key, None, "There is no answer of this key")
    if (record.subject, record.subject_digest) not in bundled.subjects:
        yield wrong("subject", record.subject, None, "The manifest names no such subject")
    if record.problem_digest not in bundled.problems:
        yield wrong("problem", record.problem_digest, None, "The manifest names no such problem")
    try:
        budget = _budget(record)
    except (InvalidInput, TypeError) as error:
        yield wrong("budget", record.budget, None, f"No budget that Assay writes ({error})".rstrip("."))
        return
    if budget.seed != record.seed:
        yield wrong("seed", record.seed, budget.seed)
    answer = answer_key(record.track, record.problem_digest, record.subject, record.subject_digest, budget)
    if answer != record.answer_key:
        yield wrong("answer_key", record.answer_key, answer)
    key = record_key(record.answer_key, record.versions, record.settings, sources)
    if key != record.key:
        yield wrong("key", record.key, key)


def _ref(local: LocalTrack, record: Record) -> SubjectRef:
    """The subject as the bundle names it; one that is said to know the truth must be the package's own."""
    ref = local.bundled.subjects[record.subject, record.subject_digest]
    if ref.kind == "privileged" and ref.target != ORACLE and ref.target not in local.track.privileged:
        reason = "The package has no such subject that knows the truth"
        local.differences.append(Difference("record", cell_name(record), "subject", ref.target, None, reason))
        return replace(ref, kind="ready")
    return ref


def _folders(local: LocalTrack, bundle: Bundle, place: Path, digests: set[str]) -> dict[str, tuple[Path, Manifest]]:
    """The problems on disk, by digest: those of the bundle, and built-in ones that the package writes again."""
    inside = {digest: local.bundled.problems[digest] for digest in sorted(digests)}
    bundle.unpack([folder for folder in inside.values() if folder], place)
    builtin = {} if all(inside.values()) else built_in_problems(local.track, place / "builtin")
    folders: dict[str, tuple[Path, Manifest]] = {}
    for digest, name in inside.items():
        folder = place / name if name else builtin.get(digest)
        if folder is None:
            reason = (
                "It is said to be a built-in problem, and this installation writes another one: take the author's "
                "version of Assay and its libraries, or ask for a bundle without --slim"
            )
            local.differences.append(Difference("problem", local.bundled.name, "digest", digest, None, reason))
            continue
        try:
            manifest = local.track.manifest(folder)
        except InvalidInput as error:
            message = str(error).replace(f"{place}/", "").rstrip(".")
            local.differences.append(Difference("problem", name, "", None, None, f"It cannot be read: {message}"))
            continue
        if manifest.digest != digest:
            reason = "Its files are others than the records were scored on: a problem was changed"
            local.differences.append(Difference("problem", name, "digest", digest, manifest.digest, reason))
            continue
        folders[digest] = (folder, manifest)
    return folders
