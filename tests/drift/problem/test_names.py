import pytest

from assay.core import InvalidInput
from assay.drift.problem.names import NameBook, normalised_stem


@pytest.mark.parametrize(
    "name",
    [
        "2020-03-02_New_Rule.pdf",
        "2020-03-02_new_rule.PDF",
        "2020-03-02_New Rule",
        "docs/2020-03-02_NEW__RULE.docx",
        "2020-03-02_New-Rule.pdf",
        "2020 03 02 new rule",
    ],
)
def test_names_meet_by_their_normalised_stem(name: str) -> None:
    assert normalised_stem(name) == "2020_03_02_new_rule"
    assert NameBook(["2020-03-02_New_Rule.pdf", "other.pdf"]).find(name) == "2020-03-02_New_Rule.pdf"


def test_a_dot_inside_a_title_is_no_suffix() -> None:
    assert normalised_stem("Version 1.2 of the rule") == "version_1.2_of_the_rule"


def test_a_whole_name_wins_over_a_shared_stem_and_a_shared_stem_alone_is_ambiguous() -> None:
    book = NameBook(["rule.pdf", "rule.docx"])
    assert book.find("rule.docx") == "rule.docx"
    with pytest.raises(InvalidInput, match="'rule' could be 'rule.pdf' or 'rule.docx': write the whole name"):
        book.find("rule")


def test_names_that_differ_by_a_hyphen_alone_are_ambiguous_unless_one_is_written_as_it_is() -> None:
    book = NameBook(["four-eyes.txt", "four_eyes.txt"])
    assert book.find("four-eyes.txt") == "four-eyes.txt"
    with pytest.raises(InvalidInput, match=r"'Four Eyes' could be 'four-eyes\.txt' or 'four_eyes\.txt'"):
        book.find("Four Eyes")


def test_unknown_documents_are_an_error_that_names_them() -> None:
    book = NameBook(["2020-03-02_New_Rule.pdf"])
    with pytest.raises(InvalidInput, match=r"drift 'd': not in the corpus of 1 documents: 'New_Rul.pdf', 'b'"):
        book.resolve(["2020-03-02_New_Rule.pdf", "New_Rul.pdf", "b"], what="drift 'd'")
    with pytest.raises(InvalidInput, match="Did you mean '2020-03-02_New_Rule.pdf'"):
        book.resolve(["2020-03-02_New_Rul.pdf"], what="x")
