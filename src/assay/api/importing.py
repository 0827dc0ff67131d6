"""Scores of other benchmarks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from assay.core.files.folders import user_path
from assay.intake.table.options import TableOptions
from assay.publish.scores.importing import import_table
from assay.report import Results
from assay.report import load as load_folder

__all__ = ["import_scores"]


def import_scores(
    path: str | Path,
    *,
    out: str | Path = "imported",
    name: str = "",
    allow_gaps: bool = False,
    columns: Mapping[str, str] | None = None,
    separator: str | None = None,
    encoding: str | None = None,
) -> Results:
    r"""Bring the scores of another benchmark into a results folder: tables, comparisons and reports work on them.

    Everything that is made of them says that they were imported; nothing of them was examined here.

    Parameters
    ----------
    path : str or Path
        A CSV or Parquet file, a row per score: subject, problem, seed, metric, value, direction (``max`` or ``min``);
        columns ``tag.NAME`` are tags of the problems. The first metric ranks. Or an ``.eval`` log of Inspect AI, or a
        folder of such logs: see :func:`assay.connections.inspect.read_log_scores`.
    out : str or Path
        The results folder.
    name : str, optional
        What the benchmark is called; by default as the file is.
    allow_gaps : bool
        Whether subjects may lack scores that others have.
    columns : mapping of str to str, optional
        Columns that are called otherwise, by what they hold: ``{"subject": "Model"}``.
    separator, encoding : str, optional
        How the text is written, where it is not found rightly.

    Returns
    -------
    Results
        The imported scores alone.

    Raises
    ------
    InvalidInput
        The table has gaps, duplicates, mixed directions or values that are no numbers; the message names the lines.

    Examples
    --------
    >>> import assay, pathlib, tempfile
    >>> cells = [(subject, problem) for subject in ("a", "b") for problem in ("p", "q")]
    >>> rows = [f"{subject},{problem},0,accuracy,0.{ord(subject)},max" for subject, problem in cells]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "scores.csv")
    ...     _ = file.write_text("\n".join(["subject,problem,seed,metric,value,direction", *rows]))
    ...     assay.import_scores(file, out=f"{folder}/results").tracks[0]
    TrackResults('scores (imported)', 4 of 4 records, 2 subjects, 2 problems)
    """
    options = TableOptions(columns=dict(columns or {}), separator=separator, encoding=encoding)
    imported = import_table(user_path(path), user_path(out), name=name, allow_gaps=allow_gaps, options=options)
    return load_folder(imported.folder).only([imported.track])
