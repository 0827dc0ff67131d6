"""What generated problems talk about: the same relations in the words of five domains."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DOMAINS", "Domain", "spoken"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """Names of tables, columns and categories, and the texts of a task, which must not tell the insights."""

    label: str
    title: str
    question: str
    row: str  # "renewal": one row of the primary table
    entity: str  # "subscriber": whom it concerns
    item: str  # "handset": what it is about
    amount: str  # number columns of the primary table
    size: str
    segment: str
    segments: tuple[str, ...]
    region: str
    regions: tuple[str, ...]
    noises: tuple[str, str]  # uninformative numbers
    surrogate: str  # a number that goes along with an insight without being one
    events: str  # the frequent table, without ".csv"
    event: str
    kinds: tuple[str, ...]
    value: str
    contacts: str  # the rarer one
    contact: str
    reasons: tuple[str, ...]
    effort: str
    items: str
    group: str
    groups: tuple[str, ...]
    price: str
    grouping: str  # the table of groups
    level: str  # a number of each group
    profiles: str
    since: str
    channels: tuple[str, ...]
    flag: str  # targets: binary, multi-class, regression
    outcome: str
    outcomes: tuple[str, ...]
    measure: str


def spoken(name: str) -> str:
    """A column's name as words.

    >>> spoken("data_volume")
    'data volume'
    """
    return name.replace("_", " ")


DOMAINS = {
    "telecom": Domain(
        label="Telecom",
        title="Contracts up for renewal",
        question="Explain what becomes of a subscriber's contract when it comes up for renewal.",
        row="renewal",
        entity="subscriber",
        item="handset",
        amount="monthly_fee",
        size="lines",
        segment="tariff",
        segments=("basic", "smart", "family", "unlimited"),
        region="region",
        regions=("coast", "valley", "capital", "north", "islands"),
        noises=("letters_sent", "account_digits"),
        surrogate="satisfaction_index",
        events="calls",
        event="call",
        kinds=("national", "roaming", "service", "international", "voicemail"),
        value="minutes",
        contacts="complaints",
        contact="complaint",
        reasons=("coverage", "billing", "speed", "staff"),
        effort="handling_hours",
        items="handsets",
        group="brand",
        groups=("aster", "boreal", "corvus", "delta", "ember", "falke"),
        price="list_price",
        grouping="brands",
        level="support_level",
        profiles="subscribers",
        since="customer_since",
        channels=("shop", "online", "partner"),
        flag="cancelled",
        outcome="decision",
        outcomes=("renew", "switch", "leave"),
        measure="revenue_next_year",
    ),
    "retail": Domain(
        label="Retail",
        title="Customers and their next season",
        question="Explain how customers of a chain behave in the season after a purchase.",
        row="purchase",
        entity="customer",
        item="product",
        amount="basket_value",
        size="pieces",
        segment="loyalty_tier",
        segments=("none", "bronze", "silver", "gold"),
        region="district",
        regions=("centre", "harbour", "hills", "suburb", "villages"),
        noises=("till_number", "queue_seconds"),
        surrogate="engagement_score",
        events="visits",
        event="visit",
        kinds=("store", "web", "app", "outlet", "event"),
        value="spent",
        contacts="returns",
        contact="return",
        reasons=("damaged", "wrong_size", "late", "changed_mind"),
        effort="refund",
        items="products",
        group="category",
        groups=("garden", "kitchen", "sports", "toys", "tools", "books"),
        price="shelf_price",
        grouping="categories",
        level="margin_level",
        profiles="members",
        since="member_since",
        channels=("flyer", "friend", "advert"),
        flag="lapsed",
        outcome="next_step",
        outcomes=("regular", "occasional", "gone"),
        measure="season_spend",
    ),
    "finance": Domain(
        label="Finance",
        title="Loans and their repayment",
        question="Explain how borrowers repay the loan they were granted.",
        row="loan",
        entity="borrower",
        item="branch",
        amount="principal",
        size="instalments",
        segment="employment",
        segments=("salaried", "self_employed", "retired", "student"),
        region="province",
        regions=("east", "west", "south", "north", "central"),
        noises=("file_number", "pages_signed"),
        surrogate="relationship_score",
        events="payments",
        event="payment",
        kinds=("card", "transfer", "direct_debit", "cash", "standing_order"),
        value="paid",
        contacts="reminders",
        contact="reminder",
        reasons=("overdue", "limit", "document", "dispute"),
        effort="open_days",
        items="branches",
        group="network",
        groups=("metro", "rural", "coastal", "alpine", "border", "online"),
        price="mean_ticket",
        grouping="networks",
        level="risk_level",
        profiles="borrowers",
        since="account_since",
        channels=("advisor", "portal", "broker"),
        flag="defaulted",
        outcome="course",
        outcomes=("on_time", "late", "collections"),
        measure="loss_share",
    ),
    "energy": Domain(
        label="Energy",
        title="Households and their consumption",
        question="Explain how households use energy in the quarter after a meter reading.",
        row="reading",
        entity="household",
        item="meter",
        amount="consumption",
        size="occupants",
        segment="dwelling",
        segments=("flat", "terraced", "detached", "farm"),
        region="grid_area",
        regions=("a1", "a2", "b1", "b2", "c1"),
        noises=("route_number", "photo_kb"),
        surrogate="efficiency_index",
        events="peaks",
        event="peak",
        kinds=("heating", "cooking", "charging", "laundry", "cooling"),
        value="kilowatts",
        contacts="outages",
        contact="outage",
        reasons=("storm", "fuse", "works", "overload"),
        effort="minutes_lost",
        items="meters",
        group="maker",
        groups=("ampere", "brio", "cirrus", "dyna", "elektra", "fluxon"),
        price="rated_load",
        grouping="makers",
        level="accuracy_level",
        profiles="connections",
        since="connected_since",
        channels=("grid", "estate", "transfer"),
        flag="over_plan",
        outcome="tariff_move",
        outcomes=("stay", "night", "dynamic"),
        measure="next_quarter_use",
    ),
    "health": Domain(
        label="Health",
        title="Admissions and recovery",
        question="Explain how patients fare after they were admitted.",
        row="admission",
        entity="patient",
        item="ward",
        amount="planned_days",
        size="diagnoses",
        segment="insurance",
        segments=("public", "private", "mixed", "none"),
        region="county",
        regions=("lake", "forest", "plain", "mount", "shore"),
        noises=("bed_number", "form_version"),
        surrogate="frailty_score",
        events="measurements",
        event="measurement",
        kinds=("pulse", "pressure", "glucose", "oxygen", "temperature"),
        value="deviation",
        contacts="appointments",
        contact="appointment",
        reasons=("missed", "check_up", "vaccination", "counselling"),
        effort="waiting_minutes",
        items="wards",
        group="department",
        groups=("surgery", "cardiology", "paediatrics", "oncology", "general", "geriatrics"),
        price="usual_days",
        grouping="departments",
        level="staffing_level",
        profiles="patients",
        since="registered_since",
        channels=("referral", "emergency", "transfer"),
        flag="readmitted",
        outcome="discharge",
        outcomes=("home", "rehabilitation", "nursing"),
        measure="recovery_days",
    ),
}
