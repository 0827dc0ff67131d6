"""The training cases as they are compared and shown: values, labels, names, and the space of distances."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.cases.neighbors.checks import (
    FloatArray,
    Label,
    LabelArray,
    as_labels,
    as_matrix,
    column_names,
    demand_same_kind,
    listed,
)
from assay.cases.neighbors.columns import Encoding, Table, fit_encoding, read_table
from assay.cases.neighbors.metadata import Metadata, read_metadata
from assay.cases.neighbors.naming import (
    Names,
    Weights,
    as_class_names,
    as_columns,
    as_feature_names,
    as_feature_weights,
    as_private,
    as_units,
)
from assay.cases.neighbors.scaling import Scale, Scaling, scale_name
from assay.cases.neighbors.space import MetricName, Space, demand_metric, fit_space
from assay.core import InvalidInput
from assay.core.display import counted

__all__ = ["CaseBase", "Names", "Rows", "build_case_base"]

RawArray: TypeAlias = npt.NDArray[Any]


class Rows(NamedTuple):
    """Queries as they are shown, and as numbers to be compared (categories as codes)."""

    raw: RawArray
    numbers: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CaseBase:
    """Validated training cases; ``X`` holds the raw values, distances live in ``space``.

    ``X`` is float64, with nan where a value is missing; with categorical columns it is an array of objects: floats,
    texts or booleans, and None where a value is missing. What is ``private`` is compared but never shown.
    """

    X: RawArray
    y: LabelArray
    classes: LabelArray  # sorted
    feature_names: tuple[str, ...]
    class_names: Mapping[Label, str]
    space: Space = field(repr=False)
    encoding: Encoding = field(default_factory=Encoding, repr=False)
    feature_weights: FloatArray | None = None
    metadata: Metadata = field(default_factory=dict, repr=False)
    private: frozenset[str] = frozenset()
    units: Mapping[str, str] = field(default_factory=dict)  # by feature, where it has one

    def __repr__(self) -> str:
        # not the values: private ones are among them
        features, classes = counted(len(self.feature_names), "feature"), counted(len(self.classes), "class")
        return f"CaseBase({counted(len(self.y), 'case')}, {features}, {classes})"

    @property
    def scaling(self) -> Scaling:
        """Per feature, the units that distances are made of, feature weights included."""
        return self.space.scaling

    @property
    def categorical(self) -> tuple[str, ...]:
        """The names of the features that are categories."""
        return tuple(self.feature_names[column] for column in sorted(self.encoding.categories))

    def numbers(self, rows: RawArray) -> FloatArray:
        """Raw rows as numbers to be compared: categories become codes."""
        return self.read(rows, what="rows").numbers if self.encoding.categories else rows

    def name_of(self, label: Label) -> str:
        """A class as people call it."""
        return self.class_names.get(label, str(label))

    def titled(self, label: Label) -> str:
        """A class as it is shown: its name, and beside it the number that stands for it in the data."""
        name = self.name_of(label)
        return name if isinstance(label, str) or name == str(label) else f"{name} ({label})"

    def metadata_of(self, index: int) -> dict[str, Any]:
        """What is known of one case beside its features, as plain JSON values; private entries included."""
        return {name: column[index] for name, column in self.metadata.items()}

    def read(self, X: Any, *, what: str) -> Rows:
        """Queries with the features of the cases, matched by position."""
        table = self.read_table(X, what=what)
        return Rows(self.encoding.raw(table), self.encoding.encode(table, names=self.feature_names, what=what))

    def read_table(self, X: Any, *, what: str) -> Table:
        """Rows with the features of the cases, their categories not yet looked up."""
        names = column_names(X)
        if names is not None:
            self.demand_order(names, what=what)
        table = self._table(X, what=what)
        width = table.numbers.shape[1] if table.numbers.ndim == 2 else 0
        if width != len(self.feature_names):
            raise InvalidInput(
                f"{what}: has {width} features, the training cases have {len(self.feature_names)} "
                f"({listed(self.feature_names, most=5)})."
            )
        return table

    def _table(self, X: Any, *, what: str) -> Table:
        if self.space.metric == "gower":
            return read_table(X, what=what)
        return Table(as_matrix(X, what=what, missing=self.space.distance.missing), {})

    def read_one(self, x: Any, *, what: str) -> Rows:
        """One query, given flat, by the names of the features, or as a table of one row."""
        if isinstance(x, Mapping):
            if {*map(str, x)} != {*self.feature_names}:
                raise InvalidInput(
                    f"{what}: needs a value for each of the features {listed(self.feature_names)}, got {listed(x)}."
                )
            by_name = {str(name): value for name, value in x.items()}
            x = [by_name[name] for name in self.feature_names]
        if not hasattr(x, "columns"):
            if hasattr(x, "to_numpy") and hasattr(x, "index"):
                self.demand_order(tuple(str(name) for name in x.index), what=what)
                x = x.to_numpy()
            if isinstance(x, np.ndarray):
                x = x[None] if x.ndim == 1 else x
            elif isinstance(x, list | tuple) and not any(isinstance(entry, list | tuple | np.ndarray) for entry in x):
                x = [list(x)]
        rows = self.read(x, what=what)
        if len(rows.raw) != 1:
            raise InvalidInput(f"{what}: must be one row, got {len(rows.raw)}. Use explain_batch for many.")
        return rows

    def demand_order(self, names: tuple[str, ...], *, what: str) -> None:
        """Features are matched by position, so the same names in another order can only be a mistake."""
        if names != self.feature_names and sorted(names) == sorted(self.feature_names):
            raise InvalidInput(
                f"{what}: its columns are those of the training cases in another order ({listed(names, most=5)}, "
                f"trained as {listed(self.feature_names, most=5)}). Reorder them as in training."
            )

    def labels(self, values: object, *, count: int, what: str, allow_unseen: bool) -> LabelArray:
        """One label per row, of the type of the training labels and, unless allowed, seen among them."""
        labels = as_labels(values, what=what)
        if len(labels) != count:
            raise InvalidInput(f"{what}: {len(labels)} were given for {count} row(s); give exactly one per row.")
        demand_same_kind(labels, self.y, what=f"{what} and training labels")
        unseen = ~np.isin(labels, self.classes)
        if unseen.any() and not allow_unseen:
            raise InvalidInput(
                f"{what}: class {labels[unseen][0].item()!r} was never seen in training. Known classes: "
                f"{listed(self.classes.tolist())}. With allow_unseen=True its correspondence is 0."
            )
        return labels


def build_case_base(
    X_train: object,
    y_train: object,
    *,
    feature_names: Names | None = None,
    class_names: Names | Mapping[Any, str] | None = None,
    scale: Scale = True,
    metric: MetricName = "euclidean",
    metric_params: Mapping[str, Any] | None = None,
    feature_weights: Weights | None = None,
    categorical: Collection[str | int] = (),
    metadata: object = None,
    private: Collection[str] = (),
    units: Mapping[str, str] | None = None,
) -> CaseBase:
    """Check the training cases and fit the space in which they are compared.

    The metric "auto" is "gower" when a column holds categories or is named as one, else "euclidean"; a missing number
    is then an error, because only the user knows whether it is a gap to be compared around or a mistake.
    """
    name, way = demand_metric(metric), scale_name(scale)
    if metric_params is not None and not isinstance(metric_params, Mapping):
        raise InvalidInput(f"metric_params: must map names to values, got {metric_params!r}.")
    columns = column_names(X_train)
    chosen = as_columns(categorical, feature_names, columns)
    if chosen and name not in ("auto", "gower"):
        raise InvalidInput(f"categorical: metric {name!r} compares numbers only; use metric='gower' or 'auto'.")
    if name in ("auto", "gower"):
        table = read_table(X_train, what="X_train", categorical=chosen)
        if name == "auto":
            metric = "gower" if table.categories else "euclidean"
            if metric == "euclidean" and _lacks(table.numbers):
                row, column = np.argwhere(np.isnan(table.numbers))[0]
                raise InvalidInput(
                    f"X_train: row {row}, column {column} is missing (nan). Fill or remove it, or compare around gaps: "
                    f"metric='nan_euclidean' or metric='gower'."
                )
    else:
        table = Table(as_matrix(X_train, what="X_train", missing=name == "nan_euclidean"), {})
    y = as_labels(y_train, what="y_train").copy()
    if not len(table.numbers):
        raise InvalidInput("X_train: the training set is empty; give at least one case.")
    if len(table.numbers) != len(y):
        raise InvalidInput(
            f"X_train has {len(table.numbers)} rows but y_train has {len(y)} labels; give one label per row."
        )
    classes = np.unique(y)
    names = as_feature_names(feature_names, columns, table.numbers.shape[1])
    encoding = fit_encoding(table)
    weights = as_feature_weights(feature_weights, names)
    space = fit_space(
        encoding.encode(table, names=names, what="X_train"),
        metric=metric,
        metric_params=metric_params,
        scale=way,
        feature_weights=weights,
        categorical=frozenset(encoding.categories),
    )
    case_metadata = read_metadata(metadata, cases=len(y))
    return CaseBase(
        X=encoding.raw(table),
        y=y,
        classes=classes,
        feature_names=names,
        class_names=as_class_names(class_names, classes),
        space=space,
        encoding=encoding,
        feature_weights=weights,
        metadata=case_metadata,
        private=as_private(private, names, case_metadata),
        units=as_units(units, names),
    )


def _lacks(numbers: FloatArray) -> bool:
    # the smallest is nan when any is, and no second array is made
    return bool(np.isnan(numbers.min())) if numbers.size else False
