"""The single run: all or one of the drifts of one event log explained, and judged where the true cause is known."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core import InvalidInput, Json, plain
from assay.core.display import counted
from assay.drift.detection.profile import ChangeProfile
from assay.drift.documents.document import Corpus
from assay.drift.explanation.rendering.happened import happened
from assay.drift.logs.event_log import EventLog, Order
from assay.drift.logs.read import read_log_file
from assay.drift.metrics.ranking import mean_defined, scores_of
from assay.drift.problem.detector_files import RESULTS
from assay.drift.problem.names import NameBook
from assay.drift.problem.task import DriftTask, load, profile_of
from assay.drift.problem.testsets import Detected, read_detected
from assay.intake.table.options import TableOptions

if TYPE_CHECKING:
    from assay.drift.explanation.explanation import Explanation, Link
    from assay.drift.subjects import Explainer

__all__ = ["Explained", "SingleRun", "evaluation_text", "explain_one_log", "explanation_text", "export_all", "to_json"]

_DETECT = TableOptions()
_SHOWN = 8  # changes of the process that a text shows
_CAUSE_FIELDS = (
    *("document", "quote", "start", "end", "page", "confidence", "band", "category", "description"),
    *("signals", "contributions"),
)


class Explained(NamedTuple):
    """An explanation and the true cause, where one is known."""

    explanation: Explanation
    golden: frozenset[str]

    def scores(self, ks: Sequence[int]) -> dict[str, float]:
        """The recall at each k, and the reciprocal rank."""
        ranking = self.explanation.ranking
        names, document_scores = [scored.document for scored in ranking], [scored.score for scored in ranking]
        return scores_of(names, self.golden, ks=ks, scores=document_scores)


class SingleRun(NamedTuple):
    """The drifts of one log, explained; what joins them; what was remarkable."""

    explained: tuple[Explained, ...]
    links: tuple[Link, ...]
    notes: tuple[str, ...]
    corpus: Corpus
    logs: Mapping[str, EventLog]


def explain_one_log(
    path: Path,
    corpus: Corpus,
    *,
    number: int | None = None,
    gold: Sequence[str] = (),
    causes: int = 3,
    glossary: Mapping[str, str] | None = None,
    options: TableOptions = _DETECT,
    order: Order = "start",
    matching: str = "exact",
    subject: Explainer | None = None,
    progress: Callable[[int, int, str], None] | None = None,
) -> SingleRun:
    """Explain the drifts of a detector's folder, or those that are detected in an event log.

    ``number`` picks one drift, from 1 on. ``gold`` names the true causes; without it the folder's golden column
    or a problem folder's truth does, where there is one. The explainer sees neither. ``order`` is that of the cases,
    except in a problem folder, whose log is in order.
    """
    from assay.drift.subjects import Explainer

    detected = _from_folder(path, options, matching, order) if path.is_dir() else _from_log(path, options, order)
    notes, every = list(detected.notes), detected.drifts  # what changed is compared up to the neighbouring drifts
    if number is not None:
        if number > len(detected.drifts):
            raise InvalidInput(
                f"--drift {number}: {path} has {counted(len(detected.drifts), 'drift')}, numbered from 1."
            )
        only = slice(number - 1, number)
        detected = detected._replace(drifts=detected.drifts[only], golden=detected.golden[only])
    if gold and len(detected.drifts) > 1:
        raise InvalidInput(f"--gold: {path} has {len(detected.drifts)} drifts; say which one is meant with --drift.")
    book = NameBook(corpus.names)
    golden = [book.resolve(gold or names, what="golden documents") for names in detected.golden]
    task = DriftTask(name=path.stem, drifts=every, corpus=corpus, logs=detected.logs)
    explainer = (subject or Explainer()).explainer(corpus, glossary=glossary or detected.glossary, causes=causes)
    explained = []
    for place, (drift, names) in enumerate(zip(detected.drifts, golden, strict=True)):
        if progress is not None:
            progress(place, len(detected.drifts), drift.id)
        explanation = explainer.explain(drift, profile_of(task, drift))
        notes.extend(note for note in explanation.notes if note not in notes)
        explained.append(Explained(explanation, frozenset(names)))
    links = explainer.link([entry.explanation for entry in explained]) if len(explained) > 1 else ()
    return SingleRun(tuple(explained), tuple(links), tuple(notes), corpus, task.logs)


def _from_folder(path: Path, options: TableOptions, matching: str, order: Order) -> Detected:
    if (path / "problem.json").is_file():
        problem = load(path)
        names = tuple(tuple(sorted(entry)) for entry in problem.truth.names(problem.task.corpus))
        return Detected(problem.task.drifts, names, problem.task.logs, problem.task.glossary)
    if not (path / RESULTS).is_file():
        raise InvalidInput(f"{path}: there is no {RESULTS} here. Give a detector's folder or an event log with --log.")
    return read_detected(path, options=options, matching=matching, order=order)


def _from_log(path: Path, options: TableOptions, order: Order) -> Detected:
    from assay.drift.detection.detect import detect

    if not path.exists():
        raise InvalidInput(f"{path}: there is nothing here. Give a detector's folder or an event log with --log.")
    log = read_log_file(path, options=options, order=order)
    drifts = detect(log)
    if not drifts:
        raise InvalidInput(f"{path}: no drift was detected in {len(log)} cases, so there is nothing to explain.")
    return Detected(drifts, ((),) * len(drifts), {log.name: log}, notes=log.notes)


def explanation_text(explained: Explained, *, width: int = 80) -> str:
    """An explanation for the terminal: summary, causes with their quotes, what changed; words stay whole."""
    explanation = explained.explanation
    drift = explanation.drift
    lines = [f"== {drift.id}: {drift.type} drift of {drift.process}, {drift.days}"]
    profile: Any = explanation.profile
    if isinstance(profile, ChangeProfile) and (what := happened(profile, drift)):
        lines.append(what)
    lines.append(explanation.summary)
    for place, cause in enumerate(explanation.causes, start=1):
        mark = " (golden)" if cause.document in explained.golden else ""
        lines.append(f"{place}. {cause.document}{mark}, confidence {cause.confidence:.2f} ({cause.band})")
        lines.append(f'   "{" ".join(cause.quote.split())}" (page {cause.page}, characters {cause.start}-{cause.end})')
        lines.append(f"   {cause.description} Kind of cause: {cause.category.words}.")
    if explanation.next_step:
        lines.append(f"Next step: {explanation.next_step}")
    paragraphs = [_filled(line, width) for line in lines]
    if profile is not None:
        paragraphs += ["What changed:", profile.table(limit=_SHOWN, width=width)]
    return "\n".join(paragraphs)


def _filled(line: str, width: int) -> str:
    indent = " " * (len(line) - len(line.lstrip()))
    return textwrap.fill(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def evaluation_text(run: SingleRun, ks: Sequence[int]) -> str:
    """Recall@k as percentages and MRR, for every drift whose cause is known and over all of them; empty without any."""
    judged = [(entry, entry.scores(ks)) for entry in run.explained if entry.golden]
    if not judged:
        return ""
    lines = ["Evaluation"]
    for entry, scores in judged:
        lines.append(
            f"{entry.explanation.drift.id}: {figures_text(scores, ks)} (golden: {', '.join(sorted(entry.golden))})"
        )
    if len(judged) > 1:
        means = {name: mean_defined([scores[name] for _, scores in judged]) for name in judged[0][1]}
        lines.append(f"all {len(judged)} drifts: {figures_text(means, ks)}")
    return "\n".join(lines)


def figures_text(scores: Mapping[str, float], ks: Sequence[int]) -> str:
    """Recall@k as percentages, and MRR."""
    recalls = [f"Recall@{k} {scores[f'recall@{k}']:.1%}" for k in ks]
    return f"{', '.join(recalls)}, MRR {scores['mrr']:.3f}"


def to_json(run: SingleRun, ks: Sequence[int]) -> Json:
    """Everything as plain JSON values."""
    drifts = []
    for entry in run.explained:
        explanation = entry.explanation
        body: dict[str, Any] = {
            "drift": explanation.drift.id,
            "type": explanation.drift.type,
            "start": explanation.drift.start.isoformat(),
            "end": explanation.drift.end.isoformat(),
            "summary": explanation.summary,
            "next_step": explanation.next_step,
            "abstained": explanation.abstained,
            "causes": [
                {name: getattr(cause, name) for name in _CAUSE_FIELDS} | {"category": str(cause.category)}
                for cause in explanation.causes
            ],
            "ranking": [scored.document for scored in explanation.ranking],
        }
        if entry.golden:
            body |= {"golden": sorted(entry.golden), "scores": entry.scores(ks)}
        drifts.append(body)
    return plain({"drifts": drifts, "links": [link._asdict() for link in run.links], "notes": run.notes})


def export_all(run: SingleRun, path: Path, *, documents: Path | None = None) -> None:
    """Write the explanations as Markdown, HTML or DOCX, by the suffix of the path; quotes lead to the documents."""
    from assay.drift.explanation.rendering.export import export

    explanations = [entry.explanation for entry in run.explained]
    export(explanations, path, links=run.links, corpus=run.corpus, documents=documents, logs=run.logs)
