"""Leak verdicts: does a function use anything that is unknown at the time of prediction? Tests decide.

Every function is run on the problem as it is and in scenarios where labels, order, seed and clock all change at once.
A function with the same values in all of them uses neither labels nor order. For the others each of these is changed
alone. Then follow later data, where times are declared, and labels written into the source.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from assay.core import InvalidInput, Json, Problem
from assay.core.display import shortened
from assay.insight.answer.functions import FeatureFunction
from assay.insight.columns.available import undeclared_dates
from assay.insight.columns.distinct_rows import DistinctRows
from assay.insight.columns.spending import Spending, function_limits
from assay.insight.examine.config import InsightConfig
from assay.insight.leakage.finding import Finding, compare
from assay.insight.leakage.lookahead import check_future
from assay.insight.leakage.own_label import (
    LabelUse,
    check_few,
    check_own_label,
    outweighs_others,
    perturbed_labels,
)
from assay.insight.leakage.perturbations import Setting, shuffled
from assay.insight.leakage.perturbed_runs import Candidate, PerturbedRuns
from assay.insight.leakage.row_order import check_calls, check_places, random_order
from assay.insight.leakage.source_labels import check_source_labels
from assay.insight.leakage.static.notes import StaticFinding, explain_source
from assay.insight.leakage.verdict import LeakageReport, LeakVerdict
from assay.insight.problem.task import InsightTask, InsightTruth
from assay.insight.problem.times_file import DeclaredTimes, declare_times
from assay.sandbox import Limits, Sandbox

__all__ = ["check_leakage", "take_verdicts"]

_OTHER_MEMORY = (
    "\n_assay_other_memory = [([place], str(place) * 3) for place in range(9000)]\ndel _assay_other_memory[::2]\n"
)
_ADDRESSES = "follows addresses in memory, as id() and the hash of a missing number do"

_EXPLAINS = {
    "own label": (
        "own-label",
        "position",
        "every-column",
        "computed-key",
        "own-train-row",
        "train-label",
        "table-label",
    ),
    "order": ("row-identity", "state"),
    "temporal": ("undated", "train-label"),
    "memorised": ("literals", "state", "introspection"),
    "file": ("files",),
    "network": ("network",),
    "process": ("processes",),
    "memory": ("introspection",),
    "environment": ("files",),
    "nondeterministic": ("randomness", "clock", "state"),
}


def check_leakage(
    problem: Problem[InsightTask, InsightTruth],
    functions: Sequence[FeatureFunction],
    *,
    sandbox: Sandbox | None = None,
    config: InsightConfig | None = None,
    times: DeclaredTimes | None = None,
    limits: Limits | None = None,
    spending: Spending | None = None,
) -> LeakageReport:
    """Check feature functions for leaks of the target by running them on changed data.

    A function leaks when its value for a row changes with that row's own label, with later rows, or with their order.
    The test targets are compared with here and never enter the sandbox. Functions that need more than two seconds per
    execution are checked on a sample of rows; the evidence says how many.

    Parameters
    ----------
    problem : Problem
        A problem of this track.
    functions : sequence of FeatureFunction
        The functions to check.
    sandbox : Sandbox, optional
        Where they run; by default one is started for this.
    config : InsightConfig, optional
        Its ``RANDOM_STATE`` seeds the changes.
    times : DeclaredTimes, optional
        Replaces what the problem declares of its times.
    limits : Limits, optional
        What a function may use, for all executions together.
    spending : Spending, optional
        What was spent before, which counts.

    Returns
    -------
    LeakageReport
        One verdict per function, in their order.

    Raises
    ------
    InvalidInput
        The declared times do not fit the tables.

    Examples
    --------
    >>> import tempfile
    >>> from assay.insight import FeatureFunction, generate, load
    >>> peek = FeatureFunction(name="peek", code="def peek(row): return row['returned'] * 2")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     problem = load(generate(folder, seed=3, rows=60, difficulty="easy"))
    ...     check_leakage(problem, [peek]).functions
    (LeakVerdict('peek': leak (own label)),)
    """
    for function in functions:
        if not isinstance(function, FeatureFunction):
            raise InvalidInput(
                f"functions: each must be a FeatureFunction, as FeatureFunction(name='f', code='def f(row): ...'), got "
                f"{shortened(repr(function), 60)}."
            )
    limits = limits or function_limits()
    if sandbox is None:
        with Sandbox.start(parallel=2) as own:
            return check_leakage(
                problem, functions, sandbox=own, config=config, times=times, limits=limits, spending=spending
            )
    if times is not None:
        problem = replace(problem, task=declare_times(problem.task, times, where=f"problem {problem.id!r}"))
    return take_verdicts(
        problem,
        functions,
        distinct=DistinctRows(sandbox),
        limits=limits,
        config=config or InsightConfig(),
        spending=spending or Spending(limits),
    )


def take_verdicts(
    problem: Problem[InsightTask, InsightTruth],
    functions: Sequence[FeatureFunction],
    *,
    distinct: DistinctRows,
    limits: Limits,
    config: InsightConfig,
    spending: Spending,
) -> LeakageReport:
    """One verdict per function; results that ``distinct`` has from earlier runs are not computed again."""
    task = problem.task
    runs = PerturbedRuns(Setting.of(task), distinct, limits, seed=config.RANDOM_STATE)
    candidates = runs.candidates(functions, spending)
    quiet = _first_look(runs, candidates)
    verdicts = [
        _Check(runs, problem, candidate, quiet=calm).verdict()
        for candidate, calm in zip(candidates, quiet, strict=True)
    ]
    return LeakageReport(functions=tuple(verdicts), isolation=distinct.sandbox.level, notes=tuple(_notes(task)))


def _notes(task: InsightTask) -> list[str]:
    notes = []
    for name, columns in undeclared_dates(task).items():
        what = f"{', '.join(map(repr, columns))} {'look' if len(columns) > 1 else 'looks'} like dates"
        notes.append(f"{name}: {what}, but no times are declared: taken as static (--times FILE)")
    return notes


def _first_look(runs: PerturbedRuns, candidates: Sequence[Candidate]) -> list[bool]:
    """Compute the plain values; say which functions keep them when labels, order, seed and clock all change."""
    for candidate, outcome in zip(candidates, runs.run(candidates, runs.setting.plain()), strict=True):
        candidate.plain = outcome
    quiet = [candidate.plain.ok for candidate in candidates]
    for number, (_, labels) in enumerate(perturbed_labels(runs), start=1):
        scenario = shuffled(runs.setting.relabelled(labels), random_order(runs, number), together=True)
        scenario = replace(scenario, seed=number, later=True)
        pending = [place for place, calm in enumerate(quiet) if calm]
        outcomes = runs.run([candidates[place] for place in pending], scenario)
        for place, outcome in zip(pending, outcomes, strict=True):
            quiet[place] = outcome.ok and not compare(candidates[place], outcome).any()
    return quiet


class _Check:
    """All tests of one function."""

    def __init__(
        self, runs: PerturbedRuns, problem: Problem[InsightTask, InsightTruth], candidate: Candidate, *, quiet: bool
    ) -> None:
        self._runs = runs
        self._problem = problem
        self._candidate = candidate
        self._quiet = quiet
        self._use = LabelUse()
        self._warnings: list[str] = []
        task = runs.setting.task
        function = candidate.function
        dated = [name for name, declared in task.table_times.items() if declared.time_column is not None]
        self._static = explain_source(function.code, function.name, target=task.target_column, tables=dated)

    def verdict(self) -> LeakVerdict:
        """What the tests say; where none finds a leak, whether the function tried what is denied."""
        result = self._run_tests()
        if result.verdict != "leak":
            result = self._recheck_as_scored() or result
        attempts = list(self._candidate.attempts)
        if not attempts or result.verdict == "leak":
            return result
        if not self._runs.denies:
            words = f"reached for what this sandbox does not deny: {'; '.join(attempts)}"
            return replace(result, evidence={**result.evidence, "warnings": [*self._all_warnings(), words]})
        message = f"tried what the sandbox denies: {'; '.join(attempts)}"
        evidence: dict[str, Json] = {"message": message, "attempts": attempts}
        if result.verdict == "inconclusive":
            evidence["otherwise"] = str(result.evidence.get("message", result.kind))
        return self._conclude("blocked", attempts[0].split()[0], evidence)

    def _recheck_as_scored(self) -> LeakVerdict | None:
        """A leak that shows only when rows come without their target, as they do when columns are scored."""
        candidate, runs = self._candidate, self._runs.as_scored()
        if not candidate.plain.ok or not runs.reaches_labels(candidate.needs):
            return None
        outcome = runs.one(candidate, runs.setting.plain())
        if not outcome.ok or not compare(candidate, outcome).any():
            return None
        other = replace(candidate, plain=outcome)
        check = _Check(runs, self._problem, other, quiet=False)
        check._warnings.append("checked with the target withheld from the row, as when columns are scored")
        result = check._run_tests()
        rows: Any = result.evidence.get("rows")
        if result.verdict != "leak" or result.kind != "own label" or not rows:
            return None
        # a mean that would leave the own row out, if only it knew its label, is no copy of the label
        return result if outweighs_others(runs, other, rows[0]["row"], rows[0]["after"]) else None

    def _run_tests(self) -> LeakVerdict:
        """Run the tests until one finds a leak."""
        plain = self._candidate.plain
        if not plain.ok:
            return self._conclude("inconclusive", "not run", {"message": self._candidate.stopped or plain.message})
        if plain.rows_failed:
            self._warnings.append(f"{plain.rows_failed} rows failed: {plain.message}")
        if not self._quiet:
            early = check_few(self._runs, self._candidate)
            if early is not None:
                return self._check_addresses(early) or self._report(early)
            if trouble := self._check_repeatable():
                return trouble
        # the calls first: what is kept from one to the next would pass for the row's own
        for test in (
            self._check_calls,
            self._check_own_label,
            self._check_places,
            self._check_future,
            self._check_memorised,
        ):
            finding = test()
            if finding is not None:
                return self._check_addresses(finding) or self._report(finding)
        if self._candidate.stopped:
            return self._conclude("inconclusive", "not run", {"message": self._candidate.stopped})
        return self._conclude("clean", None, {})

    def _check_repeatable(self) -> LeakVerdict | None:
        """Whether the same call gives the same values; seed and clock are fixed, so that many that vary do not here."""
        runs, candidate = self._runs, self._candidate
        moved = runs.one(candidate, replace(runs.setting.plain(), seed=1, later=True))
        if moved.comparable and not compare(candidate, moved).any():
            return None
        again = runs.one(candidate, runs.setting.plain(), fresh=True)
        if not again.comparable:
            return self._conclude("inconclusive", "not run", {"message": again.message})
        changed = compare(candidate, again)
        if changed.any():
            return self._conclude("inconclusive", "nondeterministic", {"changed": int(changed.sum())})
        seeded = runs.one(candidate, replace(runs.setting.plain(), seed=1))
        random = bool(compare(candidate, seeded).any())
        what = "uses random numbers" if random else "reads the clock"
        self._warnings.append(f"{what}: its values hold for the fixed {'seed' if random else 'time'} only")
        return self._freeze() if random else None

    def _freeze(self) -> LeakVerdict | None:
        """From now on every call draws the same random numbers, and so does every row of a table."""
        candidate = self._candidate
        candidate.frozen = "table" if candidate.needs.whole else "calls"
        candidate.plain = self._runs.one(candidate, self._runs.setting.plain())
        if not candidate.plain.ok:
            return self._conclude("inconclusive", "not run", {"message": candidate.plain.message})
        return None

    def _check_own_label(self) -> Finding | None:
        if self._quiet:
            return None
        self._use = check_own_label(self._runs, self._candidate)
        if self._use.finding is None and self._use.uses:
            alone = f"changing the own label alone changed nothing in {self._use.alone} rows tried one by one"
            self._warnings.append(f"uses labels of other training rows; {alone}")
            if self._use.contrast:
                self._warnings.append("each of its values belongs to one label only: the own label can be read off it")
        return self._use.finding

    def _try_freezing(self) -> bool:
        """Whether a function with its own seed could be frozen: its random numbers depend on the order of the rows."""
        random = any(finding.kind == "randomness" for finding in self._static)
        if self._candidate.frozen or not random or self._freeze() is not None:
            return False
        self._warnings.append("uses random numbers, which fall to the rows by their order")
        return True

    def _check_calls(self) -> Finding | None:
        # one value throughout can be the same in other scenarios by chance
        if self._quiet and len({str(value) for value in self._candidate.plain.values}) > 1:
            return None
        finding = check_calls(self._runs, self._candidate)
        if finding is not None and self._try_freezing():
            finding = check_calls(self._runs, self._candidate)
        return finding

    def _check_places(self) -> Finding | None:
        if self._quiet:
            return None
        finding, warnings = check_places(self._runs, self._candidate)
        if finding is not None and self._candidate.needs.whole and self._try_freezing():
            finding, warnings = check_places(self._runs, self._candidate)
        self._warnings += warnings
        return finding

    def _check_future(self) -> Finding | None:
        return check_future(self._runs, self._candidate, uses_labels=self._use.uses)

    def _check_memorised(self) -> Finding | None:
        finding, warnings = check_source_labels(
            self._runs, self._candidate, self._problem.truth.test_target.to_numpy(), uses_labels=self._use.uses
        )
        self._warnings += warnings
        return finding

    def _check_addresses(self, finding: Finding) -> LeakVerdict | None:
        """Values that depend on memory addresses change in every test: run the same code with other memory in use."""
        candidate = self._candidate
        if not finding.rows:
            return None
        moved = replace(candidate.function, code=candidate.function.code + _OTHER_MEMORY)
        outcome = self._runs.one(replace(candidate, function=moved), self._runs.setting.plain())
        noisy = set(candidate.rows[compare(candidate, outcome)].tolist()) if outcome.ok else set()
        if 2 * sum(entry["row"] in noisy for entry in finding.rows) < len(finding.rows):
            return None
        return self._conclude("inconclusive", "nondeterministic", {"changed": len(noisy), "message": _ADDRESSES})

    def _report(self, finding: Finding) -> LeakVerdict:
        evidence: dict[str, Json] = {"test": finding.test}
        if finding.rows:
            evidence |= {"changed": finding.changed, "rows": list(finding.rows)}
        return self._conclude("leak", finding.kind, {**evidence, **finding.statistic})

    def _conclude(self, verdict: str, kind: str | None, evidence: dict[str, Json]) -> LeakVerdict:
        candidate = self._candidate
        details = {**evidence, "checked": len(candidate.rows)}
        pointed = self._explaining(kind)
        if pointed:
            details |= {"line": pointed[0].line, "words": pointed[0].words}
        if len(self._static) > (1 if pointed else 0):
            details["source"] = [f"line {finding.line}: {finding.words}" for finding in self._static]
        if warnings := self._all_warnings():
            details["warnings"] = warnings
        return LeakVerdict(
            name=candidate.function.name,
            verdict=verdict,  # type: ignore[arg-type]
            kind=kind,
            status=candidate.plain.status,
            evidence=details,
        )

    def _all_warnings(self) -> list[Json]:
        checked, count = len(self._candidate.rows), len(self._runs.setting.labels)
        slow = [f"slow: checked on {checked} of {count} rows"] if checked < count else []
        return [*self._warnings, *slow]

    def _explaining(self, kind: str | None) -> list[StaticFinding]:
        """The findings that may explain a kind, the likeliest first."""
        kinds = _EXPLAINS.get(kind or "", ())
        return sorted((f for f in self._static if f.kind in kinds), key=lambda f: (kinds.index(f.kind), f.line))
