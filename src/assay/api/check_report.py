"""What a check found, as text, HTML and JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape

from assay.core import Json, plain
from assay.core.display import wrapped
from assay.report.wording import shown

__all__ = ["Check", "Failure", "Step"]

_WIDTH, _INDENT = 80, 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step, in a line and in several."""

    name: str
    summary: str
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Where a subject broke, why, and what the contract of that step says."""

    step: str
    kind: str
    reason: str
    traceback: tuple[str, ...] = ()  # the subject's own lines
    advice: str = ""
    contract: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What :func:`assay.check` found; its text tells all of it.

    Parameters
    ----------
    subject, track, problem : str
        What was tried on what.
    steps : tuple of Step
        What happened, up to the step that failed.
    failure : Failure, optional
        Where it broke and why; None when the subject works.
    scores : mapping of str to float
        The scores by metric; empty where there is no answer.
    log : str
        The end of what the subject printed.
    next : str
        The command, or the call, that runs the subject: on your problems, or on all built-in ones.
    cautions : tuple of str
        What costs the subject its score although it works, such as functions that leak.

    Examples
    --------
    >>> import assay
    >>> found = assay.check("oracle", "formula")
    >>> found.ok, found.scores["solved"]
    (True, 1.0)
    """

    subject: str
    track: str
    problem: str
    steps: tuple[Step, ...]
    failure: Failure | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    log: str = ""
    next: str = ""
    cautions: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the subject works."""
        return self.failure is None

    @property
    def text(self) -> str:
        """All of it, in lines of at most 80 characters where words allow it."""
        lines = [f"{self.subject} on problem {self.problem} of track {self.track}", ""]
        for number, step in enumerate(self.steps, start=1):
            failed = self.failure is not None and self.failure.step == step.name
            lines += _block(f"{number} {step.name}", [*_step_texts(step, self.failure if failed else None)])
        lines.append("")
        if self.failure is None:
            for caution in self.cautions:
                lines += textwrap.wrap(f"Caution: {caution}", _WIDTH, subsequent_indent="  ")
            return shown("\n".join([*lines, f"It works. To run it: {self.next}"]), lines=True)
        lines.append(f"It does not work yet: step {self.failure.step!r} failed.")
        if self.failure.advice:
            lines += textwrap.wrap(self.failure.advice, _WIDTH)
        if self.failure.contract:
            lines += ["", *self.failure.contract.splitlines()]
        return shown("\n".join(lines), lines=True)

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text)}</pre>"

    def to_json(self) -> dict[str, Json]:
        """As plain JSON values."""
        failure = None
        if self.failure is not None:
            failure = {name: plain(getattr(self.failure, name)) for name in Failure.__slots__}
        return {
            "ok": self.ok,
            "subject": self.subject,
            "track": self.track,
            "problem": self.problem,
            "steps": [{"name": step.name, "summary": step.summary, "lines": list(step.lines)} for step in self.steps],
            "failure": failure,
            "scores": plain(dict(self.scores)),
            "log": self.log,
            "cautions": list(self.cautions),
            "next": self.next,
        }


def _step_texts(step: Step, failure: Failure | None) -> list[str]:
    texts = [text for text in (step.summary, *step.lines) if text]
    if failure is None:
        return texts
    return [*texts, f"FAILED ({failure.kind}): {failure.reason}", *failure.traceback]


def _block(title: str, texts: list[str]) -> list[str]:
    """A title on the left, texts on the right, each wrapped."""
    lines: list[str] = []
    for text in texts:
        is_verbatim = text.startswith(("|", "    "))  # output and source keep their spaces
        lines += [text] if is_verbatim else wrapped(text, _WIDTH - _INDENT, rest="  ")
    return [f"{title if not number else '':<{_INDENT}}{line}".rstrip() for number, line in enumerate(lines)]
