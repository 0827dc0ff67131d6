"""The picture of an explanation: neighbours by distance, and what sets the query apart from the nearest one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.core import MissingExtra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from assay.cases.explanation import Explanation

__all__ = ["draw_explanation"]

_AGREES, _DIFFERS, _INK, _FAINT = "#2a7f9e", "#d1783c", "#2b2f36", "#c9ced6"
_MOST_NEIGHBORS, _MOST_FEATURES = 20, 10
_AS_IT_IS: dict[str, Any] = {"parse_math": False}  # a name may hold dollar signs


def draw_explanation(explanation: Explanation, *, ax: Axes | None = None) -> Figure:
    """Draw into the given axes, or on a new figure that no global registry keeps open."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("Plots", "matplotlib", "plot") from None
    if ax is not None:
        _draw_neighbors(explanation, ax, rows=min(len(explanation.neighbors), _MOST_NEIGHBORS))
        return ax.figure.figure  # the root, also of a subfigure
    # both panels get the same rows, so that their bars are of one size
    rows = max(min(len(explanation.neighbors), _MOST_NEIGHBORS), min(len(explanation.query), _MOST_FEATURES), 4)
    figure = Figure(figsize=(11, 1.9 + 0.34 * rows), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.1, 1))
    _draw_neighbors(explanation, left, rows=rows)
    _draw_differences(explanation, right, rows=rows)
    return figure


def _draw_neighbors(explanation: Explanation, ax: Axes, *, rows: int) -> None:
    from matplotlib.patches import Patch

    neighbors = explanation.neighbors[:_MOST_NEIGHBORS]
    name_of = explanation.cases.name_of
    longest = max(neighbor.distance for neighbor in neighbors) or 1.0
    for place, neighbor in enumerate(neighbors):
        color = _AGREES if explanation.agrees(neighbor) else _DIFFERS
        # a line with a dot, so that a distance of zero is still seen
        ax.plot([0, neighbor.distance], [place, place], color=color, linewidth=5, alpha=0.35, solid_capstyle="butt")
        ax.plot([neighbor.distance], [place], "o", color=color, markersize=9)
        text = f"{name_of(neighbor.label)}  {neighbor.distance:.3g}"
        ax.annotate(
            text,
            (neighbor.distance, place),
            xytext=(10, 0),
            textcoords="offset points",
            va="center",
            color=_INK,
            **_AS_IT_IS,
        )
    ax.set_yticks(range(len(neighbors)), [f"case {neighbor.index}" for neighbor in neighbors])
    ax.set_ylim(rows - 0.4, -0.6)
    ax.set_xlim(0, longest * 1.45)
    hidden = len(explanation.neighbors) - len(neighbors)
    ax.set_xlabel("distance to the query" + (f" ({hidden} farther cases not shown)" if hidden else ""))
    verdict = {None: "", True: " (right)", False: " (wrong)"}[explanation.is_correct]
    ax.set_title(
        f"Predicted {name_of(explanation.predicted_class)}{verdict}\n"
        f"correspondence {explanation.correspondence:.1%}, {explanation.interpretation}",
        loc="left",
        color=_INK,
        fontsize=12,
        pad=24,
        **_AS_IT_IS,
    )
    handles = [Patch(color=_AGREES, label="agrees"), Patch(color=_DIFFERS, label="differs")]
    ax.legend(handles=handles, frameon=False, loc="lower left", ncols=2, bbox_to_anchor=(-0.02, 0.99), fontsize=9)
    _calm(ax)


def _draw_differences(explanation: Explanation, ax: Axes, *, rows: int) -> None:
    differences = explanation.differences()[:_MOST_FEATURES]
    places = range(len(differences))
    widest = max(abs(difference.scaled) for difference in differences) or 1.0
    ax.barh(places, [difference.scaled for difference in differences], color="#7b8794", height=0.55)
    ax.axvline(0, color=_INK, linewidth=1)
    for place, difference in zip(places, differences, strict=True):
        right = difference.scaled < 0  # across the line from the bar, where there is always room
        ax.annotate(
            f"{difference.query:.4g} against {difference.case:.4g}",
            (0, place),
            xytext=(5 if right else -5, 0),
            textcoords="offset points",
            ha="left" if right else "right",
            va="center",
            color=_INK,
            fontsize=8,
            **_AS_IT_IS,
        )
    ax.set_yticks(places, [difference.name for difference in differences], **_AS_IT_IS)
    ax.set_ylim(rows - 0.4, -0.6)
    ax.set_xlim(-widest * 1.25, widest * 1.25)
    ax.set_xlabel("query minus nearest case, in the units of the distance")
    ax.set_title(
        f"Against the nearest case ({explanation.neighbors[0].index})", loc="left", color=_INK, fontsize=12, pad=24
    )
    _calm(ax)


def _calm(ax: Axes) -> None:
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set_color(_FAINT)
    ax.tick_params(length=0, colors=_INK)
    ax.grid(axis="x", color=_FAINT, linewidth=0.6, alpha=0.6)
    ax.set_axisbelow(True)
