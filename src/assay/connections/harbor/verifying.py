"""The verifier of an exported task: an answer examined as in any run, and the reward that follows from its score.

The reward is (score - floor) / (oracle - floor), clipped to 0..1: 0 for what a failure scores, 1 for the truth itself.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from assay.core import AnyTrack, InvalidInput, Json, Setting, SubjectFailed, get_track, read_json
from assay.harness.execute import score as score_evidence
from assay.harness.programs.program import read_answer
from assay.report.export.files import write_whole

__all__ = ["BOUNDS", "PROBLEM", "Verdict", "main", "reward_of", "verify"]

BOUNDS = "bounds.json"  # beside the problem in the verifier's folder
PROBLEM = "problem"
_DIGITS = 6  # of a reward: sums differ in the last bits between machines


class Verdict(NamedTuple):
    """All scores of an answer, or why it has none, and what is known of its parts."""

    scores: Mapping[str, float]
    error: str = ""
    details: Mapping[str, Json] = MappingProxyType({})


def verify(track: AnyTrack, folder: Path, answer: Path, settings: Mapping[str, Setting]) -> Verdict:
    """Examine the answer at this path to the problem in this folder; what cannot be examined has no scores."""
    problem = track.load(folder)
    try:
        payload = read_answer(track, answer.parent, answer.name.removesuffix(track.answer_suffix))
        evidence = track.examine(problem, track.decode(payload), track.configure(settings))
    except SubjectFailed as failure:
        return Verdict({}, f"{failure.kind}: {failure}")
    except InvalidInput as error:
        return Verdict({}, f"malformed answer: {error}")
    except MemoryError:
        return Verdict({}, "memory: reading the answer takes more than there is")
    scores, details = score_evidence(track, evidence)
    return Verdict(scores, details=details)


def reward_of(score: float, *, floor: float, oracle: float) -> float:
    """The share of the way from the floor to the truth; 0 for a score that is undefined.

    >>> reward_of(0.75, floor=0.5, oracle=1.0), reward_of(0.9, floor=1.0, oracle=0.2), reward_of(7, floor=0, oracle=1)
    (0.5, 0.125, 1.0)
    """
    if math.isnan(score):
        return 0.0
    return round(min(max((score - floor) / (oracle - floor), 0.0), 1.0), _DIGITS)


def main(arguments: Sequence[str] | None = None) -> None:
    """``TESTS ANSWER LOGS``: the verifier's folder, the answer, and where ``reward.json`` is written."""
    tests, answer, logs = (Path(word).absolute() for word in (sys.argv[1:] if arguments is None else arguments))
    bounds: dict[str, Any] = read_json(tests / BOUNDS)
    verdict = verify(get_track(bounds["track"]), tests / PROBLEM, answer, bounds["settings"])
    score = verdict.scores.get(bounds["metric"], bounds["floor"])
    reward = reward_of(score, floor=bounds["floor"], oracle=bounds["oracle"])
    scores = {name: value if math.isfinite(value) else None for name, value in verdict.scores.items()}
    logs.mkdir(parents=True, exist_ok=True)
    for name, content in (("scores", {"scores": scores, "error": verdict.error}), ("reward", {"reward": reward})):
        # a whole new file, whatever lay or pointed there
        write_whole(logs / f"{name}.json", (json.dumps(content, indent=1, allow_nan=False) + "\n").encode())
