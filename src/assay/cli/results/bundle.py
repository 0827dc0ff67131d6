"""``assay bundle``: a results folder as one archive that others can verify."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.options import PATH, folder_argument, json_option, metric_option, out_option, print_json

__all__ = ["bundle"]


@click.command(epilog="Example: assay bundle results -o bundle.zip --sign ~/.ssh/id_ed25519")
@folder_argument
@out_option("bundle.zip", "Write to this archive.", "-o", "--out", metavar="FILE")
@metric_option("Include the code of a metric of your own: FILE.py:NAME or module:NAME; repeatable.")
@click.option("--slim", is_flag=True, help="Leave out built-in problems, which every installation can generate.")
@click.option("--sign", "key", type=PATH, metavar="KEY", help="Sign with this SSH key.")
@json_option
def bundle(folder: Path, out: Path, metrics: tuple[str, ...], slim: bool, key: Path | None, as_json: bool) -> None:
    """Write the latest runs of DIR as one archive that anyone can verify: assay verify FILE.

    Problems with their truths, answers, settings, versions and records, and the SHA-256 of each. The same results give
    the same bytes.
    """
    from assay.api.bundling import bundle_file
    from assay.cli.shared.output import stop_cleanly_when_terminated

    stop_cleanly_when_terminated()
    archive = bundle_file(folder, out=out, metrics=metrics, slim=slim, sign=key, progress=False if as_json else None)
    for line in archive.notices:
        click.echo(f"Note: {line}", err=True)
    if as_json:
        print_json(
            {
                "path": str(archive.path),
                "digest": archive.digest,
                "records": archive.records,
                "bytes": archive.size,
                "signed": key is not None,
                "notices": list(archive.notices),
            }
        )
        return
    click.echo(f"wrote {archive.path}: {archive.records:,} records, {archive.size:,} bytes, truths included", err=True)
    click.echo(f"Manifest {archive.digest}")
