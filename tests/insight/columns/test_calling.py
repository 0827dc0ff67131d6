import pytest

from assay.insight.columns.calling import Needs, read_needs


@pytest.mark.parametrize(
    ("code", "needs"),
    [
        ("def f(row): return 1", Needs(False, False, False, True)),
        ("def f(row, aux_dataframes): return 1", Needs(False, True, False, True)),
        ("def f(row, df_train, aux): return 1", Needs(True, True, False, True)),
        ("def f(row, *, df_train=None): return 1", Needs(True, False, False, True)),
        ("def f(row, threshold=3): return 1", Needs(False, False, False, True)),
        ("def f(row: pd.Series, tables: Dict[str, pd.DataFrame]): return 1", Needs(False, True, False, True)),
        ("def f(df): return df.x", Needs(False, False, True, True)),
        ("def f(df: pd.DataFrame, aux): return df.x", Needs(False, True, True, True)),
        ("f = lambda row, df_train: 1", Needs(True, False, False, True)),
        (r"def f(row): return len(re.findall('\d', row['x']))", Needs(False, False, False, True)),
        ("def other(row): return 1", Needs()),
    ],
)
def test_what_a_source_asks_for_is_read_from_its_parameters(code: str, needs: Needs) -> None:
    assert read_needs(code, "f", ["x"]) == needs


@pytest.mark.parametrize(
    "code",
    [
        "def f(row",
        "f = make()",
        "@wrap\ndef f(row): return 1",
        "def f(row): return 1\ndef f(row, df_train): return 1",
        "def f(row): return 1\nf = other",
        "def f(row): return 1\nglobals()['f'] = g",
        "if True:\n    def f(row): return 1",
        "from x import f",
        "class f:\n    def __call__(self, row): return 1",
        "def f(row, nobody, knows, these): return 1",
        "def g(row): return 1\ndef h(row): return 1",
        "x = 1\0",
    ],
)
def test_where_the_source_is_not_certain_everything_is_expected(code: str) -> None:
    assert read_needs(code, "f", []) == Needs(train=True, auxiliary=True, whole=False, known=False)
