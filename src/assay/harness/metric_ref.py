"""Metrics from outside as people name them: found by their owner's word alone, and digested without running a line.

A metric runs beside the truth. So its code is taken from where the user points to, and from nowhere else: never from a
problem, never because a results folder mentions it, and in a worker only when it is still what was planned.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.machinery import PathFinder
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Literal, TypeAlias

from assay.core import AnyTrack, InvalidInput, UnknownName
from assay.core.files.digest import digest_files
from assay.core.files.folders import is_file
from assay.core.files.near import near_path
from assay.harness.sources import local_imports, module_file

__all__ = ["GROUP", "MetricRef", "demand_metric_apart", "metric_files", "offered_metrics", "resolve_metric"]

GROUP = "assay.metrics"  # of entry points: TRACK.NAME = package.module:object
STORE_NAME = "assay.sqlite"  # what makes a folder a results folder
PROBLEM_FILE = "problem.json"
_OURS = __name__.partition(".")[0]

Kind: TypeAlias = Literal["family", "file", "module", "installed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRef:
    """One or several metrics by name: small, picklable, and enough to load them in another process."""

    kind: Kind
    text: str  # as the user named it
    target: str  # of a family the metric's name, of a file its path, else the module
    attribute: str = ""
    root: str = ""  # where imports of its own files start
    digest: str = ""  # of its own files


def resolve_metric(text: str, track: AnyTrack, *, folder: Path | None = None) -> MetricRef | None:
    """What a text means: a metric of a family, one that a package offers, a Python file, or ``module:object``.

    None when the track has a metric or aggregate of that name anyway. Relative paths start at ``folder``, by default
    the working folder. The code is read, not run.
    """
    here = (folder or Path.cwd()).resolve()
    if text in {*(metric.name for metric in track.metrics), *(aggregate.name for aggregate in track.aggregates)}:
        return None
    if any(family.of(text) is not None for family in track.families):
        return MetricRef(kind="family", text=text, target=text)
    offered = offered_metrics(track.name)
    if text in offered:
        entry = offered[text]
        return _module(text, entry.module, entry.attr, sys.path, here=None)
    path, _, attribute = (text, "", "") if text.endswith(".py") else text.rpartition(":")
    if path.endswith(".py"):
        return _file(text, here / path, attribute, track)
    if path and attribute:
        ref = _module(text, path, attribute, [str(here), *sys.path], here=here)
        _demand_own_code(ref, track)
        return ref
    known = [*track.metric_names(), *(aggregate.name for aggregate in track.aggregates), *offered]
    raise InvalidInput(
        f"{UnknownName('metric', text, known)} A metric may also be a Python file (mine.py:NAME) or module:NAME."
    )


def offered_metrics(track: str) -> dict[str, EntryPoint]:
    """The metrics that installed packages offer for a track, by name; nothing is imported."""
    prefix = f"{track}."
    return {
        entry.name.removeprefix(prefix): entry for entry in entry_points(group=GROUP) if entry.name.startswith(prefix)
    }


def _file(text: str, path: Path, attribute: str, track: AnyTrack) -> MetricRef:
    if not is_file(path):
        raise InvalidInput(f"metric {text!r}: {path}: file not found.{near_path(path)}")
    path = path.resolve()
    ref = MetricRef(kind="file", text=text, target=str(path), attribute=attribute, root=str(path.parent))
    _demand_own_code(ref, track)
    return _digested(ref)


def _module(text: str, module: str, attribute: str, search: Sequence[str], *, here: Path | None) -> MetricRef:
    top = module.partition(".")[0]
    spec = PathFinder.find_spec(top, list(search))
    places = [] if spec is None else [*(spec.submodule_search_locations or ()), *filter(None, [spec.origin])]
    if not places:
        raise InvalidInput(f"metric {text!r}: there is no module {top!r} here or installed.")
    root = Path(places[0]).resolve().parent
    kind: Kind = "module" if root == here and top != _OURS else "installed"
    return _digested(MetricRef(kind=kind, text=text, target=module, attribute=attribute, root=str(root)))


def _digested(ref: MetricRef) -> MetricRef:
    return replace(ref, digest=digest_files(metric_files(ref)))


def metric_files(ref: MetricRef) -> dict[str, Path]:
    """The file of a metric and every file of its owner's that it imports, directly or not, by path below the root.

    Beside a file or a module of the working folder that is whatever lies there; of an installed one its own package.
    """
    if ref.kind == "family":
        return {}
    root = Path(ref.root)
    path = Path(ref.target) if ref.kind == "file" else _module_file(ref, root)
    within = root
    if ref.kind == "installed":
        package = root / ref.target.partition(".")[0]
        within = package if package.is_dir() else path
    files: dict[str, Path] = {}
    packages = [folder / "__init__.py" for folder in path.parents if folder != root and folder.is_relative_to(root)]
    waiting = [path, *filter(is_file, packages)]
    while waiting:
        path = waiting.pop()
        name = path.relative_to(root).as_posix()
        if name not in files and path.is_relative_to(within):
            files[name] = path
            waiting += local_imports(path, root)
    return files


def _module_file(ref: MetricRef, root: Path) -> Path:
    base = root.joinpath(*ref.target.split("."))
    if path := module_file(base):
        return path
    raise InvalidInput(f"metric {ref.text!r}: there is no module {ref.target!r} (looked in {base}).")


def _demand_own_code(ref: MetricRef, track: AnyTrack) -> None:
    """Refuse code that came with a problem or with results: their author is not the user."""
    for path in metric_files(ref).values():
        for folder in path.resolve().parents:
            kind = "results" if (folder / STORE_NAME).exists() else ""
            if not kind and any((folder / marker).is_file() for marker in {PROBLEM_FILE, track.marker}):
                kind = "problem"
            if kind:
                raise InvalidInput(
                    f"metric {ref.text!r}: its file {path.name} lies in the {kind} folder {folder}. Metrics see the "
                    "truth, and so their code is taken from you alone: keep it in a folder of your own."
                )


def demand_metric_apart(ref: MetricRef, folders: Sequence[Path]) -> None:
    """Refuse code inside these folders: the problems and the results of a run."""
    for path in metric_files(ref).values() if ref.kind != "installed" else ():
        if inside := next((folder for folder in folders if path.resolve().is_relative_to(folder)), None):
            raise InvalidInput(
                f"metric {ref.text!r}: its file {path.name} lies in {inside}, which belongs to the run. Keep it in a "
                "folder of your own."
            )
