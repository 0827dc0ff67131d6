"""Is a model the truth? Ours beside ``sympy.simplify(a - b) == 0`` and the sreval package, in the same run.

First all golden pairs by ours alone: verdicts, time, and disagreements with the recorded verdicts by cause. Then a part
of the adjudicated pairs by all three, each pair of a peer in a process of its own that ends after ten CPU seconds.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from typing import Any

import numpy as np

from benchmarks.measure import Rows, Unmeasured, beside, counted, sized
from benchmarks.peers import peer

LIMIT = 10
POSITIVES, NEGATIVES = sized(60, 3), sized(40, 2)
MOST = sized(None, 40)  # golden pairs that ours looks at
POSITIVE = {"identical", "offset", "factor", "affine", "form"}

# stand in for the golden pairs: truth, model, whether the model is the truth up to constants
OWN = [
    ("m*v**2/2", "0.5*v*v*m", True),
    ("G*m*M/r**2", "1.0002*G*m*M*r**-1.9999", True),
    ("sin(a)*cos(a)", "0.5*sin(2*a)", True),
    ("sqrt(x**2 + y**2)", "(x*x + y*y)**0.5", True),
    ("1/(1/a + b/c)", "a*c/(c + a*b)", True),
    ("exp(-x**2/2)/sqrt(2*pi)", "0.39894228*exp(-0.50001*x**2)", True),
    ("x*y + z", "x*y - z", False),
    ("exp(-x)*y", "y/(1 + x + x**2/2)", False),
    ("sqrt(x + y)*log(z)", "0.7*x**0.4*z**0.3 + 0.1*y", False),
]

_OURS = """
import json, sys, time
from assay.formula import equivalent
equivalent("x", "1.5*x**1.1")
out = []
for truth, model, domain in json.load(sys.stdin):
    start = time.process_time()
    try:
        found = equivalent(truth, model, domain=domain)
        verdict, notes = found.verdict, list(found.notes)
    except Exception as error:
        verdict, notes = "error", [repr(error)]
    out.append([verdict, time.process_time() - start, notes])
print(json.dumps(out))
"""

# a peer may hang: every pair is a forked child with a limit of CPU time, sympy already imported
_PEER = """
import json, os, resource, sys, time
import numpy as np
import sympy
from assay.formula import compute, parse, symbols_of
from assay.formula.equivalence.reading import read_truth
def plain(truth, model, names, domain):
    symbols = {name: sympy.Symbol(name, real=True) for name in names}
    a, b = (sympy.sympify(text, locals=symbols) for text in (truth, model))
    return bool(sympy.simplify(a - b) == 0)
def sreval(truth, model, names, domain):
    from sreval.equivalence import check
    def function(text):
        tree = parse(text, names=names)
        return lambda X: compute(tree, {name: X[:, j] for j, name in enumerate(names)})
    box = [domain[name] if domain else (1.0, 5.0) for name in names]
    found = check(candidate_infix=model, truth_infix=truth, variables=names, candidate_fn=function(model),
                  truth_fn=function(truth), box=box, candidate_tokens=model.split(), truth_tokens=truth.split())
    return found.recovered
method, limit, pairs = {"plain": plain, "sreval": sreval}[sys.argv[1]], int(sys.argv[2]), json.loads(sys.argv[3])
if sys.argv[1] == "sreval":
    import sreval.equivalence
out = []
for truth, model, domain in pairs:
    names = list(domain) if domain else list(symbols_of(read_truth(truth, domain=None, names=None).truth))
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
        try:
            answer = str(method(truth, model, names, domain))
        except Exception as error:
            answer = "error " + type(error).__name__
        os.write(theirs, answer.encode())
        os._exit(0)
    os.close(theirs)
    _, _, used = os.wait4(child, 0)
    said = os.read(ours, 1000).decode() or "time-out"
    os.close(ours)
    out.append([said, used.ru_utime + used.ru_stime])
print(json.dumps(out))
"""


def _run(code: str, *arguments: str, text: str = "", path: str = "") -> Any:
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    command = [sys.executable, "-W", "ignore", "-c", code, *arguments]
    environment = {**os.environ, **threads, **({"PYTHONPATH": path} if path else {})}
    process = subprocess.run(command, input=text, capture_output=True, text=True, check=False, env=environment)
    if process.returncode:
        print(f"not measured: {process.stderr.strip().splitlines()[-1]}")
        return None
    return json.loads(process.stdout.strip().splitlines()[-1])


def _cause(row: dict[str, str], verdict: str, notes: list[str]) -> str | None:
    """Why a recorded verdict and ours differ; nothing where they agree."""
    recorded = row["srbench_verdict"] == "True"
    if recorded == (verdict in POSITIVE):
        return None
    if recorded:
        if verdict == "undefined":
            return "recorded True, ours undefined: the model has no real value"
        dead = any(note.startswith("dead terms") for note in notes)
        return f"recorded True, ours {verdict}" + (": a term must vanish or a constant move beyond 5 %" if dead else "")
    if row["r2_test"] and float(row["r2_test"]) <= 0.5:
        return f"recorded False by the R2 gate alone, ours {verdict}"
    why = {"form": "constants within 5 %", "factor": "the ratio was never simplified"}.get(
        verdict, "missed by simplify"
    )
    return f"recorded False, ours {verdict}: {why}"


def _golden() -> list[tuple[dict[str, str], list[Any]]]:
    from tests.formula.golden import ACCEPTED, FILE, domain_of, rows

    if not os.environ.get("ASSAY_BENCHMARKS") or not FILE.is_file():
        print(
            "without the golden pairs: ASSAY_BENCHMARKS does not point at a folder with formula/equivalence_pairs.csv"
        )
        return []
    table = rows()[:MOST]
    tasks = [[row["true_formula"], row["model_formula"], domain_of(row)] for row in table]
    verdicts = _run(_OURS, text=json.dumps(tasks))
    if verdicts is None:
        return []
    seconds = np.array([entry[1] for entry in verdicts])
    counts = Counter(entry[0] for entry in verdicts)
    spread = f"99 % {np.quantile(seconds, 0.99):.3f}, worst {seconds.max():.3f}, together {seconds.sum():.1f}"
    print(f"{len(table)} golden pairs, ours, one core, CPU seconds: median {np.median(seconds):.4f}, {spread}")
    print("  verdicts: " + ", ".join(f"{name} {count}" for name, count in counts.most_common()))
    print(f"  undecided: {counts['undecided'] / len(table):.2%}; errors: {counts['error']}")
    judged = [(row, e[0]) for row, e in zip(table, verdicts, strict=True) if row["refit_verdict"]]
    right = sum(verdict in ACCEPTED[row["refit_verdict"]] for row, verdict in judged)
    print(f"  adjudicated rows right: {right} of {len(judged)}")
    for row, verdict in judged:
        if verdict not in ACCEPTED[row["refit_verdict"]]:
            print(f"    {row['dataset']}: adjudicated {row['refit_verdict']}, ours {verdict}")
    causes = Counter(_cause(row, e[0], e[2]) for row, e in zip(table, verdicts, strict=True))
    print(f"  disagreements with the recorded verdicts: {sum(causes.values()) - causes[None]}")
    for cause, count in causes.most_common():
        if cause is not None:
            print(f"    {count:4} {cause}")
    return list(zip(table, tasks, strict=True))


def _chosen(golden: list[tuple[dict[str, str], list[Any]]]) -> tuple[list[list[Any]], list[bool]]:
    if not golden:
        return [[truth, model, None] for truth, model, _ in OWN], [yes for _, _, yes in OWN]
    order = np.random.default_rng(0).permutation(len(golden))
    expected = {"exact": True, "form": True, "none": False, "form_with_dead_terms": False}
    pairs: list[list[Any]] = []
    labels: list[bool] = []
    for place in order:
        row, task = golden[place]
        # the one adjudicated row that is known to be wrong is no yardstick
        if row["refit_verdict"] not in expected or row["dataset"] == "fastsrb_I.41.16":
            continue
        label = expected[row["refit_verdict"]]
        if labels.count(label) < (POSITIVES if label else NEGATIVES):
            pairs.append(task)
            labels.append(label)
    return pairs, labels


def main() -> Rows:
    pairs, labels = _chosen(_golden())
    print(f"{len(pairs)} pairs by all, {sum(labels)} of them re-discoveries, at most {LIMIT} CPU seconds a pair")
    ours = _run(_OURS, text=json.dumps(pairs))
    answers = {"assay": None if ours is None else [(str(e[0] in POSITIVE), e[1]) for e in ours]}
    answers["sympy.simplify(a - b) == 0"] = _run(_PEER, "plain", str(LIMIT), json.dumps(pairs))
    target = peer("sreval==0.1.1")
    if target is not None:
        answers["sreval 0.1.1"] = _run(_PEER, "sreval", str(LIMIT), json.dumps(pairs), path=str(target))
    identical = {place for place, entry in enumerate(ours or []) if entry[0] == "identical"}
    print(f"{len(identical)} are identical; only these can the two peers find, as they know no free constants")
    base = None
    for name, verdicts in answers.items():
        if verdicts is None:
            yield Unmeasured(name=f"by {name}", reason="it is not here, or broke")
            continue
        predicted = [entry[0] for entry in verdicts]
        seconds = np.array([entry[1] for entry in verdicts])
        base = base or seconds.sum()
        right = sum(answer == str(label) for answer, label in zip(predicted, labels, strict=True))
        same = sum(answer == "True" and place in identical for place, answer in enumerate(predicted))
        missed = sum(answer == "False" and label for answer, label in zip(predicted, labels, strict=True))
        wrong = sum(answer == "True" and not label for answer, label in zip(predicted, labels, strict=True))
        late, broken = predicted.count("time-out"), sum(answer.startswith("error") for answer in predicted)
        counts = f"right {right}, identical ones found {same}, missed {missed}, wrongly found {wrong}"
        spent = f"median {np.median(seconds):.3f} s, worst {seconds.max():.2f} s, together {seconds.sum():.1f} s"
        print(f"{name:27} {counts}, time-outs {late}, errors {broken}")
        print(f"{'':27} CPU {spent} = {seconds.sum() / base:.0f} x ours")
        if name == "assay":
            yield counted(
                "by assay: right verdicts", right / len(predicted), "of the pairs", better="more", tolerance=0.0
            )
        else:
            yield beside(f"by {name}: CPU", float(base), "s", peer=name, theirs=float(seconds.sum()), tolerance=1.0)
