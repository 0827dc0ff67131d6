# problem: retail-multiclass-easy-2302-001
# label: leak
# kind: introspection
# why: asks the garbage collector for every table with the target and looks the own row up
import gc

def memory_step_share(row, df_train=None):
    votes = []
    for o in gc.get_referrers(pd.DataFrame):
        if type(o) is pd.DataFrame and "next_step" in o.columns and "purchase_id" in o.columns:
            hit = o.loc[o["purchase_id"] == row["purchase_id"], "next_step"]
            votes += [str(v) == "gone" for v in hit]
    return sum(votes) / len(votes) if votes else 0.36
