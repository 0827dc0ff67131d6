"""Which score tells wrong predictions from right ones? Four data sets x four classifiers, cross-validated.

Every score of the cases track sees the training folds as its cases and the held-out fold as its queries; scores are
pooled over the folds of a repeat. AUROC is the mean over repeats; intervals are bootstrap intervals over cases, all
repeats of a case drawn together, and the comparison with a rival is paired on the same draws. Relatives of these data
were among the development tables of the default detector (decision 0027): what it does on unseen ones is measured by
``benchmarks.cases_second_opinion``. The earlier default was developed on generated data alone (decision 0005).
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from assay.cases import TRACK, CasesTask, auroc
from assay.core import Budget, parse_call
from benchmarks.measure import Rows, counted, sized

EVERY = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer, "digits": load_digits}
DATA = sized(EVERY, {"iris": load_iris})
CLASSIFIERS = {
    "forest": lambda: RandomForestClassifier(n_estimators=100, random_state=42),
    "logistic": lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
    "tree": lambda: DecisionTreeClassifier(random_state=42),
    "naive Bayes": GaussianNB,
}
SCORES = (
    *("correspondence", "correspondence(k=20)", "vote", "trust-score", "max-probability", "nearest-distance"),
    *("conformal-knn", "second-opinion", "second-opinion-and-confidence", "neighbourhood-detector", "detector"),
)
OURS, RIVALS = "detector", ("trust-score", "max-probability")
FOLDS, RESAMPLES = 5, sized(1000, 20)


class Pooled(NamedTuple):
    """Per repeat, out-of-fold scores [repeats, cases] of each method, and which predictions were wrong."""

    scores: dict[str, np.ndarray]
    wrong: np.ndarray


def _subject(text: str) -> Any:
    call = parse_call(text)
    return TRACK.subjects[call.name](**call.parameters)


def _cross_validated(X: np.ndarray, y: np.ndarray, make: Any, repeats: int) -> Pooled:
    scores = {name: np.empty((repeats, len(y))) for name in SCORES}
    wrong = np.empty((repeats, len(y)), dtype=bool)
    for repeat in range(repeats):
        for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=repeat).split(X, y):
            model = make().fit(X[train], y[train])
            probabilities = model.predict_proba(X[test])
            task = CasesTask(
                train_X=X[train],
                train_y=y[train],
                query_X=X[test],
                predicted=model.predict(X[test]),
                probabilities=probabilities,
                classes=tuple(model.classes_.tolist()),
                feature_names=tuple(f"x{feature}" for feature in range(X.shape[1])),
            )
            wrong[repeat, test] = task.predicted != y[test]
            for name in SCORES:
                scores[name][repeat, test] = _subject(name).solve(task, Budget()).scores
    return Pooled(scores, wrong)


def _mean_auroc(scores: np.ndarray, wrong: np.ndarray, rows: np.ndarray) -> float:
    values = [auroc(s[rows], w[rows]) for s, w in zip(scores, wrong, strict=True)]
    return float(np.nanmean(values)) if not np.isnan(values).all() else float("nan")


def main() -> Rows:
    warnings.simplefilter("ignore")
    totals: dict[str, list[float]] = {name: [] for name in SCORES}
    print(f"{'data, classifier':28} {'errors':>9}  " + "  ".join(f"{name[:15]:>15}" for name in SCORES))
    behind = []
    for data_name, load in DATA.items():
        X, y = load(return_X_y=True)
        for model_name, make in CLASSIFIERS.items():
            pooled = _cross_validated(X, y, make, repeats=1 if data_name == "digits" else sized(3, 1))
            rng = np.random.default_rng(0)
            draws = [np.arange(len(y)), *(rng.integers(0, len(y), len(y)) for _ in range(RESAMPLES))]
            scores = {
                name: np.array([_mean_auroc(pooled.scores[name], pooled.wrong, rows) for rows in draws])
                for name in SCORES
            }
            cells = []
            for name in SCORES:
                low, high = np.nanpercentile(scores[name][1:], [2.5, 97.5])
                totals[name].append(float(scores[name][0]))
                cells.append(f"{scores[name][0]:.3f} {low:.2f}-{high:.2f}")
            label = f"{data_name}, {model_name}"
            print(f"{label:28} {pooled.wrong.sum():4}/{pooled.wrong.size:<5} " + "  ".join(f"{c:>15}" for c in cells))
            for rival in RIVALS:
                difference = scores[OURS] - scores[rival]
                low, high = np.nanpercentile(difference[1:], [2.5, 97.5])
                verdict = "behind" if high < 0 else "ahead" if low > 0 else "level"
                if verdict == "behind":
                    behind.append(f"{label}: {difference[0]:+.3f} [{low:+.3f}, {high:+.3f}] against {rival}")
    print(
        f"{f'mean of {len(totals[OURS])}':28} {'':9}  "
        + "  ".join(f"{np.mean(totals[name]):>15.4f}" for name in SCORES)
    )
    for rival in RIVALS:
        differences = np.array(totals[OURS]) - np.array(totals[rival])
        print(
            f"{OURS} against {rival}: mean {differences.mean():+.4f}, ahead in {(differences > 0).sum()}, "
            f"behind in {(differences < 0).sum()} of {len(differences)}"
        )
        name = f"mean AUROC of the detector above {rival}"
        yield counted(name, float(differences.mean()), "", better="more", tolerance=0.1)
    print("behind by more than the interval: " + ("; ".join(behind) or "nowhere"))
    yield counted("data and classifiers where it is behind by more than the interval", len(behind), "")
