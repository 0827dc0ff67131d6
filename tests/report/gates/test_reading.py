from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core import InvalidInput
from assay.report import Results
from assay.report.gates.reading import read_fail_under, read_not_worse

TRACK = "conformal"  # one that is installed: the reader loads what it names


@pytest.fixture
def earlier(make_results: Callable[..., Results], tmp_path: Path) -> Path:
    folder = make_results([("iris", "vote", 0, 0.5, 1.0, {})], track=TRACK).folder
    (tmp_path / "a:b,c").symlink_to(folder)
    (tmp_path / "old").symlink_to(folder)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "subjects", "metric", "value"),
    [
        ("0.8", (), None, 0.8),
        ("-1e3", (), None, -1000.0),
        ("auroc=0.8", (), "auroc", 0.8),
        ("fpr@0.95=.1", (), "fpr@0.95", 0.1),
        ("my-agent:0.8", ("my-agent",), None, 0.8),
        ("my-agent:auroc=0.8", ("my-agent",), "auroc", 0.8),
        ("a, b:auroc=0.8", ("a", "b"), "auroc", 0.8),
        ("knn(k=5):0.8", ("knn(k=5)",), None, 0.8),
        ("knn(k=5, p='a:b'),pkg.mod:Solver:auroc=0.8", ("knn(k=5, p='a:b')", "pkg.mod:Solver"), "auroc", 0.8),
    ],
)
def test_thresholds_are_read_from_the_right(
    text: str, subjects: tuple[str, ...], metric: str | None, value: float
) -> None:
    gate = read_fail_under(text)
    assert (gate.subjects, gate.metric, gate.value) == (subjects, metric, value)


NAMES = st.text("abc(=:1.@-", min_size=1, max_size=12).filter(lambda name: name.count("(") == 0 or ":" not in name)


@given(NAMES, st.floats(allow_nan=False, allow_infinity=False))
def test_whatever_a_subject_is_called_a_gate_can_name_it(name: str, value: float) -> None:
    gate = read_fail_under(f"{name}:auroc={value!r}")
    assert (gate.subjects, gate.metric, gate.value) == ((name,), "auroc", value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("auroc=abc", "--fail-under auroc=abc: the threshold must be a number, as in 0.8, auroc=0.8"),
        ("auroc", "the threshold must be a number"),
        ("", "the threshold must be a number"),
        ("nan", "must be a finite number"),
        ("auroc=inf", "must be a finite number"),
        ("=0.8", "a name is missing. Write it as [SUBJECT,...:][METRIC=]VALUE"),
        (":auroc=0.8", "a name is missing"),
        ("vote:=0.8", "a name is missing"),
    ],
)
def test_thresholds_that_cannot_be_read_say_how_to_write_them(text: str, message: str) -> None:
    with pytest.raises(InvalidInput) as error:
        read_fail_under(text)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("text", "subjects", "folder", "metric", "margin"),
    [
        ("old", (), "old", None, 0.0),
        ("old,by=0.02", (), "old", None, 0.02),
        ("old,share", (), "old", "share", 0.0),
        ("old,share,by=0.02", (), "old", "share", 0.02),
        ("knn(k=5, p=1),mod:S:old,share,by=1e-3", ("knn(k=5, p=1)", "mod:S"), "old", "share", 0.001),
        ("a:b,c", (), "a:b,c", None, 0.0),
        ("a:a:b,c,share,by=2", ("a",), "a:b,c", "share", 2.0),
    ],
)
def test_an_earlier_run_is_the_part_that_exists(
    earlier: Path, text: str, subjects: tuple[str, ...], folder: str, metric: str | None, margin: float
) -> None:
    gate = read_not_worse(text, folder=earlier)
    assert gate.baseline.folder == earlier / folder
    assert (gate.subjects, gate.metric, gate.margin) == (subjects, metric, margin)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("old,by=much", "the margin must be a number, as in DIR,by=0.02"),
        ("old,by=-1", "the margin must be a number of at least 0"),
        ("old,by=nan", "the margin must be a number of at least 0"),
        ("odl", "results folder not found. Did you mean"),
        ("vote:odl", "none of its parts is a results folder. Write it as [SUBJECT,...:]DIR[,METRIC][,by=MARGIN]"),
    ],
)
def test_earlier_runs_that_cannot_be_read_say_why(earlier: Path, text: str, message: str) -> None:
    place = earlier / "old"
    (earlier / "old").unlink()
    (earlier / "old").mkdir()
    (earlier / "old" / "assay.sqlite").write_bytes((place.parent / "a:b,c" / "assay.sqlite").read_bytes())
    with pytest.raises(InvalidInput) as error:
        read_not_worse(text, folder=earlier)
    assert message in str(error.value)
