"""Formulas of others, given as text, typeset for a page or a notebook."""

from __future__ import annotations

from html import escape

from assay.core import InvalidInput
from assay.core.display import shortened
from assay.formula.expression.expression import LONGEST_SHOWN, typeset
from assay.formula.expression.parser import parse

__all__ = ["typeset_text"]

_LONGEST_READ = 100_000  # characters; what is longer is not typeset anyway


def typeset_text(text: str) -> str:
    """The formula as MathML; one that cannot be read, or is too large to be, as the beginning of its text.

    >>> typeset_text("x**2")
    '<math displaystyle="true"><mrow><msup><mi>x</mi><mrow><mn>2</mn></mrow></msup></mrow></math>'
    >>> typeset_text("x +<script>")
    'x +&lt;script&gt;'
    """
    if len(text) <= _LONGEST_READ:
        try:
            return typeset(parse(text, dialect="plain"), text=text)
        except InvalidInput:
            pass
    return escape(shortened(text, LONGEST_SHOWN))
