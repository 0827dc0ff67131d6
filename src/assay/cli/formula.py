"""``assay formula``: is a model the truth?"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from assay.cli.options import json_option, print_json

if TYPE_CHECKING:
    from assay.formula.dialects import DialectName

__all__ = ["app"]

_DIALECTS = ("auto", "plain", "gplearn", "operon", "pysr")


@click.group()
def app() -> None:
    """The formula track's own commands."""


@app.command(epilog='Example: assay formula equivalent "m*v**2/2" "0.5*v*v*m" --domain "m=1:5,v=0:10"')
@click.argument("truth")
@click.argument("model")
@click.option("--domain", metavar="BOX", help='Where they are compared, as in "x=0:5,y=-1:1"; else boxes are tried.')
@click.option("--names", metavar="A,B,...", help="The variables in their order, for a model that counts columns.")
@click.option(
    "--dialect", type=click.Choice(_DIALECTS), default="auto", show_default=True, help="How the model is written."
)
@click.option("--prove", is_flag=True, help="Add a symbolic proof where one is found in time.")
@click.option(
    "--seconds", default=5.0, show_default=True, type=click.FloatRange(min=0.1), help="The limit of every long step."
)
@click.option("--seed", default=0, show_default=True, type=int, help="Of the points at which they are compared.")
@json_option
def equivalent(
    truth: str,
    model: str,
    domain: str | None,
    names: str | None,
    dialect: str,
    prove: bool,
    seconds: float,
    seed: int,
    as_json: bool,
) -> None:
    """Say whether MODEL is TRUTH: identical, up to an offset or a factor, of the same form, or different, and why.

    A model that begins with a minus follows two dashes: assay formula equivalent -- "x" "-x".
    """
    from assay.formula.equivalence import equivalent as check
    from assay.formula.sampling import parse_domain

    found = check(
        truth,
        model,
        domain=None if domain is None else parse_domain(domain),
        names=None if names is None else [name.strip() for name in names.split(",")],
        dialect=cast("DialectName", dialect),
        seed=seed,
        seconds=seconds,
        symbolic=prove,
    )
    if as_json:
        print_json({"truth": truth, "model": model, **found.to_json()})
    else:
        click.echo(found.summary())
