"""Functions whose value depends on where a row stands or on the calls before it."""

from __future__ import annotations

__all__ = ["ENTRIES"]

ENTRIES = [
    {
        "name": "call_counter",
        "expected": "leak",
        "kind": "order",
        "world": "static",
        "why": "the number of the call",
        "code": """\
_calls = [0]

def call_counter(row):
    _calls[0] += 1
    return _calls[0]
""",
    },
    {
        "name": "index_label",
        "expected": "leak",
        "kind": "order",
        "world": "static",
        "why": "the row's index",
        "code": """\
def index_label(row):
    return row.name
""",
    },
    {
        "name": "index_parity",
        "expected": "leak",
        "kind": "order",
        "world": "static",
        "why": "the row's index modulo seven",
        "code": """\
def index_parity(row, df_train):
    return int(row.name) % 7
""",
    },
    {
        "name": "expanding_mean",
        "expected": "leak",
        "kind": "order",
        "world": "static",
        "why": "the mean of all fees seen so far",
        "code": """\
_seen = []

def expanding_mean(row):
    _seen.append(row['monthly_fee'])
    return sum(_seen) / len(_seen)
""",
    },
    {
        "name": "previous_age",
        "expected": "leak",
        "kind": "order",
        "world": "static",
        "why": "the age of the row before",
        "code": """\
_last = {'age': 0}

def previous_age(row):
    before = _last['age']
    _last['age'] = row['age']
    return before
""",
    },
    {
        "name": "first_fee",
        "expected": "leak",
        "kind": "order",
        "world": "static",
        "why": "keeps what the first call has seen",
        "code": """\
_first = []

def first_fee(row):
    if not _first:
        _first.append(row['monthly_fee'])
    return row['monthly_fee'] - _first[0]
""",
    },
    {
        "name": "counting_iterator",
        "expected": "leak",
        "kind": "order",
        "world": "static",
        "why": "an endless counter",
        "code": """\
import itertools

_numbers = itertools.count()

def counting_iterator(row):
    return next(_numbers) // 10
""",
    },
    {
        "name": "seen_plan_before",
        "expected": "leak",
        "kind": "order",
        "world": "static",
        "why": "whether the plan came up in an earlier call",
        "code": """\
def seen_plan_before(row, _known=set()):
    known = row['plan'] in _known
    _known.add(row['plan'])
    return int(known)
""",
    },
    {
        "name": "attribute_counter",
        "expected": "leak",
        "kind": "order",
        "world": "static",
        "why": "counts calls in an attribute of the function",
        "code": """\
def attribute_counter(row):
    attribute_counter.calls = getattr(attribute_counter, 'calls', 0) + 1
    return attribute_counter.calls % 3
""",
    },
    {
        "name": "place_in_train",
        "expected": "leak",
        "kind": "order",
        "world": "static",
        "why": "where the customer stands in df_train",
        "code": """\
def place_in_train(row, df_train):
    found = df_train.index[df_train['customer_id'] == row['customer_id']]
    return int(found[0]) if len(found) else -1
""",
    },
    {
        "name": "running_total",
        "expected": "leak",
        "kind": "order",
        "world": "static",
        "why": "a cumulative sum over the table",
        "code": """\
def running_total(df):
    return df['support_calls'].cumsum()
""",
    },
    {
        "name": "fee_of_row_before",
        "expected": "leak",
        "kind": "order",
        "world": "static",
        "why": "the row above",
        "code": """\
def fee_of_row_before(df):
    return df['monthly_fee'].shift(1).fillna(0)
""",
    },
    {
        "name": "line_number",
        "expected": "leak",
        "kind": "order",
        "world": "static",
        "why": "the position in the table",
        "code": """\
def line_number(df):
    return pd.Series(np.arange(len(df)), index=df.index)
""",
    },
    {
        "name": "table_index",
        "expected": "leak",
        "kind": "order",
        "world": "static",
        "why": "the index of the table",
        "code": """\
def table_index(df):
    return df.index.to_series() * 2
""",
    },
    {
        "name": "rolling_calls",
        "expected": "leak",
        "kind": "order",
        "world": "static",
        "why": "the mean of three neighbouring rows",
        "code": """\
def rolling_calls(df, aux):
    return df['support_calls'].rolling(3, min_periods=1).mean()
""",
    },
    {
        "name": "first_of_plan",
        "expected": "leak",
        "kind": "order",
        "world": "static",
        "why": "whether a row is the first of its plan and region",
        "code": """\
def first_of_plan(df):
    return (~df.duplicated(['plan', 'region'])).astype(int)
""",
    },
]
