"""An answer confronted with the truth."""

from __future__ import annotations

from assay.core import Json, Problem, Settings, SubjectFailed
from assay.insight.answer import InsightAnswer
from assay.insight.config import INSIGHT_EVAL, InsightConfig
from assay.insight.evidence import InsightEvidence
from assay.insight.problem import InsightTask, InsightTruth
from assay.insight.published_rules import examine_as_published
from assay.insight.scoring import column_coverages
from assay.insight.solution import gather
from assay.insight.spec_rules import examine_by_spec

__all__ = ["describe", "examine"]


def examine(problem: Problem[InsightTask, InsightTruth], answer: InsightAnswer, settings: Settings) -> InsightEvidence:
    """All that the metrics need, by the rules of the settings' preset."""
    config = InsightConfig.read(settings)
    if config.preset != INSIGHT_EVAL:
        return examine_by_spec(problem, gather(problem, answer, config), config)
    if not config.trust_columns:
        raise SubjectFailed(
            "untrusted columns",
            f"preset {INSIGHT_EVAL!r} scores the values that a solution ships, as the published implementation does: "
            "set trust_columns = true (--trust-columns).",
        )
    return examine_as_published(problem, answer, config)


def describe(evidence: InsightEvidence) -> dict[str, Json]:
    """Column by column what is covered, by what and how well; what was done on the way; who fitted."""
    return {
        "preset": evidence.config.preset,
        "problem_type": evidence.problem_type,
        "target_leak": evidence.target_leak,
        "solution_columns": list(evidence.columns),
        "columns": {
            name: {
                "description": words,
                "weight": covered.weight,
                "incremental_performance_coverage": covered.incremental,
                "predictive_coverage": covered.predictive,
                "single_column_predictive_coverage": covered.single,
                "best_single_column": covered.single_by or None,
                "correlation_coverage": covered.correlation,
                "best_correlation_column": covered.correlation_by or None,
                "correlation_weight": covered.correlation_weight,
            }
            for name, words, covered in zip(
                evidence.ground_truth, evidence.descriptions, column_coverages(evidence), strict=True
            )
        },
        "functions": [
            {
                "name": function.name,
                "verdict": function.verdict,
                "kind": function.kind,
                "status": function.status,
                "evidence": function.evidence,
            }
            for function in evidence.functions
        ],
        "notes": list(evidence.notes),
        "fits": dict(evidence.engines),
    }
