"""Drift detection on simulated logs: F1 and lag by family, noise and pattern, beside two baselines.

Change points are matched one to one within 200 cases. The baselines: a detector that always fires, and one that
compares adjacent windows of 200 cases by the largest two-proportion z of directly-follows pairs, above 6. Seeds are not
those of the tests.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from assay.drift.detection.detect import change_points, detect
from assay.drift.detection.drift import DRIFT_TYPES
from assay.drift.detection.features import feature_table
from assay.drift.generate.changes import CONTROL_FLOW
from assay.drift.generate.simulate import Simulated, simulate
from assay.drift.logs.event_log import EventLog
from assay.drift.metrics.detection import DetectionCounts, always_fire, count_detections, pool_detections
from benchmarks.drift_streams import counts_line
from benchmarks.measure import Measured, Rows, counted, shown, sized

LAG, SEED = 200, 910_000
WINDOW, BORDER = 200, 6.0

Labelled = tuple[str, str, float, Simulated]


def _families() -> Iterator[Labelled]:
    """Name of the family, pattern, noise and log."""
    seed = SEED
    for pattern in CONTROL_FLOW[: sized(None, 2)]:
        for noise in (0.0, 0.05, 0.1, 0.15, 0.2):
            seed += 1
            yield "one drift, 1000 cases", pattern, noise, simulate(seed=seed, patterns=[pattern], noise=noise)
        for reach in (0.2, 0.4):
            seed += 1
            simulated = simulate(seed=seed, patterns=[pattern], reach=reach, noise=0.1)
            yield f"one drift, in {reach:.0%} of cases", pattern, 0.1, simulated
    for together in (1, 2, 3):
        for noise in (0.0, 0.02, 0.05):
            for _ in range(sized(4, 1)):
                seed += 1
                simulated = simulate(seed=seed, drifts=["sudden"] * 2, together=together, noise=noise, cases=3000)
                yield "two drifts, 3000 cases", f"{together} at once", noise, simulated
    for noise in (0.0, 0.1, 0.2):
        for _ in range(sized(2, 1)):
            seed += 1
            simulated = simulate(seed=seed, drifts=["sudden"] * 4, noise=noise, cases=6000)
            yield "four drifts, 6000 cases", "mixed", noise, simulated
    for noise in (0.0, 0.1, 0.2):
        for _ in range(sized(10, 1)):
            seed += 1
            yield "no drift, 1000 cases", "none", noise, simulate(seed=seed, drifts=[], noise=noise)


def windows_of_pairs(log: EventLog) -> list[int]:
    """The simple baseline: peaks of the largest z between the windows before and after a case."""
    table = feature_table(log)
    pairs = [at for at, feature in enumerate(table.features) if feature.kind == "follows"]
    sums = np.vstack([np.zeros(len(pairs)), np.cumsum(table.counts[:, pairs], axis=0)])
    places = np.arange(WINDOW, len(log) - WINDOW + 1) if len(table.edges) == len(log) + 1 else np.arange(0)
    if not len(places):
        return []
    before = (sums[places] - sums[places - WINDOW]) / WINDOW
    after = (sums[places + WINDOW] - sums[places]) / WINDOW
    share = (before + after) / 2
    z = (np.abs(before - after) / np.sqrt(np.maximum(share * (1 - share), 1e-9) * 2 / WINDOW)).max(axis=1)
    peaks: list[int] = []
    while z.max() > BORDER:
        peak = int(z.argmax())
        peaks.append(int(places[peak]))
        z[max(0, peak - WINDOW) : peak + WINDOW] = 0
    return peaks


def _score(name: str, counts: list[DetectionCounts]) -> Measured:
    return counted(name, pool_detections(counts).f1, "", better="more", tolerance=0.02)


def _change_points() -> Rows:
    ours: dict[str, list[DetectionCounts]] = defaultdict(list)
    others: dict[str, list[DetectionCounts]] = defaultdict(list)
    seconds, cases, silent = 0.0, 0, [0, 0]
    for family, pattern, noise, simulated in _families():
        start = time.process_time()
        points = [point.case for point in change_points(simulated.log)]
        seconds += time.process_time() - start
        cases += len(simulated.log)
        if not simulated.points:
            silent = [silent[0] + 1, silent[1] + bool(points)]
        score = count_detections(points, simulated.points, lag=LAG)
        for key in ("all logs", family, f"noise {noise:.0%}", f"pattern {pattern}"):
            ours[key].append(score)
        fired = always_fire(len(simulated.log), lag=LAG)
        for name, places in (("windows of pairs", windows_of_pairs(simulated.log)), ("always fires", fired)):
            others[name].append(count_detections(places, simulated.points, lag=LAG))
    print(f"{len(ours['all logs'])} logs, {cases} cases; lag {LAG} cases; {1000 * seconds / cases:.3f} CPU ms per case")
    yield shown("change points: CPU per case", 1000 * seconds / cases, "ms")
    yield _score("change points: F1", ours["all logs"])
    yield counted("change points: false alarms in logs without a drift", silent[1], "logs")
    for name, counts in {"all logs": ours.pop("all logs"), **others, **ours}.items():
        if pool_detections(counts).found:
            print(counts_line(name, pool_detections(counts)))
    print(f"  logs without a drift: {silent[0]}, with a false alarm: {silent[1]}")


def _manners() -> Rows:
    """Whether the manner is recognised, and how far start and end are off."""
    print("manner of one drift, 1000 cases, noise 0 to 20 %: found as")
    right, logs = 0, sized(30, 2)
    for kind in DRIFT_TYPES:
        types: dict[str, int] = defaultdict(int)
        off: list[int] = []
        for number in range(logs):
            simulated = simulate(seed=SEED + 5000 + number, drifts=[kind], noise=0.1 * (number % 3))  # type: ignore[list-item]
            drifts = detect(simulated.log)
            types[drifts[0].type if len(drifts) == 1 else f"{len(drifts)} drifts"] += 1
            if len(drifts) == 1:
                ends = simulated.log.place_of(drifts[0].start_case), simulated.log.place_of(drifts[0].end_case)
                off += [abs(ends[0] - simulated.points[0]), abs(ends[1] - simulated.points[-1])]
        listed = ", ".join(f"{name} {count}" for name, count in sorted(types.items(), key=lambda item: -item[1]))
        print(f"  {kind:12} {listed}   start and end off by {np.mean(off):.0f} cases on average")
        right += types[kind]
    share = right / logs / len(DRIFT_TYPES)
    yield counted("manner of one drift: told right", share, "of the logs", better="more", tolerance=0.05)


def main() -> Rows:
    yield from _change_points()
    yield from _manners()
