"""Rounds of the arena with one subject that remembers the public problems: whose gap excludes zero, and how often.

python -m benchmarks.arena_rounds --rounds 20 --problems 12
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from assay.publish.arena.commitment import PUBLIC_FOLDER, commit
from assay.publish.arena.entries import enter
from assay.publish.arena.revealing import replay, reveal

POWERS = '''import numpy as np


def solve(task, budget):
    """A product of powers where all values are positive, else a weighted sum."""
    x, y = task.parts[0].inputs, task.parts[0].target
    positive = (x > 0).all() and (y > 0).all()
    left, right = (np.log(x), np.log(y)) if positive else (x, y)
    first, *rest = np.linalg.lstsq(np.column_stack([np.ones(len(x)), left]), right, rcond=None)[0].tolist()
    if positive:
        powers = [f"{n}**({w:.3f})" for n, w in zip(task.variables, rest)]
        return "*".join([repr(round(float(np.exp(first)), 6)), *powers])
    return " + ".join([repr(first), *(f"({w!r})*{n}" for n, w in zip(task.variables, rest))])
'''

CHEAT = '''import numpy as np

MEMORY = {memory!r}


def solve(task, budget):
    """The remembered formula, or a weighted sum."""
    x, y = task.parts[0].inputs, task.parts[0].target
    key = repr([task.variables, *map(float, x[0]), float(y[0])])
    if key in MEMORY:
        return MEMORY[key]
    first, *rest = np.linalg.lstsq(np.column_stack([np.ones(len(x)), x]), y, rcond=None)[0].tolist()
    return " + ".join([repr(first), *(f"({{w!r}})*{{n}}" for n, w in zip(task.variables, rest))])
'''


def memory_of(public: Path) -> dict[str, str]:
    """The formulas of published problems, by the variables and the first row of their tables."""
    memory = {}
    for file in sorted(public.glob("*/*/train.csv")):
        header, first = file.read_text().splitlines()[:2]
        names = tuple(header.split(",")[:-1])
        key = repr([names, *map(float, first.split(","))])
        memory[key] = (file.parent / "truth" / "formula.txt").read_text().strip()
    return memory


def write_subjects(folder: Path, public: Path) -> tuple[str, ...]:
    """Two subjects as files, the second with the published formulas in its source; and a built-in one."""
    (folder / "powers.py").write_text(POWERS)
    (folder / "cheat.py").write_text(CHEAT.format(memory=memory_of(public)))
    return str(folder / "powers.py"), str(folder / "cheat.py"), "linear"


def main() -> None:
    """Print the gaps of each round, and at the end how many intervals cover zero."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--problems", type=int, default=12)
    parser.add_argument("--family", default="solved-laws")
    options = parser.parse_args()
    covered: dict[str, int] = {}
    started = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.rounds):
            place = Path(folder, f"round{number}")
            commit(place, [options.family], problems=options.problems)
            for subject in write_subjects(Path(folder), place / PUBLIC_FOLDER):
                enter(place, subject)
            finished = reveal(place)
            for _, gap in finished.gaps:
                covered[gap.subject] = covered.get(gap.subject, 0) + (gap.gap.low <= 0 <= gap.gap.high)
                print(
                    number, gap.subject, f"{gap.gap.value:+.3f} [{gap.gap.low:+.3f}, {gap.gap.high:+.3f}]", flush=True
                )
            if number == 0:
                again = replay(place, Path(folder, "again"))
                print("replayed:", "equal" if again.equal else again.differences, again.compared, flush=True)
    for subject, count in sorted(covered.items()):
        print(f"{subject}: the interval covers zero in {count} of {options.rounds}")
    print(f"{time.process_time() - started:.0f} s CPU here, beside subjects")


if __name__ == "__main__":
    main()
