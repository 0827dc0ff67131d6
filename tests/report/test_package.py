from __future__ import annotations

import subprocess
import sys

import assay.report


def test_every_public_name_exists() -> None:
    assert all(hasattr(assay.report, name) for name in assay.report.__all__)
    assert list(assay.report.__all__) == sorted(assay.report.__all__)


def test_importing_the_package_loads_no_heavy_library() -> None:
    heavy = ["rich", "pandas", "pyarrow", "jinja2", "scipy", "sklearn", "matplotlib"]
    code = f"import sys, assay.report; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
