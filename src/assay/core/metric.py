"""Metrics: pure functions of evidence; aggregates: scores that exist only across problems."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeAlias, TypeVar, get_args

from assay.core.errors import InvalidInput
from assay.core.problem import AnyProblem
from assay.core.record import Record

__all__ = ["Aggregate", "Flag", "Goal", "Metric", "MetricFamily", "as_metrics"]

EvidenceT = TypeVar("EvidenceT")
EvidenceT_contra = TypeVar("EvidenceT_contra", contravariant=True)

Goal: TypeAlias = Literal["max", "min"]
Flag: TypeAlias = Literal["leak", "undecided"]


def _itself(*_: object) -> None:
    """Stands for the metric's own function."""


def _demand_facts(kind: str, name: object, function: object, goal: object, version: object) -> None:
    if not isinstance(name, str) or not name.isprintable() or not name or name != name.strip():
        raise InvalidInput(f"{kind} {name!r}: the name must be a printable text without blanks around it.")
    if not callable(function):
        raise InvalidInput(f"{kind} {name!r}: the function must be callable, got {function!r}.")
    if goal not in get_args(Goal):
        raise InvalidInput(f"{kind} {name!r}: the goal must be 'max' or 'min', got {goal!r}.")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise InvalidInput(f"{kind} {name!r}: the version must be a whole number from 1, got {version!r}.")


@dataclass(frozen=True, slots=True)
class Metric(Generic[EvidenceT_contra]):
    """A named number of one record; nan means undefined here.

    Parameters
    ----------
    name
        The same text in code, tables, files and on the command line.
    function
        Evidence in, number out.
    definition
        The pure function whose docstring holds the formula and the examples; by default ``function`` itself.
    goal
        Whether more is better (``"max"``) or less (``"min"``).
    floor
        What a failed subject gets: a number, or a function of the problem.
    oracle, tolerance
        What the truth itself must score, and how exactly; None if it has no fixed value.
    version
        Raise it when the definition changes: stored answers are then scored again.
    flag
        A score above zero says that the answer uses what it must not know (``"leak"``), or that no verdict could be
        reached (``"undecided"``); reports count such answers.
    source
        The digest of the source of a metric that is not the track's own; Assay fills it in.
    limits
        The smallest and the largest score there can be, which no interval exceeds; infinite where there is no limit.
        By default a floor that is a number and the oracle.

    Raises
    ------
    InvalidInput
        If a name is blank, a goal unknown, a version not a whole number from 1, or limits not in order.

    Examples
    --------
    >>> def brevity(evidence):
    ...     "One over the length of the answer."
    ...     return 1 / len(evidence)
    >>> metric = Metric("brevity", brevity)
    >>> metric.function("abcd"), metric.summary
    (0.25, 'One over the length of the answer.')
    >>> Metric("brevity", brevity, oracle=1.0).ends, Metric("error", len, goal="min", limits=(0, 9)).ends
    ((0.0, 1.0), (9, 0))
    """

    name: str
    function: Callable[[EvidenceT_contra], float]
    definition: Callable[..., object] = _itself
    goal: Goal = "max"
    floor: float | Callable[[AnyProblem], float] = 0.0
    oracle: float | None = None
    tolerance: float = 1e-9
    version: int = 1
    flag: Flag | None = None
    source: str = ""
    limits: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        _demand_facts("metric", self.name, self.function, self.goal, self.version)
        if self.definition is _itself:
            object.__setattr__(self, "definition", self.function)
        if self.limits is not None and not self.limits[0] < self.limits[1]:
            raise InvalidInput(f"metric {self.name!r}: the limits must be in order, got {self.limits!r}.")

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """The worst and the best score there can be; None where that is not known."""
        if self.limits is not None:
            low, high = (None if math.isinf(limit) else limit for limit in self.limits)
            return (low, high) if self.goal == "max" else (high, low)
        return None if callable(self.floor) else float(self.floor), self.oracle

    def floor_for(self, problem: AnyProblem) -> float:
        """What a failed subject gets on this problem."""
        return float(self.floor(problem)) if callable(self.floor) else float(self.floor)

    @property
    def summary(self) -> str:
        """The first line of the definition."""
        return (self.definition.__doc__ or "").strip().partition("\n")[0]


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A named number per subject that exists only across problems, such as noise sensitivity or competition ranks.

    The function gets the records of all subjects of one run, sorted, and answers with a number per subject name.

    Parameters
    ----------
    name
        The same text in code, tables, files and on the command line.
    function
        Sorted records in, a number per subject name out.
    goal
        Whether more is better (``"max"``) or less (``"min"``).
    version
        Raise it when the definition changes.
    source
        The digest of the source of an aggregate that is not the track's own; Assay fills it in.

    Raises
    ------
    InvalidInput
        If a name is blank, a goal unknown or a version no whole number from 1.

    Examples
    --------
    >>> def problems_seen(records):
    ...     "How many problems a subject has records on."
    ...     names = {record.subject for record in records}
    ...     return {name: len({r.problem for r in records if r.subject == name}) for name in names}
    >>> Aggregate("problems_seen", problems_seen).summary
    'How many problems a subject has records on.'
    """

    name: str
    function: Callable[[Sequence[Record]], Mapping[str, float]]
    goal: Goal = "max"
    version: int = 1
    source: str = ""

    def __post_init__(self) -> None:
        _demand_facts("aggregate", self.name, self.function, self.goal, self.version)

    @property
    def summary(self) -> str:
        """The first line of the function's docstring."""
        return (self.function.__doc__ or "").strip().partition("\n")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricFamily(Generic[EvidenceT]):
    """Metrics that differ in one number of their names: ``recall@k`` for every k.

    ``make`` gives the metric of a value: a whole number from ``least`` on, or one above ``least`` and at most ``most``.
    Contract checks and the reference show the family at ``example``.

    >>> family = MetricFamily(name="longer", parameter="n", example=3, make=lambda n: Metric(
    ...     f"longer@{n}", lambda evidence: float(len(evidence) > n)))
    >>> family.label, family.of("longer@2").function("abc"), family.of("shorter@2")
    ('longer@n', 1.0, None)
    """

    name: str
    parameter: str
    make: Callable[[Any], Metric[EvidenceT]]
    example: float
    whole: bool = True
    least: float = 1
    most: float = math.inf

    @property
    def label(self) -> str:
        """As lists of names show it."""
        return f"{self.name}@{self.parameter}"

    def of(self, name: str) -> Metric[EvidenceT] | None:
        """The metric of that name; None when it belongs to another family or to none."""
        family, at, text = name.partition("@")
        if not at or family != self.name:
            return None
        try:
            value = int(text) if self.whole else float(text)
        except ValueError:
            value = None
        if value is None or not (self.least <= value if self.whole else self.least < value <= self.most):
            expected = (
                f"a whole number from {self.least:g}" if self.whole else f"above {self.least:g}, at most {self.most:g}"
            )
            example = self.shown(self.example)
            raise InvalidInput(f"metric {name!r}: {self.parameter} must be {expected}, as in {example!r}.")
        if self.shown(value) != name:  # one name for one number
            raise InvalidInput(f"metric {name!r}: write it as {self.shown(value)!r}.")
        return self.make(value)

    def shown(self, value: float) -> str:
        """The name of the metric of a value."""
        return f"{self.name}@{value}" if self.whole else f"{self.name}@{value:.15g}"


def as_metrics(value: object, *, what: str) -> tuple[Metric[Any] | Aggregate, ...]:
    """A metric, an aggregate, a plain function of evidence, or several of these; ``what`` names them in errors.

    >>> def brevity(evidence):
    ...     return 1 / len(evidence)
    >>> [metric.name for metric in as_metrics([brevity, Metric("length", len)], what="mine")]
    ['brevity', 'length']
    """
    if isinstance(value, Metric | Aggregate):
        return (value,)
    if isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping):
        return tuple(metric for entry in value for metric in as_metrics(entry, what=what))
    name = getattr(value, "__name__", "")
    if callable(value) and not isinstance(value, type) and str(name).isidentifier():
        return (Metric(name, value),)
    if callable(value) and not isinstance(value, type):
        raise InvalidInput(f"{what}: this function has no name. Give it one: Metric('name', function).")
    raise InvalidInput(
        f"{what}: neither a Metric, an Aggregate nor a function of evidence, but {type(value).__name__}. "
        "Write it as Metric('name', function)."
    )
