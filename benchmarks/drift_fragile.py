"""What the explainer's ranking hangs on: documents of outside authors, changed in ways that must not matter much.

Each way changes every document of authors a and b: days written in another form, the process's name taken out, letters
made longer by a standing text or cut to their first two thirds, file names without titles. Then each signal is left out
in turn. Weights are those fitted without the author whose documents are scored. Author c is left alone.

    python -m benchmarks.drift_fragile
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date

from assay.drift.documents.document import Corpus, Document
from assay.drift.documents.words import name_words, stem
from assay.drift.explanation.retrieve import Weights
from assay.drift.explanation.signals import SIGNALS
from benchmarks.drift_outside import OUTSIDE, Fitted, Organisation, judged, read_organisations, summary
from benchmarks.drift_weights import choices_of, fit, generated

AUTHORS = ("author-a", "author-b")
_WORD = re.compile(r"[^\W\d_]+")
_FOOTER = {
    "de": "Diese Mitteilung ist vertraulich. Bei Rückfragen wenden Sie sich bitte an das Sekretariat. Wir bitten um "
    "Beachtung der Hausordnung und danken für die gute Zusammenarbeit.",
    "es": "Este mensaje es confidencial. Para cualquier consulta diríjase a la secretaría. Gracias por su ayuda.",
    "fr": "Ce message est confidentiel. Pour toute question, adressez-vous au secrétariat. Merci de votre aide.",
    "en": "This message is confidential. Please direct questions to the office. Consider the environment before you "
    "print it. We thank all colleagues for their work.",
}


def _iso(day: date) -> str:
    return day.isoformat()


def _dots(day: date) -> str:
    return f"{day.day}.{day.month}.{day.year}"


def with_days(write: Callable[[date], str]) -> Callable[[Document, Sequence[str]], str]:
    """Days named to the day, all in one form; months and weeks stay."""

    def rewrite(document: Document, _: Sequence[str]) -> str:
        text = document.text
        for mention in sorted(document.dates, key=lambda one: -one.start):
            if mention.until is None and re.search(r"\d", text[mention.start : mention.end]):
                text = text[: mention.start] + write(mention.day) + text[mention.end :]
        return text

    return rewrite


def without_name(document: Document, processes: Sequence[str]) -> str:
    """Without the words of the processes' names."""
    name_stems = set(name_words(processes, document.language))
    return _WORD.sub(
        lambda match: "it" if stem(match.group().lower(), document.language) in name_stems else match.group(),
        document.text,
    )


def longer(document: Document, _: Sequence[str]) -> str:
    """With a standing text at its end, four times."""
    return document.text + "\n\n" + "\n\n".join([_FOOTER.get(document.language, _FOOTER["en"])] * 4)


def shorter(document: Document, _: Sequence[str]) -> str:
    """Its first two thirds, to the end of a line."""
    return document.text[: max(400, 2 * len(document.text) // 3)].rpartition("\n")[0] or document.text


def unchanged(document: Document, _: Sequence[str]) -> str:
    """As it is."""
    return document.text


WAYS: Mapping[str, Callable[[Document, Sequence[str]], str]] = {
    "as written": unchanged,
    "days as 2023-04-27": with_days(_iso),
    "days as 27.4.2023": with_days(_dots),
    "without the process's name": without_name,
    "longer": longer,
    "shorter": shorter,
}


def changed(organisation: Organisation, way: Callable[[Document, Sequence[str]], str]) -> Organisation:
    """The organisation with all documents changed; they keep their places, by which the truth knows them."""
    processes = [problem.task.drifts[0].process for problem in organisation.problems]
    corpus = organisation.problems[0].task.corpus
    texts = {document.name: way(document, processes) for document in corpus}
    other = Corpus.from_texts(texts)
    assert other.names == corpus.names
    problems = [replace(one, task=replace(one.task, corpus=other)) for one in organisation.problems]
    return replace(organisation, problems=tuple(problems))


def without_signal(weights: Mapping[str, Weights], name: str) -> dict[str, Weights]:
    """The weights with one of them at 0."""
    return {key: replace(entry, factors={**entry.factors, name: 0.0}) for key, entry in weights.items()}


def main() -> None:
    """Measure; prints a table."""
    organisations = read_organisations(OUTSIDE)
    notices = list(generated())
    choices = {entry.name: list(choices_of(entry.problems)) for entry in organisations}
    weights = {
        author: fit([*(one for e in organisations if e.author != author for one in choices[e.name]), *notices])
        for author in AUTHORS
    }
    read = [entry for entry in organisations if entry.author in AUTHORS]
    for name, way in WAYS.items():
        _print(name, [changed(entry, way) for entry in read], weights)
    for signal in SIGNALS:
        if any(entry.factors.get(signal) for sets in weights.values() for entry in sets.values()):
            reduced = {author: without_signal(sets, signal) for author, sets in weights.items()}
            _print(f"without {signal!r}", read, reduced)


def _print(name: str, organisations: Sequence[Organisation], weights: Mapping[str, Mapping[str, Weights]]) -> None:
    result = summary(judged(organisations, lambda organisation: Fitted(weights[organisation.author])))
    means = {metric: result["ranking"]["all"][metric]["value"] for metric in ("recall@1", "recall@2", "mrr")}
    figures = "  ".join(f"{metric} {value:.3f}" for metric, value in means.items())
    print(f"  {name:28} {figures}  abstention F1 {result['abstention']['f1']:.3f}", flush=True)


if __name__ == "__main__":
    main()
