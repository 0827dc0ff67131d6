"""Small files that unpack to gigabytes: refused with a clear error by a process that has little memory."""

from __future__ import annotations

import gzip
import io
import json
import struct
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.harness.store.opening import connect
from assay.harness.store.schema import STORE_NAME

MEMORY = 1536 << 20
READ = """
import json, resource, sys, time
resource.setrlimit(resource.RLIMIT_AS, ({memory}, {memory}))
resource.setrlimit(resource.RLIMIT_CPU, (40, 40))
from pathlib import Path
from assay.core import InvalidInput
path = Path(sys.argv[1])
started = time.process_time()
try:
    {statement}
    said = None
except InvalidInput as error:
    said = str(error)
peak = next(int(line.split()[1]) >> 10 for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(json.dumps([said, peak, time.process_time() - started]))
"""
DOCUMENT = "from assay.drift.documents.formats import page_texts; page_texts(path.name, path.read_bytes())"
ARRAYS = "from assay.intake.arrays import read_npz; read_npz(path)"
TABLE = "from assay.intake.tables import read_table; read_table(path)"
LOG = "from assay.drift.logs.read import read_log; read_log(path)"
SMALL_LOG = f"from assay.intake import limits; limits.LARGEST_LOG = 300 << 20; {LOG}"  # gigabytes take their time
STORE = "from assay.harness.store.store import Store; Store(path.parent)"
EXPORT = "from assay.report.export.archive import read_archive; read_archive(path)"


def read(statement: str, path: Path) -> str:
    """What a reader says of a file, which it must refuse soon and without much memory."""
    code = READ.format(memory=MEMORY, statement=statement)
    result = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr[-1500:]
    text, peak, seconds = json.loads(result.stdout)
    assert text is not None, "it was read"
    assert peak < 700
    assert seconds < 15
    return str(text)


def deflated(piece: bytes, times: int) -> bytes:
    """So many equal pieces, packed once: what is flushed in full can be repeated."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return (packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH)) * times + b"\x03\0"


def gzipped(*parts: tuple[bytes, int]) -> bytes:
    """Members one after another, as gzip allows."""
    return b"".join(gzip.compress(piece, 9) * times for piece, times in parts)


def lying_zip(path: Path, members: dict[str, bytes], name: str, content: bytes, declared: int) -> None:
    """A zip file with one member that is packed already and says that it is small."""
    with zipfile.ZipFile(path, "w") as archive:
        for other, text in members.items():
            archive.writestr(other, text)
        archive.writestr(zipfile.ZipInfo(name), b"")
        entry = archive.infolist()[-1]
        assert archive.fp is not None
        archive.fp.seek(entry.header_offset)
        head = struct.pack("<4s5H3L2H", b"PK\3\4", 20, 0, 8, 0, 33, 0, len(content), declared, len(name), 0)
        archive.fp.write(head + name.encode() + content)
        archive.start_dir = archive.fp.tell()
        entry.compress_type, entry.compress_size, entry.file_size = 8, len(content), declared


def package(part: str) -> dict[str, bytes]:
    """The frame of a Word document whose text is the named part."""
    word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    office = "http://schemas.openxmlformats.org"
    return {
        "[Content_Types].xml": f'<Types xmlns="{office}/package/2006/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/{part}" ContentType="{word}"/></Types>'.encode(),
        "_rels/.rels": f'<Relationships xmlns="{office}/package/2006/relationships"><Relationship Id="r1" '
        f'Type="{office}/officeDocument/2006/relationships/officeDocument" Target="{part}"/></Relationships>'.encode(),
    }


def word_that_lies(path: Path) -> None:
    lying_zip(path, package("word/document.xml"), "word/document.xml", deflated(b"\0" * (1 << 20), 1800), 100)


def word_under_another_name(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in package("word/picture.png").items():
            archive.writestr(name, content)
        body = b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
        archive.writestr("word/picture.png", body + b"<w:p/>" * 14_000_000 + b"</w:body></w:document>")


def npz_that_lies(path: Path) -> None:
    lying_zip(path, {}, "a", deflated(b"\0" * (1 << 20), 1800), 100)


def npz_of_zeros(path: Path) -> None:
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": (10**9,)})
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", head.getvalue())
        archive.infolist()[0].file_size = 8 * 10**9 + 128


def export_that_lies(path: Path) -> None:
    lying_zip(path, {}, "manifest.json", deflated(b" " * (1 << 20), 1800), 100)


def parquet_of_one_number(path: Path) -> None:
    schema = pa.schema([("a", pa.float64())])
    batch = pa.record_batch([np.zeros(1 << 21)], schema=schema)
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for _ in range(80):
            writer.write_batch(batch)


def parquet_of_one_text(path: Path) -> None:
    words = pa.DictionaryArray.from_arrays(np.zeros(100_000, dtype=np.int32), ["x" * 1_000_000])
    pq.write_table(pa.table({"a": words}), path, compression="zstd")


def packed_log(path: Path) -> None:
    path.write_bytes(gzipped((b"<log><trace>", 1), (b" " * (1 << 20), 400)))


def log_of_one_value(path: Path) -> None:
    path.write_bytes(gzipped((b'<log><trace><string key="concept:name" value="', 1), (b"x" * (1 << 20), 2000)))


def table_of_one_cell(path: Path) -> None:
    path.write_bytes(gzipped((b'case,activity,time\n1,"', 1), (b"x" * (1 << 20), 2000)))


def store_of_an_endless_view(path: Path) -> None:
    connection = connect(path, create=True)
    connection.execute("DROP TABLE records")
    connection.execute(
        "CREATE VIEW records AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
        "SELECT i AS id, i AS key, '' AS answer_key, '{}' AS body, x'' AS checksum FROM n"
    )
    connection.close()


def store_with_a_trigger(path: Path) -> None:
    connection = connect(path, create=True)
    connection.execute(
        "CREATE TRIGGER more AFTER INSERT ON records BEGIN INSERT INTO blobs SELECT 1, randomblob(1e9); END"
    )
    connection.close()


def pdf_of_zeros(path: Path) -> None:
    content = zlib.compress(b"\x78\xda" + deflated(b"\0" * (1 << 20), 2000), 9)
    parts = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>",
        b"<</Length %d/Filter[/FlateDecode/FlateDecode]>>stream\n%s\nendstream" % (len(content), content),
    ]
    body, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, start=1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    path.write_bytes(
        body + b"xref\n0 5\n0000000000 65535 f \n" + table
        + b"trailer<</Size 5/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % len(body)
    )  # fmt: skip


def deep_json(path: Path) -> None:
    path.write_bytes(b"[" * 10_000_000)


def huge_number(path: Path) -> None:
    path.write_bytes(b"7" * 10_000_000)


JSON = "from assay.core.files.text import read_json; read_json(path)"
BOMBS: dict[str, tuple[str, str, Callable[[Path], None]]] = {
    "a document that lies about its size": ("a.docx", DOCUMENT, word_that_lies),
    "a document whose text is named as a picture": ("a.docx", DOCUMENT, word_under_another_name),
    "a document of zeros": ("a.pdf", DOCUMENT, pdf_of_zeros),
    "an array that lies about its size": ("a.npz", ARRAYS, npz_that_lies),
    "an array without values": ("a.npz", ARRAYS, npz_of_zeros),
    "an export that lies about its size": ("a.zip", EXPORT, export_that_lies),
    "a table of one number": ("a.parquet", TABLE, parquet_of_one_number),
    "a table of one text": ("a.parquet", TABLE, parquet_of_one_text),
    "a log as a table of one text": ("a.parquet", LOG, parquet_of_one_text),
    "a log of spaces": ("a.xes.gz", SMALL_LOG, packed_log),
    "a log of one value": ("a.xes.gz", LOG, log_of_one_value),
    "a log of one cell": ("a.csv.gz", LOG, table_of_one_cell),
    "a store with an endless view": (STORE_NAME, STORE, store_of_an_endless_view),
    "a store with a trigger": (STORE_NAME, STORE, store_with_a_trigger),
    "deep JSON": ("a.json", JSON, deep_json),
    "a number of ten million digits": ("a.json", JSON, huge_number),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.soak if place % 2 else ()) for place, name in enumerate(BOMBS)]
)
def test_a_small_file_that_becomes_a_large_one_is_refused(tmp_path: Path, name: str) -> None:
    file, statement, make = BOMBS[name]
    make(tmp_path / file)
    assert (tmp_path / file).stat().st_size < 12_000_000
    text = read(statement, tmp_path / file)
    assert file in text
    assert statement != SMALL_LOG or "unpacked: 315621376 bytes are more than the 314572800 allowed" in text
