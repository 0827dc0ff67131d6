"""What the documentation adds to plain Markdown: formulas as MathML, and pages that are written by the code itself.

``<!-- metrics: TRACK -->`` becomes the metric reference of that track, ``<!-- api: PACKAGE -->`` the public names of
that package, both from docstrings; ``<!-- decisions: all -->`` becomes the list of decisions. Words after the language
of a code fence are for the tests and are taken off.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert

__all__ = [
    "api_reference",
    "metric_reference",
    "on_page_content",
    "on_page_markdown",
    "own_summary",
    "prepare",
    "to_mathml",
]

_FENCED = re.compile(r"^(?P<fence>`{3,}|~{3,})[^\n]*\n.*?^(?P=fence)[ ]*$", re.MULTILINE | re.DOTALL)
_INLINE_CODE = re.compile(r"(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)", re.DOTALL)
_BODY = r"(?P<formula>(?:[^$]|\$(?!\$))+?)"
_ALONE = re.compile(rf"(?:(?<=\n\n)|\A)[ ]*\$\${_BODY}\$\$[ ]*(?=\n\n|\n*\Z)")  # a paragraph of its own
_AMONG_WORDS = re.compile(rf"\$\${_BODY}\$\$")
_INLINE = re.compile(r"(?<![\\$\w])\$(?P<formula>[^\s$](?:[^$\n]*[^\s$])?)\$(?![\w$])")
_ROLE = re.compile(r":(?:class|func|meth|mod|attr):`~?\.?(?P<name>[^`]+)`")
_MARKER = re.compile(r"^<!-- (?P<kind>metrics|api|decisions): (?P<name>[\w.-]+) -->$", re.MULTILINE)
_INFO = re.compile(r"^(?P<fence>`{3,})(?P<language>\w+)[ ]+(?P<rest>[^\n`]+)$", re.MULTILINE)

_formulas: dict[str, list[str]] = {}  # by page; formulas wait here while Markdown works on the text around them


def on_config(config: Any) -> Any:
    """Called by mkdocs first: every decision stands in the navigation, also one that was added a minute ago."""
    for entry in config["nav"]:
        if "Decisions" in entry:
            entry["Decisions"] += [{_title(path).partition(":")[0]: f"decisions/{path.name}"} for path in _decisions()]
    return config


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Called by mkdocs before a page is turned into HTML."""
    formulas: list[str] = []
    _formulas[page.file.src_uri] = formulas
    return prepare(markdown, formulas)


def on_page_content(html: str, *, page: Any, **_: Any) -> str:
    """Called by mkdocs after a page was turned into HTML: the formulas come back, untouched by Markdown."""
    for number, formula in enumerate(_formulas.pop(page.file.src_uri, [])):
        html = html.replace(_placeholder(number), formula)
    return html


def prepare(markdown: str, formulas: list[str]) -> str:
    """The page with generated parts filled in and every formula replaced by a word that Markdown leaves alone."""
    makers = {"metrics": metric_reference, "api": api_reference, "decisions": decision_list}
    markdown = _MARKER.sub(lambda match: makers[match["kind"]](match["name"]), markdown)
    markdown = _INFO.sub(_without_info, markdown)
    return _without_formulas(markdown, formulas)


def metric_reference(track_name: str) -> str:
    """Every metric and family of a track: what it is for, its facts, and the docstring of its definition."""
    from assay.core import get_track

    track = get_track(track_name)
    sections = []
    members = [(family.label, track.metric(family.shown(family.example))) for family in track.families]
    for label, metric in [*((metric.name, metric) for metric in track.metrics), *members]:
        floor = "depends on the problem" if callable(metric.floor) else f"{metric.floor:g}"
        truth = "not fixed" if metric.oracle is None else f"{metric.oracle:g}"
        name = f"{label} (headline)" if label == track.headline else label
        goal = "higher is better" if metric.goal == "max" else "lower is better"
        sections.append(
            f"### {name}\n\n"
            f"| goal | floor | the truth scores | version | defined by |\n|---|---|---|---|---|\n"
            f"| `{metric.goal}`: {goal} | {floor} | {truth} | {metric.version} | "
            f"`assay.{track_name}.metrics.{metric.definition.__qualname__}` |\n\n"
            f"{_docstring_as_markdown(metric.definition)}\n"
        )
    return "\n".join(sections)


def api_reference(package: str) -> str:
    """The public names of a package that have a docstring of their own, a line each; others are described by hand."""
    module = importlib.import_module(package)
    lines = []
    for name in sorted(module.__all__, key=lambda name: (not name.isupper(), not name[0].isupper(), name)):
        found = getattr(module, name)
        summary = _without_roles(own_summary(found, name))
        if summary:
            lines.append(f"- **`{name}`**{_signature(found)}: {summary}")
    return "\n".join(lines)


def decision_list(_: str = "all") -> str:
    """A link per decision, with its number."""
    return "\n".join(f"- {path.name[:4]} [{_title(path)}]({path.name})" for path in _decisions())


def _decisions() -> list[Path]:
    return sorted((Path(__file__).parent / "decisions").glob("0*.md"))


def _title(path: Path) -> str:
    """The first heading, without its number."""
    heading = path.read_text(encoding="utf-8").partition("\n")[0].lstrip("#0123456789.: ")
    return heading[:1].upper() + heading[1:]


def own_summary(found: object, name: str) -> str:
    """The first paragraph of a docstring that somebody wrote; what Python generates does not count."""
    if not (inspect.isclass(found) or inspect.isroutine(found)):
        return ""
    text = inspect.cleandoc(found.__doc__ or "")
    if text.startswith(f"{name}("):
        return ""
    return " ".join(text.partition("\n\n")[0].split())


def _signature(found: object) -> str:
    if not inspect.isroutine(found):
        return ""
    parameters = inspect.signature(found).parameters.values()
    keyword_only = [entry.name for entry in parameters if entry.kind is entry.KEYWORD_ONLY]
    positional = [entry.name for entry in parameters if entry.kind is not entry.KEYWORD_ONLY]
    star = ["*"] if keyword_only else []
    return f" `({', '.join([*positional, *star, *keyword_only])})`"


def _without_roles(text: str) -> str:
    return _ROLE.sub(r"`\g<name>`", text)


def _docstring_as_markdown(definition: object) -> str:
    """Prose and formulas stay, examples become code blocks, roles become code."""
    blocks = _without_roles(inspect.getdoc(definition) or "").split("\n\n")
    return "\n\n".join(f"```text\n{block}\n```" if block.startswith(">>>") else block for block in blocks)


def _without_info(match: re.Match[str]) -> str:
    fence = f"{match['fence']}{match['language']}"
    is_file_name = "." in match["rest"]
    return f"`{match['rest'].strip()}`:\n\n{fence}" if is_file_name else fence


def _cut(pattern: re.Pattern[str], text: str) -> Iterator[tuple[bool, str]]:
    """The text in order, cut into what matches and what does not."""
    start = 0
    for match in pattern.finditer(text):
        yield False, text[start : match.start()]
        yield True, match[0]
        start = match.end()
    yield False, text[start:]


def _without_formulas(markdown: str, formulas: list[str]) -> str:
    """Every formula outside of code kept aside, a word in its place."""

    def keep(display: str) -> Callable[[re.Match[str]], str]:
        def replace(match: re.Match[str]) -> str:
            formulas.append(to_mathml(match["formula"], display=display))
            return _placeholder(len(formulas) - 1)

        return replace

    def outside_code(text: str) -> str:
        text = _ALONE.sub(keep("block"), text)
        parts = []
        for is_code, part in _cut(_INLINE_CODE, text):
            parts.append(part if is_code else _INLINE.sub(keep("inline"), _AMONG_WORDS.sub(keep("inline"), part)))
        return "".join(parts)

    return "".join(part if is_code else outside_code(part) for is_code, part in _cut(_FENCED, markdown))


def to_mathml(formula: str, *, display: str = "inline") -> str:
    """A formula in LaTeX as MathML, which browsers show without any script."""
    source = " ".join(formula.split())
    try:
        mathml: str = convert(source, display=display)
    except Exception as error:
        error.add_note(f"in the formula {source!r}")
        raise
    if "\\" in mathml:
        raise ValueError(f"the formula {source!r} uses a command that latex2mathml does not know: {mathml}")
    return mathml


def _placeholder(number: int) -> str:
    return f"FORMULA{number:04d}ALUMROF"
