from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from assay.core import InvalidInput
from assay.drift.generate.simulate import simulate
from assay.drift.logs.read import from_frame, read_log, write_log


@pytest.mark.parametrize("ending", ["xes", "xes.gz", "csv", "csv.gz", "parquet"])
def test_every_format_gives_back_what_was_written_and_writes_the_same_bytes(tmp_path: Path, ending: str) -> None:
    log = simulate(seed=1, cases=60).log
    path, again = tmp_path / f"{log.name}.{ending}", tmp_path / f"again.{ending}"
    write_log(log, path)
    write_log(log, again)
    if ending != "parquet":
        assert path.read_bytes() == again.read_bytes()
    copy = read_log(path)
    assert copy.name == log.name
    pd.testing.assert_frame_equal(copy.to_frame(), log.to_frame())


def test_a_frame_gives_a_log_and_a_log_a_frame() -> None:
    log = simulate(seed=2, cases=40).log
    copy = from_frame(log.to_frame(), name="again")
    assert copy.cases == log.cases
    np.testing.assert_array_equal(copy.times, log.times)
    pd.testing.assert_frame_equal(copy.to_frame(), log.to_frame())


def test_unusable_sources_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="file not found"):
        read_log(tmp_path / "absent.xes")
    (tmp_path / "log.doc").write_text("x")
    with pytest.raises(InvalidInput, match=r"\.doc is not a log format"):
        read_log(tmp_path / "log.doc")
    with pytest.raises(InvalidInput, match=r"written as \.xes"):
        write_log(simulate(seed=1, cases=30).log, tmp_path / "log.json")


@pytest.mark.parametrize("name", ["permits.tsv.gz", "permits.csv.GZ", "permits.XES.GZ", "permits.txt", "permits.pq"])
def test_a_log_is_named_after_its_file_without_its_endings(tmp_path: Path, name: str) -> None:
    log, path = simulate(seed=1, cases=30).log, tmp_path / name
    if name.lower().endswith((".xes.gz", ".csv.gz")):
        write_log(log, tmp_path / name.lower())
        (tmp_path / name.lower()).rename(path)
    elif name.endswith(".pq"):
        log.to_frame().to_parquet(path)
    else:
        log.to_frame().to_csv(path, sep="\t", index=False)
    assert read_log(path).name == "permits"


def test_a_folder_is_refused_with_what_it_holds(tmp_path: Path) -> None:
    (tmp_path / "permits.csv").write_text("case,activity,time\n")
    with pytest.raises(InvalidInput) as caught:
        read_log(tmp_path)
    message = f"{tmp_path}: this is a folder, and a file is needed. It holds permits.csv. Give the event log itself."
    assert str(caught.value) == message
