"""Loading metrics from outside: exactly the files that were digested, in the driver and in every examiner alike."""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

from assay.core import Aggregate, AnyTrack, InvalidInput, Metric, UnknownName, as_metrics, get_track
from assay.core.files.digest import digest_files
from assay.harness.metric_ref import MetricRef, metric_files, offered_metrics, resolve_metric
from assay.harness.source_loader import load_source, source_spec

__all__ = ["load_metrics", "resolve_metrics", "track_with"]

ALL = "METRICS"  # the metrics of a file where no object is named; without this name, every Metric and Aggregate

OwnMetric: TypeAlias = Metric[Any] | Aggregate


def resolve_metrics(
    texts: Iterable[str], track: AnyTrack, *, folder: Path | None = None
) -> tuple[tuple[MetricRef, ...], AnyTrack]:
    """What the texts mean, and the track with these metrics; what the track has anyway is left out."""
    resolved = [resolve_metric(text, track, folder=folder) for text in dict.fromkeys(texts)]
    refs = tuple(ref for ref in resolved if ref is not None)
    return refs, track.with_metrics([metric for ref in refs for metric in load_metrics(ref, track)])


def track_with(name: str, refs: tuple[MetricRef, ...]) -> AnyTrack:
    """The track of that name with these metrics."""
    return _track_with(name, refs) if refs else get_track(name)


@lru_cache(maxsize=16)
def _track_with(name: str, refs: tuple[MetricRef, ...]) -> AnyTrack:
    track = get_track(name)
    return track.with_metrics([metric for ref in refs for metric in load_metrics(ref, track)])


def load_metrics(ref: MetricRef, track: AnyTrack) -> tuple[OwnMetric, ...]:
    """The metrics themselves. Runs their code, after looking that it is still what the reference says."""
    return (track.metric(ref.target),) if ref.kind == "family" else _load(ref, track.name)


@lru_cache(maxsize=64)
def _load(ref: MetricRef, track: str) -> tuple[OwnMetric, ...]:
    files = metric_files(ref)
    if digest_files(files) != ref.digest:
        raise InvalidInput(f"metric {ref.text!r}: its files have changed since the run was planned. Run again.")
    try:
        module = _import(ref, files)
    except Exception as error:
        own = {str(path) for path in files.values()}
        line = next((f.lineno for f in reversed(traceback.extract_tb(error.__traceback__)) if f.filename in own), None)
        place = "" if line is None else f" (line {line})"
        what = f"{type(error).__name__}: {error}{place}"
        raise InvalidInput(f"metric {ref.text!r} cannot be imported: {what}.") from error
    metrics = as_metrics(_chosen(ref, module), what=f"metric {ref.text!r}")
    if not metrics:
        raise InvalidInput(f"metric {ref.text!r}: holds no Metric and no Aggregate. Name a function: {ref.text}:NAME.")
    if ref.text in offered_metrics(track) and [metric.name for metric in metrics] != [ref.text]:
        names = ", ".join(metric.name for metric in metrics)
        raise InvalidInput(f"metric {ref.text!r}: the installed package gives {names} under this name.")
    return tuple(replace(metric, source=ref.digest) for metric in metrics)


def _chosen(ref: MetricRef, module: ModuleType) -> object:
    """The named object; for the function of a Metric or an Aggregate of the file, that Metric or Aggregate."""
    every = [value for value in vars(module).values() if isinstance(value, Metric | Aggregate)]
    offered = getattr(module, ALL, every)
    if not ref.attribute:
        return offered
    value: object = module
    for name in ref.attribute.split("."):
        if not hasattr(value, name):
            raise UnknownName(f"object in {ref.text.rpartition(':')[0]}", name, _public(value))
        value = getattr(value, name)
    several = offered if isinstance(offered, list | tuple) else [offered]
    listed = [entry for entry in several if isinstance(entry, Metric | Aggregate)]
    by_name = {entry.name: entry for entry in (*every, *listed) if entry.function is value}
    return next(iter(by_name.values())) if len(by_name) == 1 else value


def _public(value: object) -> list[str]:
    return [name for name in vars(value) if not name.startswith("_")] if hasattr(value, "__dict__") else []


def _import(ref: MetricRef, files: Mapping[str, Path]) -> ModuleType:
    if ref.kind == "installed":
        if ref.root not in sys.path:
            sys.path.append(ref.root)
        return importlib.import_module(ref.target)
    with _own_files_first(Path(ref.root), files):
        if ref.kind == "module":
            return importlib.import_module(ref.target)
        return load_source(f"{Path(ref.target).stem}_{ref.digest[:12]}", Path(ref.target))


class _OwnFiles:
    """Finds exactly the modules that were digested: what else lies beside them is not imported by accident."""

    def __init__(self, root: Path, files: Mapping[str, Path]) -> None:
        self._files: dict[str, Path] = {}
        for name, path in files.items():
            parts = name.removesuffix(".py").split("/")
            for length in range(1, len(parts)):
                self._files.setdefault(".".join(parts[:length]), root.joinpath(*parts[:length]))
            module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            self._files[module] = path

    def modules(self) -> Iterator[str]:
        return iter(self._files)

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        file = self._files.get(name)
        if file is None:
            return None
        if file.suffix != ".py":  # a folder without __init__.py
            spec = ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations = [str(file)]
            return spec
        folder = [str(file.parent)] if file.name == "__init__.py" else None
        return source_spec(name, file, locations=folder)


@contextmanager
def _own_files_first(root: Path, files: Mapping[str, Path]) -> Iterator[None]:
    finder = _OwnFiles(root, files)
    for name in finder.modules():  # an earlier state of the same files is not what was digested
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        sys.meta_path.append(finder)  # for what functions import when they are called
