"""Families of problems that can be drawn again: the same laws, solved for another variable or with other constants."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from assay.core import InvalidInput, digest_json
from assay.core.checks import demand_whole
from assay.formula.equivalence.sampling import Domain
from assay.formula.expression.parser import parse
from assay.formula.generate.candidate_formulas import Draft, is_sound
from assay.formula.generate.families import Difficulty, coefficient
from assay.formula.generate.laws import LAWS, SOLVED_LAWS, Law
from assay.formula.generate.problem_builder import Plan, plant_plain
from assay.formula.problem.task import write_problem

__all__ = ["NOISE", "laws_with_constants", "solved_laws"]

NOISE: dict[Difficulty, float] = {"easy": 0.0, "medium": 0.02, "hard": 0.1}  # share of the target's variance
_ROWS = 100
_ATTEMPTS = 50


def solved_laws(
    folder: str | Path,
    *,
    problems: int,
    seed: int,
    difficulty: Difficulty = "easy",
    other_than: int | None = None,
    drawn: str = "public",
) -> None:
    """Write laws of physics solved for one of their variables; the same arguments give the same bytes.

    Problem k is of the k-th law, round and round. With ``other_than``, another seed, each is solved for another
    variable than with that seed. ``drawn`` becomes a tag, and so does the law, as ``base``.
    """
    names = list(dict.fromkeys(entry.law for entry in SOLVED_LAWS))

    def draft(number: int, rng: np.random.Generator) -> tuple[str, Draft]:
        forms = [entry for entry in SOLVED_LAWS if entry.law == names[number % len(names)]]
        own = int(np.random.default_rng([_form_seed(seed), number]).integers(len(forms)))
        if other_than is not None:
            theirs = int(np.random.default_rng([_form_seed(other_than), number]).integers(len(forms)))
            own = (theirs + 1 + own % (len(forms) - 1)) % len(forms)
        return forms[own].law, _checked(forms[own].formula, forms[own].domain, rng)

    _write_all("solved", "solved-laws", folder, problems, seed, difficulty, drawn, draft)


def laws_with_constants(
    folder: str | Path,
    *,
    problems: int,
    seed: int,
    difficulty: Difficulty = "easy",
    other_than: int | None = None,
    drawn: str = "public",
) -> None:
    """Write laws of physics with a factor of their own and, from three variables on, one of them fixed at a number.

    Arguments are those of :func:`solved_laws`; ``other_than`` changes nothing, since two seeds share no constant but by
    chance.
    """
    usable = [law for law in LAWS if len(law.domain) > 1]

    def draft(number: int, rng: np.random.Generator) -> tuple[str, Draft]:
        law = usable[number % len(usable)]
        for _ in range(_ATTEMPTS):
            try:
                return law.name, _checked(*_with_constants(law, rng), rng)
            except InvalidInput:
                continue
        return law.name, _checked(f"{coefficient(rng, signed=False)}*({law.formula})", law.domain, rng)

    _write_all("constants", "laws-with-constants", folder, problems, seed, difficulty, drawn, draft)


def _form_seed(seed: int) -> int:
    """A stream of its own for the choice of the variable, so that it can be asked for without the rest."""
    return int(digest_json(["form", str(seed)])[:32], 16)


def _with_constants(law: Law, rng: np.random.Generator) -> tuple[str, Domain]:
    domain = dict(law.domain)
    formula = law.formula
    if len(domain) > 2:
        fixed = list(domain)[int(rng.integers(len(domain)))]
        low, high = domain.pop(fixed)
        value = round(float(rng.uniform(low, high)), 2)
        formula = re.sub(rf"\b{fixed}\b", f"({value})" if value < 0 else str(value), formula)
    return f"{coefficient(rng, signed=False)}*({formula})", domain


def _checked(formula: str, domain: Domain, rng: np.random.Generator) -> Draft:
    draft = Draft(parse(formula, names=list(domain), dialect="plain"), formula, domain, "physics", "medium")
    if not is_sound(draft, rng):
        raise InvalidInput(f"generate: {formula!r} makes no sound problem on its ranges.")
    return draft


def _write_all(
    word: str,
    generator: str,
    folder: str | Path,
    problems: int,
    seed: int,
    difficulty: Difficulty,
    drawn: str,
    draft: Callable[[int, np.random.Generator], tuple[str, Draft]],
) -> None:
    demand_whole(problems, "generate: problems", least=1)
    demand_whole(seed, "generate: seed", least=0)
    if difficulty not in NOISE:
        raise InvalidInput(f"generate: difficulty must be one of {', '.join(NOISE)}, got {difficulty!r}.")
    plan = Plan(rows=_ROWS, test_rows=_ROWS, levels=(NOISE[difficulty],))
    for number in range(problems):
        shape, data = (np.random.default_rng([seed, number, stream]) for stream in (1, 2))
        base, checked = draft(number, shape)
        problem = plant_plain(data, checked, plan, "rediscovery")
        # a name that tells neither the law nor the seed
        id = f"{word}-{digest_json([word, str(seed), number])[:10]}"
        tags: dict[str, str | float] = {
            "family": base,
            "base": base,
            "drawn": drawn,
            "generator": generator,
            "difficulty": difficulty,
            "noise": NOISE[difficulty],
            "variables": len(checked.domain),
            "origin": "generated",
        }
        write_problem(Path(folder) / id, id=id, task=replace(problem.task, name=id), truth=problem.truth, tags=tags)
