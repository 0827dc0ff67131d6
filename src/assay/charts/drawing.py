"""A drawing that collects marks and becomes one ``<svg>`` element; every text in it is escaped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Any, Literal, TypeAlias

from assay.charts.marks import Mark, mark_path
from assay.charts.scale import Scale, number
from assay.charts.styles import standalone_style

__all__ = ["LEFT", "WIDTH", "Anchor", "Drawing", "Point", "shorten"]

LEFT, WIDTH = 230, 910  # of charts with a name before each row: where the rows start, and how long they are
_NAME = 32  # characters of such a name
_BOX = 10  # side of a colour in a legend

Anchor: TypeAlias = Literal["start", "middle", "end"]
Point: TypeAlias = tuple[float, float]


class Drawing:
    """A picture of a given width; its height is known when everything is drawn.

    ``style`` names a class of the report's style sheet, which follows the reader's light or dark theme: ``series-1``
    to ``series-8`` fill a shape and ``line-1`` to ``line-8`` draw a line in the colour of that number. A drawing that
    ``scrolls`` keeps its size where there is no room for it; with ``smallest`` it first shrinks to that share of it.
    """

    def __init__(
        self, label: str, *, width: float = LEFT + WIDTH + 40, scrolls: bool = False, smallest: float | None = None
    ) -> None:
        self._label, self._width, self._scrolls, self._smallest = label, width, scrolls, smallest
        self._marks: list[str] = []

    def text(
        self,
        x: float,
        y: float,
        text: str,
        anchor: Anchor = "start",
        *,
        style: str = "axis",
        longest: int | None = None,
        title: str = "",
    ) -> None:
        """A line of text with its foot at ``y``; what is longer than ``longest`` is cut."""
        aligned = "" if anchor == "start" else f' text-anchor="{anchor}"'
        words = escape(text if longest is None else shorten(text, longest))
        self._add(f'text class="{style}" x="{number(x)}" y="{number(y)}"{aligned}', "text", _title(title) + words)

    def name(self, y: float, text: str) -> None:
        """The name of a row, before it, with its middle at ``y``."""
        self.text(LEFT - 12, y + 4, text, "end", longest=_NAME)

    def rect(
        self,
        style: str,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        title: str = "",
        opacity: float = 1.0,
    ) -> None:
        """A filled rectangle; a bar, where one of its sides is a value."""
        faint = "" if opacity == 1 else f' fill-opacity="{opacity:.3g}"'
        place = f'x="{number(x)}" y="{number(y)}" width="{number(max(width, 0))}" height="{number(max(height, 0))}"'
        self._add(f'rect class="{style}" {place}{faint}', "rect", _title(title))

    def dot(self, style: str, x: float, y: float, *, radius: float = 4, title: str = "", go: str = "") -> None:
        """A dot; its title is a tooltip, and ``go`` is the address that it links to."""
        place = f'cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"'
        self._add(f'circle class="{style}" {place}{_go(go)}', "circle", _title(title))

    def mark(self, mark: Mark, x: float, y: float, *, radius: float = 5, title: str = "", go: str = "") -> None:
        """The mark of a subject, in its colour and shape; ``go`` is the address that it links to."""
        path = mark_path(mark.shape, x, y, radius)
        self._add(f'path class="series-{mark.colour} mark" d="{path}"{_go(go)}', "path", _title(title))

    def line(self, style: str, points: Iterable[Point]) -> None:
        """A line through points."""
        path = "L".join(f"{number(x)} {number(y)}" for x, y in points)
        self._add(f'path class="{style}" d="M{path}"', "path")

    def curve(
        self, style: str, points: Sequence[Point], *, width: float | None = None, dashed: bool = False, title: str = ""
    ) -> None:
        """A smooth line through points, one below or above the other; upright where it begins and ends."""
        (x, y), *others = points
        path = f"M{number(x)} {number(y)}"
        for right, down in others:
            half = (y + down) / 2
            path += f"C{number(x)} {number(half)} {number(right)} {number(half)} {number(right)} {number(down)}"
            x, y = right, down
        stroke = "" if width is None else f"stroke-width:{number(width)};"
        stroke += "stroke-dasharray:5 4;" if dashed else ""
        self._add(f'path class="{style}" d="{path}"' + (f' style="{stroke}"' if stroke else ""), "path", _title(title))

    def shape(self, style: str, points: Iterable[Point]) -> None:
        """A filled shape with these corners."""
        path = "L".join(f"{number(x)} {number(y)}" for x, y in points)
        self._add(f'path class="{style}" d="M{path}Z"', "path")

    def image(self, shades: Any, x: float, y: float, pixel: float) -> None:
        """A small grey image: shades from 0 to 1 by row and column, in quarters; the darkest is the colour of ink."""
        side = number(pixel)
        self.rect("ground", x, y, pixel * len(shades[0]), pixel * len(shades))
        tiles: dict[int, list[str]] = {}
        for down, row in enumerate(shades):
            for across, shade in enumerate(row):
                tile = f"M{number(x + pixel * across)} {number(y + pixel * down)}h{side}v{side}h-{side}z"
                tiles.setdefault(round(4 * float(shade)), []).append(tile)
        for level, paths in sorted(tiles.items()):
            if level > 0:
                self._add(f'path class="ink" d="{"".join(paths)}" fill-opacity="{level / 4:g}"', "path")

    def box(self, style: str, x: float, y: float, width: float, height: float, *, dashed: bool = False) -> None:
        """A rectangle with round corners and an outline."""
        place = f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" rx="6"'
        self._add(f'rect class="{style}" {place}' + (' style="stroke-dasharray:5 4"' if dashed else ""), "rect")

    def interval(self, colour: int, low: Point, value: Point, high: Point, *, title: str = "") -> None:
        """A dot on the line between the bounds of its interval."""
        self.line(f"line-{colour}", (low, high))
        self.dot(f"series-{colour}", *value, title=title)

    def legend(
        self, x: float, entries: Sequence[tuple[str, str]], *, step: float, opacities: Sequence[float] = ()
    ) -> None:
        """What the colours mean: style and words, one beside the other, along the top."""
        for place, (style, words) in enumerate(entries):
            opacity = opacities[place] if opacities else 1.0
            self.rect(style, x + step * place, 4, _BOX, _BOX, opacity=opacity)
            self.text(x + step * place + _BOX + 4, 13, words)

    def x_axis(
        self,
        scale: Scale,
        y: float,
        *,
        ticks: Sequence[float] | None = None,
        label: Callable[[float], str] = "{:g}".format,
        title: str = "",
        top: float | None = None,
    ) -> None:
        """A horizontal axis at ``y`` with ticks below it; with ``top``, guides through the chart up to there."""
        self.line("frame", ((scale.start, y), (scale.end, y)))
        for tick in scale.ticks() if ticks is None else ticks:
            x = scale(tick)
            self.line("frame", ((x, y), (x, y + 4)))
            if top is not None:
                self.line("guide", ((x, top), (x, y)))
            self.text(x, y + 16, label(tick), "middle")
        if title:
            self.text((scale.start + scale.end) / 2, y + 32, title, "middle")

    def y_axis(
        self,
        scale: Scale,
        x: float,
        *,
        ticks: Sequence[float] | None = None,
        label: Callable[[float], str] = "{:g}".format,
        title: str = "",
    ) -> None:
        """A vertical axis at ``x`` with ticks to the left of it."""
        self.line("frame", ((x, scale.start), (x, scale.end)))
        for tick in scale.ticks() if ticks is None else ticks:
            y = scale(tick)
            self.line("frame", ((x - 4, y), (x, y)))
            self.text(x - 7, y + 4, label(tick), "end")
        if title:
            self.text(x - 7, min(scale.start, scale.end) - 8, title, "end")

    def svg(self, height: float, *, standalone: bool = False, plot: tuple[float, float] | None = None) -> str:
        """The drawing as markup: to stand in a report, or alone in a file with colours and background of its own.

        ``plot`` is from where to where its scale reaches: a page for a phone makes that part narrow, and no other.
        """
        size = f"0 0 {number(self._width)} {number(height)}"
        fixed = f' width="{number(self._width)}"' + (f' height="{number(height)}"' if self._scrolls else "")
        if self._smallest is not None:
            fixed += f' style="min-width:{number(self._smallest * self._width)}px;max-width:100%;height:auto"'
        if plot is not None:
            fixed += f' data-plot="{number(plot[0])} {number(plot[1])}"'
        kind = ' class="panel"' if standalone else ' class="wide"' if self._scrolls else ""
        ground = ""
        if standalone:
            ground = f'<style>{standalone_style()}</style><rect class="paper" width="100%" height="100%"></rect>'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg"{kind}{fixed} viewBox="{size}" role="img" '
            f'aria-label="{escape(self._label)}">{ground}{"".join(self._marks)}</svg>'
        )

    def _add(self, opening: str, tag: str, content: str = "") -> None:
        self._marks.append(f"<{opening}>{content}</{tag}>")


def shorten(text: str, longest: int) -> str:
    """A text of at most so many characters.

    >>> shorten("correspondence", 8)
    'corresp…'
    """
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _title(text: str) -> str:
    return f"<title>{escape(text)}</title>" if text else ""


def _go(address: str) -> str:
    return f' data-go="{escape(address)}"' if address else ""
