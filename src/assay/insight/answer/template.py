"""The subject file that ``assay init insight`` writes: small, complete, to be edited, with the contract on top."""

from __future__ import annotations

from assay.insight.answer.contract import CONTRACT

__all__ = ["TEMPLATE"]

_CODE = '''import pandas as pd

from assay.insight import FeatureFunction, InsightAnswer

CODE = """
def {name}(row, aux_dataframes):
    table = aux_dataframes[{table!r}]
    same = table[table[{key!r}] == row[{key!r}]]
    return {count}
"""


def solve(task, budget):
    """How often does an id of the row occur in each table, up to the row's time?"""
    functions = []
    for table, frame in task.tables.items():
        declared = task.table_times.get(table)
        count = "len(same)"
        if declared is not None and declared.time_column is not None:
            count = f"int((same[{declared.time_column!r}] <= row[{task.time_column!r}]).sum())"
        for key in task.base_columns:
            if key.endswith("_id") and key in frame.columns:
                name = f"rows_of_{key}_in_{table.partition('.')[0]}"
                code = CODE.format(name=name, table=table, key=key, count=count)
                functions.append(FeatureFunction(name=name, code=code))
    return InsightAnswer(
        solved_by="me",
        columns=[function.name for function in functions],
        functions=functions,
        train=compute(functions, task.train, task.tables),
        test=compute(functions, task.test, task.tables),
    )


def compute(functions, rows, tables):
    columns = {}
    for function in functions:
        names = {}
        exec(function.code, names)
        columns[function.name] = [names[function.name](row, tables) for _, row in rows.iterrows()]
    return pd.DataFrame(columns, index=rows.index)
'''

TEMPLATE = f'"""My way of finding what explains a target."""\n\n{CONTRACT.comment()}\n\n{_CODE}'
