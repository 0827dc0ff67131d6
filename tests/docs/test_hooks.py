from types import ModuleType
from typing import Any

import pytest
from markdown import Markdown


def with_formulas_aside(hooks: ModuleType, markdown: str) -> str:
    return str(hooks.plain_markdown(markdown, lambda formula, display: f"<{display} {formula}>"))


def rendered(hooks: ModuleType, markdown: str) -> str:
    return str(Markdown(extensions=["fenced_code", hooks.DocstringMarkup()]).convert(markdown))


def test_a_formula_alone_is_a_block_and_one_among_words_is_inline(hooks: ModuleType) -> None:
    text = with_formulas_aside(hooks, "Before\n\n$$a_1 * b_1$$\n\nwith $c$ and $$d$$ inside.\n")
    assert text == "Before\n\n<block a_1 * b_1>\n\nwith <inline c> and <inline d> inside.\n"


def test_code_and_prices_are_not_formulas(hooks: ModuleType) -> None:
    markdown = "`$x$` costs $5 or $6\n\n```console\n$ echo $HOME$\n$$ y $$\n```\n\n``a $$ b $$``\n"
    assert with_formulas_aside(hooks, markdown) == markdown


def test_formulas_survive_markdown_untouched(hooks: ModuleType) -> None:
    html = rendered(hooks, "Among $a_1 < b_1$ words.\n\n$$a_1 < b_2 * c * d$$\n")
    assert html.count("<math") == 2
    assert "<msub><mi>a</mi><mn>1</mn></msub>" in html
    assert "<em>" not in html
    assert "&lt;" in html or "&#x0003C;" in html


def test_what_docstrings_have_beside_markdown_is_translated(hooks: ModuleType) -> None:
    html = rendered(hooks, "See :func:`~calibrate`.\n\n>>> 1 + 1\n2\n\nMore.\n\n```text\n:func:`x`\n```\n")
    assert "See <code>calibrate</code>." in html
    assert "&gt;&gt;&gt; 1 + 1\n2\n</code></pre>" in html
    assert "<blockquote>" not in html
    assert ":func:`x`" in html


def test_an_unknown_command_stops_the_build(hooks: ModuleType) -> None:
    with pytest.raises(ValueError, match=r"uses a command that latex2mathml does not know"):
        hooks.to_mathml(r"\unknowncommand x")


def test_words_for_the_tests_are_taken_off_code_fences(hooks: ModuleType) -> None:
    assert hooks.prepare("```console no-run\n$ x\n```\n") == "```console\n$ x\n```\n"
    assert hooks.prepare("```toml run.toml\na = 1\n```\n") == "`run.toml`:\n\n```toml\na = 1\n```\n"


def test_the_metric_reference_is_written_from_the_track(hooks: ModuleType) -> None:
    text = hooks.metric_reference("cases")
    assert "### auroc (headline)" in text
    assert "| `min`: lower is better |" in text
    assert "$$" in text
    assert "\n\n>>> auroc(" in text
    assert "Parameters" not in text  # they are on the page of the API


def test_what_python_writes_itself_is_no_docstring(hooks: ModuleType) -> None:
    from dataclasses import dataclass

    @dataclass
    class Bare:
        x: int

    class Written:
        """Says what it is.

        And more.
        """

    alias: Any = dict[str, int]
    assert hooks.own_summary(Bare, "Bare") == ""
    assert hooks.own_summary(alias, "alias") == ""
    assert hooks.own_summary(Written, "Written") == "Says what it is."
