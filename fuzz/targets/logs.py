"""Event logs, detector files, rankings and documents: everything that the drift track reads."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from pathlib import Path

from assay.drift.answer.trec import read_qrels, read_run, ready_answer
from assay.drift.documents.document import Corpus
from assay.drift.documents.folder import read_corpus, read_document
from assay.drift.explanation.rerank import _read as read_opinion
from assay.drift.logs.read import read_log
from assay.drift.logs.timestamps import find_zone
from assay.drift.problem.detector_files import RESULTS, WINDOWS, read_detections
from assay.drift.problem.task import read_glossary
from assay.drift.problem.testsets import read_test_set
from fuzz.containers import mutate_gzip, zipped
from fuzz.mutation import mutate, mutate_json, mutate_table
from fuzz.targets.target import Target, of_file, of_text, restored

__all__ = ["drift_targets", "event_log", "small_pdf"]

_RESULTS = (
    ",Detected Changepoints,Detected Drift Types,Prediction Confidence,gold_source_document\n"
    "log,\"[('case 2', 'case 4'), ('case 7', 'case 7')]\",\"['sudden', 'gradual']\",[0.71 0.64],"
    "\"['rule.txt', ('rule.txt', 'note.txt')]\"\n"
)
_WINDOWS = '{"log": {"1": ["case 2", "2020-03-01 12:00:00"], "2": ["case 4", "2020-04-01T00:00:00+01:00"], '
_WINDOWS += '"3": ["case 7", "2020-05-01"]}}'
_RULE = (
    "Subject: New rule\nDate: 1 March 2020\n\nFrom 1 March 2020 every permit needs a second signature by the head.\n"
)
_PAGE = "<html><head><title>Rule</title><style>p{}</style></head><body><h1>Rule</h1><p>Since 2020-03-01 &amp; later."
_PAGE += "<script>x()</script><table><tr><td>a<td>b</table></body></html>"
_OPINION = '{"order": [2, 1], "causes": [{"number": 1, "quote": "every permit needs a second signature", '
_OPINION += '"description": "It does."}], "summary": "Two sentences."}'


def event_log(cases: int = 8) -> bytes:
    """A small XES file with all that usual ones have."""
    text = '<?xml version="1.0" encoding="UTF-8"?>\n<log xes.version="1.0" xmlns="http://www.xes-standard.org/">\n'
    text += '<extension name="Time" prefix="time" uri="http://www.xes-standard.org/time.xesext"/>\n'
    text += '<global scope="event"><string key="concept:name" value=""/></global>\n'
    for case in range(cases):
        text += f'<trace>\n<string key="concept:name" value="case {case}"/>\n<int key="amount" value="{case}"/>\n'
        for event, name in enumerate(("register", "check &amp; sign", "pay")):
            text += f'<event>\n<string key="concept:name" value="{name}"/>\n<boolean key="ok" value="true"/>\n'
            text += f'<date key="time:timestamp" value="2020-0{1 + event}-{10 + case}T12:00:00.000+01:00"/>\n'
            text += f'<string key="org:resource" value="person {event}"/>\n</event>\n'
        text += "</trace>\n"
    return (text + "</log>\n").encode()


def _parquet_log() -> bytes:
    import pandas as pd

    times = pd.date_range("2020-01-01", periods=12, freq="h", tz="UTC")
    frame = pd.DataFrame({"case:concept:name": ["a", "b", "c"] * 4, "concept:name": ["x", "y"] * 6, "time": times})
    stream = io.BytesIO()
    frame.to_parquet(stream, index=False)
    return stream.getvalue()


def drift_targets(folder: Path) -> Iterator[Target]:
    """All of them."""
    yield from _logs(folder / "logs")
    yield from _detector_files(folder / "detector")
    yield from _documents(folder / "documents-read")
    yield from _rankings(folder / "rankings")


def _logs(folder: Path) -> Iterator[Target]:
    xes = event_log()
    nested = xes.replace(b"<event>", b"<!-- c --><event>", 1).replace(b'"pay"', b"'pay'", 1)
    table = b"case,activity,time,resource,extra\n" + b"".join(
        f"c{row % 4},act {row % 3},2020-01-{row + 1:02}T10:00:00Z,r{row % 2},{row}\n".encode() for row in range(12)
    )

    def keep(path: Path) -> object:
        return read_log(path, attributes=("amount", "ok", "case:amount"), timezone="Europe/Berlin", duplicates="merge")

    yield of_file("log xes", folder / "a.xes", read_log, (xes, nested), weight=20)
    yield of_file("log xes with attributes", folder / "b.xes", keep, (xes, nested), weight=10)
    yield of_file("log xes.gz", folder / "a.xes.gz", read_log, (gzip.compress(xes),), breaking=mutate_gzip(mutate))
    yield of_file("log csv", folder / "a.csv", read_log, (table, table.replace(b",", b";")))
    packed = mutate_gzip(mutate_table)
    yield of_file("log csv.gz", folder / "a.csv.gz", read_log, (gzip.compress(table),), breaking=packed, weight=2)
    yield of_file("log parquet", folder / "a.parquet", read_log, (_parquet_log(),))
    yield of_text("time zone", find_zone, "Europe/Berlin", "UTC", "../../etc/passwd", weight=5)


def _detector_files(folder: Path) -> Iterator[Target]:
    documents = folder / "documents"
    documents.mkdir(parents=True)
    (documents / "rule.txt").write_text(_RULE)
    (documents / "note.txt").write_text("A note of 2 May 2020 about lunch.")
    whole = {RESULTS: _RESULTS.encode(), WINDOWS: _WINDOWS.encode(), "log.xes": event_log()}
    whole["glossary.csv"] = b"term,definition\nHOD,head of department\n"
    for name, content in whole.items():
        (folder / name).write_bytes(content)
    corpus = read_corpus(documents)

    def both(_: Path) -> object:
        return read_detections(folder), read_detections(folder, timezone="Asia/Tokyo", matching="last-number")

    def whole_set(_: Path) -> object:
        return read_test_set(folder, corpus=corpus)

    for name in (RESULTS, WINDOWS):
        yield restored(of_file(f"detector {name}", folder / name, both, (whole[name],), weight=20), folder / name)
    for name in (RESULTS, WINDOWS, "log.xes", "glossary.csv"):
        yield restored(of_file(f"test set {name}", folder / name, whole_set, (whole[name],)), folder / name)
    yield of_file("glossary", folder.parent / "glossary.csv", read_glossary, (whole["glossary.csv"],), weight=10)


def small_pdf() -> bytes:
    """One page with a line of text."""
    content = b"BT /F1 12 Tf 72 720 Td (From 9 March 2020 two signatures.) Tj ET"
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> /MediaBox [0 0 9 9] >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    )
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    return data + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)


def _office() -> dict[str, bytes]:
    import docx
    import pptx

    text = docx.Document()
    text.add_paragraph("From 9 March 2020 two signatures.")
    cells = text.add_table(rows=2, cols=2).rows[0].cells
    cells[0].text, cells[1].text = "a", "b"
    slides = pptx.Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[1])
    slide.shapes.title.text = "New rule of 9 March 2020"
    slide.notes_slide.notes_text_frame.text = "Notes"
    files = {}
    for suffix, document in ((".docx", text), (".pptx", slides)):
        stream = io.BytesIO()
        document.save(stream)
        files[suffix] = stream.getvalue()
    return files


def _documents(folder: Path) -> Iterator[Target]:
    texts = {".txt": _RULE, ".md": f"# Rule\n\n{_RULE}\n* 1.2.2020\n", ".html": _PAGE, ".eml": f"From: a\n{_RULE}"}
    for suffix, text in texts.items():
        seeds = (text.encode(), text.encode("utf-16"), text.replace("\n", "\f").encode("latin-1"))
        yield of_file(f"document {suffix}", folder / f"a{suffix}", read_document, seeds, weight=10)
    yield of_file("document .pdf", folder / "a.pdf", read_document, (small_pdf(),), weight=5)
    for suffix, data in _office().items():
        yield of_file(f"document {suffix}", folder / f"a{suffix}", read_document, (data,), weight=1, breaking=zipped())
    shelf = folder / "shelf"
    shelf.mkdir()
    (shelf / "rule.txt").write_text(_RULE)
    index = folder / "index"
    read_corpus(shelf, index=index)
    (cached,) = index.iterdir()

    def again(_: Path) -> object:
        return read_corpus(shelf, index=index)

    yield of_file("document index", cached, again, (cached.read_bytes(),))


def _rankings(folder: Path) -> Iterator[Target]:
    run = b"t_drift_1_1 Q0 rule.txt 1 0.9 tag\nt_drift_1_1 Q0 a%20b.txt 2 0.9 tag\nt_drift_1_2 Q0 rule.txt 1 -1e3 t\n"
    qrels = b"t_drift_1_1 0 rule.txt 1\nt_drift_1_2 0 a%20b.txt 0\n"
    yield of_file("ranking run", folder / "x.run", read_run, (run,), weight=20)
    yield of_file("ranking qrels", folder / "x.qrels", read_qrels, (qrels,), weight=20)
    ready = folder / "ready"
    yield of_file("ready ranking of one", ready / "one" / "t.run", lambda path: ready_answer(path.parent, "t"), (run,))
    yield of_file("ready ranking of all", ready / "all" / "x.trec", lambda path: ready_answer(path.parent, "t"), (run,))
    corpus = Corpus.from_texts({"note.txt": "A note of 2 May 2020.", "rule.txt": _RULE})

    def opinion(data: bytes) -> object:
        return read_opinion(data.decode("utf-8", "replace"), list(corpus))

    seeds = (_OPINION.encode(), f"Sure:\n```json\n{_OPINION}\n```".encode())
    yield Target("model's opinion", seeds, opinion, weight=20, mutate=mutate_json)
