"""Languages, each from a file of its own."""

from __future__ import annotations

import pytest

from assay.drift.documents.cues import changes_in, denies, has_cue
from assay.drift.documents.document import make_document
from assay.drift.documents.language import all_languages, fold, language_named, language_of
from assay.drift.documents.words import stem, synonyms

SENTENCES = {
    "en": "The form is no longer checked by the office, and nobody has to sign it.",
    "de": "Das Formular wird von der Stelle nicht mehr geprüft, und niemand muss es unterschreiben.",
    "fr": "Le formulaire n'est plus vérifié par le service, et personne ne doit le signer.",
    "es": "El impreso ya no se revisa en la oficina, y nadie tiene que firmarlo.",
}


@pytest.mark.parametrize("code", sorted(SENTENCES))
def test_a_language_is_told_by_its_function_words(code: str) -> None:
    assert language_of(SENTENCES[code]).code == code
    assert make_document("a.txt", [SENTENCES[code]]).language == code


def test_every_file_has_the_same_cues_and_directions_as_the_english_one() -> None:
    english = all_languages()["en"]
    for language in all_languages().values():
        assert set(language.cues) == set(english.cues), language
        assert set(language.changes) == set(english.changes), language
        assert set(language.dates) == set(english.dates), language
        assert (len(set(language.months.values())), len(set(language.weekdays.values()))) == (12, 7), language
        assert synonyms(language.code), language


@pytest.mark.parametrize("code", sorted(SENTENCES))
def test_every_language_has_words_for_what_is_dropped(code: str) -> None:
    assert changes_in(SENTENCES[code], ["removed"], code)["removed"] >= 1


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "This leaves order entry untouched."),
        ("en", "Sign-off stays as it is."),
        ("de", "An den Zollpapieren ändert dieses Projekt nichts."),
        ("fr", "Les prêts ne sont pas concernés."),
        ("es", "Mientras tanto no cambia nada."),
    ],
)
def test_denials_of_real_prose_are_heard(code: str, text: str) -> None:
    assert denies(text, code)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "The go-live has been postponed."),
        ("de", "Der Start wird verschoben."),
        ("fr", "Le pilote est reporté."),
        ("es", "El piloto queda aplazado."),
    ],
)
def test_plans_called_off_are_heard(code: str, text: str) -> None:
    assert has_cue(text, "off", code)
    assert not has_cue(SENTENCES[code], "off", code)


def test_umlauts_and_their_spellings_meet() -> None:
    assert stem("Rückteile", "de") == stem("Rueckteil", "de")
    assert fold("Größe") == "grosse"


def test_a_day_of_the_week_may_be_set_in_an_old_type() -> None:
    assert language_named("en").weekdays_in("Only on Tueſdays.") == {1}
