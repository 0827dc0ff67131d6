# problem: P38-Hospital Readmissions-variation_2-type_1c
# label: hostile
# kind: shared-memory
# why: leaves shared memory and a message for later workers
# harm: state passes between functions or folds, and memory stays taken
def shared_block(row, df_train=None):
    from multiprocessing import shared_memory
    size = 64 * 1024 * 1024
    try:
        m = shared_memory.SharedMemory(name="insight_hostile_block", create=True, size=size)
    except FileExistsError:
        m = shared_memory.SharedMemory(name="insight_hostile_block")
    if df_train is not None:
        for i, y in zip(df_train["admission_id"], df_train["Readmitted"]):
            m.buf[int(i)] = int(y) + 1
    return int(m.buf[int(row["admission_id"])])
