"""A table of mixed data with twenty columns, its predictions explained, and a picture of the page.

``python -m tools.mixed_table docs/pictures/cases-mixed.png`` made the picture on the page about cases.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from tools.screenshot import screenshot

ROWS, QUERIES = 900, 5
CLASSES = {0: "not readmitted within a year", 1: "readmitted", 2: "readmitted more than once"}
UNITS = {"age": "years", "body_mass_index": "kg/m²", "blood_pressure": "mmHg", "monthly_income": "EUR", "stay": "days"}


def mixed_table(*, seed: int = 3) -> pd.DataFrame:
    """Twelve numbers, a yes or no and seven categories, some with long names; about 2 % of the values are missing."""
    rng = np.random.default_rng(seed)
    normal = {
        **{"body_mass_index": (27, 5, 1), "blood_pressure": (130, 18, 0), "heart_rate": (72, 10, 0)},
        **{"cholesterol_total_mg_per_dl": (200, 38, 0), "glucose": (100, 22, 0), "creatinine": (1.0, 0.3, 2)},
        "hemoglobin": (13.5, 1.6, 1),
    }
    chosen = {
        "insurance": (
            "public statutory insurance with dental cover",
            "private",
            "none",
            "employer-funded policy (group)",
        ),
        "ward": ("cardiology", "internal medicine", "surgery, general & visceral", "neurology"),
        "discharge_to": ("home", "home with care", "rehabilitation clinic", "nursing home <long-term>"),
        "region": ("North", "South", "East", "West"),
        "marital_status": ("married", "single", "widowed", "divorced"),
        "education": (
            "primary",
            "secondary",
            "vocational training",
            "university degree or an equivalent qualification",
        ),
        "language": ("German", "Turkish", "Arabic", "English", "Português"),
    }
    table = pd.DataFrame(
        {
            "age": rng.integers(18, 90, ROWS).astype(float),
            "previous_admissions_in_the_last_twelve_months": rng.poisson(1.2, ROWS).astype(float),
            **{name: rng.normal(mean, spread, ROWS).round(digits) for name, (mean, spread, digits) in normal.items()},
            "stay": rng.gamma(2, 2.5, ROWS).round(1),
            "walking_distance_m": rng.gamma(4, 110, ROWS).round(0),
            "monthly_income": rng.lognormal(8, 0.5, ROWS).round(2),
            "smoker": rng.random(ROWS) < 0.25,
            **{name: rng.choice(values, ROWS) for name, values in chosen.items()},
        }
    )
    risk = 0.03 * (table["age"] - 55) + 0.7 * table["previous_admissions_in_the_last_twelve_months"]
    risk += 1.2 * table["smoker"] + 0.02 * (table["glucose"] - 100) + rng.normal(0, 0.7, ROWS)
    for name in ("creatinine", "hemoglobin", "walking_distance_m", "education", "insurance"):
        table.loc[rng.random(ROWS) < 0.08, name] = np.nan
    table["outcome"] = np.select([risk < 0.6, risk < 2.2], [0, 1], 2)
    return table


def main(picture: Path) -> None:
    """Explain five queries, the second one far from all training cases, and draw the page."""
    table = mixed_table()
    queries = table[-QUERIES:].copy()
    queries.loc[queries.index[1], "age"] = 400.0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table[:-QUERIES].to_csv(folder / "train.csv", index=False)
        queries.to_csv(folder / "new.csv", index=False)
        names = [f"--class-name={label}={text}" for label, text in CLASSES.items()]
        units = [f"--unit={column}={unit}" for column, unit in UNITS.items()]
        places = {"--train": "train.csv", "--query": "new.csv", "--html": "page.html"}
        files = [f"{option}={folder / file}" for option, file in places.items()]
        command = [sys.executable, "-m", "assay", "cases", "explain", "--label", "outcome", "--show", "1"]
        subprocess.run([*command, *files, *names, *units], check=True)
        screenshot(str(folder / "page.html"), picture, width=900, height=600, full=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
