import os
import time

import pytest

from assay.formula import equivalent, parse, simplify, to_text
from assay.formula.equivalence.symbolic import SymbolicProcess, sympy_nodes

sympy = pytest.importorskip("sympy", reason="symbolic work needs sympy")
pytest.importorskip("mpmath", reason="the checker confirms with mpmath")


def test_sympy_simplifies_and_names_survive() -> None:
    simplified = simplify(parse("sin(beta)**2 + cos(beta)**2 + E*x", names=["beta", "E", "x"]), seconds=30)
    assert simplified.method == "sympy"
    assert {"E", "x"} <= set(to_text(simplified.expression).replace("*", " ").split())


@pytest.mark.parametrize(
    "text", ["x - y", "0.5*x*x + sqrt(y)/z", "-x", "2*(x + y)", "x/y/z", "exp(-x**2/2)", "x + x", "1.5"]
)
def test_sizes_are_those_of_sympys_own_reading(text: str) -> None:
    expected = sum(1 for _ in sympy.preorder_traversal(sympy.sympify(text)))
    assert sympy_nodes(parse(text), seconds=30) == expected


def test_proofs_are_added_where_there_is_one() -> None:
    assert "difference to 0" in str(equivalent("x*(y + 1)", "x*y + x", symbolic=True, seconds=30).certificate.proof)
    root = equivalent("x", "sqrt(x**2)", domain={"x": (1, 5)}, symbolic=True, seconds=30)
    assert str(root.certificate.proof).endswith("for positive x")
    ratio = equivalent("x**2*y", "4*x*x*y", symbolic=True, seconds=30)
    assert "ratio to 0.25" in str(ratio.certificate.proof)
    assert equivalent("x", "x + 2", symbolic=True, seconds=30).certificate.proof is not None


def test_closeness_after_simplification_says_when_there_was_none() -> None:
    plain = equivalent("sin(2*x)*y", "sin(x)*cos(x)*2*y*y", symbolic=True, seconds=30)
    assert plain.verdict == "different"
    assert 0 < plain.closeness < 1
    assert not any("canonical" in note for note in plain.notes)
    unknown = equivalent("x*y", "protected_log(x)", symbolic=True, seconds=30)
    (note,) = [note for note in unknown.notes if "canonical form of the model" in note]
    assert note.endswith("sympy has no protected_log")


def test_work_that_does_not_end_is_ended_with_its_process_and_a_new_one_takes_over() -> None:
    process = SymbolicProcess()
    nodes = {"task": "nodes", "text": "x + 1", "names": ["x"]}
    assert process.ask(nodes, seconds=30) == {"nodes": 3}
    assert "never closed" in process.ask({**nodes, "text": "(x"}, seconds=30)["error"]
    assert process._process is not None
    pid = process._process.pid
    start = time.monotonic()
    endless = process.ask({"task": "simplify", "text": "9**9**9**9*x + x", "names": ["x"]}, seconds=0.5)
    assert endless == {"error": "no reply within 0.5 seconds"}
    assert time.monotonic() - start < 5
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert process.ask(nodes, seconds=30) == {"nodes": 3}
    process.close()
    process.close()  # twice is no error


@pytest.mark.parametrize("text", ["abs(x)**4", "sqrt(x**2)", "log(exp(x))"])
def test_sizes_assume_nothing_of_the_variables(text: str) -> None:
    expected = sum(1 for _ in sympy.preorder_traversal(sympy.sympify(text)))
    assert sympy_nodes(parse(text), seconds=30) == expected
