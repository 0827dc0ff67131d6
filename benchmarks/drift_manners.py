"""Detection on logs of another simulator: sudden, gradual, incremental and recurring; flow, time and resources.

Cases run for long beside each other (3 to 120 at a time), up to a fifth of them is disturbed, half of the logs are cut
while many cases are open, and a change reaches running cases at once or new ones only. Every log is searched from all
three perspectives. The seeds were used for nothing else; those on which the detector was developed are below 10,000.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np

from assay.drift.detection.detect import change_points, detect
from assay.drift.detection.drift import DriftType
from assay.drift.detection.profile import change_profile
from assay.drift.metrics.detection import DetectionCounts, count_detections, pool_detections
from benchmarks.drift_streams import KINDS, Perspective, Stream, counts_line, make_stream
from benchmarks.measure import Rows, counted, sized

SEED = 10_000
LAGS = (50, 200)
PERSPECTIVES: tuple[Perspective, ...] = ("flow", "time", "resource")


def streams(first: int, logs: int, kind: DriftType | None) -> Iterator[tuple[Perspective, bool, Stream]]:
    """Logs with one drift of a kind, or none; what they are like is drawn from their seeds."""
    for seed in range(first, first + logs):
        rng = np.random.default_rng([seed, 5])
        perspective = PERSPECTIVES[seed % 3]
        at_once = bool(rng.random() < 0.6)
        stream = make_stream(
            seed,
            kind,
            perspective=perspective,
            cases=int(rng.choice([900, 1300, 2000])),
            in_flight=float(rng.choice([3, 20, 60, 120])),
            at_once=at_once,
            noise=float(rng.choice([0, 0.05, 0.1, 0.2])),
            open_end=bool(rng.random() < 0.5),
        )
        yield perspective, at_once, stream


def main(first: int = SEED, logs: int | None = None, *, verbose: bool = False) -> Rows:
    """Measure; prints a table."""
    number = logs or sized(60, 3)
    counts: dict[tuple[str, int], list[DetectionCounts]] = defaultdict(list)
    types: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    unsure = alarms = 0
    for place, kind in enumerate((*KINDS, None)):
        quiet = 0
        for perspective, at_once, stream in streams(first + 1000 * place, number, kind):
            drifts = detect(stream.log, perspectives=PERSPECTIVES)
            points = [point.case for point in change_points(stream.log, perspectives=PERSPECTIVES)]
            alarms += len(drifts)
            unsure += sum(not change_profile(stream.log, drift, window=None).changed() for drift in drifts)
            if kind is None:
                quiet += not drifts
                if drifts and verbose:
                    print(
                        "   ALARM",
                        stream.log.name,
                        len(stream.log),
                        [(d.type, stream.log.place_of(d.start_case)) for d in drifts],
                    )
                continue
            starts = [stream.log.place_of(drift.start_case) for drift in drifts]
            for lag in LAGS:
                for group in ("all", kind, perspective):
                    counts[f"{group}: points", lag].append(count_detections(points, stream.points, lag=lag))
                    counts[f"{group}: starts", lag].append(count_detections(starts, stream.points[:1], lag=lag))
            name = drifts[0].type if len(drifts) == 1 else f"{len(drifts)} drifts"
            types[kind][name] += 1
            if verbose and name != kind:
                at = [(stream.log.place_of(drift.start_case), drift.type) for drift in drifts]
                how = "at once" if at_once else "by case"
                print(
                    "  ",
                    kind,
                    stream.log.name,
                    perspective,
                    how,
                    stream.points,
                    "found",
                    at,
                    points,
                    stream.description,
                )
        if kind is None:
            print(f"no drift: {quiet} of {number} logs without an alarm")
            yield counted("streams: false alarms in logs without a drift", number - quiet, "logs")
    print(f"alarms without a certain change: {unsure} of {alarms}")
    yield counted("streams: alarms without a certain change", unsure, "alarms")
    for kind in KINDS:
        print(f"  {kind:12} detected as {', '.join(f'{name} {count}' for name, count in types[kind].most_common())}")
    right = sum(types[kind][kind] for kind in KINDS) / (number * len(KINDS))
    yield counted("streams: manner told right", right, "of the logs", better="more", tolerance=0.05)
    for (group, lag), entries in counts.items():
        pooled = pool_detections(entries)
        print(counts_line(f"{group}, lag {lag}", pooled))
        if group.startswith("all"):
            yield counted(f"streams: F1 of {group[5:]} at lag {lag}", pooled.f1, "", better="more", tolerance=0.05)


if __name__ == "__main__":
    print(*main(int(sys.argv[1]), int(sys.argv[2]), verbose=True), sep="\n")
