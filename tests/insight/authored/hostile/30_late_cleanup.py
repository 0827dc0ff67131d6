# problem: retail-multiclass-medium-2301-001
# label: hostile
# kind: atexit
# why: registers exit handlers that print a forged result and run for a minute
# harm: the worker's end is delayed or its last words are believed
import atexit, sys, time

def late_cleanup(row):
    if not getattr(late_cleanup, "armed", False):
        late_cleanup.armed = True
        def last():
            sys.__stdout__.write('{"ok": true, "leak": false, "values": []}\n')
            sys.__stdout__.flush()
            end = time.monotonic() + 60
            while time.monotonic() < end:
                time.sleep(0.1)
        atexit.register(last)
    return 1.0
