"""Problems with known truth: simulated processes with planted drifts, and documents that explain them or seem to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from assay.core import InvalidInput, Problem, Tags, UnknownName, digest_json
from assay.core.checks import demand_whole
from assay.drift.detection.drift import DRIFT_TYPES, drift_id
from assay.drift.generate.corpus import DIFFICULTIES, generate_corpus, stories_of
from assay.drift.generate.simulate import simulate
from assay.drift.problem.task import DriftTask, DriftTruth, write_problem

__all__ = ["builtin", "draw_problem", "generate"]

_SEED = 42
_BUILTIN = ("easy", "easy", "medium", "medium", "medium", "medium", "hard", "hard")
_CASES = 640
_FIRST_DAY = datetime(2019, 1, 7, 8, tzinfo=UTC)


def builtin(folder: Path) -> None:
    """Write the built-in problems: eight test sets of four drifts, one of each type, from easy to hard."""
    for number, difficulty in enumerate(_BUILTIN):
        noise = 0.1 if number % 2 else 0.0
        name = f"{difficulty}-{number:02d}"
        _write(folder, draw_problem(name, seed=[_SEED, number], difficulty=difficulty, noise=noise))


def generate(
    folder: str | Path,
    *,
    problems: int,
    seed: int,
    difficulty: Sequence[str] = ("medium",),
    noise: Sequence[float] = (0.0, 0.1),
    types: Sequence[str] = DRIFT_TYPES,
    cases: int = _CASES,
) -> None:
    """Write generated test sets; the same seed gives the same bytes.

    Each is one process, simulated over a year with one drift of each type in an order drawn by the seed, and a corpus:
    for each drift one cause, several or none, documents near it in time or in topic, documents with a wrong date, and
    notices that have nothing to do with it. Test sets run through all combinations of difficulty and noise.

    Parameters
    ----------
    folder : str or Path
        Where the problem folders are written.
    problems : int
        How many.
    seed : int
        Random seed.
    difficulty : sequence of {"easy", "medium", "hard"}, default ("medium",)
        How hard the causes are to find.
    noise : sequence of float, default (0.0, 0.1)
        Share of cases in which an event is lost, doubled or exchanged.
    types : sequence of str
        The types of drift; all four by default.
    cases : int, default 640
        Cases of each log.

    Raises
    ------
    InvalidInput
        A number is out of range, or a list is empty.
    UnknownName
        No such difficulty or type.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     generate(folder, problems=1, seed=1, cases=120)
    ...     [path.name for path in Path(folder).iterdir()]
    ['generated-1-000']
    """
    for name, value, least in (("problems", problems, 1), ("seed", seed, 0), ("cases", cases, 100)):
        demand_whole(value, f"generate: {name}", least=least)
    if not difficulty or not noise or not types:
        raise InvalidInput("generate: difficulty, noise and types need at least one value each.")
    levels = [(level, share) for level in difficulty for share in noise]
    for number in range(problems):
        level, share = levels[number % len(levels)]
        name = f"generated-{seed}-{number:03d}"
        problem = draw_problem(name, seed=[seed, number], difficulty=level, noise=share, types=types, cases=cases)
        _write(Path(folder), problem)


def draw_problem(
    name: str,
    *,
    seed: Sequence[int],
    difficulty: str = "medium",
    noise: float = 0.0,
    types: Sequence[str] = DRIFT_TYPES,
    cases: int = _CASES,
) -> Problem[DriftTask, DriftTruth]:
    """One test set, in memory; its digest is that of what it is drawn from."""
    if difficulty not in DIFFICULTIES:
        raise UnknownName("difficulty", difficulty, DIFFICULTIES)
    rng = np.random.default_rng(seed)
    order = tuple(types[place] for place in rng.permutation(len(types)))
    first, second = (int(value) for value in rng.integers(0, 2**31, size=2))
    simulated = simulate(
        seed=first,
        cases=cases,
        drifts=order,
        noise=noise,
        start=_FIRST_DAY + timedelta(days=int(rng.integers(0, 700))),
    )
    log = simulated.log
    documents = generate_corpus(
        stories_of(simulated.drifts), activities=log.activities, difficulty=difficulty, seed=second
    )
    corpus = documents.corpus()
    drifts = tuple(
        replace(planted.drift, id=drift_id(name, 1, index)) for index, planted in enumerate(simulated.drifts, start=1)
    )
    golden = [documents.golden[planted.drift.id] for planted in simulated.drifts]
    task = DriftTask(name=name, drifts=drifts, corpus=corpus, logs={log.name: log}, glossary=dict(documents.glossary))
    tags: Tags = {"difficulty": difficulty, "noise": noise, "domain": simulated.domain, "origin": "generated"}
    digest = digest_json({"name": name, "seed": list(seed), "types": list(types), "cases": cases, "tags": dict(tags)})
    return Problem(id=name, digest=digest, task=task, truth=DriftTruth.of(corpus, golden), tags=tags)


def _write(folder: Path, problem: Problem[DriftTask, DriftTruth]) -> None:
    write_problem(folder / problem.id, id=problem.id, task=problem.task, truth=problem.truth, tags=problem.tags)
