"""A corpus written by hand, in the manner of a travel office: mails, minutes and circulars, without an event log."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from assay.drift.detection.drift import Drift
from assay.drift.documents.folder import read_corpus
from assay.drift.examine.evaluation import Evaluation, evaluate
from assay.drift.problem.detector_files import write_detections

DOCUMENTS = {
    "2018-01-03_Fiscal_Year_Kickoff.txt": """Subject: Kick-off of the fiscal year
From: Finance Director
Date: 3 January 2018
To: all staff
Category: Announcement

Happy new year. Budgets are open again. Please book expenses of December under the old year until the end of the month.
""",
    "2018-02-05_Domestic_Declarations_Direct_Approval.txt": """Subject: Domestic declarations below 100 euros
From: Finance Operations
Date: 5 February 2018
To: budget owners, administration

Dear colleagues,
from Monday 12 February on, domestic declarations below 100 euros no longer pass the budget owner. Administration checks
them and sends them to the supervisor at once. We expect that half of the approvals will disappear.
""",
    "2018-02-07_Parking_Garage_Closed.txt": """Subject: Parking garage
From: Facility Management
Date: 7 February 2018

The parking garage stays closed from 12 February to 16 February. Please use the bicycle shed.
""",
    "2018-02-09_International_Trips_Insurance.txt": """Subject: Insurance of international trips
From: Risk Office
Date: 9 February 2018

For international declarations the insurer has changed. Conditions remain the same; nothing in the handling changes.
""",
    "2017-09-18_Domestic_Declarations_Template.txt": """Subject: New template for domestic declarations
From: Finance Operations
Date: 18 September 2017

From 1 October 2017 on please use the new template for domestic declarations. Old forms are rejected by administration.
""",
    "2018-05-22_Travel_Permits_Minutes.txt": """Minutes of the process board, 22 May 2018

1. Travel permits. The board decided that permits for trips outside Europe need the signature of the director in
addition to that of the supervisor. The workflow is switched over on 1 June 2018.
2. Canteen. Prices go up in autumn.
""",
    "2018-05-25_Domestic_Declarations_Reminder.txt": """Subject: Reminder
From: Finance Operations
Date: 25 May 2018

Domestic declarations must be handed in within three months. This has always been so; we merely remind you.
""",
    "2018-05-29_Privacy_Regulation.txt": """Subject: Privacy regulation in force
From: Legal Affairs
Date: 29 May 2018

The regulation is in force since 25 May 2018. Mailing lists were cleaned up. Processes of the finance department are
not affected.
""",
    "2018-03-01_Travel_Permits_Pilot.txt": """Subject: Pilot on travel permits
From: Process Office
Date: 1 March 2018

In March we test an app for travel permits with two volunteers. The regular way of handling permits does not change.
""",
    "2018-08-27_Request_For_Payment_Payment_Runs.txt": """Subject: Two payment runs per week
From: Treasury
Date: 27 August 2018
To: accounts payable

As of 3 September 2018 payments for every request for payment are handled in two runs, on Tuesday and Thursday. So far
they were handled daily. Employees should expect their money up to two days later.
""",
    "2018-08-30_New_Coffee_Machines.txt": """Subject: Coffee
From: Facility Management
Date: 30 August 2018

New coffee machines arrive on 3 September 2018. They take cards only.
""",
    "2018-08-20_Supplier_Invoices.txt": """Subject: Scanning of supplier invoices
From: Accounts Payable
Date: 20 August 2018

Supplier invoices are scanned by a service provider starting 3 September 2018. Requests of employees are not concerned.
""",
    "2018-11-28_Prepaid_Travel_Costs_Cards.txt": """Subject: Company cards
From: Finance Director
Date: 28 November 2018

With effect from 3 December 2018 prepaid travel costs are charged to company cards. The step in which an employee asks
for an advance payment is dropped. Cards are handed out by the administration.
""",
    "2018-11-30_Christmas_Party.txt": """Subject: Christmas party
From: Social Committee
Date: 30 November 2018

The party takes place on 14 December 2018. Travel costs are not reimbursed.
""",
    "2018-11-26_Prepaid_Travel_Costs_Planned_System.txt": """Subject: Outlook on prepaid travel costs
From: IT Services
Date: 26 November 2018

A new booking system for prepaid travel costs is planned for July 2019. Details follow; until then all stays as it is.
""",
}

STARTS = {
    "DomesticDeclarations": ("2018-02-13", "2018-02-05_Domestic_Declarations_Direct_Approval.pdf"),
    "TravelPermits": ("2018-06-02", "2018-05-22_Travel_Permits_Minutes.pdf"),
    "RequestForPayment": ("2018-09-04", "2018-08-27_Request_For_Payment_Payment_Runs.pdf"),
    "PrepaidTravelCosts": ("2018-12-04", "2018-11-28_Prepaid_Travel_Costs_Cards.pdf"),
}


@pytest.fixture(scope="module")
def evaluation(tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    root: Path = tmp_path_factory.mktemp("travel")
    (root / "documents").mkdir()
    for name, text in DOCUMENTS.items():
        (root / "documents" / name).write_text(text)
    for process, (day, golden) in STARTS.items():
        when = datetime.fromisoformat(day).replace(hour=9, tzinfo=UTC)
        drift = Drift(
            id="d", process=process, type="sudden", start_case="case 7", end_case="case 7", start=when, end=when
        )
        write_detections(root / "logs" / process, [drift], golden=[[golden]])
    return evaluate(root / "logs", documents=read_corpus(root / "documents"), subjects=("explainer",), ks=(1, 2))


def test_every_cause_comes_first_and_golden_names_may_bear_another_suffix(evaluation: Evaluation) -> None:
    first = {row.test_set: row.verdict.ranking[0] for row in evaluation.rows["explainer"]}
    assert first == {process: golden.replace(".pdf", ".txt") for process, (_, golden) in STARTS.items()}
    assert evaluation.mean("recall@1").value == evaluation.mean("mrr").value == 1.0


def test_dates_alone_do_not_suffice(evaluation: Evaluation) -> None:
    assert evaluation.mean("recall@1", subject="date-only").value < 1.0
    assert evaluation.mean("mrr", subject="random").value < 0.3


def test_every_cause_is_quoted_verbatim_and_nobody_abstains(evaluation: Evaluation) -> None:
    for row in evaluation.rows["explainer"]:
        assert row.verdict.verbatim
        assert all(row.verdict.verbatim)
        assert not row.verdict.abstained
