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
