from types import ModuleType, SimpleNamespace
from typing import Any

import pytest


def prepared(hooks: ModuleType, markdown: str) -> tuple[str, list[str]]:
    formulas: list[str] = []
    return hooks.prepare(markdown, formulas), formulas


def test_a_formula_alone_is_a_block_and_one_among_words_is_inline(hooks: ModuleType) -> None:
    text, formulas = prepared(hooks, "Before\n\n$$a_1 * b_1$$\n\nwith $c$ and $$d$$ inside.\n")
    assert text == "Before\n\nFORMULA0000ALUMROF\n\nwith FORMULA0002ALUMROF and FORMULA0001ALUMROF inside.\n"
    assert ['display="block"' in formula for formula in formulas] == [True, False, False]
    assert "<msub><mi>a</mi><mn>1</mn></msub>" in formulas[0]


def test_code_and_prices_are_not_formulas(hooks: ModuleType) -> None:
    markdown = "`$x$` costs $5 or $6\n\n```console\n$ echo $HOME$\n$$ y $$\n```\n\n``a $$ b $$``\n"
    assert prepared(hooks, markdown) == (markdown, [])


def test_formulas_survive_markdown_untouched(hooks: ModuleType) -> None:
    page = SimpleNamespace(file=SimpleNamespace(src_uri="a.md"))
    text = hooks.on_page_markdown("$$a_1 < b_2 * c * d$$", page=page)
    html = hooks.on_page_content(f"<p>{text}</p>", page=page)
    assert html.startswith("<p><math")
    assert "&lt;" in html or "&#x0003C;" in html


def test_an_unknown_command_stops_the_build(hooks: ModuleType) -> None:
    with pytest.raises(ValueError, match=r"uses a command that latex2mathml does not know"):
        hooks.to_mathml(r"\unknowncommand x")


def test_words_for_the_tests_are_taken_off_code_fences(hooks: ModuleType) -> None:
    assert prepared(hooks, "```console no-run\n$ x\n```\n")[0] == "```console\n$ x\n```\n"
    assert prepared(hooks, "```toml run.toml\na = 1\n```\n")[0] == "`run.toml`:\n\n```toml\na = 1\n```\n"


def test_the_metric_reference_is_written_from_the_track(hooks: ModuleType) -> None:
    text = hooks.metric_reference("cases")
    assert "### auroc (headline)" in text
    assert "| `min`: lower is better |" in text
    assert "$$" in text
    assert "```text\n>>> auroc(" in text


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
