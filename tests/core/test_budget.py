from __future__ import annotations

import pytest

from assay.core import Budget, InvalidInput
from assay.harness.plan import answer_key, record_key

# as release 0.1.0 made them: what is not set must not move a key
OLD_KEYS = [
    (
        Budget(),
        "0c49f2988b70839cc08b4814c3c102218aaaf195cdd8b36b3e65e8b8b834027c",
        "d7e477bbbde0eba10a698090f1d1d6b76f54857b2d17aaeba560b2ce9315f389",
    ),
    (
        Budget(seed=7, seconds=2.5, memory_mb=300),
        "24c2047ee5f3c38290dd676cd01dffa17e7b065d3a359697cde1d815163a204c",
        "7070e6c368a7d9dd93448ddfe72b6e29fcfeea7b89c88505c3b2f35558fb9ed0",
    ),
    (
        Budget(seed=1, cpu_seconds=3.0, tasks=9),
        "fd851037c7ab083086bb7c8dca8eab0dc3c9a773aac147748f07787734b9a7fc",
        "5263481f0de201d6bdd631281c4c65e263463c6dcb17f73372b55b8988df66d4",
    ),
]


@pytest.mark.parametrize(("budget", "answer", "record"), OLD_KEYS)
def test_keys_are_those_of_the_first_release_while_new_fields_are_unset(
    budget: Budget, answer: str, record: str
) -> None:
    assert answer_key("formula", "0" * 64, "gplearn(generations=5)", "f" * 64, budget) == answer
    assert record_key(answer, {"examine": 1, "r2": 2}, {"preset": "x", "tolerance": 0.5}) == record


def test_every_part_of_a_budget_makes_another_answer() -> None:
    budgets = [Budget(), Budget(tokens=1), Budget(cost=1), Budget(tasks=1), Budget(cpu_seconds=1), Budget(seed=1)]
    assert len({answer_key("t", "p", "s", "d", budget) for budget in budgets}) == len(budgets)
    assert Budget(cost=1).to_json() == Budget(cost=1.0).to_json()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tokens": 0}, "budget: tokens must be"),
        ({"tokens": 1.5}, "budget: tokens must be"),
        ({"cost": 0}, "budget: cost must be a positive number, got 0"),
        ({"cost": float("nan")}, "budget: cost must be a positive number"),
        ({"cost": "2"}, "budget: cost must be a positive number"),
        ({"seconds": None}, "budget: seconds must be a positive number"),
    ],
)
def test_a_senseless_budget_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Budget(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize("amount", [10**400, True, 0, -1.0, float("nan"), float("inf"), "9"])
@pytest.mark.parametrize("name", ["seconds", "cpu_seconds", "cost"])
def test_an_amount_that_is_no_positive_number_is_refused(name: str, amount: object) -> None:
    with pytest.raises(InvalidInput, match=f"budget: {name} must be a positive number, got"):
        Budget(**{name: amount})  # type: ignore[arg-type]
