# problem: P38-Hospital Readmissions-variation_2-type_1c
# label: hostile
# kind: signals
# why: ignores all signals it can, disarms timers and loops for a minute
# harm: the time limit or a polite stop has no effect
import signal, time

def signal_shield(df):
    for s in range(1, 65):
        try:
            signal.signal(s, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    for which in (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF):
        signal.setitimer(which, 0)
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))
    end = time.monotonic() + 60
    while time.monotonic() < end:
        pass
    return pd.Series(1, index=df.index)
