import builtins
import io
import sys
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure
from matplotlib.text import Text

from assay.cases import CaseExplainer, Explanation
from assay.core import MissingExtra


def explanation(k: Any = 4, **options: Any) -> Explanation:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 5)), rng.integers(0, 2, 30)
    explainer = CaseExplainer(X, y, k=k, class_names=["no $x$", "yes"], **options)
    return explainer.explain_instance(X[0], predicted_class=1, true_class=0)


def texts(figure: Figure) -> str:
    return "\n".join(text.get_text() for axes in figure.axes for text in axes.findobj(Text) if isinstance(text, Text))


def test_a_picture_shows_prediction_correspondence_neighbours_and_differences() -> None:
    shown = explanation(feature_names=["a", "b", "$\\bad{$", "d_{", "e"])
    figure = shown.plot()
    content = texts(figure)
    assert "Predicted yes (wrong)" in content
    assert f"correspondence {shown.correspondence:.1%}" in content
    assert all(f"case {neighbor.index}" in content for neighbor in shown.neighbors)
    assert "$\\bad{$" in content
    assert len(figure.axes) == 2
    png = io.BytesIO()
    figure.savefig(png, format="png", dpi=40)
    assert png.getvalue().startswith(b"\x89PNG")


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
    CaseExplainer(np.ones((3, 2)), [0, 0, 0], k=3).explain_instance([1.0, 1.0], predicted_class=0).plot().canvas.draw()


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    for name in [name for name in sys.modules if name.startswith("matplotlib")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=r"pip install .assay\[plot\]"):
        explanation().plot()
