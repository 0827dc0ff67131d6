"""Spec to plan to records: the harness that all tracks share."""

from assay.harness.driver.progress import NoProgress, Progress
from assay.harness.driver.result import RunResult
from assay.harness.plan import Cell, Plan, Prepared, make_plan, prepare
from assay.harness.rescoring import rescore
from assay.harness.run import run
from assay.harness.runners import LocalRunner, Lost, Runner, make_runner
from assay.harness.spec import RunFile, RunSpec, read_run_file
from assay.harness.store.inspection import StoreReport, check_store
from assay.harness.store.merging import merge_stores
from assay.harness.store.opening import upgrade_store
from assay.harness.store.store import Run, Store
from assay.harness.store.stored_answer import Finished, StoredAnswer
from assay.harness.store.withdrawals import Withdrawal
from assay.harness.store.withdrawing import restore_records, withdraw_records
from assay.harness.subject_ref import SubjectRef, resolve_subject

__all__ = [
    "Cell",
    "Finished",
    "LocalRunner",
    "Lost",
    "NoProgress",
    "Plan",
    "Prepared",
    "Progress",
    "Run",
    "RunFile",
    "RunResult",
    "RunSpec",
    "Runner",
    "Store",
    "StoreReport",
    "StoredAnswer",
    "SubjectRef",
    "Withdrawal",
    "check_store",
    "make_plan",
    "make_runner",
    "merge_stores",
    "prepare",
    "read_run_file",
    "rescore",
    "resolve_subject",
    "restore_records",
    "run",
    "upgrade_store",
    "withdraw_records",
]
