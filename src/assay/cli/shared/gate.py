"""The options that turn results into an exit code: thresholds, an earlier run, and files that CI systems read."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from assay.cli.shared.options import PATH, together
from assay.core import InvalidInput

if TYPE_CHECKING:
    from assay.harness.plan import Prepared
    from assay.harness.spec import RunFile, RunSpec
    from assay.report import Contest, Results
    from assay.report.gates.gate import Gate

__all__ = ["NO_GATES", "Gating", "gate_options"]

F = TypeVar("F", bound=Callable[..., Any])

# as assay.report.gates.reading reads them; its import would make --help slow
FAIL_UNDER_FORM = "[SUBJECT,...:][METRIC=]VALUE"
NOT_WORSE_FORM = "[SUBJECT,...:]DIR[,METRIC][,by=MARGIN]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gating:
    """The gates of one command, read and loaded, and the files that tell how they went."""

    gates: tuple[Gate, ...] = ()
    junit: Path | None = None
    markdown: Path | None = None

    def with_file(self, file: RunFile, folder: Path) -> Gating:
        """These gates and those of a run file, whose paths start at its folder."""
        return replace(self, gates=(*_read(file.fail_under, file.not_worse_than, folder), *self.gates))

    def check(self, contests: Sequence[Contest]) -> None:
        """Refuse what cannot be judged, before anything is run."""
        from assay.report import check_gates

        if self.junit is not None and not self.gates:
            raise InvalidInput("--junit writes one test per gate: give --fail-under or --not-worse-than, too.")
        check_gates(self.gates, contests)

    def check_plans(self, prepared: Sequence[Prepared]) -> None:
        """:meth:`check` for runs whose names are resolved."""
        from assay.report import Contest

        self.check([Contest(entry.track, tuple(ref.name for ref in entry.subjects)) for entry in prepared])

    def scored(self, spec: RunSpec) -> RunSpec:
        """A run that scores the metrics of its gates which are of a family: they need not be named twice."""
        from assay.core import get_track

        families = get_track(spec.track).families
        named = dict.fromkeys(gate.metric for gate in self.gates if gate.metric is not None)
        extra = [name for name in named if any(family.of(name) is not None for family in families)]
        return replace(spec, metrics=tuple(dict.fromkeys([*spec.metrics, *extra])))

    def judge(self, results: Results) -> bool:
        """Say of each gate and subject how it went, write the files, and tell whether all are met."""
        from assay.report import judge_gates, write_junit, write_markdown

        verdicts = judge_gates(self.gates, results)
        for verdict in verdicts:
            click.echo(repr(verdict), err=True)
        if self.junit is not None:
            write_junit(verdicts, self.junit)
            click.echo(f"wrote {self.junit}", err=True)
        if self.markdown is not None:
            write_markdown(results, self.markdown, verdicts=verdicts)
            click.echo(f"wrote {self.markdown}", err=True)
        return verdicts.passed


NO_GATES = Gating()


_FLAGS = together(
    click.option(
        "--fail-under",
        multiple=True,
        metavar=FAIL_UNDER_FORM,
        help="Exit with 1 when a mean is worse than VALUE; default headline metric, all subjects; repeatable.",
    ),
    click.option(
        "--not-worse-than",
        multiple=True,
        metavar=NOT_WORSE_FORM,
        help="Exit with 1 unless 95 % confidence excludes a loss above MARGIN [0] since the results in DIR.",
    ),
    click.option("--junit", type=PATH, metavar="FILE", help="Write the gates as JUnit XML to FILE."),
    click.option("--markdown", type=PATH, metavar="FILE", help="Write leaderboard, gates and failures to FILE."),
)


def gate_options(function: F) -> F:
    """Options whose gates are read before the command begins; it gets them as one argument, ``gating``."""

    @functools.wraps(function)
    def gated(
        *arguments: Any,
        fail_under: tuple[str, ...],
        not_worse_than: tuple[str, ...],
        junit: Path | None,
        markdown: Path | None,
        **others: Any,
    ) -> Any:
        for file in (junit, markdown):
            if file is not None and not file.resolve().parent.is_dir():  # hours later would be too late
                raise InvalidInput(f"{file}: there is no folder {str(file.parent)!r}. Make it first, or name another.")
        gating = Gating(gates=_read(fail_under, not_worse_than), junit=junit, markdown=markdown)
        return function(*arguments, gating=gating, **others)

    return _FLAGS(gated)  # type: ignore[return-value]


def _read(fail_under: Sequence[str], not_worse_than: Sequence[str], folder: Path | None = None) -> tuple[Gate, ...]:
    if not fail_under and not not_worse_than:
        return ()
    from assay.report import read_gates

    return read_gates(fail_under, not_worse_than, folder=folder)
