"""Two subjects of a run, found by their names, and their comparison as it shows itself."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields

from assay.core import InvalidInput, UnknownName
from assay.core.display import counted
from assay.report.display import html_table
from assay.report.result_set import ResultSet, TrackResults
from assay.report.tables.pairs import at_any_time, problems_words, too_few_problems
from assay.report.wording import ANYTIME, ARROWS, format_interval, format_p_value, shown
from assay.stats import Comparison, adjust, compare

__all__ = ["SubjectComparison", "compare_subjects", "match_subject"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SubjectComparison(Comparison):
    """The paired comparison of two subjects: difference with its interval, p-value, problems won, tied and lost."""

    track: str = ""

    def __repr__(self) -> str:
        lost_cells = counted(self.lost_a + self.lost_b, "lost cell")
        lost = f", with {lost_cells} as the floor" if self.lost_a + self.lost_b else ""
        few = f". {too_few}" if (too_few := too_few_problems(self)) else ""
        return (
            f"{shown(self.a)} - {shown(self.b)}: {format_interval(self.difference)} {shown(self.metric)} "
            f"{ARROWS[self.goal]}, p {format_p_value(self.adjusted_p_value)}; {self.wins} won, {self.ties} tied, "
            f"{self.losses} lost of {problems_words(self)}{lost}{few}"
        )

    def _repr_html_(self) -> str:
        counts = f"{self.wins}/{self.ties}/{self.losses}"
        row = [self.a, self.b, format_interval(self.difference), str(self.problems), counts]
        return html_table(
            ["a", "b", f"{self.metric} {ARROWS[self.goal]}, a - b", "n", "won/tied/lost", "p"],
            [[*row, format_p_value(self.adjusted_p_value)]],
            note="Mean difference over n common problems, failures and lost cells as the floor; "
            + f"{ANYTIME if self.anytime else 'sign-flip test'}. "
            + too_few_problems(self),
        )


def compare_subjects(
    results: ResultSet, a: str, b: str, *, metrics: Sequence[str] = (), track: str | None = None
) -> tuple[SubjectComparison, ...]:
    """The comparisons of two subjects on these metrics, by default the headline, corrected for their number.

    In a folder of several tracks, those that have both subjects are compared.
    """
    entries = results.tracks if track is None else (results.track(track),)
    comparisons: list[SubjectComparison] = []
    for entry in entries:
        try:
            first, second = (match_subject(name, entry.table.labels["subject"].values) for name in (a, b))
        except UnknownName:
            if len(entries) == 1:
                raise
            continue  # another track may have both
        comparisons += _compared(entry, first, second, metrics)
    if not comparisons:
        raise InvalidInput(f"{results.folder}: no track there holds both {a!r} and {b!r}.")
    return tuple(comparisons)


def _compared(entry: TrackResults, a: str, b: str, metrics: Sequence[str]) -> list[SubjectComparison]:
    name = entry.track.name
    tables = [entry.scores(entry.metric(metric).name) for metric in metrics or (entry.track.headline,)]
    together = [at_any_time(entry, pair) for pair in adjust([compare(table, a, b) for table in tables])]
    return [
        SubjectComparison(**{part.name: getattr(pair, part.name) for part in fields(Comparison)}, track=name)
        for pair in together
    ]


def match_subject(text: str, known: Collection[str]) -> str:
    """A subject by its full name, or without file and parameters where only one subject is called so.

    >>> match_subject("knn", ["knn(k=5)", "vote"]), match_subject("LogLinear", ["mine:LogLinear", "linear"])
    ('knn(k=5)', 'mine:LogLinear')
    """
    if text in known:
        return text
    without_parameters = {name: name.partition("(")[0] for name in known}
    for called in (without_parameters, {name: part.rpartition(":")[2] for name, part in without_parameters.items()}):
        matches = [name for name, short in called.items() if short == text]
        if len(matches) == 1:
            return matches[0]
        if matches:
            break
    raise UnknownName("subject", text, known)
