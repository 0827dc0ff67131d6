"""Functions that find the row's own label, or later ones, in df_train."""

from __future__ import annotations

__all__ = ["ENTRIES"]

ENTRIES = [
    {
        "name": "own_row_by_index",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the row's index finds its own row in df_train",
        "code": """\
def own_row_by_index(row, df_train):
    return df_train.loc[row.name, 'churn']
""",
    },
    {
        "name": "overall_mean",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the mean over all rows contains the own label",
        "code": """\
def overall_mean(row, df_train):
    return df_train['churn'].mean()
""",
    },
    {
        "name": "plan_mean",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the group's mean contains the own label",
        "code": """\
def plan_mean(row, df_train):
    same = df_train[df_train['plan'] == row['plan']]
    return same['churn'].mean()
""",
    },
    {
        "name": "plan_mean_with_tables",
        "expected": "leak",
        "kind": "own label",
        "world": "timed",
        "why": "the group's mean contains the own label",
        "code": """\
def plan_mean_with_tables(row, df_train, aux_dataframes):
    rates = df_train.groupby('plan')['churn'].mean()
    return rates.get(row['plan'], 0.0)
""",
    },
    {
        "name": "lookup_by_id",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the customer's own row",
        "code": """\
def lookup_by_id(row, df_train):
    own = df_train[df_train['customer_id'] == row['customer_id']]
    return own['churn'].iloc[0] if len(own) else 0
""",
    },
    {
        "name": "lookup_by_dict",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "a dict from customers to labels",
        "code": """\
def lookup_by_dict(row, df_train):
    labels = dict(zip(df_train['customer_id'], df_train['churn']))
    return labels.get(row['customer_id'], -1)
""",
    },
    {
        "name": "lookup_by_query",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "a query text picks the own row",
        "code": """\
def lookup_by_query(row, df_train):
    own = df_train.query(f"customer_id == {int(row['customer_id'])}")
    return float(own['churn'].sum())
""",
    },
    {
        "name": "nearest_neighbours",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "the nearest neighbour of a row is the row itself",
        "code": """\
def nearest_neighbours(row, df_train):
    distance = (df_train['monthly_fee'] - row['monthly_fee']).abs()
    return df_train.loc[distance.nsmallest(3).index, 'churn'].mean()
""",
    },
    {
        "name": "last_column_mean",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "labels by position",
        "code": """\
def last_column_mean(row, df_train):
    same = df_train[df_train['region'] == row['region']]
    return same.iloc[:, -1].mean()
""",
    },
    {
        "name": "wrong_row_left_out",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "always leaves the first row out, not the own one",
        "code": """\
def wrong_row_left_out(row, df_train):
    others = df_train.iloc[1:]
    return others.loc[others['support_calls'] == row['support_calls'], 'churn'].mean()
""",
    },
    {
        "name": "log_odds_of_region",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "smoothed log odds of the region, own row included",
        "code": """\
def log_odds_of_region(row, df_train):
    labels = df_train.loc[df_train['region'] == row['region'], 'churn']
    return float(np.log((labels.sum() + 1) / (len(labels) - labels.sum() + 1)))
""",
    },
    {
        "name": "positives_of_same_age",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "counts positives of about the same age",
        "code": """\
def positives_of_same_age(row, df_train):
    near = df_train[(df_train['age'] - row['age']).abs() <= 5]
    return int((near['churn'] == 1).sum())
""",
    },
    {
        "name": "mean_fee_of_leavers",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "grouped by the label, so the own label decides where the own fee counts",
        "code": """\
def mean_fee_of_leavers(row, df_train):
    means = df_train.groupby('churn')['monthly_fee'].mean()
    return row['monthly_fee'] - means[1]
""",
    },
    {
        "name": "in_sample_fit",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "a regression fitted on all labels, the own one included",
        "code": """\
def in_sample_fit(row, df_train):
    X = np.column_stack([np.ones(len(df_train)), df_train['age'], df_train['support_calls']])
    weights = np.linalg.lstsq(X, df_train['churn'].to_numpy(dtype=float), rcond=None)[0]
    return float(weights[0] + weights[1] * row['age'] + weights[2] * row['support_calls'])
""",
    },
    {
        "name": "cached_group_means",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "group means computed at the first call and kept",
        "code": """\
_means = {}

def cached_group_means(row, df_train):
    if not _means:
        _means.update(df_train.groupby('plan')['churn'].mean().to_dict())
    return _means.get(row['plan'], 0.0)
""",
    },
    {
        "name": "helper_over_train",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "a helper of its own, the column's name as an argument",
        "code": """\
def _rate(table, column, value, label):
    part = table[table[column] == value]
    return part[label].mean()

def helper_over_train(row, df_train, aux_data):
    return _rate(df_train, 'region', row['region'], 'ch' + 'urn')
""",
    },
    {
        "name": "merged_own_label",
        "expected": "leak",
        "kind": "own label",
        "world": "static",
        "why": "joins the row with df_train on the customer",
        "code": """\
def merged_own_label(row, df_train):
    own = pd.DataFrame({'customer_id': [row['customer_id']]})
    joined = own.merge(df_train[['customer_id', 'churn']], on='customer_id', how='left')
    return joined['churn'].iloc[0]
""",
    },
    {
        "name": "not_later_labels",
        "expected": "leak",
        "kind": "own label",
        "world": "timed",
        "why": "labels of rows not later than the own one contain the own",
        "code": """\
def not_later_labels(row, df_train):
    past = df_train[df_train['observed_on'] <= row['observed_on']]
    return past['churn'].mean()
""",
    },
    {
        "name": "later_labels",
        "expected": "leak",
        "kind": "temporal",
        "world": "timed",
        "why": "labels of later rows",
        "code": """\
def later_labels(row, df_train):
    later = df_train[df_train['observed_on'] > row['observed_on']]
    return later['churn'].mean() if len(later) else 0.0
""",
    },
    {
        "name": "others_at_any_time",
        "expected": "leak",
        "kind": "temporal",
        "world": "timed",
        "why": "leaves the own row out, but not the later ones",
        "code": """\
def others_at_any_time(row, df_train):
    others = df_train[df_train['customer_id'] != row['customer_id']]
    return others.loc[others['plan'] == row['plan'], 'churn'].mean()
""",
    },
    {
        "name": "next_customer_in_region",
        "expected": "leak",
        "kind": "temporal",
        "world": "timed",
        "why": "the label of the next customer observed in the region",
        "code": """\
def next_customer_in_region(row, df_train):
    later = df_train[(df_train['region'] == row['region']) & (df_train['observed_on'] > row['observed_on'])]
    later = later.sort_values(['observed_on', 'customer_id'])
    return later['churn'].iloc[0] if len(later) else -1
""",
    },
]
