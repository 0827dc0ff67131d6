from __future__ import annotations

import ast
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.insight.leakage.static.findings import FindingKind
from assay.insight.leakage.static.notes import StaticFinding, explain_source

READS = {"own-label", "position", "every-column", "computed-key", "own-train-row", "train-label", "table-label"}


def explain(code: str, name: str = "f", **options: tuple[str, ...]) -> tuple[StaticFinding, ...]:
    return explain_source(code, name, target="churn", **options)


def findings(code: str, name: str = "f", **options: tuple[str, ...]) -> set[tuple[int, FindingKind]]:
    return {(finding.line, finding.kind) for finding in explain(code, name, **options)}


def body(*lines: str, head: str = "def f(row, df_train, aux):") -> str:
    return "\n".join([head, *(f"    {line}" for line in lines)])


@pytest.mark.parametrize(
    "line",
    [
        "return row['churn']",
        'return row.get("churn", 0)',
        "return row.churn",
        "return row.loc['churn']",
        "return row.at['churn']",
        "return row.pop('churn')",
        "return row.__getitem__('churn')",
        "return getattr(row, 'chu' + 'rn')",
        "return row.to_dict()['churn']",
        "return dict(row)['churn']",
        "return row.copy()[['age', 'churn']].sum()",
        "return row[f'{\"chu\"}rn']",
        "return row['{}{}'.format('chu', 'rn')]",
        "return row['%s%s' % ('chu', 'rn')]",
        "return row['%s' % 'churn']",
        "return row[''.join(['chu', 'rn'])]",
        "return row[''.join(chr(c) for c in (99, 104, 117, 114, 110))]",
        "return row['nruhc'[::-1]]",
        "return row['CHURN'.lower()]",
        "return row['churm'.replace('m', 'n')]",
        "return row[b'churn'.decode()]",
        "return row[bytes([99, 104, 117, 114, 110]).decode()]",
        "return row[bytes.fromhex('636875726e').decode()]",
        "import base64; return row[base64.b64decode('Y2h1cm4=').decode()]",
        "import codecs; return row[codecs.decode('puhea', 'rot13')]",
        "import operator; return operator.itemgetter('churn')(row)",
        "from operator import getitem; return getitem(row, 'churn')",
        "return pd.Series.get(row, 'churn')",
        "return (lambda r: r['churn'])(row)",
        "return max(row[key] for key in ('age', 'churn'))",
        "return next(value for key, value in row.items() if key == 'churn')",
        "return list(map(lambda r: r['churn'], [row]))[0]",
        "return (found := row)['churn']",
        "return [row][0]['churn']",
        "box = []; box.append(row); return box[0]['churn']",
        "return {'it': row}['it']['churn']",
        "return row['age'] if row['age'] > 3 else row['churn']",
    ],
)
def test_reading_the_target_from_the_row_is_found_however_it_is_spelled(line: str) -> None:
    assert (2, "own-label") in findings(body(line))


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("KEY = 'churn'\ndef f(row):\n    return row[KEY]", 3),
        ("def f(row, key='churn'):\n    return row[key]", 2),
        ("def f(row, *, key='churn'):\n    return row[key]", 2),
        ("def _h(r, k):\n    return r[k]\ndef f(row):\n    return _h(row, 'churn')", 2),
        ("def _h(r, k):\n    return r[k]\ndef f(row):\n    return _h(k='churn', r=row)", 2),
        ("def make(c):\n    def inner(row):\n        return row[c]\n    return inner\nf = make('churn')", 3),
        ("from functools import partial\ndef g(k, row):\n    return row[k]\nf = partial(g, 'churn')", 3),
        ("f = lambda row: row['churn']", 1),
        ("def twice(g):\n    return lambda row: g(row) * 2\n@twice\ndef f(row):\n    return row['churn']", 5),
        (
            "class B:\n    def __init__(self, r):\n        self.r = r\n    def g(self):\n"
            "        return self.r['churn']\ndef f(row):\n    return B(row).g()",
            5,
        ),
        ("def f(row):\n    r = row\n    s = r\n    key = 'chu'\n    key += 'rn'\n    return s[key]", 6),
        ("def f(row):\n    for key in ['age', 'churn']:\n        yes = row[key]\n    return yes", 3),
        ("def f(row):\n    match row.to_dict():\n        case {'churn': c}:\n            return c", 3),
        ("def f(row):\n    try:\n        return row['churn']\n    except KeyError:\n        return 0", 3),
        ("def f(row):\n    with open('x') as _:\n        return row['churn']", 3),
        (
            "def f(row):\n    if row['a']:\n        key = 'churn'\n    else:\n        key = 'b'\n    return row[key]",
            6,
        ),
        ("def f(row):\n    def inner():\n        return row['churn']\n    return inner()", 3),
        ("def f(df):\n    return df['churn'] * 2", 2),
        ("def f(df):\n    return df.apply(lambda r: r['churn'], axis=1)", 2),
        ("def f(df, aux):\n    return df.groupby('plan')['churn'].transform('mean')", 2),
        ("def f(churn):\n    return churn", 1),
    ],
)
def test_names_are_followed_through_the_source_to_the_line(code: str, line: int) -> None:
    assert (line, "own-label") in findings(code)


@pytest.mark.parametrize(
    "line",
    [
        "return row['churn_risk'] + row.get('churned', 0) + row.churn_before",
        "return row['age']  # not row['churn']",
        "'row[\"churn\"]'; return row['age']",
        "churn = row['age']; return churn",
        "return len(row) + row.isna().sum() + row.notna().sum() + row.count()",
        "return 'churn' in row",
        "return row.drop('churn').sum()",
        "return row.drop(labels=['churn'], errors='ignore').mean()",
        "return row[['age', 'fee']].sum()",
        "return sum(row[key] for key in ('age', 'fee'))",
        "return sum(v for k, v in row.items() if k != 'churn')",
        "return sum(row[k] for k in row.index if k not in ('churn', 'id'))",
        "return df_train['age'].mean() - row['age']",
        "return df_train.drop(columns=['churn'])['age'].mean()",
        "return {'churn': 1}['churn'] + row['age']",
        "other = {'churn': 2}; return other['churn']",
        "return aux['plans.csv'].set_index('plan').loc[row['plan'], 'price']",
    ],
)
def test_what_only_mentions_the_target_is_no_read_of_it(line: str) -> None:
    assert not {kind for _, kind in findings(body(line))} & READS


def test_a_label_from_a_history_table_is_not_called_the_own_label() -> None:
    code = body(
        "history = aux['history.csv']",
        "past = history[(history['id'] == row['id']) & (history['day'] < row['day'])]",
        "prev_row = past.iloc[-1]",
        "return prev_row['churn']",
    )
    assert findings(code) == {(5, "table-label")}


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("return row.values[-1]", "position"),
        ("return row.iloc[-1] * 2", "position"),
        ("return row.to_numpy()[-1]", "position"),
        ("return list(row)[-1]", "position"),
        ("*_, last = row; return last", "position"),
        ("return row[row.index[-1]]", "every-column"),
        ("return pd.to_numeric(row, errors='coerce').sum()", "every-column"),
        ("return sum(v for k, v in row.items())", "every-column"),
        ("return str(row)", "every-column"),
        ("return [row[k] for k in row.keys()]", "every-column"),
        ("return row.filter(like='chu')", "every-column"),
        ("return row[open('x').read()]", "computed-key"),
        ("return df_train['churn'].mean()", "train-label"),
        ("return df_train.churn.mean()", "train-label"),
        ("return df_train.groupby('churn')['age'].mean()[1]", "train-label"),
        ("return df_train.loc[row.name, 'churn']", "own-train-row"),
        ("return df_train.loc[row.name]['churn']", "own-train-row"),
        ("return df_train['churn'].iloc[row.name]", "own-train-row"),
        ("return df_train[df_train['plan'] == row['plan']]['churn'].mean()", "own-train-row"),
        ("return df_train.loc[df_train.plan == row.plan, 'churn'].mean()", "own-train-row"),
        ("return df_train.query(f\"id == {row['id']}\")['churn'].sum()", "own-train-row"),
        ("return df_train.groupby('plan')['churn'].mean().get(row['plan'])", "own-train-row"),
        ("return dict(zip(df_train['id'], df_train['churn']))[row['id']]", "own-train-row"),
        ("return df_train.set_index('id')['churn'][row['id']]", "own-train-row"),
        ("return df_train.iloc[:, -1].mean()", "position"),
        ("return aux['outcomes.csv'].set_index('id')['churn'][row['id']]", "table-label"),
        ("return row.name", "row-identity"),
    ],
)
def test_other_ways_to_a_label_have_their_own_kinds(line: str, kind: FindingKind) -> None:
    assert (2, kind) in findings(body(line))


def test_leaving_the_own_row_out_is_told_apart() -> None:
    both = "(df_train['plan'] == row['plan']) & (df_train['id'] != row['id'])"
    for line in (f"return df_train[{both}]['churn'].mean()", f"return df_train.loc[{both}, 'churn'].mean()"):
        (finding,) = explain(body(line))
        assert finding.kind == "train-label"
        assert "other rows" in finding.words


@pytest.mark.parametrize(
    ("code", "line", "kind"),
    [
        ("def f(row):\n    return open('train.csv').read()", 2, "files"),
        ("def f(row):\n    import pandas as p\n    return p.read_csv('train.csv')", 3, "files"),
        ("from pathlib import Path\ndef f(row):\n    return Path('x').read_text()", 3, "files"),
        ("def f(row):\n    g = open\n    return g('x')", 2, "files"),
        ("import socket\ndef f(row):\n    return 1", 1, "network"),
        ("def f(row):\n    from urllib.request import urlopen\n    return urlopen('x')", 2, "network"),
        ("import os\ndef f(row):\n    return os.system('ls')", 3, "processes"),
        ("import sys\ndef f(row):\n    return sys._getframe(1)", 3, "introspection"),
        ("def f(row):\n    return (lambda: 0).__globals__", 2, "introspection"),
        ("import gc\ndef f(row):\n    return gc.get_objects()", 3, "introspection"),
        ("def f(row):\n    return eval('1')", 2, "dynamic-code"),
        ("def f(row):\n    return globals()['x']", 2, "dynamic-code"),
        ("def f(row):\n    return __import__('os')", 2, "dynamic-code"),
        ("def f(row):\n    return pd.Timestamp.now()", 2, "clock"),
        ("def f(row):\n    return pd.to_datetime('today')", 2, "clock"),
        ("from datetime import datetime as d\ndef f(row):\n    return d.now()", 3, "clock"),
        ("import time as t\ndef f(row):\n    return t.time()", 3, "clock"),
        ("import random\ndef f(row):\n    return random.random()", 3, "randomness"),
        ("def f(row):\n    return np.random.rand()", 2, "randomness"),
        ("def f(df):\n    return df.sample(3)", 2, "randomness"),
        ("def f(row):\n    return hash(row['plan'])", 2, "randomness"),
        ("C = {}\ndef f(row):\n    C[row['id']] = 1\n    return len(C)", 3, "state"),
        ("C = []\ndef f(row):\n    C.append(1)\n    return len(C)", 3, "state"),
        ("def f(row, seen=[]):\n    seen.append(1)\n    return len(seen)", 2, "state"),
        ("def f(row):\n    f.calls = 1\n    return 0", 2, "state"),
        ("n = 0\ndef f(row):\n    global n\n    n += 1\n    return n", 3, "state"),
        ("import itertools\nc = itertools.count()\ndef f(row):\n    return next(c)", 4, "state"),
        ("from functools import lru_cache\n@lru_cache\ndef f(row):\n    return 1", 2, "state"),
        ("def f(df):\n    return df['age'].cumsum() + df.index", 2, "row-identity"),
        ("def f(df):\n    return df.shift(1)['age']", 2, "row-identity"),
        ("X = {" + ", ".join(f"{i}: 1" for i in range(30)) + "}\ndef f(row):\n    return X[row['id']]", 1, "literals"),
        ("def f(row, x='" + "01" * 150 + "'):\n    return x[row['id']]", 1, "literals"),
        (f"def f(row):\n    return ({2**300} >> row['id']) & 1", 2, "literals"),
    ],
)
def test_what_a_source_reaches_for_is_pointed_out(code: str, line: int, kind: FindingKind) -> None:
    assert (line, kind) in findings(code)


def test_a_local_variable_is_neither_a_module_nor_state() -> None:
    code = body("date = row['day']", "seen = []", "seen.append(date.today)", "return len(seen)")
    assert findings(code) == set()


def test_long_docstrings_and_short_tables_are_no_memories() -> None:
    code = "def f(row):\n    '''" + "words " * 100 + "'''\n    return {'a': 1, 'b': 2}.get(row['plan'])"
    assert findings(code) == set()


def test_rows_of_a_table_used_whatever_their_time_are_pointed_out() -> None:
    unlimited = body("orders = aux['orders.csv']", "return orders[orders['id'] == row['id']]['order_date'].max()")
    limited = body(
        "orders = aux['orders.csv']",
        "own = orders[(orders['id'] == row['id']) & (orders['order_date'] <= row['day'])]",
        "return len(own)",
    )
    assert (2, "undated") in findings(unlimited)
    assert findings(limited, tables=("orders.csv",)) == set()
    count = body("return len(aux['orders.csv'])")
    assert findings(count) == set()
    assert findings(count, tables=("orders.csv",)) == {(2, "undated")}


@pytest.mark.parametrize(
    "code", ["def f(row:\n", "", "x = 1", "def g(row):\n    return 1", "\0", "def f(row): '\ud800'"]
)
def test_a_source_that_cannot_be_followed_has_one_finding(code: str) -> None:
    (finding,) = explain(code)
    assert finding.kind == "syntax"
    assert finding.words.endswith(".")


@pytest.mark.parametrize(
    "code",
    [
        "X = [" + "1," * 200_000 + "]\ndef f(row):\n    return X[row['id']]",
        "X = '" + "1" * 990_000 + "'\ndef f(row):\n    return X[row['id']]",
        "def f(row):\n    return " + "+".join(["row['a']"] * 20_000),
        "def f(row):\n    return " + "(" * 5_000 + "1" + ")" * 5_000,
        "def f(row):\n    return " + "-" * 50_000 + "1",
        "def f(row):\n    return row" + ".a" * 50_000,
        "def f(row):\n" + "    x = row['a']\n" * 15_000,
        "def f(row):\n" + "".join(" " * k + "for x in row.items():\n" for k in range(1, 20)) + " " * 20 + "pass",
        "".join(f"def g{k}(r): return g{k + 1}(r) + g{k + 1}(r)\n" for k in range(500)) + "def f(row): return g0(row)",
        "def f(row):\n    x = [row]\n" + "    x = [x, x, x, x]\n" * 300 + "    return x == row['a']",
        "def f(row):\n    return f(row) + f(row)",
        "def f(row):\n    return " + "'ab' * 8" + " * 8" * 100,
        "def f(row):\n    return row['%999999999d' % 5]",
    ],
)
def test_hostile_sources_take_bounded_time_and_never_raise(code: str) -> None:
    started = time.process_time()
    explain(code)
    assert time.process_time() - started < 5


@given(st.text(max_size=200))
def test_any_text_is_explained_without_trouble(text: str) -> None:
    for finding in explain(text):
        assert finding.line >= 1


TOKENS = [
    "row",
    "df_train",
    "aux",
    "'churn'",
    "[",
    "]",
    "(",
    ")",
    ".",
    "get",
    "loc",
    "values",
    "=",
    "+",
    "for x in",
    ":",
]
TOKENS += [
    "lambda",
    "if",
    "else",
    "-1",
    ",",
    "name",
    "*",
    "{",
    "}",
    "in",
    "==",
    "not",
    "items",
    "f'{row}'",
    "yield",
    "1",
]


@given(st.lists(st.sampled_from(TOKENS), max_size=14))
def test_any_mixture_of_tokens_is_explained_without_trouble(tokens: list[str]) -> None:
    code = body("return " + " ".join(tokens))
    findings = explain(code)
    assert findings == tuple(sorted(findings))
    try:
        ast.parse(code)
    except SyntaxError:
        assert [finding.kind for finding in findings] == ["syntax"]


def test_loops_are_followed_twice_but_nested_ones_not_again_and_again() -> None:
    code = body("key = 'age'", "for _ in range(2):", "    value = row[key]", "    key = 'churn'", "return value")
    assert findings(code) == {(4, "own-label")}
    loops = [" " * depth + "for x in range(3):" for depth in range(18)]
    assert findings(body(*loops, " " * 18 + "y = row['churn']")) == {(20, "own-label")}


def test_nothing_of_the_source_is_run(capsys: pytest.CaptureFixture[str]) -> None:
    explain("print('ran')\nraise SystemExit\ndef f(row):\n    print('ran')")
    assert capsys.readouterr().out == ""


def test_every_finding_is_one_plain_sentence() -> None:
    lines = [
        "row['churn']",
        "row.values[-1]",
        "open('x')",
        "df_train['churn']",
        "np.random.rand()",
        "aux['t']['churn']",
    ]
    for finding in explain(body(*lines)):
        assert finding.words.endswith(".")
        assert finding.words.count(". ") == 0
        assert len(finding.words) < 200


@pytest.mark.parametrize(
    ("merged", "told"),
    [
        ("df.merge(o, on='id'); m = m[m['order_date'] <= m['seen_on']]", False),
        ("o.merge(df[['id', 'seen_on']], on='id'); m = m[pd.to_datetime(m['order_date']) < m['seen_on']]", False),
        ("pd.merge(df, o, on='id'); m = m.loc[m.order_date < m.seen_on]", False),
        ("df.merge(o, on='id').query('order_date <= seen_on')", False),
        ("df.merge(o, on='id')", True),
    ],
)
def test_times_compared_after_a_merge_are_understood(merged: str, told: bool) -> None:
    code = (
        f"def f(df, aux):\n    o = aux['orders.csv']\n    m = {merged}\n    return df['id'].map(m.groupby('id').size())"
    )
    findings = explain_source(code, "f", target="y", tables=["orders.csv"])
    assert any(finding.kind == "undated" for finding in findings) == told


SEVERAL = """import random
import socket
_FIRST = {table}
_SECOND = frozenset({table})
_SOURCE = open("rates.txt").read()
def _helper(row):
    return row["id"] in _SECOND
def first(row):
    return row["id"] in _FIRST
def second(row):
    return _helper(row)
def by_chance(row):
    return random.random()
def fetched(row):
    return socket.gethostname()
def plain(row):
    return row["age"]
""".format(table=list(range(1000, 1040)))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("first", {(3, "literals")}),
        ("second", {(4, "literals")}),
        ("by_chance", {(13, "randomness")}),
        ("fetched", {(2, "network"), (15, "network")}),
        ("plain", set()),
    ],
)
def test_notes_are_those_of_the_function_and_what_it_leads_to(
    name: str, expected: set[tuple[int, FindingKind]]
) -> None:
    at_loading: set[tuple[int, FindingKind]] = {(5, "files")}  # is done whichever function is asked for
    assert findings(SEVERAL, name) == expected | at_loading


def test_a_source_that_looks_names_up_as_texts_is_noted_in_whole() -> None:
    code = SEVERAL + "def hidden(row):\n    return globals()['fi' + 'rst'](row)\n"
    assert {(3, "literals"), (4, "literals"), (13, "randomness")} <= findings(code, "hidden")
