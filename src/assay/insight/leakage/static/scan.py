"""What parts of a source may reach for: files, network, processes, frames, the clock, chance."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from assay.insight.leakage.static.findings import FindingKind, Notes
from assay.insight.leakage.static.memory import note_literals, note_state
from assay.insight.leakage.static.reach import nodes_of
from assay.insight.leakage.static.values import PRELOADED, imported_names

__all__ = ["scan_source"]

# what names begin with, and what that means
_PREFIXES: tuple[tuple[FindingKind, str, str], ...] = (
    (
        "network",
        "{} reaches for the network, where labels could be fetched.",
        "socket urllib requests http ftplib httpx aiohttp smtplib ssl asyncio.open_connection",
    ),
    (
        "processes",
        "{} starts or steers processes, threads or native code, outside what the row gives.",
        "subprocess multiprocessing threading concurrent signal ctypes cffi sys.exit os._exit "
        "os.system os.popen os.fork os.exec_ os.spawn_ os.kill",
    ),
    (
        "files",
        "{} reads or writes files, where the labels of train.csv may be found.",
        "open io.open os.open codecs.open gzip.open os.listdir os.scandir os.walk os.environ os.getcwd glob pathlib "
        "pickle shelve sqlite3 joblib tempfile shutil linecache fileinput mmap zipfile tarfile pandas.read_ "
        "numpy.load numpy.loadtxt numpy.genfromtxt numpy.fromfile numpy.memmap pyarrow.csv pyarrow.parquet",
    ),
    (
        "introspection",
        "{} looks into other frames or objects of the interpreter, where labels may be found.",
        "sys._getframe sys._current_frames sys.modules sys.settrace sys.setprofile sys.exc_info inspect.stack "
        "inspect.currentframe inspect.trace inspect.getouterframes traceback.walk_stack gc weakref __builtins__",
    ),
    (
        "dynamic-code",
        "{} runs or looks up code that is not in the source to be read.",
        "eval exec compile __import__ globals locals vars importlib builtins marshal runpy ast "
        "types.FunctionType types.CodeType",
    ),
    (
        "clock",
        "{} asks for the time of day, so the value depends on when it is computed.",
        "time.time time.time_ns time.localtime time.gmtime time.monotonic time.perf_counter date.today "
        "datetime.now datetime.today datetime.utcnow datetime.date.today datetime.datetime.now "
        "datetime.datetime.today datetime.datetime.utcnow pandas.Timestamp.now pandas.Timestamp.today "
        "pandas.Timestamp.utcnow",
    ),
    (
        "randomness",
        "{} brings chance into the value, which may differ from run to run.",
        "random numpy.random secrets uuid.uuid1 uuid.uuid4 os.urandom hash id",
    ),
)
_FRAME_MARKS = {"f_back", "f_locals", "f_globals", "f_builtins", "tb_frame", "gi_frame", "__globals__", "__closure__"}
_FRAME_MARKS |= {"__subclasses__", "__traceback__", "__code__", "__mro__", "__bases__", "cell_contents", "_mgr"}
_READERS = {"read_text", "read_bytes", "iterdir", "rglob", "open"}
_OPEN_ENDED = ("pandas.read_", "os.exec_", "os.spawn_")  # os.execv, os.execvp and so on
_NOW = ("now", "today")


def scan_source(tree: ast.Module, notes: Notes) -> None:
    """Look at every node once, also where the feature function may never come by."""
    nodes = nodes_of(tree)
    note_literals(nodes, notes)
    nodes = [node for node in nodes if not isinstance(node, ast.Constant)]
    names = dict(PRELOADED) | {local: full for node in nodes for local, full in imported_names(node)}
    bound = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    inner: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.Attribute):
            if id(node) not in inner:
                _reach(node, names, bound, notes)
            inner.add(id(node.value))
            _mark(node, notes)
        elif isinstance(node, ast.Name) and id(node) not in inner and isinstance(node.ctx, ast.Load):
            _reach(node, names, bound, notes)
        elif isinstance(node, ast.Call):
            _now(node, names, notes)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for _, full in imported_names(node):
                _name_reached(full, node, notes, only=("network", "processes"))
    note_state(tree, nodes, notes, names)


def _dotted(node: ast.expr, names: dict[str, str]) -> str:
    """``pd.read_csv`` as "pandas.read_csv"; empty when it does not start with a name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
        if len(parts) > 8:
            return ""
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([names.get(node.id, node.id), *reversed(parts)])


def _reach(node: ast.Attribute | ast.Name, names: dict[str, str], bound: Collection[str], notes: Notes) -> None:
    root: ast.expr = node
    while isinstance(root, ast.Attribute):
        root = root.value
    if isinstance(root, ast.Name) and root.id in bound and root.id not in names:
        return  # a name of its own, such as a variable called date
    dotted = _dotted(node, names)
    if dotted:
        _name_reached(dotted, node, notes)


def _name_reached(dotted: str, node: ast.AST, notes: Notes, only: Sequence[FindingKind] = ()) -> None:
    for kind, words, prefixes in _PREFIXES:
        if only and kind not in only:
            continue
        for prefix in prefixes.split():
            start = prefix.removesuffix("_") if prefix in _OPEN_ENDED else f"{prefix}."
            if dotted == prefix or dotted.startswith(start):
                notes.add(node, kind, words.format(dotted))
                return


def _mark(node: ast.Attribute, notes: Notes) -> None:
    if node.attr in _FRAME_MARKS:
        words = f".{node.attr} looks into other frames or objects of the interpreter, where labels may be found."
        notes.add(node, "introspection", words)
    elif node.attr == "__doc__":
        notes.add(node, "literals", "Documentation is read as data (.__doc__) here; it may hold known labels.")
    elif node.attr in _READERS:
        notes.add(node, "files", f".{node.attr} reads files, where the labels of train.csv may be found.")


def _now(node: ast.Call, names: dict[str, str], notes: Notes) -> None:
    dotted = _dotted(node.func, names)
    if dotted in ("pandas.Timestamp", "pandas.to_datetime", "numpy.datetime64") and node.args:
        first = node.args[0]
        if isinstance(first, ast.Constant) and isinstance(first.value, str) and first.value.strip().lower() in _NOW:
            notes.add(node, "clock", f"{dotted}({first.value!r}) asks for the time of day, so the value depends on it.")
    sampled = isinstance(node.func, ast.Attribute) and node.func.attr == "sample" and dotted != "random.sample"
    if sampled and not any(keyword.arg == "random_state" for keyword in node.keywords):
        notes.add(node, "randomness", ".sample without random_state brings chance into the value.")
