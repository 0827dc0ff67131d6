"""Explanations as HTML pages: many as compact cards, and the whole document around them."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from os import PathLike
from pathlib import Path

from assay.cases.explanation.facts import ExplanationFacts
from assay.cases.explanation.rendering.html import band_html, bar_html
from assay.cases.explanation.rendering.summary import verdict
from assay.cases.explanation.rendering.wording import one_line, shorten
from assay.core import InvalidInput

__all__ = ["cards_html", "document", "save_page"]

_MOST_FEATURES, _LONGEST_NAME, _LONGEST_VALUES = 3, 32, 60
_METER = 100

_PAGE = "\n" + Path(__file__).with_name("page.css").read_text(encoding="utf-8")
_CARDS = f"<style>\n{Path(__file__).with_name('cards.css').read_text(encoding='utf-8')}</style>"


def cards_html(explanations: Iterable[ExplanationFacts], headings: Iterable[str]) -> str:
    """A compact card for each: query, prediction, band with its warning, neighbours by class, what separates most."""
    cards = "".join(_card(explanation, heading) for explanation, heading in zip(explanations, headings, strict=True))
    return f'<div class="assay-cases">{_CARDS}<div class="cards">{cards}</div></div>' if cards else ""


def _card(explanation: ExplanationFacts, heading: str) -> str:
    titled = explanation.cases.titled
    labels = [neighbor.label for neighbor in explanation.neighbors]
    tally = ", ".join(f"{labels.count(label)} × {_name(titled(label))}" for label in dict.fromkeys(labels))
    lines = [
        f'<span class="quiet">{escape(one_line(heading))}</span>',
        f"<b>{_name(titled(explanation.predicted_class))}</b>"
        f"{', right' if explanation.is_correct else escape(verdict(explanation))}",
        f"{_meter(explanation.correspondence)} {explanation.correspondence:.1%} {band_html(explanation)}",
        f'<span class="quiet">neighbours</span> {escape(tally)}',
    ]
    unlike = explanation.nearest_unlike
    apart = ""
    if unlike is not None:
        contrast = explanation.contrast()
        shown = contrast.differing[:_MOST_FEATURES]
        lines.append(f'<span class="quiet">nearest unlike</span> case {unlike.index}, {_name(titled(unlike.label))}')
        rows = [f"{_name(row.name)}: {escape(row.sides_within(_LONGEST_VALUES))}" for row in shown]
        rest = contrast.rest(shown=len(shown))
        rows += [f'<span class="quiet">{rest}</span>'] if rest else []
        apart = f"<ul>{''.join(f'<li>{row}</li>' for row in rows)}</ul>"
    body = "".join(f"<div>{line}</div>" for line in lines)
    return f'<div class="card {explanation.interpretation}">{body}{apart}</div>'


def _name(text: str) -> str:
    return escape(shorten(one_line(text), most=_LONGEST_NAME))


def _meter(share: float) -> str:
    line = f'<rect class="plain" x="0" y="4" width="{_METER}" height="2"></rect>'
    return bar_html(share, "agrees" if share >= 0.5 else "differs", "correspondence", width=_METER, line=line)


def document(parts: Iterable[str], *, title: str) -> str:
    """A whole page for a browser, wide or narrow, light or dark; it loads nothing."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(one_line(title))}</title><style>{_PAGE}</style></head>\n"
        f"<body>{''.join(parts)}</body></html>\n"
    )


def save_page(page: str, path: str | PathLike[str] | None) -> str:
    """Write the page to the file, if one is named, and return it."""
    if path is not None:
        try:
            Path(path).write_text(page, encoding="utf-8")
        except OSError as error:
            raise InvalidInput(f"{path}: cannot be written ({error.strerror}).") from None
    return page
