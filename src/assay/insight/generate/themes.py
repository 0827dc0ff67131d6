"""What generated insight problems talk about: the same relations under the names of three fields."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["THEMES", "Theme"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """Names of tables, columns and categories; the first ``kind`` and ``reason`` are those that insights ask for."""

    domain: str
    title: str
    question: str  # what the task says; it must not tell the insights
    row: str  # "purchase": one row of the primary table
    entity: str  # "customer"
    item: str
    events: str  # the table's name without ".csv"
    event: str
    kinds: tuple[str, ...]
    value: str
    contacts: str
    contact: str
    reasons: tuple[str, ...]
    items: str
    groups: tuple[str, ...]  # of items
    price: str
    amount: str  # of the primary table, comparable with the price
    segment: str
    segments: tuple[str, ...]
    region: str
    regions: tuple[str, ...]
    extra: str  # an uninformative number
    flag: str  # target of binary problems
    level: str  # target of multi-class problems
    levels: tuple[str, ...]
    measure: str  # target of regression problems


THEMES = {
    "shop": Theme(
        domain="Retail",
        title="Purchases and what follows",
        question="Explain which purchases end badly for the shop.",
        row="purchase",
        entity="customer",
        item="product",
        events="visits",
        event="visit",
        kinds=("app", "web", "store", "phone"),
        value="minutes",
        contacts="support_calls",
        contact="call",
        reasons=("complaint", "delivery", "invoice", "advice"),
        items="products",
        groups=("garden", "kitchen", "sports", "toys", "tools"),
        price="list_price",
        amount="paid",
        segment="loyalty_tier",
        segments=("none", "bronze", "silver", "gold"),
        region="region",
        regions=("north", "south", "east", "west", "centre"),
        extra="basket_size",
        flag="returned",
        level="follow_up",
        levels=("keep", "exchange", "refund"),
        measure="margin",
    ),
    "clinic": Theme(
        domain="Healthcare",
        title="Admissions and recovery",
        question="Explain how patients fare after an admission.",
        row="admission",
        entity="patient",
        item="ward",
        events="measurements",
        event="measurement",
        kinds=("emergency", "routine", "home", "laboratory"),
        value="reading",
        contacts="appointments",
        contact="appointment",
        reasons=("missed", "check_up", "vaccination", "counselling"),
        items="wards",
        groups=("surgery", "cardiology", "paediatrics", "oncology", "general"),
        price="usual_days",
        amount="planned_days",
        segment="insurance",
        segments=("public", "private", "mixed", "none"),
        region="district",
        regions=("harbour", "hills", "old_town", "suburb", "villages"),
        extra="companions",
        flag="readmitted",
        level="outcome",
        levels=("home", "rehabilitation", "transfer"),
        measure="recovery_days",
    ),
    "factory": Theme(
        domain="Manufacturing",
        title="Production orders and machines",
        question="Explain the quality of production orders.",
        row="production_order",
        entity="machine",
        item="part",
        events="sensor_reports",
        event="report",
        kinds=("alarm", "normal", "idle", "test"),
        value="vibration",
        contacts="repairs",
        contact="repair",
        reasons=("breakdown", "inspection", "upgrade", "cleaning"),
        items="parts",
        groups=("gear", "shaft", "housing", "valve", "blade"),
        price="nominal_load",
        amount="ordered_load",
        segment="shift_plan",
        segments=("day", "late", "night", "flexible"),
        region="hall",
        regions=("a", "b", "c", "d", "e"),
        extra="operators",
        flag="defective",
        level="grade",
        levels=("first", "second", "scrap"),
        measure="waste_kg",
    ),
}
