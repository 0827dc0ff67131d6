"""A thousand broken inputs per commit, and everything that longer runs ever found."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from fuzz.engine import Finding, attack, broken_input, try_one
from fuzz.mutation import mutate, mutate_json, mutate_table
from fuzz.targets import Target

from assay.core import AssayError
from fuzz import engine

CORPUS = Path(__file__).parents[2] / "fuzz" / "corpus"


@pytest.mark.soak
def test_broken_input_of_every_reader_gives_clear_errors_only(readers: list[Target]) -> None:
    entries = [finding for target in readers for finding in attack(target, min(len(target.seeds), 2) + 4, seed=7)]
    assert [(finding.target, finding.trouble) for finding in entries] == []


def test_what_longer_runs_found_stays_mended(readers: list[Target]) -> None:
    by_name = {target.name.replace("/", "~"): target for target in readers}
    stored = [path for path in CORPUS.rglob("*") if path.is_file()]
    assert len(stored) > 50
    assert {path.parent.name for path in stored} <= set(by_name), "a folder of the corpus that no reader reads"
    entries = [try_one(by_name[path.parent.name], path.read_bytes()) for path in stored]
    assert [finding for finding in entries if finding is not None] == []


def test_names_of_readers_are_their_own(readers: list[Target]) -> None:
    names = [target.name for target in readers]
    assert len(set(names)) == len(names) > 100
    assert all(target.seeds for target in readers)


def test_most_good_inputs_are_read(readers: list[Target]) -> None:
    """Else the broken ones would all be refused at the first look."""
    refused = []
    for target in readers:
        if target.name.startswith(("links", "names", "reference", "time zone")):
            continue  # their good inputs are wrong on purpose
        try:
            target.read(target.seeds[0])
        except AssayError as error:
            refused.append(f"{target.name}: {error}")
    assert refused == []


def test_a_reader_that_raises_anything_else_is_found() -> None:
    def read(data: bytes) -> object:
        return data.decode("ascii")

    result = list(attack(Target("ascii", (b"plain",), read), 300, seed=1))
    assert result
    assert all(isinstance(finding, Finding) and "UnicodeDecodeError" in finding.trouble for finding in result)


def test_a_reader_that_hangs_is_interrupted_and_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "HANG", 0.2)
    started = time.monotonic()
    result = try_one(Target("slow", (b"",), lambda data: time.sleep(30)), b"x")
    assert result is not None
    assert result.kind == "hang"
    assert time.monotonic() - started < 10


def test_a_reader_that_takes_too_long_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "SLOW", -1.0)
    result = try_one(Target("any", (b"",), len), b"x")
    assert result is not None
    assert result.kind == "slow"


def test_a_reader_that_eats_memory_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "MEMORY", 64 << 20)
    result = list(attack(Target("greedy", (b"",), lambda data: bytearray(1 << 30)), 1, seed=0))
    assert [finding.kind.partition(" ")[0] for finding in result] == ["MemoryError"]


def test_the_same_seed_breaks_in_the_same_way() -> None:
    first = [mutate(b'{"a": [1, 2.5]}\nx', random.Random(number)) for number in range(200)]
    again = [mutate(b'{"a": [1, 2.5]}\nx', random.Random(number)) for number in range(200)]
    assert first == again
    assert len(set(first)) > 150


@pytest.mark.parametrize("way", [mutate_json, mutate_table])
def test_an_input_is_told_by_its_number_alone(way: object) -> None:
    target = Target("any", (b'{"a": [1, {"b": null}], "c": "d"}', b"x,y\n1,2\n"), len, mutate=way)  # type: ignore[arg-type]
    backwards = [broken_input(target, 3, number) for number in reversed(range(300))]
    assert [broken_input(target, 3, number) for number in range(300)] == backwards[::-1]
    assert broken_input(target, 3, 1) == b"x,y\n1,2\n", "good inputs come first"
    assert len(set(backwards)) > 150
