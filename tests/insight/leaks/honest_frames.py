"""Honest functions of the whole table."""

from __future__ import annotations

__all__ = ["ENTRIES"]

ENTRIES = [
    {
        "name": "fee_rank",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "a rank does not depend on where a row stands",
        "code": """\
def fee_rank(df):
    return df['monthly_fee'].rank(pct=True)
""",
    },
    {
        "name": "fee_against_mean",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "a mean of floats, whose last bit may depend on the order of addition",
        "code": """\
def fee_against_mean(df):
    return df['monthly_fee'] - df['monthly_fee'].mean()
""",
    },
    {
        "name": "fee_in_plan",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "a group's maximum",
        "code": """\
def fee_in_plan(df):
    return df.groupby('plan')['monthly_fee'].transform('max') - df['monthly_fee']
""",
    },
    {
        "name": "missing_in_table",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "missing values without the target",
        "code": """\
def missing_in_table(df):
    return df.drop(columns=['churn'], errors='ignore').isna().sum(axis=1)
""",
    },
    {
        "name": "ratio_vector",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "an ordinary ratio",
        "code": """\
def ratio_vector(df):
    return df['monthly_fee'] / df['tenure_months']
""",
    },
    {
        "name": "sorted_by_time",
        "expected": "clean",
        "kind": "none",
        "world": "timed",
        "why": "how many were observed before, found by sorting",
        "code": """\
def sorted_by_time(df):
    ordered = df.sort_values(['observed_on', 'customer_id'])
    places = pd.Series(range(len(ordered)), index=ordered.index)
    return places.groupby(ordered['observed_on']).transform('min').reindex(df.index)
""",
    },
    {
        "name": "price_vector",
        "expected": "clean",
        "kind": "none",
        "world": "timed",
        "why": "a price by plan",
        "code": """\
def price_vector(df, aux):
    return df['plan'].map(aux['plans.csv'].set_index('plan')['price'])
""",
    },
    {
        "name": "region_size",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "how many rows share the region",
        "code": """\
def region_size(df, aux):
    return df['region'].map(df['region'].value_counts())
""",
    },
    {
        "name": "row_wise_apply",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "apply over rows, target not used",
        "code": """\
def row_wise_apply(df):
    return df.apply(lambda r: r['support_calls'] / (1 + r['tenure_months']), axis=1)
""",
    },
    {
        "name": "begins_alike_vector",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "a column whose name begins with the target's",
        "code": """\
def begins_alike_vector(df):
    return df['churned_before'] + (df['churn_risk_band'] == 'high').astype(int)
""",
    },
]
