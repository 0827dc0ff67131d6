from __future__ import annotations

from datetime import datetime
from pathlib import Path
from xml.etree import ElementTree

from assay.report import Results, write_junit
from assay.report.gates.gate import FailUnder
from assay.report.gates.judging import judge_gates
from assay.report.gates.junit import junit_xml

# the attributes that the schema of Jenkins' JUnit plugin knows, those it requires first
KNOWN = {
    "testsuites": (["name", "time", "tests", "failures", "errors"], []),
    "testsuite": (["name", "tests", "failures", "errors", "time", "timestamp", "hostname"], ["skipped"]),
    "testcase": (["name", "classname", "time"], []),
    "failure": (["message", "type"], []),
}
INSIDE = {"testsuites": {"testsuite"}, "testsuite": {"testcase"}, "testcase": {"failure"}, "failure": set()}


def test_the_file_has_a_suite_per_track_and_a_case_per_gate_and_subject(results: Results, tmp_path: Path) -> None:
    verdicts = judge_gates([FailUnder(value=0.0), FailUnder(value=9.0, metric="delay", subjects=("vote",))], results)
    write_junit(verdicts, tmp_path / "gates.xml")
    root = ElementTree.parse(tmp_path / "gates.xml").getroot()
    for element in root.iter():
        required, optional = KNOWN[element.tag]
        assert set(required) <= set(element.attrib) <= {*required, *optional}
        assert {child.tag for child in element} <= INSIDE[element.tag]
        for name in ("time", "tests", "failures", "errors"):
            assert float(element.get(name, "0")) >= 0
    (suite,) = root
    datetime.strptime(suite.attrib["timestamp"], "%Y-%m-%dT%H:%M:%S")
    missed = [case for case in suite if case.find("failure") is not None]
    assert [root.get(name) for name in ("tests", "failures")] == [str(len(suite)), str(len(missed))]
    assert len(suite) == len(verdicts) == 4
    assert len(missed) == len(verdicts.missed)
    total = sum(float(case.attrib["time"]) for case in suite)
    assert abs(float(suite.attrib["time"]) - total) < 0.01
    assert suite[0].get("name") == "knn(k=5): share at least 0"


def test_names_that_xml_forbids_are_written_out(hostile: Results, hostile_names: tuple[str, ...]) -> None:
    root = ElementTree.fromstring(junit_xml(judge_gates([FailUnder(value=2.0)], hostile)))
    names = " ".join(case.attrib["name"] for case in root.iter("testcase"))
    assert len(list(root.iter("failure"))) == len(hostile_names)
    assert "<script>alert(1)</script>" in names
    assert r"null\x00byte\x1b[31m" in names
