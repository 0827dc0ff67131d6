"""A planted insight: its name, the experts' words, source code that computes it, and the values it must give."""

from __future__ import annotations

from typing import NamedTuple

from assay.insight.generate.domains import Domain
from assay.insight.generate.draft import FloatArray, IntArray

__all__ = ["KINDS", "Insight", "function_of", "log_function"]

# what an insight can be, and how hard it is to find: 1 in plain sight, 3 after several steps
KINDS = {
    "transform": 1,
    "interaction": 1,
    "aggregate": 1,
    "lookup": 2,
    "window": 2,
    "conditional": 2,
    "recency": 2,
    "diversity": 2,
    "trend": 3,
    "ratio": 3,
    "conditional window": 3,
    "two hops": 3,
}


class Insight(NamedTuple):
    """A column. ``values`` come from arrays and ``code`` works on data frames: neither knows the other."""

    kind: str
    name: str
    words: str
    code: str
    values: FloatArray | IntArray

    @property
    def grade(self) -> int:
        """How hard it is to find, from 1 to 3."""
        return KINDS[self.kind]


def function_of(name: str, body: str) -> str:
    """Source of a function of the whole table; the body's lines end with a return."""
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    return f"import pandas as pd\n\n\ndef {name}(df, aux_dataframes):\n{lines}"


def log_function(
    name: str, domain: Domain, table: str, event: str, lines: str, *, default: int = 0, whole: bool = True
) -> str:
    """Source of a function of what an entity's log held when its row was predicted.

    ``lines`` compute ``found``, a series by ``place``, from ``seen``, whose rows know how many days ``ago`` they were.
    """
    entity, date = f"{domain.entity}_id", f"{domain.row}_date"
    end = ".astype(int)" if whole else ""
    return function_of(
        name,
        f"rows = df[[{entity!r}, {date!r}]].rename_axis('place').reset_index()\n"
        f"seen = rows.merge(aux_dataframes[{table + '.csv'!r}], on={entity!r})\n"
        f"days = pd.to_datetime(seen[{date!r}]) - pd.to_datetime(seen[{event + '_date'!r}])\n"
        "seen = seen.assign(ago=days.dt.days)\n"
        "seen = seen[seen['ago'] >= 0]\n"
        f"{lines.strip()}\n"
        f"return found.reindex(df.index, fill_value={default}){end}",
    )
