from __future__ import annotations

from html.parser import HTMLParser

from assay.report import Results, leaderboard


class Cells(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not attrs
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data + "\n"


def test_results_tracks_and_leaderboards_show_themselves(results: Results) -> None:
    (toy,) = results.tracks
    for shown in (results._repr_html_(), toy._repr_html_(), leaderboard(toy)._repr_html_()):
        page = Cells(shown)
        assert page.tags <= {"p", "small", "table", "caption", "thead", "tbody", "tr", "th", "td"}
        assert "knn(k=5)" in page.text
        assert f"{leaderboard(toy).rows[0].mean('share').value:.3f}" in page.text


def test_hostile_names_stay_text(hostile: Results) -> None:
    page = Cells(hostile._repr_html_())
    assert "<script>alert(1)</script>" in page.text
    assert "script" not in page.tags
