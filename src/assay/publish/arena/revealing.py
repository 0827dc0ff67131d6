"""Reveal the seed: generate fresh problems and run all subjects; anyone who has the seed can replay it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from assay.core import Budget, InvalidInput, Json, Record, digest_folder, get_track
from assay.core.files.drafts import demand_new_folder, new_folder
from assay.core.files.text import read_json, write_json
from assay.harness import Progress, RunSpec
from assay.harness import run as run_plans
from assay.publish.arena.commitment import PUBLIC_FOLDER, Commitment, demand_seed, read_commitment, read_secret
from assay.publish.arena.entries import REVEALED, Entry, demand_unchanged, digest_of_entries, read_entries
from assay.publish.arena.families import draw, find_family
from assay.publish.bundle.comparing import cell_name, same_number
from assay.report import load
from assay.stats.problems.memorisation import MemorisationGap, memorisation_gaps

__all__ = ["FRESH_FOLDER", "RESULTS", "Replay", "Round", "replay", "reveal", "round_of"]

FRESH_FOLDER: Final = "fresh"
RESULTS: Final = "results"


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """A finished round: where its results are, and the memorisation gap of each subject in each family."""

    folder: Path
    results: Path
    seed: str
    gaps: tuple[tuple[str, MemorisationGap], ...]  # with the family
    records: tuple[Record, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A round that was replayed from its seed; ``differences`` has a line for each deviation."""

    round: Round
    problems: int
    compared: int  # records
    differences: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def equal(self) -> bool:
        """Whether problems and records are those of the round, and there were records to compare."""
        return not self.differences and self.compared > 0


def reveal(
    folder: Path,
    *,
    seeds: Sequence[int] = (0,),
    seconds: float | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> Round:
    """Generate the fresh problems from the secret seed and run every entry on them and on the public ones.

    Refused where the seed is not the one that was committed to, where a generator or an entry was changed since.
    The seed is in ``revealed.json`` then, to be published with the results. Called again, it continues where it ended.
    """
    commitment = read_commitment(folder)
    revealed = folder / REVEALED
    if revealed.is_file():
        seed = demand_seed(commitment, str(read_json(revealed).get("seed", "")), what=str(revealed))
    else:
        seed = demand_seed(commitment, read_secret(folder), what=str(folder / "seed.secret"))
    changed = _changed_generators(commitment)
    if changed:
        raise InvalidInput(f"{folder}: {'; '.join(changed)}. Reveal with the Assay that the round was opened with.")
    entries = demand_unchanged(folder)
    if not (folder / FRESH_FOLDER).exists():
        with new_folder(folder / FRESH_FOLDER) as draft:
            _draw_all(draft, commitment, fresh=seed)
    digests = _digests(folder)
    entered: dict[str, Json] = {"seed": seed, "commitment": commitment.digest, "problems": digests}
    write_json(revealed, {**entered, "entries": digest_of_entries(entries), "seeds": list(seeds)})
    _run(folder, folder, entries, commitment, seeds=seeds, seconds=seconds, workers=workers, progress=progress)
    return round_of(folder)


def replay(
    folder: Path,
    out: Path,
    *,
    seed: str = "",
    seconds: float | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> Replay:
    """Do a round again from its published parts: generate all problems from the seeds, run all entries, compare.

    ``folder`` has ``commitment.json``, ``entries.json`` with the files of the entries, and ``revealed.json``, or else
    the ``seed`` is given. Its problems are not read. Where it has results, every record is compared with its own.
    """
    commitment = read_commitment(folder)
    revealed = read_json(folder / REVEALED) if (folder / REVEALED).is_file() else {}
    seed_text = seed or str(revealed.get("seed", ""))
    if not seed_text:
        raise InvalidInput(f"{folder}: no {REVEALED} here, so the seed is not known yet: wait for it, or give --seed.")
    secret = demand_seed(commitment, seed_text, what="seed")
    notes, differences = _changed_generators(commitment), []
    demand_new_folder(out)
    entries = read_entries(folder)
    if not entries:
        raise InvalidInput(f"{folder}: has no entries to run again.")
    if revealed and revealed.get("entries") != digest_of_entries(entries):
        differences.append("entries: their digest is not the one that was revealed: one was added, removed or changed")
    with new_folder(out) as draft:
        _draw_all(draft / PUBLIC_FOLDER, commitment)
        _draw_all(draft / FRESH_FOLDER, commitment, fresh=secret)
    here = _digests(out)
    published = revealed.get("problems")
    if isinstance(published, dict):
        differences += [
            f"problem {name!r}: {'is not drawn' if name not in here else 'has other bytes'} here"
            for name in sorted({*published, *here})
            if published.get(name) != here.get(name)
        ]
    run_seeds = revealed.get("seeds", [0])
    seeds = [int(number) for number in run_seeds] if isinstance(run_seeds, list) else [0]
    _run(folder, out, entries, commitment, seeds=seeds, seconds=seconds, workers=workers, progress=progress)
    again = round_of(out)
    theirs: tuple[Record, ...] = ()
    if (folder / RESULTS).is_dir():
        theirs = tuple(load(folder / RESULTS).records)
        differences += _record_differences(theirs, again.records)
    return Replay(
        round=again,
        problems=len(here),
        compared=len(theirs),
        differences=tuple(differences),
        notes=tuple(notes),
    )


def round_of(folder: Path, *, metric: str | None = None) -> Round:
    """The round in a folder: its records and gaps, of the headline of each track unless a metric is named."""
    results = load(folder / RESULTS)
    records = tuple(results.records)
    gaps = []
    for family in sorted({str(record.tags.get("generator", "")) for record in records}):
        own = [record for record in records if record.tags.get("generator", "") == family]
        track = get_track(own[0].track)
        name = metric or track.headline
        goal = track.metric(name).goal
        gaps += [(family, gap) for gap in memorisation_gaps(own, name, goal=goal)]
    seed = str(read_json(folder / REVEALED).get("seed", "")) if (folder / REVEALED).is_file() else ""
    return Round(folder=folder, results=folder / RESULTS, seed=seed, gaps=tuple(gaps), records=records)


def _changed_generators(commitment: Commitment) -> list[str]:
    changed = []
    for family in commitment.families:
        facts = find_family(str(family["name"])).facts()
        if facts != family:
            part = next(name for name in ("version", "digest", "track", "name") if facts[name] != family.get(name))
            changed.append(f"generator {family['name']!r}: its {part} is another one here than was committed to")
    return changed


def _draw_all(folder: Path, commitment: Commitment, fresh: str | None = None) -> None:
    for name in commitment.names:
        draw(
            folder / name,
            find_family(name),
            problems=commitment.problems,
            difficulty=commitment.difficulty,
            public=commitment.public_seed,
            fresh=fresh,
        )


def _digests(folder: Path) -> dict[str, Json]:
    """Of each problem of a round."""
    places = [path for part in (PUBLIC_FOLDER, FRESH_FOLDER) for path in sorted((folder / part).iterdir())]
    return {
        problem.name: digest_folder(problem)
        for place in places
        for problem in sorted(place.iterdir())
        if problem.is_dir()
    }


def _run(
    folder: Path,
    out: Path,
    entries: Iterable[Entry],
    commitment: Commitment,
    *,
    seeds: Sequence[int],
    seconds: float | None,
    workers: int,
    progress: Progress | None,
) -> None:
    specs = []
    for track in commitment.tracks:
        own = [entry for entry in entries if entry.track == track]
        families = [name for name in commitment.names if find_family(name).track == track]
        places = [out.resolve() / part / name for name in families for part in (PUBLIC_FOLDER, FRESH_FOLDER)]
        if own:
            specs.append(
                RunSpec(
                    track=track,
                    subjects=tuple(entry.text for entry in own),
                    problems=tuple(map(str, places)),
                    seeds=tuple(seeds),
                    folder=folder.resolve(),
                    seconds=Budget().seconds if seconds is None else seconds,
                )
            )
    run_plans(specs, out=out / RESULTS, workers=workers, progress=progress)


def _record_differences(theirs: Sequence[Record], ours: Sequence[Record]) -> list[str]:
    """A line for each record that is missing, new, or has other content."""
    left, right = ({(r.track, r.problem, r.subject, r.seed): r for r in records} for records in (theirs, ours))
    lines = []
    for cell in sorted({*left, *right}):
        there, here = left.get(cell), right.get(cell)
        if there is None or here is None:
            one = there or here
            assert one is not None
            lines.append(f"{cell_name(one)}: {'is not in the results' if there is None else 'did not come out here'}")
        elif there.content() != here.content():
            lines += _record_difference(there, here)
    return lines


def _record_difference(there: Record, here: Record) -> list[str]:
    if there.status != here.status:
        return [f"{cell_name(there)}: {there.status} there, {here.status} here"]
    if there.subject_digest != here.subject_digest:
        return [f"{cell_name(there)}: another subject, or libraries of other versions, answered there"]
    return [
        f"{cell_name(there)}: {name} is {there.scores.get(name)} there, {here.scores.get(name)} here"
        for name in sorted({*there.scores, *here.scores})
        if not _same(there.scores.get(name), here.scores.get(name))
    ]


def _same(there: float | None, here: float | None) -> bool:
    return there is not None and here is not None and same_number(there, here)
