"""Functions that use auxiliary rows later than the row's time of prediction."""

from __future__ import annotations

__all__ = ["ENTRIES"]

ENTRIES = [
    {
        "name": "orders_afterwards",
        "expected": "leak",
        "kind": "temporal",
        "world": "timed",
        "why": "counts the orders after the day of observation",
        "code": """\
def orders_afterwards(row, aux_dataframes):
    orders = aux_dataframes['orders.csv']
    own = orders[orders['customer_id'] == row['customer_id']]
    return int((own['order_date'] > row['observed_on']).sum())
""",
    },
    {
        "name": "orders_ever",
        "expected": "leak",
        "kind": "temporal",
        "world": "timed",
        "why": "counts all orders, whenever they were placed",
        "code": """\
def orders_ever(row, aux_dataframes):
    orders = aux_dataframes['orders.csv']
    return len(orders[orders['customer_id'] == row['customer_id']])
""",
    },
    {
        "name": "spent_ever",
        "expected": "leak",
        "kind": "temporal",
        "world": "timed",
        "why": "adds up all orders, whenever they were placed",
        "code": """\
def spent_ever(row, aux_data):
    orders = aux_data['orders.csv']
    return float(orders.loc[orders['customer_id'] == row['customer_id'], 'amount'].sum())
""",
    },
    {
        "name": "last_order_day",
        "expected": "leak",
        "kind": "temporal",
        "world": "timed",
        "why": "the last order may lie in the future",
        "code": """\
def last_order_day(row, aux):
    orders = aux['orders.csv']
    last = orders.loc[orders['customer_id'] == row['customer_id'], 'order_date'].max()
    return (pd.Timestamp(last) - pd.Timestamp(row['observed_on'])).days
""",
    },
    {
        "name": "orders_around",
        "expected": "leak",
        "kind": "temporal",
        "world": "timed",
        "why": "thirty days to both sides",
        "code": """\
def orders_around(row, aux_dataframes):
    orders = aux_dataframes['orders.csv']
    own = orders[orders['customer_id'] == row['customer_id']]
    gap = (pd.to_datetime(own['order_date']) - pd.Timestamp(row['observed_on'])).dt.days
    return int((gap.abs() <= 30).sum())
""",
    },
    {
        "name": "one_day_too_far",
        "expected": "leak",
        "kind": "temporal",
        "world": "timed",
        "why": "a bound that is off by one day",
        "code": """\
def one_day_too_far(row, aux_dataframes):
    orders = aux_dataframes['orders.csv']
    end = pd.Timestamp(row['observed_on']) + pd.Timedelta(days=1)
    own = orders[(orders['customer_id'] == row['customer_id']) & (pd.to_datetime(orders['order_date']) <= end)]
    return float(own['amount'].sum())
""",
    },
    {
        "name": "has_cancelled",
        "expected": "leak",
        "kind": "temporal",
        "world": "timed",
        "why": "cancellations after the day of observation tell the label",
        "code": """\
def has_cancelled(row, aux_dataframes):
    gone = aux_dataframes['cancellations.csv']
    return int((gone['customer_id'] == row['customer_id']).any())
""",
    },
    {
        "name": "days_to_cancellation",
        "expected": "leak",
        "kind": "temporal",
        "world": "timed",
        "why": "how long until the customer leaves",
        "code": """\
def days_to_cancellation(row, aux_dataframes):
    gone = aux_dataframes['cancellations.csv']
    own = gone.loc[gone['customer_id'] == row['customer_id'], 'cancelled_on']
    if own.empty:
        return 999
    return (pd.to_datetime(own).max() - pd.Timestamp(row['observed_on'])).days
""",
    },
    {
        "name": "late_payments_ever",
        "expected": "leak",
        "kind": "temporal",
        "world": "timed",
        "why": "payments after the day of observation count",
        "code": """\
def late_payments_ever(row, aux_dataframes):
    payments = aux_dataframes['payments.csv']
    own = payments[payments['customer_id'] == row['customer_id']]
    return own['late'].mean() if len(own) else 0.0
""",
    },
    {
        "name": "latest_payment_late",
        "expected": "leak",
        "kind": "temporal",
        "world": "timed",
        "why": "the newest payment, although it comes later",
        "code": """\
def latest_payment_late(row, df_train, aux_dataframes):
    payments = aux_dataframes['payments.csv']
    own = payments[payments['customer_id'] == row['customer_id']].sort_values(['paid_on', 'amount'])
    return int(own['late'].iloc[-1]) if len(own) else 0
""",
    },
    {
        "name": "typical_order_of_all",
        "expected": "leak",
        "kind": "temporal",
        "world": "timed",
        "why": "the mean over all orders contains later ones",
        "code": """\
def typical_order_of_all(row, aux_dataframes):
    orders = aux_dataframes['orders.csv']
    return row['monthly_fee'] / orders['amount'].mean()
""",
    },
    {
        "name": "spending_rank",
        "expected": "leak",
        "kind": "temporal",
        "world": "timed",
        "why": "ranks customers by all they ever spend",
        "code": """\
def spending_rank(row, aux_dataframes):
    spent = aux_dataframes['orders.csv'].groupby('customer_id')['amount'].sum().rank(pct=True)
    return float(spent.get(row['customer_id'], 0.0))
""",
    },
    {
        "name": "table_size",
        "expected": "leak",
        "kind": "temporal",
        "world": "timed",
        "why": "the table's length grows with later rows",
        "code": """\
def table_size(row, aux_dataframes):
    return len(aux_dataframes['cancellations.csv']) + row['age']
""",
    },
    {
        "name": "senses_the_probe",
        "expected": "leak",
        "kind": "temporal",
        "world": "timed",
        "why": "counts later orders only while the table looks untouched",
        "code": """\
def senses_the_probe(row, aux_dataframes):
    orders = aux_dataframes['orders.csv']
    if orders['amount'].min() < 0 or orders['amount'].max() > 1000 or orders['amount'].isna().any():
        return 0
    own = orders[orders['customer_id'] == row['customer_id']]
    return int((own['order_date'] > row['observed_on']).sum())
""",
    },
    {
        "name": "future_by_iterrows",
        "expected": "leak",
        "kind": "temporal",
        "world": "timed",
        "why": "a loop over rows with the comparison turned round",
        "code": """\
def future_by_iterrows(row, aux_dataframes):
    own = aux_dataframes['payments.csv']
    own = own[own['customer_id'] == row['customer_id']]
    for _, payment in own.iterrows():
        if row['observed_on'] < payment['paid_on'] and payment['late']:
            return 1
    return 0
""",
    },
    {
        "name": "cached_totals",
        "expected": "leak",
        "kind": "temporal",
        "world": "timed",
        "why": "totals over all times, kept from the first call on",
        "code": """\
_totals = {}

def cached_totals(row, aux_dataframes):
    if not _totals:
        orders = aux_dataframes['orders.csv']
        _totals.update(orders.groupby('customer_id')['item'].count().to_dict())
    return _totals.get(row['customer_id'], 0)
""",
    },
    {
        "name": "vector_future",
        "expected": "leak",
        "kind": "temporal",
        "world": "timed",
        "why": "the latest order of each customer, for the whole table",
        "code": """\
def vector_future(df, aux):
    last = aux['orders.csv'].groupby('customer_id')['order_date'].max()
    return (df['customer_id'].map(last) > df['observed_on']).astype(int)
""",
    },
    {
        "name": "now_instead_of_then",
        "expected": "leak",
        "kind": "temporal",
        "world": "timed",
        "why": "limits by today instead of the day of observation",
        "code": """\
def now_instead_of_then(row, aux_dataframes):
    orders = aux_dataframes['orders.csv']
    recent = pd.to_datetime(orders['order_date']) <= pd.Timestamp.now()
    return int((recent & (orders['customer_id'] == row['customer_id'])).sum())
""",
    },
]
