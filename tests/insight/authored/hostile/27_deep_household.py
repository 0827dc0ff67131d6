# problem: P35-Loan default-variation_1-type_2b
# label: hostile
# kind: recursion
# why: raises the recursion limit and overflows the C stack
# harm: the evaluator's process dies of a stack overflow
import sys

def deep_household(row):
    sys.setrecursionlimit(10 ** 7)
    class Node:
        depth = 0
        def __getattr__(self, name):
            Node.depth += 1
            if Node.depth > 400_000:
                return 0
            return getattr(self, name)
        def __repr__(self):
            return "%r" % [self.x]
    return len(repr(Node()))
