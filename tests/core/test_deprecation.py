"""A moved name still answers at its old place, with a warning that points at the caller and names the new place."""

import sys
import types
import warnings

import pytest

from assay.core import Budget
from assay.core.deprecation import moved_names


@pytest.fixture
def old_place(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    module = types.ModuleType("old_place")
    monkeypatch.setattr(module, "__getattr__", moved_names("old_place", {"Budget": "assay.core"}), raising=False)
    monkeypatch.setitem(sys.modules, "old_place", module)
    return module


def test_a_moved_name_is_the_same_object_and_the_warning_names_its_home_and_the_caller(
    old_place: types.ModuleType,
) -> None:
    with pytest.warns(DeprecationWarning, match=r"old_place\.Budget .* 0\.3: use assay\.core\.Budget") as caught:
        assert old_place.Budget is Budget
    assert caught[0].filename == __file__


def test_an_import_statement_warns_at_its_own_line(old_place: types.ModuleType) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(compile("\nfrom old_place import Budget", "their_script.py", "exec"), {})
    assert {(warning.filename, warning.lineno) for warning in caught} == {("their_script.py", 2)}


def test_a_name_that_leaves_for_good_says_what_to_use_instead() -> None:
    find = moved_names("old_place", {"Budget": "assay.core"}, replaced={"Budget": "assay.core.Allowance"})
    with pytest.warns(DeprecationWarning, match=r"^old_place\.Budget is removed in 0\.3: use assay\.core\.Allowance$"):
        assert find("Budget") is Budget


def test_an_unknown_name_is_an_attribute_error_and_no_warning(old_place: types.ModuleType) -> None:
    with pytest.raises(AttributeError, match="module 'old_place' has no attribute 'Budgets'"):
        _ = old_place.Budgets
    with pytest.raises(ImportError, match="Budgets"):
        exec("from old_place import Budgets", {})
