"""The environment of all pages: their templates, how numbers and texts are worded, and what may run in them."""

from __future__ import annotations

import base64
import hashlib
import math
import re
from functools import cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from assay.charts.drawing import shorten
from assay.charts.mathml import to_mathml
from assay.charts.styles import chart_rules
from assay.report.tables.pairs import corrected_p_value, is_sure
from assay.report.tables.standings import heading, lost_words
from assay.report.wording import (
    ARROWS,
    cost_title,
    duration,
    format_cost,
    format_interval,
    format_number,
    format_p_value,
    format_rank,
    format_signed,
    shown,
)
from assay.stats import Comparison

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["environment", "page_parts", "template"]

_LONGEST_ERROR = 2000


@cache
def environment() -> Environment:
    """Where templates are found and texts are escaped, made once: templates compile slowly.

    An unknown name in a template is an error.
    """
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    jinja = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible,
        loader=FunctionLoader(template),
    )
    jinja.filters.update(
        number=format_number,
        interval=format_interval,
        rank=format_rank,
        p_value=format_p_value,
        corrected=corrected_p_value,
        signed=format_signed,
        duration=duration,
        cost=format_cost,
        cost_title=cost_title,
        heading=heading,
        lost_words=lost_words,
        sort_key=_sort_key,
        address=_address,
        verdict=_verdict,
        cut=partial(shorten, longest=_LONGEST_ERROR),
        typeset=_typeset,
        breakable=_breakable,
        is_finite=math.isfinite,
    )
    jinja.globals.update(undefined_number=math.nan, arrows=ARROWS)  # macros see globals only
    return jinja


def page_parts(*scripts: str, live: bool = False) -> dict[str, str]:
    """The style, the script and the policy of a page: only these two, known by their hashes, may run in it.

    A live page may also ask its own server for news.
    """
    style, script = template("report.css") + chart_rules(), "".join(template(name) for name in scripts)
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        + ("connect-src 'self'; " if live else "")
        + "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return {"style": style, "script": script, "policy": policy}


@cache
def template(name: str) -> str:
    """The text of a template, a style or a script."""
    return (files("assay.report") / "templates" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _visible(value: Any) -> Any:
    """Control characters have no business on a page; markup is our own and stays as it is."""
    return shown(value, lines=True) if type(value) is str else value


def _sort_key(value: float) -> str:
    """What the page's script sorts by; undefined is empty and goes last."""
    return "" if value != value else repr(float(value))


def _address(name: str) -> str:
    """A name inside an address of the page, as the script reads it."""
    return quote(shown(name), safe="")


def _verdict(comparison: Comparison) -> str:
    """How a pair is coloured: better and worse are said only where chance is unlikely."""
    if not is_sure(comparison):
        return "unsure"
    gain = comparison.difference.value if comparison.goal == "max" else -comparison.difference.value
    return "better" if gain > 0 else "worse"


def _typeset(formula: str) -> Any:
    """A line of TeX as MathML, or as it is where it cannot be typeset."""
    from markupsafe import Markup

    mathml = to_mathml(formula)
    return formula if mathml is None else Markup(mathml)  # every text in it is escaped


def _breakable(name: str) -> Any:
    """A name that a narrow column may break at punctuation, and inside a word only where that alone is too long."""
    from markupsafe import Markup, escape

    parts = re.split(r"(?=\()|(?<=[-_,=:./])(?=\w)", shown(name))
    return Markup("<wbr>").join(map(escape, parts))
