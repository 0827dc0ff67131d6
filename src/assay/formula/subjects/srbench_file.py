"""Regressors in the manner of SRBench's ``regressor.py`` files as subjects."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from assay.core import Budget, Call, InvalidInput, SubjectFailed, digest_json, digest_source
from assay.core.files.digest import digest_files, digest_implementation
from assay.formula.answer.answer import FormulaAnswer
from assay.formula.problem.task import FormulaTask
from assay.formula.subjects.estimators import EstimatorSubject
from assay.formula.subjects.reading import read_formula

__all__ = ["SrbenchFile", "srbench_subject"]


def srbench_subject(module: ModuleType, *, name: str | None = None) -> EstimatorSubject:
    r"""A module in the manner of SRBench's ``regressor.py`` files as a subject.

    Parameters
    ----------
    module : module
        It has ``est``, ``model``, and maybe ``eval_kwargs`` and ``get_population``. With ``model = None`` the formula
        is read where the fitted regressor keeps it; one that keeps none is judged by its predictions alone, on problems
        without a known law.
    name : str, optional
        The subject's name; by default that of the module.

    Returns
    -------
    EstimatorSubject
        A subject with ``solve(task, budget)``.

    Raises
    ------
    InvalidInput
        The module lacks ``est`` or ``model``.

    Examples
    --------
    >>> import importlib.util, tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "regressor.py")
    ...     lines = ["from sklearn.linear_model import LinearRegression", "est = LinearRegression()", "model = str"]
    ...     _ = file.write_text("\n".join(lines))
    ...     spec = importlib.util.spec_from_file_location("regressor", file)
    ...     regressor = importlib.util.module_from_spec(spec)
    ...     spec.loader.exec_module(regressor)
    ...     srbench_subject(regressor, name="ours").name
    'ours'
    """
    for entry in ("est", "model"):
        if not hasattr(module, entry):
            raise InvalidInput(
                f"{module.__name__}: has no {entry!r}. A regressor file in SRBench's manner defines est, a regressor, "
                "and model(est, X=None), which writes its formula."
            )
    return EstimatorSubject(
        name=name or module.__name__,
        digest=digest_source(module),
        estimator=module.est,
        model=read_formula if module.model is None else module.model,
        options=dict(getattr(module, "eval_kwargs", None) or {}),
        population=getattr(module, "get_population", None),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SrbenchFile:
    """The subject ``srbench(file='/path/to/regressor.py')``: the file is read beside the task, not before.

    A confined subject may read its file only with ``--readable /path/to``.
    """

    file: str = ""

    def __post_init__(self) -> None:
        if self.file and not Path(self.file).is_absolute():
            raise InvalidInput(
                f"srbench: {self.file!r} must be an absolute path, as subjects run in a folder of their own."
            )

    @property
    def name(self) -> str:
        """By the folder, which SRBench names after the method, and the file where it is not the usual one."""
        path = Path(self.file)
        label = path.parent.name if path.name == "regressor.py" else path.stem
        return str(Call("srbench", {"file": label or path.stem} if self.file else {}))

    @property
    def digest(self) -> str:
        """Of the file, and of the code that runs it."""
        path = Path(self.file)
        if self.file and not path.is_file():
            raise InvalidInput(f"srbench: there is no file {self.file}.")
        own = digest_files({path.name: path} if self.file else {})
        return digest_json({"file": own, "source": digest_implementation(__name__)})

    def solve(self, task: FormulaTask, budget: Budget, /) -> FormulaAnswer:
        """As the module in the file does."""
        if not self.file:
            raise SubjectFailed("cannot be built", "give the file: srbench(file='/path/to/regressor.py')")
        return srbench_subject(_import(Path(self.file)), name=self.name).solve(task, budget)


def _import(path: Path) -> ModuleType:
    try:
        path.read_bytes()
    except OSError as error:
        raise SubjectFailed(
            "cannot be built", f"{path} cannot be read ({error.strerror}); add --readable {path.parent}"
        ) from error
    spec = importlib.util.spec_from_file_location(f"srbench_{path.parent.name}_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise SubjectFailed("cannot be built", f"{path.name} is not an importable file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    spec.loader.exec_module(module)
    return module
