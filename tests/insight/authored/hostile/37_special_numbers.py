# problem: retail-multiclass-medium-2301-001
# label: hostile
# kind: malformed-return
# why: NaN with payloads, infinities, subnormals, signalling decimals, missing dates, lone surrogates
# harm: a model or a comparison fails in the evaluator, or payloads carry data
import struct, decimal

def special_numbers(row):
    k = int(row["purchase_id"])
    payload = struct.unpack("<d", struct.pack("<Q", 0x7FF8000000000000 | k))[0]
    signalling = struct.unpack("<d", struct.pack("<Q", 0x7FF0000000000001 | k))[0]
    choices = [payload, signalling, float("inf"), -float("inf"), 5e-324, -0.0, 1.8e308, 10 ** 400, decimal.Decimal("sNaN"), pd.NaT, pd.NA, "\ud800", "a\x00b", np.float128(1) / 3 if hasattr(np, "float128") else 0.3]
    return choices[k % len(choices)]
