from __future__ import annotations

import pickle
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pytest
from tests.drift.conftest import TEXTS

from assay.drift import Corpus, EventLog, change_profile, detect, from_frame, load, new_problem, read_log, write_log
from assay.drift.logs.local_time import LocalTime
from assay.drift.problem.detector_files import read_detections, write_detections
from assay.drift.problem.task import windows_of
from assay.intake.table.options import TableOptions

FIRST, CHANGE, CASES = pd.Timestamp("2023-03-01 00:15"), 124, 248
WHEN = "2023-07-03"  # the day on which the cases from CHANGE on begin, in Berlin a quarter past midnight


def night_frame() -> pd.DataFrame:
    """A case every night, in local time of Berlin, which is ahead of UTC by one hour and from 26 March on by two."""
    rows = [
        (f"c{case:03}", step, FIRST + pd.Timedelta(days=case, minutes=minute))
        for case in range(CASES)
        for minute, step in enumerate(("ask", "check", "pay") if case < CHANGE else ("ask", "pay"))
    ]
    return pd.DataFrame(rows, columns=["case", "activity", "time"])


def with_offsets(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(time=[stamp.tz_localize("Europe/Berlin").isoformat() for stamp in frame["time"]])


def log_of(kind: str, folder: Path) -> EventLog:
    """The nights as each source tells them."""
    frame = night_frame()
    if kind == "a zone is given":
        return from_frame(frame, timezone="Europe/Berlin")
    if kind == "a column with a zone":
        return from_frame(frame.assign(time=frame["time"].dt.tz_localize("Europe/Berlin")))
    if kind == "german dates with offsets":
        stamps = frame["time"].dt.tz_localize("Europe/Berlin")
        return from_frame(frame.assign(time=[f"{stamp:%d.%m.%Y %H:%M} {stamp.isoformat()[-6:]}" for stamp in stamps]))
    log = from_frame(with_offsets(frame))
    if kind == "texts with offsets":
        return log
    write_log(log, folder / f"nights.{kind}")
    return read_log(folder / f"nights.{kind}")


@pytest.mark.parametrize(
    "kind",
    [
        *("a zone is given", "a column with a zone", "texts with offsets", "german dates with offsets"),
        *("xes", "csv", "parquet"),
    ],
)
def test_days_are_those_of_the_clocks_that_the_source_names(kind: str, tmp_path: Path) -> None:
    log = log_of(kind, tmp_path)
    (drift,) = detect(log)
    assert (drift.start_case, drift.days) == (f"c{CHANGE}", WHEN)
    assert drift.start.isoformat() == f"{WHEN}T00:15:00+02:00"
    assert [f"{stamp:%Y-%m-%d %z}" for stamp in log.period] == ["2023-03-01 +0100", "2023-11-03 +0100"]
    assert log.start_of(0) == datetime(2023, 2, 28, 23, 15, tzinfo=UTC)


def test_times_in_utc_stay_in_utc_unless_a_zone_is_given(tmp_path: Path) -> None:
    frame = night_frame()
    bare = from_frame(frame)
    assert bare.local == LocalTime()
    assert bare.start_of(0).isoformat() == "2023-03-01T00:15:00+00:00"
    (tmp_path / "nights.csv").write_text(
        frame.assign(time=[f"{stamp:%Y-%m-%dT%H:%M:%S}Z" for stamp in frame["time"]]).to_csv(index=False)
    )
    assert read_log(tmp_path / "nights.csv").start_of(0).isoformat() == "2023-03-01T00:15:00+00:00"
    there = read_log(tmp_path / "nights.csv", timezone="America/New_York")
    assert there.start_of(0).isoformat() == "2023-02-28T19:15:00-05:00"
    write_log(bare, tmp_path / "nights.xes")
    assert read_log(tmp_path / "nights.xes", timezone="America/New_York").start_of(0) == bare.start_of(0)
    assert read_log(tmp_path / "nights.xes", timezone="America/New_York").start_of(0).day == 28


def test_detector_files_keep_local_days(tmp_path: Path) -> None:
    log = from_frame(with_offsets(night_frame()), name="nights")
    write_detections(tmp_path, detect(log), windows={log.name: windows_of(log)})
    assert read_detections(tmp_path)[0].drift.days == WHEN
    away = read_detections(tmp_path, timezone="America/New_York")[0].drift
    assert away.start.isoformat() == "2023-07-02T18:15:00-04:00"


@pytest.mark.parametrize("options", [TableOptions(timezone="Europe/Berlin"), TableOptions()])
def test_a_cause_of_a_day_meets_the_drift_of_that_day_and_the_problem_keeps_it(
    options: TableOptions, tmp_path: Path
) -> None:
    frame = night_frame() if options.timezone else with_offsets(night_frame())
    corpus = Corpus.from_texts(TEXTS)
    for drifts in ((), (WHEN,)):
        folder = tmp_path / f"nights{len(drifts)}"
        new = new_problem(folder, frame, corpus, causes={WHEN: "2020-03-02_New_Rule"}, drifts=drifts, options=options)
        assert new.facts["cause 1"].endswith(f"sudden drift of {WHEN}, on that day")
        task = load(folder).task
        assert [drift.days for drift in task.drifts] == [WHEN]
        assert task.logs["log"].start_of(CHANGE) == task.drifts[0].start


def test_days_of_the_week_are_local_ones() -> None:
    frame = night_frame()
    days = 7 * (frame["case"].str[1:].astype(int)) + (frame["case"] >= f"c{CHANGE}")  # Wednesdays, then Thursdays
    steps = pd.to_timedelta(frame.groupby("case").cumcount(), unit="min")
    log = from_frame(frame.assign(time=FIRST + pd.to_timedelta(days, unit="D") + steps), timezone="Europe/Berlin")
    profile = change_profile(log, detect(log)[0], window=None)
    named = {row.name for row in profile.rows if row.kind == "weekday" and row.difference < -0.9}
    assert named == {"ask on Wednesdays", "pay on Wednesdays"}


def test_a_log_of_local_time_survives_being_sent_to_another_process() -> None:
    local = from_frame(with_offsets(night_frame())).local
    again = pickle.loads(pickle.dumps(local))
    assert again == local
    assert again.moment(0) == local.moment(0)
