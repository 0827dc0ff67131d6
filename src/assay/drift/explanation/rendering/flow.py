"""The flow of a process before and after a drift: steps, what follows what, and how often."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, Literal, NamedTuple, TypeAlias, TypeVar

from assay.drift.detection.profile import ChangeProfile, ChangeRow

__all__ = ["Flow", "FlowChange", "Step", "flow_change"]

Change: TypeAlias = Literal["more", "less", "same"]

_ALPHA: Final = 0.01
_RARE: Final = 0.05  # of cases; what is rarer on both sides and did not change for sure is left out
_MOST_STEPS, _MOST_FLOWS = 30, 60


class Step(NamedTuple):
    """An activity, and the share of cases that have it on either side of the drift."""

    name: str
    before: float
    after: float
    change: Change


class Flow(NamedTuple):
    """One activity directly after another, and the share of cases in which that happens."""

    source: str
    target: str
    before: float
    after: float
    change: Change

    @property
    def weight(self) -> float:
        """How common it is on the side where it is more common."""
        return max(self.before, self.after)


_Entry = TypeVar("_Entry", Step, Flow)


class FlowChange(NamedTuple):
    """The directly-follows graph of a process on both sides of a drift; ``left_out`` flows are too rare to be shown."""

    steps: tuple[Step, ...]
    flows: tuple[Flow, ...]
    left_out: int


def flow_change(profile: ChangeProfile) -> FlowChange:
    """What a change profile says of activities and relations, without what is rare and did not change.

    >>> from assay.drift import change_profile, simulate
    >>> simulated = simulate(seed=1, cases=200)
    >>> flow = flow_change(change_profile(simulated.log, simulated.drifts[0].drift))
    >>> [(step.name, step.change) for step in flow.steps if step.change != "same"]
    [('Verify income', 'less')]
    """
    steps = [
        Step(row.activities[0], row.before, row.after, _change(row))
        for row in profile.rows
        if row.kind == "activity" and row.name == row.activities[0]
    ]
    steps = _notable(steps, lambda step: max(step.before, step.after), _MOST_STEPS)
    names = {step.name for step in steps}
    flows = [
        Flow(row.activities[0], row.activities[1], row.before, row.after, _change(row))
        for row in profile.rows
        if row.kind == "relation" and not row.is_far
    ]
    among = [flow for flow in flows if flow.source in names and flow.target in names]
    shown = _with_every_step(_notable(among, lambda flow: flow.weight, _MOST_FLOWS), among)
    return FlowChange(tuple(steps), tuple(shown), len(flows) - len(shown))


def _change(row: ChangeRow) -> Change:
    if row.p_value > _ALPHA or row.difference == 0:
        return "same"
    return "more" if row.difference > 0 else "less"


def _notable(entries: Iterable[_Entry], share: Callable[[_Entry], float], most: int) -> list[_Entry]:
    """What changed and what is common, the commonest first."""
    there = [entry for entry in entries if entry.change != "same" or share(entry) >= _RARE]
    there.sort(key=lambda entry: (entry.change == "same", -share(entry), entry[:2]))
    return there[:most]


def _with_every_step(shown: list[Flow], flows: list[Flow]) -> list[Flow]:
    """With the commonest way into and out of every step, so that none hangs in the air."""
    chosen = dict.fromkeys(shown)
    for end in ("source", "target"):
        best: dict[str, Flow] = {}
        for flow in flows:
            name = getattr(flow, end)
            if flow.source != flow.target and (name not in best or flow.weight > best[name].weight):
                best[name] = flow
        chosen.update(dict.fromkeys(best.values()))
    return list(chosen)
