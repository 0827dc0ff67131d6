import pytest

from assay.core import InvalidInput, get_track, track_names
from assay.intake import limits


@pytest.mark.parametrize("name", track_names())
def test_every_track_refuses_an_answer_above_the_cap_before_it_is_parsed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "LARGEST_ANSWER", 10)
    with pytest.raises(InvalidInput, match=r"^answer: 11 bytes are more than the 10 allowed\."):
        get_track(name).decode(b"{" * 11)


ANSWERS = {
    "cases": "one score per query",
    "conformal": "one boolean matrix [samples, classes] per task",
    "drift": "a ranking of document names per drift",
    "formula": "the text of a formula, as 'x0 * x1'",
    "insight": "columns with the functions that compute them",
}


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize(("given", "came"), [(None, "None"), (5, "int"), ({1, 2}, "set"), (object(), "object")])
def test_every_track_says_in_one_line_what_an_answer_may_be(name: str, given: object, came: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        get_track(name).encode(given)
    message = str(caught.value)
    assert message.startswith("answer: must be ")
    assert ANSWERS[name] in message
    assert message.endswith(f"; got {came}.")
    assert "\n" not in message
    assert len(message) < 250
