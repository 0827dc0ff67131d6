"""Explanations in words: one prediction, or many at once."""

from __future__ import annotations

import math
from typing import NamedTuple

from assay.cases.explanation.facts import ExplanationFacts, Neighbor, same_values
from assay.cases.explanation.rendering.cautions import cautions_of
from assay.cases.explanation.rendering.wording import MASK, one_line, shorten, tell

__all__ = ["Overview", "metadata_line", "shown_neighbors", "side_notes", "summarise", "summarise_overview", "verdict"]

_MOST_METADATA = 3
_SEPARATING = 3
_MANY_IDENTICAL = 0.1  # of the queries; some equal a training case by chance where columns have few values


class Overview(NamedTuple):
    """A batch in numbers; what needs the truth or the explainer is None or nan where it is not known."""

    predictions: int
    high: int
    medium: int
    low: int
    mean_correspondence: float
    right: int | None
    wrong: int | None
    mean_correspondence_right: float
    mean_correspondence_wrong: float
    unfamiliar: int | None
    high_unfamiliar: int | None = None
    identical: int = 0
    detector_right: float = math.nan
    detector_wrong: float = math.nan

    @property
    def high_told(self) -> str:
        """How many are high, and how many of these are far from the training cases."""
        return f"{self.high} ({self.high_unfamiliar} of them unfamiliar)" if self.high_unfamiliar else str(self.high)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What makes the numbers mean less than they seem to: queries that are training cases, a score that fails."""
        warnings = []
        if self.identical and self.identical >= _MANY_IDENTICAL * self.predictions:
            warnings.append(
                f"{self.identical} of {self.predictions} queries are training rows (the same values in every column): "
                "the model has seen them and each is its own nearest case, so they look better than new rows would. "
                "Explain rows that were not trained on."
            )
        if self.right and self.wrong and self.mean_correspondence_wrong >= self.mean_correspondence_right:
            warnings.append(
                "The wrong predictions correspond to their neighbours as well as the right ones or better: "
                "on these rows high, medium and low say nothing about being right."
            )
        return tuple(warnings)


def summarise(explanation: ExplanationFacts) -> str:
    """One explanation as a text for a person."""
    lines = [
        f"Prediction: {one_line(explanation.cases.titled(explanation.predicted_class))}{verdict(explanation)}",
        f"Correspondence: {explanation.correspondence:.1%} ({explanation.band}); "
        f"{sum(map(explanation.agrees, explanation.neighbors))} of the {len(explanation.neighbors)} nearest of "
        f"{len(explanation.cases.y)} training cases agree.",
    ]
    notes = side_notes(explanation)
    if notes:
        lines.append("Also: " + ", ".join(f"{name} {value}" for name, value in notes) + ".")
    lines += ["Nearest cases:", *_neighbor_lines(explanation), *_difference_lines(explanation)]
    lines.append("Cautions:")
    lines += [f"  - {sentence}" for sentence in cautions_of(explanation)]
    return "\n".join(lines)


def verdict(explanation: ExplanationFacts) -> str:
    """Right or wrong, where the truth is known; else nothing."""
    if explanation.true_class is None:
        return ""
    true = one_line(explanation.cases.titled(explanation.true_class))
    return f", {'right' if explanation.is_correct else 'wrong'}: the true class is {true}"


def side_notes(explanation: ExplanationFacts) -> tuple[tuple[str, str], ...]:
    """What is known beside the correspondence, as pairs of name and value."""
    notes = []
    probabilities = explanation.probabilities
    classes = explanation.cases.classes.tolist()
    if probabilities is not None and explanation.predicted_class in classes:
        notes.append(("probability", f"{probabilities[classes.index(explanation.predicted_class)]:.1%}"))
    if not math.isnan(explanation.prior_lift):
        notes.append(("prior lift", f"{explanation.prior_lift:.2f}"))
    if explanation.fidelity is not None and not math.isnan(explanation.fidelity):
        notes.append(("fidelity", f"{explanation.fidelity:.0%}"))
    if not math.isnan(explanation.distance_percentile):
        flag = " (unfamiliar)" if explanation.unfamiliar else ""
        notes.append(("distance percentile", f"{100 * explanation.distance_percentile:.1f}{flag}"))
    return tuple(notes)


def shown_neighbors(explanation: ExplanationFacts, *, most: int) -> list[Neighbor]:
    """The nearest neighbours and, if it is not among them, the nearest unlike one."""
    shown = list(explanation.neighbors[:most])
    unlike = explanation.nearest_unlike
    if unlike is not None and all(neighbor.index != unlike.index for neighbor in shown):
        shown.append(unlike)
    return shown


def metadata_line(explanation: ExplanationFacts, neighbor: Neighbor) -> str:
    """The first few pieces of a case's metadata, private ones masked."""
    private = explanation.cases.private
    entries = [
        f"{one_line(name)} {MASK if name in private else shorten(tell(value), most=24)}"
        for name, value in neighbor.metadata.items()
    ]
    return ", ".join(entries[:_MOST_METADATA]) + (", …" if len(entries) > _MOST_METADATA else "")


def _neighbor_lines(explanation: ExplanationFacts) -> list[str]:
    neighbors = explanation.neighbors
    names = [one_line(explanation.cases.titled(neighbor.label)) for neighbor in neighbors]
    distances = [f"{neighbor.distance:.4g}" for neighbor in neighbors]
    name_width, distance_width = max(map(len, names)), max(map(len, distances))
    lines = []
    for rank, (neighbor, name, distance) in enumerate(zip(neighbors, names, distances, strict=True), start=1):
        mark = "agrees" if explanation.agrees(neighbor) else "differs"
        about = metadata_line(explanation, neighbor)
        lines.append(
            f"  {rank:>{len(str(len(neighbors)))}}. {name:<{name_width}}  {mark:<7}  distance "
            f"{distance:<{distance_width}}  (case {neighbor.index}{': ' if about else ''}{about})"
        )
    return lines


def _difference_lines(explanation: ExplanationFacts) -> list[str]:
    nearest, unlike = explanation.neighbors[0], explanation.nearest_unlike
    lines = []
    # where the nearest case is itself the unlike one, its differences are told once, below
    if nearest.distance == 0 or unlike is None or unlike.index != nearest.index:
        lines.append(_to_the_nearest(explanation))
    if unlike is None:
        return lines
    about = metadata_line(explanation, unlike)
    lines.append(
        f"Nearest unlike neighbour: {one_line(explanation.cases.titled(unlike.label))}, distance "
        f"{unlike.distance:.4g}  (case {unlike.index}{': ' if about else ''}{about})"
    )
    separating = explanation.contrast().top(_SEPARATING)
    if not separating:
        return [*lines, "  No feature that can be shown separates it from the query."]
    rest = explanation.contrast().rest(shown=len(separating))
    names = [one_line(entry.name) for entry in separating]
    sides = [entry.sides for entry in separating]
    for name, side, entry in zip(names, sides, separating, strict=True):
        lines.append(f"  {name:<{max(map(len, names))}}  {side:<{max(map(len, sides))}}  ({_in_units(entry.shown)})")
    return [*lines, f"  ({rest})"] if rest else lines


def _to_the_nearest(explanation: ExplanationFacts) -> str:
    changed = [entry for entry in explanation.differences() if entry.differs][:_SEPARATING]
    if changed:
        differences = "; ".join(f"{one_line(entry.name)} {entry.sides}" for entry in changed)
        return f"Largest differences to the nearest case: {differences}."
    if same_values(explanation.query, explanation.neighbors[0].features).all():
        return "The nearest case is identical to the query."
    return "The nearest case differs from the query only in what is private or missing."


def _in_units(text: str) -> str:
    return text if text == "differs" else f"{text} scaled"


def summarise_overview(overview: Overview) -> str:
    """A batch as a text for a person."""
    if not overview.predictions:
        return "No predictions."
    lines = [
        f"{overview.predictions} predictions, mean correspondence {overview.mean_correspondence:.1%}",
        f"  high {overview.high_told}, medium {overview.medium}, low {overview.low}",
    ]
    if overview.right is not None and overview.wrong is not None:
        right = _mean(overview.mean_correspondence_right) + _mean(overview.detector_right, "detector")
        wrong = _mean(overview.mean_correspondence_wrong) + _mean(overview.detector_wrong, "detector")
        lines += [f"  right {overview.right}{right}", f"  wrong {overview.wrong}{wrong}"]
    if overview.unfamiliar is not None:
        lines.append(f"  unfamiliar (out of distribution) {overview.unfamiliar}")
    lines += [f"Warning: {sentence}" for sentence in overview.warnings]
    lines.append("Correspondence measures agreement with neighbours, not correctness; thresholds depend on the domain.")
    return "\n".join(lines)


def _mean(value: float, what: str = "correspondence") -> str:
    return "" if math.isnan(value) else f", mean {what} {value:.1%}"
