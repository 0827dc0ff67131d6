"""``python -m fuzz [INPUTS] [--seed N] [--only WORDS]``: so many broken inputs over all readers, findings kept."""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
import time
from pathlib import Path

from fuzz.engine import attack
from fuzz.targets import targets

CORPUS = Path(__file__).parent / "corpus"
INPUTS = 500_000


def main() -> int:
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("inputs", nargs="?", type=int, default=INPUTS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        chosen = [target for target in targets(Path(name)) if given.only in target.name]
        total = sum(target.weight for target in chosen)
        done = found = 0
        for target in chosen:
            share = max(1, given.inputs * target.weight // total)
            started, kinds = time.process_time(), dict[str, int]()
            for finding in attack(target, share, given.seed):
                found += 1
                kind = finding.kind or finding.trouble
                kinds[kind] = kinds.get(kind, 0) + 1
                if kinds[kind] == 1:
                    print(f"    {finding.trouble}", flush=True)
                    _keep(target.name, finding.data)
            done += share
            seconds = time.process_time() - started
            print(f"{target.name}: {share:,} inputs, {seconds:.1f} s, {sum(kinds.values())} findings", flush=True)
            for kind, count in sorted(kinds.items(), key=lambda entry: -entry[1]):
                print(f"    {count}x {kind}", flush=True)
        print(f"{done:,} inputs over {len(chosen)} readers, {found:,} findings")
    return 1 if found else 0


def _keep(target: str, data: bytes) -> None:
    folder = CORPUS / target.replace("/", "~")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)


if __name__ == "__main__":
    sys.exit(main())
