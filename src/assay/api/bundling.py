"""Results that others can verify."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path

from assay.api.progress import choose_progress
from assay.api.reading import folder_of
from assay.api.references import metric_texts
from assay.api.running import cores
from assay.core.checks import demand_whole
from assay.core.files.folders import user_path
from assay.harness import Progress
from assay.publish.bundle.verification import Verification
from assay.publish.bundle.verifying import verify_bundle
from assay.publish.bundle.writing import BundleFile, write_bundle
from assay.report import Results

__all__ = ["Verification", "bundle", "bundle_file", "verify"]

_LOGGER = logging.getLogger(__name__)


def bundle(
    results: str | Path | Results,
    *,
    out: str | Path = "bundle.zip",
    metrics: object = (),
    slim: bool = False,
    sign: str | Path | None = None,
    progress: Progress | bool | None = None,
) -> Path:
    """Write results as one archive that anyone can verify: problems, answers, settings, versions and records.

    Equal results give equal bytes. The truths of the problems are part of it; what subjects printed is not.

    Parameters
    ----------
    results : str, Path or Results
        A results folder: the latest run of each track.
    out : str or Path
        The archive to write.
    metrics : str, Path, Metric, callable or several of these
        Your own metrics that the records were scored with, as for :func:`run`: their code is put in. Reviewers read it
        before they run it.
    slim : bool
        Whether built-in problems are left out: every installation of this version writes them again.
    sign : str or Path, optional
        An SSH key to sign with.
    progress : bool or Progress, optional
        As for :func:`run`.

    Returns
    -------
    Path
        The archive.

    Raises
    ------
    InvalidInput
        There are no such results, a problem has changed since it was run, or the key cannot sign.

    Examples
    --------
    >>> import assay, tempfile
    >>> results = assay.run("conformal", "oracle", problems=assay.problems("conformal")[:1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     assay.verify(assay.bundle(results, out=f"{folder}/bundle.zip"), workers=1).matches
    True
    """
    archive = bundle_file(results, out=out, metrics=metrics, slim=slim, sign=sign, progress=progress)
    for line in archive.notices:
        _LOGGER.warning(line)
    return archive.path


def bundle_file(
    results: str | Path | Results,
    *,
    out: str | Path,
    metrics: object,
    slim: bool,
    sign: str | Path | None,
    progress: Progress | bool | None,
) -> BundleFile:
    """The archive that :func:`bundle` writes, with its size and notices."""
    watch = choose_progress(progress)
    try:
        return write_bundle(
            folder_of(results, "results"),
            user_path(out),
            metrics=metric_texts(metrics),
            slim=slim,
            key=None if sign is None else user_path(sign),
            say=getattr(watch, "status", None),
        )
    finally:
        watch.stop()


def verify(
    path: str | Path,
    *,
    share: float = 1.0,
    salt: str = "",
    signers: str | Path | None = None,
    resolve: bool = False,
    subjects: str | Iterable[str] = (),
    metrics: object = (),
    trust_metrics: bool = False,
    workers: int | None = None,
    progress: Progress | bool | None = None,
) -> Verification:
    """Verify a bundle: its shape, every hash, and every answer examined again with the metrics of this installation.

    No subject is run, and no metric that came with the bundle, unless you say so. Feature functions of the insight
    track run in the sandbox.

    Parameters
    ----------
    path : str or Path
        An archive of :func:`bundle`.
    share : float
        The share of the answers of each track that is examined; drawn by the hash of the manifest.
    salt : str
        A word of your own that changes the draw, so that nobody could foresee it.
    signers : str or Path, optional
        A file of allowed signers, as ssh-keygen reads it: the bundle must be signed by one of them.
    resolve : bool
        Whether subjects are run again, confined as by :func:`run`: built-in ones, and those in ``subjects``.
    subjects : str or several
        Where subjects of the bundle are here, as ``"NAME=agent.py"``.
    metrics : str, Path, Metric, callable or several of these
        Your own copies of metrics that the author wrote.
    trust_metrics : bool
        Whether metrics of the author's that are in the bundle are run. They run as you, without a sandbox.
    workers : int, optional
        Parallel workers; by default one per core.
    progress : bool or Progress, optional
        As for :func:`run`.

    Returns
    -------
    Verification
        With ``matches``, ``differences`` and ``summary()``.

    Raises
    ------
    InvalidInput
        The file is no bundle, is damaged, or is one of a newer version.

    Examples
    --------
    >>> import assay, tempfile
    >>> results = assay.run("conformal", "oracle", problems=assay.problems("conformal")[:1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = assay.verify(assay.bundle(results, out=f"{folder}/bundle.zip"), workers=1)
    >>> print(found.summary())
    MATCH: ...bundle.zip
    Manifest ...
    Examined 1 of 1 record. Not signed.
    ...
    """
    if workers is not None:
        demand_whole(workers, "workers", least=1)
    return verify_bundle(
        user_path(path),
        share=share,
        salt=salt,
        signers=None if signers is None else user_path(signers),
        resolve=resolve,
        subjects=(subjects,) if isinstance(subjects, str) else tuple(subjects),
        metrics=metric_texts(metrics),
        trust_metrics=trust_metrics,
        workers=workers or cores(),
        progress=choose_progress(progress),
    )
