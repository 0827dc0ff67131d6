"""Every loader and parser that reads what others wrote, with good input to break and the way to read it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from assay.core import AnyTrack, get_track, track_names

__all__ = ["Target", "targets"]


@dataclass(frozen=True)
class Target:
    """One reader: good inputs, and what is done with broken ones."""

    name: str
    seeds: tuple[bytes, ...]
    read: Callable[[bytes], object]
    weight: int = 1  # of its share of inputs; slow readers have less


def targets(folder: Path) -> Iterator[Target]:
    """All of them; ``folder`` is where files are written for readers of files."""
    for name in track_names():
        track = get_track(name)
        problems = folder / name
        problems.mkdir(parents=True)
        track.builtin(problems)
        yield from _answers(track, problems)
        yield from _problem_files(track, problems)
    yield _formulas()
    yield _calls()
    yield _run_file(folder)


def _first(track: AnyTrack, problems: Path) -> Path:
    return min(
        (path for path in problems.iterdir() if (path / track.marker).is_file()),
        key=lambda path: sum(file.stat().st_size for file in path.rglob("*") if file.is_file()),
    )


def _answers(track: AnyTrack, problems: Path) -> Iterator[Target]:
    problem = track.load(_first(track, problems))
    yield Target(f"{track.name} answer", (track.encode(track.oracle(problem)),), track.decode, weight=20)


def _problem_files(track: AnyTrack, problems: Path) -> Iterator[Target]:
    """One file of a problem's folder broken, the others whole."""
    whole = _first(track, problems)
    broken = problems.parent / f"{track.name}-broken"
    shutil.copytree(whole, broken)
    seen: dict[tuple[str, str], int] = {}
    for path in sorted(whole.rglob("*")):
        alike = (str(path.parent), path.suffix)  # of many documents in one folder two are enough
        seen[alike] = seen.get(alike, 0) + path.is_file()
        if not path.is_file() or path.stat().st_size > 400_000 or seen[alike] > (2 if path.suffix != ".csv" else 9):
            continue
        place = broken / path.relative_to(whole)

        def read(data: bytes, place: Path = place, original: bytes = path.read_bytes()) -> object:
            place.write_bytes(data)
            try:
                return track.load(broken)
            finally:
                place.write_bytes(original)

        yield Target(f"{track.name} {path.relative_to(whole)}", (path.read_bytes(),), read)


def _formulas() -> Target:
    from assay.formula import parse

    texts = (
        "x0*x0 + sin(x1)",
        "add(sin(X1), mul(X0, X0))",
        "((-1.0 + 2e-3 * X1 ^ 2) / sqrt(abs(X2)))",
        "I1+I2+2*(I1*I2)**0.5*cos(delta)",
        "log(exp(x_0)) / tanh(x[:,1]) - max(0, x_2)",
    )
    return Target(
        "formula",
        tuple(text.encode() for text in texts),
        lambda data: parse(data.decode("utf-8", "replace")),
        weight=40,
    )


def _calls() -> Target:
    from assay.core import parse_call

    seeds = (b"knn(k=5, weighting='cubed')", b"command(run='sh agent.sh', folder='x')", b"a.b:c(x=[1,2.5,'y'])")
    return Target("subject", seeds, lambda data: parse_call(data.decode("utf-8", "replace")), weight=20)


def _run_file(folder: Path) -> Target:
    from assay.harness import read_run_file

    path = folder / "run.toml"
    seed = b'out = "r"\nworkers = 2\n[[run]]\ntrack = "cases"\nsubjects = ["vote"]\nseeds = [0, 1]\n'
    seed += b'[run.budget]\nseconds = 3\n[run.limits.vote]\nmemory_mb = 100\n[run.settings]\npreset = "x"\n'

    def read(data: bytes) -> object:
        path.write_bytes(data)
        return read_run_file(path)

    return Target("run file", (seed,), read, weight=10)
