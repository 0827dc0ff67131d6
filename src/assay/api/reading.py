"""Existing results: load and compare."""

from __future__ import annotations

from pathlib import Path

from assay.api.references import metric_texts
from assay.core import InvalidInput
from assay.core.files.folders import user_path
from assay.report import Results, with_metrics
from assay.report import load as load_folder
from assay.report.comparing import SubjectComparison

__all__ = ["compare", "folder_of", "load"]


def load(path: str | Path | Results, *, metrics: object = ()) -> Results:
    """The results of a folder, or of an exported archive: the latest run of each track.

    Parameters
    ----------
    path : str or Path
        A results folder, or a ``.zip`` that :meth:`assay.Results.export` wrote.
    metrics : str, Path, Aggregate or several of these
        Aggregates of one's own, as for :func:`assay.run`: a results folder never says what code to import.

    Returns
    -------
    Results
        The same object that :func:`assay.run` gives.

    Raises
    ------
    InvalidInput
        If the folder is not found, or nothing was run there.

    Examples
    --------
    >>> import assay
    >>> results = assay.run("conformal", "oracle", problems=assay.problems("conformal")[:2])
    >>> assay.load(results.folder).subjects
    ('oracle',)
    """
    results, _ = with_metrics(load_folder(folder_of(path)), metric_texts(metrics))
    return results


def compare(
    results: str | Path | Results, a: str, b: str, *, metric: str | None = None, track: str | None = None
) -> SubjectComparison:
    """Two subjects on the problems that both have: paired difference, interval, p.

    Parameters
    ----------
    results : Results, str or Path
        Results, or a folder or archive of results.
    a, b : str
        Names of subjects; the part before the bracket is enough where only one subject has it.
    metric : str, optional
        By default the track's headline.
    track : str, optional
        Which track, where several hold both subjects.

    Returns
    -------
    SubjectComparison
        ``difference`` (the mean of a - b with its interval), ``p_value``, ``wins``, ``ties``, ``losses``.

    Raises
    ------
    InvalidInput
        An unknown subject, metric or track.

    Examples
    --------
    >>> import assay
    >>> results = assay.run("conformal", ["full-set", "oracle"], problems=assay.problems("conformal")[:2])
    >>> found = assay.compare(results, "oracle", "full-set")
    >>> found.wins, found.losses
    (2, 0)
    """
    loaded = results if isinstance(results, Results) else load(results)
    return loaded.compare(a, b, metric=metric, track=track)


def folder_of(place: object, what: str = "results") -> Path:
    """A folder from a text, a path, or results that lie there."""
    if isinstance(place, Results):
        return place.folder
    if isinstance(place, str | Path):
        return user_path(place)
    raise InvalidInput(f"{what}: must be a path, as in {what}='results', got {type(place).__name__}.")
