"""``assay plan-size``: how many problems tell two subjects apart."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from assay.cli.shared.options import cluster_option, folder_argument, json_option, print_json, track_option

__all__ = ["plan_size"]


@click.command("plan-size", epilog="Example: assay plan-size results vote trust-score --effect 0.02 --power 0.9")
@folder_argument
@click.argument("a")
@click.argument("b")
@track_option
@click.option("--metric", metavar="METRIC", help="By default the headline.")
@click.option("--effect", type=float, metavar="X", help="The difference to find; by default the observed one.")
@click.option("--power", type=float, default=0.8, show_default=True, metavar="P", help="Chance of finding it.")
@click.option("--level", type=float, default=0.05, show_default=True, metavar="P", help="Chance of a false alarm.")
@cluster_option
@json_option
def plan_size(
    folder: Path,
    a: str,
    b: str,
    track_name: str | None,
    metric: str | None,
    effect: float | None,
    power: float,
    level: float,
    clusters: tuple[str, ...],
    as_json: bool,
) -> None:
    """Say how many problems tell subject A and subject B of DIR apart, from the differences recorded there."""
    from assay.cli.shared.summary import chosen
    from assay.report import print_whole

    results = chosen(folder, track_name, clusters)
    planned = results.plan_size(a, b, metric=metric, effect=effect, power=power, level=level)
    if as_json:
        print_json(asdict(planned))
        return
    print_whole(repr(planned))
