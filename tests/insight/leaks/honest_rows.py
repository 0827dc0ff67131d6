"""Honest functions of the row alone that look suspicious."""

from __future__ import annotations

__all__ = ["ENTRIES"]

ENTRIES = [
    {
        "name": "comment_mentions_it",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "only a comment names the target",
        "code": """\
def comment_mentions_it(row):
    # do not use row['churn'] here
    return row['monthly_fee'] / row['tenure_months']
""",
    },
    {
        "name": "text_mentions_it",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "only texts name the target",
        "code": """\
def text_mentions_it(row):
    'Never reads row["churn"] or row.get("churn").'
    note = "row['churn']"
    return row['age'] + len(note)
""",
    },
    {
        "name": "name_begins_alike",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "the column's name begins with the target's",
        "code": """\
def name_begins_alike(row):
    return {'low': 0, 'mid': 1, 'high': 2}[row['churn_risk_band']]
""",
    },
    {
        "name": "name_begins_alike_too",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "a past fact, not the label",
        "code": """\
def name_begins_alike_too(row):
    return row['churned_before'] * row['support_calls']
""",
    },
    {
        "name": "all_names_like_it",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "filters names that begin alike but are longer",
        "code": """\
def all_names_like_it(row):
    return sum(1 for key in row.index if key.startswith('churn') and key != 'churn' and row[key] in ('high', 1))
""",
    },
    {
        "name": "length_of_row",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "how many columns there are",
        "code": """\
def length_of_row(row):
    return len(row) + row['age']
""",
    },
    {
        "name": "missing_values",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "how many values are missing",
        "code": """\
def missing_values(row):
    return row.isna().sum()
""",
    },
    {
        "name": "known_values",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "how many values are there",
        "code": """\
def known_values(row):
    return int(row.notna().sum())
""",
    },
    {
        "name": "key_is_there",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "whether there is such a column, not what it says",
        "code": """\
def key_is_there(row):
    return row['age'] if 'churn' in row else row['age'] + 0
""",
    },
    {
        "name": "plain_ratio",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "an ordinary ratio",
        "code": """\
def plain_ratio(row):
    return row['monthly_fee'] / (row['income'] or 1)
""",
    },
    {
        "name": "absent_key",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "asks for a column that does not exist",
        "code": """\
def absent_key(row):
    return row.get('churn_probability', 0.5) * row['age']
""",
    },
    {
        "name": "loop_without_it",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "walks over the columns but leaves the target out",
        "code": """\
def loop_without_it(row):
    total = 0.0
    for key, value in row.items():
        if key == 'churn':
            continue
        if isinstance(value, (int, float)) and value == value:
            total += value
    return round(total, 6)
""",
    },
    {
        "name": "dropped_first",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "drops the target before adding up",
        "code": """\
def dropped_first(row):
    rest = row.drop(labels=['churn'], errors='ignore')
    return round(float(pd.to_numeric(rest, errors='coerce').sum()), 6)
""",
    },
    {
        "name": "chosen_columns",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "a list of columns without the target",
        "code": """\
def chosen_columns(row):
    return float(row[['support_calls', 'tenure_months']].astype(float).sum())
""",
    },
    {
        "name": "attribute_by_name",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "getattr with an innocent name in parts",
        "code": """\
def attribute_by_name(row):
    return getattr(row, 'ten' + 'ure_months') // 12
""",
    },
    {
        "name": "innocent_position",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "the third value is the age",
        "code": """\
def innocent_position(row):
    return row.values[2] * 2
""",
    },
    {
        "name": "leading_values",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "a slice that ends before the target",
        "code": """\
def leading_values(row):
    return sum(1 for value in row.tolist()[:5] if isinstance(value, str))
""",
    },
    {
        "name": "dead_branch",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "the reading line is never reached",
        "code": """\
def dead_branch(row):
    if row['age'] < 0:
        return row['churn']
    return row['age'] // 10
""",
    },
    {
        "name": "read_and_dropped",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "reads the label and does nothing with it",
        "code": """\
def read_and_dropped(row):
    ignored = row['churn']
    del ignored
    return row['support_calls'] ** 2
""",
    },
    {
        "name": "evaluated_arithmetic",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "eval on an innocent text",
        "code": """\
def evaluated_arithmetic(row):
    return eval("age / 2 + calls", {'age': row['age'], 'calls': row['support_calls']})
""",
    },
    {
        "name": "variable_called_target",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "a variable bears the target's name",
        "code": """\
def variable_called_target(row):
    churn = row['support_calls'] > 2
    return int(churn)
""",
    },
    {
        "name": "fails_sometimes",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "raises on rows without income",
        "code": """\
def fails_sometimes(row):
    if row['income'] != row['income']:
        raise ValueError('no income')
    return row['income'] // 100
""",
    },
    {
        "name": "month_of_date",
        "expected": "clean",
        "kind": "none",
        "world": "timed",
        "why": "an ordinary part of a date",
        "code": """\
def month_of_date(row, aux_dataframes):
    return pd.to_datetime(row['observed_on']).month
""",
    },
    {
        "name": "text_value",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "a text as value",
        "code": """\
def text_value(row):
    return f"{row['plan']}-{row['region']}"
""",
    },
]
