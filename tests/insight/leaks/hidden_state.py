"""Functions that keep labels from one call to the next, or look for them outside."""

from __future__ import annotations

__all__ = ["ENTRIES"]

ENTRIES = [
    {
        "name": "cached_label",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the label is cached at the first call and served later",
        "code": """\
_cache = {}

def cached_label(row):
    key = row['customer_id']
    if key not in _cache:
        _cache[key] = row['churn']
    return _cache[key]
""",
    },
    {
        "name": "label_in_default",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "labels collect in a default argument",
        "code": """\
def label_in_default(row, _store={}):
    return _store.setdefault(row['customer_id'], row['churn'])
""",
    },
    {
        "name": "label_of_first_call",
        "expected": "leak",
        "kind": "any",
        "world": "static",
        "why": "the label of the row that is called first",
        "code": """\
_kept = []

def label_of_first_call(row):
    if not _kept:
        _kept.append(row['churn'])
    return _kept[0]
""",
    },
    {
        "name": "label_through_object",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "an object carries the row from one method to the other",
        "code": """\
class Carrier:
    def __init__(self, record):
        self.record = record

    def tell(self):
        return self.record['churn'] * 3

def label_through_object(row):
    return Carrier(row).tell()
""",
    },
    {
        "name": "label_through_cache",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "a cached helper over a key made from the whole row",
        "code": """\
from functools import lru_cache

@lru_cache(maxsize=None)
def _score(values):
    return values[-1]

def label_through_cache(row):
    return _score(tuple(row))
""",
    },
    {
        "name": "previous_label",
        "expected": "leak",
        "kind": "any",
        "world": "static",
        "why": "the label of the row called before",
        "code": """\
_before = [0]

def previous_label(row):
    value, _before[0] = _before[0], row['churn']
    return value
""",
    },
    {
        "name": "running_label_mean",
        "expected": "leak",
        "kind": "any",
        "world": "static",
        "why": "the mean label of all calls so far, the own one included",
        "code": """\
_labels = []

def running_label_mean(row):
    _labels.append(row['churn'])
    return sum(_labels) / len(_labels)
""",
    },
    {
        "name": "train_csv_from_disk",
        "expected": "blocked",
        "kind": "any",
        "world": "static",
        "why": "reads train.csv, which the sandbox does not show",
        "code": """\
def train_csv_from_disk(row):
    train = pd.read_csv('train.csv')
    return train.loc[train['customer_id'] == row['customer_id'], 'churn'].iloc[0]
""",
    },
    {
        "name": "labels_from_the_network",
        "expected": "blocked",
        "kind": "any",
        "world": "static",
        "why": "asks a server, which the sandbox does not allow",
        "code": """\
def labels_from_the_network(row):
    from urllib.request import urlopen
    return float(urlopen('http://127.0.0.1:9/labels/%d' % row['customer_id']).read())
""",
    },
]
