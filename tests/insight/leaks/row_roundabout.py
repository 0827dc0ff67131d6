"""Functions that read the row's own label in roundabout ways: closures, decoded names, frames, the heap."""

from __future__ import annotations

__all__ = ["ENTRIES"]

ENTRIES = [
    {
        "name": "closure_over_the_name",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the column is bound in a closure",
        "code": """\
def _reader(column):
    def read(record):
        return record[column]
    return read

closure_over_the_name = _reader('churn')
""",
    },
    {
        "name": "name_as_default",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the column is a default argument",
        "code": """\
def name_as_default(row, df_train, column='churn'):
    return row[column] + 0.5
""",
    },
    {
        "name": "module_constant",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the column is a constant outside",
        "code": """\
KEYS = ['age', 'churn']

def module_constant(row):
    return sum(row[key] for key in KEYS)
""",
    },
    {
        "name": "pattern_match",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "a mapping pattern takes the label out",
        "code": """\
def pattern_match(row):
    match row.to_dict():
        case {'churn': 1}:
            return 'gone'
        case _:
            return 'here'
""",
    },
    {
        "name": "unpacked_tail",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the last value of an unpacked row",
        "code": """\
def unpacked_tail(row):
    *_, last = row
    return last
""",
    },
    {
        "name": "filter_by_name",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "a filter on column names finds the label too",
        "code": """\
def filter_by_name(row):
    return pd.to_numeric(row.filter(regex='^churn$')).sum()
""",
    },
    {
        "name": "executed_text",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the reading line is a text that is executed",
        "code": """\
def executed_text(row):
    found = {}
    exec("found['it'] = row['chu' 'rn']", {'found': found, 'row': row})
    return found['it']
""",
    },
    {
        "name": "evaluated_text",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the expression is spelled backwards and evaluated",
        "code": """\
def evaluated_text(row):
    return eval("]'nruhc'[wor"[::-1])
""",
    },
    {
        "name": "decoded_key",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the column's name is in base64",
        "code": """\
import base64

def decoded_key(row):
    return row[base64.b64decode('Y2h1cm4=').decode()]
""",
    },
    {
        "name": "itemgetter_read",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "an itemgetter instead of brackets",
        "code": """\
from operator import itemgetter

def itemgetter_read(row):
    return itemgetter('churn')(row)
""",
    },
    {
        "name": "frame_walk",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "looks for a table with the label in the frames of its callers",
        "code": """\
import sys

def frame_walk(row):
    frame = sys._getframe()
    while frame is not None:
        for held in list(frame.f_locals.values()):
            for table in (held, getattr(held, 'frame', None), getattr(held, '_frame', None)):
                if type(table) is pd.DataFrame and 'churn' in table.columns:
                    own = table[table['customer_id'] == row['customer_id']]
                    if len(own):
                        return own['churn'].iloc[0]
        frame = frame.f_back
    return 0
""",
    },
    {
        "name": "frame_walk_to_train",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "finds df_train in the caller although it is also passed",
        "code": """\
import sys

def frame_walk_to_train(row, df_train):
    frame = sys._getframe(0)
    table = frame.f_locals['df_train']
    return table.loc[table['customer_id'] == row['customer_id'], 'churn'].max()
""",
    },
    {
        "name": "heap_walk",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "follows references from the row until it meets a table with the label",
        "code": """\
import gc

def heap_walk(row):
    waiting, seen = [row], set()
    while waiting and len(seen) < 2000:
        thing = waiting.pop(0)
        if id(thing) in seen or isinstance(thing, type):
            continue
        seen.add(id(thing))
        if type(thing) is pd.DataFrame and 'churn' in thing.columns:
            return int(thing.loc[thing['customer_id'] == row['customer_id'], 'churn'].iloc[0])
        waiting.extend(gc.get_referents(thing))
    return 0
""",
    },
]
