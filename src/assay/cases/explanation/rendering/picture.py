"""The picture of an explanation: neighbours by distance, and what separates the query from the nearest unlike one."""

from __future__ import annotations

from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

from assay.cases.explanation.contrast import Contrast
from assay.cases.explanation.facts import ExplanationFacts
from assay.cases.explanation.rendering.summary import shown_neighbors
from assay.cases.explanation.rendering.wording import one_line, shorten_apart
from assay.cases.neighbors.checks import Label
from assay.core import InvalidInput, MissingExtra, UnknownName

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["PictureKind", "draw_explanation"]

PictureKind: TypeAlias = Literal["neighbours", "contrast", "both"]

_AGREES, _DIFFERS, _NEUTRAL = "#2a8fb5", "#d1703a", "#8a94a3"
_MOST_NEIGHBORS, _MOST_FEATURES = 20, 8
_LONGEST_CLASS, _LONGEST_FEATURE, _LONGEST_SIDES = 28, 30, 40
_PLAIN_TEXT: dict[str, Any] = {"parse_math": False}  # a name may hold dollar signs
_ROW, _FRAME = 0.34, 1.9  # inches per row, and for title, legend and axis


class _Ink(NamedTuple):
    """The colours of text and of lines on a background."""

    text: str
    line: str


_ON_LIGHT, _ON_DARK, _ON_UNKNOWN = _Ink("#23272e", "#c9ced6"), _Ink("#e8eaed", "#565d68"), _Ink("#7a828e", "#9aa2ae")


def draw_explanation(
    explanation: ExplanationFacts, *, ax: Axes | None = None, kind: PictureKind | None = None
) -> Figure:
    """Draw into the given axes, or on a new figure that no global registry keeps open."""
    if kind is not None and kind not in get_args(PictureKind):
        raise UnknownName("kind of picture", str(kind), get_args(PictureKind))
    if ax is not None and kind == "both":
        raise InvalidInput(
            'plot: kind="both" needs a figure of its own; leave ax out, or draw one kind into each axes.'
        )
    try:
        from matplotlib.figure import Figure
        from matplotlib.layout_engine import ConstrainedLayoutEngine
    except ImportError:
        raise MissingExtra("Plots", "matplotlib", "plot") from None
    if ax is not None:
        draw = _draw_contrast if kind == "contrast" else _draw_neighbors
        draw(explanation, ax, rows=_rows_of(explanation, kind or "neighbours"))
        return ax.figure.figure  # the root, also of a subfigure
    kinds: list[PictureKind] = ["neighbours", "contrast"] if kind is None or kind == "both" else [kind]
    # both panels get the same rows, so that their bars are of one size
    rows = max(4, *(_rows_of(explanation, panel) for panel in kinds))
    layout = ConstrainedLayoutEngine(w_pad=0.12)
    figure = Figure(figsize=(6 * len(kinds), _FRAME + _ROW * rows), layout=layout, facecolor="white")
    panels = figure.subplots(1, len(kinds), squeeze=False)[0]
    for panel, axes in zip(kinds, panels, strict=True):
        axes.set_facecolor("white")  # whatever the reader's style sheet says: the ink is chosen for it
        (_draw_neighbors if panel == "neighbours" else _draw_contrast)(explanation, axes, rows=rows)
    # notebooks show only figures that pyplot made; this one shows itself
    vars(figure)["_repr_png_"] = partial(_png, figure)
    return figure


def _png(figure: Figure) -> bytes:
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi="figure")
    return buffer.getvalue()


def _rows_of(explanation: ExplanationFacts, kind: PictureKind) -> int:
    if kind == "contrast":
        return max(1, min(len(_contrast(explanation).differing), _MOST_FEATURES))
    return len(shown_neighbors(explanation, most=_MOST_NEIGHBORS))


def _draw_neighbors(explanation: ExplanationFacts, ax: Axes, *, rows: int) -> None:
    ink, shown = _ink_on(ax), shown_neighbors(explanation, most=_MOST_NEIGHBORS)
    unlike = explanation.nearest_unlike
    longest = max(neighbor.distance for neighbor in shown) or 1.0
    names = _class_names(explanation)
    labels = [f"{names[neighbor.label]}  {neighbor.distance:.3g}" for neighbor in shown]
    for place, (neighbor, label) in enumerate(zip(shown, labels, strict=True)):
        color = _AGREES if explanation.agrees(neighbor) else _DIFFERS
        marked = unlike is not None and neighbor.index == unlike.index
        # a line with a dot, so that a distance of zero is still seen
        ax.plot([0, neighbor.distance], [place, place], color=color, linewidth=5, alpha=0.35, solid_capstyle="butt")
        ax.plot([neighbor.distance], [place], "D" if marked else "o", color=color, markersize=9)
        if marked:
            ax.plot([neighbor.distance], [place], "D", color="none", markeredgecolor=ink.text, markersize=13)
        _write(ax, label, (neighbor.distance, place), 14, ink.text, size=10)
    if shown[-1].index != explanation.neighbors[min(len(explanation.neighbors), _MOST_NEIGHBORS) - 1].index:
        # it stands apart, because cases between it and the others are not shown
        ax.axhline(len(shown) - 1.5, color=ink.line, linewidth=1, linestyle=(0, (2, 3)))
    ax.set_yticks(range(len(shown)), [f"case {neighbor.index}" for neighbor in shown])
    ax.set_ylim(rows - 0.4, -0.6)
    ax.set_xlim(0, longest * (1.2 + 0.022 * max(map(len, labels))))  # room for the longest label
    hidden = max(0, len(explanation.neighbors) - _MOST_NEIGHBORS)
    ax.set_xlabel("distance to the query" + (f"\n({hidden} farther cases not shown)" if hidden else ""), color=ink.text)
    verdict = {None: "", True: " (right)", False: " (wrong)"}[explanation.is_correct]
    level = f"correspondence {explanation.correspondence:.1%}, {explanation.band}"
    _title(ax, f"Predicted {names[explanation.predicted_class]}{verdict}\n{level}", ink)
    _legend(ax, ink, unlike=unlike is not None)
    _style_axes(ax, ink)


def _legend(ax: Axes, ink: _Ink, *, unlike: bool) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], marker="o", linestyle="none", color=_AGREES, markersize=8, label="agrees"),
        Line2D([], [], marker="o", linestyle="none", color=_DIFFERS, markersize=8, label="differs"),
    ]
    if unlike:
        mark: dict[str, Any] = {"color": _DIFFERS, "markeredgecolor": ink.text, "markersize": 8}
        handles.append(Line2D([], [], marker="D", linestyle="none", label="nearest unlike", **mark))
    ax.legend(
        handles=handles,
        frameon=False,
        loc="lower left",
        ncols=len(handles),
        bbox_to_anchor=(-0.02, 0.99),
        fontsize=9,
        labelcolor=ink.text,
        handletextpad=0.2,
        columnspacing=1.2,
    )


def _draw_contrast(explanation: ExplanationFacts, ax: Axes, *, rows: int) -> None:
    ink, case = _ink_on(ax), explanation.nearest_unlike or explanation.neighbors[0]
    contrast = _contrast(explanation)
    differences = contrast.differing[:_MOST_FEATURES]
    places = range(len(differences))
    sizes = [difference.scaled if difference.differs else 0.0 for difference in differences]
    widest = max(map(abs, sizes), default=0.0) or 1.0
    ax.barh(places, sizes, color=_NEUTRAL, height=0.55)
    ax.axvline(0, color=ink.text, linewidth=1)
    for place, size, difference in zip(places, sizes, differences, strict=True):
        # across the line from the bar, where there is always room
        _write(ax, difference.sides_within(_LONGEST_SIDES), (0.0, place), 6 if size < 0 else -6, ink.text, size=8.5)
    if not differences:
        _write(ax, "nothing that can be shown differs", (-1.1, 0.0), 6, ink.text, size=10)
    names = shorten_apart([one_line(difference.name) for difference in differences], most=_LONGEST_FEATURE)
    ax.set_yticks(places, names, **_PLAIN_TEXT)
    ax.set_ylim(rows - 0.4, -0.6)
    ax.set_xlim(-widest * 1.25, widest * 1.25)
    rest = contrast.rest(shown=len(differences))
    ax.set_xlabel("query minus case, in the units of the distance" + (f"\n({rest})" if rest else ""), color=ink.text)
    what = "nearest case" if explanation.nearest_unlike is None else "nearest unlike case"
    _title(ax, f"Against the {what}\n{_class_names(explanation)[case.label]} (case {case.index})", ink)
    _style_axes(ax, ink)


def _contrast(explanation: ExplanationFacts) -> Contrast:
    """Against the nearest unlike case, or the nearest one where there is none."""
    return Contrast(explanation.differences(explanation.nearest_unlike or explanation.neighbors[0]))


def _class_names(explanation: ExplanationFacts) -> dict[Label, str]:
    """The names of all classes that the picture may speak of, short and still told apart."""
    labels: list[Label] = explanation.cases.classes.tolist()
    if explanation.predicted_class not in labels:
        labels.append(explanation.predicted_class)
    names = [one_line(explanation.cases.titled(label)) for label in labels]
    return dict(zip(labels, shorten_apart(names, most=_LONGEST_CLASS), strict=True))


def _ink_on(ax: Axes) -> _Ink:
    """Dark ink on a light background and light ink on a dark one; a middle tone where nothing is painted behind."""
    from matplotlib.colors import to_rgba

    for facecolor in (ax.get_facecolor(), ax.figure.get_facecolor()):
        red, green, blue, alpha = to_rgba(facecolor)
        if alpha > 0.5:
            return _ON_LIGHT if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5 else _ON_DARK
    return _ON_UNKNOWN


def _write(ax: Axes, text: str, at: tuple[float, float], shift: int, color: str, *, size: float) -> None:
    ax.annotate(
        text,
        at,
        xytext=(shift, 0),
        textcoords="offset points",
        ha="left" if shift > 0 else "right",
        va="center",
        color=color,
        fontsize=size,
        **_PLAIN_TEXT,
    )


def _title(ax: Axes, text: str, ink: _Ink) -> None:
    ax.set_title(text, loc="left", color=ink.text, fontsize=12, pad=26, **_PLAIN_TEXT)


def _style_axes(ax: Axes, ink: _Ink) -> None:
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set_color(ink.line)
    ax.tick_params(length=0, colors=ink.text)
    ax.grid(axis="x", color=ink.line, linewidth=0.6, alpha=0.6)
    ax.grid(visible=False, axis="y")
    ax.set_axisbelow(True)
