"""Explains a feature function by its source alone: which lines could reach the row's own label, and how.

It follows names, not values: what it reports may be harmless and what it misses may leak. Verdicts come from running
the function; this says where to look. Nothing of the source is ever run.
"""

from __future__ import annotations

from collections.abc import Collection

from assay.insight.columns.calling import UNREADABLE, parse_source
from assay.insight.leakage.static.calls import TooLong
from assay.insight.leakage.static.findings import FindingKind, Notes, StaticFinding
from assay.insight.leakage.static.flow import Flow
from assay.insight.leakage.static.reach import split_by_reach
from assay.insight.leakage.static.reads import Reads
from assay.insight.leakage.static.scan import scan_source

__all__ = ["FindingKind", "StaticFinding", "explain_source"]

_AT_LOADING = {"files", "network", "processes", "introspection", "dynamic-code"}  # done for every function of a source


def explain_source(code: str, name: str, *, target: str, tables: Collection[str] = ()) -> tuple[StaticFinding, ...]:
    r"""The lines of a source that matter for leakage of the target by one of its functions, without running it.

    Any text may be given: one that is no Python has one finding that says so.

    Parameters
    ----------
    code : str
        The source.
    name : str
        The feature function's name.
    target : str
        The target column.
    tables : collection of str, optional
        The auxiliary tables whose rows have times: using one of them without comparing times is reported; of other
        tables only where a column that looks like a date is read.

    Returns
    -------
    tuple of StaticFinding
        Line, kind and explanation, in order; empty when no line matters.

    Examples
    --------
    >>> explain_source("def debt(row):\n    return row['chu' + 'rn'] * 2", "debt", target="churn")
    (StaticFinding(line=2, kind='own-label', words="Reads 'churn', the target itself, from the row."),)
    >>> explain_source("def debt(row):  # not row['churn']\n    return row['churn_risk']", "debt", target="churn")
    ()
    """
    notes = Notes()
    try:
        tree = parse_source(code)
    except SyntaxError as error:
        notes.add(error.lineno or 1, "syntax", f"This is no Python that can be read: {str(error.msg)[:100]}.")
        return notes.sorted()
    except UNREADABLE as error:
        notes.add(1, "syntax", f"The source cannot be read: {str(error)[:100] or 'too deeply nested'}.")
        return notes.sorted()
    reads = Reads(notes, target, tables)
    try:
        if not Flow(reads).follow(tree, name):
            notes.add(1, "syntax", f"There is no function {name[:60]!r} in the source.")
    except TooLong:
        notes.add(1, "syntax", "The source is too long to be followed to the end.")
    except RecursionError:
        notes.add(1, "syntax", "The source is nested too deeply to be followed to the end.")
    reads.finish()
    parts = split_by_reach(tree, name)
    scan_source(parts.reached, notes)
    at_loading = Notes()
    scan_source(parts.loaded, at_loading)
    for finding in at_loading.sorted():
        if finding.kind in _AT_LOADING:
            notes.add(*finding)
    return notes.sorted()
