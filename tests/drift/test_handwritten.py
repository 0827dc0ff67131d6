"""A test set written by hand, in another style than the generator's: letters of a university, several processes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from assay.drift.detection.drift import Drift, DriftType
from assay.drift.documents.document import Corpus
from assay.drift.explanation.explainer import DriftExplainer

LETTERS: dict[str, str] = {
    "2017-03-20_Guideline_on_Domestic_Travel": (
        "Starting April 1st, employees who file declarations for domestic trips attach digital receipts "
        "to every expense line. Declarations without receipts are sent back by the administration before they reach "
        "the budget owner. The supervisor remains the final approver for amounts above 1,000 euro."
    ),
    "2017-03-27_Cafeteria_Renovation": (
        "The cafeteria in building 4 closes on 1 April 2017 and reopens in May. Meals are served in the foyer."
    ),
    "2017-03-29_International_Travel_Safety_Bulletin": (
        "Travellers to some countries must register their trip with the security desk as of 3 April 2017. "
        "International declarations are not affected by this measure."
    ),
    "2017-03-15_Minutes_Budget_Owners_Meeting": (
        "Present: eleven budget owners. The forecast for the second quarter was discussed. Declarations, permits and "
        "requests for payment are processed within the agreed time. Next meeting on 12 June 2017."
    ),
    "2017-11-02_Payment_Batch_Frequency": (
        "Because of the new bank interface, a request for payment will be settled in daily batches instead of weekly "
        "batches from 6 November 2017 onwards. Requests approved after 15:00 move to the next batch."
    ),
    "2017-11-03_Sinterklaas_Party": (
        "Children of employees are invited on 2 December 2017. Please register before 20 November."
    ),
    "2017-10-30_Security_Awareness_Month": (
        "Phishing, passwords and payment fraud. Never approve a payment you did not request. Report suspicious ones."
    ),
    "2017-11-06_HR_Portal_Release_Notes": (
        "Release 8.2 of the HR portal goes live on 7 November 2017. New screens for leave, travel permits and "
        "performance interviews. The declaration module was not touched."
    ),
    "2018-01-08_Prepaid_Travel_Cost_Policy_Revision": (
        "Advance payments for travel are restricted. As from 15 January 2018 prepaid travel costs have to be approved "
        "by the budget owner and, above 2,500 euro, by the director. Requests already submitted follow the old rules."
    ),
    "2018-01-10_Permit_Workflow_Update": (
        "The travel permit workflow was simplified. For trips inside the European Union the permit no longer needs the "
        "approval of the director. The change is active since the start of this week."
    ),
    "2018-01-12_Newsletter_January": (
        "In this newsletter: New Year reception, parking, prepaid phone cards for travel, and an interview with our "
        "travel desk about permits, declarations and costs."
    ),
    "2018-01-05_Tax_Rules_for_Company_Cars": (
        "The tax authorities have changed the addition for company cars as of 1 January 2018."
    ),
    "2018-06-18_Organisational_Change_Finance": (
        "On 1 July 2018 the international desk takes over the handling of all international declarations from the "
        "faculties. The administration of the faculties will forward what it receives. During a transition period of "
        "two months both desks process files."
    ),
    "2018-06-20_Summer_Office_Hours": (
        "From 2 July until 24 August the finance desk is open from 9:00 to 15:00. Declarations may take longer."
    ),
    "2018-06-25_Exchange_Rates_Update": (
        "The table of exchange rates for international travel is refreshed. New rates apply to trips from July 2018."
    ),
    "2018-03-01_International_Declarations_Handbook": (
        "This handbook explains international declarations step by step: submission, approval by administration, "
        "approval by budget owner, final approval by supervisor, request payment, payment handled."
    ),
    "2017-01-10_Request_For_Payment_Manual": (
        "How to file a request for payment: submission, approval by administration, budget owner and supervisor."
    ),
    "2018-09-03_Domestic_Declarations_Audit_Findings": (
        "The internal audit sampled domestic declarations. From 10 September 2018, one in five declarations is checked "
        "by the administration before the supervisor sees it."
    ),
    "2018-09-05_Welcome_Week": "Welcome week for new employees starts 10 September 2018.",
    "2018-08-31_Travel_Agency_Contract": (
        "From 1 October 2018 a new travel agency books all flights. Domestic rail tickets are bought by the employee."
    ),
}

GOLDEN: list[tuple[str, str, DriftType, str]] = [
    ("DomesticDeclarations", "2017-04-03", "sudden", "2017-03-20_Guideline_on_Domestic_Travel"),
    ("RequestForPayment", "2017-11-07", "gradual", "2017-11-02_Payment_Batch_Frequency"),
    ("PrepaidTravelCost", "2018-01-16", "sudden", "2018-01-08_Prepaid_Travel_Cost_Policy_Revision"),
    ("PermitLog", "2018-01-09", "incremental", "2018-01-10_Permit_Workflow_Update"),
    ("InternationalDeclarations", "2018-06-29", "gradual", "2018-06-18_Organisational_Change_Finance"),
    ("DomesticDeclarations", "2018-09-12", "sudden", "2018-09-03_Domestic_Declarations_Audit_Findings"),
]


class Names:
    """What changes in every one of these logs alike, and so tells no document from another."""

    def vocabulary(self) -> Sequence[str]:
        return ["Declaration APPROVED by BUDGET OWNER", "Declaration APPROVED by ADMINISTRATION", "Payment Handled"]


@pytest.fixture(scope="module")
def explainer() -> DriftExplainer:
    texts = {}
    for name, body in LETTERS.items():
        day = datetime.strptime(name[:10], "%Y-%m-%d")
        head = (
            f"Subject: {name[11:].replace('_', ' ')}\nFrom: Finance\nDate: {day.day} {day:%B %Y}\nTo: All employees\n\n"
        )
        texts[f"{name}.txt"] = head + body
    return DriftExplainer(Corpus.from_texts(texts))


@pytest.mark.parametrize("profile", [None, Names()], ids=["without profile", "with profile"])
@pytest.mark.parametrize(("process", "day", "type", "golden"), GOLDEN)
def test_the_letter_behind_each_drift_comes_first(
    explainer: DriftExplainer, process: str, day: str, type: DriftType, golden: str, profile: Names | None
) -> None:
    start = datetime.strptime(day, "%Y-%m-%d").replace(hour=9, tzinfo=UTC)
    drift = Drift(id="d", process=process, type=type, start_case="1", end_case="1", start=start, end=start)
    ranking = explainer.explain(drift, profile)
    ranked = [scored.document for scored in ranking.ranking]
    if golden.endswith("Permit_Workflow_Update") and profile is not None:  # it says "this week", the other names a day
        assert ranked.index(f"{golden}.txt") <= 1
        return
    assert ranked[0] == f"{golden}.txt"
    assert ranking.causes[0].quote in LETTERS[golden]


def test_a_drift_that_no_letter_explains_is_left_unexplained(explainer: DriftExplainer) -> None:
    start = datetime(2018, 4, 20, tzinfo=UTC)
    drift = Drift(id="d", process="PermitLog", type="sudden", start_case="1", end_case="1", start=start, end=start)
    assert explainer.explain(drift).abstained
