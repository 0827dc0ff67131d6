"""A damaged store never shows fewer records than were written: it shows all of them, or says that it is damaged."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from tests.harness.store.test_store import cell, finished

from assay.core import InvalidInput
from assay.harness import RunSpec, Store, check_store, run
from assay.harness.plan import Plan
from assay.harness.store import blocks
from assay.harness.store import store as store_module
from assay.harness.store.schema import STORE_NAME

RECORDS = 40
PAGE = 4096


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A store with forty records, one of which was replaced."""
    with Store(tmp_path, create=True) as store:
        keys = [f"{number:05}" for number in range(RECORDS)]
        store.add_run(Plan(track="t", settings={}, cells=tuple(map(cell, keys))))
        for key in [*keys, keys[7]]:
            store.commit(finished(key))
    return tmp_path


def shown(folder: Path) -> list[str] | str:
    """The records that a report would show, or what it says instead."""
    try:
        with Store(folder, read_only=True) as store:
            (latest,) = store.latest_runs()
            return [record.content() for record in store.records(latest.id)]
    except InvalidInput as error:
        return str(error)


def hide(folder: Path, statement: str) -> None:
    with sqlite3.connect(folder / STORE_NAME) as base:
        base.execute(statement)
    base.close()


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM records WHERE key = '00013'",
        "DELETE FROM records WHERE key = '00039'",
        "DELETE FROM ledger",
        "UPDATE ledger SET count = count - 1",
        "UPDATE records SET id = id + 1000 WHERE key = '00039'",
    ],
)
def test_a_record_that_cannot_be_found_is_damage_and_not_pending(
    out: Path, many: bool, statement: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if many:
        monkeypatch.setattr(blocks, "BLOCK", 1000)
        monkeypatch.setattr(store_module, "AT_ONCE", -1)
    assert len(shown(out)) == RECORDS
    hide(out, statement)
    output = shown(out)
    assert isinstance(output, str)
    assert "damaged" in output
    assert "Restore it from a copy" in output
    assert not check_store(out).whole


@pytest.mark.parametrize("table", ["blocks", "columns"])
def test_a_packed_block_that_cannot_be_found_is_damage(out: Path, table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 10)
    monkeypatch.setattr(store_module, "AT_ONCE", -1)
    with Store(out) as store, store.transaction() as connection:
        blocks.seal(connection)
    assert len(shown(out)) == RECORDS
    hide(out, f"DELETE FROM {table} WHERE {'id' if table == 'blocks' else 'block'} = 2")
    output = shown(out)
    assert isinstance(output, str)
    assert "damaged" in output


def test_a_plan_that_cannot_be_found_is_damage(out: Path) -> None:
    with Store(out) as store:
        store.add_run(Plan(track="t", settings={}, cells=(cell("00001"),)))
    hide(out, "DELETE FROM runs WHERE id = 2")
    output = shown(out)
    assert isinstance(output, str)
    assert "of 2 plans that were written 1 are there" in output


def test_a_run_does_not_solve_again_what_a_damaged_store_hides(spec: Callable[..., RunSpec], tmp_path: Path) -> None:
    run([spec("oracle")], out=tmp_path / "results")
    hide(tmp_path / "results", "DELETE FROM records WHERE id = 2")
    with pytest.raises(InvalidInput, match="damaged .of 2 records that were written 1 are there"):
        run([spec("oracle")], out=tmp_path / "results")


def look_at(out: Path, places: Iterable[tuple[int, int]]) -> list[str]:
    """Alter one byte after the other; all that passes without being equal or an error."""
    path = out / STORE_NAME
    whole, expected, wrong = path.read_bytes(), shown(out), []
    assert len(expected) == RECORDS
    for place, change in places:
        content = bytearray(whole)
        content[place] ^= change
        path.write_bytes(content)
        output = shown(out)
        if output != expected and not isinstance(output, str):
            wrong.append(f"byte {place} of page {place // PAGE} ^ {change}: {len(output)} records")
    path.write_bytes(whole)
    return wrong


def test_altered_bytes_of_page_heads_never_show_fewer_records(out: Path) -> None:
    chance = random.Random(4)
    pages = (out / STORE_NAME).stat().st_size // PAGE
    counts = [(page * PAGE + 100 * (page == 0) + 4, change) for page in range(pages) for change in (1, 3)]
    heads = [(page * PAGE + chance.randrange(24), 1 << chance.randrange(8)) for page in range(pages) for _ in range(4)]
    assert look_at(out, counts + heads) == []


@pytest.mark.soak
def test_altered_bytes_everywhere_never_show_fewer_records(out: Path) -> None:
    chance = random.Random(5)
    size = (out / STORE_NAME).stat().st_size
    heads = [(page + place, 1 << bit) for page in range(0, size, PAGE) for place in range(40) for bit in (0, 1, 7)]
    anywhere = [(place, 1 << chance.randrange(8)) for place in range(0, size, 11)]
    assert look_at(out, heads + anywhere) == []
