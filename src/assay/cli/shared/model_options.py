"""Options of commands that take a fitted model from a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.shared.options import PATH, together
from assay.core import InvalidInput

if TYPE_CHECKING:
    from assay.harness.models.model_file import ModelFile

__all__ = ["model_options", "open_model_file"]

model_options = together(
    click.option(
        "--model",
        "model_file",
        type=PATH,
        metavar="FILE",
        help="Use a fitted classifier from a file: .joblib, .pkl, .skops or .onnx.",
    ),
    click.option("--trust-model", is_flag=True, help="Let a joblib, pickle or skops file run its code, confined."),
    click.option("--model-classes", metavar="A,B", help="Name the labels of a model file's classes, in its own order."),
)


def open_model_file(path: Path | None, trust: bool, classes: str | None, **others: str | None) -> ModelFile | None:
    """The classifier in a model file, if one is named; options that contradict each other are refused."""
    from assay.cases.problem.training import demand_classifier
    from assay.harness.models.model_file import open_model

    if path is None:
        for option, value in (("--trust-model", trust), ("--model-classes", classes)):
            if value:
                raise InvalidInput(f"{option} is about a model file: name it, --model FILE.")
        return None
    if clash := next((name for name, value in others.items() if value), None):
        raise InvalidInput(f"--model and --{clash} both say whose predictions: give one of them.")
    named = None if classes is None else [label.strip() for label in classes.split(",")]
    model = open_model(path, trust=trust, classes=named, flags=True)
    demand_classifier(model, what=str(path))
    for remark in model.remarks:
        click.echo(f"{path}: {remark}", err=True)
    return model
