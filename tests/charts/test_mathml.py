from __future__ import annotations

from xml.etree import ElementTree

import pytest

from assay.charts.mathml import to_mathml
from assay.core import get_track, track_names
from assay.report.page.methods import formula


def texts(mathml: str | None) -> str:
    assert mathml is not None
    return "".join(ElementTree.fromstring(mathml).itertext())


@pytest.mark.parametrize("name", track_names())
def test_every_formula_of_every_metric_is_typeset(name: str) -> None:
    track = get_track(name)
    found = [formula(metric.definition) for metric in track.metrics]
    assert any(found)
    for text in found:
        for line in text.splitlines():
            assert texts(to_mathml(line)), line


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        (r"\tfrac12 x", "<mfrac><mn>1</mn><mn>2</mn></mfrac></mstyle><mi>x</mi>"),
        (r"x^2_i", "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>"),
        (r"N'_q", "<msubsup><mi>N</mi><mi>q</mi><mi>′</mi></msubsup>"),
        (r"\sum_{i=1}^n", "<munderover><mo>∑</mo>"),
        (r"\max_c f", "<msub><mo>max</mo><mi>c</mi></msub>"),
        (r"\text{a & b}", "<mtext>a\u00a0&amp;\u00a0b</mtext>"),
        (r"\sqrt{x}", "<msqrt><mrow><mi>x</mi></mrow></msqrt>"),
        (r"\hat y", '<mover accent="true"><mi>y</mi><mo>^</mo></mover>'),
        (r"a < b", "<mo>&lt;</mo>"),
    ],
)
def test_tex_becomes_mathml(tex: str, expected: str) -> None:
    assert expected in str(to_mathml(tex))


def test_cases_have_a_brace_and_two_columns() -> None:
    table = ElementTree.fromstring(str(to_mathml(r"\begin{cases} 1 & x \in A \\ 0 & \text{else} \end{cases}")))
    assert [len(row) for row in table.iter("mtr")] == [2, 2]
    assert texts(to_mathml(r"\left( \frac{1}{2} \right)")) == "(12)"


@pytest.mark.parametrize("tex", [r"\unheard{of}", "{x", "x}", "a & b", r"\frac{1}", "x_"])
def test_what_is_not_known_is_left_as_it_is(tex: str) -> None:
    assert to_mathml(tex) is None


def test_markup_in_a_formula_stays_text() -> None:
    assert texts(to_mathml(r"\text{<script>}")) == "<script>"


@pytest.mark.parametrize(
    "tex",
    [
        r"\href{javascript:alert(1)}{x}",
        r"\color{red} x",
        r"\unicode{3c}script\unicode{3e}",
        r"\text{&lt;script&gt;}",
        r"\text{a$\href{javascript:alert(1)}{b}$}",
    ],
)
def test_a_formula_brings_no_address_colour_or_element_of_its_own(tex: str) -> None:
    mathml = to_mathml(tex) or ""
    assert "<script" not in mathml
    assert not [
        name
        for element in ElementTree.fromstring(mathml or "<math/>").iter()
        for name in element.attrib
        if name in {"href", "mathcolor", "style", "class"}
    ]
