"""Honest functions with much data written into their source."""

from __future__ import annotations

__all__ = ["ENTRIES"]

ENTRIES = [
    {
        "name": "region_rates",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "four rates that were learned from the training rows",
        "code": """\
RATES = @RATES@

def region_rates(row):
    return RATES.get(row['region'], 0.25)
""",
    },
    {
        "name": "city_numbers",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "a long table of numbers by age",
        "code": """\
BY_AGE = {18: 3, 19: 5, 20: 7, 21: 9, 22: 12, 23: 14, 24: 15, 25: 17, 26: 18, 27: 19, 28: 20, 29: 21,
          30: 22, 31: 23, 32: 24, 33: 25, 34: 26, 35: 26, 36: 27, 37: 28, 38: 28, 39: 29, 40: 30, 41: 30,
          42: 31, 43: 31, 44: 32, 45: 32, 46: 33, 47: 33, 48: 33, 49: 34, 50: 34, 51: 34, 52: 35, 53: 35,
          54: 35, 55: 36, 56: 36, 57: 36, 58: 36, 59: 37}

def city_numbers(row):
    return BY_AGE.get(row['age'], 30)
""",
    },
    {
        "name": "word_scores",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "words with weights",
        "code": """\
WEIGHTS = {'basic': 0.31, 'plus': 0.22, 'pro': 0.11, 'north': 1, 'south': 2, 'east': 3, 'west': 4, 'low': 5, 'mid': 6,
           'high': 7, 'home': 8, 'office': 9, 'spring': 10, 'summer': 11, 'autumn': 12, 'winter': 13, 'red': 14}

def word_scores(row):
    return WEIGHTS[row['plan']] * WEIGHTS[row['region']] + WEIGHTS[row['churn_risk_band']]
""",
    },
    {
        "name": "even_customers",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "a list of customers that has nothing to do with labels",
        "code": """\
EVEN = set(@EVEN_IDS@)

def even_customers(row):
    return int(row['customer_id'] in EVEN)
""",
    },
    {
        "name": "long_text",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "a long explanation and nothing else",
        "code": """\
NOTES = ('Customers who call support often are more likely to leave; the fee matters less than the calls, and '
         'the plan matters most in the first year. The churn column must not be used. This text is long on purpose, '
         'so that its volume alone looks like a table of memorised labels, which it is not.')

def long_text(row):
    return row['support_calls'] / (1 + row['tenure_months']) + 0 * len(NOTES)
""",
    },
    {
        "name": "polynomial",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "many coefficients of a smooth curve",
        "code": """\
COEFFICIENTS = [0.125, -0.0312, 0.00781, -0.00195, 0.000488, -0.000122, 3.05e-05, -7.6e-06, 1.9e-06, -4.7e-07, 1.2e-07,
                -2.9e-08, 7.4e-09, -1.8e-09, 4.6e-10, -1.1e-10, 2.9e-11, -7.2e-12, 1.8e-12, -4.5e-13, 1.1e-13, 1e-14]

def polynomial(row):
    x = row['age'] / 100
    return sum(c * x ** k for k, c in enumerate(COEFFICIENTS))
""",
    },
    {
        "name": "decision_rules",
        "expected": "clean",
        "kind": "none",
        "world": "static",
        "why": "a hand-written tree over honest columns",
        "code": """\
def decision_rules(row):
    if row['support_calls'] >= 3:
        return 0.8 if row['plan'] == 'basic' else 0.6
    if row['tenure_months'] < 6:
        return 0.4 if row['monthly_fee'] > 40 else 0.3
    return 0.1 if row['plan'] == 'pro' else 0.2
""",
    },
]
