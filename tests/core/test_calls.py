from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core import Call, InvalidInput, parse_call

values = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text())
names = st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True).map(lambda name: f"{name}_1")  # never a keyword


@given(st.dictionaries(names, values, max_size=4))
def test_the_text_of_a_call_reads_back_as_the_same_call(parameters: dict[str, object]) -> None:
    call = Call("max-probability", parameters)  # type: ignore[arg-type]
    assert parse_call(str(call)) == call


def test_equal_calls_have_equal_texts_whatever_the_order() -> None:
    assert str(parse_call("knn(b=1, a=2)")) == str(parse_call("knn(a=2,b=1)")) == "knn(a=2, b=1)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("knn(5)", "given by name"),
        ("knn(**x)", "given by name"),
        ("knn(k=", "not of the form"),
        ("knn(k=5)(j=2)", "not of the form"),
        ("knn(k=__import__('os'))", "must be a literal"),
        ("knn(k={'a': 1})", "not a dict"),
        ("knn(k=5, j=1, k=6)", "'k' is given twice"),
        ("knn(" + "(" * 500 + ")", "not of the form"),
    ],
)
def test_a_malformed_call_is_refused_and_nothing_is_evaluated(text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        parse_call(text)


@pytest.mark.parametrize("text", ["knn(k=1e999)", "knn(k=(1, -1e999))", "knn(k=({'a': 1},))", "knn(k=(b'x',))"])
def test_a_value_whose_text_does_not_read_back_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="'k' cannot be serialized. Give numbers"):
        parse_call(text)


@pytest.mark.parametrize("text", ["n" * 300, "a/" * 1500, "a\0b", "\ud800", "a(x='\\ud800')", "a(x=('\\ud800',))"])
def test_names_and_values_that_no_file_and_no_store_can_hold_are_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"not a valid name|cannot be serialized"):
        parse_call(text)


def test_a_number_of_more_digits_than_python_writes_is_refused() -> None:
    with pytest.raises(InvalidInput, match="cannot be serialized"):
        parse_call(f"a(x=0x{'f' * 5000})")
