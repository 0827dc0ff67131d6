"""Explanations as HTML for notebooks: self-contained, no scripts, every name escaped, legible on light and dark."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay.cases.explanation.contrast import Contrast
from assay.cases.explanation.facts import ExplanationFacts
from assay.cases.explanation.rendering.cautions import cautions_of
from assay.cases.explanation.rendering.summary import Overview, metadata_line, shown_neighbors, side_notes, verdict
from assay.cases.explanation.rendering.wording import one_line, shorten
from assay.cases.neighbors.checks import FloatArray, Label, LabelArray
from assay.core.arrays import BoolArray

__all__ = ["BatchColumns", "band_html", "bar_html", "batch_html", "explanation_html"]

_MOST_NEIGHBORS, _MOST_FEATURES, _MOST_ROWS, _LONGEST = 20, 8, 10, 40
_BAR = 120  # width of the longest bar
_UNFAMILIAR = ', <b class="differs">unfamiliar</b>'

# the page's own colour is the ink, and lines are a pale shade of it: nothing here knows whether the page is dark
_STYLE = f"<style>\n{Path(__file__).with_name('explanation.css').read_text(encoding='utf-8')}</style>"


def explanation_html(explanation: ExplanationFacts, *, heading: str = "") -> str:
    """One explanation: prediction, neighbours by distance, what separates, cautions; which one it is stands above."""
    name = escape(one_line(explanation.cases.titled(explanation.predicted_class)))
    agreeing = sum(map(explanation.agrees, explanation.neighbors))
    parts = [
        *([f'<div class="quiet">{escape(one_line(heading))}</div>'] if heading else []),
        f'<div class="head">Predicted {name}{escape(verdict(explanation))}</div>',
        f"<div>Correspondence {explanation.correspondence:.1%} ({band_html(explanation)}): {agreeing} of the "
        f"{len(explanation.neighbors)} nearest of {len(explanation.cases.y)} training cases agree.</div>",
    ]
    notes = side_notes(explanation)
    if notes:
        text = " · ".join(f"{escape(note)} <b>{escape(value)}</b>" for note, value in notes)
        parts.append(f'<div class="quiet">{text}</div>')
    parts.append(_neighbors(explanation))
    unlike = explanation.nearest_unlike
    if unlike is not None:
        other = escape(one_line(explanation.cases.titled(unlike.label)))
        parts.append(f"<div>What separates it from the nearest unlike case ({unlike.index}, {other}):</div>")
        parts.append(_contrast(explanation.contrast()))
    parts.append("<ul>" + "".join(f"<li>{escape(sentence)}</li>" for sentence in cautions_of(explanation)) + "</ul>")
    return _page(parts)


class BatchColumns(NamedTuple):
    """The columns of a batch that its page shows, a row per prediction; ``labels`` [n, k] are the neighbours'."""

    predicted: LabelArray
    true: LabelArray | None
    correspondence: FloatArray
    interpretation: npt.NDArray[np.str_]
    labels: LabelArray
    unfamiliar: BoolArray | None


def batch_html(
    columns: BatchColumns, overview: Overview, name_of: Callable[[Label], str], *, rows: int = _MOST_ROWS
) -> str:
    """Many explanations: the numbers, and the first rows with their classes by name."""
    parts = [f'<div class="head">{overview.predictions} explained predictions</div>']
    if not overview.predictions:
        return _page(parts)
    facts = [
        f"mean correspondence <b>{overview.mean_correspondence:.1%}</b>",
        f"high <b>{overview.high_told}</b>, medium <b>{overview.medium}</b>, low <b>{overview.low}</b>",
    ]
    if overview.right is not None and overview.wrong is not None:
        for word, count, mean, detector in (
            ("right", overview.right, overview.mean_correspondence_right, overview.detector_right),
            ("wrong", overview.wrong, overview.mean_correspondence_wrong, overview.detector_wrong),
        ):
            also = "" if math.isnan(detector) else f", detector {detector:.1%}"
            facts.append(f"{word} <b>{count}</b>" + (f" (mean {mean:.1%}{also})" if count else ""))
    if overview.unfamiliar is not None:
        facts.append(f"unfamiliar <b>{overview.unfamiliar}</b>")
    parts.append(f"<div>{' · '.join(facts)}</div>")
    parts += [f'<div><b class="differs">Warning</b>: {escape(sentence)}</div>' for sentence in overview.warnings]
    if rows:
        parts.append(_first_rows(columns, name_of))
    if rows and overview.predictions > _MOST_ROWS:
        parts.append(f'<div class="quiet">{overview.predictions - _MOST_ROWS} more rows are not shown.</div>')
    parts.append(
        '<div class="quiet">Correspondence measures agreement with neighbours, not correctness; thresholds depend on '
        "the domain.</div>"
    )
    return _page(parts)


def _first_rows(batch: BatchColumns, name_of: Callable[[Label], str]) -> str:
    header = ["", "predicted", *(["true"] if batch.true is not None else []), "correspondence", "band", "neighbours"]
    rows = []
    for row in range(min(len(batch.predicted), _MOST_ROWS)):
        predicted = batch.predicted[row].item()
        labels = batch.labels[row].tolist()
        cells = [_number(str(row)), _text(name_of(predicted))]
        if batch.true is not None:
            true = batch.true[row].item()
            cells.append(_text(name_of(true), style="agrees" if true == predicted else "differs"))
        cells += [_number(f"{batch.correspondence[row]:.1%}"), _band(batch, row)]
        # each class once, in the order in which it is met
        counts = ", ".join(f"{labels.count(label)} × {name_of(label)}" for label in dict.fromkeys(labels))
        rows.append([*cells, _text(counts)])
    return _table(header, rows, numbers=(0, header.index("correspondence")))


def band_html(explanation: ExplanationFacts) -> str:
    """The band of one explanation, with its warning set off."""
    word, comma, warning = explanation.band.partition(", ")
    return f'{word}{comma}<b class="differs">{escape(warning)}</b>' if warning else word


def _band(batch: BatchColumns, row: int) -> str:
    far = batch.unfamiliar is not None and bool(batch.unfamiliar[row])
    return f"<td>{batch.interpretation[row]}{_UNFAMILIAR if far else ''}</td>"


def _neighbors(explanation: ExplanationFacts) -> str:
    unlike = explanation.nearest_unlike
    shown = shown_neighbors(explanation, most=_MOST_NEIGHBORS)
    longest = max(neighbor.distance for neighbor in shown) or 1.0
    described = any(neighbor.metadata for neighbor in shown)
    rows = []
    for neighbor in shown:
        style = "agrees" if explanation.agrees(neighbor) else "differs"
        word = "nearest unlike" if unlike is not None and neighbor.index == unlike.index else style
        cells = [
            _number(f"case {neighbor.index}"),
            _text(explanation.cases.titled(neighbor.label), style=style),
            _text(word),
            _number(f"{neighbor.distance:.4g}"),
            f'<td class="wide">{bar_html(neighbor.distance / longest, style)}</td>',
        ]
        rows.append([*cells, _text(metadata_line(explanation, neighbor))] if described else cells)
    hidden = len(explanation.neighbors) - _MOST_NEIGHBORS
    note = f'<div class="quiet">{hidden} farther cases are not shown.</div>' if hidden > 0 else ""
    header = ["neighbour", "class", "", "distance", "", *(["about"] if described else [])]
    return _table(header, rows, numbers=(0, 3), wide=(4,)) + note


def _contrast(contrast: Contrast) -> str:
    shown = contrast.differing[:_MOST_FEATURES]
    widest = max((abs(row.scaled) for row in shown if row.differs), default=1.0)
    rows = []
    for row in shown:
        share = abs(row.scaled) / widest if row.differs else 0.0
        cells = [
            _text(row.name),
            *map(_number, row.told),
            _number(row.change),
            _text(row.shown if row.differs else "", style="number wide"),
        ]
        bar = bar_html(share, "plain", "share of the largest difference") if row.differs else ""
        rows.append([*cells, f'<td class="wide">{bar}</td>'])
    rest = contrast.rest(shown=len(rows))
    note = f'<div class="quiet">{rest}.</div>' if rest else ""
    header = ["feature", "query", "case", "difference", "scaled", ""]
    return (_table(header, rows, numbers=(1, 2, 3, 4), wide=(4, 5)) if rows else "") + note


def _page(parts: Iterable[str]) -> str:
    return f'<div class="assay-cases">{_STYLE}{"".join(parts)}</div>'


def _table(
    header: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Sequence[int] = (), wide: Sequence[int] = ()
) -> str:
    """``wide`` columns are left out where a page is narrow."""
    head = ""
    for place, name in enumerate(header):
        styles = " ".join(style for style, places in (("number", numbers), ("wide", wide)) if place in places)
        head += f'<th class="{styles}">{escape(name)}</th>' if styles else f"<th>{escape(name)}</th>"
    body = "".join(f"<tr>{''.join(cells)}</tr>" for cells in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _text(value: str, *, style: str = "") -> str:
    text = escape(shorten(one_line(value), most=_LONGEST))
    return f'<td class="{style}">{text}</td>' if style else f"<td>{text}</td>"


def _number(value: str) -> str:
    return _text(value, style="number")


def bar_html(share: float, style: str, what: str = "relative distance", *, width: int = _BAR, line: str = "") -> str:
    """A bar as a drawing with attributes, so that no element carries a style of its own; over a line, if any."""
    return (
        f'<svg width="{width}" height="10" role="img" aria-label="{what}">{line}'
        f'<rect class="{style}" x="0" y="1" width="{max(2.0, width * share):.1f}" height="8" rx="2"></rect></svg>'
    )
