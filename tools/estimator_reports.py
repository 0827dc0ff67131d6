"""The page of what scikit-learn's own checks say of every estimator; ``python -m tools.estimator_reports``."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["PAGE", "estimators", "main", "report"]

PAGE = Path(__file__).parents[1] / "docs" / "connections" / "scikit-learn-checks.md"
_TABLES = "its X is a data frame whose columns have names: the checks give it arrays, which it refuses"
_LONGEST = 110


def estimators() -> dict[str, tuple[Any, str]]:
    """Every estimator, and why it cannot pass all checks, where it cannot."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier

    from assay.connections.sklearn import ConformalClassifier, ExplainedClassifier
    from assay.formula import discover
    from assay.insight.features import RelationalFeatures

    neighbours = ConformalClassifier(KNeighborsClassifier(), method="classwise", nonconformity="aps")
    return {
        "ConformalClassifier()": (ConformalClassifier(), ""),
        'ConformalClassifier(KNeighborsClassifier(), method="classwise", nonconformity="aps")': (neighbours, ""),
        "ExplainedClassifier()": (ExplainedClassifier(), ""),
        "ExplainedClassifier(LogisticRegression())": (ExplainedClassifier(LogisticRegression()), ""),
        "discover(seconds=0.2)": (discover(seconds=0.2), ""),
        "RelationalFeatures()": (RelationalFeatures(), _TABLES),
    }


def report(estimator: Any) -> list[tuple[str, str, str]]:
    """Name, verdict and the beginning of what was wrong, of each check."""
    from sklearn.utils.estimator_checks import check_estimator

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(estimator, on_fail=None, on_skip=None)
    return [(entry["check_name"], entry["status"], _first_line(entry["exception"])) for entry in results]


def _first_line(error: BaseException | None) -> str:
    line = str(error).strip().partition("\n")[0] if error is not None else ""
    return (line if len(line) <= _LONGEST else f"{line[:_LONGEST]} ...").replace("|", "\\|")


def _page() -> Iterator[str]:
    import sklearn

    yield "# Reports of check_estimator"
    yield ""
    yield f"scikit-learn {sklearn.__version__}, written by `python -m tools.estimator_reports`."
    details: list[str] = []
    yield "\n| estimator | checks | passed | failed |\n|---|---|---|---|"
    for name, (estimator, reason) in estimators().items():
        checks = report(estimator)
        passed, failed = (sum(status == verdict for _, status, _ in checks) for verdict in ("passed", "failed"))
        yield f"| `{name}` | {len(checks)} | {passed} | {failed}{f': {reason}' if failed and reason else ''} |"
        details += [
            "",
            f"## {name.partition('(')[0]}: `{name}`",
            "",
            "| check | verdict | what it says |",
            "|---|---|---|",
        ]
        details += [f"| `{check}` | {status} | {words} |" for check, status, words in checks]
    yield from details
    yield ""


def main() -> None:
    """Write the page."""
    PAGE.write_text("\n".join(_page()), encoding="utf-8")
    print(PAGE)


if __name__ == "__main__":
    main()
