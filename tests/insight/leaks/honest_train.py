"""Honest functions that use df_train, its labels included."""

from __future__ import annotations

__all__ = ["ENTRIES"]

ENTRIES = [
    {
        "name": "others_of_plan",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "the mean over others of the plan; the own row is left out",
        "code": """\
def others_of_plan(row, df_train):
    others = df_train[(df_train['plan'] == row['plan']) & (df_train['customer_id'] != row['customer_id'])]
    return others['churn'].mean() if len(others) else 0.0
""",
    },
    {
        "name": "others_of_region",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "the same with drop, by region",
        "code": """\
def others_of_region(row, df_train, aux_dataframes):
    own = df_train.index[df_train['customer_id'] == row['customer_id']]
    others = df_train.drop(index=own)
    return others.loc[others['region'] == row['region'], 'churn'].mean()
""",
    },
    {
        "name": "own_label_subtracted",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "takes the own label out of the group's sum again",
        "code": """\
def own_label_subtracted(row, df_train):
    same = df_train[df_train['region'] == row['region']]
    own = same.loc[same['customer_id'] == row['customer_id'], 'churn']
    return float((same['churn'].sum() - own.sum()) / max(1, len(same) - len(own)))
""",
    },
    {
        "name": "other_plans",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "labels of the other plans only",
        "code": """\
def other_plans(row, df_train):
    return df_train.loc[df_train['plan'] != row['plan'], 'churn'].mean()
""",
    },
    {
        "name": "mean_fee_of_plan",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "means of a feature, no labels",
        "code": """\
def mean_fee_of_plan(row, df_train):
    fees = df_train.loc[df_train['plan'] == row['plan'], 'monthly_fee']
    return round(row['monthly_fee'] - fees.mean(), 6)
""",
    },
    {
        "name": "unrounded_mean_fee",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "a mean of floats, whose last bit may depend on the order of addition",
        "code": """\
def unrounded_mean_fee(row, df_train):
    return row['monthly_fee'] / df_train['monthly_fee'].mean()
""",
    },
    {
        "name": "fee_percentile",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "the share of customers who pay less",
        "code": """\
def fee_percentile(row, df_train):
    return float((df_train['monthly_fee'] < row['monthly_fee']).mean())
""",
    },
    {
        "name": "size_of_train",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "how many rows there are",
        "code": """\
def size_of_train(row, df_train):
    return len(df_train) - row['age']
""",
    },
    {
        "name": "plan_frequency",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "counts of a category",
        "code": """\
def plan_frequency(row, df_train):
    return int(df_train['plan'].value_counts().get(row['plan'], 0))
""",
    },
    {
        "name": "features_only",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "drops the target before computing distances",
        "code": """\
def features_only(row, df_train):
    table = df_train.drop(columns=['churn'])
    return float((table['age'] - row['age']).abs().median())
""",
    },
    {
        "name": "neighbours_without_self",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "labels of the nearest others",
        "code": """\
def neighbours_without_self(row, df_train):
    others = df_train[df_train['customer_id'] != row['customer_id']]
    gap = (others['monthly_fee'] - row['monthly_fee']).abs()
    near = others.assign(gap=gap).sort_values(['gap', 'customer_id']).head(5)
    return near['churn'].mean()
""",
    },
    {
        "name": "number_of_columns",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "the shape of df_train",
        "code": """\
def number_of_columns(row, df_train):
    return df_train.shape[1] * row['support_calls']
""",
    },
    {
        "name": "most_common_plan",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "the most frequent category",
        "code": """\
def most_common_plan(row, df_train):
    return int(row['plan'] == df_train['plan'].mode()[0])
""",
    },
    {
        "name": "earlier_labels",
        "expected": "clean",
        "kind": "none",
        "world": "timed",
        "why": "labels of strictly earlier rows",
        "code": """\
def earlier_labels(row, df_train):
    past = df_train[df_train['observed_on'] < row['observed_on']]
    return past['churn'].mean() if len(past) else 0.0
""",
    },
    {
        "name": "earlier_labels_of_region",
        "expected": "clean",
        "kind": "none",
        "world": "timed",
        "why": "labels of strictly earlier rows of the region",
        "code": """\
def earlier_labels_of_region(row, df_train, aux_dataframes):
    past = df_train[(df_train['region'] == row['region']) & (df_train['observed_on'] < row['observed_on'])]
    return int(past['churn'].sum())
""",
    },
    {
        "name": "same_day_without_own",
        "expected": "clean",
        "kind": "none",
        "world": "timed",
        "why": "labels not later than the row, its own left out",
        "code": """\
def same_day_without_own(row, df_train):
    past = df_train[df_train['observed_on'] <= row['observed_on']]
    past = past[past['customer_id'] != row['customer_id']]
    return past['churn'].mean() if len(past) else 0.0
""",
    },
    {
        "name": "support_of_all",
        "expected": "clean",
        "kind": "none",
        "world": "timed",
        "why": "a feature of all training rows, no labels",
        "code": """\
def support_of_all(row, df_train):
    return int((df_train['support_calls'] > row['support_calls']).sum())
""",
    },
]
