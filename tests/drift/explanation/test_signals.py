"""Signals of relevance, one by one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from assay.drift.detection.drift import Drift, DriftType
from assay.drift.detection.profile import ChangeKind, ChangeProfile, ChangeRow
from assay.drift.documents.document import Corpus
from assay.drift.documents.text_index import TextIndex
from assay.drift.documents.words import stem
from assay.drift.explanation.name_signals import phrase_signal
from assay.drift.explanation.query import make_query
from assay.drift.explanation.signals import SIGNALS, compute_signals


class Names:
    """A change profile that names what changed."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def vocabulary(self) -> Sequence[str]:
        return self.names


def make_drift(process: str = "TravelPermits", *, days: int = 0, type: DriftType = "sudden") -> Drift:
    start = datetime(2020, 3, 10, 9, tzinfo=UTC)
    end = start + timedelta(days=days)
    return Drift(id="d", process=process, type=type, start_case="1", end_case="2", start=start, end=end)


def signals_of(
    texts: dict[str, str], *, profile: Names | None = None, process: str = "TravelPermits"
) -> dict[str, list[float]]:
    index = TextIndex(Corpus.from_texts(texts))
    signals = compute_signals(index, make_query(make_drift(process), profile=profile))
    return {name: values.tolist() for name, values in signals.items()}


def test_a_drift_with_a_course_is_told_by_its_first_and_its_last_day() -> None:
    texts = {
        "both.txt": "Huesca ends on 9 March 2020, Soria on 2 April 2020, Navarra on 29 April 2020.",
        "one.txt": "It applies from 9 March 2020.",
        "none.txt": "It applies at once.",
    }
    index = TextIndex(Corpus.from_texts(texts))
    signals = compute_signals(index, make_query(make_drift(days=50, type="gradual")))["course"]
    assert signals[0] == 1.0 > 0.1 > signals[2] >= signals[1]
    assert np.isnan(compute_signals(index, make_query(make_drift()))["course"]).all()


def test_a_document_that_names_the_day_may_come_early() -> None:
    signals = signals_of(
        {
            "named.txt": "Date: 2 November 2019\nThe contract ends on 9 March 2020.",
            "bare.txt": "Date: 2 November 2019\nThe contract ends.",
        }
    )
    bare, named = signals["date"]  # in the order of names
    assert named == 1.0 > 0.2 > bare


def test_a_process_name_counts_in_full_only_when_its_words_stand_together() -> None:
    texts = {
        "a.txt": "Travel permits change.",
        "b.txt": "Travel was nice this year and everybody enjoyed the sunny weather at the sea. Parking needs permits.",
        "c.txt": "Parking permits.",
        "d.txt": "The canteen.",
    }
    together, apart, part, none = signals_of(texts)["process"]
    assert (together, apart, none) == (1.0, 0.6, 0.0)
    assert 0.0 < part < apart


def test_words_that_no_document_holds_do_not_count() -> None:
    index = TextIndex(Corpus.from_texts({"a.txt": "Permits change.", "b.txt": "The canteen."}))
    assert phrase_signal(index, 0, (stem("permits"), "zzz")) == 1.0
    assert math.isnan(phrase_signal(index, 0, ("zzz",)))


def test_generic_parts_of_log_names_are_left_out() -> None:
    assert make_query(make_drift("BPIC2020PermitLog")).words().process == (stem("permit"),)
    assert make_query(make_drift("EventLog")).words().process != ()


def test_a_glossary_gives_the_process_another_name() -> None:
    query = make_query(make_drift(), glossary={"TP": "Travel permits of employees", "HR": "Human resources"})
    assert query.words().names == ((stem("travel"), stem("permits")), ("tp",))
    index = TextIndex(Corpus.from_texts({"a.txt": "The TP form is new.", "b.txt": "The HR form is new."}))
    assert compute_signals(index, query)["process"].tolist() == [1.0, 0.0]


def test_what_changed_is_found_by_whole_names_and_the_first_counts_most() -> None:
    texts = {
        "a.txt": "We now verify the budget twice.",
        "b.txt": "We now book the flight twice.",
        "c.txt": "We verify much and the budget is fine otherwise. Really.",
        "d.txt": "The canteen.",
    }
    first, second, _, none = signals_of(texts, profile=Names("Verify budget", "Book flight"))["change"]
    assert first > second > none == 0.0


def test_evidence_of_a_profile_outweighs_the_place() -> None:
    rows = [
        ChangeRow("activity", name, 0.1, 0.9, 0.8, statistic, 1e-6, (name,))
        for name, statistic in (("Verify budget", 100.0), ("Book flight", 90.0), ("Reserve hotel", 20.0))
    ]
    profile = ChangeProfile(rows=tuple(rows), cases_before=50, cases_after=50)
    query = make_query(make_drift(), profile=profile)
    assert list(query.words().changed.values()) == pytest.approx([1.0, 0.9, 0.2])
    by_place = make_query(make_drift(), profile=Names("Verify budget", "Book flight", "Reserve hotel"))
    assert list(by_place.words().changed.values()) == pytest.approx([1.0, 1 / 2, 1 / 3])


@pytest.mark.parametrize(("p_value", "is_likely"), [(0.001, True), (0.2, True), (0.6, False)])
def test_where_nothing_is_certain_what_is_likely_is_looked_for(p_value: float, is_likely: bool) -> None:
    row = ChangeRow("activity", "Audit", 0.1, 0.5, 0.4, 12.0, p_value, ("Audit",))
    query = make_query(make_drift(), profile=ChangeProfile(rows=(row,), cases_before=50, cases_after=50))
    assert (query.importance, query.directions) == (({"Audit": 1.0}, {"added": 1.0}) if is_likely else ({}, {}))


def test_words_of_the_process_name_tell_nothing_of_the_change() -> None:
    signals = signals_of({"a.txt": "Travel permits.", "b.txt": "x"}, profile=Names("Travel permits"))
    assert all(map(math.isnan, signals["change"]))


def test_without_a_profile_the_change_is_unknown() -> None:
    assert all(map(math.isnan, signals_of({"a.txt": "Travel permits."})["change"]))


def test_a_plan_called_off_counts_in_the_heading_and_where_the_matter_is_spoken_of() -> None:
    filler = "The choir sings. The hall is large. The garden is green. The sea is blue. The sky is wide. " * 4
    notice = "Notice\nOffice\nTo all\n\nTravel permits must be signed from 9 March 2020."
    texts = {
        "a.txt": f"{notice}\n\n{filler}",
        "b_withdrawn.txt": f"{notice}\n\n{filler}",
        "c.txt": f"{notice} The plan has been withdrawn.\n\n{filler}",
        "d.txt": f"{notice}\n\n{filler}\n\nThe concert has been cancelled.",
    }
    assert signals_of(texts)["off"] == pytest.approx([0.0, 1.0, 0.7, 0.0])


def test_a_denial_counts_by_how_far_it_is_about_the_matter() -> None:
    change = Names("Verify budget")
    texts = {
        "a.txt": "From 9 March 2020 we verify the budget twice. \n\nNothing else changes in the canteen.",
        "b.txt": "The canteen opens on 9 March 2020. \n\nWe verify the budget as before.",
    }
    other, same = signals_of(texts, profile=change)["denial"]
    assert other < 0.3 < same == 1.0


def test_a_report_written_afterwards_is_late() -> None:
    texts = {"2020-02-20_a.txt": "Permits.", "2020-06-20_b.txt": "Permits.", "c.txt": "Permits."}
    before, after, unknown = signals_of(texts)["late"]
    assert before == 0.0
    assert after > 0.9
    assert math.isnan(unknown)


def test_bm25_is_relative_to_the_best_document() -> None:
    words = signals_of({"a.txt": "Travel permits. " * 3, "b.txt": "Travel.", "c.txt": "Nothing."})["words"]
    assert words[0] == 1.0
    assert 0.0 < words[1] < 1.0
    assert words[2] == 0.0


def test_all_signals_are_shares_or_unknown() -> None:
    signals = signals_of(
        {"a.txt": "Travel permits change from 9 March 2020.", "b.txt": "-"}, profile=Names("Book flight")
    )
    assert set(signals) == set(SIGNALS)
    values = np.array(list(signals.values()))
    assert bool(np.all(np.isnan(values) | ((values >= 0.0) & (values <= 1.0))))


def profile_with(*rows: ChangeRow, people: dict[str, tuple[str, ...]] | None = None) -> ChangeProfile:
    return ChangeProfile(rows=rows, cases_before=100, cases_after=100, people=people or {})


def changed_row(kind: ChangeKind, name: str, *activities: str, difference: float = 0.5, p: float = 0.0) -> ChangeRow:
    return ChangeRow(kind, name, 0.2, 0.2 + difference, difference, 90.0, p, activities)


def signals_with(texts: dict[str, str], profile: ChangeProfile) -> dict[str, list[float]]:
    index = TextIndex(Corpus.from_texts(texts))
    signals = compute_signals(index, make_query(make_drift(), profile=profile))
    return {name: values.tolist() for name, values in signals.items()}


def test_who_does_what_changed_counts_more_than_who_does_other_steps() -> None:
    profile = profile_with(
        changed_row("activity", "Check file", "Check file"),
        people={"Check file": ("CuraTest GmbH", "P. Marsh"), "Send letter": ("Clerk Holt",)},
    )
    texts = {
        "a.txt": "The contract with CuraTest GmbH ends.",
        "b.txt": "Please ask Clerk Holt.",
        "c.txt": "The canteen is closed.",
    }
    there, beside, none = signals_with(texts, profile)["people"]
    assert there > beside > none == 0.0
    assert math.isnan(signals_of(texts)["people"][0])


def test_days_of_the_week_are_looked_for_where_the_rhythm_changed() -> None:
    profile = profile_with(changed_row("weekday", "Check file on Thursdays", "Check file"))
    texts = {
        "a.txt": "She comes on Thursdays only.",
        "b.txt": "It starts on Thursday, 12 March 2020.",
        "c.txt": "Er kommt nur donnerstags, der Rest bleibt bei uns und wird nicht geprüft.",
    }
    assert signals_with(texts, profile)["rhythm"] == [1.0, 0.0, 1.0]
    assert make_query(make_drift(), profile=profile).directions == {"rhythm": 1.0}


def test_another_step_of_the_process_speaks_against_a_document() -> None:
    profile = profile_with(
        changed_row("activity", "Check file", "Check file"),
        changed_row("activity", "Pack parcel", "Pack parcel", p=1.0),
    )
    texts = {
        "a.txt": "From 10 March 2020 the file is checked twice.",
        "b.txt": "From 10 March 2020 the parcel is packed twice.",
    }
    own, other = signals_with(texts, profile)["other"]
    assert own == 0.0 < other


def test_a_concession_is_no_denial_and_one_beside_the_matter_counts_by_half() -> None:
    profile = Names("Check file")
    texts = {
        "a.txt": "The check of the file stays as it is.",
        "b.txt": "From 10 March 2020 the check of the file is dropped. Nothing else changes.",
        "c.txt": "From 10 March 2020 the check of the file is dropped.\n\nThe check of the file in B stays as it is.",
    }
    assert signals_of(texts, profile=profile)["denial"] == [1.0, 0.0, 0.5]


def test_nobody_reports_an_effect_before_it_is_there() -> None:
    texts = {"2020-02-20_Report.txt": "Quarterly report.", "2020-04-20_Report.txt": "Quarterly report."}
    assert signals_of(texts)["report"] == [0.0, 1.0]
