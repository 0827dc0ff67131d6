"""The page of a folder's runs."""

from __future__ import annotations

from collections.abc import Sequence

from assay.report.history.changes import RunChanges
from assay.report.page.environment import environment, page_parts

__all__ = ["history_page"]

LISTED = 12  # names that are listed one by one


def history_page(name: str, changes: Sequence[RunChanges]) -> str:
    """The page as text, under the same policy as the report."""
    template = environment().get_template("history.html.j2")
    return template.render(**page_parts("theme.js"), name=name, changes=changes, listed=LISTED)
