"""``assay rescore``: stored answers, today's metrics."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.options import folder_argument, json_option, metric_option, quiet_option, workers_option

__all__ = ["rescore"]


@click.command(epilog="Example: assay rescore results")
@folder_argument
@metric_option("Compute this metric too: recall@10, FILE.py:NAME, module:NAME or an installed one; repeatable.")
@workers_option
@json_option
@quiet_option
def rescore(folder: Path, metrics: tuple[str, ...], workers: int | None, as_json: bool, quiet: bool) -> int:
    """Score the stored answers of DIR again with the current metrics; no subject is run."""
    from assay.api import rescore as score_again
    from assay.api.progress import BarProgress
    from assay.cli.shared.summary import conclude

    progress = False if quiet or as_json else BarProgress()
    results = score_again(folder, metrics=metrics, workers=workers, progress=progress)
    return conclude(results, as_json=as_json, quiet=quiet)
