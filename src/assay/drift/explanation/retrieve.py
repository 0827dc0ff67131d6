"""Documents ranked for a drift: signals joined into the odds that a document tells the cause, each part kept."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from assay.core import InvalidInput
from assay.core.arrays import FloatArray
from assay.drift.detection.drift import Drift
from assay.drift.documents.dense import Embedder
from assay.drift.documents.document import Corpus
from assay.drift.documents.text_index import TextIndex
from assay.drift.explanation.query import Changed, make_query
from assay.drift.explanation.signals import SIGNALS, compute_signals, naming

__all__ = [
    "AGAINST",
    "Scored",
    "Weights",
    "centred",
    "chance_of_any",
    "confidences",
    "fuse",
    "prior_of_notice",
    "rank",
]

AGAINST = frozenset({"unnamed", "late", "elsewhere", "other", "denial", "off", "report", "training"})
# where a signal is unknown, such as what changed without an event log, it counts as for a usual cause
NEUTRAL: Mapping[str, float] = {
    **dict.fromkeys(SIGNALS, 0.0),
    **{"process": 0.3, "words": 0.3, "date": 0.5, "change": 0.4, "together": 0.3, "sense": 0.3, "direction": 0.5},
    **{"announcement": 0.3, "dense": 0.3, "people": 0.3, "rhythm": 0.5},
}
_NOTICE = 0.35  # that a cause is a notice which names its process, where the corpus does not say so
_STAND_IN = 0.5  # the day of issue, where a text names no day of its own, counts by half as that day


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """How much each signal moves the log-odds that a document tells the cause rather than none does.

    ``factors`` are by signal: not negative for those that speak for a document, not positive for those against it; one
    that is missing counts 0. ``base`` are the log-odds of a document for which every signal is unknown.
    """

    factors: Mapping[str, float]
    base: float = 0.0

    def __post_init__(self) -> None:
        for name, value in (*self.factors.items(), ("base", self.base)):
            if name != "base" and name not in SIGNALS:
                raise InvalidInput(f"weights: there is no signal {name!r}. Signals: {', '.join(SIGNALS)}.")
            wrong = name != "base" and (value > 0.0 if name in AGAINST else value < 0.0)
            if not math.isfinite(value) or wrong:
                sign = "not positive" if name in AGAINST else "not negative"
                raise InvalidInput(f"weights: {name} must be finite and {sign}, got {value!r}.")


@cache
def _fitted() -> Mapping[str, Weights]:
    """The weights as they were fitted: "free" to the prose of outside authors, "named" to that and to notices."""
    content = json.loads(files("assay.drift.explanation").joinpath("weights.json").read_text("utf-8"))
    return {name: Weights(factors=entry["factors"], base=entry["base"]) for name, entry in content.items()}


class Scored(NamedTuple):
    """A document's place in a ranking: its log-odds against none, its probability, and where they come from.

    ``signals`` lie in [0, 1], nan where the document says nothing on the matter; ``contributions`` add up, with what
    a document has without any signal, to the score.
    """

    document: str
    score: float
    confidence: float
    signals: Mapping[str, float]
    contributions: Mapping[str, float]


def rank(
    corpus: Corpus | TextIndex,
    drift: Drift,
    *,
    profile: Changed | None = None,
    glossary: Mapping[str, str] | None = None,
    weights: Weights | Mapping[str, Weights] | None = None,
    embedder: Embedder | None = None,
) -> tuple[Scored, ...]:
    """All documents of a corpus, the likeliest cause of the drift first; equal scores in the order of names.

    ``profile`` tells what changed in the process, ``glossary`` maps terms to definitions. To rank the same corpus for
    many drifts, give a ``TextIndex`` of it. Without ``weights`` the fitted ones are used. Of a mapping, and of these,
    those under "free" are for prose and those under "named" for notices that name their process: see ``fuse``.
    """
    index = corpus if isinstance(corpus, TextIndex) else TextIndex(corpus)
    query = make_query(drift, profile=profile, glossary=glossary)
    signals = compute_signals(index, query, embedder=embedder)
    parts, base = fuse(signals, weights=weights)
    scores = base + sum(parts.values(), np.zeros(len(index.corpus)))
    chances = confidences(scores)
    order = np.argsort(-scores, kind="stable")
    return tuple(
        Scored(
            index.corpus.names[at],
            float(scores[at]),
            float(chances[at]),
            {name: float(signals[name][at]) for name in SIGNALS},
            {name: float(parts[name][at]) for name in SIGNALS},
        )
        for at in order
    )


def confidences(scores: Sequence[float] | FloatArray) -> FloatArray:
    r"""The probability of each document, where at most one tells the cause.

    $$p_i = e^{s_i} \Big/ \Bigl(1 + \sum_j e^{s_j}\Bigr)$$

    >>> confidences([0.0, 0.0]).round(3).tolist()
    [0.333, 0.333]
    """
    values = np.asarray(scores, dtype=np.float64)
    top = max(0.0, float(values.max(initial=0.0)))
    raised = np.exp(values - top)
    chances: FloatArray = raised / (math.exp(-top) + raised.sum())
    return chances


def chance_of_any(ranking: Sequence[Scored]) -> float:
    """The probability that one of the documents tells the cause: the sum of theirs."""
    return min(1.0, math.fsum(scored.confidence for scored in ranking))


def centred(signals: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """Signals less their neutral values, 0 where unknown; half the fit of the day of issue stands in for a day."""
    filled = dict(signals)
    filled["day"] = np.where(np.isnan(signals["day"]), _STAND_IN * signals["date"], signals["day"])
    return {name: np.nan_to_num(filled[name] - NEUTRAL[name], nan=0.0) for name in SIGNALS}


def fuse(
    signals: Mapping[str, FloatArray], *, weights: Weights | Mapping[str, Weights] | None = None
) -> tuple[dict[str, FloatArray], FloatArray]:
    r"""What each signal adds to the log-odds of every document, and what is left of them; an unknown one adds nothing.

    A document is read twice, as prose and as a notice that names its process. Its odds are the mean of both,

    $$e^{s} = \pi e^{a} + (1 - \pi) e^{b}, \qquad a = a_0 + \sum_i w_i (x_i - n_i)$$

    with the neutral value $n_i$ of each signal, $b$ likewise, and the prior $\pi$ of a notice. A contribution is the
    mean of what the signal adds to both readings, by their shares of the odds.
    """
    sets = weights if isinstance(weights, Mapping) else {"free": weights, "named": weights} if weights else _fitted()
    deviations = centred(signals)
    notice, prose = (_reading(deviations, sets[name]) for name in ("named", "free"))
    prior = prior_of_notice(signals)
    with np.errstate(divide="ignore"):
        logs = np.log(prior) + notice.score, np.log(1.0 - prior) + prose.score
    scores = np.logaddexp(*logs)
    share = np.exp(logs[0] - scores)
    parts = {name: share * notice.parts[name] + (1.0 - share) * prose.parts[name] for name in SIGNALS}
    return parts, scores - sum(parts.values(), np.zeros(len(scores)))


def prior_of_notice(signals: Mapping[str, FloatArray]) -> float:
    """The chance that a cause is a notice which names its process: at least as far as the documents of a corpus do."""
    return max(_NOTICE, naming(signals["process"]))


class _Reading(NamedTuple):
    parts: Mapping[str, FloatArray]
    score: FloatArray


def _reading(deviations: Mapping[str, FloatArray], weights: Weights) -> _Reading:
    parts = {name: weights.factors.get(name, 0.0) * deviations[name] for name in SIGNALS}
    return _Reading(parts, weights.base + sum(parts.values(), np.zeros(len(deviations["day"]))))
