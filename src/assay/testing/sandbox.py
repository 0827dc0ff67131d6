"""The contract of a sandbox."""

from __future__ import annotations

from assay.testing.failure import require

__all__ = ["check_sandbox"]


def check_sandbox(*, level: str = "strong", subjects: bool = True) -> None:
    """A sandbox of this level starts, computes, contains failures and holds every layer under attack.

    The attacks are those of the start-up self-test; the functions here are the plain promises: columns come out as they
    were computed, a failing function fails alone, an endless one is ended, and tables are private to each function.

    Parameters
    ----------
    level : str, default "strong"
        The isolation that is asked for.
    subjects : bool, default True
        Attack every mechanism of the isolation of subjects as well, where they are confined.

    Raises
    ------
    CheckFailed
        When a promise is broken or a layer does not hold.

    Examples
    --------
    >>> check_sandbox()  # doctest: +SKIP
    """
    import pandas as pd

    from assay.sandbox import FunctionSource, Limits, Sandbox, Tables, self_test

    functions = [
        FunctionSource("double", "def double(row): return 2 * row['x']"),
        FunctionSource("broken", "def broken(row): return row['no such column']"),
        FunctionSource("endless", "def endless(row):\n    while True: pass"),
        FunctionSource("edits", "def edits(row, aux):\n    aux['t']['v'] = 0\n    return int(aux['t']['v'].sum())"),
        FunctionSource("reads", "def reads(row, aux): return int(aux['t']['v'].sum())"),
    ]
    tables = Tables(rows=pd.DataFrame({"x": [1, 2]}), auxiliary={"t": pd.DataFrame({"v": [3, 4]})})
    with Sandbox(level=level) as sandbox:
        results = {result.name: result for result in sandbox.run(functions, tables, limits=Limits(function_seconds=2))}
        for name, expected in {"double": [2, 4], "edits": [0, 0], "reads": [7, 7]}.items():
            result = results[name]
            require(result.status == "ok", f"sandbox: {name!r} ended with {result.status!r} ({result.message}).")
            require(result.column.to_pylist() == expected, f"sandbox: {name!r} gave {result.column.to_pylist()}.")
        for name, status in {"broken": "exception", "endless": "timeout"}.items():
            require(results[name].status == status, f"sandbox: {name!r} ended with {results[name].status!r}.")
        for report in self_test(sandbox):
            require(report.held, f"sandbox: layer {report.layer!r} did not hold: {report.breach}.")
    if subjects and level == "strong":
        from assay.core import get_track, track_names
        from assay.harness.attack import attack_subjects

        _, reports = attack_subjects(get_track(track_names()[0]))
        for attacked in reports:
            require(attacked.held, f"sandbox: subjects get past {attacked.mechanism!r}: {attacked.breach}.")
