from markupsafe import Markup

from assay.core.display import object_html, shortened


def test_every_text_is_escaped_but_markup_of_our_own() -> None:
    html = object_html("<a>", {"<b>": "<c>"}, columns=["<d>"], rows=[("<e>",), (Markup("<i>own</i>"),)])
    assert "<i>own</i>" in html
    for letter in "abcde":
        assert f"&lt;{letter}&gt;" in html
        assert f"<{letter}>" not in html.replace("<b>&lt;a&gt;</b>", "")


def test_of_many_rows_the_first_are_shown_and_the_others_counted() -> None:
    html = object_html("log", {}, columns=["event"], rows=((number,) for number in range(10**6)), total=10**6)
    assert html.count("<tr>") == 21
    assert "999980 more" in html


def test_what_cannot_be_seen_does_not_turn_the_text_around() -> None:
    assert shortened("safe\u202egpj.exe\x1b[2J") == "safe\ufffdgpj.exe\ufffd[2J"
