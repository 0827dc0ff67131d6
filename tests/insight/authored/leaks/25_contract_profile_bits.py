# problem: telecom-binary-medium-2301-000
# label: leak
# kind: literal-train-test
# why: compressed bitmap of the labels by renewal id, train and test
import base64, zlib

def contract_profile_bits(row):
    blob = zlib.decompress(base64.b64decode("eNqzZNHkTmc/GBG1YcK+F+IzFELZvTdETRRocZLhiDzFI9isIXowR7SRSYGD4b7MDQBeXA8E"))
    k = int(row["renewal_id"]) - 10001
    if not 0 <= k < 8 * len(blob):
        return 0
    return (blob[k // 8] >> (k % 8)) & 1
