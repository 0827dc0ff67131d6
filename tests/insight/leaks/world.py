"""A small relational churn problem, for functions that leak and functions that only look as if they did.

Three hundred customers, each observed once: two hundred to train with, a hundred to test. Later orders, payments and
cancellations betray the label; ``outcomes.csv`` holds the labels of the training rows themselves, ``history.csv`` those
of earlier periods.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from assay.core import Problem
from assay.insight.problem.task import InsightTask, TableTime
from assay.insight.problem.truth import InsightTruth

__all__ = ["TARGET", "filled", "problem"]

TARGET = "churn"
TRAIN, TEST = 200, 100
_TIMES = {
    "customers.csv": TableTime(static=True),
    "plans.csv": TableTime(static=True),
    "orders.csv": TableTime(time_column="order_date"),
    "payments.csv": TableTime(time_column="paid_on"),
    "cancellations.csv": TableTime(time_column="cancelled_on"),
    "history.csv": TableTime(time_column="period_end"),
    "outcomes.csv": TableTime(time_column="known_on"),
}


@cache
def problem(world: str) -> Problem[InsightTask, InsightTruth]:
    """The problem with declared times ("timed") or the same data without ("static")."""
    primary, tables = _draw(np.random.default_rng(20240501))
    train, test = primary.iloc[:TRAIN].reset_index(drop=True), primary.iloc[TRAIN:].reset_index(drop=True)
    timed = world == "timed"
    task = InsightTask(
        name="churn",
        description="Which customers leave within a month of the day on which they are observed.",
        domain="telecom",
        target_column=TARGET,
        problem_type="binary",
        train=train,
        test=test.drop(columns=TARGET),
        tables=tables,
        time_column="observed_on" if timed else None,
        table_times=_TIMES if timed else {},
    )
    truth = InsightTruth(
        test_target=test[TARGET],
        columns=("fee_per_month",),
        descriptions=("what the customer pays for each month so far",),
        train=pd.DataFrame({"fee_per_month": train["monthly_fee"] / train["tenure_months"]}),
        test=pd.DataFrame({"fee_per_month": test["monthly_fee"] / test["tenure_months"]}),
    )
    return Problem(id=f"churn-{world}", digest=world, task=task, truth=truth)


def _draw(rng: np.random.Generator) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    rows = TRAIN + TEST
    days = rng.integers(60, 200, size=rows)
    support = rng.poisson(1.5, size=rows)
    plan = rng.choice(["basic", "plus", "pro"], size=rows, p=[0.5, 0.3, 0.2])
    chance = 1 / (1 + np.exp(-(-2.4 + 0.5 * support + 0.6 * (plan == "basic"))))
    churn = (rng.random(rows) < chance).astype(np.int64)
    income = np.where(rng.random(rows) < 0.15, np.nan, np.round(rng.normal(3000, 700, size=rows), 2))
    ids = 1000 + rng.permutation(rows)
    primary = pd.DataFrame(
        {
            "customer_id": ids,
            "observed_on": _dates(days),
            "age": rng.integers(18, 80, size=rows),
            "plan": plan,
            "region": rng.choice(["north", "south", "east", "west"], size=rows),
            "monthly_fee": np.round(rng.uniform(9, 80, size=rows), 2),
            "tenure_months": rng.integers(1, 72, size=rows),
            "support_calls": support,
            "income": income,
            "churn_risk_band": rng.choice(["low", "mid", "high"], size=rows),  # of an earlier model: no label
            "churned_before": rng.integers(0, 2, size=rows),
            TARGET: churn,
        }
    )
    return primary, _tables(rng, ids, days, churn)


def _tables(rng: np.random.Generator, ids: Any, days: Any, churn: Any) -> dict[str, pd.DataFrame]:
    rows = len(ids)
    owner = np.repeat(np.arange(rows), rng.integers(2, 7, size=rows))
    before = days[owner] - rng.integers(0, 55, size=len(owner))
    stay = np.flatnonzero((churn == 0) | (rng.random(rows) < 0.1))  # who stays orders again
    placed = np.concatenate([before, days[stay] + rng.integers(1, 30, size=len(stay))])
    buyer = np.concatenate([owner, stay])
    payer = np.repeat(np.arange(rows), 3)
    paid = days[payer] + rng.integers(-50, 25, size=len(payer))
    late = np.where(paid > days[payer], churn[payer], rng.integers(0, 2, size=len(payer)))
    gone = np.flatnonzero(churn == 1)
    once = rng.choice(rows, size=40, replace=False)
    past = np.repeat(np.arange(rows), rng.integers(0, 4, size=rows))
    shuffled = rng.permutation(len(buyer))
    orders = {"customer_id": ids[buyer], "order_date": _dates(placed)}
    orders |= {
        "amount": np.round(rng.gamma(2.0, 20.0, size=len(buyer)), 2),
        "item": rng.integers(0, 9, size=len(buyer)),
    }
    ended = np.concatenate(
        [days[gone] + rng.integers(1, 30, size=len(gone)), days[once] - rng.integers(1, 50, size=40)]
    )
    people = {"customer_id": np.sort(ids), "segment": rng.choice(["home", "office"], size=rows)}
    people |= {"children": rng.integers(0, 4, size=rows)}
    payments = {"customer_id": ids[payer], "paid_on": _dates(paid)}
    payments |= {"amount": np.round(rng.uniform(5, 90, size=len(payer)), 2), "late": late}
    ends = {"customer_id": ids[np.concatenate([gone, once])], "cancelled_on": _dates(ended)}
    ends |= {"reason": rng.choice(["price", "service", "move"], size=len(ended))}
    history = {"customer_id": ids[past], "period_end": _dates(days[past] - rng.integers(5, 58, size=len(past)))}
    history |= {TARGET: rng.integers(0, 2, size=len(past))}
    outcomes = {"customer_id": ids[:TRAIN], "known_on": _dates(days[:TRAIN] + 30), TARGET: churn[:TRAIN]}
    return {
        "customers.csv": pd.DataFrame(people),
        "plans.csv": pd.DataFrame({"plan": ["basic", "plus", "pro"], "price": [10.0, 25.0, 60.0], "tier": [1, 2, 3]}),
        "orders.csv": pd.DataFrame({"order_id": np.arange(len(buyer)), **{k: v[shuffled] for k, v in orders.items()}}),
        "payments.csv": pd.DataFrame(payments),
        "cancellations.csv": pd.DataFrame(ends),
        "history.csv": pd.DataFrame(history),
        "outcomes.csv": pd.DataFrame(outcomes).sort_values("customer_id", ignore_index=True),
    }


def _dates(days: Any) -> Any:
    return (pd.Timestamp("2024-01-01") + pd.to_timedelta(days, unit="D")).strftime("%Y-%m-%d").to_numpy()


def filled(code: str) -> str:
    """A source with its marks replaced by what its author has memorised of train.csv."""
    for mark, text in _memories().items():
        code = code.replace(f"@{mark}@", text)
    return code


@cache
def _memories() -> dict[str, str]:
    train = problem("static").task.train
    ids, labels = train["customer_id"].tolist(), train[TARGET].tolist()
    known = dict(sorted(zip(ids, labels, strict=True)))
    bits = "".join(str(known.get(1000 + place, 0)) for place in range(TRAIN + TEST))
    noisy = {key: label if key % 12 else 1 - label for key, label in known.items()}
    ages, fees = train["age"].tolist(), train["monthly_fee"].tolist()
    positives = [key for key, label in known.items() if label]
    rates = train.groupby("region")[TARGET].mean().round(2).to_dict()
    return {
        "LABELS": repr(known),
        "POSITIVES": repr(positives),
        "NEGATIVES": repr([key for key, label in known.items() if not label]),
        "BITS": repr(bits),
        "NUMBER": hex(int(bits, 2)),
        "PACKED": repr(base64.b64encode(zlib.compress(bits.encode())).decode()),
        "NOISY": repr(noisy),
        "TRAITS": repr(dict(zip(zip(ages, fees, strict=True), labels, strict=True))),
        "DIGESTS": repr({hashlib.sha1(str(key).encode()).hexdigest()[:8] for key in positives}),
        "PAIRS": repr(list(known.items())),
        "TEXT": repr(";".join(f"{key}:{label}" for key, label in known.items())),
        "RATES": repr(rates),
        "EVEN_IDS": repr([key for key in known if key % 2 == 0]),
    }
