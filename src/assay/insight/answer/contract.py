"""What a subject of the insight track gets and gives, and what a feature function is called with."""

from __future__ import annotations

from typing import Final

from assay.core.contract.contract import Contract, TaskField

__all__ = ["CONTRACT"]

CONTRACT: Final = Contract(
    task={
        "name": TaskField("str", "the name of the problem", "'Purchases'"),
        "description": TaskField("str", "what is asked", "'Explain which purchases end badly.'"),
        "domain": TaskField("str", "the field", "'Retail'"),
        "target_column": TaskField("str", "the column of train to explain", "'returned'"),
        "problem_type": TaskField("str", "binary, multiclass or regression", "'binary'"),
        "train": TaskField("DataFrame", "base columns and the target", "task.train['returned']"),
        "test": TaskField("DataFrame", "base columns", "task.test.columns"),
        "base_columns": TaskField("tuple of str", "the columns of train but the target", "('customer_id', 'region')"),
        "tables": TaskField(
            "mapping of str to DataFrame", "auxiliary tables by file name", "task.tables['orders.csv']"
        ),
        "time_column": TaskField("str or None", "the column with the time of prediction", "'purchase_date'"),
        "table_times": TaskField(
            "mapping of str to TableTime", "for tables the column with their rows' times", "{'orders.csv': ...}"
        ),
    },
    answer="an InsightAnswer: columns, the best first, with the functions that compute them",
    answers={
        "InsightAnswer(\n"
        "    solved_by='me',\n"
        "    columns=['one'],\n"
        "    functions=[\n"
        "        FeatureFunction(name='one', code='def one(row): return 1.0')\n"
        "    ],\n"
        ")": "columns by name, each with source that defines a function of that name",
        "InsightAnswer(solved_by='me', columns=task.base_columns[:2])": "columns of the table itself",
        "InsightAnswer(solved_by='me', columns=[])": "nothing was found",
    },
    functions={
        "row": "the row of the primary table, as row['region'], without the target; an argument called df is the "
        "whole table, for which a column is returned",
        "df_train": "optional: the training table with the target, which is missing in the row's own fold",
        "aux_dataframes": "optional, or another name that begins with aux: the auxiliary tables by file name, ending "
        "included, as aux_dataframes['orders.csv']",
    },
    returned="one number, text or truth value per row, or None; a dictionary counts as its text. pd, np, math, re and "
    "datetime are there",
    files={
        "problem/problem.json": "target_column, problem_type, description, ...",
        "problem/data/train.csv": "base columns and the target",
        "problem/data/test.csv": "base columns",
        "problem/data": "the auxiliary tables, as orders.csv",
    },
    program='solution_attributes.json in that folder: {"enriched_column_names": ["one"], "new_feature_functions": '
    '[{"name": "one", "code": "def one(row): return 1.0"}]}',
)
