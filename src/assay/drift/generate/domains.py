"""Invented processes to simulate: names, activities, who carries them out and how long they take."""

from __future__ import annotations

from dataclasses import dataclass

from assay.core import UnknownName

__all__ = ["DOMAINS", "Domain", "get_domain"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """A field of work; the first and the last activity open and close every case."""

    name: str
    processes: tuple[str, ...]
    activities: tuple[str, ...]
    roles: tuple[str, ...]


def _domain(name: str, processes: str, roles: str, activities: str) -> Domain:
    def split(text: str) -> tuple[str, ...]:
        return tuple(entry.strip() for entry in text.split(","))

    return Domain(name=name, processes=split(processes), activities=split(activities), roles=split(roles))


DOMAINS: tuple[Domain, ...] = (
    _domain(
        "travel",
        "TravelPermits, TripDeclarations, PrepaidTravelCosts, ConferenceTravel",
        "employee, administration, budget owner, supervisor, director, finance office",
        "Submit request, Check completeness, Register permit, Verify budget, Ask for quotation, Approve by supervisor, "
        "Approve by director, Book flight, Reserve hotel, Issue travel insurance, Send reminder, Collect receipts, "
        "Convert currency, Review declaration, Correct declaration, Request payment, Handle payment, Notify traveller, "
        "Audit expenses, Archive trip, Close request",
    ),
    _domain(
        "purchasing",
        "PurchaseToPay, IndirectProcurement, ContractOrders, LaboratorySupplies",
        "requester, buyer, warehouse, accounts payable, controller, vendor desk",
        "Create requisition, Check catalogue, Select supplier, Request offer, Compare offers, Negotiate price, "
        "Approve requisition, Create purchase order, Send purchase order, Confirm delivery date, Receive goods, "
        "Inspect quality, Book goods receipt, Scan invoice, Match invoice, Clarify deviation, Release payment block, "
        "Change quantity, Return goods, Pay invoice, Close order",
    ),
    _domain(
        "claims",
        "MotorClaims, HouseholdClaims, LiabilityClaims, TravelInsuranceClaims",
        "call centre, claims clerk, adjuster, fraud desk, medical expert, payment office",
        "Report damage, Open claim file, Check coverage, Ask for documents, Classify severity, Assign adjuster, "
        "Inspect damage, Estimate cost, Consult medical expert, Screen for fraud, Interview witness, "
        "Calculate reserve, Decide liability, Draft settlement, Approve settlement, Notify policyholder, Order repair, "
        "Pay compensation, Recover from third party, Survey satisfaction, Close claim",
    ),
    _domain(
        "lending",
        "ConsumerLoans, MortgageApplications, SmallBusinessCredit, CarFinancing",
        "branch, credit analyst, risk officer, compliance, back office, legal desk",
        "Receive application, Identify customer, Verify income, Query credit bureau, Appraise collateral, "
        "Compute affordability, Assess risk, Request missing papers, Screen sanctions list, Prepare offer, Price loan, "
        "Approve offer, Send offer, Negotiate terms, Record acceptance, Draw up contract, Sign contract, "
        "Register mortgage, Disburse funds, Welcome customer, Archive application",
    ),
    _domain(
        "hiring",
        "StaffRecruiting, GraduateProgramme, ExecutiveSearch, SeasonalHiring",
        "hiring manager, recruiter, works council, team lead, payroll, coordinator",
        "Open vacancy, Approve headcount, Write advertisement, Publish advertisement, Screen resume, Phone interview, "
        "Run aptitude test, Invite candidate, Hold interview, Check references, Consult works council, "
        "Schedule assessment day, Rank candidates, Select candidate, Draft employment contract, Negotiate salary, "
        "Run background check, Send rejection, Prepare workplace, Enter payroll data, Complete hiring",
    ),
    _domain(
        "repairs",
        "ApplianceRepairs, FleetMaintenance, ElevatorService, MedicalDeviceService",
        "hotline, dispatcher, technician, spare parts store, workshop, quality desk",
        "Register fault, Look up warranty, Diagnose remotely, Dispatch technician, Diagnose on site, "
        "Estimate repair price, Obtain consent, Order spare part, Wait for part, Replace component, Update firmware, "
        "Calibrate device, Test safety, Clean device, Repeat test, Record working hours, Write service report, "
        "Send bill, Register payment, Ask for feedback, Close fault",
    ),
    _domain(
        "permits",
        "BuildingPermits, EventLicences, EnvironmentalPermits, ParkingExemptions",
        "front desk, case worker, inspector, legal adviser, municipal board, cashier",
        "Accept application, Charge fee, Check plans, Request amendment, Consult fire brigade, Consult neighbours, "
        "Assess noise, Assess heritage value, Inspect site, Publish notice, Collect objections, Hold hearing, "
        "Draft decision, Review legality, Sign decision, Issue permit, Announce decision, Register appeal, "
        "Monitor construction, Measure emissions, Conclude application",
    ),
    _domain(
        "orders",
        "OnlineOrders, WholesaleOrders, SparePartOrders, SubscriptionBoxes",
        "web shop, sales desk, warehouse, carrier, billing, service desk",
        "Place order, Validate address, Check credit limit, Reserve stock, Confirm order, Split shipment, Pick items, "
        "Pack parcel, Print label, Load truck, Clear customs, Track parcel, Deliver parcel, Collect signature, "
        "Create invoice, Send payment reminder, Receive payment, Process return, Refund customer, Offer voucher, "
        "Complete order",
    ),
)


def get_domain(name: str) -> Domain:
    """The domain of this name."""
    for domain in DOMAINS:
        if domain.name == name:
            return domain
    raise UnknownName("domain", name, [domain.name for domain in DOMAINS])
