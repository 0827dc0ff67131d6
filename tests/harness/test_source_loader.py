"""What is digested is what runs, whatever byte code lies beside it."""

from __future__ import annotations

import importlib.util
import os
import py_compile
from pathlib import Path

from assay.harness.source_loader import source_spec


def test_byte_code_of_an_earlier_text_is_not_used_and_none_is_written(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("value = 1\n")
    compiled = Path(str(py_compile.compile(str(path))))
    before, stamp = path.stat(), compiled.read_bytes()
    path.write_text("value = 3\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    spec = source_spec("mine_for_this_test", path)
    module = importlib.util.module_from_spec(spec)
    assert spec.loader is not None
    spec.loader.exec_module(module)
    assert module.value == 3
    assert compiled.read_bytes() == stamp
