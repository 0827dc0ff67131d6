"""The paragraph about what was run, from the run's own record."""

from __future__ import annotations

from assay.core.display import counted
from assay.harness.metric_facts import IMPORTED
from assay.publish.paper.latex import escape
from assay.report.page.facts import facts
from assay.report.page.methods import definitions
from assay.report.result_set import TrackResults
from assay.report.tables.standings import Leaderboard
from assay.report.wording import some_of

__all__ = ["setup_paragraph"]

_LISTED = 8  # subjects that are named
_LIBRARIES = {
    "assay": "Assay",
    "python": "Python",
    "numpy": "NumPy",
    "scipy": "SciPy",
    "sklearn": "scikit-learn",
    "sympy": "SymPy",
}


def setup_paragraph(entry: TrackResults, board: Leaderboard) -> str:
    """One paragraph in LaTeX: material, subjects, budget, metric, statistics, versions, and what is missing."""
    texts = {fact.label: fact.text for fact in facts(entry)}
    headline = next(definition for definition in definitions(entry) if definition.name == entry.headline)
    contenders = [row.subject for row in board.contenders]
    references = [row.subject for row in board.rows if row.reference]
    imported = entry.track.name.endswith(IMPORTED)
    first = entry.records[0]
    sentences = [
        f"We compare {counted(len(contenders), 'subject')} ({some_of(contenders, _LISTED)}) on "
        f"{_problems(texts['problems'])} of the {entry.track.name} track: {entry.track.question}",
    ]
    if not imported:
        sentences.append(
            f"Each subject solves each problem with {_seeds(texts['seeds'])}, in a process of its own (isolation: "
            f"{texts['isolation']}), within {texts['budget']} for an answer; settings: {texts['settings']}."
        )
    if references:
        verb = "was" if len(references) == 1 else "were"
        sentences.append(
            f"For reference, {some_of(references, _LISTED)} {verb} given the truth; it is outside of all tests."
        )
    better = "higher" if headline.goal == "max" else "lower"
    meaning = "as published" if imported else f"version {headline.version}: {headline.summary.rstrip('.')}"
    sentences.append(f"The main metric is {headline.name} ({better} is better), {meaning}.")
    sentences.append(_statistics(board, imported=imported))
    pending = f"; pending: {texts['pending']}" if "pending" in texts else ""
    sentences.append(f"Of all planned cells, {texts['cells']}{pending}.")
    versions = {name: text for name, text in first.software.items() if name in _LIBRARIES}
    if versions and not imported:
        listed = ", ".join(f"{title} {versions[name]}" for name, title in _LIBRARIES.items() if name in versions)
        sentences.append(f"The answers were examined with {listed}, on {entry.run.created[:10]}.")
    return r"\paragraph{Experimental set-up.} " + " ".join(map(escape, sentences)) + "\n"


def _problems(text: str) -> str:
    return counted(int(text), "problem") if text.isdigit() else text


def _seeds(text: str) -> str:
    return f"the seeds {text}" if "," in text else f"the seed {text}"


def _statistics(board: Leaderboard, *, imported: bool) -> str:
    percent = f"{100 * board.confidence:g} % intervals"
    if board.clusters:
        how = f"{percent} that take related problems together ({board.clusters}; CR2, Satterthwaite)"
    else:
        how = f"{percent} from a bootstrap over problems (BCa, 2000 resamples)"
    failed = "" if imported else "Failed and malformed answers count with the floor of the metric."
    if board.stopped:
        return f"We report means over problems with {how}. {failed} {board.stopped}."
    return (
        f"We report means over problems with {how}. Subjects of one tier cannot be told apart from its first by paired "
        f"sign-flip tests over {'clusters' if board.clusters else 'problems'} (level 0.05, Holm). {failed}".rstrip()
    )
