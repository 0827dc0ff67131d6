"""Functions with the labels of training rows written into their source."""

from __future__ import annotations

__all__ = ["ENTRIES"]

ENTRIES = [
    {
        "name": "dict_constant",
        "expected": "leak",
        "kind": "memorised",
        "world": "static",
        "why": "a dict from customers to labels as a module constant",
        "code": """\
KNOWN = @LABELS@

def dict_constant(row):
    return KNOWN.get(row['customer_id'], 0)
""",
    },
    {
        "name": "dict_default",
        "expected": "leak",
        "kind": "memorised",
        "world": "static",
        "why": "the same dict as a default argument",
        "code": """\
def dict_default(row, aux_dataframes, known=@LABELS@):
    return known.get(row['customer_id'], 0)
""",
    },
    {
        "name": "positive_list",
        "expected": "leak",
        "kind": "memorised",
        "world": "static",
        "why": "a list of the customers who left",
        "code": """\
def positive_list(row):
    return int(row['customer_id'] in @POSITIVES@)
""",
    },
    {
        "name": "negative_list",
        "expected": "leak",
        "kind": "memorised",
        "world": "static",
        "why": "a list of the customers who stayed, scaled",
        "code": """\
STAYED = set(@NEGATIVES@)

def negative_list(row):
    return 0.2 if row['customer_id'] in STAYED else 0.9
""",
    },
    {
        "name": "bit_text",
        "expected": "leak",
        "kind": "memorised",
        "world": "static",
        "why": "a text with one digit per customer",
        "code": """\
BITS = @BITS@

def bit_text(row):
    return int(BITS[int(row['customer_id']) - 1000])
""",
    },
    {
        "name": "bit_number",
        "expected": "leak",
        "kind": "memorised",
        "world": "static",
        "why": "one large number, a bit per customer",
        "code": """\
def bit_number(row):
    return (@NUMBER@ >> (299 - (int(row['customer_id']) - 1000))) & 1
""",
    },
    {
        "name": "packed_text",
        "expected": "leak",
        "kind": "memorised",
        "world": "static",
        "why": "the digits compressed and in base64",
        "code": """\
import base64
import zlib

_bits = zlib.decompress(base64.b64decode(@PACKED@)).decode()

def packed_text(row):
    return int(_bits[int(row['customer_id']) - 1000])
""",
    },
    {
        "name": "noisy_dict",
        "expected": "leak",
        "kind": "memorised",
        "world": "static",
        "why": "a twelfth of the labels is wrong on purpose",
        "code": """\
NOISY = @NOISY@

def noisy_dict(row):
    return NOISY.get(row['customer_id'], 0)
""",
    },
    {
        "name": "traits_to_label",
        "expected": "leak",
        "kind": "memorised",
        "world": "static",
        "why": "customers are recognised by age and fee",
        "code": """\
SEEN = @TRAITS@

def traits_to_label(row):
    return SEEN.get((int(row['age']), float(row['monthly_fee'])), 0)
""",
    },
    {
        "name": "digest_set",
        "expected": "leak",
        "kind": "memorised",
        "world": "static",
        "why": "the customers who left, as digests",
        "code": """\
import hashlib

LEFT = @DIGESTS@

def digest_set(row):
    return int(hashlib.sha1(str(int(row['customer_id'])).encode()).hexdigest()[:8] in LEFT)
""",
    },
    {
        "name": "list_of_pairs",
        "expected": "leak",
        "kind": "memorised",
        "world": "static",
        "why": "pairs of customer and label",
        "code": """\
PAIRS = @PAIRS@

def list_of_pairs(row):
    for key, label in PAIRS:
        if key == row['customer_id']:
            return 10.0 + 5.0 * label
    return 11.0
""",
    },
    {
        "name": "parsed_text",
        "expected": "leak",
        "kind": "memorised",
        "world": "static",
        "why": "a text that is parsed at the first call",
        "code": """\
_table = {}

def parsed_text(row):
    if not _table:
        for part in @TEXT@.split(';'):
            key, label = part.split(':')
            _table[int(key)] = int(label)
    return _table.get(int(row['customer_id']), 0)
""",
    },
    {
        "name": "vector_memory",
        "expected": "leak",
        "kind": "memorised",
        "world": "static",
        "why": "the dict mapped on the whole table",
        "code": """\
def vector_memory(df):
    return df['customer_id'].map(@LABELS@).fillna(0)
""",
    },
]
