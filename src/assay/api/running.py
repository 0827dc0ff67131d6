"""Running subjects on problems, and scoring stored answers again."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from assay.api.problem_set import problem_paths
from assay.api.progress import choose_progress
from assay.api.reading import folder_of
from assay.api.references import as_texts, metric_texts, subject_texts
from assay.api.temporary import TemporaryFolder
from assay.core import Budget, InvalidInput, Setting, Track, get_track
from assay.core.checks import demand_whole, own_whole
from assay.core.files.folders import user_path
from assay.harness import Progress, Runner, RunSpec, make_runner, read_run_file
from assay.harness import rescore as rescore_folder
from assay.harness import run as run_plans
from assay.harness.plan import Prepared
from assay.harness.runners import find_runner
from assay.report import Results, results_of

__all__ = ["cores", "rescore", "run", "run_spec", "run_specs"]

LOCAL = "local"


def run(
    track: str | Path | Track[Any, Any, Any, Any],
    subjects: object = None,
    *,
    problems: object = "builtin",
    seeds: int | Iterable[int] = 1,
    metrics: object = (),
    out: str | Path | Results | None = None,
    settings: Mapping[str, Setting] | None = None,
    seconds: float | None = None,
    memory_mb: int | None = None,
    cpu_seconds: float | None = None,
    tasks: int | None = None,
    tokens: int | None = None,
    cost: float | None = None,
    budget: Budget | None = None,
    limits: Mapping[str, Mapping[str, float]] | None = None,
    workers: int | None = None,
    runner: str | Runner = LOCAL,
    address: str | None = None,
    isolation: str = "confined",
    network: bool = False,
    readable: str | Path | Iterable[str | Path] = (),
    environment: str | Iterable[str] = (),
    retry_failed: bool = False,
    retry_withdrawn: bool = False,
    time_limit: float | None = None,
    trace: str | Iterable[str] = (),
    keep_going: bool = False,
    until_decided: float | None = None,
    against: str = "",
    progress: Progress | bool | None = None,
) -> Results:
    """Run subjects on problems, and hand over the results.

    Every subject gets every problem with every seed, in a confined process of its own. Finished cells are stored at
    once: the same call with the same ``out`` continues where an earlier one ended, and calls no subject twice. Ctrl-C,
    or the kernel's interrupt, ends the run and returns what is finished.

    Parameters
    ----------
    track : str, Path or Track
        The name of a track, or a run file (``study.toml``), which then holds everything but ``out``, ``workers`` and
        how to run it.
    subjects : str, Path, callable, object, list of these, or mapping from names to these
        What to test: a registered name with parameters (``"gplearn(population=200)"``), a Python file,
        ``module:object``, a folder of precomputed answers, ``command(...)``, a function ``solve(task, budget)``, a
        class or an object with such a method, an estimator. A callable is taken with the source it needs and runs
        confined as a file does.
    problems : str, Path, Problem or several of these
        ``"builtin"``, ids of built-in problems, folders, or problems of :func:`assay.problems`.
    seeds : int or iterable of int
        How many seeds, counted from 0, or the seeds themselves.
    metrics : str, Path, Metric, Aggregate, callable or several of these
        Metrics beside those of the track: parametric names (``"recall@10"``), ``"FILE.py:NAME"``, or objects.
    out : str, Path or Results, optional
        The results folder; by default a temporary one, which lives as long as the results.
    settings : mapping, optional
        Settings of the track.
    seconds, memory_mb, cpu_seconds, tasks, tokens, cost : float, int, float, int, int, float, optional
        What one answer may use: seconds by the clock (60), memory (2048 MB), processor seconds, processes and threads,
        tokens of language models and their cost, which subjects are told.
    budget : Budget, optional
        All of these at once.
    limits : mapping, optional
        Budgets of single subjects, as in ``{"slow": {"seconds": 300}}``.
    workers : int, optional
        Parallel workers; by default one per core.
    runner, address : str
        Where cells run: ``"local"``, ``"ray"``, with the address of a cluster, or a :class:`assay.harness.Runner`.
    isolation : str
        ``"confined"``, ``"container"``, or ``"none"``, which lets subjects read your files and use the network.
    network : bool
        Whether confined subjects may use the network.
    readable : str, Path or several of these
        What confined subjects may read beside their own source.
    environment : str or several
        Names of environment variables that subjects may see.
    retry_failed, retry_withdrawn : bool
        Whether subjects are called again where they failed, or where their records were withdrawn.
    time_limit : float, optional
        Seconds after which no further cell is begun.
    trace : str or several
        Subjects whose system calls are logged.
    keep_going : bool
        Whether subjects that cannot be run, such as a file that cannot be loaded, are left out. By default they are an
        error before anything is run.
    until_decided : float, optional
        A level, such as 0.05: stop calling a subject once it is told apart from all others on the headline, with at
        most that chance of any wrong decision, however often one looks. Scores must be bounded.
    against : str
        With ``until_decided``: compare every subject with this one only.
    progress : bool or Progress, optional
        A display of one's own; False for none. By default a bar in a terminal and a display in a notebook.

    Returns
    -------
    Results
        Scores, leaderboard, comparisons, failures and answers.

    Raises
    ------
    InvalidInput
        Something given is wrong; nothing was run then.

    Examples
    --------
    >>> import assay
    >>> def likeliest(task, budget):
    ...     return [matrix == matrix.max(axis=1, keepdims=True) for matrix in task.test_probabilities]
    >>> some = assay.problems("conformal")[:2]
    >>> results = assay.run("conformal", {"mine": likeliest, "truth": "oracle"}, problems=some)
    >>> results.leaderboard().rows[0].subject, len(results.records)
    ('truth', 4)
    """
    amounts = {
        **{"seconds": seconds, "memory_mb": memory_mb, "cpu_seconds": cpu_seconds},
        **{"tasks": tasks, "tokens": tokens, "cost": cost},
    }
    if isinstance(track, Path) or (isinstance(track, str) and track.endswith(".toml")):
        whole = {
            **{"subjects": subjects, "problems": problems, "seeds": seeds, "metrics": metrics, "settings": settings},
            **{**amounts, "budget": budget, "limits": limits, "isolation": isolation, "network": network},
            **{"readable": readable, "environment": environment},
        }
        _refuse_beside_file(str(track), whole)
        file = read_run_file(user_path(track))
        specs, out, workers = file.runs, out or file.out, workers or file.workers
    else:
        spec = run_spec(
            track,
            subjects,
            problems=problems,
            seeds=seeds,
            metrics=metrics,
            settings=settings,
            budget=budget,
            limits=limits,
            isolation=isolation,
            network=network,
            readable=readable,
            environment=environment,
            **amounts,
        )
        specs = (spec,)
    return run_specs(
        specs,
        out=out,
        workers=workers,
        runner=runner,
        address=address,
        retry_failed=retry_failed,
        retry_withdrawn=retry_withdrawn,
        time_limit=time_limit,
        trace=as_texts(trace, "trace"),
        keep_going=keep_going,
        until_decided=until_decided,
        against=against,
        progress=progress,
    )


def run_spec(
    track: str | Path | Track[Any, Any, Any, Any],
    subjects: object,
    *,
    problems: object = "builtin",
    seeds: int | Iterable[int] = 1,
    metrics: object = (),
    settings: Mapping[str, Setting] | None = None,
    budget: Budget | None = None,
    limits: Mapping[str, Mapping[str, float]] | None = None,
    isolation: str = "confined",
    network: bool = False,
    readable: str | Path | Iterable[str | Path] = (),
    environment: str | Iterable[str] = (),
    **amounts: float | None,
) -> RunSpec:
    """What :func:`run` runs, from the same arguments."""
    definition = track if isinstance(track, Track) else get_track(_name(track))
    return RunSpec(
        track=definition.name,
        subjects=subject_texts(subjects, definition, isolation=isolation),
        problems=problem_paths(definition, problems),
        seeds=_seeds(seeds),
        settings=dict(settings or {}),
        environment=as_texts(environment, "environment"),
        isolation=isolation,
        network=network,
        readable=as_texts(readable, "readable"),
        limits=limits or {},
        **_amounts(budget, {name: value for name, value in amounts.items() if value is not None}),
        metrics=metric_texts(metrics),
    )


def run_specs(
    specs: Sequence[RunSpec],
    *,
    out: str | Path | Results | None = None,
    workers: int | None = None,
    runner: str | Runner = LOCAL,
    address: str | None = None,
    retry_failed: bool = False,
    retry_withdrawn: bool = False,
    time_limit: float | None = None,
    trace: Collection[str] = (),
    keep_going: bool = False,
    until_decided: float | None = None,
    against: str = "",
    progress: Progress | bool | None = None,
    check: Callable[[Sequence[Prepared]], None] | None = None,
) -> Results:
    """Run what the specs say; every command and :func:`run` end here. ``check`` may refuse them beforehand."""
    if isinstance(runner, str):
        find_runner(runner)  # an unknown one is an error before anything is written
    if address is not None and runner == LOCAL:
        raise InvalidInput("address needs the Ray runner: runner='ray', address=...")
    if trace and runner != LOCAL:
        raise InvalidInput("trace works on this machine only: leave out runner.")
    if against and until_decided is None:
        raise InvalidInput("against: belongs to until_decided (--until-decided 0.05 on the command line).")
    if trace and until_decided is not None:
        raise InvalidInput("until_decided: cannot be combined with trace, which runs cells of one subject only.")
    if workers is not None:
        demand_whole(workers, "workers:", least=1)
    keep = TemporaryFolder("run") if out is None else getattr(out, "keep", None)
    folder = keep.path if isinstance(keep, TemporaryFolder) else folder_of(out, "out")
    count = workers or (None if address else cores())
    result = run_plans(
        specs,
        out=folder,
        runner=lambda scratch: (
            make_runner(runner, count, address=address, scratch=scratch) if isinstance(runner, str) else runner
        ),
        progress=choose_progress(progress),
        retry_failed=retry_failed,
        retry_withdrawn=retry_withdrawn,
        time_limit=time_limit,
        trace=trace,
        check=check,
        keep_going=keep_going,
        until_decided=until_decided,
        against=against,
    )
    return results_of(result, keep=keep)


def rescore(
    folder: str | Path | Results,
    *,
    metrics: object = (),
    workers: int | None = None,
    progress: Progress | bool | None = None,
) -> Results:
    """Score the stored answers of a results folder again, with the metrics as they are now; no subject is called.

    Parameters
    ----------
    folder : str, Path or Results
        The results folder.
    metrics : str, Path, Metric, Aggregate, callable or several of these
        Metrics beside those of the track, as for :func:`run`.
    workers : int, optional
        Parallel workers; by default one per core.
    progress : bool or Progress, optional
        As for :func:`run`.

    Returns
    -------
    Results
        With the new scores.

    Raises
    ------
    InvalidInput
        If the folder is not found.

    Examples
    --------
    >>> import assay
    >>> results = assay.run("conformal", "oracle", problems=assay.problems("conformal")[:2])
    >>> assay.rescore(results).outcome.solved
    0
    """
    if workers is not None:
        demand_whole(workers, "workers:", least=1)
    result = rescore_folder(
        folder_of(folder, "folder"),
        metrics=metric_texts(metrics),
        workers=workers or cores(),
        progress=choose_progress(progress),
    )
    return results_of(result, keep=getattr(folder, "keep", None))


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _name(track: object) -> str:
    if isinstance(track, str):
        return track
    raise InvalidInput(f"track: must be the name of a track, as in 'formula', or a run file, got {track!r:.60}.")


def _seeds(seeds: object) -> tuple[int, ...]:
    if isinstance(seeds, Iterable) and not isinstance(seeds, str | bytes | Mapping) and getattr(seeds, "ndim", 1) != 0:
        return tuple(map(own_whole, seeds))
    count = own_whole(seeds)
    if isinstance(count, int) and not isinstance(count, bool):
        if count < 1:
            raise InvalidInput(
                f"seeds: {count} seeds leave nothing to run. seeds=3 means 0, 1, 2; seeds=[0] means seed 0."
            )
        return tuple(range(count))
    raise InvalidInput(f"seeds: must be a number of seeds or a list of them, got {seeds!r:.60}.")


def _amounts(budget: Budget | None, amounts: Mapping[str, Any]) -> dict[str, Any]:
    if budget is None:
        return dict(amounts)
    if not isinstance(budget, Budget):
        raise InvalidInput(f"budget: must be an assay.Budget, as in assay.Budget(seconds=10), got {budget!r:.60}.")
    if amounts:
        raise InvalidInput(f"budget: cannot be combined with {next(iter(amounts))}=. Put it into the budget.")
    if budget.seed:
        raise InvalidInput(f"budget: the seeds of a run are given by seeds=[{budget.seed}], not by the budget.")
    return {part.name: getattr(budget, part.name) for part in fields(Budget) if part.name != "seed"}


def _refuse_beside_file(file: str, arguments: Mapping[str, object]) -> None:
    defaults = {"problems": "builtin", "seeds": 1, "isolation": "confined", "network": False}
    for name, value in arguments.items():
        is_default = isinstance(value, str | int | tuple) and value in ((), defaults.get(name))
        if value is not None and not is_default:
            raise InvalidInput(f"{name}: cannot be combined with the run file {file}. Write it into the file.")
