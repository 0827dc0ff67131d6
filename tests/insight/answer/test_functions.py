import math
from pathlib import Path
from typing import Any

import pytest

from assay.core import InvalidInput
from assay.insight.answer.functions import LONGEST_CODE, FeatureFunction, read_function_file, read_functions

PATH = Path("solution_attributes.json")


def entry(name: str) -> dict[str, str]:
    return {"name": name, "code": f"def {name}(row): return 1"}


def test_functions_are_ranked_by_the_numbers_that_their_keys_say() -> None:
    content = {
        "sorted_feature_functions": {
            "9e-05": entry("tiny"),
            "unknown": entry("unranked"),
            "0.13": entry("large"),
            "-2": entry("negative"),
            "nan": entry("not_a_number"),
            "inf": entry("endless"),
            "0.5": entry("largest"),
        },
        "new_feature_functions": [entry("fresh")],
    }
    functions = read_functions(content, PATH)
    names = ["largest", "large", "tiny", "negative", "unranked", "not_a_number", "endless", "fresh"]
    assert [function.name for function in functions] == names
    assert [function.score for function in functions] == [0.5, 0.13, 9e-05, -2.0, None, None, None, None]
    assert functions[0].code == "def largest(row): return 1"


@pytest.mark.parametrize("content", [{}, {"sorted_feature_functions": None, "new_feature_functions": None}])
def test_an_answer_need_not_have_functions(content: dict[str, object]) -> None:
    assert read_functions(content, PATH) == ()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"sorted_feature_functions": []}, r"json: 'sorted_feature_functions' must map scores to functions, got list"),
        ({"sorted_feature_functions": {"1": "code"}}, r"json: 'sorted_feature_functions', '1': must be a function"),
        ({"sorted_feature_functions": {"1": {"name": "f"}}}, r"'1': must be a function .*got \{'name': 'f'\}"),
        ({"sorted_feature_functions": {"1": {"name": "f", "code": 3}}}, r"'1': must be a function"),
        ({"sorted_feature_functions": {"1": {"name": "", "code": "x"}}}, r"'1': feature function: the name is empty"),
        ({"new_feature_functions": {}}, r"json: 'new_feature_functions' must be a list, got dict"),
        ({"new_feature_functions": [entry("f"), 3]}, r"json: 'new_feature_functions'\[1\]: must be a function"),
    ],
)
def test_what_is_no_function_is_named_with_file_and_key(content: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        read_functions(content, PATH)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": 3}, r"feature function: name must be text, got int"),
        ({"code": None}, r"feature function: code must be text, got NoneType"),
        ({"code": "\ud800"}, r"feature function: code is not Unicode text"),
        ({"code": "x" * (LONGEST_CODE + 1)}, r"feature function 'f': 1000001 characters of code are more than the"),
        ({"score": math.nan}, r"feature function 'f': score must be a finite number, got nan"),
        ({"score": 10**400}, r"feature function 'f': score must be a finite number, got 1000"),
        ({"score": True}, r"feature function 'f': score must be a finite number, got True"),
        ({"score": "1"}, r"feature function 'f': score must be a finite number, got 1"),
    ],
)
def test_a_function_that_cannot_be_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        FeatureFunction(**{"name": "f", "code": "", **changes})


def test_a_whole_score_is_a_number_like_others() -> None:
    assert repr(FeatureFunction(name="f", code="", score=2).score) == "2.0"


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_bytes(b"\xef\xbb\xbfdef age(row):\n    return row['age']\n")
    ((function,), _) = read_function_file(path, expected="a file")
    assert function.code.startswith("def age")
