# problem: finance-regression-medium-2301-002
# label: leak
# kind: own-label
# why: averages all numeric columns of df, the target among them when it is there
def numeric_profile_mean(df):
    # standardise nothing, just the mean of everything numeric in the file
    numbers = df.select_dtypes("number")
    return numbers.mean(axis=1)
