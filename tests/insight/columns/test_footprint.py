"""What a function can read is told by its source, or nothing is said."""

from __future__ import annotations

import pytest

from assay.insight.columns.footprint import Footprint, read_footprint

COLUMNS = ("loan_id", "amount", "day", "defaulted")

KNOWN = {
    "def f(row): return row['amount'] * 2": Footprint(("amount",), (), False),
    "def f(row): return row.get('bonus', 0) if 'day' in row else None": Footprint(("bonus", "day"), (), False),
    "def f(row, aux): return 1": Footprint((), (), False),
    "def f(row, aux): return len(aux['calls.csv'])": Footprint((), (), True),
    "def f(amount): return amount + 1": Footprint(("amount",), (), False),
    "def f(row, df_train): return df_train[df_train['a'] == row['day']]['b'].mean()": Footprint(
        ("day",), ("a", "b"), False
    ),
    "def f(row, df_train): return df_train.loc[df_train['a'].isin([1]), ['b', 'c']].sum().sum()": Footprint(
        (), ("a", "b", "c"), False
    ),
    "def f(row, df_train):\n    m = df_train[(df_train['a'] > 1) & ~(df_train['b'] < 2)]\n    return len(m)": Footprint(
        (), ("a", "b"), False
    ),
    "def f(row, df_train): return df_train.groupby('a')['b'].mean().max()": Footprint((), None, False),
    "import pandas as pd\ndef f(row, t=pd.Timestamp('2024-01-01')): return (t - pd.to_datetime(row['day'])).days": (
        Footprint(("day",), (), False)
    ),
    "def f(row, aux):\n    t = aux['a'].merge(aux['b'])\n    t['c'] = t['d'] * 2\n    return t['c'].sum()": Footprint(
        (), (), True
    ),
    "def f(row):\n    o = []\n    for p in [1, 2]:\n        o.append(p * row['day'])\n    return sum(o)": Footprint(
        ("day",), (), False
    ),
    "LIMITS = {'a': 3}\ndef f(row): return LIMITS['a'] < row['amount']": Footprint(("amount",), (), False),
}

UNKNOWN = {
    "the row as a whole": "def f(row): return str(row)",
    "its place": "def f(row): return row.name",
    "a column named by a variable": "def f(row):\n    c = 'defaulted'\n    return row[c]",
    "values by position": "def f(row): return row.values[-1]",
    "a row that is written to": "def f(row):\n    row['amount'] = 1\n    return row['amount']",
    "another name for the row": "def f(row):\n    r = row\n    return r['defaulted']",
    "a table that is written to": "def f(row, aux):\n    t = aux['a']\n    t['n'] = 1\n    return t['n'].sum()",
    "a table changed in place": "def f(row, aux):\n    aux['a'].sort_values('b', inplace=True)\n    return 1",
    "an array changed in place": "def f(row, aux):\n    v = aux['a']['b'].values\n    v += 1\n    return v.sum()",
    "an array given to write into": "def f(row, aux):\n    v = aux['a']['b'].values\n    return np.abs(v, v).sum()",
    "a method called by its name": "def f(row, df_train): return df_train.agg('pop', 0, 'a').sum()",
    "a default that counts": "import itertools\ndef f(row, n=itertools.count()): return next(n)",
    "a default that keeps": "def f(row, seen=[]):\n    seen.append(1)\n    return len(seen)",
    "a list of the module": "SEEN = []\ndef f(row):\n    SEEN.append(1)\n    return len(SEEN)",
    "a table of a module's": "d = {}\ndef f(row):\n    d['n'] = 1\n    return len(d)",
    "a second function": "def g(x): return x\ndef f(row): return g(row['amount'])",
    "a decorator": "import functools\n@functools.cache\ndef f(row): return 1",
    "random numbers": "import random\ndef f(row): return random.random()",
    "the clock": "from datetime import datetime\ndef f(row): return datetime.now().year",
    "the clock by a word": "import pandas as pd\ndef f(row): return pd.Timestamp('now').year",
    "addresses": "def f(row): return id(row['amount'])",
    "a file": "import pandas as pd\ndef f(row): return pd.read_csv('train.csv').shape[0]",
    "a whole table at once": "def f(df): return df['amount']",
    "rows by their places": "def f(row, aux):\n    aux['a'].pop('b')\n    return 1",
    "a name that is taken": "def f(row):\n    len = row.get\n    return len('amount')",
    "a function kept under a name": "def f(row, aux):\n    go = aux.pop\n    return go('a').size",
    "code that cannot be read": "def f(row:",
}


@pytest.mark.parametrize("code", KNOWN)
def test_the_columns_that_a_function_reads_are_told(code: str) -> None:
    assert read_footprint(code, "f", COLUMNS) == KNOWN[code]


@pytest.mark.parametrize("what", UNKNOWN)
def test_nothing_is_said_of_a_function_that_may_read_or_change_more(what: str) -> None:
    assert read_footprint(UNKNOWN[what], "f", COLUMNS) is None


@pytest.mark.parametrize(
    "use",
    [
        "df_train['a' if row['day'] else 'b']",
        "df_train[['a', *row['day']]]",
        "df_train.merge(df_train)['a']",
        "df_train.iloc[0]['a']",
        "df_train[row['day']]",
        "df_train[row['day'] or 'a']",
        "df_train.loc[row['day']]['a']",
    ],
)
def test_a_table_of_which_any_column_may_be_read_is_read_whole(use: str) -> None:
    footprint = read_footprint(f"def f(row, df_train): return {use}.sum()", "f", COLUMNS)
    assert footprint is None or footprint.train is None


def test_another_name_of_a_table_must_always_be_that_table() -> None:
    code = "def f(row, df_train):\n    t = df_train[df_train['a'] > 0]\n    return t['b'].sum()"
    assert read_footprint(code, "f", COLUMNS) == Footprint((), ("a", "b"), False)
    mixed = code.replace("    return", "    if row['day']:\n        t = df_train['c']\n    return")
    footprint = read_footprint(mixed, "f", COLUMNS)
    assert footprint is not None
    assert footprint.train is None or "c" in footprint.train
