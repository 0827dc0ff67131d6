"""Formulas in TeX as MathML, which browsers typeset themselves."""

from __future__ import annotations

import re
from functools import cache
from html import unescape
from typing import Final
from xml.etree.ElementTree import Element, tostring

__all__ = ["to_mathml"]

_CHILDREN: Final = {
    **{"mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "munder": 2, "mover": 2, "msubsup": 3, "munderover": 3},
    **dict.fromkeys(("math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mstyle", "msqrt"), None),
    **dict.fromkeys(("mpadded", "mtable", "mtr", "mtd"), None),
}
# everything else is dropped: a formula must not bring addresses, colours or sizes of its own
_ATTRIBUTES: Final = frozenset(
    {"accent", "columnalign", "displaystyle", "fence", "form", "mathvariant", "scriptlevel", "stretchy", "width"}
)


@cache  # a page shows the same formulas again and again
def to_mathml(formula: str) -> str | None:
    r"""A formula as a ``<math>`` element; None where it is malformed or holds an unknown command, to show its TeX.

    >>> to_mathml(r"\frac 1 n x_i")
    '<math displaystyle="true"><mrow><mfrac><mn>1</mn><mi>n</mi></mfrac><msub><mi>x</mi><mi>i</mi></msub></mrow></math>'
    >>> to_mathml(r"\unheard{of}") is None
    True
    """
    from latex2mathml.converter import Converter

    plain = re.sub(r"\\.", "", formula, flags=re.DOTALL)
    if plain.count("{") != plain.count("}"):
        return None
    try:
        tree = Converter(display="block").convert_to_element(formula)
    except Exception:  # noqa: BLE001 - whatever the converter does not understand is shown as it is written
        return None
    if not all(_clean(element) for element in tree.iter()):
        return None
    tree.attrib = {"displaystyle": "true"}
    return tostring(tree, encoding="unicode", short_empty_elements=False)


def _clean(element: Element) -> bool:
    """Bring one element into a form that is safe in any page; False where the formula was not understood."""
    element.text = unescape(element.text or "")  # the converter writes signs as references; they are escaped again
    element.attrib = {name: value for name, value in element.attrib.items() if name in _ATTRIBUTES}
    is_loose = element.tag == "mi" and element.text in {"}", "&"}
    children = _CHILDREN.get(element.tag, -1)
    return not is_loose and "\\" not in element.text and children in {None, len(element)}
