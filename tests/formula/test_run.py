"""The shipped methods in a run, each confined to a process of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.core import Record, track_names
from assay.formula import generate
from assay.harness import RunSpec, run
from assay.report import load, write_html

pytestmark = pytest.mark.skipif(
    "formula" not in track_names(), reason="the track is not registered, so workers cannot find it"
)
for library in ("gplearn", "pyoperon", "pysindy"):
    pytest.importorskip(library, reason="the extra 'symbolic' is not installed")

REGRESSOR = """
from sklearn.linear_model import LinearRegression

est = LinearRegression()

def model(est, X=None):
    terms = [f"({weight!r})*{name}" for weight, name in zip(est.coef_.tolist(), X.columns)]
    return " + ".join([*terms, repr(float(est.intercept_))])
"""
METHODS = (
    *("linear", "polynomial", "gplearn(population=60, generations=3)"),
    *("pyoperon(population=100, evaluations=5000)", "pysindy"),
)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    options = {"properties": ["noise"], "difficulties": ["easy"], "levels": (0.0, 0.2), "rows": 60, "test_rows": 60}
    generate(folder / "problems", problems=1, seed=2, **options)  # type: ignore[arg-type]
    for name in ("regressor.py", "algorithm/regressor.py"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(REGRESSOR)
    (folder / "wrapped.py").write_text(
        "import regressor\nfrom assay.formula.subjects.srbench_file import srbench_subject\n"
        "subject = srbench_subject(regressor)\n"
    )
    direct = f"srbench(file='{folder / 'algorithm' / 'regressor.py'}')"
    spec = RunSpec(
        track="formula",
        problems=("problems",),
        subjects=(*METHODS, "wrapped.py", direct, "oracle"),
        readable=("algorithm",),
        seconds=60,
        folder=folder,
    )
    run([spec], out=folder / "out", workers=1)
    return folder / "out"


@pytest.fixture(scope="module")
def records(results: Path) -> dict[str, Record]:
    return {record.subject.partition("(")[0]: record for entry in load(results).tracks for record in entry.records}


@pytest.mark.parametrize("name", [method.partition("(")[0] for method in METHODS])
def test_a_method_answers_for_every_level_and_its_text_is_its_model(records: dict[str, Record], name: str) -> None:
    record = records[name]
    assert (record.status, record.isolation.partition(",")[0]) == ("ok", "confined"), record.error
    parts = record.details["parts"]
    assert isinstance(parts, list)
    assert len(parts) == 2
    assert record.scores["prediction_mismatch"] < 1e-5


def test_a_file_in_srbenchs_manner_is_the_same_read_directly_or_through_a_file_of_ones_own(
    records: dict[str, Record],
) -> None:
    assert records["srbench"].status == records["wrapped"].status == "ok", records["srbench"].error
    assert records["srbench"].scores == pytest.approx(records["wrapped"].scores, nan_ok=True)
    assert records["wrapped"].scores["r2"] == pytest.approx(records["linear"].scores["r2"])


def test_the_report_draws_what_was_found(results: Path) -> None:
    write_html(load(results), results / "report.html", resamples=100)
    page = (results / "report.html").read_text(encoding="utf-8")
    for title in ("Quality against noise", "Accuracy against size", "Formulas beside the truth"):
        assert title in page
    assert "could not be drawn" not in page
