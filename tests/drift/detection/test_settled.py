import numpy as np

from assay.drift.detection.detect import detect
from assay.drift.detection.settled import settled_cases
from assay.drift.generate.simulate import simulate
from assay.drift.logs.event_log import EventLog, arrange


def cut(log: EventLog, time: int) -> EventLog:
    """The log as it was at that time."""
    kept = log.times <= time
    begun = int((log.starts <= time).sum())
    return arrange(
        log.name, cases=log.cases[:begun], activities=log.activities, case_codes=log.case_codes[kept],
        activity_codes=log.activity_codes[kept], times=log.times[kept],
    )  # fmt: skip


def test_open_cases_at_the_end_are_found_and_are_no_drift() -> None:
    log = simulate(seed=11, cases=500, drifts=(), noise=0.05, days=40).log
    open_log = cut(log, int(log.starts[420]))
    running = int((log.ends[: len(open_log)] > log.starts[420]).sum())
    assert running > 30
    first_open = int(np.flatnonzero(log.ends[: len(open_log)] > log.starts[420])[0])
    assert first_open - 20 <= settled_cases(open_log) <= first_open + running // 2
    assert detect(open_log) == ()
    assert detect(open_log, keep_open=True)


def test_a_finished_log_is_settled_to_its_last_case_also_under_noise() -> None:
    for seed in range(4):
        log = simulate(seed=seed, cases=300, drifts=(), noise=0.1).log
        assert settled_cases(log) == len(log)


def test_a_log_whose_cases_are_nearly_all_open_has_no_drift() -> None:
    codes = [case for case in range(9) for _ in range(2 if case == 3 else 3)]
    hours = [case + step * (1 if case == 3 else 50) for case in range(9) for step in range(2 if case == 3 else 3)]
    names = [1 if case == 3 and step else 0 for case in range(9) for step in range(2 if case == 3 else 3)]
    log = arrange(
        "open", cases=[str(case) for case in range(9)], activities=["work", "end"], case_codes=codes,
        activity_codes=names, times=np.array(hours) * 3600 * 10**9,
    )  # fmt: skip
    assert settled_cases(log) == 0
    assert detect(log) == ()
