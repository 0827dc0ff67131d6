"""Forges bundles: by changing bytes alone, or with everything that can be computed made to fit."""

from __future__ import annotations

import json
import random
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from assay.core import Budget, digest_bytes
from assay.harness.plan import answer_key, record_key
from assay.intake.archives import EPOCH
from assay.publish.bundle.layout import MANIFEST, SIGNATURE, manifest_digest
from assay.publish.bundle.shape import ordered
from assay.report.export.archive import json_lines, manifest_text

__all__ = ["BY_EXAMINATION", "BY_SIGNATURE", "Forgery", "forge", "pack_as_is"]

RECORDS, ANSWERS = "1-conformal/records.jsonl", "1-conformal/answers.jsonl"


class Forgery:
    """The content of a bundle, open to changes."""

    def __init__(self, source: Path, seed: int) -> None:
        with zipfile.ZipFile(source) as archive:
            self.files = {name: archive.read(name) for name in archive.namelist()}
        self.chance = random.Random(seed)
        self.manifest = json.loads(self.files[MANIFEST])
        self.records = [json.loads(line) for line in self.files[RECORDS].splitlines()]
        self.answers = [json.loads(line) for line in self.files[ANSWERS].splitlines()]

    @property
    def track(self) -> dict[str, Any]:
        entry: dict[str, Any] = self.manifest["tracks"][0]
        return entry

    def choose(self, wanted: Callable[[Mapping[str, Any]], bool] = lambda record: True) -> dict[str, Any]:
        """A record by chance."""
        return self.chance.choice([record for record in self.records if wanted(record)])

    def fit(self) -> None:
        """Make keys, files, hashes and the manifest's own digest fit what the records say now."""
        sources = {facts["name"]: facts["source"] for facts in self.track.get("metrics", ()) if facts["source"]}
        answers = {row["key"]: row for row in self.answers}
        rows = []
        for record in self.records:
            row = answers[record["answer_key"]]
            record["answer_key"] = answer_key(
                record["track"],
                record["problem_digest"],
                record["subject"],
                record["subject_digest"],
                Budget(**record["budget"]),
            )
            record["key"] = record_key(record["answer_key"], record["versions"], record["settings"], sources)
            rows.append({**row, "key": record["answer_key"]})
        self.answers = rows

    def write(self, target: Path, *, consistent: bool) -> None:
        """Write it as a bundle, with all hashes made to fit or with those that were there."""
        if consistent:
            self.fit()
        self.files[RECORDS], self.files[ANSWERS] = json_lines(self.records), json_lines(self.answers)
        if consistent:
            self.manifest["sha256"] = {
                name: digest_bytes(content) for name, content in self.files.items() if name not in (MANIFEST, SIGNATURE)
            }
            with suppress(UnicodeEncodeError):  # half a character has no digest
                self.manifest["digest"] = manifest_digest(self.manifest)
        self.files[MANIFEST] = manifest_text(self.manifest)
        pack_as_is(self.files, target)


def pack_as_is(files: Mapping[str, bytes], target: Path) -> None:
    """A zip file as ``assay bundle`` packs it."""
    with zipfile.ZipFile(target, "w") as archive:
        for name in ordered(list(files)):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.external_attr, entry.create_system, entry.compress_type = 0o644 << 16, 3, zipfile.ZIP_DEFLATED
            archive.writestr(entry, files[name])


def _score(forgery: Forgery) -> None:
    record = forgery.choose(lambda record: record["status"] == "ok")
    name = forgery.chance.choice([name for name, score in record["scores"].items() if score is not None])
    record["scores"][name] += forgery.chance.choice([-1, 1]) * 10 ** forgery.chance.uniform(-6, 0)


def _undefined(forgery: Forgery) -> None:
    record = forgery.choose()
    name = forgery.chance.choice([name for name, score in record["scores"].items() if score is not None])
    record["scores"][name] = None


def _detail(forgery: Forgery) -> None:
    record = forgery.choose(lambda record: isinstance(record["details"].get("p_below"), float))
    record["details"]["p_below"] = forgery.chance.random()


def _setting(forgery: Forgery) -> None:
    value = forgery.chance.uniform(0.99, 0.999)  # under which nearly every set covers too little
    forgery.track["settings"]["significance"] = value
    for record in forgery.records:
        record["settings"]["significance"] = value


def _version(forgery: Forgery) -> None:
    name = forgery.chance.choice(sorted(forgery.track["versions"]))
    forgery.track["versions"][name] += 1
    for record in forgery.records:
        record["versions"][name] += 1


def _status(forgery: Forgery) -> None:
    """A failure that never was: the competitor's."""
    record = forgery.choose(lambda record: record["subject"] != "oracle")
    record |= {"status": "failed", "error": "crashed", "error_kind": "crash"}
    record["scores"] = dict.fromkeys(record["scores"], 0.0)


def _tag(forgery: Forgery) -> None:
    forgery.choose()["tags"]["family"] = "easy"


def _goal(forgery: Forgery) -> None:
    forgery.track["metrics"][0]["goal"] = "min"


def _answer(forgery: Forgery) -> None:
    """The answer of another subject, with its scores: as if it had been one's own."""
    record = forgery.choose(lambda record: record["subject"] == "agent")
    better = forgery.choose(
        lambda other: other["problem"] == record["problem"] and other["subject"] in ("oracle", "taskwise")
    )
    rows = {row["key"]: row for row in forgery.answers}
    rows[record["answer_key"]]["payload"] = rows[better["answer_key"]]["payload"]
    record |= {"scores": dict(better["scores"]), "details": better["details"]}


def _seed(forgery: Forgery) -> None:
    """The better of many draws, said to be seed 0 and 1."""
    new = forgery.chance.randrange(2, 1000)
    for record in forgery.records:
        if record["subject"] == "agent" and record["seed"] == 1:
            record["seed"] = record["budget"]["seed"] = new


def _name(forgery: Forgery) -> None:
    """A subject of the package under the name of another."""
    for entry in forgery.track["subjects"]:
        if entry["name"] == "taskwise":
            entry |= {"name": "bonferroni", "target": "bonferroni"}
    for record in forgery.records:
        if record["subject"] == "taskwise":
            record["subject"] = "bonferroni"


BY_EXAMINATION: Final[Mapping[str, Callable[[Forgery], None]]] = {
    **{"score": _score, "undefined": _undefined, "detail": _detail, "setting": _setting, "version": _version},
    **{"status": _status, "tag": _tag, "goal": _goal},
}
BY_SIGNATURE: Final[Mapping[str, Callable[[Forgery], None]]] = {"answer": _answer, "seed": _seed, "name": _name}


def forge(source: Path, target: Path, kind: str, *, seed: int, consistent: bool) -> None:
    """Write a forged copy of a bundle."""
    forgery = Forgery(source, seed)
    {**BY_EXAMINATION, **BY_SIGNATURE}[kind](forgery)
    forgery.write(target, consistent=consistent)
