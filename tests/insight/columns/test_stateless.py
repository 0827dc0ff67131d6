"""Which functions may go through all states of their tables in one process."""

from __future__ import annotations

import pytest

from assay.insight.columns.stateless import leaves_nothing

HARMLESS = (
    "def f(row, aux): return 1",
    "import pandas as pd\nfrom datetime import timedelta\ndef f(row): return pd.to_datetime(row['d']) - timedelta(1)",
    "calls = []\ndef f(row, aux):\n    calls.append(1)\n    return len(calls)",
    "def f(row, aux):\n    t = aux['a'].copy()\n    t.columns = ['x']\n    t['y'] = 1\n    return 0 if t.empty else 1",
    "def f(row, aux):\n    date = pd.Timestamp(row['d'])\n    return date.year",
    "def f(row, aux):\n    try:\n        return np.log1p(row['x'])\n    except (KeyError, ValueError): return None",
    "def f(df, aux):\n    return df.merge(aux['a'], on='k').groupby('k')['v'].agg(lambda v: v.max() - v.min())",
)
UNSETTLING = (
    "def f(row, aux):\n    pd.DataFrame.size = 1\n    return 1",
    "def f(row, aux):\n    c = pd.DataFrame\n    c.name = 1\n    return 1",
    "def g(c):\n    c.name = 1\ndef f(row, aux):\n    g(pd.DataFrame)\n    return 1",
    "def f(row, aux):\n    aux['a'].columns.name = 'x'\n    return 1",
    "def f(row, aux): return setattr(pd, 'x', 1)",
    "def f(row, aux): return pd.set_option('display.width', 3)",
    "from pandas import set_option\ndef f(row, aux): return set_option('display.width', 3)",
    "def f(row, aux):\n    pd.options.display.width = 3\n    return 1",
    "def f(row, aux): return np.random.random()",
    "from numpy import random as r\ndef f(row, aux): return r.random()",
    "def f(row, aux): return aux['a'].sample(1)['x'].iloc[0]",
    "import random\ndef f(row, aux): return random.random()",
    "import sys\ndef f(row, aux): return len(sys.modules)",
    "def f(row, aux): return row.__class__",
    "def f(row, aux): return getattr(pd, 'set_' + 'option')('display.width', 3)",
    "def f(row, aux): return aux['a'].query('@pd.set_option(1)')",
    "def f(row, aux): return id(row)",
    "def f(row, aux): return eval('1')",
    "def f(row, aux):\n    np.sctypeDict['x'] = 1\n    return 1",
    "def f(row, aux):\n    np.sctypeDict.update(x=1)\n    return 1",
    "def f(row, aux):\n    t = np.sctypeDict\n    t['x'] = 1\n    return 1",
    "class C(pd.DataFrame): pass\ndef f(row, aux): return 1",
    "def f(row, aux): return open('x')",
    "from math import *\ndef f(row, aux): return pi",
    "def f(row, aux: return 1",
)


@pytest.mark.parametrize("code", HARMLESS)
def test_plain_functions_leave_nothing_behind(code: str) -> None:
    assert leaves_nothing(code)


@pytest.mark.parametrize("code", UNSETTLING)
def test_what_could_outlast_a_state_is_not_taken_for_harmless(code: str) -> None:
    assert not leaves_nothing(code)
