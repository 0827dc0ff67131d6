"""A few hundred broken inputs per commit, and everything that longer runs ever found."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from fuzz.engine import Finding, attack, try_one
from fuzz.mutation import mutate
from fuzz.targets import Target, targets

CORPUS = Path(__file__).parents[2] / "fuzz" / "corpus"


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> list[Target]:
    return list(targets(tmp_path_factory.mktemp("fuzz")))


def test_broken_input_of_every_reader_gives_clear_errors_only(readers: list[Target]) -> None:
    found = [finding for target in readers for finding in attack(target, 3 * target.weight, seed=7)]
    assert [(finding.target, finding.trouble) for finding in found] == []


def test_what_longer_runs_found_stays_mended(readers: list[Target]) -> None:
    by_name = {target.name.replace("/", "~"): target for target in readers}
    kept = [path for path in CORPUS.rglob("*") if path.is_file()]
    assert kept
    found = [try_one(by_name[path.parent.name], path.read_bytes()) for path in kept if path.parent.name in by_name]
    assert [finding for finding in found if finding is not None] == []


def test_a_reader_that_raises_anything_else_is_found() -> None:
    def read(data: bytes) -> object:
        return data.decode("ascii")

    found = list(attack(Target("ascii", (b"plain",), read), 300, seed=1))
    assert found
    assert all(isinstance(finding, Finding) and "UnicodeDecodeError" in finding.trouble for finding in found)


def test_the_same_seed_breaks_in_the_same_way() -> None:
    first = [mutate(b'{"a": [1, 2.5]}\nx', random.Random(number)) for number in range(200)]
    again = [mutate(b'{"a": [1, 2.5]}\nx', random.Random(number)) for number in range(200)]
    assert first == again
    assert len(set(first)) > 150
