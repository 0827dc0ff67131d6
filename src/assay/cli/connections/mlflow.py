"""``assay mlflow``: results as runs of MLflow."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.options import folder_argument, json_option, print_json

__all__ = ["mlflow"]


@click.command(epilog="Example: assay mlflow results --tracking sqlite:///mlflow.db")
@folder_argument
@click.option(
    "--tracking",
    default="sqlite:///mlflow.db",
    show_default=True,
    metavar="URI",
    help="Write to this tracking store or server of MLflow.",
)
@click.option(
    "--experiment", default="assay", show_default=True, metavar="NAME", help="Log into this experiment of MLflow."
)
@json_option
def mlflow(folder: Path, tracking: str, experiment: str, as_json: bool) -> None:
    """Write the latest runs of DIR into MLflow: a run per subject, a step per seed, digests as tags, the report.

    What was exported before is found again and not written twice.
    """
    from assay.connections.mlflow import export_runs
    from assay.report import load

    runs = export_runs(load(folder), tracking=tracking, experiment=experiment)
    if as_json:
        print_json([entry._asdict() for entry in runs])
        return
    for entry in runs:
        click.echo(f"{entry.run_id}  {entry.track}: {entry.subject}{'' if entry.new else ' (exported before)'}")
