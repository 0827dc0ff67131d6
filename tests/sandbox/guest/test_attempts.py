"""What a function reached for is told; what libraries look up for themselves is not."""

from __future__ import annotations

import pandas as pd
import pytest

from assay.sandbox import FunctionSource, Sandbox, Tables

ROWS = Tables(rows=pd.DataFrame({"x": [1.0, 2.0]}), train=pd.DataFrame({"x": [1.0, 2.0, 2.0]}))

TRIED = {
    "open('/data/train.csv').read()": "file /data/train.csv (line 3)",
    "__import__('io').open('labels.txt')": "file labels.txt (line 3)",
    "os.open('/tmp', os.O_RDONLY)": "file /tmp (line 3)",
    "os.path.exists('/data/train.csv')": "file /data/train.csv (line 3)",
    "__import__('pathlib').Path('/etc/passwd').read_text()": "file /etc/passwd (line 3)",
    "pd.read_csv('test.csv')": "file test.csv (line 3)",
    "np.load('/srv/labels.npy')": "file /srv/labels.npy (line 3)",
    "os.listdir('/home')": "file /home (line 3)",
    "__import__('glob').glob('/data/*.csv')": "file /data (line 3)",
    "open(pd.__file__, 'a')": "file ",
    "__import__('socket').create_connection(('127.0.0.1', 9))": "network 127.0.0.1 (line 3)",
    "__import__('urllib.request').request.urlopen('http://127.0.0.1:9/y')": "network http://127.0.0.1:9/y (line 3)",
    "__import__('subprocess').check_output(['ls', '/'])": "process ls (line 3)",
    "os.system('ls')": "process ls (line 3)",
    "os.fork()": "process (line 3)",
    "__import__('ctypes').CDLL(None).fopen(b'/data/x', b'r')": "file by the C library's fopen (line 3)",
    "os.environ['SECRET']": "environment SECRET (line 3)",
    "os.getenv('LABELS')": "environment LABELS (line 3)",
    "dict(os.environ)": "environment (line 3)",
}

HARMLESS = [
    "open(pd.__file__).read(10)",
    "open('/usr/share/zoneinfo/UTC', 'rb').read(4) if os.path.exists('/usr/share/zoneinfo/UTC') else 0",
    "__import__('colorsys').rgb_to_hsv(1, 0, 0)",
    "__import__('no_such_library')",
    "__import__('zoneinfo').ZoneInfo('Europe/Berlin')",
    "pd.Timestamp('2024-01-01', tz='Asia/Tokyo')",
    "pd.read_csv(__import__('io').StringIO('a,b'))",
    "df_train.groupby('x').size().reset_index().merge(df_train).query('x > 1')",
    "__import__('sklearn.neighbors').neighbors.KNeighborsClassifier(1).fit([[1], [2]], [0, 1]).predict([[1]])",
    "__import__('traceback').format_stack()",
    "__import__('platform').system()",
    "os.cpu_count()",
    "os.environ.get('OMP_NUM_THREADS')",
    "warnings.warn('careful')",
    "__import__('logging').getLogger('f').warning('careful')",
    "__import__('locale').getlocale()",
]


def _attempts(sandbox: Sandbox, expressions: list[str]) -> dict[str, tuple[str, ...]]:
    code = "def f(row, df_train):\n    try:\n        {}\n    except Exception:\n        pass\n    return 1\n"
    results = sandbox.run([FunctionSource("f", code.format(each)) for each in expressions], ROWS)
    assert {result.status for result in results} == {"ok"}
    return {each: result.attempts for each, result in zip(expressions, results, strict=True)}


def test_what_is_denied_and_tried_is_told_with_its_line(sandbox: Sandbox) -> None:
    reports = _attempts(sandbox, list(TRIED))
    missed = {
        each: reports[each] for each, words in TRIED.items() if not any(a.startswith(words) for a in reports[each])
    }
    assert not missed


def test_imports_and_what_libraries_read_for_themselves_are_not_told(sandbox: Sandbox) -> None:
    assert {each: notes for each, notes in _attempts(sandbox, HARMLESS).items() if notes} == {}


def test_a_function_that_fails_afterwards_is_told_of_too(sandbox: Sandbox) -> None:
    (result,) = sandbox.run([FunctionSource("f", "def f(row): return open('/data/x').read()")], ROWS)
    assert result.status == "exception"
    assert result.attempts == ("file /data/x (line 1)",)


@pytest.mark.parametrize("sent", ["x", [1, None], {"a": 1}])
def test_what_a_guest_says_of_it_is_not_believed_blindly(sandbox: Sandbox, sent: object) -> None:
    from assay.sandbox.reply import _attempts as read

    assert all(isinstance(each, str) for each in read(sent))
    assert read(["a\x1b[2J"] * 99) == ("a [2J",) * 8
