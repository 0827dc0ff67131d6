"""Functions that read the row's own label from the row itself."""

from __future__ import annotations

__all__ = ["ENTRIES"]

ENTRIES = [
    {
        "name": "plain_read",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the label itself",
        "code": """\
def plain_read(row):
    return row['churn']
""",
    },
    {
        "name": "get_with_default",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the label through get, without further arguments",
        "code": """\
def get_with_default(row):
    return row.get('churn', 0)
""",
    },
    {
        "name": "get_with_tables",
        "expected": "leak",
        "kind": "own label",
        "world": "timed",
        "why": "the label through get, with tables that are not used",
        "code": """\
def get_with_tables(row, aux_dataframes):
    return row.get('churn', 0)
""",
    },
    {
        "name": "getattr_of_parts",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the name is put together at run time",
        "code": """\
def getattr_of_parts(row):
    return getattr(row, 'chu' + 'rn')
""",
    },
    {
        "name": "attribute_read",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the label as an attribute",
        "code": """\
def attribute_read(row, df_train):
    return int(row.churn == 1)
""",
    },
    {
        "name": "last_value",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the target is the last column",
        "code": """\
def last_value(row):
    return row.values[-1]
""",
    },
    {
        "name": "last_value_is_one",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "only positives change the value",
        "code": """\
def last_value_is_one(row):
    return 1 if row.values[-1] == 1 else 0
""",
    },
    {
        "name": "last_value_scaled",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "arithmetic would fail on a removed label",
        "code": """\
def last_value_scaled(row):
    return row.values[-1] * 2 + 1
""",
    },
    {
        "name": "scaled_attribute",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "arithmetic would fail on a removed label",
        "code": """\
def scaled_attribute(row):
    return float(getattr(row, 'chu' + 'rn')) * 10
""",
    },
    {
        "name": "dict_of_parts",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the row as a dict, the key put together",
        "code": """\
def dict_of_parts(row, aux_dataframes):
    record = row.to_dict()
    return record['chu' + 'rn']
""",
    },
    {
        "name": "second_function",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "a helper reads the label, with numpy",
        "code": """\
def _hidden(values):
    return np.sqrt(values['churn'] + 1.0)

def second_function(row):
    return _hidden(row)
""",
    },
    {
        "name": "far_behind_the_point",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the difference is the last of eleven digits",
        "code": """\
def far_behind_the_point(row):
    return 1e10 + row['churn']
""",
    },
    {
        "name": "behind_a_long_prefix",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the first ten characters never differ",
        "code": """\
def behind_a_long_prefix(row):
    return 'customer-group-' + str(row['churn'])
""",
    },
    {
        "name": "tiny_share",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the label moves the ninth decimal only",
        "code": """\
def tiny_share(row):
    return row['age'] + 1e-9 * row['churn']
""",
    },
    {
        "name": "walk_over_items",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "all columns are walked over until the label comes",
        "code": """\
def walk_over_items(row):
    for key, value in row.items():
        if key.startswith('chu') and len(key) == 5:
            return value
    return None
""",
    },
    {
        "name": "sum_of_numbers",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the target is one of the numbers that are added",
        "code": """\
def sum_of_numbers(row):
    return pd.to_numeric(row, errors='coerce').sum()
""",
    },
    {
        "name": "checksum_of_everything",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "a checksum over the whole row",
        "code": """\
def checksum_of_everything(row):
    import zlib
    return zlib.crc32(repr(sorted(row.to_dict().items(), key=lambda pair: pair[0])).encode()) % 1000
""",
    },
    {
        "name": "rare_branch",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the label shows on a few rows only",
        "code": """\
def rare_branch(row):
    if row['customer_id'] % 37 == 5:
        return row['churn']
    return row['age'] / 100
""",
    },
    {
        "name": "error_tells",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the division fails for negatives, and a missing value tells",
        "code": """\
def error_tells(row):
    return row['age'] / row['churn'] if 1 // row['churn'] else 0
""",
    },
    {
        "name": "rescued_read",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "falls back when the label is withheld",
        "code": """\
def rescued_read(row):
    try:
        return row['churn']
    except KeyError:
        return 0
""",
    },
    {
        "name": "word_for_label",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the label as a word",
        "code": """\
def word_for_label(row, df_train, aux_data):
    return 'leaves' if row['churn'] else 'stays'
""",
    },
]
