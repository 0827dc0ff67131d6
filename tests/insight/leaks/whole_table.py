"""Functions of the whole table that use each row's own label."""

from __future__ import annotations

__all__ = ["ENTRIES"]

ENTRIES = [
    {
        "name": "vector_plain",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the column of the whole table",
        "code": """\
def vector_plain(df):
    return df['churn'] * 1.0
""",
    },
    {
        "name": "vector_last",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the last column by position",
        "code": """\
def vector_last(df):
    return df.iloc[:, -1] + df['age']
""",
    },
    {
        "name": "vector_numbers",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "all numeric columns, the target among them",
        "code": """\
def vector_numbers(df):
    return df.select_dtypes('number').sum(axis=1)
""",
    },
    {
        "name": "vector_target_mean",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the mean label of the group, own row included",
        "code": """\
def vector_target_mean(df):
    return df.groupby('plan')['churn'].transform('mean')
""",
    },
    {
        "name": "vector_with_tables",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the label times a price",
        "code": """\
def vector_with_tables(df, aux):
    price = aux['plans.csv'].set_index('plan')['price']
    return df['plan'].map(price) * df['churn']
""",
    },
]
