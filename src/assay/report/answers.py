"""The stored answers of a run, decoded one by one on access."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from assay.core import InvalidInput
from assay.core.errors import UnknownKey, suggest
from assay.harness.plan import Cell
from assay.harness.store.store import Store
from assay.report.failures import failures_of, is_fault_of_metric
from assay.report.result_set import TrackResults
from assay.report.wording import shown

__all__ = ["AnswerKey", "Answers"]

_LISTED = 10  # seeds that an error names


class AnswerKey(NamedTuple):
    """Which answer."""

    problem: str
    subject: str
    seed: int


class Answers(Mapping[AnswerKey, Any]):
    """``answers[problem, subject, seed]``: the answer as the track's own type; of cells that failed there is none.

    The seed may be left out where there is one. Answers that a broken metric could not score are here, too.
    """

    def __init__(self, folder: Path, tracks: Sequence[TrackResults], *, keep: object = None) -> None:
        self._folder = folder
        self._tracks = tracks
        self._keep = keep  # a temporary folder lives as long as these answers
        self._is_export = folder.is_file() or folder.suffix == ".zip"

    @cached_property
    def _places(self) -> dict[AnswerKey, tuple[int, int | str]]:
        """The track of each answer, and the row of its record, or the answer's key where it has no record."""
        places: dict[AnswerKey, tuple[int, int | str]] = {}
        for number, track in enumerate(self._tracks):
            if self._is_export:
                break
            table = track.table
            problems, subjects, seeds = (table.labels[name] for name in ("problem", "subject", "seed"))
            for row in (~table.failed).nonzero()[0].tolist():
                key = AnswerKey(
                    problems.values[problems.codes[row]],
                    subjects.values[subjects.codes[row]],
                    int(seeds.values[seeds.codes[row]]),
                )
                if key in places:
                    names = ", ".join(repr(entry.track.name) for entry in self._tracks)
                    raise InvalidInput(
                        f"answers: two tracks have {key.problem!r}, {key.subject!r}, seed {key.seed}. "
                        f"Choose one of {names}: results.only(['{self._tracks[0].track.name}']).answers."
                    )
                places[key] = (number, row)
            for cell in self._unscored(track):
                places.setdefault(
                    AnswerKey(cell.problem, cell.subject.name, cell.budget.seed), (number, cell.answer_key)
                )
        return places

    def _unscored(self, track: TrackResults) -> list[Cell]:
        """Lost cells whose answers are there."""
        lost = [cell for cell, reason in track.losses if is_fault_of_metric(reason)]
        if not lost or not self._folder.is_dir():
            return []
        with Store(self._folder, read_only=True) as store:
            statuses = store.answer_status([cell.answer_key for cell in lost])
        return [cell for cell in lost if statuses.get(cell.answer_key) == "ok"]

    def __getitem__(self, key: tuple[str, str, int] | tuple[str, str]) -> Any:
        number, place = self._places[self._whole(key)]
        if not self._folder.is_dir():
            raise InvalidInput(f"results folder {self._folder} no longer exists: its answers are gone.")
        track = self._tracks[number]
        with Store(self._folder, read_only=True) as store:
            answer_key = place if isinstance(place, str) else track.records[place].answer_key
            payload = store.answer(answer_key).payload
        assert payload is not None  # the answer of a cell that did not fail
        return track.track.decode(payload)

    def _whole(self, key: object) -> AnswerKey:
        """The key with its seed; an error says why the answer is not found."""
        if self._is_export:
            raise UnknownKey(f"{self._folder}: an export holds records, not answers. Load the results folder itself.")
        if not isinstance(key, tuple) or len(key) not in (2, 3):
            raise UnknownKey(f"answers: {key!r:.60} is not a key. Name problem, subject and seed: {self._example()}.")
        if key in self._places:
            return AnswerKey(*key)
        problem, subject, *seed = key
        seeds = [place.seed for place in self._places if place[:2] == (problem, subject)]
        if len(seeds) == 1 and not seed:
            return AnswerKey(problem, subject, seeds[0])
        raise UnknownKey(self._why_not(problem, subject, seed, seeds))

    def _why_not(self, problem: object, subject: object, seed: list[object], seeds: list[int]) -> str:
        for failure in failures_of(self._tracks):
            if (failure.problem, failure.subject) == (problem, subject) and (not seed or failure.seed == seed[0]):
                return f"answers: there is none. {failure}"
        if seeds:
            listed = ", ".join(map(str, seeds[:_LISTED])) + (", ..." if len(seeds) > _LISTED else "")
            return f"answers: {problem!r}, {subject!r} has the seeds {listed}. Name one: {self._example()}."
        for what, name, known in (
            ("problem", problem, {key.problem for key in self._places}),
            ("subject", subject, {key.subject for key in self._places}),
        ):
            if name not in known:
                return f"answers: no {what} {name!r} has answers. {suggest(str(name), known)}"
        return f"answers: there is none of {subject!r} on {problem!r}: the cell is not done."

    def __iter__(self) -> Iterator[AnswerKey]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def _example(self) -> str:
        example = next(iter(self), AnswerKey("PROBLEM", "SUBJECT", 0))
        return f"answers[{', '.join(map(repr, example))}]"

    def __repr__(self) -> str:
        if self._is_export:
            return f"Answers(0: {shown(str(self._folder))} is an export, which holds none)"
        return f"Answers({len(self)}{f': {self._example()}' if self._places else ''})"
