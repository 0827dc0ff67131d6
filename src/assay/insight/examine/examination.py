"""An answer confronted with the truth: columns are computed from their functions, verdicts taken, models fitted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

from assay.core import Json, Problem, Settings
from assay.core.display import counted
from assay.insight.answer.answer import InsightAnswer
from assay.insight.answer.functions import FeatureFunction
from assay.insight.answer.solution import chosen_columns, gather
from assay.insight.columns.run_functions import FunctionRun, run_functions
from assay.insight.columns.spending import Spending, function_limits
from assay.insight.examine.config import INSIGHT_EVAL, InsightConfig
from assay.insight.examine.evidence import InsightEvidence
from assay.insight.examine.spec_rules import examine_by_spec
from assay.insight.fits.forest.versions import fallback_notes
from assay.insight.metrics.covered_columns import column_coverages
from assay.insight.problem.task import InsightTask, InsightTruth

__all__ = ["describe", "examine"]

_MOST_FAILURES = 5  # functions that failed in some rows and are named
_MOST_NOTES = 200_000  # characters of a subject's own notes in a record; the answer keeps them all


def examine(problem: Problem[InsightTask, InsightTruth], answer: InsightAnswer, settings: Settings) -> InsightEvidence:
    """All that the metrics need, by the rules of the settings' preset."""
    config = InsightConfig.read(settings)
    if config.preset == INSIGHT_EVAL:
        return _examine_as_published(problem, answer, config)
    names, notes = chosen_columns(answer, problem.task, config)
    compute = not config.trust_columns or answer.train is None
    run = run_functions(problem, _functions_of(names, answer), config, compute=compute)
    if run.computed is not None:
        names, failed = _with_values(names, run)
        notes = [*notes, *failed]
    solution = gather(problem, answer, names, config, computed=run.values)
    evidence = examine_by_spec(problem, solution, config)
    return replace(
        evidence,
        target_leak=_target_leak(run, names, answer),
        functions=run.findings,
        isolation=run.isolation,
        notes=(
            *notes,
            *run.notes,
            *evidence.notes,
            *fallback_notes(evidence.engines),
            *_differences(problem, answer, run),
        ),
        subject_notes=answer.notes,
    )


def _examine_as_published(
    problem: Problem[InsightTask, InsightTruth], answer: InsightAnswer, config: InsightConfig
) -> InsightEvidence:
    """The published rules and leak check, on shipped values where they are trusted, else on computed ones.

    Our own verdicts, where they are taken, stand beside the published check and do not change the score.
    """
    from assay.insight.published.rules import examine_as_published, published_columns

    names = published_columns(answer, config.MAX_FEATURES)
    spending = Spending(function_limits(config.function_seconds))
    run = run_functions(
        problem, _functions_of(names, answer), config, compute=not config.trust_columns, spending=spending
    )
    notes: list[str] = []
    scored = answer
    if not config.trust_columns:
        names, notes = _with_values(names, run)
        scored = _computed_answer(problem, answer, names, run, config)
        notes += _differences(problem, answer, run)
    evidence = examine_as_published(problem, scored, config)
    leak: bool | None = None
    if config.check_leakage != "never":
        from assay.insight.columns.sandbox_pool import shared_sandbox
        from assay.insight.published.leak import published_leak

        with shared_sandbox(config.sandbox) as sandbox:
            leak = bool(answer.functions) and published_leak(
                problem, answer.functions, sandbox=sandbox, spending=spending
            )
    return replace(
        evidence,
        target_leak=leak,
        functions=run.findings,
        isolation=run.isolation,
        notes=(*notes, *run.notes, *evidence.notes, *fallback_notes(evidence.engines)),
        subject_notes=answer.notes,
    )


def _differences(problem: Problem[InsightTask, InsightTruth], answer: InsightAnswer, run: FunctionRun) -> list[str]:
    """Where shipped values differ from computed ones, in words."""
    if run.computed is None:
        return []
    from assay.insight.columns.submitted_values import compare_with_shipped

    return [difference.words for difference in compare_with_shipped(answer, run.computed, problem.task)]


def _computed_answer(
    problem: Problem[InsightTask, InsightTruth],
    answer: InsightAnswer,
    names: Sequence[str],
    run: FunctionRun,
    config: InsightConfig,
) -> InsightAnswer:
    """The answer as if it had shipped what its functions compute, beside the problem's own columns."""
    task = problem.task
    values = gather(problem, answer, names, config, computed=run.values)
    tables = [
        own.reset_index(drop=True).assign(**{name: new[name].to_numpy() for name in new.columns})
        for own, new in ((task.train, values.train), (task.test, values.test))
    ]
    return replace(answer, columns=tuple(names), train=tables[0], test=tables[1])


def _functions_of(names: Sequence[str], answer: InsightAnswer) -> list[FeatureFunction]:
    """The functions of the scored columns, in the order of the columns."""
    by_name = {function.name: function for function in answer.functions}
    return [by_name[name] for name in names if name in by_name]


def _with_values(names: Sequence[str], run: FunctionRun) -> tuple[list[str], list[str]]:
    """The columns whose functions gave values; and which functions failed, in every row or in some."""
    failed = {finding.name: finding.status for finding in run.findings if finding.name not in run.values}
    scored = [name for name in names if name not in failed]
    notes = [f"column {name!r} is not scored, its function failed ({why})" for name, why in failed.items()]
    partly = [column for column in (run.computed.columns if run.computed else ()) if column.rows_failed]
    notes += [
        f"column {column.name!r}: its function failed in {counted(column.rows_failed, 'row')}, which count as missing "
        f"({column.message})"
        for column in partly[:_MOST_FAILURES]
    ]
    if len(partly) > _MOST_FAILURES:
        notes.append(f"{len(partly) - _MOST_FAILURES} more functions failed in some rows")
    return scored, notes


def _target_leak(run: FunctionRun, names: Sequence[str], answer: InsightAnswer) -> bool | None:
    """Whether a function leaks; unknown where values were scored that no function was checked for."""
    if run.leaks:
        return True
    checked = {finding.name for finding in run.findings}
    shipped = set() if answer.train is None else set(answer.train.columns)
    unknown = [name for name in names if name in shipped and name not in checked]
    return None if unknown or not run.checked else False


def describe(evidence: InsightEvidence) -> dict[str, Json]:
    """Column by column what is covered, by what and how well; what was done on the way; who fitted."""
    return {
        "preset": evidence.config.preset,
        "problem_type": evidence.problem_type,
        "target_leak": evidence.target_leak,
        "isolation": evidence.isolation,
        "trust_columns": evidence.config.trust_columns,
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
        "functions": [asdict(function) for function in evidence.functions],
        "notes": list(evidence.notes),
        **({"subject_notes": _bounded(evidence.subject_notes)} if evidence.subject_notes else {}),
        "fits": dict(evidence.engines),
    }


def _bounded(notes: Sequence[str]) -> list[Json]:
    """The first notes, as many as a record should carry."""
    shown: list[Json] = []
    room = _MOST_NOTES
    for place, note in enumerate(notes):
        if len(note) > room:
            return [*shown, f"{len(notes) - place} more, in the answer"]
        shown.append(note)
        room -= len(note)
    return shown
