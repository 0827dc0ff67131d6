"""Real functions of the public benchmark, where ASSAY_BENCHMARKS points at it.

All eleven pairs go through the published check. The functions of P60 and P68 are computed, compared with the shipped
columns and judged, and one of P35 that averages labels. The other pairs take minutes.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay.insight.answer.answer import InsightAnswer, read_solution
from assay.insight.columns.compute import compute_columns
from assay.insight.columns.submitted_values import compare_with_shipped
from assay.insight.leakage.check import check_leakage
from assay.insight.problem.task import load
from assay.insight.published.leak import published_leak
from assay.sandbox import Sandbox

ROOT = Path(os.environ.get("ASSAY_BENCHMARKS", "")) / "insight"
PAIRS = sorted(ROOT.glob("agents/*/*")) if os.environ.get("ASSAY_BENCHMARKS") else []

pytestmark = pytest.mark.skipif(not PAIRS, reason="ASSAY_BENCHMARKS does not point at a folder with insight/agents")


def solution(start: str) -> tuple[Path, InsightAnswer]:
    (folder,) = [pair for pair in PAIRS if pair.name.startswith(start) and pair.parent.name == "single step agent"]
    return ROOT / "problems" / folder.name, read_solution(folder)


def test_the_published_check_acquits_every_golden_pair_as_published(sandbox: Sandbox) -> None:
    assert len(PAIRS) == 11
    found = {
        pair.name: published_leak(load(ROOT / "problems" / pair.name), read_solution(pair).functions, sandbox=sandbox)
        for pair in PAIRS
    }
    assert not any(found.values()), found


@pytest.mark.parametrize(
    ("start", "reasons"), [("P60", {}), pytest.param("P68", {"total_sales_amount": "absent"}, marks=pytest.mark.soak)]
)
def test_real_functions_run_and_give_what_was_shipped_or_a_reason(
    sandbox: Sandbox, start: str, reasons: dict[str, str]
) -> None:
    folder, answer = solution(start)
    problem = load(folder)
    computed = compute_columns(problem, answer.functions, sandbox=sandbox)
    assert [column.status for column in computed.columns] == ["ok"] * len(answer.functions)
    found = compare_with_shipped(answer, computed, problem.task)
    assert {difference.name: difference.reason for difference in found} == reasons
    report = check_leakage(problem, answer.functions, sandbox=sandbox)
    assert [verdict.verdict for verdict in report.functions] == ["clean"] * len(answer.functions)
    assert not report.target_leak


@pytest.mark.soak
def test_a_real_mean_of_other_rows_labels_is_clean_with_a_warning(sandbox: Sandbox) -> None:
    folder, answer = solution("P35")
    functions = [function for function in answer.functions if function.name == "gender_bias_default"]
    (verdict,) = check_leakage(load(folder), functions, sandbox=sandbox).functions
    assert verdict.verdict == "clean"
    assert "uses labels of other training rows" in str(verdict.evidence["warnings"])
    assert "the own label can be read off it" in str(verdict.evidence["warnings"])
