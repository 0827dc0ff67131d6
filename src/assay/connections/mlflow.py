"""Results as runs of MLflow: one per subject, a step per seed, digests as tags, the report as an artifact."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core import Record, digest_json
from assay.core.errors import MissingExtra
from assay.report import Results
from assay.version import __version__

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["LoggedRun", "export_runs"]

_TRACKING = "sqlite:///mlflow.db"
_KEY = "assay.records"  # the tag by which a run is known again
_FORBIDDEN = re.compile(r"[^\w./: -]")
_AT_ONCE = 1000  # metrics of one request, which MLflow bounds


class LoggedRun(NamedTuple):
    """A subject as a run of MLflow.

    Parameters
    ----------
    run_id : str
        Of MLflow.
    track, subject : str
        What it shows.
    new : bool
        False where the same records were exported before.
    """

    run_id: str
    track: str
    subject: str
    new: bool


def export_runs(results: Results, *, tracking: str = _TRACKING, experiment: str = "assay") -> list[LoggedRun]:
    """Write results into a tracking store of MLflow, one run for each subject of each track.

    A metric has one step per seed, with the mean over problems as its value (a failed cell counts with the floor,
    undefined scores are left out). Digests of subject, problems and records, and the versions of metrics, are tags.
    Artifacts are ``scores.csv``, a row per problem, seed and metric, and ``report.html``. What was exported before is
    found again by the digest of its records and not written twice.

    Parameters
    ----------
    results : Results
        Of :func:`assay.run` or :func:`assay.load`.
    tracking : str, default "sqlite:///mlflow.db"
        A tracking store or server.
    experiment : str, default "assay"
        Of MLflow; made where it is missing.

    Returns
    -------
    list of LoggedRun
        One per track and subject.

    Raises
    ------
    MissingExtra
        MLflow is not installed.
    """
    if find_spec("mlflow") is None:
        raise MissingExtra("Exporting to MLflow", "mlflow-skinny", "mlflow")
    from mlflow import MlflowClient

    client = MlflowClient(tracking_uri=tracking)
    stored = client.get_experiment_by_name(experiment)
    place = stored.experiment_id if stored is not None else client.create_experiment(experiment, _artifacts(tracking))
    with tempfile.TemporaryDirectory(prefix="assay-mlflow-") as folder:
        report = results.to_html(Path(folder) / "report.html")
        pairs = dict.fromkeys((record.track, record.subject) for record in results.records)
        return [_log(client, place, results, track, subject, report) for track, subject in pairs]


def _artifacts(tracking: str) -> str | None:
    """Beside a database in a file; servers have a place of their own."""
    if not tracking.startswith("sqlite:///"):
        return None
    return (Path(tracking.removeprefix("sqlite:///")).resolve().parent / "mlartifacts").as_uri()


def _log(client: Any, place: str, results: Results, track: str, subject: str, report: Path) -> LoggedRun:
    records = [record for record in results.records if record.track == track and record.subject == subject]
    key = digest_json(sorted(record.key for record in records))
    exported = client.search_runs([place], filter_string=f"tags.`{_KEY}` = '{key}'", max_results=1)
    if exported:
        return LoggedRun(exported[0].info.run_id, track, subject, new=False)
    run = client.create_run(place, run_name=f"{track}: {subject}", tags=_tags(records, track, subject))
    name = run.info.run_id
    metrics = list(_metrics(records))
    for start in range(0, len(metrics), _AT_ONCE):
        client.log_batch(name, metrics=metrics[start : start + _AT_ONCE])
    for param, value in _parameters(records).items():
        client.log_param(name, param, value)
    with tempfile.TemporaryDirectory(prefix="assay-scores-") as folder:
        path = Path(folder) / "scores.csv"
        _own(results.scores, track, subject).to_csv(path, index=False)
        client.log_artifact(name, str(path))
    client.log_artifact(name, str(report))
    client.set_tag(name, _KEY, key)  # last: a run that was cut off is not mistaken for a whole one
    client.set_terminated(name, "FINISHED")
    return LoggedRun(name, track, subject, new=True)


def _own(scores: pd.DataFrame, track: str, subject: str) -> pd.DataFrame:
    return scores[(scores["track"] == track) & (scores["subject"] == subject)]


def _tags(records: list[Record], track: str, subject: str) -> dict[str, str]:
    versions = records[0].versions if records else {}
    return {
        "assay.version": __version__,
        "assay.track": track,
        "assay.subject": subject,
        "assay.subject_digest": ", ".join(sorted({record.subject_digest for record in records})),
        "assay.problems_digest": digest_json(sorted({record.problem_digest for record in records})),
        "assay.versions": ", ".join(f"{name}={version}" for name, version in sorted(versions.items())),
        "assay.isolation": ", ".join(sorted({record.isolation for record in records})),
    }


def _parameters(records: list[Record]) -> dict[str, object]:
    first: dict[str, object] = dict(records[0].budget) if records else {}
    first.pop("seed", None)
    return {
        "problems": len({record.problem_digest for record in records}),
        "seeds": len({record.seed for record in records}),
        "failed": sum(record.status == "failed" for record in records),
        **{f"budget.{name}": value for name, value in first.items()},
        **{f"setting.{name}": value for name, value in (records[0].settings if records else {}).items()},
    }


def _metrics(records: list[Record]) -> Iterator[Any]:
    """The mean of every metric over problems, a step per seed; names without the signs that MLflow refuses."""
    import numpy as np
    from mlflow.entities import Metric

    for seed in sorted({record.seed for record in records}):
        own = [record for record in records if record.seed == seed]
        created = [datetime.fromisoformat(record.created).timestamp() for record in own if record.created]
        when = int(1000 * max(created, default=0))
        for name in sorted({metric for record in own for metric in record.scores}):
            values = np.array([record.scores.get(name, np.nan) for record in own])
            defined = values[~np.isnan(values)]
            if len(defined) and np.isfinite(defined).all():
                yield Metric(_FORBIDDEN.sub("_at_", name), float(defined.mean()), when, seed)
