"""How many problems a run of two subjects needs, from what is recorded of them."""

from __future__ import annotations

from dataclasses import dataclass, fields

from assay.core.display import counted
from assay.report.comparing import match_subject
from assay.report.track_records import TrackRecords
from assay.report.wording import format_number, shown
from assay.stats import PlannedSize, plan_size
from assay.stats.compare import paired_differences

__all__ = ["SizePlan", "planned_size"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SizePlan(PlannedSize):
    """How many problems tell ``a`` and ``b`` apart on a metric. Made by :meth:`Results.plan_size`."""

    a: str
    b: str
    metric: str
    observed: bool  # the effect is the difference that was seen

    def __repr__(self) -> str:
        needed = counted(self.problems, "problem")
        needed += f" in {counted(self.clusters, 'cluster')}" if self.clusters else ""
        as_observed = ", as observed" if self.observed else ""
        caution = " An observed difference flatters: plan for the smallest that matters." if self.observed else ""
        return (
            f"{needed} tell {shown(self.a)} and {shown(self.b)} apart with a power of {self.power:.0%} at level "
            f"{self.level:g}: {shown(self.metric)} difference {format_number(self.effect)}{as_observed}, spread "
            f"{format_number(self.spread)} from {counted(self.measured, 'problem')}, whose own power is "
            f"{self.reached:.0%}.{caution}"
        )


def planned_size(
    results: TrackRecords,
    a: str,
    b: str,
    *,
    metric: str | None = None,
    effect: float | None = None,
    power: float = 0.8,
    level: float = 0.05,
) -> SizePlan:
    """The plan for two subjects of a run, failures and lost cells as the floor; clusters as the track has them."""
    chosen = results.metric(metric or results.headline)
    first, second = (match_subject(name, results.table.labels["subject"].values) for name in (a, b))
    paired = paired_differences(results.scores(chosen.name), first, second)
    planned = plan_size(paired.values, paired.clusters, effect=effect, power=power, level=level)
    own = {part.name: getattr(planned, part.name) for part in fields(PlannedSize)}
    return SizePlan(**own, a=first, b=second, metric=chosen.name, observed=effect is None)
