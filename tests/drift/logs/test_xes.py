import gzip
import tempfile
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core import InvalidInput, UnknownName
from assay.drift.logs import xes
from assay.drift.logs.event_log import EventLog
from assay.drift.logs.xes import read_xes
from assay.drift.logs.xes_scan import Unusual
from assay.intake.table.options import TableOptions

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<log xes.version="1.0">\n'


def event(name: str = "A", time: str = "2020-01-01T10:00:00+00:00", more: str = "") -> str:
    return (
        f'<event>\n<string key="concept:name" value="{name}"/>\n'
        f'<date key="time:timestamp" value="{time}"/>\n{more}</event>\n'
    )


def trace(name: str, *events: str, more: str = "") -> str:
    return f'<trace>\n<string key="concept:name" value="{name}"/>\n{more}{"".join(events)}</trace>\n'


def log_file(folder: Path, *traces: str, head: str = HEAD, tail: str = "</log>\n") -> Path:
    path = folder / "Process.xes"
    path.write_text(head + "".join(traces) + tail, encoding="utf-8")
    return path


def by_the_careful_way(path: Path, monkeypatch: pytest.MonkeyPatch) -> EventLog:
    def refuse(*arguments: Any) -> None:
        raise Unusual

    with monkeypatch.context() as patch:
        patch.setattr(xes, "_scan", refuse)
        return read_xes(path)


def test_names_times_and_resources_are_read(tmp_path: Path) -> None:
    path = log_file(
        tmp_path,
        trace("c1", event("A &amp; B", more='<string key="org:resource" value="Ann"/>\n'), event("C")),
        trace("c2", event("C", "2020-01-02T10:00:00.250+01:00")),
    )
    log = read_xes(path)
    assert log.name == "Process"
    assert log.cases == ("c1", "c2")
    assert log.trace(0) == ("A & B", "C")
    assert log.resources == ("Ann",)
    assert log.to_frame()["org:resource"].isna().tolist() == [False, True, True]
    assert log.start_of(1).isoformat() == "2020-01-02T10:00:00.250000+01:00"


texts = st.text(st.characters(blacklist_categories=["Cs", "Cc"]), min_size=1, max_size=8)


@given(st.lists(st.lists(st.tuples(texts, st.one_of(st.none(), texts)), max_size=4), min_size=1, max_size=5))
def test_the_quick_and_the_careful_way_agree(traces: list[list[tuple[str, str | None]]]) -> None:
    content, first = [], list[tuple[str, str | None]]([("first", None)])
    for number, events in enumerate([first, *traces]):
        parts = []
        for activity, resource in events:
            more = "" if resource is None else f'<string key="org:resource" value={_quoted(resource)}/>\n'
            parts.append(event(_quoted(activity)[1:-1], more=more))
        content.append(trace(f"case {number}", *parts))
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = log_file(Path(folder), *content)
        quick, careful = read_xes(path), by_the_careful_way(path, patch)
    pd.testing.assert_frame_equal(quick.to_frame(), careful.to_frame())
    assert quick.notes == careful.notes
    assert [quick.trace(at) for at in range(len(quick))][1:] == [tuple(a for a, _ in es) for es in traces if es]


def _quoted(text: str) -> str:
    """With double quotes around, whatever is inside."""
    return '"' + quoteattr(text + "'" + '"')[1:-1].replace("'", "&apos;").removesuffix("&apos;&quot;") + '"'


def test_a_regular_file_needs_no_careful_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = log_file(tmp_path, *[trace(f"c{number}", event("A"), event("B")) for number in range(5)])

    def refuse(*arguments: Any) -> None:
        raise AssertionError("read twice")

    monkeypatch.setattr(xes, "_parse", refuse)
    monkeypatch.setattr(xes, "_CHUNK", 37)  # marks are cut by the borders of chunks
    assert len(read_xes(path)) == 5


UNUSUAL = {
    "a comment": "<!-- <event> -->" + trace("c1", event()),
    "nested attributes": trace(
        "c1", event(more='<string key="x" value="y"><string key="concept:name" value="wrong"/></string>')
    ),
    "a nested list first": trace(
        "c1",
        '<event><list key="l"><values><string key="concept:name" value="wrong"/></values></list>'
        '<string key="concept:name" value="A"/><date key="time:timestamp" value="2020-01-01T10:00:00Z"/></event>',
    ),
    "single quotes": trace(
        "c1", "<event><string key='concept:name' value='A'/><date key='time:timestamp' value='2020-01-01'/></event>"
    ),
    "value before key": trace(
        "c1", '<event><string value="A" key="concept:name"/><date value="2020-01-01" key="time:timestamp"/></event>'
    ),
    "the name behind the events": f'<trace>{event()}<string key="concept:name" value="c1"/></trace>',
    "identified events": trace("c1", event().replace("<event>", '<event id="7">')),
    "a line break in a name": trace("c1", event("A\nA")),
}


@pytest.mark.parametrize("kind", UNUSUAL)
def test_unusual_forms_are_understood(tmp_path: Path, kind: str) -> None:
    log = read_xes(log_file(tmp_path, UNUSUAL[kind]))
    assert log.cases == ("c1",)
    assert log.trace(0) == (("A A",) if "line break" in kind else ("A",))


def test_other_encodings_and_prefixes_are_understood(tmp_path: Path) -> None:
    path = tmp_path / "latin.xes"
    body = '<?xml version="1.0" encoding="ISO-8859-1"?><log>' + trace("c1", event("Prüfen")) + "</log>"
    path.write_bytes(body.encode("latin-1"))
    assert read_xes(path).trace(0) == ("Prüfen",)
    prefixed = (
        (HEAD + trace("c1", event()) + "</log>").replace("<", "<x:").replace("<x:/", "</x:").replace("<x:?", "<?")
    )
    path.write_text(prefixed.replace("<x:log ", '<x:log xmlns:x="http://www.xes-standard.org/" '))
    assert read_xes(path).trace(0) == ("A",)


def test_further_attributes_keep_their_types(tmp_path: Path) -> None:
    inner = '<int key="n" value="3"/><float key="f" value="2.5"/><boolean key="b" value="true"/>\n'
    path = log_file(tmp_path, trace("c1", event(more=inner), event(), more='<string key="kind" value="x"/>\n'))
    log = read_xes(path, attributes=["n", "f", "b", "case:kind"])
    assert log.attributes["n"].tolist() == [3, None]
    assert log.attributes["f"].tolist() == [2.5, None]
    assert log.attributes["b"].tolist() == [True, None]
    assert log.attributes["case:kind"].tolist() == ["x", "x"]


def test_other_keys_can_be_named(tmp_path: Path) -> None:
    path = log_file(tmp_path, trace("c1", event(more='<string key="task" value="T"/><string key="who" value="W"/>')))
    log = read_xes(path, options=TableOptions(columns={"activity": "task", "resource": "who"}))
    assert log.trace(0) == ("T",)
    assert log.resources == ("W",)
    with pytest.raises(UnknownName, match="No column of a log named 'actvity'"):
        read_xes(path, options=TableOptions(columns={"actvity": "task"}))


def test_of_two_values_of_one_key_the_first_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = log_file(tmp_path, trace("c1", event("A", more='<string key="concept:name" value="B"/>\n')))
    assert read_xes(path).trace(0) == ("A",)
    assert by_the_careful_way(path, monkeypatch).trace(0) == ("A",)


def test_gzip_is_recognised_by_content(tmp_path: Path) -> None:
    body = (HEAD + trace("c1", event()) + "</log>").encode()
    path = tmp_path / "log.xes"  # the name does not say so
    path.write_bytes(gzip.compress(body))
    assert len(read_xes(path)) == 1
    path.write_bytes(gzip.compress(body * 50)[:200])
    with pytest.raises(InvalidInput, match="log.xes: the gzip archive is broken or truncated"):
        read_xes(path)


BROKEN = {
    "truncated": (HEAD + trace("c1", event(), event())[:-40], r"line 11: broken XES .*ends too early"),
    "mismatched": (HEAD + "<trace>\n</event>", r"line 4: broken XES \(mismatched tag\)"),
    "unquoted": (HEAD + trace("c1", event().replace('value="A"', "value=A")), r"line 6: broken XES \(not well-formed"),
    "not xml": ("hello", "line 1: broken XES"),
    "empty": ("", "broken XES .*ends too early"),
    "unknown encoding": (HEAD.replace("UTF-8", "TF-8") + "</log>", r"line 1: .*cannot be decoded .*Declare UTF-8"),
    "wide encoding": (HEAD.replace("UTF-8", "shift_jis") + "</log>", r"line 1: .*cannot be decoded"),
    "no log": ("<html><p/></html>", "first element is <html>, not <log>"),
    "no events": (HEAD + "<trace/></log>", "no trace with events"),
    "no time": (HEAD + trace("c1", event().replace("time:timestamp", "when")) + "</log>",
                r"line 8: the event that ends here has no 'time:timestamp'.*columns=\{'time': 'KEY'\}.*'when'"),
    "no activity": (HEAD + trace("c1", event().replace("concept:name", "x")) + "</log>", "has no 'concept:name'"),
    "no case": (HEAD + trace("c1", event()).replace('<string key="concept:name" value="c1"/>', "") + "</log>",
                r"line 9: the trace that ends here has no 'concept:name'.*no attributes"),
    "bad time": (HEAD + trace("c1", event(time="01.02.2020")) + "</log>", r"line 8: '01.02.2020' is not a time in ISO"),
    "far time": (HEAD + trace("c1", event(time="9999-01-01T00:00:00Z")) + "</log>", "line 8: .*outside the years 1678"),
    "mixed zones": (HEAD + trace("c1", event(), event(time="2020-01-01T10:00:00")) + "</log>",
                    r"mixed: .*line 8 has one, .*line 12 none.*timezone='Europe/Berlin'"),
    "bad number": (HEAD + trace("c1", event(more='<!-- --><int key="n" value="x"/>')) + "</log>",
                   "'x' under 'n' is no int"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BROKEN)
def test_broken_files_are_told_by_line_and_remedy(tmp_path: Path, kind: str) -> None:
    text, message = BROKEN[kind]
    path = tmp_path / "bad.xes"
    path.write_text(text)
    with pytest.raises(InvalidInput, match=message) as caught:
        read_xes(path)
    assert "bad.xes" in str(caught.value)


def test_the_line_of_a_fault_is_named_whatever_the_file_is_called(tmp_path: Path) -> None:
    path = tmp_path / "gzip, decoded.xes"
    path.write_text(HEAD + trace("c1", event(time="01.02.2020")) + "</log>", encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"line 8: '01.02.2020' is not a time in ISO"):
        read_xes(path)


def test_a_named_zone_settles_bare_times(tmp_path: Path) -> None:
    path = log_file(tmp_path, trace("c1", event(), event("B", time="2020-07-01T10:00:00")))
    log = read_xes(path, options=TableOptions(timezone="Europe/Berlin"))
    assert log.to_frame()["time:timestamp"].dt.hour.tolist() == [10, 8]
    with pytest.raises(InvalidInput, match="time zone 'Mars' is not known"):
        read_xes(path, options=TableOptions(timezone="Mars"))


def test_traces_of_one_name_are_cases_of_their_own(tmp_path: Path) -> None:
    traces = [
        trace(name, event(time=f"2020-01-0{day}T10:00:00Z")) for day, name in enumerate(["c1", "c1 (2)", "c1"], 1)
    ]
    for more in ("", "<!-- read element by element -->"):
        log = read_xes(log_file(tmp_path, *traces, more, trace("c1", event(time="2020-01-09T10:00:00Z"))))
        assert log.cases == ("c1", "c1 (2)", "c1 (3)", "c1 (4)")
        (note,) = log.notes
        assert "1 names are borne by several traces, as 'c1'" in note
    with pytest.raises(InvalidInput, match=r"line 23: a second trace is named 'c1'.*duplicates='error'"):
        read_xes(log_file(tmp_path, *traces), duplicates="error")


def test_duplicate_cases_can_be_joined_and_empty_traces_are_told(tmp_path: Path) -> None:
    path = log_file(tmp_path, trace("c1", event()), trace("c1", event("B")), trace("c9"))
    log = read_xes(path, duplicates="merge")
    assert log.trace(0) == ("A", "B")
    assert log.notes == (
        "1 traces without events were left out.",
        "1 traces were joined with an earlier one of the same name.",
    )
    with pytest.raises(UnknownName, match="No treatment of duplicates named 'drop'"):
        read_xes(path, duplicates="drop")  # type: ignore[arg-type]


@given(st.data())
def test_damaged_files_are_read_or_refused_and_nothing_else(data: st.DataObject) -> None:
    body = bytearray((HEAD + trace("c1", event("A"), event("B")) + trace("c2", event()) + "</log>\n").encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(body) - 1))
        kind = data.draw(st.sampled_from(["change", "cut", "double"]))
        if kind == "change":
            body[at] = data.draw(st.sampled_from(b'<>"=/ &\x00\xff09TZ'))
        else:
            piece = body[at : at + data.draw(st.integers(1, 40))]
            body[at : at + len(piece)] = b"" if kind == "cut" else piece * 2
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.xes"
        path.write_bytes(bytes(body))
        try:
            outcome = f"{read_xes(path).events} events of log.xes"
        except InvalidInput as error:
            outcome = str(error)
    assert "log.xes" in outcome


@pytest.mark.parametrize(
    "text",
    [
        '<?l <log<trace>key="concept:name" value="</trace>',
        '<log><trace><string key="concept:name" value="&#99999999999;"/></trace></log>',
    ],
)
def test_text_that_only_looks_like_a_log_is_refused_in_words(tmp_path: Path, text: str) -> None:
    (tmp_path / "log.xes").write_text(text)
    with pytest.raises(InvalidInput, match=r"log\.xes"):
        read_xes(tmp_path / "log.xes")


def test_names_are_read_as_they_are_written_either_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (
        trace(name, event(name)).replace("<string", kind) for name, kind in (("007", "<int"), ("true", "<boolean"))
    )
    path = log_file(tmp_path, first, second, trace("1.50", event("1.50")))
    for log in (read_xes(path), by_the_careful_way(path, monkeypatch)):
        assert log.cases == ("007", "true", "1.50")
        assert log.activities == ("007", "true", "1.50")


def test_attributes_have_the_values_of_their_kind(tmp_path: Path) -> None:
    more = '<int key="n" value="007"/><boolean key="b" value="true"/>'
    log = read_xes(log_file(tmp_path, trace("c1", event(more=more))), attributes=["n", "b", "case:absent"])
    assert {name: column.tolist() for name, column in log.attributes.items()} == {
        "n": [7], "b": [True], "case:absent": [None],
    }  # fmt: skip


def test_a_key_that_xml_writes_as_an_entity_is_found(tmp_path: Path) -> None:
    path = log_file(tmp_path, trace("c1", event(more='<string key="who&amp;where" value="Ann"/>')))
    assert read_xes(path, options=TableOptions(columns={"resource": "who&where"})).resources == ("Ann",)


def test_the_note_on_repeated_names_counts_traces(tmp_path: Path) -> None:
    (note,) = read_xes(log_file(tmp_path, *(trace(name, event()) for name in ("c1", "c1 (2)", "c1")))).notes
    assert "as 'c1' by 2." in note
