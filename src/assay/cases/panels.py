"""The charts of the cases track: do the scores of right and wrong predictions lie apart?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from assay.core import Panel, Record

__all__ = ["panels"]

_WIDTH, _HEIGHT, _LEFT, _TOP = 320, 84, 170, 22


def panels(records: Sequence[Record]) -> tuple[Panel, ...]:
    """Score distributions of right and wrong predictions, a strip per subject."""
    counts = {
        subject: _pooled([record.details for record in records if record.subject == subject])
        for subject in sorted({record.subject for record in records})
    }
    drawn = {subject: found for subject, found in counts.items() if found is not None}
    if not drawn:
        return ()
    return (
        Panel(
            title="Scores of right and wrong predictions",
            svg=_strips(drawn),
            caption="Per subject, the share of right predictions (upwards) and of wrong ones (downwards) whose score "
            "lies at that place between the lowest and the highest score of its problem, all problems pooled. The "
            "further the two lie apart, the better the score tells them from each other.",
        ),
    )


def _pooled(details: Sequence[Mapping[str, Any]]) -> tuple[np.ndarray, np.ndarray] | None:
    """Shares per relative bin of right and wrong predictions; constant scores have no place and are left out."""
    histograms = [entry["histogram"] for entry in details if len(entry.get("histogram", {}).get("right", ())) > 1]
    if not histograms:
        return None
    right = np.sum([histogram["right"] for histogram in histograms], axis=0, dtype=np.float64)
    wrong = np.sum([histogram["wrong"] for histogram in histograms], axis=0, dtype=np.float64)
    if not right.sum() or not wrong.sum():
        return None
    return right / right.sum(), wrong / wrong.sum()


def _strips(counts: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> str:
    height = _TOP + _HEIGHT * len(counts)
    largest = max(float(max(right.max(), wrong.max())) for right, wrong in counts.values())
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_LEFT + _WIDTH} {height}" role="img" '
        f'aria-label="Score distributions of right and wrong predictions">',
        f'<rect class="series-1" x="{_LEFT}" y="4" width="10" height="10"></rect>',
        f'<text class="axis" x="{_LEFT + 14}" y="13">right</text>',
        f'<rect class="series-2" x="{_LEFT + 60}" y="4" width="10" height="10"></rect>',
        f'<text class="axis" x="{_LEFT + 74}" y="13">wrong</text>',
    ]
    for position, (subject, (right, wrong)) in enumerate(counts.items()):
        middle = _TOP + _HEIGHT * position + _HEIGHT / 2
        label = subject if len(subject) <= 24 else subject[:23] + "…"
        parts.append(f'<text class="axis" x="{_LEFT - 8}" y="{middle + 4:g}" text-anchor="end">{escape(label)}</text>')
        step = _WIDTH / len(right)
        for bin_position, (up, down) in enumerate(zip(right, wrong, strict=True)):
            x, room = _LEFT + step * bin_position, _HEIGHT / 2 - 6
            tall, deep = room * up / largest, room * down / largest
            parts.append(_bar("series-1", x, middle - tall, step, tall))
            parts.append(_bar("series-2", x, middle, step, deep))
        parts.append(f'<rect class="axis" x="{_LEFT}" y="{middle - 0.5:g}" width="{_WIDTH}" height="1"></rect>')
    return "".join([*parts, "</svg>"])


def _bar(style: str, x: float, y: float, width: float, height: float) -> str:
    return f'<rect class="{style}" x="{x + 0.5:.2f}" y="{y:.2f}" width="{width - 1:.2f}" height="{height:.2f}"></rect>'
