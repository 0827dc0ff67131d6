"""The formula track: formulas found from data, read safely, compared with the truth, judged by five properties."""

from assay.core import Track
from assay.formula import metrics
from assay.formula.answer.answer import FormulaAnswer, Model, decode, encode
from assay.formula.answer.precomputed import precomputed_answer
from assay.formula.answer.srbench import import_results
from assay.formula.answer.template import TEMPLATE
from assay.formula.competition.judging import Judgement, judge_models
from assay.formula.equivalence.certificate import (
    VERDICTS,
    Certificate,
    Counterexample,
    Equivalence,
    MovedConstant,
    Verdict,
)
from assay.formula.equivalence.check import equivalent
from assay.formula.equivalence.closeness import edit_distance, tree_closeness
from assay.formula.equivalence.dependence import used_variables
from assay.formula.equivalence.sampling import parse_domain
from assay.formula.equivalence.symbolic import Simplified, simplify, sympy_nodes
from assay.formula.examine.details import describe
from assay.formula.examine.evidence import FormulaEvidence
from assay.formula.examine.examination import SETTINGS, examine, oracle
from assay.formula.expression.canonical import canonical
from assay.formula.expression.expression import Apply, Expression, Number, Symbol, symbols_of
from assay.formula.expression.parser import parse
from assay.formula.expression.printing import to_text
from assay.formula.expression.program import compute
from assay.formula.generate.problems import builtin, generate
from assay.formula.metrics.accuracy import *
from assay.formula.metrics.aggregates import AGGREGATES
from assay.formula.metrics.extrapolation import *
from assay.formula.metrics.features import *
from assay.formula.metrics.headline import *
from assay.formula.metrics.judging import *
from assay.formula.metrics.noise import *
from assay.formula.metrics.outcome import *
from assay.formula.metrics.rediscovery import *
from assay.formula.problem.task import FormulaTask, FormulaTruth, Part, load, write_problem
from assay.formula.problem.user_table import write_table_problem
from assay.formula.subjects.builtin import SUBJECTS
from assay.formula.subjects.estimators import estimator_subject, srbench_subject

__all__ = [
    "TRACK",
    "VERDICTS",
    "Apply",
    "Certificate",
    "Counterexample",
    "Equivalence",
    "Expression",
    "FormulaAnswer",
    "FormulaEvidence",
    "FormulaTask",
    "FormulaTruth",
    "Judgement",
    "Model",
    "MovedConstant",
    "Number",
    "Part",
    "Simplified",
    "Symbol",
    "Verdict",
    "builtin",
    "canonical",
    "compute",
    "decode",
    "edit_distance",
    "encode",
    "equivalent",
    "estimator_subject",
    "examine",
    "generate",
    "import_results",
    "judge_models",
    "load",
    "oracle",
    "parse",
    "parse_domain",
    "simplify",
    "srbench_subject",
    "symbols_of",
    "sympy_nodes",
    "to_text",
    "tree_closeness",
    "used_variables",
    "write_problem",
    "write_table_problem",
]
__all__ += metrics.__all__

TRACK: Track[FormulaTask, FormulaTruth, FormulaAnswer, FormulaEvidence] = Track(
    name="formula",
    question="Which formula is behind the data, and how far can the one that was found be trusted?",
    load=load,
    builtin=builtin,
    encode=encode,
    decode=decode,
    examine=examine,
    metrics=metrics.METRICS,
    families=metrics.FAMILIES,
    headline="property_score",
    oracle=oracle,
    subjects=SUBJECTS,
    aggregates=AGGREGATES,
    details=describe,
    settings=SETTINGS,
    ready_answer=precomputed_answer,
    template=TEMPLATE,
    preload=("pandas", "sklearn.linear_model", "scipy.optimize"),
    commands="assay.cli.formula:app",
    panels="assay.formula.panels:panels",
    adapt="assay.formula.subjects.reading:adapt_estimator",
)
