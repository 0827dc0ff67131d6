"""No method may give larger sets than the one that was released; ``changed`` does, and its test says where."""

from pathlib import Path

import pytest

from assay.connections.pytest import assert_not_worse

METHODS = Path(__file__).parent / "methods.py"


@pytest.fixture(scope="session")
def results(assay_run):
    """All methods on the same problems, once."""
    subjects = {name: f"{METHODS}:{name}" for name in ("steady", "released", "changed")}
    return assay_run("conformal", subjects)


@pytest.mark.parametrize("subject", ["steady", "changed"])
def test_sets_have_not_grown(results, subject):
    """At most 0.02 larger than those of the released method, with 95 % confidence."""
    assert_not_worse(results, subject, "released", "relative_size", margin=0.02)
