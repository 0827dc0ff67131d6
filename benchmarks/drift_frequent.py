"""Detection where sudden drifts come often: one every tenth of the log, to a further version or back to the one before.

Logs of 500 to 5,000 cases of the second simulator (``drift_streams``). Every change point counts, matched one to one
within 50 and within 200 cases, beside a detector that always fires. Seeds from 60,000 on are used for nothing else.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np

from assay.drift.detection.detect import change_points, detect
from assay.drift.metrics.detection import DetectionCounts, always_fire, count_detections, pool_detections
from benchmarks.drift_streams import Stream, counts_line, make_stream
from benchmarks.measure import Rows, counted, sized

SEED = 60_000
LAGS = (50, 200)
CASES = (500, 1000, 2500, 5000)


def streams(first: int, logs: int) -> Iterator[tuple[str, int, Stream]]:
    """Logs with nine sudden drifts, which go on or back; sizes in turn."""
    for seed in range(first, first + logs):
        rng = np.random.default_rng([seed, 9])
        cases = CASES[seed % len(CASES)]
        places = tuple(cases * part // 10 for part in range(1, 10))
        goes = "back and forth" if seed // len(CASES) % 2 else "on"
        stream = make_stream(
            seed,
            "recurring" if goes == "back and forth" else "incremental",
            cases=cases,
            in_flight=float(rng.choice([3, 20, 60])),
            at_once=bool(rng.random() < 0.5),
            noise=float(rng.choice([0, 0.05, 0.1])),
            places=places,
        )
        yield goes, cases, stream


def main(first: int = SEED, logs: int | None = None, *, verbose: bool = False) -> Rows:
    """Measure; prints a table."""
    number = logs or sized(40, 4)
    counts: dict[tuple[str, int], list[DetectionCounts]] = defaultdict(list)
    types: dict[str, Counter[str]] = defaultdict(Counter)
    for goes, cases, stream in streams(first, number):
        points = [point.case for point in change_points(stream.log)]
        types[goes].update(drift.type for drift in detect(stream.log))
        for lag in LAGS:
            for group in ("all", goes, f"{cases} cases"):
                counts[group, lag].append(count_detections(points, stream.points, lag=lag))
            fired = always_fire(len(stream.log), lag=lag)
            counts["always fires", lag].append(count_detections(fired, stream.points, lag=lag))
        if verbose:
            print("  ", stream.log.name, goes, cases, stream.points, "found", points, flush=True)
    for goes, kinds in types.items():
        print(f"  {goes}: detected as {', '.join(f'{name} {count}' for name, count in kinds.most_common())}")
    for (group, lag), entries in counts.items():
        pooled = pool_detections(entries)
        print(counts_line(f"{group}, lag {lag}", pooled))
        if group == "all":
            yield counted(f"frequent drifts: F1 at lag {lag}", pooled.f1, "", better="more", tolerance=0.05)


if __name__ == "__main__":
    print(*main(int(sys.argv[1]), int(sys.argv[2]), verbose=True), sep="\n")
