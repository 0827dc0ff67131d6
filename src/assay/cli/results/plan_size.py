"""``assay plan-size``: how many problems tell two subjects apart."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from assay.cli.shared.options import headline_option, json_option, print_json
from assay.cli.shared.results_options import results_options

if TYPE_CHECKING:
    from assay.report import Results

__all__ = ["plan_size"]


@click.command("plan-size", epilog="Example: assay plan-size results vote trust-score --effect 0.02 --power 0.9")
@results_options
@click.argument("a")
@click.argument("b")
@headline_option
@click.option("--effect", type=float, metavar="X", help="Detect a difference of this size [the observed one].")
@click.option(
    "--power", type=float, default=0.8, show_default=True, metavar="P", help="Detect it with this probability."
)
@click.option(
    "--level",
    type=float,
    default=0.05,
    show_default=True,
    metavar="P",
    help="Accept this probability of a false alarm.",
)
@json_option
def plan_size(
    results: Results,
    a: str,
    b: str,
    metric: str | None,
    effect: float | None,
    power: float,
    level: float,
    as_json: bool,
) -> None:
    """Estimate how many problems are needed to tell subjects A and B apart, from their differences in DIR."""
    from assay.report import print_whole

    planned = results.plan_size(a, b, metric=metric, effect=effect, power=power, level=level)
    if as_json:
        print_json(asdict(planned))
        return
    print_whole(repr(planned))
