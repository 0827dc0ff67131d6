"""A table of one's own with a label: its features, its classes, and how it is split into cases and queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.cases.neighbors.checks import LabelArray, as_labels
from assay.core import InvalidInput
from assay.core.checks import demand_fraction, demand_whole
from assay.core.display import counted
from assay.intake.models import demand_classes
from assay.intake.new_problem import demand_columns
from assay.intake.table.reading import TableReading

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Labelled", "read_classes", "read_labelled", "split_rows"]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A table with its features and labels; rows of several tables have different numbers."""

    reading: TableReading
    frame: pd.DataFrame
    features: list[str]
    labels: LabelArray
    notes: tuple[str, ...]

    @property
    def source(self) -> str:
        """How messages call the table."""
        return self.reading.source


def read_labelled(
    reading: TableReading,
    label: str,
    *,
    keep: Sequence[str] = (),
    aside: Sequence[str] = (),
    like: Labelled | None = None,
) -> Labelled:
    """Features and label, with the columns to set aside; as in another table, where one is given."""
    demand_columns(reading, [label], kind="label column")
    if like is None:
        demand_columns(reading, keep)
        beside = [name for name in dict.fromkeys(aside) if name in reading.frame.columns]
        selection = reading.features(label=label, keep=keep, ignore=beside)
        names, notes, first = list(selection.frame.columns), selection.notes, 0
    else:
        names, notes, first = like.features, (), len(like.frame)
        demand_columns(reading, names)
        beside = [name for name in reading.frame.columns if name not in (*names, label)]
    if not names:
        reasons = " ".join(notes)
        raise InvalidInput(f"{reading.source}: there is no feature column besides {label!r}. {reasons}".rstrip())
    labels = read_classes(reading, label, trained=like is None)
    frame = reading.frame[[*names, *beside]].assign(**{label: labels})
    return Labelled(reading, frame.set_axis(range(first, first + len(frame))), names, labels, notes)


def read_classes(reading: TableReading, name: str, *, trained: bool = False) -> LabelArray:
    """A column of classes, of at least two where something is to be learnt from it."""
    column = reading.classes(name)
    missing = column.isna().to_numpy()
    if missing.any():
        raise InvalidInput(
            f"{reading.source}: column {name!r} is empty in {counted(int(missing.sum()), 'row')}, the first is row "
            f"{int(missing.argmax()) + 1}. Fill or remove them."
        )
    if trained:
        demand_classes(column, what=f"{reading.source}: label column {name!r}")
    return as_labels(column, what=f"{reading.source}, column {name!r}")


def split_rows(
    own: Labelled, folds: int | None, holdout: float, seed: int
) -> dict[str, tuple[pd.DataFrame, pd.DataFrame]]:
    """Training rows and queries, by what is added to the problem's id; each class is spread evenly."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(own.labels))
    members = [order[own.labels[order] == name] for name in np.unique(own.labels)]
    if folds is not None:
        demand_whole(folds, "folds", least=2)
        rarest = min(members, key=len)
        if len(rarest) < folds:
            name = own.labels[rarest[0]].item()
            raise InvalidInput(
                f"{own.source}: class {name!r} has {counted(len(rarest), 'row')}, too few for {folds} folds."
            )
        parts = {f"fold-{fold + 1}": np.concatenate([rows[fold::folds] for rows in members]) for fold in range(folds)}
    else:
        demand_fraction(holdout, "holdout")
        parts = {"": np.concatenate([rows[: round(holdout * len(rows))] for rows in members])}
        if not 0 < len(parts[""]) < len(order):
            purpose = "train on; give"
            if not len(parts[""]):
                most = counted(max(map(len, members)), "row")
                purpose = f"predict: each of {len(members)} labels has {most} at most. Name a column of classes, give"
            raise InvalidInput(
                f"{own.source}: of {counted(len(order), 'row')} none is left to {purpose} more rows, or query "
                f"rows, or change holdout, which is {holdout:g}."
            )
    chosen = {name: np.isin(np.arange(len(order)), rows) for name, rows in parts.items()}
    return {name: (own.frame[~is_query], own.frame[is_query]) for name, is_query in chosen.items()}
