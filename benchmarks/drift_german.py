"""Does the explainer find causes in German as it does in English? The same generated drifts in both languages.

Two fields of work, their documents and the words that stand for one another were translated entry by entry
(``drift_german.toml``), so a seed draws the same logs, days and roles of documents in both languages:

    python -m benchmarks.drift_german
"""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest.mock import patch

import numpy as np

from assay.core import Budget, Problem
from assay.drift.examine.examination import judge
from assay.drift.generate import corpus, corpus_pages, simulate
from assay.drift.generate.corpus_texts import Texts, _frozen
from assay.drift.generate.domains import DOMAINS, Domain
from assay.drift.generate.problems import draw_problem
from assay.drift.problem.task import DriftTask, DriftTruth
from assay.drift.subjects import SUBJECTS
from benchmarks.drift_explainers import scores_of

SEED = 20_261_117
LOGS = 5  # of four drifts each

_TRAVEL = Domain(
    name="travel",
    processes=("Reisegenehmigungen", "Reisekostenabrechnung", "Reisevorauszahlungen", "Tagungsreisen"),
    roles=("Mitarbeiter", "Verwaltung", "Budgetstelle", "Vorgesetzter", "Direktion", "Kasse"),
    activities=(
        *("Antrag einreichen", "Vollständigkeit prüfen", "Genehmigung erfassen", "Budget prüfen"),
        *("Kostenvoranschlag anfordern", "Durch Vorgesetzten genehmigen", "Durch Direktion genehmigen", "Flug buchen"),
        *("Hotel buchen", "Reiseversicherung erstellen", "Mahnung senden", "Belege anfordern", "Währung umrechnen"),
        *("Abrechnung prüfen", "Abrechnung korrigieren", "Zahlung anfordern", "Auszahlung anweisen"),
        *("Reisender benachrichtigen", "Ausgaben nachrechnen", "Reise archivieren", "Antrag schließen"),
    ),
)
_PURCHASING = Domain(
    name="purchasing",
    processes=("Einkaufsabwicklung", "Materialbeschaffung", "Rahmenaufträge", "Laborbedarf"),
    roles=("Bedarfsstelle", "Einkäufer", "Lager", "Kreditoren", "Controlling", "Lieferantenstelle"),
    activities=(
        *("Bedarf erfassen", "Katalog prüfen", "Lieferant auswählen", "Angebot anfordern", "Angebot vergleichen"),
        *(
            "Preis verhandeln",
            "Bedarf genehmigen",
            "Bestellung erstellen",
            "Bestellung senden",
            "Liefertermin bestätigen",
        ),
        *("Ware annehmen", "Qualität prüfen", "Wareneingang buchen", "Rechnung scannen", "Rechnung abgleichen"),
        *("Abweichung klären", "Zahlsperre aufheben", "Menge ändern", "Ware zurückgeben", "Rechnung bezahlen"),
        "Auftrag schließen",
    ),
)
_ENGLISH = tuple(domain for domain in DOMAINS if domain.name in ("travel", "purchasing"))
_FORMS = (
    "{0:%Y-%m-%d}",
    "{1}. {0:%B} {0:%Y}",
    "{1}. {0:%B} {0:%Y}",
    "{0:%d}.{0:%m}.{0:%Y}",
    "{0:%d}.{0:%m}.{0:%Y}",
    "{1}. {0:%B}",
)
_STARTS = ("ab {}", "ab dem {}", "mit Wirkung vom {}", "beginnend am {}", "gültig ab {}", "vom {} an")
_FOLLOW_UPS = (
    "Vordrucke und Anleitungen zu {a} werden entsprechend angepasst.",
    "Bitte bereiten Sie die Kollegen vor, die mit {a} zu tun haben.",
    "Das Kapitel im Handbuch über {a} wird neu geschrieben.",
)
_AT_ONCE = ("mit sofortiger Wirkung", "ab jetzt", "ab sofort")
_WORDS = {
    **{"January": "Januar", "February": "Februar", "March": "März", "May": "Mai", "June": "Juni", "July": "Juli"},
    **{"October": "Oktober", "December": "Dezember", "Subject:": "Betreff:", "From:": "Von:", "Date:": "Datum:"},
    **{"Issued:": "Datum:", "To: all units": "An: alle Einheiten", "It takes place on": "Der Termin ist am"},
    **{"the steps around it": "die Schritte darum herum", "the work": "die Arbeit"},
    "Facility Services": "Gebäudedienste",
}


def in_german(page: corpus_pages.Page) -> corpus_pages.Page:
    """A page whose headers and months are German as well."""
    text = page.text
    for word, other in _WORDS.items():
        text = text.replace(word, other)
    return corpus_pages.Page(page.title, text)


class _Author(corpus_pages.Author):
    def write(self, *args: object, **options: object) -> corpus_pages.Page:
        return in_german(super().write(*args, **options))  # type: ignore[arg-type]

    def notice(self, *args: object, **options: object) -> corpus_pages.Page:
        return in_german(super().notice(*args, **options))  # type: ignore[arg-type]


@contextmanager
def _speaking(language: str) -> Iterator[None]:
    """The generator with two fields of work only, in one language."""
    texts = Texts(**{
        name: _frozen(value)
        for name, value in tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")).items()
    })  # fmt: skip
    domains = (_TRAVEL, _PURCHASING) if language == "de" else _ENGLISH
    with ExitStack() as stack:
        for module in (corpus, simulate):
            stack.enter_context(patch.object(module, "DOMAINS", domains))
        if language == "de":
            stack.enter_context(patch.object(corpus, "Author", _Author))
            for name, value in (
                ("_FORMS", _FORMS),
                ("_STARTS", _STARTS),
                ("_FOLLOW_UPS", _FOLLOW_UPS),
                ("_AT_ONCE", _AT_ONCE),
            ):
                stack.enter_context(patch.object(corpus_pages, name, value))
            stack.enter_context(patch.object(corpus_pages, "read_texts", lambda: texts))
        yield


def draw_in(language: str, grade: str, seed: int, number: int) -> Problem[DriftTask, DriftTruth]:
    """One test set in this language."""
    with _speaking(language):
        return draw_problem(f"{grade}-{number}", seed=[seed, number], difficulty=grade)


def main(arguments: Sequence[str] | None = None) -> None:
    """Score both languages."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--logs", type=int, default=LOGS)
    options = parser.parse_args(arguments)
    for grade in ("easy", "medium"):
        for language in ("en", "de"):
            rows = []
            for number in range(options.logs):
                problem = draw_in(language, grade, options.seed, number)
                answer = SUBJECTS["explainer"]().solve(problem.task, Budget(seed=0))
                rows += [scores_of(verdict) for verdict in judge(problem, answer) if verdict.golden]
            means = ", ".join(f"{name} {np.mean([row[name] for row in rows]):.3f}" for name in rows[0])
            print(f"{grade} {language}: {len(rows)} drifts with a cause: {means}", flush=True)


if __name__ == "__main__":
    main()
