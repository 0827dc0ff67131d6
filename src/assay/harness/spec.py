"""What to run: from TOML or from options, every key checked."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.core import Budget, InvalidInput, Setting, UnknownName, track_names
from assay.core.checks import demand_whole
from assay.core.files.folders import user_path
from assay.core.files.text import demand_size, read_text
from assay.harness.process.isolation import CONFINED, Isolation
from assay.intake.fields import demand_known_keys

__all__ = ["BUILTIN", "RunFile", "RunSpec", "demand_one_run_per_track", "read_run_file"]

BUILTIN = "builtin"

_TOP_KEYS = ("out", "workers", "run", "fail_under", "not_worse_than")
_RUN_KEYS = (
    *("track", "problems", "subjects", "seeds", "budget", "settings"),
    *("environment", "isolation", "network", "readable", "limits", "metrics"),
)
_TEXT_KEYS = ("subjects", "problems", "metrics", "environment", "readable")
_BUDGET_KEYS = ("seconds", "memory_mb", "cpu_seconds", "tasks", "tokens", "cost")
_WHOLE_KEYS = ("memory_mb", "tasks", "tokens")
_LONGEST_FILE = 4 << 20  # characters
_MOST_PARTS = 100
# the TOML reader takes time that grows with the square of a key's parts
_KEY_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+"""
_ENDLESS_KEY = re.compile(rf"(?<![\w-])(?:{_KEY_PART}){{{_MOST_PARTS}}}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSpec:
    """Problems × subjects × seeds of one track, with the budget of each cell and the track's settings."""

    track: str
    subjects: tuple[str, ...]
    problems: tuple[str, ...] = (BUILTIN,)
    seeds: tuple[int, ...] = (0,)
    seconds: float = 60.0
    memory_mb: int = 2048
    cpu_seconds: float | None = None  # of all processes of a subject together
    tasks: int | None = None  # processes and threads of a subject
    tokens: int | None = None  # of language models; told to the subject
    cost: float | None = None  # money; told to the subject
    settings: Mapping[str, Setting] = field(default_factory=dict)
    environment: tuple[str, ...] = ()  # names of variables that subject processes may see
    isolation: str = CONFINED
    network: bool = False  # whether subjects may use it
    readable: tuple[str, ...] = ()  # files and folders that subjects may read beside their own source
    limits: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # subject -> its own budget
    metrics: tuple[str, ...] = ()  # beside the track's own: recall@10, mine.py:NAME, module:NAME, an installed one
    folder: Path = field(default_factory=Path.cwd)  # where relative paths start

    def __post_init__(self) -> None:
        for name in _TEXT_KEYS:
            if isinstance(getattr(self, name), str):  # a text would be a sequence of letters
                object.__setattr__(self, name, (getattr(self, name),))
        if not self.subjects:
            raise InvalidInput("no subject to run: name at least one, such as 'oracle'.")
        if not self.problems:
            raise InvalidInput(f"no problems to run on: give a folder, or {BUILTIN!r}.")
        if not self.seeds:
            raise InvalidInput("no seed to run with: give at least one, such as 0.")
        if len(set(self.seeds)) != len(self.seeds):
            raise InvalidInput(f"a seed is given twice: {', '.join(map(str, self.seeds))}.")
        for seed in self.seeds:
            for subject in ("", *self.limits):
                self.budget(seed, subject)
        self.isolated(())

    def isolated(self, readable: tuple[str, ...]) -> Isolation:
        """The isolation of the subjects' processes."""
        return Isolation(environment=self.environment, level=self.isolation, network=self.network, readable=readable)

    def budget(self, seed: int, subject: str = "") -> Budget:
        """The budget of one cell; a subject's own limits win."""
        own = self.limits.get(subject, {})
        for name in own:
            if name not in _BUDGET_KEYS:
                raise UnknownName(f"limit of subject {subject!r}", name, _BUDGET_KEYS)
        amounts: dict[str, Any] = {name: own.get(name, getattr(self, name)) for name in _BUDGET_KEYS}
        return Budget(seed=seed, **amounts | {name: _whole(amounts[name]) for name in _WHOLE_KEYS})


def _whole(value: Any) -> Any:
    """A whole number as such, also when an option gave it as 300.0; the budget refuses what is none."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFile:
    """A TOML file: one run, or several as ``[[run]]``, into one results folder."""

    runs: tuple[RunSpec, ...]
    out: Path | None = None
    workers: int | None = None
    fail_under: tuple[str, ...] = ()  # gates, as on the command line, which judges them
    not_worse_than: tuple[str, ...] = ()


def demand_one_run_per_track(specs: Sequence[RunSpec]) -> None:
    """Refuse two runs of one track: tables and reports read the latest run of each track only."""
    tracks = [spec.track for spec in specs]
    if track := next((track for track in tracks if tracks.count(track) > 1), ""):
        raise InvalidInput(
            f"two runs of track {track!r} go into one results folder, which shows the latest run of a track only. Join "
            "them into one run with all subjects and problems, or give each a results folder of its own."
        )


def read_run_file(path: Path) -> RunFile:
    """Read a run from TOML; paths inside are relative to the file."""
    text = read_text(path)
    demand_size(len(text), _LONGEST_FILE, what=str(path))
    if _ENDLESS_KEY.search(text):
        raise InvalidInput(f"{path}: a key has more than {_MOST_PARTS} parts joined by dots. Write a shorter one.")
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        last = f"at line {len(text.splitlines())}, the end of the file"
        remedy = " Put texts in quotes." if str(error).startswith("Invalid value") else ""
        message = str(error).replace("at end of document", last)
        raise InvalidInput(f"{path}: not valid TOML: {message}.{remedy}") from None
    except (ValueError, RecursionError) as error:  # a number of too many digits, brackets without end
        raise InvalidInput(f"{path}: not usable TOML: {error}.") from None
    blocks = content.get("run")
    if blocks is None:
        demand_known_keys(content, (*_TOP_KEYS, *_RUN_KEYS), what=path)
        blocks = [{key: value for key, value in content.items() if key in _RUN_KEYS}]
    else:
        demand_known_keys(content, _TOP_KEYS, what=path)
        if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
            raise InvalidInput(f"{path}: several runs are written as [[run]] blocks.")
    out, workers = content.get("out"), content.get("workers")
    if out is not None and not isinstance(out, str):
        raise InvalidInput(f"{path}: 'out' must be the path of a results folder, got {out!r}.")
    runs = tuple(_read_run(path, block) for block in blocks)
    demand_one_run_per_track(runs)
    return RunFile(
        runs=runs,
        out=None if out is None else path.parent / user_path(out),
        workers=None if workers is None else demand_whole(workers, f"{path}: 'workers'", least=1),
        fail_under=_gates(path, "fail_under", content),
        not_worse_than=_gates(path, "not_worse_than", content),
    )


def _read_run(path: Path, block: Mapping[str, object]) -> RunSpec:
    demand_known_keys(block, _RUN_KEYS, what=path)
    track = block.get("track")
    if not isinstance(track, str):
        fault = f"must name a track, got {track!r}" if "track" in block else "is missing"
        raise InvalidInput(f"{path}: 'track' {fault}. There are: {', '.join(track_names())}.")
    budget = block.get("budget", {})
    settings = block.get("settings", {})
    if not isinstance(budget, dict) or not isinstance(settings, dict):
        raise InvalidInput(f"{path}: 'budget' and 'settings' must be tables.")
    demand_known_keys(budget, _BUDGET_KEYS, what=path)
    seeds = block.get("seeds", [0])
    if not isinstance(seeds, list) or not all(isinstance(seed, int) for seed in seeds):
        raise InvalidInput(f"{path}: 'seeds' must be a list of whole numbers, got {seeds!r}.")
    limits = block.get("limits", {})
    if not isinstance(limits, dict) or not all(isinstance(own, dict) for own in limits.values()):
        raise InvalidInput(f"{path}: 'limits' must be a table per subject, as in [limits.slow] seconds = 300.")
    network = block.get("network", False)
    if not isinstance(network, bool):
        raise InvalidInput(f"{path}: 'network' must be true or false, got {network!r}.")
    texts: dict[str, Any] = {name: _texts(path, name, block[name]) for name in _TEXT_KEYS if name in block}
    return RunSpec(
        track=track,
        **{"subjects": (), **texts},
        isolation=str(block.get("isolation", CONFINED)),
        network=network,
        seeds=tuple(seeds),
        limits=limits,
        settings=_flat(settings),
        folder=path.resolve().parent,
        **budget,
    )


def _flat(settings: Mapping[str, object], prefix: str = "") -> dict[str, Setting]:
    """Settings of a nested table under dotted names, as ``--set`` writes them; types are checked by the track."""
    flat: dict[str, Any] = {}
    for name, value in settings.items():
        if isinstance(value, dict):
            flat.update(_flat(value, f"{prefix}{name}."))
        else:
            flat[prefix + name] = value
    return flat


def _gates(path: Path, key: str, content: Mapping[str, object]) -> tuple[str, ...]:
    """Gates as texts; a threshold alone may be written as a number."""
    value = content.get(key, [])
    gates = value if isinstance(value, list) else [value]
    entries = [str(entry) if key == "fail_under" and isinstance(entry, int | float) else entry for entry in gates]
    return _texts(path, key, entries)


def _texts(path: Path, key: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, Sequence) and all(isinstance(entry, str) for entry in value):
        return tuple(value)
    raise InvalidInput(f"{path}: {key!r} must be a text or a list of texts, got {value!r}.")
