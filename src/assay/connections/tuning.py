"""A subject's parameters searched with Optuna, on problems that no reported run has seen."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from assay.api.running import run
from assay.connections.offers import find_offers
from assay.core import Call, InvalidInput, get_track, parse_call
from assay.core.calls import Parameter
from assay.core.checks import is_number
from assay.core.errors import MissingExtra
from assay.core.files.folders import user_path
from assay.harness.store.schema import STORE_NAME
from assay.harness.store.store import Store

__all__ = ["Choices", "Range", "Trial", "Tuned", "read_space", "tune"]

_RANGE = re.compile(r"(?P<low>\.\d\S*?|[^.]\S*?)\.\.(?P<high>\S+?)(?P<log>:log)?")


class Range(NamedTuple):
    """Numbers from low to high, both included; whole ones where both are whole.

    Parameters
    ----------
    low, high : int or float
        The bounds.
    log : bool
        Whether orders of magnitude are equally likely.
    """

    low: float
    high: float
    log: bool = False


class Choices(NamedTuple):
    """Values without an order.

    Parameters
    ----------
    values : tuple
        Texts, numbers, truth values or None.
    """

    values: tuple[Parameter, ...]


_Space: TypeAlias = Mapping[str, Range | Choices]


class Trial(NamedTuple):
    """One try of a search.

    Parameters
    ----------
    subject : str
        With the parameters that were tried.
    value : float
        The mean of the metric over problems and seeds.
    failed : int
        Cells that failed, counted with the floor.
    """

    subject: str
    value: float
    failed: int


@dataclass(frozen=True, slots=True)
class Tuned:
    """What a search found.

    Parameters
    ----------
    best : Trial
        The best of the trials; of equals the first.
    trials : tuple of Trial
        In the order in which they were tried.
    metric : str
        What was searched for.
    goal : {"max", "min"}
        Which way.
    problems : tuple of str
        Digests of the problems that it was tuned on: no claim may rest on them.
    interrupted : bool
        Whether it was ended before all trials were done.
    """

    best: Trial
    trials: tuple[Trial, ...]
    metric: str
    goal: str
    problems: tuple[str, ...]
    interrupted: bool = False


def read_space(texts: Iterable[str]) -> dict[str, Range | Choices]:
    """Parameters as people write them: ``NAME=LOW..HIGH``, ``NAME=LOW..HIGH:log`` or ``NAME=a,b,c``.

    Parameters
    ----------
    texts : iterable of str
        One parameter each.

    Returns
    -------
    dict of str to Range or Choices
        By the name of the parameter.

    Examples
    --------
    >>> read_space(["k=3..15", "c=0.01..10:log", "weighting=cubed,uniform"])  # doctest: +NORMALIZE_WHITESPACE
    {'k': Range(low=3, high=15, log=False), 'c': Range(low=0.01, high=10.0, log=True),
     'weighting': Choices(values=('cubed', 'uniform'))}
    >>> read_space(["k=15..3"])
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: space 'k=15..3': the first bound must be below the second.
    """
    space: dict[str, Range | Choices] = {}
    for text in texts:
        name, equals, values = (part.strip() for part in text.partition("="))
        if not equals or not name.isidentifier() or not values:
            raise InvalidInput(f"space {text!r}: write NAME=LOW..HIGH, NAME=LOW..HIGH:log or NAME=a,b,c.")
        if name in space:
            raise InvalidInput(f"space: {name!r} is given twice.")
        match = _RANGE.fullmatch(values)
        space[name] = _range(text, match) if match else Choices(tuple(_literal(word) for word in values.split(",")))
    return space


def tune(
    track: str,
    subject: str,
    space: _Space | Iterable[str],
    *,
    problems: str | Path,
    trials: int = 20,
    metric: str | None = None,
    seeds: int = 1,
    seed: int = 0,
    out: str | Path = "tuning",
    reported: Iterable[str | Path] | None = None,
    on_trial: Callable[[Trial], None] | None = None,
    **options: Any,
) -> Tuned:
    """Search a subject's parameters with Optuna.

    Every trial is a run of the subject into ``out``, so the same call with the same seed continues where it ended and
    calls no subject twice.

    Parameters
    ----------
    track : str
        The name of a track.
    subject : str
        A name, file or module with the parameters that stay: ``"knn"``, ``"agent.py(depth=2)"``.
    space : mapping or iterable of str
        What is searched, see :func:`read_space`.
    problems : str or Path
        The tuning problems: a folder, ``"builtin"``, or the id of a built-in problem.
    trials : int, default 20
        How many.
    metric : str, optional
        By default the track's headline.
    seeds : int, default 1
        Of each trial's cells, counted from 0.
    seed : int, default 0
        Random seed of the search.
    out : str or Path, default "tuning"
        The results folder of the trials.
    reported : iterable of str or Path, optional
        Results folders whose problems must not be tuned on; by default all results folders beside ``out``.
    on_trial : callable, optional
        Told of each trial.
    **options
        Whatever else :func:`assay.run` takes.

    Returns
    -------
    Tuned
        The best subject, and every trial.

    Raises
    ------
    InvalidInput
        A problem was part of a reported run, or a parameter does not fit the subject.
    MissingExtra
        Optuna is not installed.
    """
    if find_spec("optuna") is None:
        raise MissingExtra("Tuning", "optuna", "tune")
    import optuna

    chosen = space if isinstance(space, Mapping) else read_space(space)
    if not chosen or trials < 1:
        raise InvalidInput("space, trials: give at least one parameter, as in k=3..15, and one trial.")
    definition, place = get_track(track), user_path(out)
    name = metric or definition.headline
    goal = definition.metric(name).goal
    digests = _digests(track, problems, place)
    _demand_unreported(digests, _beside(place) if reported is None else [user_path(folder) for folder in reported])
    base = parse_call(subject)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(
        direction="maximize" if goal == "max" else "minimize", sampler=optuna.samplers.TPESampler(seed=seed)
    )
    of_family = [] if any(own.name == name for own in definition.metrics) else [name]  # computed only on request
    chosen_options = {"progress": False, "metrics": of_family, **options}
    finished: list[Trial] = []
    interrupted = False
    for _ in range(trials):
        suggestion = study.ask()
        text = str(Call(base.name, {**base.parameters, **_suggest(suggestion, chosen)}))
        results = run(track, text, problems=str(problems), seeds=seeds, out=place, **chosen_options)
        if results.interrupted:
            interrupted = True
            break
        scores = [record.scores[name] for record in results.records]
        defined = [value for value in scores if value == value]
        if not defined:
            raise InvalidInput(f"metric {name!r}: is undefined for all these problems. Name another one.")
        failed = sum(record.status == "failed" for record in results.records)
        finished.append(Trial(text, sum(defined) / len(defined), failed))
        study.tell(suggestion, finished[-1].value)
        if on_trial is not None:
            on_trial(finished[-1])
    if not finished:
        raise InvalidInput("interrupted before the first trial was done.")
    best = (max if goal == "max" else min)(finished, key=lambda trial: trial.value)
    return Tuned(best, tuple(finished), name, goal, tuple(sorted(digests)), interrupted)


def _range(text: str, match: re.Match[str]) -> Range:
    bounds = [_literal(match[side]) for side in ("low", "high")]
    if not all(map(is_number, bounds)):
        raise InvalidInput(f"space {text!r}: the bounds must be numbers.")
    whole = all(isinstance(bound, int) for bound in bounds)
    low, high = (bound if whole else float(bound) for bound in bounds)  # type: ignore[arg-type]
    if not low < high:  # type: ignore[operator]
        raise InvalidInput(f"space {text!r}: the first bound must be below the second.")
    if match["log"] and low <= 0:  # type: ignore[operator]
        raise InvalidInput(f"space {text!r}: with :log the bounds must be above 0.")
    return Range(low, high, bool(match["log"]))  # type: ignore[arg-type]


def _literal(word: str) -> Parameter:
    try:
        value: Parameter = ast.literal_eval(word.strip())
    except (ValueError, SyntaxError):
        return word.strip()
    return value if isinstance(value, bool | int | float | str) or value is None else word.strip()


def _suggest(trial: Any, space: _Space) -> dict[str, Parameter]:
    chosen: dict[str, Parameter] = {}
    for name, entry in space.items():
        if isinstance(entry, Choices):
            chosen[name] = trial.suggest_categorical(name, list(entry.values))
        elif isinstance(entry.low, int) and isinstance(entry.high, int):
            chosen[name] = trial.suggest_int(name, entry.low, entry.high, log=entry.log)
        else:
            chosen[name] = trial.suggest_float(name, entry.low, entry.high, log=entry.log)
    return chosen


def _digests(track: str, problems: str | Path, out: Path) -> dict[str, str]:
    """The ids of the tuning problems by their digests."""
    return {offered.digest: offered.id for offered in find_offers(track, str(problems), out)}


def _beside(out: Path) -> list[Path]:
    """All results folders beside the one of the trials."""
    return sorted(path.parent for path in out.resolve().parent.glob(f"*/{STORE_NAME}") if path.parent != out.resolve())


def _demand_unreported(digests: Mapping[str, str], folders: Sequence[Path]) -> None:
    for folder in folders:
        with Store(folder, read_only=True) as store:
            records = (record for stored in store.latest_runs() for record in store.records(stored.id))
            for record in records:
                if record.problem_digest in digests:
                    raise InvalidInput(
                        f"problem {digests[record.problem_digest]!r}: is part of the run in {folder}. A score says "
                        "nothing of what was tuned on its problem: tune on problems of their own, generated with "
                        "another seed or kept apart."
                    )
