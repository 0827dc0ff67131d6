"""sympy in a process of its own, which is ended when its time is up: simplification, proofs and sizes."""

from __future__ import annotations

import atexit
import json
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Literal, NamedTuple

from assay.core import InfrastructureFailed, InvalidInput
from assay.formula.equivalence.certificate import POSITIVE, Equivalence
from assay.formula.equivalence.closeness import canonical_closeness
from assay.formula.equivalence.sampling import Domain
from assay.formula.expression.canonical import canonical
from assay.formula.expression.expression import Expression, symbols_of, to_text
from assay.formula.expression.parser import parse, rename

__all__ = ["Simplified", "SymbolicProcess", "add_symbolic", "simplify", "sympy_nodes", "text_nodes"]

_START_SECONDS = 60.0
_LONGEST_REPLY = 1 << 20


class Simplified(NamedTuple):
    """A formula, how it was simplified, and why not by sympy where it was not."""

    expression: Expression
    method: Literal["sympy", "canonical"]
    reason: str = ""


class SymbolicProcess:
    """One process with sympy in it; it is started when first asked and again after it had to be ended."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, request: Mapping[str, Any], *, seconds: float) -> dict[str, Any]:
        """The reply, or ``{"error": reason}``; never later than the seconds allow, start-up aside."""
        if self._process is None or self._process.poll() is not None:
            self._start()
        reply = self._exchange(json.dumps(request) + "\n", seconds)
        if reply is None:
            self.close()
            return {"error": f"no reply within {seconds:g} seconds"}
        return reply

    def _start(self) -> None:
        self.close()
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "assay.formula.equivalence.symbolic_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **threads, "PYTHONHASHSEED": "0"},
        )
        greeting = self._exchange("", _START_SECONDS)
        if greeting is None or "ready" not in greeting:
            self.close()
            raise InfrastructureFailed("the process for symbolic work does not start; is sympy installed?")

    def _exchange(self, line: str, seconds: float) -> dict[str, Any] | None:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        until = time.monotonic() + seconds
        try:
            process.stdin.write(line.encode())
            process.stdin.flush()
        except BrokenPipeError:
            return None
        received = b""
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while not received.endswith(b"\n"):
                if not selector.select(max(0.0, until - time.monotonic())):
                    return None
                piece = os.read(process.stdout.fileno(), 1 << 16)
                received += piece
                if not piece or len(received) > _LONGEST_REPLY:
                    return None
        reply: dict[str, Any] = json.loads(received)
        return reply

    def close(self) -> None:
        """End the process, whatever it is doing."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:
                    continue  # the request that it never read


@cache
def _shared(owner: int) -> SymbolicProcess:
    # one for each of our processes: a forked child must not talk through its parent's pipes
    process = SymbolicProcess()
    atexit.register(lambda: process.close() if os.getpid() == owner else None)
    return process


def _ask(task: str, seconds: float, **request: Any) -> dict[str, Any]:
    return _shared(os.getpid()).ask({"task": task, **request}, seconds=seconds)


def simplify(expression: Expression, *, seconds: float = 5.0) -> Simplified:
    """What sympy makes of a formula in some time; else its canonical form, with the reason.

    Parameters
    ----------
    expression : Expression
        The formula.
    seconds : float, default 5.0
        After this the process with sympy is ended.

    Returns
    -------
    Simplified
        The simpler ``expression``, the ``method`` (``sympy`` or ``canonical``), and the ``reason`` where sympy did not
        finish.

    Examples
    --------
    >>> from assay.formula import parse, to_text
    >>> to_text(simplify(parse("sin(x)**2 + cos(x)**2 + y")).expression)
    'y + 1'
    """
    names = list(symbols_of(expression))
    reply = _ask("simplify", seconds, text=to_text(expression), names=names)
    if "error" in reply:
        return Simplified(canonical(expression), "canonical", reply["error"])
    try:
        simplified = parse(reply["text"], names=[f"v{place}" for place in range(len(names))], dialect="plain")
    except InvalidInput as error:
        return Simplified(canonical(expression), "canonical", str(error))
    return Simplified(rename(simplified, {f"v{place}": name for place, name in enumerate(names)}), "sympy")


def sympy_nodes(expression: Expression, *, seconds: float = 5.0) -> int | None:
    """The nodes of the formula as sympy holds it, not simplified: the size in the rules of the 2023 competition.

    ``None`` where sympy gives none in that time.
    """
    nodes = _ask("nodes", seconds, text=to_text(expression), names=list(symbols_of(expression))).get("nodes")
    return nodes if isinstance(nodes, int) else None


def text_nodes(text: str, names: Sequence[str], *, seconds: float = 5.0) -> int | None:
    """The nodes that sympy holds for a text when it reads it itself: the size in the rules of the 2023 competition.

    ``None`` where the text is no Python expression, or sympy does not finish in that time.

    >>> text_nodes("2*(x + y)*z", ["x", "y", "z"])  # sympy multiplies from the left: z*(2*x + 2*y)
    9
    """
    nodes = _ask("text_nodes", seconds, text=text, names=list(names)).get("nodes")
    return nodes if isinstance(nodes, int) else None


def add_symbolic(
    result: Equivalence, truth: Expression, model: Expression, *, domain: Domain | None, seconds: float
) -> Equivalence:
    """A proof for a verdict that has one, or the closeness of the simplified trees for one that is no re-discovery."""
    if result.verdict not in POSITIVE:
        first, second = simplify(truth, seconds=seconds), simplify(model, seconds=seconds)
        notes = tuple(
            f"closeness uses the canonical form of the {what}, not sympy's: {form.reason}"
            for what, form in (("truth", first), ("model", second))
            if form.method != "sympy"
        )
        closeness = canonical_closeness(first.expression, second.expression)
        return replace(result, closeness=closeness, notes=(*result.notes, *notes))
    result = replace(result, closeness=1.0)
    if result.verdict not in {"identical", "offset", "factor"}:
        return result
    names = list(dict.fromkeys([*symbols_of(truth), *symbols_of(model)]))
    positive = [name for name in names if domain is None or domain[name][0] >= 0]
    texts = {"truth": to_text(truth), "model": to_text(model)}
    reply = _ask("relate", seconds, **texts, names=names, positive=positive)
    if reply.get("relation") != result.verdict:
        return result
    what = "the ratio" if result.verdict == "factor" else "the difference"
    condition = f" for positive {', '.join(positive)}" if positive else ""
    return replace(
        result, certificate=replace(result.certificate, proof=f"sympy reduces {what} to {reply['value']}{condition}")
    )
