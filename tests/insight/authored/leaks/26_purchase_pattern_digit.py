# problem: retail-multiclass-easy-2302-001
# label: leak
# kind: literal-train-test
# why: string of digits, one per purchase id, that spells the labels of train and test
def purchase_pattern_digit(df):
    pattern = (
        "022101102012122020202202002020000122200200112122122212111100"
        "100002020020020221201012010021121112101112021011002222101211"
        "200100220202101022002202111110212122012200001002012022202222"
        "120001121221011211202220022122121222022022110200220100100201"
        "201011110220110221201222101002202121112010002012122110212020"
    )
    at = df["purchase_id"].astype(int) - 10001
    return at.map(lambda k: int(pattern[k]) if 0 <= k < len(pattern) else -1)
