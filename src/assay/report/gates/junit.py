"""Gates as JUnit XML, which CI systems show as tests: a suite for each track, a case for each gate and subject."""

from __future__ import annotations

import math
import socket
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

from assay.report.export.files import write_whole
from assay.report.gates.judging import GateResult, GateResults
from assay.report.wording import shown

__all__ = ["junit_xml", "write_junit"]


def write_junit(verdicts: GateResults, path: Path) -> None:
    """Write :func:`junit_xml` to a file, as a whole."""
    write_whole(path, junit_xml(verdicts))


def junit_xml(verdicts: GateResults) -> bytes:
    """The verdicts as JUnit XML; the time of a case is that of all cells of its subject."""
    root = ElementTree.Element("testsuites", {"name": "assay", **_totals(verdicts)})
    started = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    for track in dict.fromkeys(entry.track for entry in verdicts):
        own = [entry for entry in verdicts if entry.track == track]
        facts = {"name": track, **_totals(own), "skipped": "0", "timestamp": started, "hostname": socket.gethostname()}
        suite = _element(root, "testsuite", facts)
        for entry in own:
            named = {"classname": f"assay.{track}", "name": f"{entry.subject}: {entry.gate}"}
            case = _element(suite, "testcase", {**named, "time": _seconds([entry])})
            if not entry.passed:
                failure = _element(case, "failure", {"message": entry.text, "type": entry.place})
                failure.text = shown(f"{entry.subject}: {entry.text}")
    ElementTree.indent(root)
    content: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return content + b"\n"


def _element(parent: ElementTree.Element, name: str, facts: Mapping[str, str]) -> ElementTree.Element:
    """An element whose texts hold nothing that XML forbids."""
    return ElementTree.SubElement(parent, name, {key: shown(value) for key, value in facts.items()})


def _totals(entries: Iterable[GateResult]) -> dict[str, str]:
    cases = list(entries)
    missed = sum(not entry.passed for entry in cases)
    return {"tests": str(len(cases)), "failures": str(missed), "errors": "0", "time": _seconds(cases)}


def _seconds(entries: Iterable[GateResult]) -> str:
    return f"{math.fsum(entry.seconds for entry in entries):.3f}"
