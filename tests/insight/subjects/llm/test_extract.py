from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.insight.subjects.llm.extract import extract_functions

PLAIN = (
    'def ratio(df, aux_dataframes):\n    """Debt for each unit of income."""\n    return df["debt"] / df["income"]\n'
)


def names(text: str) -> list[str]:
    return [candidate.name for candidate in extract_functions(text).candidates]


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        f"```python\n{PLAIN}```",
        f"Of course! Here it is:\n\n```py\n{PLAIN}\n```\n\nIt divides debt by income. Let me know!",
        f"~~~\n{PLAIN}~~~",
        f"````python\n{PLAIN}````",
        f"```python\n{PLAIN}",  # cut off before the fence was closed
        f"Some prose first.\n\n{PLAIN}\nAnd some prose afterwards, which is no Python.",
        f"```\r\n{PLAIN}```".replace("\n", "\r\n").replace("\r\r", "\r"),
        "1. An idea:\n   ```python\n" + "".join(f"   {line}\n" for line in PLAIN.splitlines()) + "   ```",
        json.dumps({"features": [{"name": "ratio", "code": PLAIN}]}),
        "```json\n" + json.dumps([{"code": PLAIN}]) + "\n```",
        f"```python\n{PLAIN}```\n```python\nthis is not python at all\n```",
        f"```python\n{PLAIN}\ndef broken(df:\n    return 1\n```",
    ],
)
def test_a_function_is_found_however_it_is_wrapped(text: str) -> None:
    (candidate,) = extract_functions(text).candidates
    assert candidate.name == "ratio"
    assert candidate.description == "Debt for each unit of income."
    scope: dict[str, object] = {}
    exec(candidate.code, scope)
    assert callable(scope["ratio"])


@pytest.mark.parametrize(
    "text", ["", "I cannot help with that.", "```\n```", "{}", "[1, 2", "def", "```python\n1/0\n```"]
)
def test_prose_holds_no_function(text: str) -> None:
    assert extract_functions(text).candidates == ()


def test_imports_constants_and_helpers_come_along_with_those_that_use_them() -> None:
    text = (
        "```python\nimport math\nLIMIT = 3\n\ndef _deep(x):\n    return math.sqrt(x)\n\n"
        "def helper(x):\n    return _deep(x) + LIMIT\n\n"
        "def one(row, aux_dataframes):\n    return helper(row['a'])\n\n"
        "def two(row):\n    return row['b']\n```"
    )
    one, two = extract_functions(text).candidates
    assert (one.name, two.name) == ("one", "two")
    assert "def _deep" in one.code
    assert "def helper" in one.code
    assert "def two" not in one.code
    assert "def helper" not in two.code
    scope: dict[str, object] = {}
    exec(one.code, scope)
    function = scope["one"]
    assert callable(function)
    assert function({"a": 4}, {}) == 5.0


def test_the_last_of_two_functions_with_one_name_counts() -> None:
    text = "```python\ndef f(row):\n    return 1\n```\nBetter:\n```python\ndef f(row):\n    return 2\n```"
    (candidate,) = extract_functions(text).candidates
    assert "return 2" in candidate.code


def test_what_cannot_be_parsed_is_named_and_the_rest_kept() -> None:
    found = extract_functions(f"```python\n{PLAIN}\n```\n```python\ndef bad(df):\n    return (\n```")
    assert [candidate.name for candidate in found.candidates] == ["ratio"]
    assert len(found.problems) == 1
    assert "line 2" in found.problems[0]


def test_prose_around_bare_code_is_no_problem_and_a_fenced_mistake_is_one() -> None:
    assert extract_functions(f"Well, here:\n\n{PLAIN}\nGood luck with it.").problems == ()
    assert extract_functions("```python\n# my ideas\ndef bad(df:\n    return 1\n```").problems != ()


def test_odd_escapes_are_no_warning() -> None:
    (candidate,) = extract_functions("def f(row):\n    return row['a'].count('\\d')\n").candidates
    assert candidate.name == "f"


def test_decorated_functions_keep_their_decorators() -> None:
    text = "import functools\n\n@functools.cache\ndef f(row):\n    return 1\n"
    assert "@functools.cache" in extract_functions(text).candidates[0].code


def test_functions_without_parameters_are_no_features() -> None:
    assert names("def main():\n    pass\n\ndef f(row):\n    return 1\n") == ["f"]


def test_a_function_without_words_is_described_by_its_name() -> None:
    assert extract_functions("def late_payments(row):\n    return 1").candidates[0].description == "late payments"


@given(st.text(alphabet='`~def ()\n:{}[]"\\x python@import', max_size=200))
def test_no_text_whatsoever_is_an_error(text: str) -> None:
    found = extract_functions(text)
    assert len(found.candidates) <= 40


@pytest.mark.parametrize("mark", ["\x0c", "\x0b", "\x1c", "\x85", "\u2028"])
def test_marks_that_end_no_line_in_python_cut_no_code(mark: str) -> None:
    code = f'SEPARATOR = \'a{mark}b\'\n\ndef parts(row):\n    """How many."""\n    return 1\n'
    for text in (f"```python\n{code}```", f"Here it is:\n\n{code}\nThat is all."):
        (candidate,) = extract_functions(text).candidates
        namespace: dict[str, Any] = {}
        exec(candidate.code, namespace)
        assert namespace["parts"]({}) == 1
