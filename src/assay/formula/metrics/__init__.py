"""Pure functions: accuracy, features, noise, re-discovery, outcomes, and ranks into one score."""

from types import FunctionType

from assay.formula.metrics.accuracy import SOLVED, extrapolation_score, nmse, r_squared, solution_share
from assay.formula.metrics.features import irrelevant_avoided, relevant_share, surrogates_avoided
from assay.formula.metrics.judging import (
    Table,
    competition_2022_accuracy,
    competition_2022_scores,
    competition_2022_simplicity,
    competition_2023_scores,
    dense_rank_values,
    pareto_front,
    property_judgement,
)
from assay.formula.metrics.noise import GOOD_ENOUGH, noise_robustness, noise_sensitivity
from assay.formula.metrics.outcome import (
    accurate,
    behavioural_distance,
    bounded_nmse,
    bounded_r2,
    prediction_mismatch,
    property_score,
    solved,
    solved_in_front,
    undecided,
)
from assay.formula.metrics.rediscovery import complexity, depth, mean_property_score, rediscovery_score

__all__ = [
    "GOOD_ENOUGH",
    "SOLVED",
    "Table",
    "accurate",
    "behavioural_distance",
    "bounded_nmse",
    "bounded_r2",
    "competition_2022_accuracy",
    "competition_2022_scores",
    "competition_2022_simplicity",
    "competition_2023_scores",
    "complexity",
    "dense_rank_values",
    "depth",
    "extrapolation_score",
    "irrelevant_avoided",
    "mean_property_score",
    "nmse",
    "noise_robustness",
    "noise_sensitivity",
    "pareto_front",
    "prediction_mismatch",
    "property_judgement",
    "property_score",
    "r_squared",
    "rediscovery_score",
    "relevant_share",
    "solution_share",
    "solved",
    "solved_in_front",
    "surrogates_avoided",
    "undecided",
]

# a function is called by the name under which it is documented and imported, wherever its file lies
for _name in __all__:
    if isinstance(_found := globals()[_name], FunctionType):
        _found.__module__ = __name__
