"""What sets a query apart from a case, feature by feature."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.cases.explanation.rendering.wording import MASK, as_json, is_missing, one_line, shorten, tell
from assay.cases.neighbors.casebase import CaseBase
from assay.cases.neighbors.checks import FloatArray
from assay.core import Json

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Contrast", "FeatureDifference", "compare"]

_AGAINST = " against "

Kind: TypeAlias = Literal["number", "category", "private"]


class FeatureDifference(NamedTuple):
    """How a query differs from a case in one feature; ``scaled`` is in the units that distances are made of.

    A category that differs has the ``scaled`` of a difference of 1, one that is the same 0. Where a value is missing
    on one side there is nothing to compare: nan. A private feature shows neither its values nor how far they lie apart.
    """

    name: str
    query: Any
    case: Any
    scaled: float
    kind: Kind = "number"
    unit: str = ""

    @property
    def differs(self) -> bool:
        """Whether the two are known to differ here, in what distances count; a private feature does not say."""
        return abs(self.scaled) > 0

    @property
    def shown(self) -> str:
        """The difference in a word or a number.

        >>> FeatureDifference("age", 30.0, 20.0, 1.25).shown, FeatureDifference("sex", "f", "m", 1.0, "category").shown
        ('+1.25', 'differs')
        """
        if self.kind == "private":
            return MASK
        if math.isnan(self.scaled):
            return "not comparable"
        if not self.differs:
            # a feature of weight 0 may differ and still not part the two
            return "same" if is_missing(self.query) or self.query == self.case else "not counted"
        return "differs" if self.kind == "category" else f"{self.scaled:+.3g}"

    @property
    def change(self) -> str:
        """The difference in the feature's own unit; in a word where there is none.

        >>> FeatureDifference("age", 30.0, 20.5, 1.25, unit="years").change
        '+9.5 years'
        """
        if self.kind != "number" or not self.differs:
            return self.shown
        difference = tell(self.query - self.case)
        return f"{'+' * (self.query > self.case)}{difference}{self._with_unit}"

    @property
    def told(self) -> tuple[str, str]:
        """The query's value and the case's in words, with the unit of both."""
        return tuple(  # type: ignore[return-value]
            tell(value) + ("" if is_missing(value) or self.kind == "private" else self._with_unit)
            for value in (self.query, self.case)
        )

    @property
    def _with_unit(self) -> str:
        return f" {one_line(self.unit)}" if self.unit else ""

    @property
    def sides(self) -> str:
        """Both values in words: the query's first.

        >>> FeatureDifference("age", 30.0, 20.0, 1.25, unit="years").sides
        '30 against 20 years'
        """
        return self.sides_within(None)

    def sides_within(self, most: int | None) -> str:
        """Both values in words, long ones without their middle: together about ``most`` letters.

        >>> row = FeatureDifference("plan", "public with dental cover", "employer-funded policy", 1.0, "category")
        >>> row.sides_within(36)
        'public…cover against employ…policy'
        """
        query, case = self.told
        if not self.differs and self.shown == "same":
            return f"both {query}"
        sides = (query if is_missing(self.case) else tell(self.query), case)
        if most is not None and len(_AGAINST.join(sides)) > most:
            room = most - len(_AGAINST)
            # a short one leaves the other its room
            shares = [max(room // 2, room - len(other)) for other in reversed(sides)]
            sides = (shorten(sides[0], most=shares[0]), shorten(sides[1], most=shares[1]))
        return _AGAINST.join(sides)


@dataclass(frozen=True, slots=True)
class Contrast:
    """A small table of feature differences, the largest first; equal ones and private ones come last.

    As a text it shows what differs, and counts the rest.

    >>> age, sex = FeatureDifference("age", 30.0, 20.0, 1.25), FeatureDifference("sex", "f", "f", 0.0, "category")
    >>> print(Contrast((age, sex)))
    feature  query  case  difference
    age      30     20    +1.25
    (1 feature is the same)
    """

    rows: tuple[FeatureDifference, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[FeatureDifference]:
        return iter(self.rows)

    def __getitem__(self, place: int) -> FeatureDifference:
        return self.rows[place]

    def top(self, count: int) -> tuple[FeatureDifference, ...]:
        """The features that separate most: at most so many, and only those that differ."""
        return tuple(row for row in self.rows[:count] if row.differs)

    @property
    def differing(self) -> tuple[FeatureDifference, ...]:
        """The features in which the two differ, the largest difference first, then those that only one of them has."""
        return tuple(row for row in self.rows if row.differs or row.shown == "not comparable")

    def rest(self, *, shown: int | None = None) -> str:
        """What a table of the first ``shown`` that differ leaves out, in words; empty when it shows all.

        >>> same = FeatureDifference("sex", "f", "f", 0.0, "category")
        >>> Contrast((FeatureDifference("age", 30.0, 20.0, 1.25), same)).rest(shown=0)
        '1 more feature differs, 1 is the same'
        """
        words = [row.shown for row in self.rows]
        counts = (
            (len(self.differing) - (len(self.differing) if shown is None else shown), "differs", "differ", "more "),
            (words.count("same"), "is the same", "are the same", ""),
            (words.count("not counted"), "does not count", "do not count", ""),
            (sum(row.kind == "private" for row in self.rows), "is private", "are private", ""),
        )
        parts: list[str] = []
        for count, one, many, more in counts:
            if count > 0:
                noun = "" if parts else f" {more}feature{'s' * (count > 1)}"
                parts.append(f"{count}{noun} {one if count == 1 else many}")
        return ", ".join(parts)

    def to_records(self) -> list[dict[str, Json]]:
        """The table as plain JSON values, a mapping per feature."""
        return [
            {
                "feature": row.name,
                "query": as_json(row.query),
                "case": as_json(row.case),
                "difference": as_json(row.scaled),
                "kind": row.kind,
                "unit": row.unit or None,
                "differs": None if math.isnan(row.scaled) else row.differs,
            }
            for row in self.rows
        ]

    def to_frame(self) -> pd.DataFrame:
        """The table as a data frame."""
        import pandas as pd

        columns = ["feature", "query", "case", "difference", "kind", "unit", "differs"]
        return pd.DataFrame(self.to_records(), columns=columns)

    def __str__(self) -> str:
        cells = [("feature", "query", "case", "difference")]
        cells += [(one_line(row.name), *row.told, row.shown) for row in self.differing]
        widths = [max(len(cell) for cell in column) for column in zip(*cells, strict=True)]
        lines = [
            "  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells
        ]
        rest = self.rest()
        return "\n".join([*lines, *([f"({rest})"] if rest else [])])


def compare(query: npt.NDArray[Any], case: npt.NDArray[Any], cases: CaseBase) -> Contrast:
    """Query minus case by feature, the largest share of the distance first."""
    spread, categorical = cases.scaling.spread, cases.categorical
    largest = _largest_shares(cases)
    rows = [
        FeatureDifference(name, MASK, MASK, math.nan, "private")
        if name in cases.private
        else _difference(
            name,
            (query[feature], case[feature]),
            float(spread[feature]),
            float(largest[feature]),
            name in categorical,
            cases.units.get(name, ""),
        )
        for feature, name in enumerate(cases.feature_names)
    ]
    # sorting is stable: where differences are equal, features keep their order
    return Contrast(tuple(sorted(rows, key=_place)))


def _largest_shares(cases: CaseBase) -> FloatArray:
    """The most that a feature adds to a distance: under Gower's a value beyond the range counts as one at its end."""
    features = len(cases.feature_names)
    if cases.space.metric != "gower":
        return np.full(features, np.inf)
    weights = np.ones(features) if cases.feature_weights is None else cases.feature_weights
    shares: FloatArray = weights / weights.sum()
    return shares


def _difference(
    name: str, values: tuple[Any, Any], spread: float, largest: float, category: bool, unit: str
) -> FeatureDifference:
    kind: Kind = "category" if category else "number"
    if category:
        query, case = (value.item() if isinstance(value, np.generic) else value for value in values)
    else:
        query, case = (None if is_missing(value) else float(value) for value in values)
    if is_missing(query) or is_missing(case):
        both = is_missing(query) and is_missing(case)
        return FeatureDifference(name, query, case, 0.0 if both else math.nan, kind, unit)
    scaled = (float(query != case) if category else query - case) / spread
    bounded = math.copysign(min(abs(scaled), largest), scaled)
    return FeatureDifference(name, query, case, bounded, kind, unit)


def _place(row: FeatureDifference) -> tuple[bool, bool, float]:
    return row.kind == "private", math.isnan(row.scaled), -abs(row.scaled) if not math.isnan(row.scaled) else 0.0
