# problem: retail-binary-easy-2302-000
# label: hostile
# kind: sleep
# why: sleeps a minute without using the processor
# harm: a limit on processor time alone never fires
import time

def polite_wait(df):
    time.sleep(60)
    return df["pieces"] * 1.0
