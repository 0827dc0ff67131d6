from __future__ import annotations

import re
import tomllib
from pathlib import Path

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from assay.insight.fits.forest import versions
from assay.insight.fits.forest.versions import VERIFIED, merges_close_values, note_check, version_doubt

LOCK = Path(__file__).parents[4] / "requirements" / "dev.lock"


@pytest.fixture(autouse=True)
def _no_checks_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "_checked", {})


def test_the_locked_scikit_learn_is_one_the_engines_were_verified_with() -> None:
    locked = re.search(r"^scikit-learn==(\S+)", LOCK.read_text(encoding="utf-8"), re.MULTILINE)
    assert locked is not None
    assert version_doubt(locked[1]) == "", (
        f"scikit-learn {locked[1]} left the range {VERIFIED} for which bit-identical predictions were shown. "
        "Every forest is now fitted by scikit-learn itself, slowly. Run the tests of this folder with VERIFIED "
        "widened: if they pass, widen it for good, together with the range of the group dev in pyproject.toml; if "
        "not, port what has changed."
    )


def test_any_scikit_learn_from_the_first_verified_one_on_may_be_installed() -> None:
    needed = tomllib.loads((LOCK.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    assert f"scikit-learn>={'.'.join(map(str, VERIFIED[0]))}" in needed


@pytest.mark.parametrize("version", ["1.5.1", "1.5.2", "1.6.1", "1.7.2", "1.8", "1.8.0", "1.8.3"])
def test_verified_versions_are_trusted(version: str) -> None:
    assert version_doubt(version) == ""


@pytest.mark.parametrize("version", ["1.4.2", "1.5.0", "1.9", "1.9.0rc1", "1.10.0", "2.0.0"])
def test_other_versions_are_not(version: str) -> None:
    assert version_doubt(version).startswith(f"scikit-learn {version} is not among the verified versions")


def test_a_clean_self_check_earns_trust_and_a_failed_one_takes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "installed_version", lambda: "1.9.1")
    assert version_doubt() != ""
    note_check(True)
    assert version_doubt() == ""
    monkeypatch.setattr(versions, "installed_version", lambda: "1.8.0")
    assert version_doubt() == ""
    note_check(False)
    assert version_doubt() == "the self-check found predictions other than those of scikit-learn 1.8.0"


def test_the_installed_version_treats_close_values_as_is_said_of_it() -> None:
    tree = DecisionTreeClassifier().fit(np.array([[0.0], [1e-9]]), [0, 1])
    assert (tree.get_n_leaves() == 1) == merges_close_values()
