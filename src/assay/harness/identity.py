"""The identity of subjects: files that they were observed to read count; why a changed subject is solved again."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from assay.core import digest_json
from assay.core.files.folders import user_path
from assay.harness.plan import Plan, Prepared
from assay.harness.process.observation import ABSENT, WRITTEN, observed_files
from assay.harness.setup.mistakes import listed
from assay.harness.store.rows.shared import StoredSubject
from assay.harness.store.store import Store
from assay.harness.subject_ref import SubjectRef

__all__ = ["identified", "solved_again"]

_SHOWN: Final = 3  # reasons that are named
READABLE: Final = "readable"  # a folder, or a file that is too large to be looked at
_CONTENT: Final = re.compile(r"[0-9a-f]{64}|absent")


def identified(prepared: Prepared, store: Store) -> Prepared:
    """The subjects as they are now: files that they were seen to read when they were run into this store count too.

    As long as these files are what they were, the digest is the one that could be found without running anything. Files
    that a subject writes do not count.
    """
    folder = prepared.spec.folder.resolve()
    readable = [(folder / user_path(text)).resolve() for text in prepared.spec.readable]
    allowed = {_shown(path, folder): path for path in readable}
    return replace(prepared, subjects=tuple(_with_observed(subject, store, allowed) for subject in prepared.subjects))


def _shown(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)


def _reading(subject: SubjectRef, readable: Mapping[str, Path]) -> SubjectRef:
    """The subject with what it is allowed to read: the content of a file counts, opened or not."""
    if not readable or not subject.runs_code:
        return subject
    allowed = {
        name: observed_files({path.name: False}, str(path.parent)).get(path.name, READABLE)
        for name, path in readable.items()
    }
    digest = digest_json({"base": subject.digest, "readable": dict(allowed)})
    return replace(subject, digest=digest, parts={**allowed, **subject.parts})


def _with_observed(subject: SubjectRef, store: Store, readable: Mapping[str, Path]) -> SubjectRef:
    earlier = store.subjects(subject.name)
    own_output = {name for stored in earlier for name, content in stored.files.items() if content == WRITTEN}
    if not own_output.isdisjoint(subject.parts):  # a file that its source names, and that it writes itself
        parts = {name: content for name, content in subject.parts.items() if name not in own_output}
        subject = replace(subject, parts=parts, digest=digest_json(dict(parts)))
    subject = _reading(subject, readable)
    observed: dict[str, str] = {}
    for stored in earlier:
        if stored.base == subject.digest:
            observed = {**stored.files, **observed}  # what was first seen stays
    observed = {name: content for name, content in observed.items() if name not in own_output}
    now = observed_files(dict.fromkeys(observed, False), subject.root, [str(path) for path in readable.values()])
    changed = {name: now.get(name, ABSENT) for name, content in observed.items() if now.get(name, ABSENT) != content}
    if not changed:
        return subject
    digest = digest_json({"base": subject.digest, "files": dict(changed)})
    return replace(subject, digest=digest, base=subject.digest, parts={**subject.parts, **changed})


def solved_again(store: Store, plan: Plan, run: int, unsolved: Collection[tuple[str, str]]) -> list[str]:
    """Of the unsolved cells' tracks and subjects those that have answered here before and are others now, and why."""
    lines = []
    for subject in plan.subjects:
        before = store.answered_before(run, subject.name) if (plan.track, subject.name) in unsolved else None
        if before is not None and before != subject.digest:
            previous = next((stored for stored in store.subjects(subject.name) if stored.digest == before), None)
            lines.append(f"{subject.name} is solved again: {_reason(previous, subject.parts)}")
    return lines


def _reason(before: StoredSubject | None, now: Mapping[str, str]) -> str:
    if before is None:
        return "this folder was written by Assay before 0.2, whose digests did not cover all code that a subject runs"
    was = {name: content for name, content in {**before.files, **before.parts}.items() if content != WRITTEN}
    reasons = [_change(name, was.get(name), now[name]) for name in sorted(now) if was.get(name) != now[name]]
    reasons += [f"{name} is no longer part of it" for name in sorted({*before.parts} - {*now})]
    return listed(reasons, _SHOWN) or "its files changed"


def _change(name: str, before: str | None, now: str) -> str:
    if before is None:
        return f"{name} is new"
    return f"{name} changed" if _CONTENT.fullmatch(now) else f"{name} {before} -> {now}"
