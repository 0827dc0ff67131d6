"""Honest functions that use auxiliary tables."""

from __future__ import annotations

__all__ = ["ENTRIES"]

ENTRIES = [
    {
        "name": "orders_before",
        "expected": "clean",
        "kind": "none",
        "world": "timed",
        "why": "orders up to the day of observation",
        "code": """\
def orders_before(row, aux_dataframes):
    orders = aux_dataframes['orders.csv']
    own = orders[(orders['customer_id'] == row['customer_id']) & (orders['order_date'] <= row['observed_on'])]
    return len(own)
""",
    },
    {
        "name": "spent_last_month",
        "expected": "clean",
        "kind": "none",
        "world": "timed",
        "why": "the thirty days before",
        "code": """\
def spent_last_month(row, aux_dataframes):
    orders = aux_dataframes['orders.csv']
    own = orders[orders['customer_id'] == row['customer_id']]
    days = (pd.Timestamp(row['observed_on']) - pd.to_datetime(own['order_date'])).dt.days
    return round(float(own.loc[(days >= 0) & (days <= 30), 'amount'].sum()), 6)
""",
    },
    {
        "name": "days_since_order",
        "expected": "clean",
        "kind": "none",
        "world": "timed",
        "why": "the last order that was known",
        "code": """\
def days_since_order(row, aux_data):
    orders = aux_data['orders.csv']
    own = orders[(orders['customer_id'] == row['customer_id']) & (orders['order_date'] <= row['observed_on'])]
    if own.empty:
        return None
    return (pd.Timestamp(row['observed_on']) - pd.Timestamp(own['order_date'].max())).days
""",
    },
    {
        "name": "label_of_last_period",
        "expected": "clean",
        "kind": "none",
        "world": "timed",
        "why": "the label of the customer's last period, from a history table",
        "code": """\
def label_of_last_period(row, aux_dataframes):
    history = aux_dataframes['history.csv']
    own = history[(history['customer_id'] == row['customer_id']) & (history['period_end'] < row['observed_on'])]
    if own.empty:
        return -1
    prev_row = own.sort_values(['period_end', 'churn']).iloc[-1]
    return prev_row['churn']
""",
    },
    {
        "name": "past_labels",
        "expected": "clean",
        "kind": "none",
        "world": "timed",
        "why": "the mean of labels of earlier periods",
        "code": """\
def past_labels(row, aux_dataframes):
    history = aux_dataframes['history.csv']
    own = history[(history['customer_id'] == row['customer_id']) & (history['period_end'] <= row['observed_on'])]
    return own['churn'].mean() if len(own) else 0.0
""",
    },
    {
        "name": "past_labels_undeclared",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "the same where no times are declared",
        "code": """\
def past_labels_undeclared(row, aux_dataframes):
    history = aux_dataframes['history.csv']
    own = history[history['customer_id'] == row['customer_id']]
    return int(own['churn'].sum())
""",
    },
    {
        "name": "price_of_plan",
        "expected": "clean",
        "kind": "none",
        "world": "timed",
        "why": "a table that does not change, as a whole",
        "code": """\
def price_of_plan(row, aux_dataframes):
    plans = aux_dataframes['plans.csv'].set_index('plan')
    return plans.loc[row['plan'], 'price'] - row['monthly_fee']
""",
    },
    {
        "name": "children_rank",
        "expected": "clean",
        "kind": "none",
        "world": "timed",
        "why": "a rank over a whole static table",
        "code": """\
def children_rank(row, aux):
    people = aux['customers.csv'].set_index('customer_id')['children'].rank(pct=True)
    return float(people.get(row['customer_id'], 0.0))
""",
    },
    {
        "name": "segment_of_customer",
        "expected": "clean",
        "kind": "none",
        "world": "timed",
        "why": "an attribute of the customer",
        "code": """\
def segment_of_customer(row, df_train, aux_dataframes):
    people = aux_dataframes['customers.csv']
    found = people.loc[people['customer_id'] == row['customer_id'], 'segment']
    return found.iloc[0] if len(found) else 'none'
""",
    },
    {
        "name": "late_payments_before",
        "expected": "clean",
        "kind": "none",
        "world": "timed",
        "why": "late payments up to the day",
        "code": """\
def late_payments_before(row, aux_dataframes):
    payments = aux_dataframes['payments.csv']
    own = payments[payments['customer_id'] == row['customer_id']]
    return int(own.loc[own['paid_on'] <= row['observed_on'], 'late'].sum())
""",
    },
    {
        "name": "cancelled_before",
        "expected": "clean",
        "kind": "none",
        "world": "timed",
        "why": "cancellations of the past",
        "code": """\
def cancelled_before(row, aux_dataframes):
    gone = aux_dataframes['cancellations.csv']
    mask = (gone['customer_id'] == row['customer_id']) & (gone['cancelled_on'] < row['observed_on'])
    return int(mask.any())
""",
    },
    {
        "name": "market_before",
        "expected": "clean",
        "kind": "none",
        "world": "timed",
        "why": "how many orders all customers had placed by then",
        "code": """\
def market_before(row, aux_dataframes):
    orders = aux_dataframes['orders.csv']
    return int((orders['order_date'] <= row['observed_on']).sum())
""",
    },
    {
        "name": "changes_its_table",
        "expected": "clean",
        "kind": "none",
        "world": "timed",
        "why": "parses dates in place before it limits them",
        "code": """\
def changes_its_table(row, aux_dataframes):
    orders = aux_dataframes['orders.csv']
    orders['day'] = pd.to_datetime(orders['order_date'])
    then = pd.Timestamp(row['observed_on'])
    return int(((orders['customer_id'] == row['customer_id']) & (orders['day'] <= then)).sum())
""",
    },
    {
        "name": "missing_table",
        "expected": "clean",
        "kind": "none",
        "world": "timed",
        "why": "asks for a table that is not there",
        "code": """\
def missing_table(row, aux_dataframes):
    refunds = aux_dataframes.get('refunds.csv')
    return row['age'] if refunds is None else len(refunds)
""",
    },
    {
        "name": "number_of_tables",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "how many tables there are",
        "code": """\
def number_of_tables(row, aux_dataframes):
    return len(aux_dataframes) + row['support_calls']
""",
    },
    {
        "name": "all_orders_undeclared",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "all orders, where nothing says when they became known",
        "code": """\
def all_orders_undeclared(row, aux_dataframes):
    orders = aux_dataframes['orders.csv']
    return int((orders['customer_id'] == row['customer_id']).sum())
""",
    },
    {
        "name": "cached_counts_undeclared",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "counts kept from the first call on",
        "code": """\
_counts = {}

def cached_counts_undeclared(row, aux_dataframes):
    if not _counts:
        _counts.update(aux_dataframes['orders.csv']['customer_id'].value_counts().to_dict())
    return _counts.get(row['customer_id'], 0)
""",
    },
    {
        "name": "loop_over_orders",
        "expected": "clean",
        "kind": "none",
        "world": "timed",
        "why": "a loop that stops at the day of observation",
        "code": """\
def loop_over_orders(row, aux_dataframes):
    own = aux_dataframes['orders.csv']
    own = own[own['customer_id'] == row['customer_id']]
    largest = 0.0
    for _, order in own.iterrows():
        if order['order_date'] > row['observed_on']:
            continue
        largest = max(largest, order['amount'])
    return largest
""",
    },
]
