"""What happened, in a sentence that a process owner can check: since when, how many cases, which step."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Final

from assay.drift.detection.drift import Drift
from assay.drift.detection.profile import ChangeProfile, ChangeRow

__all__ = ["happened", "long_date", "readable_hours"]

_NEVER: Final = 0.005
_ALIKE: Final = 0.15  # between what one step loses and another gains, where the other takes its place
_LARGE: Final = 0.1  # of cases, or of a median time: less is certain in a large log, and not worth a sentence
_MOST: Final = 3
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September", "October"),
    *("November", "December"),
)


def happened(profile: ChangeProfile, drift: Drift) -> str:
    """What changed for sure, the most telling first: at most three things.

    >>> from assay.drift import change_profile, simulate
    >>> simulated = simulate(seed=1, cases=200)
    >>> drift = simulated.drifts[0].drift
    >>> happened(change_profile(simulated.log, drift), drift)
    "From 21 July 2019, 47% of cases skip 'Verify income' (none before)."
    """
    things = _things(profile)[:_MOST]
    if not things:
        return ""
    first, *others = things
    return f"{_when(drift)}, {first}." + "".join(f" {_sentence(other)}." for other in others)


def _sentence(thing: str) -> str:
    return thing if thing.startswith("'") else thing[0].upper() + thing[1:]


def long_date(day: date, *, year: bool = True) -> str:
    """A day as people say it.

    >>> long_date(date(2023, 3, 3))
    '3 March 2023'
    """
    return f"{day.day} {_MONTHS[day.month - 1]}" + (f" {day.year}" if year else "")


def readable_hours(hours: float) -> str:
    """A time in the unit that fits.

    >>> readable_hours(0.5), readable_hours(30.0), readable_hours(100.0)
    ('30 min', '30.0 h', '4.2 days')
    """
    if hours < 1:
        return f"{60 * hours:.0f} min"
    return f"{hours:.1f} h" if hours < 72 else f"{hours / 24:.1f} days"


def _when(drift: Drift) -> str:
    start, end = drift.start.date(), drift.end.date()
    if drift.type == "sudden" or start == end:
        return f"From {long_date(start)}"
    first = long_date(start, year=start.year != end.year)
    if drift.type == "recurring":
        return f"Now and again between {first} and {long_date(end)}"
    return f"Little by little between {first} and {long_date(end)}"


def _things(profile: ChangeProfile) -> list[str]:
    """Everything of size that changed, the surest first; what only follows from another change is left out."""
    changed = [row for row in profile.changed() if _is_large(row)]
    steps = [row for row in changed if row.kind == "activity" and row.name == row.activities[0]]
    replaced = dict(_replacements(profile, steps))
    things: list[tuple[float, str]] = [
        (
            gone.statistic + new.statistic,
            f"'{new.name}' takes the place of '{gone.name}' in {new.difference:.0%} of cases",
        )
        for gone, new in replaced.items()
    ]
    replacements = {row.name for pair in replaced.items() for row in pair}
    things += [(row.statistic, _of_step(row)) for row in steps if row.name not in replacements]
    named = {row.name for row in steps}
    things += _moves(profile, [row for row in changed if row.kind == "relation" and not row.is_far], named)
    things += [(row.statistic, words) for row in changed if (words := _of_other(row, named))]
    return [words for _, words in sorted(things, key=lambda entry: -entry[0])]


def _of_other(row: ChangeRow, named: set[str]) -> str:
    """A change in words; empty for steps that come or go, and for what another row says."""
    step = row.activities[0] if row.activities else ""
    after, before = f"{row.after:.0%}", f"({_share(row.before)} before)"
    if row.kind == "duration":
        return _of_time(row)
    if row.kind == "activity":
        return f"{after} of cases repeat '{step}' {before}" if row.name != step and step not in named else ""
    if row.difference <= 0:
        return ""
    if row.is_far:
        return f"'{step}' comes before '{row.activities[1]}' in {after} of cases {before}"
    if row.kind == "resource":
        return f"{row.name.rpartition(' by ')[2]} carries out '{step}' in {after} of cases {before}"
    return (
        f"{after} of '{step}' take place on {row.name.rpartition(' on ')[2]} {before}" if row.kind == "weekday" else ""
    )


def _is_large(row: ChangeRow) -> bool:
    if row.kind != "duration":
        return abs(row.difference) >= _LARGE
    return abs(row.difference) >= _LARGE * max(row.before, row.after)


def _share(share: float) -> str:
    return "none" if share < _NEVER else "all" if share > 1 - _NEVER else f"{share:.0%}"


def _of_step(row: ChangeRow) -> str:
    if row.after < _NEVER:
        return f"no case has '{row.name}' any longer ({_share(row.before)} before)"
    if row.difference < 0:
        return f"{1 - row.after:.0%} of cases skip '{row.name}' ({_share(1 - row.before)} before)"
    if row.before < _NEVER:
        return f"'{row.name}' is new, in {row.after:.0%} of cases"
    return f"{row.after:.0%} of cases have '{row.name}' ({_share(row.before)} before)"


def _replacements(profile: ChangeProfile, steps: list[ChangeRow]) -> Iterator[tuple[ChangeRow, ChangeRow]]:
    """Steps that lose what another gains, at the same place: the same step comes before them, or after them."""
    paired: set[str] = set()
    for gone in steps:
        for new in steps:
            if gone.difference < 0 < new.difference and not paired & {gone.name, new.name}:
                alike = abs(gone.difference + new.difference) <= _ALIKE
                places = _around(profile, gone.name, "before"), _around(profile, new.name, "after")
                if alike and any(one is not None and one == two for one, two in zip(*places, strict=True)):
                    paired |= {gone.name, new.name}
                    yield gone, new


def _direct_relations(profile: ChangeProfile) -> list[ChangeRow]:
    return [row for row in profile.rows if row.kind == "relation" and not row.is_far]


def _around(profile: ChangeProfile, name: str, side: str) -> tuple[str | None, str | None]:
    """The commonest step before a step and after it, on one side of the drift."""
    neighbours: list[str | None] = []
    for own, other in ((1, 0), (0, 1)):
        rows = [row for row in _direct_relations(profile) if row.activities[own] == name]
        rows = [row for row in rows if row.activities[other] != name and getattr(row, side) >= _NEVER]
        best = max(rows, key=lambda row: float(getattr(row, side)), default=None)
        neighbours.append(None if best is None else best.activities[other])
    return neighbours[0], neighbours[1]


def _moves(profile: ChangeProfile, relations: list[ChangeRow], named: set[str]) -> Iterator[tuple[float, str]]:
    """Steps that keep their share and change their place, each once, with its statistic."""
    shares = {row.activities: row for row in _direct_relations(profile)}
    covered = set(named)
    for row in relations:
        first, second = row.activities
        opposite = shares.get((second, first))
        if row.difference <= 0 or covered & {first, second} or opposite is None:
            continue
        if opposite.difference < 0 and opposite in relations:
            covered |= {first, second}
            words = f"'{second}' comes right after '{first}' in {row.after:.0%} of cases ({_share(row.before)} before)"
            yield row.statistic + opposite.statistic, words
    for name in profile.vocabulary():
        before, after = _around(profile, name, "before")[0], _around(profile, name, "after")[0]
        if before is None or after is None or before == after or covered & {name, before, after}:
            continue
        row = shares[after, name]
        if row in relations:
            covered |= {name, before, after}
            yield row.statistic, f"'{name}' follows '{after}' in {row.after:.0%} of cases ({_share(row.before)} before)"


def _of_time(row: ChangeRow) -> str:
    before, after = readable_hours(row.before), readable_hours(row.after)
    what = "a whole case takes" if not row.activities else f"the time until '{row.activities[0]}' is"
    return f"{what} {after} in the median ({before} before)"
