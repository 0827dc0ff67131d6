# problem: telecom-binary-medium-2301-000
# label: hostile
# kind: endless-loop
# why: regular expression with exponential backtracking
# harm: the evaluator hangs in the regex engine
def greedy_pattern(df):
    text = "a" * 29 + "!"
    hit = re.match(r"^(a+)+$", text)
    return pd.Series(int(hit is not None), index=df.index)
