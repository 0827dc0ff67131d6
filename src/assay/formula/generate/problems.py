"""Problems with known truth, seeded: each made for one property, the same bytes for the same seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from assay.core import InvalidInput, Problem, SubjectFailed, UnknownName
from assay.core.checks import demand_whole
from assay.formula.examine.examination import examine, oracle
from assay.formula.generate.candidate_formulas import Draft, draft_formula
from assay.formula.generate.families import DIFFICULTIES, Difficulty
from assay.formula.generate.problem_builder import (
    BuiltProblem,
    Plan,
    plant_beyond,
    plant_features,
    plant_plain,
    plant_surrogates,
)
from assay.formula.generate.subfunctions import draw_subfunctions
from assay.formula.metrics import METRICS
from assay.formula.problem.task import PROPERTIES, FormulaTask, FormulaTruth, Property, write_problem

__all__ = ["LEVELS", "builtin", "generate", "make_problem"]

LEVELS = (0.0, 0.05, 0.1, 0.2)

_WORDS: dict[Property, str] = {
    "rediscovery": "exact",
    "local-optima": "optima",
    "features": "select",
    "extrapolation": "beyond",
    "noise": "noise",
}
_SEED = 2022
_ATTEMPTS = 20
_FEWEST_ROWS = 20
_LARGEST_SHARE = {"physics": 1.0, "noise": 0.9, "levels": 0.9, "surrogate_noise": 0.5}

NameT = TypeVar("NameT", bound=str)


def builtin(folder: Path) -> None:
    """Write the built-in suite: twelve problems, at least two for every property."""
    suite: tuple[tuple[Property, Difficulty, bool], ...] = (
        ("rediscovery", "easy", False),
        ("rediscovery", "medium", False),
        ("rediscovery", "easy", True),
        ("rediscovery", "medium", True),
        ("local-optima", "easy", False),
        ("local-optima", "medium", False),
        ("features", "easy", False),
        ("features", "medium", False),
        ("extrapolation", "easy", False),
        ("extrapolation", "medium", True),
        ("noise", "easy", False),
        ("noise", "medium", True),
    )
    counts = dict.fromkeys(_WORDS, 0)
    for number, (property, difficulty, physics) in enumerate(suite):
        counts[property] += 1
        _write(Path(folder), f"{_WORDS[property]}-{counts[property]}", property, difficulty, physics, (_SEED, number))


def generate(
    folder: str | Path,
    *,
    problems: int,
    seed: int,
    properties: Sequence[str] = PROPERTIES,
    difficulties: Sequence[str] = DIFFICULTIES,
    physics: float = 0.25,
    rows: int = 200,
    test_rows: int = 200,
    noise: float = 0.0,
    levels: Sequence[float] = LEVELS,
    features: int = 20,
    surrogate_noise: float = 0.1,
) -> None:
    """Write generated problems; the same seed gives the same bytes.

    Problems run through all combinations of ``properties`` and ``difficulties``.

    Parameters
    ----------
    folder : str or Path
        Where the problem folders are written.
    problems : int
        How many.
    seed : int
        Random seed.
    properties : sequence of str
        Any of ``rediscovery``, ``local-optima``, ``features``, ``extrapolation`` and ``noise``; all by default.
    difficulties : sequence of str
        Any of ``easy``, ``medium`` and ``hard``; all by default.
    physics : float, default 0.25
        Share of the problems about re-discovery, extrapolation and noise that take a classical formula instead of a
        random one.
    rows : int, default 200
        Training rows of a table.
    test_rows : int, default 200
        Test rows; their targets are free of noise.
    noise : float, default 0.0
        Share of the target's variance that is noise in the training table.
    levels : sequence of float
        The same for problems about noise, which have one table for each level.
    features : int, default 20
        The number of variables in problems about relevant features.
    surrogate_noise : float, default 0.1
        Share of a surrogate's variance that is noise.

    Raises
    ------
    InvalidInput
        A number is out of range, or a list is empty.
    UnknownName
        No such property or difficulty.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     generate(folder, problems=2, seed=7, properties=["features"], difficulties=["easy"])
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['select-7-000', 'select-7-001']
    """
    demand_whole(problems, "generate: problems", least=1)
    demand_whole(seed, "generate: seed", least=0)
    demand_whole(features, "generate: features", least=6)
    demand_whole(rows, "generate: rows", least=_FEWEST_ROWS)
    demand_whole(test_rows, "generate: test_rows", least=_FEWEST_ROWS)
    _demand_shares(physics=(physics,), noise=(noise,), levels=levels, surrogate_noise=(surrogate_noise,))
    if len(set(levels)) != len(levels) or len(levels) < 2:
        raise InvalidInput(f"generate: levels must be at least two different shares, got {list(levels)}.")
    # difficulties change slowest, so that a few problems cover all properties
    chosen = [
        (property, difficulty)
        for difficulty in _checked_names(difficulties, DIFFICULTIES, "difficulty")
        for property in _checked_names(properties, PROPERTIES, "property")
    ]
    for number in range(problems):
        property, difficulty = chosen[number % len(chosen)]
        lot = np.random.default_rng([seed, number, 0]).random()
        _write(
            Path(folder),
            f"{_WORDS[property]}-{seed}-{number:03d}",
            property,
            difficulty,
            lot < physics,
            (seed, number),
            rows=rows,
            test_rows=test_rows,
            levels=tuple(levels) if property == "noise" else (noise,),
            features=features,
            share=surrogate_noise,
        )


def _checked_names(chosen: Sequence[str], allowed: Sequence[NameT], kind: str) -> list[NameT]:
    if isinstance(chosen, str) or not chosen:
        raise InvalidInput(f"generate: give a list of at least one {kind}, got {chosen!r}.")
    by_text = {str(name): name for name in allowed}
    for name in chosen:
        if name not in by_text:
            raise UnknownName(kind, name, by_text)
    return [by_text[name] for name in chosen]


def _demand_shares(**options: Sequence[float]) -> None:
    for name, shares in options.items():
        for share in shares:
            if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= _LARGEST_SHARE[name]:
                raise InvalidInput(f"generate: {name} must lie between 0 and {_LARGEST_SHARE[name]}, got {share!r}.")


def make_problem(
    property: Property,
    difficulty: Difficulty,
    seed: Sequence[int],
    *,
    physics: bool = False,
    rows: int = 200,
    test_rows: int = 200,
    levels: Sequence[float] | None = None,
    features: int = 20,
    share: float = 0.1,
) -> tuple[BuiltProblem, Draft | None]:
    """One task with its truth, and the formula's draft where one formula was drawn as a whole."""
    plan = Plan(rows=rows, test_rows=test_rows, levels=tuple(levels or (LEVELS if property == "noise" else (0.0,))))
    trouble = ""
    for attempt in range(_ATTEMPTS):
        # independent streams: what the formula is must not move with the rows
        shape, data = (np.random.default_rng([*seed, attempt, stream]) for stream in (1, 2))
        try:
            if property == "local-optima":
                names, surrogates = _divided(shape, DIFFICULTIES.index(difficulty) + 4)
                texts, domain = draw_subfunctions(shape, names)
                return plant_surrogates(data, texts, domain, surrogates, plan, share=share), None
            draft, names = _draft(shape, property, difficulty, physics, features)
            if property == "features":
                return plant_features(data, draft, plan, names), draft
            if property == "extrapolation":
                return plant_beyond(data, draft, plan), draft
            return plant_plain(data, draft, plan, property), draft
        except InvalidInput as error:
            trouble = str(error)
    raise InvalidInput(trouble)


def _divided(rng: np.random.Generator, count: int) -> tuple[list[str], list[str]]:
    """So many variables, and one surrogate less, under names that do not tell which is which."""
    names = [f"x{place + 1}" for place in range(2 * count - 1)]
    variables = set(rng.choice(names, size=count, replace=False).tolist())
    return [name for name in names if name in variables], [name for name in names if name not in variables]


def _draft(
    rng: np.random.Generator, property: Property, difficulty: Difficulty, physics: bool, features: int
) -> tuple[Draft, list[str]]:
    if property != "features":
        beyond = property == "extrapolation"
        # there is hardly a law so large: the share of physics must not make a problem impossible
        return draft_formula(rng, difficulty, physics=physics and difficulty != "hard", beyond=beyond), []
    names = [f"x{place + 1}" for place in range(features)]
    count = {"easy": 2, "medium": 4, "hard": 5}[difficulty]
    relevant = [names[place] for place in np.sort(rng.choice(features, size=count, replace=False))]
    return draft_formula(rng, difficulty, names=relevant), names


def _write(
    folder: Path,
    id: str,
    property: Property,
    difficulty: Difficulty,
    physics: bool,
    seed: Sequence[int],
    **sizes: Any,
) -> None:
    problem, draft = make_problem(property, difficulty, seed, physics=physics, **sizes)
    task = replace(problem.task, name=id)
    noise = max(part.noise for part in task.parts)
    tags: dict[str, str | float] = {
        "property": property,
        "family": "surrogates" if draft is None else draft.family,
        "difficulty": difficulty,
        "noise": noise,
        "variables": len(task.variables),
        "origin": "generated",
    }
    _demand_oracle(Problem(id=id, digest="", task=task, truth=problem.truth, tags=tags))
    write_problem(folder / id, id=id, task=task, truth=problem.truth, tags=tags)


def _demand_oracle(problem: Problem[FormulaTask, FormulaTruth]) -> None:
    """The truth must reach every declared value on its own problem, or the problem is not written."""
    try:
        evidence = examine(problem, oracle(problem), {"simplification": "canonical"})
    except SubjectFailed as failure:
        raise InvalidInput(f"generate: problem {problem.id!r}: its own truth fails: {failure}") from failure
    for metric in METRICS:
        score = metric.function(evidence)
        if metric.oracle is not None and abs(score - metric.oracle) > metric.tolerance:
            raise InvalidInput(f"generate: problem {problem.id!r}: its own truth scores {metric.name} = {score!r}.")
