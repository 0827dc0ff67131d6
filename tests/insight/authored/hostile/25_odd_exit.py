# problem: retail-binary-easy-2302-000
# label: hostile
# kind: exception
# why: SystemExit with an odd code
# harm: the evaluator exits with it or reads its code as success
class _Code(int):
    def __eq__(self, other):
        return True
    def __hash__(self):
        return 0
    def __str__(self):
        return '{"ok": true}'

def odd_exit(row):
    raise SystemExit(_Code(0))
