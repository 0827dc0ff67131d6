"""The stored answers of a run, decoded one by one when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from assay.core import InvalidInput
from assay.harness.store.store import Store
from assay.report.result_set import TrackResults

__all__ = ["AnswerKey", "Answers"]


class AnswerKey(NamedTuple):
    """Which answer."""

    problem: str
    subject: str
    seed: int


class Answers(Mapping[AnswerKey, Any]):
    """``answers[problem, subject, seed]``: the answer as the track's own type; of cells that failed there is none."""

    def __init__(self, folder: Path, tracks: Sequence[TrackResults]) -> None:
        self._folder = folder
        self._tracks = tracks

    @cached_property
    def _places(self) -> dict[AnswerKey, tuple[int, int]]:
        """The track and the row of each answer."""
        found: dict[AnswerKey, tuple[int, int]] = {}
        for number, track in enumerate(self._tracks):
            table = track.table
            problems, subjects, seeds = (table.labels[name] for name in ("problem", "subject", "seed"))
            for row in (~table.failed).nonzero()[0].tolist():
                key = AnswerKey(
                    problems.values[problems.codes[row]],
                    subjects.values[subjects.codes[row]],
                    int(seeds.values[seeds.codes[row]]),
                )
                if key in found:
                    names = ", ".join(repr(entry.track.name) for entry in self._tracks)
                    raise InvalidInput(
                        f"answers: two tracks have {key.problem!r}, {key.subject!r}, seed {key.seed}. "
                        f"Choose one of {names}: results.only(['{self._tracks[0].track.name}']).answers."
                    )
                found[key] = (number, row)
        return found

    def __getitem__(self, key: tuple[str, str, int]) -> Any:
        number, row = self._places[AnswerKey(*key)]
        if not self._folder.is_dir():
            raise InvalidInput(f"{self._folder}: an export holds records, not answers. Load the results folder itself.")
        track = self._tracks[number]
        with Store(self._folder, read_only=True) as store:
            payload = store.answer(track.records[row].answer_key).payload
        assert payload is not None  # the answer of a cell that did not fail
        return track.track.decode(payload)

    def __iter__(self) -> Iterator[AnswerKey]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __repr__(self) -> str:
        example = next(iter(self), None)
        hint = "" if example is None else f": answers[{', '.join(map(repr, example))}]"
        return f"Answers({len(self)}{hint})"
