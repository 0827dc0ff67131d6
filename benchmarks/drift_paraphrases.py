"""What is left when documents share no word with the log? Generated drifts of the hard grade, before and after.

Every word of a document that shares its stem with the name of the process or of an activity, or stands for it in the
generator's list of other words, is replaced by "matter": what remains are days, the manner of speaking and the order
of things. It is a floor: a paraphrase by a person keeps the meaning, which this one loses:

    python -m benchmarks.drift_paraphrases --logs 6
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from assay.core import Budget
from assay.drift.documents.document import Corpus
from assay.drift.documents.words import name_words, stem
from assay.drift.examine.examination import judge
from assay.drift.generate.corpus_texts import read_texts
from assay.drift.generate.problems import draw_problem
from assay.drift.problem.task import DriftTask
from assay.drift.subjects import SUBJECTS
from benchmarks.drift_explainers import scores_of

SEED = 20_261_119
_WORD = re.compile(r"[^\W\d_]+")


def without_shared_words(task: DriftTask) -> DriftTask:
    """The task with documents that hold no word of its logs, nor one that stands for it; names keep their days."""
    names = [name for log in task.logs.values() for name in (log.name, *log.activities)]
    shared = set(name_words([*names, *(drift.process for drift in task.drifts)]))
    for word, others in read_texts().synonyms.items():
        if set(name_words([word])) & shared:
            shared |= set(name_words(others))

    def masked(text: str) -> str:
        return _WORD.sub(lambda match: "matter" if stem(match.group().lower()) in shared else match.group(), text)

    # every document keeps its place, which is what the truth knows it by
    texts = {
        f"{place:03d} {re.sub(r'[^0-9-]', '', document.name[:11])}.txt": masked(document.text)
        for place, document in enumerate(task.corpus.documents)
    }
    return replace(task, corpus=Corpus.from_texts(texts), glossary={})


def main(arguments: Sequence[str] | None = None) -> None:
    """Score the explainer and two baselines on both."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--logs", type=int, default=14)
    options = parser.parse_args(arguments)
    recalls: dict[tuple[str, str], list[float]] = {}
    for number in range(options.logs):
        problem = draw_problem(f"hard-{number}", seed=[options.seed, number], difficulty="hard")
        masked = replace(problem, task=without_shared_words(problem.task))
        for words, posed in (("as written", problem), ("no word of the log", masked)):
            for subject in ("explainer", "bm25-in-window", "named-dates"):
                answer = SUBJECTS[subject]().solve(posed.task, Budget(seed=0))
                values = [scores_of(verdict)["recall@1"] for verdict in judge(posed, answer) if verdict.golden]
                recalls.setdefault((words, subject), []).extend(values)
    for (words, subject), values in recalls.items():
        print(f"hard, {words}: {subject} Recall@1 {np.mean(values):.3f} ({len(values)} drifts with a cause)")


if __name__ == "__main__":
    main()
