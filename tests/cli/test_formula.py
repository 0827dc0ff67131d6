"""The formula track's command: one truth, one model, one verdict."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result

from assay.cli.formula import app
from assay.core import InvalidInput

pytest.importorskip("mpmath", reason="the checker confirms with mpmath")


def call(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_the_verdict_comes_first_and_its_certificate_follows() -> None:
    done = call("equivalent", "m*v**2/2", "0.5*v*v*m", "--domain", "m=1:5,v=0:10")
    assert done.exit_code == 0
    assert done.stdout.startswith("identical: the model is the truth\n")
    assert "400 points, m in 1..5, v in 0..10, 50 digits" in done.stdout


def test_json_holds_everything() -> None:
    found = json.loads(call("equivalent", "x*y", "1.01*x*y + 0.02*y", "--json").stdout)
    assert found["verdict"] == "different"
    assert found["truth"] == "x*y"
    assert found["notes"][0].startswith("dead terms")
    assert {entry["written"] for entry in found["certificate"]["constants"]} == {1.01, 0.02}
    assert json.loads(call("equivalent", "x", "x +", "--json").stdout)["verdict"] == "unparsable"


def test_columns_can_be_counted_in_a_dialect() -> None:
    done = call("equivalent", "m - a", "sub(X0, X1)", "--names", "m, a", "--dialect", "gplearn")
    assert done.stdout.startswith("identical")


def test_a_model_that_begins_with_a_minus_follows_two_dashes() -> None:
    assert call("equivalent", "--", "x", "-x").stdout.startswith("factor")


def test_a_proof_is_added_on_request() -> None:
    pytest.importorskip("sympy", reason="proofs need sympy")
    assert "proof: sympy reduces the difference to 0" in call("equivalent", "x + x", "2*x", "--prove").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x +", "x"], "truth 'x \\+': the formula ends"),
        (["x", "x", "--domain", "x=5"], "not of the form name=low:high"),
        (["x + y", "x", "--domain", "x=0:5"], "no bounds for the variable 'y'; give y=low:high"),
        (["sqrt(-x)", "x", "--domain", "x=1:2"], "no finite real value"),
    ],
)
def test_mistakes_are_named(arguments: list[str], message: str) -> None:
    done = call("equivalent", *arguments)
    assert isinstance(done.exception, InvalidInput)
    with pytest.raises(InvalidInput, match=message):
        raise done.exception
