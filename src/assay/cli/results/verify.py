"""``assay verify``: is a bundle what it says?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from assay.cli.shared.options import PATH, json_option, metric_option, print_json, workers_option

__all__ = ["verify"]


@click.command(epilog="Example: assay verify bundle.zip --signer allowed_signers")
@click.argument("bundle", metavar="BUNDLE", type=PATH)
@click.option("--share", type=float, default=1.0, metavar="SHARE", help="Examine only this share of the answers [1].")
@click.option("--salt", default="", metavar="WORD", help="Draw the sample of --share with this word as the seed.")
@click.option(
    "--signer",
    "signers",
    type=PATH,
    metavar="FILE",
    help="Demand a signature by one of the allowed signers in FILE (see ssh-keygen).",
)
@click.option(
    "--resolve", is_flag=True, help="Also rerun the subjects that are installed here, confined as in assay run."
)
@click.option(
    "--subject",
    "subjects",
    multiple=True,
    metavar="NAME=REFERENCE",
    help="Say where a subject of the bundle is found on this machine, for --resolve; repeatable.",
)
@metric_option("Use your own copy of a metric of the author: FILE.py:NAME or module:NAME; repeatable.")
@click.option("--trust-metrics", is_flag=True, help="Run the metric code in BUNDLE, unconfined and with your rights.")
@workers_option
@json_option
@click.option("--quiet", is_flag=True, help="Print only the verdict, without a progress bar.")
def verify(bundle: Path, as_json: bool, quiet: bool, **how: Any) -> int:
    """Verify BUNDLE, written by assay bundle: its structure, every hash, and the scores of every answer.

    Prints MATCH, or each number that could not be reproduced with the likely reason, and what remains unproven. Exit
    code 1 if something differs. No code of BUNDLE is run except feature functions, in the sandbox.
    """
    from assay.api import verify as verify_file
    from assay.cli.main import EXIT_MACHINE, EXIT_MISSED
    from assay.cli.shared.output import stop_cleanly_when_terminated

    stop_cleanly_when_terminated()
    verification = verify_file(bundle, progress=not (quiet or as_json), **how)
    if as_json:
        print_json(verification.to_json())
    else:
        click.echo(verification.verdict if quiet else verification.summary())
    if verification.differences:
        return EXIT_MISSED
    return EXIT_MACHINE if verification.lost else 0
