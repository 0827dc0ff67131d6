"""Where a bundle and its examination differ, and the likely reason."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from assay.core import Json, plain
from assay.report.wording import shown

__all__ = ["Difference", "Kind"]

Kind: TypeAlias = Literal[
    "bytes", "signature", "record", "settings", "version", "score", "detail", "answer", "problem", "metric"
]
_LONGEST = 80


class Difference(NamedTuple):
    """One thing that a bundle says and that was not found so.

    Parameters
    ----------
    kind : str
        ``"bytes"``: a file is not what the manifest says; ``"signature"``; ``"record"``: a field of a record;
        ``"settings"``; ``"version"``: of a metric or of the examination; ``"score"``; ``"detail"``; ``"answer"``:
        what a subject gave when it was run again; ``"problem"``; ``"metric"``: what is said of one from outside.
    place : str
        The file, the track, or the cell as ``track: problem / subject / seed 0``.
    name : str
        What differs there, such as a metric.
    stored, found : object
        What the bundle says, and what was found; None where there is nothing.
    reason : str
        What most likely lies behind it.
    """

    kind: Kind
    place: str
    name: str
    stored: Json
    found: Json
    reason: str

    def __str__(self) -> str:
        there, here = _short(self.stored), _short(self.found)
        what = f"{self.name}: " if self.name else ""
        numbers = f"{there} in the bundle, {here} here" if (self.stored, self.found) != (None, None) else ""
        return shown(f"{self.place}: {what}{numbers}{'. ' if numbers else ''}{self.reason}.")

    def to_json(self) -> dict[str, Json]:
        """As ``assay verify --json`` prints it."""
        return {name: plain(value) for name, value in self._asdict().items()}


def _short(value: Json) -> str:
    if value is None:
        return "nothing"
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
