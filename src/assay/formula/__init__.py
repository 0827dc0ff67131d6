"""The formula track: formulas found from data, read safely and compared with the truth."""

from assay.formula.canonical import canonical
from assay.formula.certificate import VERDICTS, Certificate, Counterexample, Equivalence, MovedConstant, Verdict
from assay.formula.closeness import edit_distance, tree_closeness
from assay.formula.dependence import used_variables
from assay.formula.equivalence import equivalent
from assay.formula.evaluation import evaluate
from assay.formula.expression import Apply, Expression, Number, Symbol, symbols_of
from assay.formula.metrics import (
    competition_2022_accuracy,
    competition_2022_scores,
    competition_2022_simplicity,
    competition_2023_scores,
    complexity,
    dense_rank_values,
    depth,
    extrapolation_score,
    irrelevant_avoided,
    mean_property_score,
    nmse,
    noise_robustness,
    noise_sensitivity,
    pareto_front,
    property_judgement,
    r_squared,
    rediscovery_score,
    relevant_share,
    solution_share,
    surrogates_avoided,
)
from assay.formula.parser import parse
from assay.formula.printing import to_text
from assay.formula.sampling import parse_domain
from assay.formula.symbolic import Simplified, simplify, sympy_nodes

__all__ = [
    "VERDICTS",
    "Apply",
    "Certificate",
    "Counterexample",
    "Equivalence",
    "Expression",
    "MovedConstant",
    "Number",
    "Simplified",
    "Symbol",
    "Verdict",
    "canonical",
    "competition_2022_accuracy",
    "competition_2022_scores",
    "competition_2022_simplicity",
    "competition_2023_scores",
    "complexity",
    "dense_rank_values",
    "depth",
    "edit_distance",
    "equivalent",
    "evaluate",
    "extrapolation_score",
    "irrelevant_avoided",
    "mean_property_score",
    "nmse",
    "noise_robustness",
    "noise_sensitivity",
    "pareto_front",
    "parse",
    "parse_domain",
    "property_judgement",
    "r_squared",
    "rediscovery_score",
    "relevant_share",
    "simplify",
    "solution_share",
    "surrogates_avoided",
    "symbols_of",
    "sympy_nodes",
    "to_text",
    "tree_closeness",
    "used_variables",
]
