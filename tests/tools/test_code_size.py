from __future__ import annotations

from pathlib import PurePosixPath

import pytest
from tools.code_size import Size, code_lines, main, sizes

from tools import code_size

SOURCE = '''"""A module."""

# a comment
import os  # another one


class Thing:
    """What it is.

    In several lines.
    """

    text = """one
    two"""

    def name(self) -> str:
        """Its name."""
        return os.fspath(
            self.text
        )
'''


def test_docstrings_comments_and_blank_lines_are_no_code() -> None:
    assert code_lines(SOURCE) == 8  # import, class, text in two lines, def, return in three


def test_the_largest_folder_of_a_package_is_counted_in_modules() -> None:
    names = ["core/__init__.py", "core/a.py", "core/files/b.py", "core/files/c.py", "version.py"]
    found = sizes({PurePosixPath(name): "x = 1\n" for name in names})
    assert found == {"(top)": Size(1, 1, 1), "core": Size(4, 4, 2), "all": Size(5, 5, 2)}


def test_the_table_counts_every_package(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    modules = list(code_size._modules(None))
    monkeypatch.setattr(code_size, "_modules", lambda _: modules[::20])  # counting all takes long
    main([])
    rows = [line.split("|")[1].strip(" `") for line in capsys.readouterr().out.splitlines()[2:]]
    assert {"insight", "formula", "drift", "cases", "conformal", "core"} < {*rows}
    assert rows[-1] == "all"
