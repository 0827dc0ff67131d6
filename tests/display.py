"""What every object that introduces itself must keep to, whatever the texts in it."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

__all__ = ["HOSTILE", "check_display"]

HOSTILE = "<script>alert('x')</script>\x1b[2J\u202e&"


def check_display(shown: Any, *, says: str = "") -> str:
    """Both displays are small and harmless, and say this; the HTML is handed back."""
    text, html = repr(shown), str(shown._repr_html_())
    assert len(text) <= 500
    assert text.count("\n") <= 3
    assert len(html) <= 20_000
    assert "<script" not in html
    assert "\x1b" not in text + html
    assert "\u202e" not in text + html
    for element in ElementTree.fromstring(f"<div>{html}</div>").iter():
        assert element.tag in _HARMLESS, element.tag
        assert not {name for name in element.attrib if name.startswith("on") or name in ("href", "src", "style")}
    assert says in "".join(ElementTree.fromstring(f"<div>{html}</div>").itertext())
    return html


_PAGE = "div b small pre q table thead tbody tr th td"
_FORMULA = "math mrow mi mn mo mtext mspace mfrac msup msub msubsup msqrt"
_HARMLESS = frozenset(f"{_PAGE} {_FORMULA}".split())
