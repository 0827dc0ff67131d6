"""Gates as people write them: on the command line and in run files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from assay.core import InvalidInput
from assay.report.gates.gate import FailUnder, Gate, NotWorse
from assay.report.loading import load

__all__ = ["read_fail_under", "read_gates", "read_not_worse"]

FAIL_UNDER_FORM = "[SUBJECT,...:][METRIC=]VALUE"
NOT_WORSE_FORM = "[SUBJECT,...:]DIR[,METRIC][,by=MARGIN]"


class _Reading(NamedTuple):
    subjects: str
    folder: str
    metric: str


def read_gates(fail_under: Sequence[str], not_worse: Sequence[str], *, folder: Path | None = None) -> tuple[Gate, ...]:
    """The gates of these texts; a baseline is read now, and its relative path starts at ``folder``."""
    below = [read_fail_under(text) for text in fail_under]
    return (*below, *(read_not_worse(text, folder=folder) for text in not_worse))


def read_fail_under(text: str) -> FailUnder:
    """Read ``0.8``, ``auroc=0.8``, ``my-agent:0.8`` or ``my-agent,knn(k=5):auroc=0.8``.

    It is read from the right: the value stands behind the last ``=`` or ``:``, before a ``=`` the metric, and what is
    left before a ``:`` are subjects. So names of subjects may contain ``:``, ``=`` and brackets.

    >>> gate = read_fail_under("knn(k=5, p=1),pkg.mod:Solver:fpr@0.95=0.1")
    >>> gate.subjects, gate.metric, gate.value
    (('knn(k=5, p=1)', 'pkg.mod:Solver'), 'fpr@0.95', 0.1)
    """
    cut = max(text.rfind("="), text.rfind(":"))
    head, sign, number = text[: max(cut, 0)], text[cut : cut + 1] if cut >= 0 else "", text[cut + 1 :]
    subjects, colon, metric = (head, ":", "") if sign == ":" else head.rpartition(":")
    place = f"--fail-under {text}"
    try:
        value = float(number)
    except ValueError:
        raise InvalidInput(
            f"{place}: the threshold must be a number, as in 0.8, auroc=0.8 or my-agent:auroc=0.8."
        ) from None
    if (sign == "=" and not metric.strip()) or (colon and not subjects.strip()):
        raise InvalidInput(f"{place}: a name is missing. Write it as {FAIL_UNDER_FORM}.")
    return FailUnder(value=value, metric=metric.strip() or None, subjects=_split(subjects), place="--fail-under")


def read_not_worse(text: str, *, folder: Path | None = None) -> NotWorse:
    """Read ``DIR``, ``DIR,METRIC``, ``DIR,by=0.02`` or ``my-agent:DIR,METRIC,by=0.02``.

    The margin is taken from the right end. Where the rest could be cut in several ways, DIR is what exists: names of
    folders and subjects may contain ``:`` and ``,``.
    """
    place = f"--not-worse-than {text}"
    rest, by, number = text.rpartition(",by=")
    if not by:
        rest, number = text, "0"
    try:
        margin = float(number)
    except ValueError:
        raise InvalidInput(f"{place}: the margin must be a number, as in DIR,by=0.02.") from None
    start = folder or Path()
    readings = (reading for reading in _readings(rest) if _is_there(start / reading.folder))
    match = next(readings, None)
    if match is None and (":" in rest or "," in rest):
        raise InvalidInput(f"{place}: none of its parts is a results folder. Write it as {NOT_WORSE_FORM}.")
    subjects, path, metric = match or _Reading("", rest, "")
    try:
        baseline = load(start / path)
    except InvalidInput as error:
        raise InvalidInput(f"{place}: {error}") from None
    except OSError as error:  # a name that no file can have
        raise InvalidInput(f"{place}: this results folder cannot be read ({error.strerror}).") from None
    return NotWorse(
        baseline=baseline,
        margin=margin,
        metric=metric or None,
        subjects=_split(subjects),
        place="--not-worse-than",
    )


def _readings(text: str) -> Iterator[_Reading]:
    """The ways to read ``[SUBJECTS:]DIR[,METRIC]``, the longest folder first."""
    starts = [0, *(place + 1 for place, letter in enumerate(text) if letter == ":")]
    ends = [len(text), *([text.rindex(",")] if "," in text else [])]
    for start in starts:
        for end in ends:
            if start < end:
                yield _Reading(text[: max(start - 1, 0)], text[start:end], text[end + 1 :])


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that no file can have
        return False


def _split(names: str) -> tuple[str, ...]:
    """Names between commas; a comma inside brackets belongs to a name."""
    parts, depth = [""], 0
    for letter in names:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += letter
    return tuple(part.strip() for part in parts if part.strip())
