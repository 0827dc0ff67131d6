"""What a new user of version 0.1.0 met with their own data: each works now, or gets one line with the remedy.

Most of it is tested beside the code that answers; the table says where, and a test sees to it that those tests exist.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.cli.main import main

TESTS = Path(__file__).parents[1]

# what was done -> the tests that do it again
MET = {
    "XGBoost with text labels": (
        "cli/test_case_models.py::test_boosted_trees_explain_a_mixed_table_in_its_own_labels",
    ),
    "a continuous label": (
        "cli/test_mistakes.py::cases-continuous-label",
        "here::test_explain_refuses_a_measured_label",
    ),
    "any parameter of XGBoost and LightGBM": (
        "cases/generate/test_classifiers.py::test_boosted_trees_take_gaps_categories_and_texts_as_labels",
        "cases/generate/test_classifiers.py::test_a_mistyped_parameter_of_an_open_signature_is_found",
    ),
    "chatter before the JSON": ("cli/test_case_models.py::test_what_c_code_prints_goes_to_standard_error",),
    "an id and a date as features": (
        "cli/test_cases.py::test_ids_and_dates_of_a_european_table_are_left_out_and_told",
        "cases/problem/test_reading.py::test_identifiers_dates_and_constants_are_no_features_unless_kept",
    ),
    "a row of a frame with categories": (
        "cases/explanation/test_predictions.py::test_a_row_of_a_frame_reaches_the_model_with_the_types_of_training",
    ),
    "aux without the keys": (
        "core/contract/test_lookup.py::test_what_exists_is_told_beside_what_does_not",
        "here::test_a_function_that_asks_for_a_table_by_half_its_name_learns_the_names",
    ),
    "no execute bit": (
        "cli/test_mistakes.py::run-program-not-executable",
        "harness/setup/test_programs.py::test_the_command_that_makes_it_executable_can_be_pasted",
    ),
    "six broken subjects of eight": (
        "cli/test_story.py::test_the_terminal_alone_tells_which_subjects_failed_why_and_what_to_do",
    ),
    "a function that returns a text": (
        "formula/test_bad_subjects.py::test_texts_expressions_and_regressors_that_spell_their_model_are_answers",
        "formula/answer/test_returned.py::test_a_text_an_expression_and_an_answer_are_the_same",
    ),
    "an object with fit, predict and model": (
        "formula/subjects/test_estimators.py::test_a_regressor_with_model_is_a_subject",
    ),
    "own CSV with a known formula": (
        "cli/new/test_new.py::test_a_problem_is_written_told_and_found_right_by_the_command_that_is_printed",
        "formula/problem/test_user_problem.py::test_a_true_formula_is_fitted_and_columns_beside_it_are_distractors",
    ),
    "a log with own headers or European dates": (
        "cli/test_drift.py::test_detect_and_explain_take_the_options_of_tables_and_say_what_columns_were_taken",
        "cli/test_mistakes.py::drift-german-names",
    ),
    "--fail-under auroc=abc": (
        "cli/shared/test_gate.py::test_gates_are_checked_before_anything_is_run_or_stored",
        "cli/test_mistakes.py::report-fail-under-nonsense",
    ),
    "a weak baseline beside a gate": (
        "report/gates/test_judging.py::test_a_gate_that_names_subjects_is_not_failed_by_a_weak_baseline",
    ),
    "own metric in a file": ("cli/test_own_metrics.py::test_metrics_of_families_and_files_on_the_command_line",),
    "tables at 80 columns": (
        "report/test_text.py::test_a_usual_leaderboard_fits_a_usual_terminal_without_broken_numbers",
        "report/test_text.py::test_the_comparison_table_shows_differences_and_p_values",
    ),
    "displays in a notebook": (
        "conformal/test_displays.py::test_a_display_is_short_and_runs_nothing",
        "drift/test_display.py::test_a_log_of_a_million_events_is_summed_up_in_no_time",
    ),
    "subjects=(solve,), subjects='gplearn', problems='builtin', out='out'": (
        "api/test_running.py::test_what_a_user_would_write_is_a_subject_and_the_results_tell_everything",
        "cli/test_mistakes.py::python-run-out-text",
        "cli/test_mistakes.py::python-spec-text-for-list",
    ),
    "ahead, and yet by chance": (
        "report/page/test_overview.py::test_too_few_problems_for_so_many_comparisons_are_said_in_place_of_a_p_value",
    ),
    "a CSV with semicolons": ("cli/test_mistakes.py::cases-semicolon-decimal-comma",),
    "tasks paired by position": (
        "conformal/problem/test_reading.py::test_tasks_with_other_names_are_paired_as_told_and_never_by_position",
    ),
    "one column of sigmoid outputs": (
        "conformal/problem/test_reading.py::test_one_column_of_shares_is_the_probability_of_class_one",
        "cli/test_mistakes.py::conformal-yes-columns",
    ),
    "a regressor among classifiers": (
        "conformal/calibration/test_predictor.py::test_a_model_without_probabilities_of_classes_is_one_line",
    ),
    "a mistyped path": (
        "core/files/test_near.py::test_a_mistyped_path_gets_the_nearest_that_exists",
        "cli/test_mistakes.py::cases-path-one-letter",
    ),
    "doctor installs what no index has": (
        "core/files/test_extras.py::test_a_hint_names_libraries_and_never_a_distribution_called_assay",
    ),
}


@pytest.mark.parametrize("result", MET)
def test_what_was_met_is_tested(result: str) -> None:
    for named in MET[result]:
        place, _, test = named.partition("::")
        if place == "here":
            assert test in globals()
        elif test.startswith("test_"):
            assert f"def {test}(" in (TESTS / place).read_text(encoding="utf-8"), named
        else:
            lists = (TESTS / "cli" / "mistakes").glob("*.jsonl")
            assert any(f'"id": "{test}"' in path.read_text(encoding="utf-8") for path in lists), named


@pytest.fixture
def typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    """A command in a folder of the user's; its exit code and what is seen."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def call(*words: str) -> tuple[int, str]:
        handler = signal.getsignal(signal.SIGTERM)
        with pytest.raises(SystemExit) as ended:
            main(list(words))
        signal.signal(signal.SIGTERM, handler)
        return int(ended.value.code or 0), " ".join(" ".join(capfd.readouterr()).split())

    return call


def test_explain_refuses_a_measured_label(typed: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    (tmp_path / "houses.csv").write_text("sqm,price\n" + "".join(f"{i % 7}.5,{i * 1.5}\n" for i in range(60)))
    code, result = typed("cases", "explain", "--train", "houses.csv", "--label", "price", "--query", "houses.csv")
    assert code == 2
    assert "'price' has 60 different numbers in 60 rows" in result
    assert "cut the numbers into ranges" in result


def test_a_function_that_asks_for_a_table_by_half_its_name_learns_the_names(
    typed: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    rows = "".join(f"{i},2021-01-{1 + i % 28:02d},{i % 2}\n" for i in range(40))
    (tmp_path / "customers.csv").write_text(f"customer,signed,churned\n{rows}")
    (tmp_path / "orders.csv").write_text("customer,day\n" + "".join(f"{i},2020-12-01\n" for i in range(40)))
    (tmp_path / "experts.py").write_text("def orders(row, aux):\n    return len(aux['orders'])\n")
    tables = ("--table", "customers.csv", "--table", "orders.csv", "--target", "churned", "--time", "signed")
    code, result = typed("insight", "new", *tables, "--experts", "experts.py", "--out", "p")
    assert code == 2
    assert re.search(r"function 'orders' fails: .*KeyError 'orders' \(line 2\)\. Did you mean 'orders\.csv'\?", result)
    assert "There are: orders.csv. Columns of a row: customer, signed." in result
    assert not (tmp_path / "p").exists()
