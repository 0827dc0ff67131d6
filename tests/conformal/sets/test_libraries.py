"""Real arrays and sets of other libraries, where they are installed; test_named has what stands in for them."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from assay.conformal import PredictionSets, calibrate, count_sets
from assay.conformal.metrics import interval_coverage
from assay.conformal.regions import Classes, Intervals, Values, calibrate_regions

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 4))
KIND = (X @ RNG.normal(size=(4, 3)) + RNG.gumbel(size=(300, 3))).argmax(axis=1)
PRICE = X.sum(axis=1) + RNG.normal(size=300)
SAID = LogisticRegression().fit(X[:100], KIND[:100]).predict_proba(X)


def installed(name: str) -> ModuleType:
    """The library, or a test that is skipped with what to install."""
    reason = f"{name} is not installed: pip install {name.replace('deel.', '')} to try its real outputs"
    module: ModuleType = pytest.importorskip(name, reason=reason, exc_type=ImportError)
    return module


def journey(array: Any, half: Any) -> None:
    """A two-headed network: probabilities and labels in, sets out, all as NumPy's own."""
    plain = calibrate(
        {"kind": SAID[:200], "spam": SAID[:200, :1]}, {"kind": KIND[:200], "spam": KIND[:200] == 0}, alpha=0.1
    )
    heads = {"kind": array(SAID[:200]), "spam": array(SAID[:200, 0])}
    calibration = calibrate(heads, {"kind": array(KIND[:200]), "spam": array(KIND[:200] == 0)}, alpha=0.1)
    for one, other in zip(calibration.thresholds, plain.thresholds, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)
    sets = calibration.predict_sets({"kind": array(SAID[200:]), "spam": array(SAID[200:, 0])})
    assert count_sets(sets, {"kind": array(KIND[200:]), "spam": array(KIND[200:] == 0)}).samples == 100
    assert PredictionSets.from_matrices(array(SAID > 0.1)) == PredictionSets.from_matrices(SAID > 0.1)
    for values in half(SAID):  # rounded to three digits or so: close, and taken
        np.testing.assert_allclose(
            calibrate(values, array(KIND), alpha=0.1).thresholds[0],
            calibrate(SAID, KIND, alpha=0.1).thresholds[0],
            atol=0.01,
        )
    numbers = calibrate_regions(
        {"price": Values(array(PRICE * 0)), "kind": Classes(array(SAID))},
        {"price": array(PRICE), "kind": array(KIND)},
        alpha=0.1,
    )
    assert (
        numbers.predict({"price": Values(array(PRICE * 0)), "kind": Classes(array(SAID))})
        .covered({"price": array(PRICE), "kind": array(KIND)})
        .any()
    )


def test_tensors_of_torch_with_gradients_and_of_half_precision() -> None:
    torch = installed("torch")

    def tensor(values: Any) -> Any:
        converted = torch.tensor(np.asarray(values))
        return converted.requires_grad_() if converted.is_floating_point() else converted

    journey(tensor, lambda values: (tensor(values).half(), tensor(values).bfloat16()))


def test_arrays_of_jax_and_of_half_precision() -> None:
    jax = installed("jax")
    numpy = jax.numpy
    journey(
        numpy.asarray, lambda values: (numpy.asarray(values, dtype="float16"), numpy.asarray(values, dtype="bfloat16"))
    )


@pytest.mark.parametrize("score", ["LAC", "APS"])
def test_sets_of_torchcp(score: str) -> None:
    torch = installed("torch")
    installed("torchcp")
    predictor = installed("torchcp.classification.predictor")
    scores = installed("torchcp.classification.score")

    logits = torch.tensor(np.log(SAID))
    predictor_of_torchcp = predictor.SplitPredictor(getattr(scores, score)(), alpha=0.1)
    predictor_of_torchcp.calculate_threshold(logits[:200], torch.tensor(KIND[:200]), 0.1)
    theirs = predictor_of_torchcp.predict_with_logits(logits[200:])
    sets = PredictionSets.from_matrices(theirs)
    assert len(sets) == 100
    counts = count_sets(sets, torch.tensor(KIND[200:]))
    assert 0.75 < counts.covered / counts.known <= 1
    if score == "LAC":  # whose definition is ours
        assert sets == calibrate(SAID[:200], KIND[:200], alpha=0.1).predict_sets(SAID[200:])


def test_sets_and_intervals_of_puncc() -> None:
    installed("deel.puncc")
    BasePredictor: Any = installed("deel.puncc.api.prediction").BasePredictor
    LAC: Any = installed("deel.puncc.classification").LAC
    SplitCP: Any = installed("deel.puncc.regression").SplitCP

    class Probabilities(BasePredictor):  # type: ignore[misc]
        def predict(self, X: Any, **options: Any) -> Any:
            return self.model.predict_proba(X)

    own = LAC(Probabilities(LogisticRegression()))
    own.fit(X_fit=X[:100], y_fit=KIND[:100], X_calib=X[100:200], y_calib=KIND[100:200])
    _, theirs = own.predict(X[200:], alpha=0.1)
    sets = PredictionSets.from_labels([theirs], classes=[3])
    assert sets == calibrate(SAID[100:200], KIND[100:200], alpha=0.1).predict_sets(SAID[200:])
    split = SplitCP(BasePredictor(LinearRegression()))
    split.fit(X_fit=X[:100], y_fit=PRICE[:100], X_calib=X[100:200], y_calib=PRICE[100:200])
    _, low, high = split.predict(X[200:], alpha=0.1)
    model = LinearRegression().fit(X[:100], PRICE[:100])
    calibration = calibrate_regions(Values(model.predict(X[100:200])), PRICE[100:200], alpha=0.1)
    ours = calibration.predict(Values(model.predict(X[200:])))["task"]
    np.testing.assert_allclose(np.asarray(ours), [low, high], atol=1e-9)
    assert 0.75 < interval_coverage(Intervals(low, high), PRICE[200:]) <= 1
