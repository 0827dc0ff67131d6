"""Functions that find the row's own label in an auxiliary table."""

from __future__ import annotations

__all__ = ["ENTRIES"]

ENTRIES = [
    {
        "name": "outcome_of_customer",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the table holds the labels of train.csv",
        "code": """\
def outcome_of_customer(row, aux_dataframes):
    outcomes = aux_dataframes['outcomes.csv']
    own = outcomes[outcomes['customer_id'] == row['customer_id']]
    return own['churn'].iloc[0] if len(own) else 0
""",
    },
    {
        "name": "outcome_by_position",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the last column of that table",
        "code": """\
def outcome_by_position(row, aux):
    table = aux['outcomes.csv']
    values = table[table['customer_id'] == row['customer_id']].values
    return float(values[0][-1]) if len(values) else -1.0
""",
    },
    {
        "name": "outcome_any_table",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "asks every table for a column of this name",
        "code": """\
def outcome_any_table(row, aux_data):
    total = 0
    for name, table in aux_data.items():
        if 'churn' in table.columns and 'customer_id' in table.columns:
            total += int(table.loc[table['customer_id'] == row['customer_id'], 'churn'].sum())
    return total
""",
    },
    {
        "name": "outcome_of_region",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "a mean over outcomes of the region, own one included",
        "code": """\
def outcome_of_region(row, df_train, aux_data):
    people = df_train.loc[df_train['region'] == row['region'], 'customer_id']
    outcomes = aux_data['outcomes.csv']
    return outcomes.loc[outcomes['customer_id'].isin(people), 'churn'].mean()
""",
    },
    {
        "name": "outcome_vector",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the labels mapped on the whole table",
        "code": """\
def outcome_vector(df, aux):
    outcomes = aux['outcomes.csv'].set_index('customer_id')['churn']
    return df['customer_id'].map(outcomes).fillna(0)
""",
    },
    {
        "name": "outcome_known_later",
        "expected": "leak",
        "kind": "any",
        "world": "timed",
        "why": "the table's rows become known a month later",
        "code": """\
def outcome_known_later(row, aux_dataframes):
    outcomes = aux_dataframes['outcomes.csv'].set_index('customer_id')
    if row['customer_id'] not in outcomes.index:
        return 0
    return outcomes.loc[row['customer_id'], 'churn']
""",
    },
]
