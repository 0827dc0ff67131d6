"""Results in a local tracking store of MLflow itself."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import assay
from assay.cli.main import cli
from assay.connections.mlflow import _metrics, export_runs
from assay.core import Record
from assay.core.errors import MissingExtra
from assay.report import Results

SUBJECTS = {"good": "h + t*(v - g*t/2)", "bad": "h"}


@pytest.fixture(scope="module")
def mlflow() -> Any:
    return pytest.importorskip("mlflow", reason="MLflow is not installed: `make connections` runs this test")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("mlflow")
    for name, formula in SUBJECTS.items():
        (folder / name).mkdir()
        (folder / name / "exact-3.json").write_text(f'{{"models": ["{formula}"]}}')
    subjects = {name: folder / name for name in SUBJECTS}
    return assay.run("formula", subjects, problems="exact-3", seeds=2, out=folder / "results", progress=False)


def test_a_record_without_a_date_has_the_time_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    entities = SimpleNamespace(Metric=lambda name, value, when, step: (name, value, when, step))
    monkeypatch.setitem(sys.modules, "mlflow", SimpleNamespace(entities=entities))
    monkeypatch.setitem(sys.modules, "mlflow.entities", entities)
    shared: dict[str, Any] = {
        **{"key": "k", "answer_key": "a", "track": "cases", "problem_digest": "p", "subject": "vote"},
        **{"subject_digest": "s", "seed": 0, "status": "ok"},
    }
    records = [
        Record(problem="old", scores={"auroc": 0.5}, **shared),
        Record(problem="new", scores={"auroc": 1.0}, created="2026-11-18T00:00:00+00:00", **shared),
    ]
    assert list(_metrics(records)) == [("auroc", 0.75, 1_794_960_000_000, 0)]
    assert list(_metrics(records[:1])) == [("auroc", 0.5, 0, 0)]


def test_without_mlflow_the_way_to_install_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.connections.mlflow.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="mlflow-skinny, which is not installed: pip install 'mlflow-skinny<4"):
        export_runs(Results(folder=Path(), tracks=()))


@pytest.mark.filterwarnings("ignore")  # those of MLflow and of what it stands on
def test_a_run_per_subject_has_steps_tags_and_artifacts(mlflow: Any, results: Any, tmp_path: Path) -> None:
    tracking = f"sqlite:///{tmp_path}/mlflow.db"
    runs = {entry.subject: entry for entry in export_runs(results, tracking=tracking, experiment="laws")}
    assert {name: entry.new for name, entry in runs.items()} == {"good": True, "bad": True}
    client = mlflow.MlflowClient(tracking_uri=tracking)
    records: list[Record] = [record for record in results.records if record.subject == "good"]
    run = client.get_run(runs["good"].run_id)
    history = client.get_metric_history(runs["good"].run_id, "property_score")
    assert [(entry.step, entry.value) for entry in history] == [(0, 1.0), (1, 1.0)]
    assert client.get_run(runs["bad"].run_id).data.metrics["property_score"] == 0.0
    assert "extrapolation" not in run.data.metrics  # undefined for this problem
    assert run.data.tags["assay.subject_digest"] == records[0].subject_digest
    assert run.data.params["seeds"] == "2"
    assert run.info.status == "FINISHED"
    paths = {entry.path for entry in client.list_artifacts(runs["good"].run_id)}
    assert paths == {"report.html", "scores.csv"}
    assert Path(client.download_artifacts(runs["good"].run_id, "report.html")).stat().st_size > 10_000
    again = export_runs(results, tracking=tracking, experiment="laws")
    assert [(entry.run_id, entry.new) for entry in again] == [(runs[entry.subject].run_id, False) for entry in again]


def test_the_command_has_its_options() -> None:
    assert cli.get_command(None, "mlflow") is not None  # type: ignore[arg-type]
