"""The problems that go into a bundle, found by their digests wherever they lie now."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.core import AnyTrack, InvalidInput, digest_folder, find_problems
from assay.core.files.digest import content_files
from assay.harness.plan import Cell, materialise_builtin
from assay.harness.spec import BUILTIN
from assay.publish.bundle.layout import problem_folder

__all__ = ["Problems", "built_in_problems"]


class Problems:
    """Problems of a results folder: where they were run, moved with the folder, or written again by the package."""

    def __init__(self, results: Path, draft: Path) -> None:
        self._results, self._draft = results, draft
        self._folders: dict[str, dict[str, Path]] = {}

    def entries(
        self, track: AnyTrack, cells: Sequence[Cell], files: dict[str, bytes | Path], *, slim: bool
    ) -> list[dict[str, Any]]:
        """The problems of a plan for the manifest, their files among those to pack."""
        entries = []
        for cell in {cell.problem_digest: cell for cell in cells}.values():
            entry = {"id": cell.problem, "digest": cell.problem_digest}
            if slim and cell.problem_digest in self._built_in(track):
                entries.append({**entry, "generator": BUILTIN, "version": track.version})
                continue
            place = self._folder(cell, track)
            inside = problem_folder(cell.problem_digest, place.name)
            files |= {f"{inside}/{name}": path for name, path in content_files(place).items()}
            entries.append({**entry, "folder": inside})
        return sorted(entries, key=lambda entry: (str(entry["id"]), str(entry["digest"])))

    def _folder(self, cell: Cell, track: AnyTrack) -> Path:
        planned = Path(cell.folder)
        for place in (planned, self._results.resolve() / "problems" / planned.parent.name / planned.name):
            if place.is_dir() and digest_folder(place) == cell.problem_digest:
                return place
        # assay.problems writes built-in ones into a temporary folder
        if (folder := self._built_in(track).get(cell.problem_digest)) is not None:
            return folder
        raise InvalidInput(
            f"problem {cell.problem!r}: {cell.folder} is not there, or has changed since it was run. A bundle holds "
            "the problems that the answers belong to: put it back, or run again."
        )

    def _built_in(self, track: AnyTrack) -> dict[str, Path]:
        if track.name not in self._folders:
            self._folders[track.name] = built_in_problems(track, self._draft / track.name)
        return self._folders[track.name]


def built_in_problems(track: AnyTrack, out: Path) -> dict[str, Path]:
    """The problems that this installation writes by itself, by digest."""
    folders = find_problems(materialise_builtin(track, out), marker=track.marker)
    return {digest_folder(place): place for place in folders}
