import builtins
import io
import sys
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot, rc_context
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text

from assay.cases import CaseExplainer, Explanation
from assay.cases.explanation.context import Familiarity, Unlike
from assay.core import InvalidInput, MissingExtra, UnknownName


def explanation(k: Any = 4, *, shift: float = 0.0, **options: Any) -> Explanation:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 5)), rng.integers(0, 2, 30)
    explainer = CaseExplainer(X, y, k=k, class_names=["no $x$", "yes"], **options)
    return explainer.explain_instance(X[0] + shift, predicted_class=1, true_class=0)


def with_unlike(index: int, distance: float, *, features: int = 5) -> Explanation:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, features)), rng.integers(0, 2, 30)
    names = [f"the {number}. of many measurements with long names" for number in range(features)]
    explainer = CaseExplainer(X, y, k=4, class_names=["no $x$", "yes"], feature_names=names)
    context: Any = SimpleNamespace(
        unlike=lambda *_, **__: Unlike(np.array([index]), np.array([distance])),
        familiarity=lambda *_: Familiarity(np.array([0.99]), np.array([True])),
        fidelity=lambda *_: None,
        prior=lambda *_: np.array([0.5]),
    )
    return replace(explainer.explain_batch(X[:1], predictions=[1], y=[0]), context=context)[0]


def texts(figure: Figure) -> str:
    return "\n".join(text.get_text() for axes in figure.axes for text in axes.findobj(Text) if isinstance(text, Text))


def test_a_picture_shows_prediction_correspondence_neighbours_and_differences() -> None:
    shown = explanation(shift=0.1, feature_names=["a", "b", "$\\bad{$", "d_{", "e"])
    figure = shown.plot()
    content = texts(figure)
    assert "Predicted yes (1) (wrong)" in content
    assert f"correspondence {shown.correspondence:.1%}" in content
    assert all(f"case {neighbor.index}" in content for neighbor in shown.neighbors)
    assert "$\\bad{$" in content
    assert "nothing that can be shown differs" in texts(explanation().plot())  # a query that is the unlike case
    assert len(figure.axes) == 2
    png = io.BytesIO()
    figure.savefig(png, format="png", dpi=40)
    assert png.getvalue().startswith(b"\x89PNG")


def test_a_right_prediction_is_called_right() -> None:
    explainer = CaseExplainer([[0.0], [1.0]], ["a", "b"], k=1)
    content = texts(explainer.explain_instance([0.0], predicted_class="a", true_class="a").plot())
    assert "Predicted a (right)" in content
    assert "(" not in texts(explainer.explain_instance([0.0], predicted_class="a").plot(kind="neighbours"))


def test_pictures_do_not_pile_up() -> None:
    before = pyplot.get_fignums()
    for _ in range(3):
        explanation().plot()
    assert pyplot.get_fignums() == before


def test_given_axes_get_the_neighbours_only_and_their_figure_comes_back() -> None:
    mine = Figure()
    axes = mine.subplots()
    assert explanation().plot(ax=axes) is mine
    assert len(mine.axes) == 1
    nested = Figure()
    assert explanation().plot(ax=nested.add_subfigure(nested.add_gridspec(1, 1)[0]).subplots()) is nested


def test_many_neighbours_are_cut_and_the_rest_is_counted() -> None:
    assert "(10 farther cases not shown)" in texts(explanation(k="all").plot())


def test_identical_cases_can_be_drawn() -> None:
    figure = CaseExplainer(np.ones((3, 2)), [0, 0, 0], k=3).explain_instance([1.0, 1.0], predicted_class=0).plot()
    figure.canvas.draw()
    assert rows(figure.axes[0]) == ["case 0", "case 1", "case 2"]


def rows(axes: Axes) -> list[str]:
    return [label.get_text() for label in axes.get_yticklabels()]


def test_the_nearest_unlike_case_is_marked_and_what_separates_it_is_drawn() -> None:
    shown = with_unlike(29, 7.5)
    figure = shown.plot()
    content = texts(figure)
    assert rows(figure.axes[0]) == [f"case {neighbor.index}" for neighbor in shown.neighbors] + ["case 29"]
    assert "nearest unlike" in content
    assert "7.5" in content
    assert f"Against the nearest unlike case\n{shown.cases.titled(int(shown.cases.y[29]))} (case 29)" in content
    assert "but the query is unfamiliar" in content
    assert all(entry.sides in content for entry in shown.contrast())
    assert "query minus case, in the units of the distance" in content
    assert "distance to the query" in content
    assert "agrees\ndiffers\nnearest unlike" in content
    diamonds = [line for line in figure.axes[0].get_lines() if line.get_marker() == "D"]
    assert {float(line.get_xdata()[0]) for line in diamonds} == {7.5}  # type: ignore[index,arg-type]
    among = with_unlike(shown.neighbors[1].index, shown.neighbors[1].distance).plot(kind="neighbours")
    assert rows(among.axes[0]) == [f"case {neighbor.index}" for neighbor in shown.neighbors]
    assert [line for line in among.axes[0].get_lines() if line.get_marker() == "D"]


def test_without_an_unlike_case_the_nearest_one_is_compared() -> None:
    alone = replace(explanation(), lazy=None)
    content = texts(alone.plot())
    assert "nearest unlike" not in content
    assert "Against the nearest case" in content


def test_each_kind_can_be_drawn_alone() -> None:
    shown = explanation()
    assert len(shown.plot(kind="both").axes) == 2
    assert "Predicted yes" not in texts(shown.plot(kind="contrast"))
    assert "Against the" not in texts(shown.plot(kind="neighbours"))
    mine = Figure().subplots()
    shown.plot(mine, kind="contrast")
    assert "Against the" in mine.get_title(loc="left")
    with pytest.raises(UnknownName, match="No kind of picture named 'radar'. .*Known: both, contrast, neighbours"):
        shown.plot(kind="radar")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match='kind="both" needs a figure of its own'):
        shown.plot(mine, kind="both")


def test_thirty_features_with_long_names_show_the_eight_that_separate_most() -> None:
    shown = with_unlike(29, 7.5, features=30)
    figure = shown.plot(kind="contrast")
    labels = rows(figure.axes[0])
    assert len(labels) == len(set(labels)) == 8
    assert max(map(len, labels)) <= 30
    assert "(22 more features differ)" in texts(figure)
    figure.canvas.draw()


def contrast_of(axes: Axes) -> float:
    """How far the title stands out against the background, 0 to 1."""
    ink, ground = to_rgb(axes._left_title.get_color()), to_rgb(axes.get_facecolor())  # type: ignore[attr-defined]
    return abs(float(np.mean(ink)) - float(np.mean(ground)))


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_a_picture_is_legible_under_light_and_dark_styles(style: str) -> None:
    with rc_context(), pyplot.style.context(style):
        own = explanation().plot()
        assert to_rgb(own.get_facecolor()) == (1, 1, 1)
        own_axes = Figure().subplots()
        explanation().plot(own_axes)
        assert all(contrast_of(axes) > 0.5 for axes in (*own.axes, own_axes))


def test_on_a_transparent_ground_the_ink_is_a_middle_tone() -> None:
    clear = Figure(facecolor="none").subplots()
    clear.set_facecolor("none")
    explanation().plot(clear)
    assert 0.3 < float(np.mean(to_rgb(clear._left_title.get_color()))) < 0.7  # type: ignore[attr-defined]


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    for name in [name for name in sys.modules if name.startswith("matplotlib")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=r"Plots need matplotlib.*pip install 'matplotlib>=3.8'"):
        explanation().plot()
