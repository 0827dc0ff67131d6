"""``python -m fuzz [guided] [INPUTS]``: so many broken inputs over all readers; what they find is kept."""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fuzz.engine import Finding
    from fuzz.targets import Target

CORPUS = Path(__file__).parent / "corpus"
INPUTS = 500_000
LEAST = 1_000  # inputs of every reader in a run of that size
SECONDS = 600.0


def main(arguments: list[str] | None = None) -> int:
    words = sys.argv[1:] if arguments is None else arguments
    if words[:1] == ["guided"]:
        return _guided(words[1:])
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("inputs", nargs="?", type=int, default=INPUTS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="Readers whose names hold these words; several apart by |.")
    options = parser.parse_args(words)
    from fuzz.apart import attack_apart

    with tempfile.TemporaryDirectory() as name:
        chosen = _chosen(Path(name), options.only)
        least = min(LEAST, options.inputs // len(chosen))
        rest, total = options.inputs - least * len(chosen), sum(target.weight for target in chosen)
        inputs = findings = 0
        for target in chosen:
            share = max(1, least - (-rest * target.weight // total))  # rounded up
            findings += _report(target.name, f"{share:,} inputs", attack_apart(target, share, options.seed))
            inputs += share
    print(f"{inputs:,} inputs over {len(chosen)} readers, {findings:,} findings")
    return 1 if findings else 0


def _guided(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="fuzz guided", description="Inputs that reach new code lead to further ones.")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="For all readers together.")
    parser.add_argument("--only", default="", help="Readers whose names hold these words; several apart by |.")
    options = parser.parse_args(words)
    from fuzz.guided import instrument

    if trouble := instrument():  # before anything of Assay is imported
        print(trouble, file=sys.stderr)
        return 2
    from fuzz.guided import Guide

    with tempfile.TemporaryDirectory() as name:
        chosen = _chosen(Path(name), options.only)
        inputs = findings = 0
        for target in chosen:
            guide = Guide(target, options.seconds / len(chosen), Path(name) / "guided" / target.name.replace("/", "~"))
            findings += _report(target.name, "guided", guide.findings(), guide)
            inputs += guide.inputs
    print(f"{inputs:,} guided inputs over {len(chosen)} readers, {findings:,} findings")
    return 1 if findings else 0


def _chosen(folder: Path, only: str) -> list[Target]:
    from fuzz.targets import targets

    tempfile.tempdir = str(folder)  # where readers may write; everything else is a finding
    words = only.split("|")
    chosen = [target for target in targets(folder) if any(word in target.name for word in words)]
    if not chosen:
        raise SystemExit(f"fuzz: no reader has a name with {only!r} in it.")
    return chosen


def _report(name: str, what: str, findings: Iterable[Finding], guide: object = None) -> int:
    """Print and keep what is found, the first of each kind; how many there were."""
    started, kinds = time.monotonic(), dict[str, int]()
    before = _children()
    for finding in findings:
        kind = finding.kind or finding.trouble
        kinds[kind] = kinds.get(kind, 0) + 1
        if kinds[kind] == 1:
            print(f"    {finding.trouble}", flush=True)
            keep(name, finding.data)
    seconds = f"{_children() - before:.1f} s of the processor, {time.monotonic() - started:.1f} s"
    label = what if guide is None else f"{what}: {guide}"
    print(f"{name}: {label}, {seconds}, {sum(kinds.values())} findings", flush=True)
    for kind, count in sorted(kinds.items(), key=lambda entry: -entry[1]):
        print(f"    {count}x {kind}", flush=True)
    return sum(kinds.values())


def _children() -> float:
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def keep(target: str, data: bytes, corpus: Path = CORPUS) -> None:
    """An input that was a finding becomes part of the corpus, which the tests read again."""
    folder = corpus / target.replace("/", "~")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)


if __name__ == "__main__":
    sys.exit(main())
