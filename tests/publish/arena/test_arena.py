"""A round from commitment to replay, and what nobody gets away with."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from benchmarks.arena_rounds import write_subjects

from assay.core import InvalidInput, UnknownName, digest_folder
from assay.core.files.text import read_json, write_json
from assay.publish.arena.commitment import Commitment, commit, committed, demand_seed, read_commitment, read_secret
from assay.publish.arena.entries import demand_unchanged, digest_of_entries, enter, read_entries
from assay.publish.arena.families import FAMILIES, draw, find_family
from assay.publish.arena.revealing import Round, replay, reveal, round_of

PROBLEMS = 3
SEED = "5e" * 32


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Round]:
    folder = tmp_path_factory.mktemp("arena")
    place = folder / "round"
    commit(place, ["laws-with-constants"], problems=PROBLEMS, seed=SEED, public_seed="known")
    honest, cheat, _ = write_subjects(folder, place / "public")
    for subject in (honest, cheat):
        enter(place, subject)
    return place, reveal(place)


def test_a_subject_that_remembers_the_public_problems_has_a_gap_and_an_honest_one_has_none(
    arena: tuple[Path, Round],
) -> None:
    gaps = {gap.subject: gap for _, gap in arena[1].gaps}
    assert gaps["cheat"].found
    assert gaps["cheat"].public == 1.0
    assert gaps["cheat"].pairs == PROBLEMS
    assert gaps["powers"].gap.low <= 0 <= gaps["powers"].gap.high
    (other,) = [gap for _, gap in round_of(arena[0], metric="nmse").gaps if gap.subject == "cheat"]
    assert other.gap.value > 0  # also where less is better
    assert other.public < other.fresh


def test_whoever_has_the_seed_gets_the_same_problems_and_records(arena: tuple[Path, Round], tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    shutil.copytree(arena[0], clone, ignore=shutil.ignore_patterns("public", "fresh", "seed.secret", "revealed.json"))
    with pytest.raises(InvalidInput, match="the seed is not known yet"):
        replay(clone, tmp_path / "again")
    again = replay(clone, tmp_path / "again", seed=SEED)
    assert again.equal, again.differences
    assert again.compared == 2 * 2 * PROBLEMS
    assert [record.content() for record in again.round.records] == [record.content() for record in arena[1].records]
    for part in ("public", "fresh"):
        assert digest_folder(tmp_path / "again" / part) == digest_folder(arena[0] / part)


def test_nothing_is_handed_in_once_the_seed_is_known(arena: tuple[Path, Round]) -> None:
    with pytest.raises(InvalidInput, match="Open a new round"):
        enter(arena[0], "linear")


@pytest.fixture
def opened(tmp_path: Path) -> Path:
    commit(tmp_path / "round", ["solved-laws"], problems=2)
    return tmp_path / "round"


def test_the_seed_is_long_secret_and_committed_to(opened: Path) -> None:
    result, seed = read_commitment(opened), read_secret(opened).strip()
    assert len(seed) * 4 == 256
    assert (opened / "seed.secret").stat().st_mode & 0o077 == 0
    assert seed not in (opened / "commitment.json").read_text()
    assert committed(result.terms(), seed) == result.digest
    assert demand_seed(result, seed, what="seed") == seed
    with pytest.raises(InvalidInput, match="not the seed that was committed to"):
        demand_seed(result, "00" * 32, what="seed")


@pytest.mark.parametrize("key", ["difficulty", "problems", "public_seed", "families"])
def test_changed_terms_no_longer_fit_the_commitment(opened: Path, key: str) -> None:
    content = read_json(opened / "commitment.json")
    changed = {"difficulty": "hard", "problems": 3, "public_seed": "other", "families": content["families"] * 2}  # type: ignore[operator]
    write_json(opened / "commitment.json", {**content, key: changed[key]})  # type: ignore[dict-item]
    enter(opened, "linear")
    with pytest.raises(InvalidInput, match="or the commitment was changed"):
        reveal(opened)


def test_a_generator_that_changed_since_is_refused(opened: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    enter(opened, "linear")
    monkeypatch.setattr("assay.publish.arena.families.digest_implementation", lambda module: "another")
    with pytest.raises(InvalidInput, match="generator 'solved-laws': its digest is another one here"):
        reveal(opened)


def test_an_entry_is_copied_whole_and_may_not_change(opened: Path, tmp_path: Path) -> None:
    (tmp_path / "parts.py").write_text("ANSWER = '1'\n")
    (tmp_path / "mine.py").write_text("from parts import ANSWER\n\ndef solve(task, budget):\n    return ANSWER\n")
    entry = enter(opened, str(tmp_path / "mine.py"))
    (copied,) = (opened / "entries").iterdir()
    assert sorted(path.name for path in copied.iterdir()) == ["mine.py", "parts.py"]
    assert digest_of_entries(read_entries(opened)) == read_json(opened / "entries.json")["digest"]
    with pytest.raises(InvalidInput, match="was submitted already"):
        enter(opened, str(tmp_path / "mine.py"))
    assert demand_unchanged(opened) == (entry,)
    (copied / "parts.py").write_text("ANSWER = '2'\n")
    with pytest.raises(InvalidInput, match="'mine': it was changed since"):
        demand_unchanged(opened)


def test_bad_input_is_named_with_a_remedy(opened: Path, tmp_path: Path) -> None:
    (tmp_path / "answers").mkdir()
    with pytest.raises(InvalidInput, match="answers cannot be submitted before the problems exist"):
        enter(opened, str(tmp_path / "answers"))
    with pytest.raises(InvalidInput, match="track 'drift': this round has formula"):
        enter(opened, "linear", track="drift")
    with pytest.raises(InvalidInput, match="no subject has been submitted"):
        reveal(opened)
    with pytest.raises(UnknownName, match="No family of an arena named 'laws'"):
        commit(tmp_path / "b", ["laws"], problems=2)
    with pytest.raises(InvalidInput, match="at least 128 bits as 32 hexadecimal digits, got 4 characters"):
        commit(tmp_path / "b", ["solved-laws"], problems=2, seed="beef")
    with pytest.raises(InvalidInput, match="difficulty: must be one of"):
        commit(tmp_path / "b", ["solved-laws"], problems=2, difficulty="mild")
    with pytest.raises(InvalidInput, match="already exists and is not empty"):
        commit(opened, ["solved-laws"], problems=2)
    with pytest.raises(InvalidInput, match=r"no commitment.json here. Open a round first"):
        read_commitment(tmp_path / "b")
    assert not (tmp_path / "b").exists()
    content = read_json(opened / "commitment.json")
    for change, message in (
        ({"version": 2}, "has version 2, and this Assay reads version 1"),
        ({"format": "x"}, "not a"),
    ):
        (opened / "commitment.json").write_text(json.dumps({**content, **change}))
        with pytest.raises(InvalidInput, match=message):
            read_commitment(opened)
    (opened / "commitment.json").write_text(json.dumps({**content, "problems": None}))
    with pytest.raises(InvalidInput, match="damaged, a part is missing"):
        read_commitment(opened)


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_is_drawn_alike_from_a_seed_and_otherwise_from_another(name: str, tmp_path: Path) -> None:
    for place, seed in (("one", "a"), ("two", "a"), ("three", "b")):
        draw(tmp_path / place, find_family(name), problems=2, difficulty="easy", public="p", fresh=seed)
    one, two, three = (digest_folder(tmp_path / place) for place in ("one", "two", "three"))
    assert one == two != three


def test_a_replay_tells_what_differs(
    arena: tuple[Path, Round], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = tmp_path / "clone"
    shutil.copytree(arena[0], clone)
    content = json.loads((clone / "revealed.json").read_text())
    changed = next(iter(content["problems"]))
    content |= {"entries": "x", "problems": {**content["problems"], changed: "y", "gone": "z"}}
    (clone / "revealed.json").write_text(json.dumps(content))
    ran: list[Commitment] = []

    def run(folder: Path, out: Path, entries: object, commitment: Commitment, **how: object) -> None:
        ran.append(commitment)
        shutil.copytree(folder / "results", out / "results")

    monkeypatch.setattr("assay.publish.arena.revealing._run", run)
    replayed = replay(clone, tmp_path / "again")
    assert ran
    assert not replayed.equal
    assert replayed.differences == (
        "entries: their digest is not the one that was revealed: one was added, removed or changed",
        *sorted([f"problem {changed!r}: has other bytes here", "problem 'gone': is not drawn here"]),
    )
