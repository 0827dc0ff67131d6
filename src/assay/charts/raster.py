"""Drawings as PNG or PDF, for files that hold no SVG, such as Word's and TeX's; matplotlib draws them."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from assay.charts.drawing import Anchor, Drawing, Point, shorten
from assay.charts.marks import Mark, mark_corners
from assay.charts.styles import light_colours
from assay.core import MissingExtra

__all__ = ["Raster"]

_INCH: Final = 96.0  # units of a drawing
_DPI: Final = 192
_SERIES: Final = ("accent", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
# fill and stroke by the classes of the style sheet, as names of colours
_FILLS: Final[dict[str, tuple[str | None, str | None, float]]] = {
    **{f"series-{place}": (name, None, 0.0) for place, name in enumerate(_SERIES, start=1)},
    **{f"line-{place}": (None, name, 1.8) for place, name in enumerate(_SERIES, start=1)},
    "ground": ("sheet", None, 0.0),
    "paper": ("paper", None, 0.0),
    "soft": ("soft", None, 0.0),
    "frame": (None, "soft", 1.0),
    "bar-line": (None, "ink", 4.0),
    "guide": (None, "line", 1.0),
    "guide-strong": (None, "soft", 1.0),
    "hollow": ("paper", "ink", 1.0),
    "box": ("sheet", "soft", 1.0),
    "box-1": ("paper", "accent", 2.5),
    "box-2": ("paper", "second", 2.5),
}


class Raster(Drawing):
    """A drawing that becomes a PNG; everything that a :class:`Drawing` can draw, with the colours of light pages."""

    def __init__(self, label: str, *, width: float) -> None:
        super().__init__(label, width=width)
        self._colours = light_colours()
        self._artists: list[Any] = []
        self._shift = (0.0, 0.0)

    @contextmanager
    def moved(self, right: float, down: float) -> Iterator[None]:
        """Shift what is drawn inside the context."""
        before, self._shift = self._shift, (self._shift[0] + right, self._shift[1] + down)
        try:
            yield
        finally:
            self._shift = before

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
        """As in a drawing."""
        matplotlib = _matplotlib()
        classes = style.split()
        self._artists.append(
            matplotlib.text.Text(
                x + self._shift[0],
                y + self._shift[1],
                (text if longest is None else shorten(text, longest)).replace("$", r"\$"),
                color=self._colours["ink" if "ink" in classes else "soft"],
                ha={"start": "left", "middle": "center", "end": "right"}[anchor],
                va="baseline",
                fontsize=(9 if "tiny" in classes else 12) * 72 / _INCH,
                fontweight="bold" if "strong" in classes else "normal",
            )
        )

    def rect(
        self, style: str, x: float, y: float, width: float, height: float, *, title: str = "", opacity: float = 1.0
    ) -> None:
        """As in a drawing."""
        corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
        self._patch(style, corners, opacity=opacity)

    def box(self, style: str, x: float, y: float, width: float, height: float, *, dashed: bool = False) -> None:
        """As in a drawing."""
        place = (x + self._shift[0], y + self._shift[1])
        shape = _matplotlib().patches.FancyBboxPatch(
            place, width, height, boxstyle="round,pad=0,rounding_size=6", **self._paint(style, dashed=dashed)
        )
        self._artists.append(shape)

    def dot(self, style: str, x: float, y: float, *, radius: float = 4, title: str = "", go: str = "") -> None:
        """As in a drawing."""
        centre = (x + self._shift[0], y + self._shift[1])
        self._artists.append(_matplotlib().patches.Circle(centre, radius, **self._paint(style)))

    def mark(self, mark: Mark, x: float, y: float, *, radius: float = 5, title: str = "", go: str = "") -> None:
        """As in a drawing."""
        if mark.shape == "circle":
            self.dot(f"series-{mark.colour}", x, y, radius=radius)
        else:
            self.shape(f"series-{mark.colour}", mark_corners(mark.shape, x, y, radius))

    def line(self, style: str, points: Iterable[Point]) -> None:
        """As in a drawing."""
        self._patch(style, list(points), closed=False)

    def shape(self, style: str, points: Iterable[Point]) -> None:
        """As in a drawing."""
        self._patch(style, list(points))

    def curve(
        self, style: str, points: Sequence[Point], *, width: float | None = None, dashed: bool = False, title: str = ""
    ) -> None:
        """As in a drawing."""
        path_of = _matplotlib().path.Path
        (x, y), *others = points
        corners, codes = [(x, y)], [path_of.MOVETO]
        for right, down in others:
            half = (y + down) / 2
            corners += [(x, half), (right, half), (right, down)]
            codes += [path_of.CURVE4] * 3
            x, y = right, down
        self._patch(style, corners, codes=codes, width=width, dashed=dashed)

    def png(self, height: float) -> bytes:
        """The picture as PNG."""
        stream = io.BytesIO()
        self._figure(height).savefig(stream, format="png", facecolor=self._colours["paper"])
        return stream.getvalue()

    def pdf(self, height: float) -> bytes:
        """The picture as PDF with its fonts inside; equal drawings give equal bytes."""
        stream = io.BytesIO()
        with _matplotlib().rc_context({"pdf.fonttype": 42}):
            self._figure(height).savefig(stream, format="pdf", metadata={"CreationDate": None})
        return stream.getvalue()

    def _figure(self, height: float) -> Any:
        matplotlib = _matplotlib()
        figure = matplotlib.figure.Figure(figsize=(self._width / _INCH, height / _INCH), dpi=_DPI)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, self._width), ylim=(height, 0))
        axes.axis("off")
        for place, artist in enumerate(self._artists):
            artist.set_zorder(place + 1)
            axes.add_artist(artist)
        return figure

    def _patch(
        self,
        style: str,
        points: Sequence[Point],
        *,
        codes: Sequence[Any] | None = None,
        closed: bool = True,
        width: float | None = None,
        dashed: bool = False,
        opacity: float = 1.0,
    ) -> None:
        matplotlib = _matplotlib()
        moved = [(x + self._shift[0], y + self._shift[1]) for x, y in points]
        if codes is None:
            path = matplotlib.path.Path(moved, closed=False)
            if closed:
                path = matplotlib.path.Path([*moved, moved[0]], closed=True)
        else:
            path = matplotlib.path.Path(moved, codes)
        paint = self._paint(style, width=width, dashed=dashed) | {"alpha": opacity}
        self._artists.append(matplotlib.patches.PathPatch(path, **paint))

    def _paint(self, style: str, *, width: float | None = None, dashed: bool = False) -> dict[str, Any]:
        fill, stroke, usual = _FILLS[style.split()[0]]
        return {
            "facecolor": "none" if fill is None else self._colours[fill],
            "edgecolor": "none" if stroke is None else self._colours[stroke],
            "linewidth": (usual if width is None else width) * 72 / _INCH,
            "linestyle": (0, (5, 4)) if dashed or style == "guide-strong" else "solid",
        }


def _matplotlib() -> Any:
    try:
        import matplotlib
        import matplotlib.figure
        import matplotlib.patches
        import matplotlib.path
        import matplotlib.text
    except ImportError:
        raise MissingExtra("pictures in PNG and PDF", "matplotlib", "plot") from None
    return matplotlib
