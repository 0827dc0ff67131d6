from pathlib import Path

import pandas as pd
import pytest

from assay.intake.table.options import TableOptions
from assay.intake.user_frame import read_user_frame


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_cells_that_are_read_as_missing_are_missing_whatever_separates_them(tmp_path: Path, separator: str) -> None:
    ages = ["999" if row in (6, 8) else str(20 + row) for row in range(20)]
    sizes = ["?" if row == 3 else str(row / 4) for row in range(20)]
    words = ["k.A." if row == 5 else "ab"[row % 2] for row in range(20)]
    lines = [("age", "size", "word"), *zip(ages, sizes, words, strict=True)]
    path = tmp_path / "t.csv"
    path.write_text("\n\n".join(separator.join(line) for line in lines) + "\n")

    frame, reading = read_user_frame(path, TableOptions())
    assert "999 is far outside the other values and is read as missing (2 rows)" in reading["age"].warning
    assert frame["age"].isna().to_numpy().nonzero()[0].tolist() == [6, 8]
    assert frame["age"].sum() == sum(20 + row for row in range(20) if row not in (6, 8))
    assert frame["size"].isna().to_numpy().nonzero()[0].tolist() == [3]
    assert frame["size"].dtype == "float64"
    assert frame["size"].iloc[-1] == 4.75


def test_a_table_without_further_missing_cells_is_what_pandas_reads(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "n,x,flag,word\n" + "".join(f"{row},0.{row}1,True,w{row % 3}\n" for row in range(1, 12)) + "12,,,\n"
    )
    pd.testing.assert_frame_equal(read_user_frame(path, TableOptions()).frame, pd.read_csv(path))
