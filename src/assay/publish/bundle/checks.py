"""Examining the answers of a bundle again, and running its subjects again; what differs is noted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from assay.core import Call, InvalidInput, Json, Record, UnknownName, digest_bytes, plain
from assay.core.display import counted
from assay.harness.driver.progress import Progress
from assay.harness.execute import Job
from assay.harness.process.isolation import demand_apart, hidden_places
from assay.harness.runners import Lost, Runner
from assay.harness.subject_ref import SubjectRef, resolve_subject
from assay.publish.bundle.comparing import (
    Rounding,
    cell_name,
    compare_records,
    same_number,
    software_text,
    time_limits,
    versions_text,
)
from assay.publish.bundle.difference import Difference
from assay.publish.bundle.examining import Case, cases_of, draw_sample
from assay.publish.bundle.local_track import LocalTrack
from assay.publish.bundle.reading import Bundle
from assay.report.wording import some_of

__all__ = ["Checks"]

_PATIENCE: Final = 10  # times as long as settings allow, where an examination may not have finished
_MOST_HURRIED: Final = 50  # cells that get it
_NAMED: Final = 5  # subjects, or cells, that a note names
_LEVEL: Final = "isolation"  # the detail that says how strong the sandbox was
_AGAIN: Final = (
    "Run again, the subject gives another answer: the answer, its seed or its name was changed, or the subject is not "
    "reproducible"
)
_OF_TRUTH: Final = "The package makes another answer from the truth: the answer was changed"


class _Result(NamedTuple):
    record: Record
    payload: str | None  # the digest of the answer


_Case: TypeAlias = tuple[Case, LocalTrack]


class Checks:
    """Runs cells of a bundle, and notes what differs."""

    def __init__(
        self, bundle: Bundle, place: Path, tracks: Sequence[LocalTrack], runner: Runner, watch: Progress
    ) -> None:
        self._bundle, self._place, self._tracks = bundle, place, tracks
        self._runner, self._watch = runner, watch
        self._rounding = Rounding()
        self._cases: list[_Case] = []
        self._other_bytes: list[str] = []  # cells whose answers have other bytes and equal scores
        self._hurried: list[str] = []  # cells that agree when their examination has more time
        self._other_details: dict[str, None] = {}  # cells with equal scores and other details, by other libraries
        self._not_run: dict[str, None] = {}
        self._other_subjects: dict[str, None] = {}
        self.differences: list[Difference] = []
        self.lost: list[str] = []
        self.examined = self.solved_again = 0

    def examine(self, share: float, salt: str) -> None:
        """Examine a share of the answers again; those that the package itself makes from the truth are made again."""
        for local in self._tracks:
            sample = draw_sample(local.bundled.records, share, self._bundle.digest, salt)
            self._cases += [(case, local) for case in cases_of(local, self._bundle, self._place, sample)]

        hurried: list[_Case] = []
        for case, local, examined in self._results(self._jobs(self._cases), self._cases):
            self.examined += 1
            differences = self._compared(case, local, examined)
            if differences and time_limits(case.cell.settings) and len(hurried) < _MOST_HURRIED:
                hurried.append((case, local))
            else:
                self.differences += differences
        self._take_time(hurried)

    def _take_time(self, hurried: Sequence[_Case]) -> None:
        """Examine cells that differ once more with longer limits: on a busy machine an examination may not finish."""
        patient = []
        for case, local in hurried:
            longer = {name: _PATIENCE * seconds for name, seconds in time_limits(case.cell.settings).items()}
            settings = {**case.cell.settings, **longer}
            patient.append((replace(case, cell=replace(case.cell, settings=settings)), local))
        for case, local, examined in self._results(self._jobs(patient), patient) if patient else ():
            if differences := self._compared(case, local, examined):
                self.differences += differences
            else:
                self._hurried.append(cell_name(case.record))

    def _jobs(self, cases: Sequence[_Case]) -> Iterator[Job]:
        for case, _ in cases:
            stored = case.answer.stored
            if case.answer.payload is not None:
                stored = replace(stored, payload=self._bundle.payload(case.answer.payload))
            yield Job(cell=case.cell, answer=None if case.knows_truth else stored)

    def _compared(self, case: Case, local: LocalTrack, examined: _Result) -> list[Difference]:
        record, rounding = examined.record, Rounding()
        differences = self._answer_differences(case, examined, _OF_TRUTH) if case.knows_truth else []
        if case.knows_truth:  # times are those of making it
            record = replace(record, seconds=case.record.seconds, cost=case.record.cost)
        if local.stricter:
            record = replace(record, details={**record.details, **_detail(case.record, _LEVEL)})
        differences += compare_records(case.record, record, unchecked=local.unchecked, rounding=rounding)
        if differences and rounding.software and all(difference.kind == "detail" for difference in differences):
            self._other_details[cell_name(case.record)] = None
            differences = []
        if not differences:
            self._rounding.add(rounding)
        return differences

    def solve_again(self, texts: Sequence[str]) -> None:
        """Run subjects again, confined as in a run: built-in ones by their names, others from where the user says."""
        refs = self._subjects(texts)
        again: list[_Case] = []
        for case, local in self._cases:
            if case.knows_truth:
                self.solved_again += 1  # while it was examined
                continue
            ref = refs.get((local.bundled.name, case.record.subject))
            if ref is None:
                self._not_run[f"{local.bundled.name}: {case.record.subject}"] = None
                continue
            if ref.digest != case.record.subject_digest:
                self._other_subjects[f"{local.bundled.name}: {case.record.subject}"] = None
            named = replace(ref, name=case.record.subject, parts={})
            again.append((replace(case, cell=replace(case.cell, subject=named)), local))
        for case, _, examined in self._results((Job(cell=case.cell) for case, _ in again), again):
            self.solved_again += 1
            self.differences += self._answer_differences(case, examined, _AGAIN)

    def _subjects(self, texts: Sequence[str]) -> dict[tuple[str, str], SubjectRef]:
        refs: dict[tuple[str, str], SubjectRef] = {}
        used: set[str] = set()
        for local in self._tracks:
            names = {record.subject for record in local.bundled.records}
            for ref in local.bundled.subjects.values():
                if ref.kind == "registered" and ref.target in local.track.subjects:
                    text = str(Call(ref.target, ref.parameters))
                    refs[local.bundled.name, ref.name] = resolve_subject(text, local.track)
            for text in texts:
                try:
                    own = resolve_subject(text, local.track)
                except InvalidInput:
                    if len(self._tracks) == 1:
                        raise
                    continue
                if own.name in names:
                    demand_apart(own, [self._place])
                    refs[local.bundled.name, own.name] = own
                    used.add(text)
        for text in texts:
            if text not in used:
                every = {record.subject for local in self._tracks for record in local.bundled.records}
                raise UnknownName("subject in the bundle (write --subject NAME=REFERENCE)", text, sorted(every))
        return refs

    def _results(self, jobs: Iterator[Job], cases: Sequence[_Case]) -> Iterator[tuple[Case, LocalTrack, _Result]]:
        """What examining gives, in the order of the bundle; cells that the machine could not finish are noted."""
        by_key = {case.record.key: (case, local) for case, local in cases}
        finished: dict[str, _Result] = {}
        self._watch.start(len(by_key), 0)
        results = self._runner.map(jobs, hidden=hidden_places([self._place]))
        try:
            for result in results:
                if isinstance(result, Lost):
                    case, _ = by_key[result.cell.record_key]
                    self.lost.append(f"{cell_name(case.record)}: {result.reason.replace(f'{self._place}/', '')}")
                    self._watch.advance(result.cell, "lost")
                    continue
                record, answer = result
                finished[record.key] = _Result(record, None if answer.payload is None else digest_bytes(answer.payload))
                self._watch.advance(by_key[record.key][0].cell, record.status)
        finally:
            results.close()  # type: ignore[attr-defined] # Ctrl-C ends the workers
        for key, (case, local) in by_key.items():
            if key in finished:
                yield case, local, finished[key]

    def _answer_differences(self, case: Case, examined: _Result, reason: str) -> list[Difference]:
        """The answer that was made again beside the stored one: its bytes, and what a table shows of it."""
        stored = case.record
        place, software = cell_name(stored), software_text(stored, examined.record)
        reason = f"{reason}{f', or {software}' if software else ''}"
        for name in ("status", "error_kind"):
            there, here = getattr(stored, name), getattr(examined.record, name)
            if there != here:
                return [Difference("answer", place, name, there, here, reason)]
        if examined.payload == case.answer.payload:
            return []  # what it scores was compared when it was examined
        for name, there in stored.scores.items():
            here = examined.record.scores.get(name, there)  # metrics that are not run here are left alone
            if not same_number(there, here):
                return [Difference("answer", place, name, plain(there), plain(here), reason)]
        self._other_bytes.append(place)
        return []

    def notes(self) -> Iterator[str]:
        """What a reader must know beside the differences."""
        if note := self._rounding.note():
            yield note
        elif self._rounding.software and not self._other_details:
            versions = versions_text(self._rounding.software)
            yield f"examined with {versions}; every number that matches does so to the last digit"
        remarks = {
            f"with other details, which charts draw, and equal scores, under {versions_text(self._rounding.software)}; "
            "take the author's versions to decide": ("cell", [*self._other_details]),
            f"agreed once the examination had {_PATIENCE} times as long as its settings allow; this machine is busy or "
            "slow": ("cell", self._hurried),
            "made again with other bytes than in the bundle, and with equal scores": ("answer", self._other_bytes),
        }
        for remark, (noun, cells) in remarks.items():
            if cells:
                yield f"{counted(len(cells), noun)} {remark}: {some_of(cells, _NAMED)}"
        if self._not_run:
            yield (
                f"not run again, since they are not here: {some_of(list(self._not_run), _NAMED)}; give them with "
                "--subject NAME=REFERENCE"
            )
        if self._other_subjects:
            yield (
                f"run again in another state of their code or libraries than the bundle names by digest: "
                f"{some_of(list(self._other_subjects), _NAMED)}"
            )


def _detail(record: Record, name: str) -> dict[str, Json]:
    return {name: record.details[name]} if name in record.details else {}
