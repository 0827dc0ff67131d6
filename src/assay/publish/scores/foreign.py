"""Result files of other benchmarks as long tables: SRBench's, and the samples of lm-evaluation-harness."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assay.core import InvalidInput
from assay.core.files.folders import demand_file
from assay.core.files.text import LARGEST_JSON, demand_size, read_json
from assay.intake.tables import read_table
from assay.publish.scores.importing import Imported, demand_distinct, import_frame

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["import_lm_eval", "import_srbench", "lm_eval_scores", "srbench_scores"]

# metrics of SRBench's files, the first one ranks; other columns are left out
_SRBENCH: Final[Mapping[str, str]] = {
    "r2_test": "max",
    "symbolic_solution_rate_(%)": "max",
    "symbolic_solution": "max",
    "accuracy_solution": "max",
    "rmse_test": "min",
    "mse_test": "min",
    "mae_test": "min",
    "log_mse_test": "min",
    "model_size": "min",
}
# parts of the names of metrics where less is better; short ones must be whole words
_LESS: Final = re.compile(
    r"perplexity|bits_per_byte|loss|mse|brier|error|stereotype|(?<![a-z])(?:wer|ter|cer|mae)(?![a-z])", re.IGNORECASE
)
_SAMPLES = re.compile(r"samples_(?P<task>.+?)(?:_\d{4}-\d{2}-\d{2}T[\d.:-]+)?\.jsonl")


def import_srbench(path: Path, out: Path, *, name: str = "", allow_gaps: bool = False) -> Imported:
    """Bring SRBench's results into a results folder: a published table, or a folder of its result files."""
    return import_frame(srbench_scores(path), path, out, name=name or "SRBench", allow_gaps=allow_gaps)


def import_lm_eval(path: Path, out: Path, *, name: str = "", allow_gaps: bool = False) -> Imported:
    """Bring the samples of lm-evaluation-harness into a results folder: a problem for each document of a task."""
    return import_frame(lm_eval_scores(path), path, out, name=name or "lm-eval", allow_gaps=allow_gaps)


def srbench_scores(path: Path) -> pd.DataFrame:
    """A row per score; problems are data sets, with their noise where there are several levels of it."""
    import pandas as pd

    if path.is_dir():
        files = sorted(file for file in path.rglob("*.json"))
        rows = [body for file in files if {"algorithm", "dataset"} <= (body := read_json(file)).keys()]
        if not rows:
            raise InvalidInput(f"{path}: holds no result file of SRBench (JSON with 'algorithm' and 'dataset').")
        frame = pd.DataFrame(rows)
    else:
        demand_file(path)
        frame = read_table(path)
    for column in ("algorithm", "dataset"):
        if column not in frame.columns:
            raise InvalidInput(f"{path}: not a table of SRBench: the column {column!r} is missing.")
    metrics = [metric for metric in _SRBENCH if metric in frame.columns]
    if not metrics:
        raise InvalidInput(f"{path}: has none of the metrics {', '.join(_SRBENCH)}.")
    noisy = "target_noise" in frame.columns and frame["target_noise"].nunique() > 1
    problem = frame["dataset"].astype(str)
    if noisy:
        problem = problem + " noise " + frame["target_noise"].astype(str)
    seeds = frame["random_state"] if "random_state" in frame.columns else pd.Series(0, index=frame.index)
    parts = []
    for metric in metrics:
        part = pd.DataFrame({"subject": frame["algorithm"].astype(str), "problem": problem, "seed": _numbered(seeds)})
        part["metric"], part["direction"] = metric, _SRBENCH[metric]
        part["value"] = pd.to_numeric(frame[metric], errors="coerce").astype(float)
        parts.append(part)
    return _checked(path, pd.concat(parts, ignore_index=True))


def lm_eval_scores(path: Path) -> pd.DataFrame:
    """A row per score of each sample; the subject is the folder of the file, or the file where it is one alone."""
    import pandas as pd

    if not path.is_dir():
        demand_file(path)
    files = sorted(path.rglob("samples_*.jsonl")) if path.is_dir() else [path]
    if not files:
        raise InvalidInput(f"{path}: holds no samples_TASK.jsonl. Run lm_eval with --log_samples --output_path {path}.")
    rows = [row for file in files for row in _samples(file)]
    if not rows:
        raise InvalidInput(f"{path}: has no sample with a metric.")
    return _checked(path, pd.DataFrame(rows))


def _samples(file: Path) -> Iterator[dict[str, Any]]:
    match = _SAMPLES.fullmatch(file.name)
    task = match["task"] if match else file.stem
    demand_size(file.stat().st_size, LARGEST_JSON, what=str(file))
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            sample = json.loads(line)
            document = sample["doc_id"]
            names = sample.get("metrics") or [key for key, value in sample.items() if _is_score(key, value)]
            values = {str(name): float(sample[name]) for name in names if _is_score(str(name), sample[name])}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InvalidInput(
                f"{file}, line {number}: not a sample of lm-evaluation-harness ({type(error).__name__}: {error})."
            ) from None
        chosen = sample.get("filter")
        for name, value in values.items():
            metric = name if chosen in (None, "none") else f"{name},{chosen}"
            yield {
                "subject": file.parent.name or file.stem,
                "problem": f"{task}/{document}",
                "seed": 0,
                "metric": metric,
                "direction": "min" if _LESS.search(name) else "max",
                "value": value,
                "tag.task": task,
            }


def _is_score(key: str, value: object) -> bool:
    return key != "doc_id" and isinstance(value, bool | int | float) and not str(key).endswith("_hash")


def _numbered(seeds: Any) -> Any:
    """Seeds as they are where they are whole numbers, else numbered."""
    import pandas as pd

    numbers = pd.to_numeric(seeds, errors="coerce")
    if numbers.notna().all() and bool((numbers >= 0).all()) and bool((numbers % 1 == 0).all()):
        return numbers.astype("int64")
    return pd.Series(pd.factorize(seeds.astype(str))[0], index=seeds.index)


def _checked(path: Path, frame: pd.DataFrame) -> pd.DataFrame:
    """Without undefined scores; the same cell twice is an error."""
    frame = frame[frame["value"].map(math.isfinite)].reset_index(drop=True)
    demand_distinct(path, frame)
    if frame.empty:
        raise InvalidInput(f"{path}: no score in it is a finite number.")
    return frame
