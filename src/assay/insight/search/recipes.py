"""How a column is computed, as source that stands alone: terms of a row, aggregates of related rows, combinations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from assay.insight.search.typed_tables import SELF, Ref, Stack

__all__ = ["AGGREGATES", "Aggregate", "Combined", "Part", "Recipe", "RowTerm", "SourceDraft", "Window"]

# what each aggregate returns for the days and values of the rows that count; there is at least one
AGGREGATES: dict[str, str] = {
    "count": "float(len(values))",
    "sum": "float(values.sum())",
    "mean": "float(values.mean())",
    "min": "float(values.min())",
    "max": "float(values.max())",
    "std": "float(values.std())",
    "range": "float(values.max() - values.min())",
    "median": "float(np.median(values))",
    "first": "float(values[0])",
    "last": "float(values[-1])",
    "step": "float(values[-1] - values[-2]) if len(values) > 1 else 0.0",
    "distinct": "float(len(np.unique(values)))",
    "repeats": "float(len(values) - len(np.unique(values)))",
    "entropy": "entropy_of(values)",
    "slope": "slope_of(days, values)",
    "latest": "float(days[-1])",
    "recency": "float(now - days[-1])",
    "age": "float(now - days[0])",
    "span": "float(days[-1] - days[0])",
    "gap": "float(days[-1] - days[0]) / max(len(days) - 1, 1)",
}
# series of numbers that the rows in order of time make, and what is asked of them: "std_of_month_sum"
_SERIES: dict[str, tuple[str, str]] = {
    "month_count": ("monthly(days, values, 'count')", "monthly numbers of"),
    "month_sum": ("monthly(days, values, 'sum')", "monthly totals of"),
    "month_mean": ("monthly(days, values, 'mean')", "monthly means of"),
    "rows": ("values", "successive"),
    "gaps": ("np.diff(days)", "days between"),
}
_COURSES = {
    "mean": "mean", "max": "largest", "min": "smallest", "last": "last", "std": "spread of", "slope": "trend of",
    "deviation": "last less the mean of", "step": "last change in", "drift": "mean change in",
    "growth": "mean relative change in", "rises": "number of rises in", "falls": "number of falls in",
    "climb": "sum of rises in", "descent": "sum of falls in", "changes": "number of changes in",
    "jump": "mean absolute change in",
}  # fmt: skip
for _series, (_code, _) in _SERIES.items():
    AGGREGATES |= {f"{name}_of_{_series}": f"course({_code}, {name!r})" for name in _COURSES}
_PHRASES = {
    "count": "number", "sum": "total", "std": "spread of", "distinct": "number of different",
    "repeats": "number of repeated", "step": "last change in",
    "max": "largest", "min": "smallest", "slope": "trend of", "entropy": "diversity of", "gap": "mean days between",
    "recency": "days since the last", "age": "days since the first", "span": "days from first to last",
} | {
    f"{name}_of_{series}": f"{phrase} {words}"
    for series, (_, words) in _SERIES.items()
    for name, phrase in _COURSES.items()
}  # fmt: skip
NEVER = {"recency": 999.0, "age": 0.0, "latest": 1e9}


@dataclass(slots=True)
class SourceDraft:
    """Source being written: functions that prepare tables, and the inputs that they need."""

    setup: list[str] = field(default_factory=list)
    tables: bool = False
    train: bool = False
    pooled: set[str] = field(default_factory=set)  # columns of the primary table
    count: int = 0


class Recipe(Protocol):
    """A column: its description, a short name, and its expression with the functions that it needs."""

    @property
    def words(self) -> str:
        """In plain language."""

    @property
    def slug(self) -> str:
        """For names."""

    @property
    def cost(self) -> float:
        """Its complexity: of columns that explain equally much, the simplest is preferred."""

    def write(self, out: SourceDraft) -> str:
        """The expression of its value for ``row``; what that needs is added to ``out``."""


@dataclass(frozen=True, slots=True)
class RowTerm:
    """An expression over one row."""

    code: str
    words: str
    slug: str
    tables: bool = False
    cost: float = 0.5

    def write(self, out: SourceDraft) -> str:
        """The expression itself."""
        out.tables |= self.tables
        return f"plain({self.code})"


@dataclass(frozen=True, slots=True)
class Part:
    """Something of each row of a table: an expression over ``t``, words for it, a short name."""

    code: str
    words: str = ""
    slug: str = ""
    tables: bool = False
    cost: float = 0.0
    holds: bool = False  # whether something is true of the row: 1 or 0


@dataclass(frozen=True, slots=True)
class Window:
    """Rows by their age: more than ``low`` to ``high`` days before the row's date or the last date of the table.

    ``anchor`` None takes all rows, whenever they happened.
    """

    anchor: str | None = None  # "row", "end"
    low: float | None = None
    high: float | None = None
    strict: bool = False  # the moment itself does not count
    named: str = ""  # a calendar period such as "the last full quarter": its days are those of the data at hand

    @property
    def words(self) -> str:
        """In words."""
        if self.anchor is None:
            return ""
        if self.named:
            return f" in {self.named}"
        until = "the row's date" if self.anchor == "row" else "the last date"
        if self.high is None:
            return f" before {until}" if self.strict else f" up to {until}"
        if self.low is None:
            return f" in the {_lasting(self.high)} before {until}"
        if self.high < 1:
            return f" from {24 * self.high:g} to {24 * self.low:g} hours before {until}"
        return f" from {self.high:g} to {self.low:g} days before {until}"

    @property
    def slug(self) -> str:
        """For names."""
        if self.anchor is None:
            return ""
        if self.named:
            return "_" + self.named.replace(" ", "_")
        end = "before_row" if self.anchor == "row" else "at_end"
        if self.strict and self.anchor == "row":
            end = "strictly_before_row"
        if self.high is not None and self.high < 1:
            return f"_{24 * (self.low or 0):g}_{24 * self.high:g}h_{end}"
        return f"_{end}" if self.high is None else f"_{self.low or 0:g}_{self.high:g}d_{end}"

    def code(self) -> str:
        """Which days count."""
        until = (
            f"days <= now - {_exact(self.low)}"
            if self.low is not None
            else "days < now"
            if self.strict
            else "days <= now"
        )
        return f"({until})" if self.high is None else f"(days > now - {_exact(self.high)}) & ({until})"


def _lasting(days: float) -> str:
    return f"{24 * days:g} hours" if days < 1 else "day" if days == 1 else f"{days:g} days"


def _exact(number: float) -> str:
    """A number as short as can be without a change."""
    return f"{number:g}" if float(f"{number:g}") == number else repr(number)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """An aggregate over the rows of a table that belong to a row."""

    table: str
    row_key: Ref  # in the primary table
    table_key: Ref
    function: str
    value: Part  # of each row; ones where only rows count
    keep: tuple[Part, ...] = ()
    window: Window = Window()
    table_day: str = ""  # days of the table's rows as an expression over ``t``; empty: the order of the file
    row_day: str = ""  # the row's day
    subject: str = "rows"
    pooled: tuple[str, ...] = ()  # columns needed where the table is the primary one
    stack: Stack | None = None  # where two tables count as one
    after: Aggregate | None = None  # only rows after this day of the row, such as that of its key's last event

    @property
    def words(self) -> str:
        """In words."""
        true = self.value.holds and self.function in ("sum", "mean")
        conditions = "".join(f" with {part.words}" for part in (*self.keep, *([self.value] if true else [])))
        same = f" of the same {self.row_key.words}" if self.row_key.column else ""
        since = f" since the last of {self.after.subject} before it" if self.after else ""
        where = f"{self.subject}{conditions}{same}{self.window.words}{since}"
        if true:
            return f"{'number' if self.function == 'sum' else 'share'} of {where}"
        if self.function in ("recency", "age", "span", "gap") or self.function.endswith(("_month_count", "_gaps")):
            return f"{_PHRASES[self.function]} {where}"
        what = f" {self.value.words} of" if self.value.words else " of"
        return f"{_PHRASES.get(self.function, self.function)}{what} {where}"

    @property
    def slug(self) -> str:
        """For names."""
        conditions = "".join(f"_{part.slug}" for part in self.keep)
        value = f"_{self.value.slug}" if self.value.slug else ""
        since = f"_since_last_{self.after.subject}" if self.after else ""
        per = f"_per_{self.row_key.column}" if self.row_key.column else "_overall"
        return f"{self.function}{value}_{self.subject}{conditions}{per}{self.window.slug}{since}"

    @property
    def cost(self) -> float:
        """Each condition and window adds to it."""
        usual = self.function in ("count", "sum", "mean", "last", "recency", "distinct")
        rare = 0.0 if usual else 0.3 if self.function in ("max", "min") else 0.5
        parts = self.value.cost + sum(1.0 + part.cost for part in self.keep)
        far = 0.5 * (self.row_key.hops + self.table_key.hops)
        far += (0.5 if self.after else 0.0) + (0.0 if self.row_key.column else 1.0)  # of no key: seldom meant
        return 1.0 + rare + parts + far + (0.5 if self.window.high is not None else 0.0)

    def write(self, out: SourceDraft) -> str:
        """A function that groups the table once, and one that aggregates for a row; the call of the latter."""
        since = self.after.write(out) if self.after else ""
        out.count += 1
        number = out.count
        first = self.stack.first if self.stack else self.table
        itself = first == SELF
        out.train |= itself
        refs = (self.row_key.key, self.table_key.key)
        out.tables |= not itself or any(refs) or self.value.tables or any(part.tables for part in self.keep)
        out.tables |= "aux_dataframes" in self.row_day + self.table_day or self.stack is not None
        source = "df_train" if itself else f"aux_dataframes[{first!r}]"
        rows = "pooled(source)" if itself else "source"
        if self.stack:
            rows = self.stack.code(rows)
        arguments = ", ".join(
            name for name, used in (("df_train", itself or "df_train" in since), ("aux_dataframes", True)) if used
        )
        if not out.tables:
            arguments = "df_train"
        days = self.table_day or "np.zeros(len(t))"
        keep = [part.code for part in self.keep]
        end = "float(np.nanmax(days)) if len(days) and not np.isnan(days).all() else 0.0"
        lines = [
            f"def related_{number}({arguments}):",
            f'    """The rows of {self.table or "the primary table"} by key, prepared once."""',
            f"    source = {source}",
            f"    if kept.get({number}) is None or kept[{number}][0] is not source:",
            f"        t = {rows}",
            f"        days = {days}",
            f"        values = {self.value.code}",
            f"        keep = {' & '.join(['~np.isnan(values)', *(f'({code})' for code in keep)])}",
            f"        keys = keys_of({self.table_key.in_table()})",
            f"        kept[{number}] = (source, group_rows(keys, keep, days, values), {end})",
            f"    return kept[{number}]",
        ]
        from_end = self.window.anchor == "end" or self.function in ("recency", "age")
        now = self.row_day if self.window.anchor == "row" else "end" if from_end else ""
        body = [
            f"def value_{number}(row, {arguments}):",
            f"    _, groups, end = related_{number}({arguments})",
            "    nothing = np.empty(0)",
            f"    days, values = groups.get(key_of({self.row_key.in_row()}), (nothing, nothing))",
        ]
        if now:
            body.append(f"    now = {now}")
        if since:
            body += [
                f"    since = {since}",
                "    later = days > since",
                "    days, values = days[later], values[later]",
            ]
        if self.window.anchor is not None:
            body += [f"    counted = {self.window.code()}", "    days, values = days[counted], values[counted]"]
        empty = NEVER.get(self.function, 0.0)
        body.append(f"    return plain({AGGREGATES[self.function]}) if len(values) else {empty!r}")
        out.setup += ["\n".join(lines), "\n".join(body)]
        out.pooled |= {*self.pooled}
        return f"value_{number}(row, {arguments})"


# how two columns are combined, in words and in names: /+ with one added below, % for a relative change
_SIGNS = {
    "+": ("plus", "plus"), "-": ("minus", "minus"), "*": ("times", "times"), "/": ("relative to", "per"),
    "/+": ("relative to one more than", "per_one_more_than"), "%": ("as a relative change from", "against"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Combined:
    """Two columns in one."""

    sign: str  # of _SIGNS
    left: Recipe
    right: Recipe

    @property
    def words(self) -> str:
        """In words."""
        return f"{self.left.words} {_SIGNS[self.sign][0]} {self.right.words}"

    @property
    def slug(self) -> str:
        """For names."""
        return f"{self.left.slug}_{_SIGNS[self.sign][1]}_{self.right.slug}"

    @property
    def cost(self) -> float:
        """The cost of both parts plus one for combining them."""
        return 1.0 + self.left.cost + self.right.cost

    def write(self, out: SourceDraft) -> str:
        """The expression."""
        left, right = self.left.write(out), self.right.write(out)
        if self.sign == "%":
            return f"relative({left}, {right})"
        if self.sign == "/+":
            return f"divide({left}, {right} + 1.0)"
        return f"divide({left}, {right})" if self.sign == "/" else f"plain({left} {self.sign} {right})"
