# ruff: noqa: E501
"""Values that strangers pass: what works, and what is refused with which remedy."""

from __future__ import annotations

# a script's source, the value in it, and what is asked of the value there and in the captured file
WORKS: dict[str, tuple[str, str, str]] = {
    "a function": ("def solve(task, budget):\n    return task + 1", "solve", "it(1, None)"),
    "its helpers and constants": (
        "K = 2\ndef helper(x):\n    return x * K\ndef solve(task):\n    return helper(task)",
        "solve",
        "it(3)",
    ),
    "recursion": ("def f(n):\n    return 1 if n < 1 else n * f(n - 1)", "f", "it(5)"),
    "mutual recursion": (
        "def even(n):\n    return n == 0 or odd(n - 1)\ndef odd(n):\n    return n != 0 and even(n - 1)",
        "even",
        "it(7), it(8)",
    ),
    "mutual recursion of nested functions": (
        "def make():\n    def even(n):\n        return n == 0 or odd(n - 1)\n    def odd(n):\n"
        "        return n != 0 and even(n - 1)\n    return even",
        "make()",
        "it(7), it(8)",
    ),
    "a recursive nested lambda": (
        "def make():\n    f = lambda n: n if n < 2 else n * f(n - 1)\n    return f",
        "make()",
        "it(4)",
    ),
    "a lambda": ("solve = lambda task, budget: task * 2", "solve", "it(4, None)"),
    "the first lambda of a line": ("pair = [lambda t: t + 1, lambda t: t + 2]", "pair[0]", "it(1)"),
    "the second lambda of a line": ("pair = [lambda t: t + 1, lambda t: t + 2]", "pair[1]", "it(1)"),
    "lambdas of one line that differ in constants": (
        "pair = (lambda t: 0.0), (lambda t: -0.0)",
        "pair[1]",
        "str(it(1))",
    ),
    "lambdas with defaults from a loop": ("all = [lambda t, k=k: t * k for k in (1, 2, 3)]", "all[2]", "it(2)"),
    "a closure over a number": (
        "def make(k):\n    def solve(task):\n        return task * k\n    return solve",
        "make(3)",
        "it(2)",
    ),
    "a closure over a list, changed since": (
        "def make():\n    seen = []\n    def solve(task):\n        seen.append(task)\n        return list(seen)\n    return solve\n"
        "f = make()\nf(1)",
        "f",
        "it(2) if len(it(9)) > 2 else it(2)",
    ),
    "a closure over a closure": (
        "def outer(a):\n    def middle(b):\n        def inner(t):\n            return t + a * b\n        return inner\n    return middle",
        "outer(2)(3)",
        "it(1)",
    ),
    "a counter with nonlocal": (
        "def make():\n    n = 5\n    def f(t):\n        nonlocal n\n        n += 1\n        return n\n    return f",
        "make()",
        "it(0) > 5",
    ),
    "a global counter": ("n = 5\ndef f(t):\n    global n\n    n = n + 1\n    return n > 5", "f", "it(0)"),
    "a decorated function": (
        "import functools\ndef twice(f):\n    @functools.wraps(f)\n    def wrapper(*a):\n        return 2 * f(*a)\n    return wrapper\n"
        "@twice\ndef solve(task):\n    return task if task < 1 else solve(task - 1)",
        "solve",
        "it(2), __import__('inspect').signature(it).parameters.keys() == {'task'}",
    ),
    "a cached function": (
        "import functools\n@functools.lru_cache(maxsize=None)\ndef fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)",
        "fib",
        "it(30), it.cache_info().misses > 1",
    ),
    "a context manager": (
        "from contextlib import contextmanager\n@contextmanager\ndef scope(x):\n    yield x\n"
        "def solve(task):\n    with scope(task) as y:\n        return y",
        "solve",
        "it(3)",
    ),
    "a default that was computed": (
        "K = 7\ndef solve(task, k=K + 1, *, m=[K]):\n    return task, k, m\nK = 0",
        "solve",
        "it(1)",
    ),
    "a function with attributes": (
        "def solve(task):\n    return solve.table[task]\nsolve.table = {1: 'one'}",
        "solve",
        "it(1)",
    ),
    "annotations that are not there": (
        "class Task: pass\ndef solve(task: Task, budget: 'Missing') -> list[Task]:\n    return 1\ndel Task",
        "solve",
        "it(1, None)",
    ),
    "an f-string and a text of many lines": (
        'def make(k):\n    def solve(task):\n        return f"""{task!r:>5}\n  {k}"""\n    return solve',
        "make(2)",
        "it(1)",
    ),
    "a submodule of an imported package": (
        "import xml.dom.minidom\ndef solve(task):\n    return xml.dom.minidom.parseString(task).documentElement.tagName",
        "solve",
        "it('<a/>')",
    ),
    "imports under other names": (
        "import numpy as n\nfrom math import sqrt as root\nimport os.path\ndef solve(task):\n"
        "    return float(n.sum([task])) + root(4), os.path.basename('a/b')",
        "solve",
        "it(1)",
    ),
    "an import inside the function": (
        "def solve(task):\n    import json\n    return json.dumps(task)",
        "solve",
        "it([1])",
    ),
    "a class": ("class Mine:\n    def solve(self, task, budget):\n        return task", "Mine", "it().solve(1, None)"),
    "an instance": (
        "class Mine:\n    def __init__(self, k):\n        self.k = k\n        self.made = True\n    def solve(self, task, budget):\n"
        "        return task * self.k, self.made",
        "Mine(3)",
        "it.solve(2, None)",
    ),
    "an instance with slots": (
        "class Mine:\n    __slots__ = ('k',)\n    def __init__(self, k):\n        self.k = k\n    def solve(self, t, b):\n        return self.k",
        "Mine(3)",
        "it.solve(2, None)",
    ),
    "an instance that is called": (
        "class Mine:\n    def __call__(self, task):\n        return task + 1",
        "Mine()",
        "it(1)",
    ),
    "an instance that refers to itself": (
        "class Node:\n    def __init__(self):\n        self.me = self\n        self.all = [self]\n    def solve(self, t, b):\n"
        "        return self.me is self and self.all[0] is self",
        "Node()",
        "it.solve(1, None)",
    ),
    "base classes, super and class attributes": (
        "class Base:\n    rate = 2\n    def __init__(self, k):\n        self.k = k\n    def solve(self, t, b):\n        return self.k * self.rate\n"
        "class Mine(Base):\n    def solve(self, t, b):\n        return super().solve(t, b) + Base(1).k\nMine.rate = 5",
        "Mine(3)",
        "it.solve(1, None)",
    ),
    "a method that was replaced later": (
        "class Mine:\n    def solve(self, t, b):\n        return 1\ndef better(self, t, b):\n    return 2\nMine.solve = better",
        "Mine()",
        "it.solve(0, None)",
    ),
    "private names": (
        "class Mine:\n    def __init__(self):\n        self.__k = 4\n    def solve(self, t, b):\n        return (lambda: self.__k)()",
        "Mine()",
        "it.solve(0, None)",
    ),
    "classes that use each other": (
        "class A:\n    def solve(self, t, b):\n        return B().go()\nclass B(object):\n    def go(self):\n        return A.__name__",
        "A()",
        "it.solve(0, None)",
    ),
    "a class whose body calls a function that uses the class": (
        "def table():\n    return [1, 2]\ndef late():\n    return Alias\nclass Mine:\n    rows = table()\n    late = staticmethod(late)\n"
        "    def solve(self, t, b):\n        return self.rows, self.late() is Mine\nAlias = Mine",
        "Mine()",
        "it.solve(0, None)",
    ),
    "a data class": (
        "from dataclasses import dataclass, field\n@dataclass(frozen=True)\nclass Mine:\n    k: int = 1\n    rows: list = field(default_factory=list)\n"
        "    def solve(self, t, b):\n        return self.k, self.rows",
        "Mine(k=3, rows=[1])",
        "it.solve(0, None), repr(it)",
    ),
    "a data class without methods": (
        "from dataclasses import dataclass\n@dataclass\nclass Point:\n    x: int\nPOINT = Point(4)\ndef solve(task):\n    return POINT.x, Point(1) == Point(1)",
        "solve",
        "it(0)",
    ),
    "enumerations and named tuples": (
        "import enum\nfrom typing import NamedTuple\nfrom collections import namedtuple\nclass Color(enum.Enum):\n    RED = 1\n"
        "class Row(NamedTuple):\n    a: int = 2\nPair = namedtuple('Pair', 'a b')\nC, R, P = Color.RED, Row(), Pair(1, 2)\n"
        "def solve(t):\n    return C is Color.RED, C.value, R.a, P.b",
        "solve",
        "it(0)",
    ),
    "a bound method": (
        "class Mine:\n    def __init__(self, k):\n        self.k = k\n    def go(self, task):\n        return task + self.k",
        "Mine(3).go",
        "it(1)",
    ),
    "a class method and a static method": (
        "class Mine:\n    @classmethod\n    def a(cls, t):\n        return cls.__name__\n    @staticmethod\n    def b(t):\n        return t\n"
        "def solve(t):\n    return Mine.a(t), Mine.b(t)",
        "[Mine.a, Mine.b, solve]",
        "[f(3) for f in it]",
    ),
    "a function of a class": ("class Mine:\n    def go(self, t):\n        return t", "Mine.go", "it(None, 2)"),
    "a partial": (
        "from functools import partial\ndef solve(task, budget, k):\n    return task * k",
        "partial(solve, k=3)",
        "it(2, None)",
    ),
    "a builtin of a module": ("import math", "math.sqrt", "it(4)"),
    "a method of a text": ("", "'-'.join", "it(['a', 'b'])"),
    "structured arrays with objects in them": (
        "import numpy as np\nROWS = np.array([(1, 'a'), (2, None)], dtype=[('n', 'i4'), ('text', 'O')])\n"
        "def solve(t):\n    return ROWS.tolist(), ROWS[0].item(), str(ROWS.dtype)",
        "solve",
        "it(0)",
    ),
    "a whole number of very many digits": (
        "N = 7 ** 6000\ndef solve(t):\n    return N % 1000003, -N % 1000003",
        "solve",
        "it(0)",
    ),
    "numpy functions": ("import numpy as np", "[np.mean, np.linalg.norm, np.exp]", "[float(f(0.0)) for f in it]"),
    "data of all kinds": (
        "import datetime, decimal, pathlib, collections, re\nD = {'n': None, 'f': [1.5, float('inf')], 's': {3, 1}, 't': (1,), 'b': b'x', 'c': 1j,\n"
        " 'p': pathlib.Path('a'), 'd': datetime.date(2020, 1, 2), 'x': decimal.Decimal('1.1'), 'z': frozenset(), 'sl': slice(1, 2),\n"
        " 'o': collections.OrderedDict(a=1), 'dd': collections.defaultdict(list, a=[1]), 'co': collections.Counter('aab'), 'r': re.compile('a+'), 'e': ..., 'g': range(3)}\n"
        "def solve(t):\n    return D",
        "solve",
        "it(0)",
    ),
    "shared and circular data": (
        "A = [1]\nB = {'a': A, 'again': A}\nB['me'] = B\ndef solve(t):\n    A.append(2)\n    return B['a'] is B['again'] is A and B['me'] is B and 2 in B['a']",
        "solve",
        "it(0)",
    ),
    "arrays": (
        "import numpy as np\nSMALL = np.array([1.5, np.nan], dtype='float32')\nLARGE = np.arange(500).reshape(50, 10)\nTEXT = np.array(['a', None], dtype=object)\n"
        "ONE = np.float64(2.5)\ndef solve(t):\n    return str(SMALL), SMALL.dtype.name, int(LARGE.sum()), LARGE.shape, TEXT.tolist(), ONE, np.isnan(SMALL[1])",
        "solve",
        "it(0)",
    ),
    "tables": (
        "import pandas as pd\nFRAME = pd.DataFrame({'x': [1.0, None], 'y': ['a', 'b']}, index=[3, 5])\nODD = pd.DataFrame({'o': [1, 'a', (2,)]})\n"
        "COLUMN = pd.Series([1, 2], name='q')\ndef solve(t):\n    return str(FRAME), str(ODD), str(COLUMN), str(FRAME.dtypes)",
        "solve",
        "it(0)",
    ),
    "long lists and texts": (
        "L = list(range(3000))\nT = 'ab' * 40000\ndef solve(t):\n    return sum(L), len(T)",
        "solve",
        "it(0)",
    ),
    "an unfitted pipeline": (
        "from sklearn.pipeline import make_pipeline\nfrom sklearn.preprocessing import StandardScaler\nfrom sklearn.linear_model import Ridge",
        "make_pipeline(StandardScaler(), Ridge(alpha=0.5))",
        "repr(it)",
    ),
    "a fitted estimator": (
        "import numpy as np\nfrom sklearn.tree import DecisionTreeRegressor\nM = DecisionTreeRegressor(random_state=0).fit(np.arange(9).reshape(-1, 1), np.arange(9) ** 2)\n"
        "def solve(t):\n    return M.predict([[t]]).tolist()",
        "solve",
        "it(3)",
    ),
    "an estimator of one's own": (
        "from sklearn.base import BaseEstimator\nclass Mine(BaseEstimator):\n    def __init__(self, k=1):\n        self.k = k\n    def fit(self, X, y):\n        return self",
        "Mine(k=2)",
        "repr(it)",
    ),
    "a generic class": (
        "from typing import Generic, TypeVar\nT = TypeVar('T')\nclass Mine(Generic[T]):\n    def solve(self, t, b):\n        return str(T)",
        "Mine()",
        "it.solve(0, None)",
    ),
    "functions of the shared random generator, not its state": (
        "from random import choice, seed\nfrom numpy.random import rand\ndef solve(t):\n    return choice, rand",
        "solve",
        "it(0)[0].__self__ is __import__('random')._inst, it(0)[1].__self__ is __import__('numpy').random.mtrand._rand",
    ),
    "functions of odd makers": (
        "import numba, sympy, operator\nimport numpy as np\nx = sympy.Symbol('x')\nlam = sympy.lambdify(x, x**2 + sympy.sin(x))\nvec = np.vectorize(lambda v: v + K)\nK = 5\n"
        "get = operator.itemgetter(1)\ndef solve(t):\n    return float(lam(t)), int(vec(t)), get([t, t]), str(x + 1)",
        "solve",
        "it(2)",
    ),
    "models that check their fields": (
        "import attrs, pydantic\n@attrs.define\nclass A:\n    k: int = 3\nclass P(pydantic.BaseModel):\n    k: int = 3\n    rows: list[int] = []\nVALUES = [A(4), P(rows=[1])]\n"
        "def solve(t):\n    return VALUES[0].k, VALUES[1].rows, P(k='2').k",
        "solve",
        "it(2)",
    ),
    "a metaclass, a property and a cached property": (
        "import functools\nclass Meta(type):\n    def __new__(m, n, b, d):\n        return super().__new__(m, n, b, {**d, 'added': 4})\n"
        "class Mine(metaclass=Meta):\n    @functools.cached_property\n    def slow(self):\n        return self.added\n    @property\n    def p(self):\n        return self.slow\n    def solve(self, t, b):\n        return self.p",
        "Mine()",
        "it.solve(0, None)",
    ),
    "a class inside a function": (
        "K = 2\ndef solve(t):\n    class Inner:\n        def get(self):\n            return t + K\n    return Inner().get()",
        "solve",
        "it(1)",
    ),
    "matching, walrus and exceptions": (
        "class Err(Exception): pass\ndef solve(t):\n    match t:\n        case {'a': a} if (n := a) > 1: return n\n        case _:\n            try:\n                raise Err(t)\n            except Err as e:\n                return repr(e)",
        "solve",
        "it({'a': 2}), it(1)",
    ),
    "a random generator": (
        "import numpy as np\nR = np.random.default_rng(5)\ndef solve(t):\n    return float(R.random()) < 1",
        "solve",
        "it(0)",
    ),
    "a comprehension in a class body": (
        "N = 3\nclass Mine:\n    rows = [i * 2 for i in range(N)]\n    def solve(self, t, b):\n        return self.rows",
        "Mine()",
        "it.solve(0, None)",
    ),
    "a function called subject": ("def subject(task):\n    return task", "subject", "it(1)"),
    "a name that means a builtin elsewhere": (
        "def max(a):\n    return a[0]\ndef solve(t):\n    return max([t, 9]), min(t, 4)",
        "solve",
        "it(3)",
    ),
    "a metric": (
        "from assay.core import Metric\ndef half(evidence):\n    'Half.'\n    return evidence / 2",
        "Metric('half', half, definition=half)",
        "it.name, it.function(4), it.summary",
    ),
}

REFUSED: dict[str, tuple[str, str, str]] = {
    "an open file": (
        "F = open(__file__)\ndef solve(t):\n    return F.read()",
        "solve",
        "solve uses 'F': a _io.TextIOWrapper cannot be written",
    ),
    "a database": (
        "import sqlite3\nCONN = sqlite3.connect(':memory:')\ndef helper():\n    return CONN\ndef solve(t):\n    return helper()",
        "solve",
        "helper uses 'CONN': a sqlite3.Connection cannot be written.*Create it inside the function.*isolation=\"none\"",
    ),
    "a lock of an instance": (
        "import threading\nclass Mine:\n    def __init__(self):\n        self.lock = threading.Lock()\n    def solve(self, t, b): ...",
        "Mine()",
        "uses 'lock': a _thread.lock cannot",
    ),
    "a generator": (
        "G = (i for i in range(3))\ndef solve(t):\n    return next(G)",
        "solve",
        "solve uses 'G': a generator cannot",
    ),
    "a name that is not defined": (
        "def solve(t):\n    return helpr(t)",
        "solve",
        "solve uses 'helpr': it is not defined. Define it before",
    ),
    "files next to the script": (
        "def solve(t):\n    return open(__file__)",
        "solve",
        "solve uses '__file__': a captured function cannot see files next to the script",
    ),
    "super outside of a class": (
        "class A:\n    def m(self):\n        return super().m\nclass B: pass\ndef make(f):\n    return lambda t: f\nF = make(A.__dict__['m'])\nA.m = None",
        "F",
        "uses super\\(\\) outside",
    ),
    "a class inside a function with its variables": (
        "def make(k):\n    class Mine:\n        def solve(self, t, b):\n            return k\n    return Mine()",
        "make(1)",
        "the class Mine is defined inside a function and uses its variable 'k'. Define it at the top level",
    ),
    "a class that a call made": (
        "Mine = type('Mine', (), {'solve': lambda self, t, b: 1})",
        "Mine",
        "class 'Mine': its source cannot be found",
    ),
    "too much data": (
        "import numpy as np\nBIG = np.zeros(9 << 20)\ndef solve(t):\n    return BIG",
        "solve",
        "larger than 64 MB.*readable=",
    ),
    "an API key in a variable": (
        "API_KEY = 'a1b2c3d4e5f6a7b8c9'\ndef solve(t):\n    return API_KEY",
        "solve",
        "solve uses 'API_KEY', which looks like a secret.*environment=\\['API_KEY'\\]",
    ),
    "a credential in a variable": (
        "CREDENTIAL = 'a1b2c3d4e5f6a7b8c9'\ndef solve(t):\n    return CREDENTIAL",
        "solve",
        "solve uses 'CREDENTIAL', which looks like a secret",
    ),
    "an API key of an instance": (
        "class Mine:\n    def __init__(self):\n        self.token = 'a1b2c3d4e5f6a7b8c9'\n    def solve(self, t, b): ...",
        "Mine()",
        "looks like a secret",
    ),
    "an API key in the source": (
        "def solve(t):\n    return 'sk-abcdefghijklmnop1234'",
        "solve",
        "looks like a key or password",
    ),
    "an address with a password": (
        "URL = 'postgres://me:hunter2@host/db'\ndef solve(t):\n    return URL",
        "solve",
        "looks like a key or password",
    ),
}
