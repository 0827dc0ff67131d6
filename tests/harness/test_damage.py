"""Store files that are cut, altered or gone: the run goes on to the same records, or says what cannot be saved."""

from __future__ import annotations

import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.harness.fault_helpers import ASSAY, CALLS, call, calls, command, contents, store_files, undisturbed

from assay.core import InvalidInput
from assay.core.track import AnyTrack
from assay.harness import check_store

SEEDS = 3
QUICK = "from pathlib import Path\ndef solve(task, budget):\n" + (
    "    with (Path(__file__).parent / 'calls.log').open('a') as log:\n"
    "        log.write(f'{task.numbers[0]}-{budget.seed}\\n')\n"
    "    print('a line for the log', task.numbers)\n"
    "    if budget.seed == 1:\n        raise ValueError('on purpose')\n"
    "    return tuple((n + budget.seed) % 3 > 0 for n in task.numbers)\n"
)
UNTOLD = (
    TypeError,
    ValueError,
    LookupError,
    AttributeError,
    OSError,
    MemoryError,
    sqlite3.Error,
)  # tracebacks, to users
REMEDIES = ("copy", "another results folder", "Run the same command again", "Upgrade")

Damage = Callable[[Path, random.Random], str]


def cut(path: Path, chance: random.Random) -> str:
    size = path.stat().st_size
    length = chance.choice([0, chance.randrange(size + 1), size - chance.randint(0, min(size, 5000))])
    with path.open("r+b") as stream:
        stream.truncate(length)
    return f"{path.name} cut from {size} to {length}"


def flip(path: Path, chance: random.Random) -> str:
    content = bytearray(path.read_bytes())
    places = (
        sorted(chance.randrange(len(content)) for _ in range(chance.choice([1, 1, 1, 2, 5, 40]))) if content else []
    )
    for place in places:
        content[place] ^= 1 << chance.randrange(8)
    path.write_bytes(content)
    return f"{path.name} flipped at {places[:5]}"


def blank(path: Path, chance: random.Random) -> str:
    content = bytearray(path.read_bytes())
    begin = chance.randrange(len(content) + 1) // 4096 * 4096
    content[begin : begin + 4096] = bytes(len(content[begin : begin + 4096]))
    path.write_bytes(content)
    return f"{path.name} blank from {begin}"


def remove(path: Path, chance: random.Random) -> str:
    path.unlink()
    return f"{path.name} removed"


def repeat(path: Path, chance: random.Random) -> str:
    """A block of the file in the place of another, as a misdirected write leaves it."""
    content = bytearray(path.read_bytes())
    blocks = max(1, len(content) // 4096)
    source, target = chance.randrange(blocks) * 4096, chance.randrange(blocks) * 4096
    content[target : target + 4096] = content[source : source + 4096]
    path.write_bytes(content)
    return f"{path.name} block {source} repeated at {target}"


DAMAGES: tuple[Damage, ...] = (cut, cut, flip, flip, flip, blank, remove, repeat)


def killed_midway(folder: Path) -> None:
    """A results folder as a killed run leaves it, with all that was not yet moved into the main file."""
    folder.mkdir()
    arguments = command(folder, seeds=SEEDS, source=QUICK)
    with subprocess.Popen(arguments, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as driver:
        while driver.poll() is None and len(calls(folder)) < 12:
            time.sleep(0.002)
        driver.send_signal(signal.SIGKILL)
    time.sleep(0.3)


def read(folder: Path) -> dict[str, str] | str:
    """What the store says, or why it cannot be read."""
    try:
        return contents(folder)
    except InvalidInput as error:
        return str(error)
    except UNTOLD as error:
        raise AssertionError(f"reading ends with {error!r}") from error


def check(folder: Path) -> str:
    """What the check finds; empty when all is well."""
    try:
        return " ".join(check_store(folder / "out").troubles)
    except InvalidInput as error:
        return str(error)
    except UNTOLD as error:
        raise AssertionError(f"the check ends with {error!r}") from error


def outcome(folder: Path, expected: dict[str, str], what: str) -> str:
    """Check, read and resume a damaged folder: in a word, what came of it."""
    troubles, before = check(folder), read(folder)
    if isinstance(before, str):
        assert troubles, f"{what}: it cannot be read ({before}), and the check finds nothing"
    elif not troubles:
        assert before.items() <= expected.items(), f"{what}: a wrong record passes the check"
    ended = call(command(folder, seeds=SEEDS, source=QUICK), folder)
    if ended.code == 0:
        assert contents(folder) == expected, f"{what}: a wrong record after a run that ended well"
        return "went on" if not troubles else "went on, and the check had named it"
    assert ended.code in (2, 3), f"{what}: exit {ended.code}, {ended.output}"
    assert str(Path("out")) in ended.output, f"{what}: {ended.output}"
    assert any(remedy in ended.output for remedy in REMEDIES), f"{what}: {ended.output}"
    assert troubles, f"{what}: the run refuses ({ended.output}), and the check finds nothing"
    return "refused, with the remedy"


def damaged(folder: Path, template: Path, chance: random.Random) -> str:
    """A copy of the folder with one file damaged; what was done to it."""
    shutil.copytree(template, folder)
    files = [path for path in store_files(folder / "out") if path.stat().st_size]
    return chance.choice(DAMAGES)(chance.choice(files), chance)


@pytest.fixture
def templates(parity: AnyTrack, tmp_path: Path) -> tuple[dict[str, str], list[Path]]:
    """The records of an undisturbed run, its folder, and that of a killed one."""
    expected = undisturbed(tmp_path / "whole", seeds=SEEDS, source=QUICK)
    killed_midway(tmp_path / "killed")
    pending = [path for path in store_files(tmp_path / "killed" / "out") if path.name.endswith("-wal")]
    assert pending, "the killed run left nothing to move into the main file"
    assert pending[0].stat().st_size > 0
    return expected, [tmp_path / "whole", tmp_path / "killed"]


@pytest.mark.soak
def test_damaged_stores_go_on_or_say_what_is_lost(templates: tuple[dict[str, str], list[Path]], tmp_path: Path) -> None:
    expected, folders = templates
    chance = random.Random(2)
    for trial in range(4):
        what = damaged(tmp_path / f"{trial}", folders[trial % 2], chance)
        outcome(tmp_path / f"{trial}", expected, what)
    # the command names the damage and the remedy before it calls any subject
    folder = tmp_path / "whole"
    (path,) = [path for path in store_files(folder / "out") if path.suffix == ".sqlite"]
    with path.open("r+b") as stream:
        stream.truncate(path.stat().st_size // 2)
    ended = call([ASSAY, "store", "check", "out"], folder)
    assert ended.code in (1, 2)
    assert path.name in ended.output
    assert "copy" in ended.output
    (folder / CALLS).unlink()
    ended = call(command(folder, seeds=SEEDS, source=QUICK), folder)
    assert ended.code == 2, ended.output
    assert calls(folder) == [], "a damaged store was found too late"


@pytest.mark.soak
def test_three_hundred_damaged_stores_go_on_or_say_what_is_lost(
    templates: tuple[dict[str, str], list[Path]], tmp_path: Path
) -> None:
    expected, folders = templates
    chance, tally = random.Random(17), Counter[str]()
    wrong: list[str] = []  # all of them: where one kind of damage slips through, others are still looked at
    for trial in range(300):
        folder = tmp_path / "damaged"
        what = damaged(folder, folders[chance.random() < 0.6], chance)
        try:
            tally[outcome(folder, expected, what)] += 1
        except AssertionError as error:
            wrong.append(f"trial {trial}: {what}: {error}")
            sys.stderr.write(f"{wrong[-1]}\n")
        shutil.rmtree(folder)
        sys.stderr.write(f"damaged stores: {trial + 1}, {dict(tally)}, wrong {len(wrong)}\n")
    assert not wrong, "\n\n".join(wrong)
    assert min(tally["went on"], tally["refused, with the remedy"]) >= 30
