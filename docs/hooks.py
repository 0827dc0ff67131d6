"""What the documentation adds to plain Markdown: formulas as MathML, and pages that are written by the code itself.

``<!-- metrics: TRACK -->`` becomes the metric reference of that track, ``<!-- api: PACKAGE -->`` a directive of
mkdocstrings for every public name of that package, both from docstrings; ``<!-- decisions: all -->`` becomes the list
of decisions. Words after the language of a code fence are for the tests and are taken off. What docstrings have beside
Markdown (formulas, roles, examples outside a section) is translated by :class:`DocstringMarkup`.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

__all__ = [
    "DocstringMarkup",
    "api_reference",
    "metric_reference",
    "on_page_markdown",
    "own_summary",
    "plain_markdown",
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
_EXAMPLE = re.compile(r"^(?:(?<=\n\n)|\A)(?P<indent>[ ]*)>>> (?:[^\n]+\n?)+", re.MULTILINE)  # up to an empty line


def on_config(config: Any) -> Any:
    """Called by mkdocs first: every decision stands in the navigation, also one that was added a minute ago."""
    for entry in config["nav"]:
        if "Decisions" in entry:
            entry["Decisions"] += [{_title(path).partition(":")[0]: f"decisions/{path.name}"} for path in _decisions()]
    config["markdown_extensions"].append(DocstringMarkup())  # mkdocstrings renders docstrings with the same list
    return config


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by mkdocs before a page is turned into HTML."""
    return prepare(markdown)


def prepare(markdown: str) -> str:
    """The page with generated parts filled in, and without the words that are for the tests."""
    makers = {"metrics": metric_reference, "api": api_reference, "decisions": decision_list}
    markdown = _MARKER.sub(lambda match: makers[match["kind"]](match["name"]), markdown)
    return _INFO.sub(_without_info, markdown)


class DocstringMarkup(Extension):
    """Formulas, roles and bare examples in Markdown, of pages and of docstrings alike."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - the library's name
        """Called by Markdown: before code fences and HTML blocks are looked for."""
        md.preprocessors.register(_MarkupReader(md), "docstring-markup", 27)


class _MarkupReader(Preprocessor):
    def run(self, lines: list[str]) -> list[str]:
        def aside(formula: str, display: str) -> str:
            return str(self.md.htmlStash.store(to_mathml(formula, display=display)))

        return plain_markdown("\n".join(lines), aside).split("\n")


def plain_markdown(text: str, aside: Callable[[str, str], str]) -> str:
    """Examples fenced, roles as code, and for every formula outside of code what ``aside`` keeps in its place."""
    parts = []
    for is_code, part in _cut(_FENCED, text):
        parts.append(part if is_code else _without_roles(_EXAMPLE.sub(_fenced, part)))
    return _without_formulas("".join(parts), aside)


def _fenced(match: re.Match[str]) -> str:
    indent, example = match["indent"], match[0].rstrip("\n")
    return f"{indent}```text\n{example}\n{indent}```" + match[0][len(example) :]


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
    """A directive for every public name that has a docstring of its own; the page describes the others by hand.

    Metrics that their track shows as well are described once, with the track.
    """
    module = importlib.import_module(package)
    track, _, room = package.rpartition(".")
    elsewhere = importlib.import_module(track).__all__ if room == "metrics" else []
    names = sorted(
        set(module.__all__) - set(elsewhere), key=lambda name: (not name.isupper(), not name[0].isupper(), name)
    )
    return "\n\n".join(f"::: {package}.{name}" for name in names if own_summary(getattr(module, name), name))


def decision_list(_: str = "all") -> str:
    """A link per decision, with its number."""
    return "\n".join(f"- {path.name[:4]} [{_title(path)}]({path.name})" for path in _decisions())


def _decisions() -> list[Path]:
    return sorted((Path(__file__).parent / "decisions").glob("0*.md"))


def _title(path: Path) -> str:
    """The first heading, without its number."""
    heading = path.read_text(encoding="utf-8").partition("\n")[0].lstrip("#0123456789.: ")
    return heading[:1].upper() + heading[1:]


def own_summary(value: object, name: str) -> str:
    """The first paragraph of a docstring that somebody wrote; what Python generates does not count."""
    if not (inspect.isclass(value) or inspect.isroutine(value)):
        return ""
    text = inspect.cleandoc(value.__doc__ or "")
    if text.startswith(f"{name}("):
        return ""
    return " ".join(text.partition("\n\n")[0].split())


def _without_roles(text: str) -> str:
    return _ROLE.sub(r"`\g<name>`", text)


def _docstring_as_markdown(definition: object) -> str:
    """What a metric is: prose, formulas and examples; its parameters are on the API page."""
    blocks, section = [], ""
    for block in (inspect.getdoc(definition) or "").split("\n\n"):
        title, _, rest = block.partition("\n")
        underline, _, rest = rest.partition("\n")
        if underline and not underline.strip("-"):
            section, block = title, rest
        if section in ("", "Examples", "Notes"):
            blocks.append(block)
    return "\n\n".join(blocks)


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


def _without_formulas(markdown: str, aside: Callable[[str, str], str]) -> str:
    """Every formula outside of code kept aside."""

    def keep(display: str) -> Callable[[re.Match[str]], str]:
        return lambda match: aside(match["formula"], display)

    def outside_code(text: str) -> str:
        text = _ALONE.sub(keep("block"), text)
        parts = []
        for is_code, part in _cut(_INLINE_CODE, text):
            parts.append(part if is_code else _INLINE.sub(keep("inline"), _AMONG_WORDS.sub(keep("inline"), part)))
        return "".join(parts)

    return "".join(part if is_code else outside_code(part) for is_code, part in _cut(_FENCED, markdown))


def to_mathml(formula: str, *, display: str = "inline") -> str:
    """A formula in LaTeX as MathML, which browsers show without any script."""
    source = " ".join(formula.split()).replace(r"\arg", r"\operatorname{arg}")  # not known to latex2mathml
    try:
        mathml: str = convert(source, display=display)
    except Exception as error:
        error.add_note(f"in the formula {source!r}")
        raise
    if "\\" in mathml:
        raise ValueError(f"the formula {source!r} uses a command that latex2mathml does not know: {mathml}")
    return mathml
