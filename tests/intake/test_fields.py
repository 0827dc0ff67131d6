import re
from pathlib import Path

import pytest

from assay.core import InvalidInput
from assay.intake.fields import demand_known_keys, text_of, texts_of

PATH = Path("problem.json")


def test_texts_are_demanded_by_key() -> None:
    content = {"a": "x", "none": None, "n": 5, "list": ["x", "y"], "odd": ["x", 3], "blank": ""}
    assert text_of(content, "a", PATH) == "x"
    assert text_of(content, "absent", PATH, default="d") == "d"
    assert text_of(content, "none", PATH, default="d") == "d"
    assert text_of(content, "blank", PATH, default="d") == ""
    assert texts_of(content, "list", PATH) == ("x", "y")
    assert texts_of(content, "none", PATH, optional=True) == ()


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("n", "problem.json: 'n' is 5; it must be a text."),
        ("absent", "problem.json: 'absent' is missing; it must be a text."),
        ("blank", "problem.json: 'blank' is ''; it must be a text."),
    ],
)
def test_what_is_no_text_is_named_with_its_key(key: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(message)):
        text_of({"n": 5, "blank": ""}, key, PATH)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("x", "problem.json: 'k' is 'x'; it must be a list of texts."),
        (["x", {"a": "b" * 100}], "problem.json: 'k'[1] is {'a': '" + "b" * 50 + "...; it must be a text."),
        (None, "problem.json: 'k' is None; it must be a list of texts."),
    ],
)
def test_what_is_no_list_of_texts_is_named_with_its_key(value: object, message: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(message)):
        texts_of({"k": value}, "k", PATH)
    with pytest.raises(InvalidInput, match="'k' is missing"):
        texts_of({}, "k", PATH)


def test_an_unknown_key_is_named_with_the_nearest_known_one() -> None:
    demand_known_keys({"scores": 1}, ("scores", "neighbors"), what="answer")
    with pytest.raises(InvalidInput, match=r"^answer: unknown key 'x{50}'\. Known: neighbors, scores\.$"):
        demand_known_keys({"x" * 5000: 1}, ("scores", "neighbors"), what="answer")
