"""Folders of models judged against each other: the default rules, and those of two competitions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from assay.core import InvalidInput, SubjectFailed, UnknownName, plain
from assay.core.display import counted, object_html
from assay.formula.answer.answer import FormulaAnswer, decode
from assay.formula.answer.model_files import subject_folders
from assay.formula.answer.precomputed import precomputed_answer
from assay.formula.competition.data import DataSet, read_data_sets
from assay.formula.competition.values import FAILED, Values, competition_2022, competition_2023, property_values
from assay.formula.metrics import (
    competition_2022_scores,
    competition_2023_scores,
    dense_rank_values,
    property_judgement,
)

__all__ = ["PRESETS", "Judgement", "Rules", "judge_models"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How a preset judges, each decision by name."""

    values: Callable[[DataSet, FormulaAnswer], Values]
    criteria: tuple[str, ...] = ("accuracy", "simplicity", "property")
    decimals: int | None = 3  # to which values are rounded before they are ranked
    last_place: int = 1  # what the last of as many different values as subjects is worth
    pooled: bool = False  # one harmonic mean over all data sets, or the mean of one for each
    by_part: bool = True  # every noise level is a data set of its own
    needs_truth: bool = True


PRESETS: Mapping[str, Rules] = {
    "property": Rules(values=property_values, by_part=False),
    "competition-2022": Rules(values=competition_2022, last_place=0),
    "competition-2023": Rules(
        values=competition_2023,
        criteria=("accuracy", "simplicity"),
        decimals=None,
        pooled=True,
        needs_truth=False,
    ),
}


class Entry(NamedTuple):
    """One subject on one data set: the values that were ranked, and what their ranks are worth."""

    data_set: str
    subject: str
    values: Mapping[str, float]
    points: Mapping[str, int]
    trouble: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The scores of all subjects, best first, with the values and ranks behind them.

    Attributes
    ----------
    preset : str
        The rules: ``property``, ``competition-2022`` or ``competition-2023``.
    scores : mapping of str to float
        A score per subject, best first.
    entries : tuple of Entry
        Every subject on every data set: values, what their ranks are worth, and what went wrong.
    without : mapping of str to float
        Where a model is missing or cannot be used, its last place moves the ranks of the others: here are the scores of
        the subjects whose models could all be used, judged among themselves. Empty where nothing is wrong.

    Examples
    --------
    >>> from assay.formula.competition.judging import Entry
    >>> entry = Entry(data_set="square", subject="ann", values={"accuracy": 1.0}, points={"accuracy": 1}, trouble="")
    >>> Judgement(preset="competition-2023", scores={"ann": 1.0}, entries=(entry,))
    Judgement(competition-2023: 1 subject, 1 data set; first ann 1.0000)
    """

    preset: str
    scores: Mapping[str, float]
    entries: tuple[Entry, ...]
    without: Mapping[str, float] = field(default_factory=dict)

    @property
    def unusable(self) -> tuple[Entry, ...]:
        """The models that are missing, cannot be read or have no value: last in everything."""
        return tuple(entry for entry in self.entries if any(math.isnan(value) for value in entry.values.values()))

    def __repr__(self) -> str:
        sets = len({entry.data_set for entry in self.entries})
        first = next((f"; first {name} {score:.4f}" for name, score in self.scores.items()), "")
        return f"Judgement({self.preset}: {counted(len(self.scores), 'subject')}, {counted(sets, 'data set')}{first})"

    def _repr_html_(self) -> str:
        failed = Counter(entry.subject for entry in self.entries if entry.trouble)
        rows = [(subject, score, failed[subject]) for subject, score in self.scores.items()]
        return object_html(repr(self), {}, columns=("subject", "score", "failed"), rows=rows, total=len(rows))

    def to_json(self) -> dict[str, Any]:
        """Everything, for a file."""
        body = plain(
            {
                "preset": self.preset,
                "scores": dict(self.scores),
                "entries": [entry._asdict() for entry in self.entries],
                "unusable": [f"{entry.subject} on {entry.data_set}: {entry.trouble}" for entry in self.unusable],
                "without": dict(self.without),
            }
        )
        assert isinstance(body, dict)
        return body

    def summary(self) -> str:
        """The scores, then per data set each criterion's value and what its rank is worth."""
        width = max(map(len, [*self.scores, "subject"]))
        failed = self.unusable
        lines = [f"{'subject':{width}}  {self.preset}{'  without those that failed' if failed else ''}"]
        for subject, score in self.scores.items():
            other = f"{self.without[subject]:.4f}" if subject in self.without else "-" if failed else ""
            lines.append(f"{subject:{width}}  {score:<{len(self.preset)}.4f}  {other}".rstrip())
        if failed:
            moved = "Models that cannot be used rank last in everything, which moves the ranks of the others."
            lines += ["", f"{moved} The second column judges only the subjects that have none."]
            lines += [f"  {entry.subject} on {entry.data_set}: {entry.trouble}" for entry in failed]
        sets = list(dict.fromkeys(entry.data_set for entry in self.entries))
        for name in sets:
            lines += ["", name]
            for entry in self.entries:
                if entry.data_set == name:
                    cells = [
                        f"{criterion} {value:.4g} ({entry.points[criterion]})"
                        for criterion, value in entry.values.items()
                    ]
                    note = f"  [failed: {entry.trouble}]" if entry.trouble else ""
                    lines.append(f"  {entry.subject:{width}}  {', '.join(cells)}{note}")
        return "\n".join(lines)


def judge_models(
    data: str | Path, models: str | Path, *, preset: str = "property", target: str | None = None
) -> Judgement:
    r"""Rank subjects by the formulas that they left in text files.

    A model that is missing or cannot be read ranks last in everything; the summary names it, and ``without`` has the
    scores of the other subjects judged among themselves. Where a subject has several repetitions, its
    values are means over them.

    Parameters
    ----------
    data : str or Path
        Problem folders, or CSV files for ``competition-2023``.
    models : str or Path
        A folder per subject with ``<data set>.txt``, or with such a folder per repetition.
    preset : {"property", "competition-2022", "competition-2023"}, default "property"
        The rules.
    target : str, optional
        The target column of CSV files; by default ``target`` or ``y``, else the last.

    Returns
    -------
    Judgement
        The scores, best first, with the values and ranks behind them.

    Raises
    ------
    UnknownName
        No such preset.
    InvalidInput
        There is nothing to judge, or the rules need problem folders.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     data, models = Path(folder, "data"), Path(folder, "models")
    ...     data.mkdir()
    ...     _ = (data / "square.csv").write_text("x,y\n0,0\n1,1\n2,4\n3,9\n")
    ...     for subject, formula in {"ann": "x**2", "bob": "3*x - 1"}.items():
    ...         (models / subject).mkdir(parents=True)
    ...         _ = (models / subject / "square.txt").write_text(formula)
    ...     judge_models(data, models, preset="competition-2023")
    Judgement(competition-2023: 2 subjects, 1 data set; first ann 2.0000)
    """
    if preset not in PRESETS:
        raise UnknownName("preset", preset, PRESETS)
    rules = PRESETS[preset]
    sets = read_data_sets(Path(data), target=target, by_part=rules.by_part)
    if rules.needs_truth and any(entry.problem is None for entry in sets):
        raise InvalidInput(
            f"{data}: the preset {preset!r} scores properties and needs problem folders; only competition-2023 judges "
            "models on plain tables."
        )
    folders = subject_folders(Path(models))
    subjects = list(folders)
    table = [[_repeated(rules, data_set, folders[subject]) for subject in subjects] for data_set in sets]
    _demand_something(sets, table, Path(models))
    arrays = {
        criterion: np.array([[getattr(cell, criterion) for cell in row] for row in table])
        for criterion in rules.criteria
    }
    whole = [place for place in range(len(subjects)) if all(_is_usable(row[place], rules) for row in table)]
    partly = 0 < len(whole) < len(subjects)
    return Judgement(
        preset=preset,
        scores=_ranked(rules, subjects, arrays),
        entries=tuple(_entries(rules, sets, subjects, table, arrays)),
        without=_ranked(
            rules,
            [subjects[place] for place in whole],
            {criterion: values[:, whole] for criterion, values in arrays.items()},
        )
        if partly
        else {},
    )


def _is_usable(cell: Values, rules: Rules) -> bool:
    return all(math.isfinite(getattr(cell, criterion)) for criterion in rules.criteria)


def _ranked(rules: Rules, subjects: Sequence[str], arrays: Mapping[str, np.ndarray]) -> dict[str, float]:
    """A score per subject, best first."""
    scores = zip(subjects, _scores(rules, arrays), strict=True)
    return dict(sorted(scores, key=lambda item: (-item[1], item[0])))


def _scores(rules: Rules, arrays: Mapping[str, np.ndarray]) -> list[float]:
    if rules.pooled:
        return competition_2023_scores(arrays["accuracy"], -arrays["simplicity"])
    judged = property_judgement if rules.last_place else competition_2022_scores
    return judged(arrays["accuracy"], arrays["simplicity"], arrays["property"])


def _repeated(rules: Rules, data_set: DataSet, folders: Sequence[Path]) -> Values:
    """Means over repetitions; one that failed makes the mean as bad as it is itself."""
    repetitions = [_single(rules, data_set, folder) for folder in folders]
    troubles = [value.trouble for value in repetitions if value.trouble]
    several = f"{len(troubles)} of {len(repetitions)} repetitions: " if len(repetitions) > 1 and troubles else ""
    return Values(
        accuracy=sum(value.accuracy for value in repetitions) / len(repetitions),
        simplicity=sum(value.simplicity for value in repetitions) / len(repetitions),
        property=sum(value.property for value in repetitions) / len(repetitions),
        trouble=several + troubles[0] if troubles else "",
    )


def _single(rules: Rules, data_set: DataSet, folder: Path) -> Values:
    try:
        answer = decode(precomputed_answer(folder, data_set.models))
    except SubjectFailed as failure:
        return FAILED._replace(trouble=f"{failure.kind}: {failure}")
    except InvalidInput as error:
        return FAILED._replace(trouble=f"malformed answer: {error}")
    return rules.values(data_set, answer)


def _demand_something(sets: Sequence[DataSet], table: Sequence[Sequence[Values]], models: Path) -> None:
    if all(cell.trouble.startswith("missing answer") for row in table for cell in row):
        names = ", ".join(entry.models for entry in sets[:5])
        raise InvalidInput(f"{models}: no subject has a model for any of the {len(sets)} data sets ({names}).")


def _entries(
    rules: Rules,
    sets: Sequence[DataSet],
    subjects: Sequence[str],
    table: Sequence[Sequence[Values]],
    arrays: Mapping[str, np.ndarray],
) -> list[Entry]:
    entries = []
    for row, data_set in enumerate(sets):
        points = {}
        for criterion in rules.criteria:
            values = arrays[criterion][row]
            ranked = values if rules.decimals is None else np.round(values, rules.decimals)
            points[criterion] = dense_rank_values(ranked, last=rules.last_place)
        for place, subject in enumerate(subjects):
            cell = table[row][place]
            entries.append(
                Entry(
                    data_set=data_set.name,
                    subject=subject,
                    values={criterion: _shown(getattr(cell, criterion)) for criterion in rules.criteria},
                    points={criterion: points[criterion][place] for criterion in rules.criteria},
                    trouble=cell.trouble,
                )
            )
    return entries


def _shown(value: float) -> float:
    return value if math.isfinite(value) else math.nan
