"""The formula track: formulas found from data, read safely, compared with the truth, judged by five properties.

Here is what a researcher types; every metric function is in :mod:`assay.formula.metrics`.
"""

from typing import TYPE_CHECKING

from assay.core import Track as _Track
from assay.core.deprecation import moved_names as _moved_names
from assay.formula import metrics as metrics
from assay.formula.answer.answer import FormulaAnswer, Model
from assay.formula.answer.answer import decode as _decode
from assay.formula.answer.contract import CONTRACT as _CONTRACT
from assay.formula.answer.precomputed import precomputed_answer as _precomputed_answer
from assay.formula.answer.returned import encode_returned as _encode
from assay.formula.answer.srbench import import_results
from assay.formula.answer.template import TEMPLATE as _TEMPLATE
from assay.formula.competition.judging import Judgement, judge_models
from assay.formula.equivalence.certificate import Equivalence
from assay.formula.equivalence.check import equivalent
from assay.formula.equivalence.dependence import used_variables
from assay.formula.equivalence.symbolic import simplify
from assay.formula.examine.details import describe as _describe
from assay.formula.examine.evidence import FormulaEvidence
from assay.formula.examine.examination import SETTINGS as _SETTINGS
from assay.formula.examine.examination import examine as _examine
from assay.formula.examine.examination import lacks as _lacks
from assay.formula.examine.examination import oracle as _oracle
from assay.formula.expression.expression import Expression, to_text
from assay.formula.expression.parser import parse
from assay.formula.expression.program import compute
from assay.formula.generate.problems import builtin as _builtin
from assay.formula.generate.problems import generate
from assay.formula.metrics import complexity, nmse, noise_sensitivity, r_squared, rediscovery_score
from assay.formula.metrics.aggregates import AGGREGATES as _AGGREGATES
from assay.formula.problem.task import FormulaTask, FormulaTruth, load
from assay.formula.problem.user_problem import new_problem
from assay.formula.subjects.builtin import SUBJECTS as _SUBJECTS
from assay.formula.subjects.discover import discover
from assay.formula.subjects.estimators import estimator_subject
from assay.formula.subjects.srbench_file import srbench_subject

__all__ = [
    "TRACK",
    "Equivalence",
    "Expression",
    "FormulaAnswer",
    "FormulaEvidence",
    "FormulaTask",
    "FormulaTruth",
    "Judgement",
    "Model",
    "complexity",
    "compute",
    "discover",
    "equivalent",
    "estimator_subject",
    "generate",
    "import_results",
    "judge_models",
    "load",
    "new_problem",
    "nmse",
    "noise_sensitivity",
    "parse",
    "r_squared",
    "rediscovery_score",
    "simplify",
    "srbench_subject",
    "to_text",
    "used_variables",
]

TRACK: _Track[FormulaTask, FormulaTruth, FormulaAnswer, FormulaEvidence] = _Track(
    name="formula",
    question="Which formula is behind the data, and how far can the one that was found be trusted?",
    load=load,
    builtin=_builtin,
    encode=_encode,
    decode=_decode,
    examine=_examine,
    metrics=metrics.METRICS,
    families=metrics.FAMILIES,
    headline="property_score",
    clusters=("dataset", "family"),
    oracle=_oracle,
    lacks=_lacks,
    subjects=_SUBJECTS,
    aggregates=_AGGREGATES,
    details=_describe,
    settings=_SETTINGS,
    ready_answer=_precomputed_answer,
    template=_TEMPLATE,
    contract=_CONTRACT,
    version=2,
    preload=("pandas", "sklearn.linear_model", "scipy.optimize"),
    commands="assay.cli.formula:app",
    panels="assay.formula.panels:panels",
    story="assay.formula.answer.story:story",
    adapt="assay.formula.subjects.reading:adapt_estimator",
)

if not TYPE_CHECKING:  # for one release; a type checker no longer sees these names
    __getattr__ = _moved_names(
        __name__,
        {
            "Apply": "assay.formula.expression.expression",
            "Certificate": "assay.formula.equivalence.certificate",
            "Counterexample": "assay.formula.equivalence.certificate",
            "MovedConstant": "assay.formula.equivalence.certificate",
            "Number": "assay.formula.expression.expression",
            "Part": "assay.formula.problem.task",
            "Simplified": "assay.formula.equivalence.symbolic",
            "Symbol": "assay.formula.expression.expression",
            "VERDICTS": "assay.formula.equivalence.certificate",
            "Verdict": "assay.formula.equivalence.certificate",
            "builtin": "assay.formula.generate.problems",
            "canonical": "assay.formula.expression.canonical",
            "decode": "assay.formula.answer.answer",
            "edit_distance": "assay.formula.equivalence.closeness",
            "encode": "assay.formula.answer.answer",
            "oracle": "assay.formula.examine.examination",
            "parse_domain": "assay.formula.equivalence.sampling",
            "symbols_of": "assay.formula.expression.expression",
            "sympy_nodes": "assay.formula.equivalence.symbolic",
            "tree_closeness": "assay.formula.equivalence.closeness",
            "write_problem": "assay.formula.problem.task",
            "write_table_problem": "assay.formula.problem.user_table",
            **dict.fromkeys(sorted(set(metrics.__all__) - set(__all__)), "assay.formula.metrics"),
        },
        replaced={"write_table_problem": "assay.formula.new_problem"},
    )
