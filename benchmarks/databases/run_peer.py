"""One of the peers on one task, in an environment of its own: ``python run_peer.py METHOD FOLDER SECONDS``.

Reads what :mod:`benchmarks.databases.exchange` wrote there and writes ``METHOD.parquet``, one line for each row of the
task in their order. Nothing of Assay is imported. The labels of test rows are not in the folder.
"""

from __future__ import annotations

import json
import resource
import sys
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

ROW, TARGET = "row_number", "target_of_row"
_FAST = ["count", "mean", "sum", "std", "min", "max", "percent_true"]  # of the usual ones, those without loops
_OFFERED = 1000  # all of them take many minutes for each task


class Read:
    """A task as it lies in a folder."""

    def __init__(self, folder: Path) -> None:
        content = json.loads((folder / "task.json").read_text(encoding="utf-8"))
        self.regression: bool = content["kind"] == "regression"
        self.time: str = content["time"]
        self.table_times: dict[str, str | None] = content["table_times"]
        self.keys: dict[str, list[str]] = content["keys"]
        self.memory: dict[str, float] = content["memory"]
        self.rows = pd.read_parquet(folder / "rows.parquet")
        self.flat = pd.read_parquet(folder / "flat.parquet")
        self.tables = {name: pd.read_parquet(folder / f"table_{name}.parquet") for name in self.table_times}
        self.late = np.array(content["late"], dtype=bool)
        self.target = np.array(content["target"], dtype=float)  # of the training rows

    @property
    def all_keys(self) -> list[str]:
        return list(dict.fromkeys(key for keys in self.keys.values() for key in keys))


def by_featuretools(task: Read) -> pd.DataFrame:
    """Deep feature synthesis as it comes, with the row's time as the cutoff.

    Where a key pairs a row with much of a table, only some days before the cutoff count, and modes, skewness and
    numbers of different values are left out: all would take too long.
    """
    ft: Any = import_module("featuretools")
    entities = ft.EntitySet("database")
    every = dict.fromkeys(task.all_keys, "Categorical")
    rows = task.rows.assign(**{ROW: range(len(task.rows))})
    entities.add_dataframe(
        dataframe_name="rows", dataframe=rows, index=ROW, time_index=task.time,
        logical_types={key: kind for key, kind in every.items() if key in rows},
    )  # fmt: skip
    dated = {name: time for name, time in task.table_times.items() if time is not None}
    for name, time in dated.items():
        entities.add_dataframe(
            dataframe_name=name, dataframe=task.tables[name].copy(), index=f"{name}_number", make_index=True,
            time_index=time, logical_types={key: every[key] for key in task.keys[name]},
        )  # fmt: skip
    for key in task.all_keys:  # one line for each key, with what the unchanging tables say of it
        values = pd.concat([rows[key], *(task.tables[name][key] for name in dated if key in task.keys[name])])
        parent = pd.DataFrame({key: values.dropna().unique()})
        for name, table in task.tables.items():
            if name not in dated and key in task.keys[name]:
                parent = parent.merge(table.drop_duplicates(key), on=key, how="left")
        entities.add_dataframe(
            dataframe_name=f"{key}_keys", dataframe=parent, index=key, logical_types={key: "Categorical"}
        )
        entities.add_relationship(f"{key}_keys", key, "rows", key)
        for name in dated:
            if key in task.keys[name]:
                entities.add_relationship(f"{key}_keys", key, name, key)
    cutoffs = rows[[ROW, task.time]].rename(columns={task.time: "time"})
    window = f"{max(task.memory.values()):g} days" if task.memory else None
    columns, _ = ft.dfs(
        entityset=entities, target_dataframe_name="rows", cutoff_time=cutoffs, training_window=window, max_depth=2,
        agg_primitives=_FAST if task.memory else None, n_jobs=1, verbose=False,
    )  # fmt: skip
    return pd.DataFrame(columns.loc[rows[ROW]]).reset_index(drop=True)


def by_getml(task: Read) -> pd.DataFrame:
    """FastProp of the community edition as it comes: what is later than the row's time is not joined.

    By keys that pair a row with much of a table, only some days before it are joined: all would take too long.
    """
    getml: Any = import_module("getml")
    getml.engine.launch(launch_browser=False, quiet=True, home_directory=str(Path.cwd()))
    getml.engine.set_project("assay_databases")
    return _fastprop(getml, task)  # who started this process counts the engine's seconds, and ends it


def _fastprop(getml: Any, task: Read) -> pd.DataFrame:
    def frame(table: pd.DataFrame, name: str, keys: list[str], time: str | None, target: bool) -> Any:
        roles: dict[str, list[str]] = {"join_key": keys, "time_stamp": [time] if time else []}
        rest = [str(column) for column in table if column not in (*keys, time, TARGET)]
        roles["numerical"] = [column for column in rest if pd.api.types.is_numeric_dtype(table[column])]
        roles["categorical"] = [column for column in rest if column not in roles["numerical"]]
        roles["target"] = [TARGET] if target else []
        plain = table.assign(**{column: table[column].astype(float) for column in roles["numerical"]})
        plain = plain.assign(**{c: plain[c].astype(object).where(plain[c].notna(), None) for c in roles["categorical"]})
        return getml.DataFrame.from_pandas(plain, name=name, roles=roles)

    keys = task.all_keys
    filled = np.zeros(len(task.rows))
    filled[~task.late] = task.target
    rows = task.rows.assign(**{TARGET: filled})
    parts = {"train": rows[~task.late], "test": rows[task.late]}
    populations = {name: frame(part, name, keys, task.time, True) for name, part in parts.items()}
    model = getml.data.DataModel(populations["train"].to_placeholder("population"))
    container = getml.data.Container(**populations)
    kinds = getml.data.relationship
    for name, table in task.tables.items():
        time = task.table_times[name]
        source = frame(table, name, task.keys[name], time, False)
        for key in task.keys[name]:
            alias = f"{name}_{key}"
            model.add(source.to_placeholder(alias))
            container.add(**{alias: source})
            model.population.join(
                getattr(model, alias), on=key, time_stamps=None if time is None else (task.time, time),
                relationship=kinds.many_to_one if time is None else kinds.many_to_many,
                memory=getml.data.time.days(task.memory[key]) if time and key in task.memory else None,
            )  # fmt: skip
    losses = getml.feature_learning.loss_functions
    loss = losses.SquareLoss if task.regression else losses.CrossEntropyLoss
    pipeline = getml.Pipeline(
        data_model=model, feature_learners=[getml.feature_learning.FastProp(loss_function=loss, num_threads=1)]
    )
    pipeline.fit(container.train, check=False)
    values = {name: np.asarray(pipeline.transform(getattr(container, name))) for name in parts}
    width = values["train"].shape[1]
    columns = np.empty((len(task.rows), width))
    columns[~task.late], columns[task.late] = values["train"], values["test"]
    return pd.DataFrame(columns, columns=[f"feature_{place}" for place in range(width)])


def by_openfe(task: Read) -> pd.DataFrame:
    """The flat table and the twenty columns that OpenFE ranks first among 1,000 drawn of its thousands."""
    openfe: Any = import_module("openfe")
    train, test = (task.flat[part].reset_index(drop=True) for part in (~task.late, task.late))
    few = [name for name in train if train[name].nunique() <= 100]
    many = [name for name in train if name not in few]
    offered = openfe.get_candidate_features(numerical_features=many, ordinal_features=few)
    chosen = np.random.default_rng(0).permutation(len(offered))[:_OFFERED]
    ranked = openfe.OpenFE().fit(
        data=train, label=pd.DataFrame({TARGET: task.target}), n_jobs=1, verbose=False,
        candidate_features_list=[offered[place] for place in chosen],
        task="regression" if task.regression else "classification",
    )  # fmt: skip
    parts = openfe.transform(train, test, ranked[:20], n_jobs=1)
    columns = pd.DataFrame(index=range(len(task.flat)), columns=parts[0].columns, dtype=float)
    columns.loc[~task.late], columns.loc[task.late] = parts[0].to_numpy(float), parts[1].to_numpy(float)
    return columns


def by_autofeat(task: Read) -> pd.DataFrame:
    """The columns that autofeat keeps of the flat table and of what it makes from it in one step."""
    autofeat: Any = import_module("autofeat")
    filled = task.flat.fillna(task.flat[~task.late].median()).fillna(0.0)
    kind = autofeat.AutoFeatRegressor if task.regression else autofeat.AutoFeatClassifier
    model = kind(feateng_steps=1, featsel_runs=1, n_jobs=1, verbose=0)
    train = model.fit_transform(filled[~task.late], task.target)
    test = model.transform(filled[task.late])
    columns = pd.DataFrame(index=range(len(filled)), columns=[str(name) for name in train.columns], dtype=float)
    columns.loc[~task.late], columns.loc[task.late] = train.to_numpy(float), test.to_numpy(float)
    return columns


METHODS = {"featuretools": by_featuretools, "getml": by_getml, "openfe": by_openfe, "autofeat": by_autofeat}


def main(method: str, folder: str, seconds: str) -> None:
    """The columns of one method; each of its processes may use so many seconds of CPU."""
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
    warnings.simplefilter("ignore")
    columns = METHODS[method](Read(Path(folder)))
    plain = pd.DataFrame({str(name): columns[name] for name in columns})
    texts = [str(name) for name in plain if not pd.api.types.is_numeric_dtype(plain[name])]
    columns_as_text = plain.assign(**{name: plain[name].astype(str).where(plain[name].notna(), None) for name in texts})
    columns_as_text.to_parquet(Path(folder) / f"{method}.parquet")


if __name__ == "__main__":
    main(*sys.argv[1:])
