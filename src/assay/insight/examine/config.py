"""The constants of the insight metrics under the document's names, as settings, and the two presets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from typing import Any, Final

from assay.core import InvalidInput, Setting, Settings, UnknownName
from assay.insight.fits.forest.settings import ForestSettings

__all__ = ["COVERAGE_METRICS", "INSIGHT_EVAL", "LITERAL", "PRESETS", "SETTINGS", "SPEC", "InsightConfig"]

SPEC: Final = "spec"
LITERAL: Final = "literal"  # as spec, but chance counts in coverage and no columns cover nothing
INSIGHT_EVAL: Final = "insight-eval"

_DEFAULT_WEIGHTS: Final = {
    "correlation_coverage": 0.0,
    "incremental_performance_coverage": 0.3,
    "predictive_coverage": 0.0,
    "single_column_predictive_coverage": 0.7,
}
COVERAGE_METRICS: Final = tuple(_DEFAULT_WEIGHTS)
_WEIGHTS: Final = "COVERAGE_METRIC_WEIGHTS"

PRESETS: Final[Mapping[str, Settings]] = {
    INSIGHT_EVAL: {"MAX_DEPTH": 0, "COVERAGE_CORRELATION_THRESHOLD": 0.0, "chance": "counted"},
    LITERAL: {"chance": "counted"},
}

_READINGS: Final = {"rho_order": ("before", "difference"), "r2_scale": ("auc", "raw")}
_CHOICES: Final = {
    **_READINGS,
    "chance": ("subtracted", "counted"),
    "sandbox": ("strong", "weak"),
    "check_leakage": ("auto", "always", "never"),
}
_TYPES: Final[Mapping[type, tuple[type, str]]] = {
    bool: (bool, "True or False"),
    int: (Integral, "a whole number"),
    float: (Real, "a number"),
    str: (str, "a text"),
}
_AT_LEAST: Final = {
    "N_RF_ESTIMATORS": 1,
    "RANDOM_STATE": 0,
    "MAX_DEPTH": 0,
    "MAX_FEATURES": 1,
    "N_SAMPLES": 2,
    "MAX_UNIQUE_VALUES_FOR_CATEGORICAL": 2,
    "COVERAGE_CORRELATION_THRESHOLD": 0.0,
    "ELIGIBILITY_THRESHOLD": 0.0,
    "INCLUSIVE_PERFORMANCE_WEIGHT": 0.0,
    "COVERAGE_WEIGHT": 0.0,
    "TARGET_LEAK_PENALTY": 0.0,
    "function_seconds": 0.01,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class InsightConfig:
    """Weights, thresholds and model constants of one evaluation; the names in capitals are the published document's.

    Parameters
    ----------
    preset : {"spec", "literal", "insight-eval"}, default "spec"
        Our rules, the same with chance counted in coverage, or those of the published implementation.
    trust_columns : bool, default False
        Score the columns that a solution ships instead of running its functions.
    fast : bool, default False
        Score at most ``N_SAMPLES`` rows of each part.
    check_leakage : {"auto", "always", "never"}, default "auto"
        Whether functions are checked; ``auto`` does so where values are computed.
    sandbox : {"strong", "weak"}, default "strong"
        How functions are confined.
    function_seconds : float, default 60.0
        What a function may take for all its runs together.
    N_RF_ESTIMATORS : int, default 100
        Trees of every forest.
    RANDOM_STATE : int, default 42
        Seed of every forest.
    MAX_DEPTH : int, default 10
        Depth of the trees; 0 for no limit.
    MAX_FEATURES : int, default 20
        Insight columns that are scored.
    N_SAMPLES : int, default 5000
        Rows of each part with ``fast``.
    MAX_UNIQUE_VALUES_FOR_CATEGORICAL : int, default 10
        Columns that a text column becomes at most.
    COVERAGE_CORRELATION_THRESHOLD : float, default 0.15
        Correlations below it count as 0.
    ELIGIBILITY_THRESHOLD : float, default 0.0
        Ground-truth columns of at most this weight do not count.
    COVERAGE_METRIC_WEIGHTS : mapping of str to float
        The weight of each coverage metric; they add up to 1.
    INCLUSIVE_PERFORMANCE_WEIGHT : float, default 0.5
        The weight of performance in the combined score.
    COVERAGE_WEIGHT : float, default 0.5
        The weight of coverage in the combined score.
    TARGET_LEAK_PENALTY : float, default 1.0
        What a leak costs.
    rho_order : {"before", "difference"}, default "before"
        Whether ρ is taken before the difference of two performances or of it.
    r2_scale : {"auc", "raw"}, default "auc"
        Whether ρ reads R² on the scale of an AUC or as it is.
    chance : {"subtracted", "counted"}, default "subtracted"
        Whether coverage leaves out what columns without information reach by chance.

    Raises
    ------
    InvalidInput
        A value is out of range.
    UnknownName
        No such preset, choice or coverage metric.

    Examples
    --------
    >>> InsightConfig.read({"N_RF_ESTIMATORS": 20, "COVERAGE_METRIC_WEIGHTS.predictive_coverage": 0.0})
    InsightConfig(N_RF_ESTIMATORS=20)
    """

    preset: str = SPEC
    trust_columns: bool = False  # score the columns that a solution ships instead of running its functions
    fast: bool = False  # on at most N_SAMPLES rows of each part
    check_leakage: str = "auto"  # verdicts on functions: where values are computed; or "always", or "never"
    sandbox: str = "strong"  # or "weak", where the machine cannot keep the strong one
    function_seconds: float = 60.0  # that a function may take for all its runs together
    N_RF_ESTIMATORS: int = 100
    RANDOM_STATE: int = 42
    MAX_DEPTH: int = 10  # 0 = no limit
    MAX_FEATURES: int = 20
    N_SAMPLES: int = 5000
    MAX_UNIQUE_VALUES_FOR_CATEGORICAL: int = 10
    COVERAGE_CORRELATION_THRESHOLD: float = 0.15
    ELIGIBILITY_THRESHOLD: float = 0.0
    COVERAGE_METRIC_WEIGHTS: Mapping[str, float] = field(default_factory=_DEFAULT_WEIGHTS.copy)
    INCLUSIVE_PERFORMANCE_WEIGHT: float = 0.5
    COVERAGE_WEIGHT: float = 0.5
    TARGET_LEAK_PENALTY: float = 1.0
    rho_order: str = "before"  # or "difference": the literal reading, rho of the difference
    r2_scale: str = "auc"  # or "raw": the literal reading, rho of plain R2
    chance: str = "subtracted"  # or "counted": the literal reading, in which any column covers more than none

    def __post_init__(self) -> None:
        for entry in fields(self):
            if entry.name != _WEIGHTS:
                _demand_type(entry.name, getattr(self, entry.name), type(entry.default))
        for name, weight in self.COVERAGE_METRIC_WEIGHTS.items():
            _demand_type(f"{_WEIGHTS}.{name}", weight, float)
        if self.preset not in (SPEC, *PRESETS):
            raise UnknownName("preset", self.preset, (SPEC, *PRESETS))
        for name, least in _AT_LEAST.items():
            value = getattr(self, name)
            if not value >= least:
                raise InvalidInput(f"setting {name!r} must be at least {least}, got {value!r}.")
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise UnknownName(f"value of setting {name!r}", getattr(self, name), choices)
        if self.preset == INSIGHT_EVAL:
            for name, choices in _READINGS.items():
                if getattr(self, name) != choices[0]:
                    raise InvalidInput(f"setting {name!r}: preset {INSIGHT_EVAL!r} knows no other reading.")
        weights = self.COVERAGE_METRIC_WEIGHTS
        for name in weights:
            if name not in COVERAGE_METRICS:
                raise UnknownName(f"coverage metric in {_WEIGHTS}", name, COVERAGE_METRICS)
        if any(not weight >= 0 for weight in weights.values()) or abs(sum(weights.values()) - 1) > 1e-9:
            listed = ", ".join(f"{name} {weight}" for name, weight in weights.items())
            raise InvalidInput(f"{_WEIGHTS}: must not be negative and must add up to 1, got {listed}.")

    def __repr__(self) -> str:
        usual = {entry.name: entry.default for entry in fields(self)}
        usual[_WEIGHTS] = _DEFAULT_WEIGHTS
        changed = {name: getattr(self, name) for name, value in usual.items() if getattr(self, name) != value}
        return f"InsightConfig({', '.join(f'{name}={value!r}' for name, value in changed.items())})"

    @classmethod
    def read(cls, settings: Settings) -> InsightConfig:
        """The config that a track's settings describe; names that are missing keep their defaults."""
        plain: dict[str, Setting | dict[str, float]] = {}
        weights: dict[str, Any] = _DEFAULT_WEIGHTS.copy()
        for name, value in settings.items():
            head, dot, metric = name.partition(".")
            if dot and head == _WEIGHTS:
                weights[metric] = value
            elif name not in SETTINGS:
                raise UnknownName("setting", name, SETTINGS)
            else:
                plain[name] = value
        return cls(**plain, COVERAGE_METRIC_WEIGHTS=weights)  # type: ignore[arg-type]

    @property
    def takes_verdicts(self) -> bool:
        """Whether functions are checked for leaks; trusting shipped values means that no code needs to run."""
        return self.check_leakage == "always" or (self.check_leakage == "auto" and not self.trust_columns)

    @property
    def forest(self) -> ForestSettings:
        """The forest of every fit."""
        return ForestSettings(
            trees=self.N_RF_ESTIMATORS,
            seed=self.RANDOM_STATE,
            max_depth=self.MAX_DEPTH or None,
        )


def _demand_type(name: str, value: object, default: type) -> None:
    accepted, words = _TYPES[default]
    if not isinstance(value, accepted) or (isinstance(value, bool) and default is not bool):
        raise InvalidInput(f"setting {name!r} must be {words}, got {value!r}.")


def _defaults() -> Iterator[tuple[str, Setting]]:
    config = InsightConfig()
    for entry in fields(config):
        value = getattr(config, entry.name)
        if entry.name == _WEIGHTS:
            yield from ((f"{_WEIGHTS}.{metric}", weight) for metric, weight in value.items())
        else:
            yield entry.name, value


SETTINGS: Final[Settings] = dict(_defaults())
