"""What generated documents are made of: other processes, departments, synonyms, and sentences to be filled in."""

from __future__ import annotations

from assay.drift.detection.drift import DriftType

__all__ = [
    "ANNOUNCEMENTS",
    "CLOSINGS",
    "DEPARTMENTS",
    "FILLERS",
    "IRRELEVANT",
    "NO_CHANGE",
    "PATTERNS",
    "REASONS",
    "SCHEDULES",
    "SYNONYMS",
    "TITLES",
    "VAGUE_TITLES",
    "WITHDRAWN",
]

DEPARTMENTS = (
    "Finance Department",
    "Shared Services",
    "Internal Audit",
    "Human Resources",
    "IT Services",
    "Legal Affairs",
    "Operations Office",
    "Process Management Office",
    "Executive Board",
    "Facility Services",
)

SYNONYMS: dict[str, tuple[str, ...]] = {
    "accept": ("agree to", "take on"),
    "address": ("place of delivery",),
    "adjuster": ("loss assessor",),
    "analyse": ("study", "look into"),
    "application": ("request form", "submission"),
    "approval": ("sign-off", "authorisation"),
    "approve": ("sign off", "authorise", "give the green light to"),
    "archive": ("file away", "store"),
    "ask": ("enquire", "call"),
    "assess": ("evaluate", "appraise"),
    "assessment": ("evaluation", "appraisal"),
    "assign": ("allocate", "hand over"),
    "audit": ("examine", "scrutinise"),
    "book": ("arrange", "purchase"),
    "budget": ("available funds", "allotted money"),
    "calculate": ("work out", "compute"),
    "candidate": ("applicant",),
    "check": ("verify", "control", "inspect"),
    "claim": ("demand", "request for cover"),
    "close": ("complete", "wind up"),
    "collect": ("gather", "bring together"),
    "compensation": ("indemnity",),
    "confirm": ("acknowledge", "validate"),
    "consult": ("ask the opinion of", "involve"),
    "contract": ("agreement",),
    "correct": ("put right", "rectify"),
    "cost": ("expense", "price"),
    "create": ("set up", "open"),
    "customer": ("client", "buyer"),
    "damage": ("loss", "harm"),
    "decide": ("determine", "rule on"),
    "decision": ("ruling", "determination"),
    "declaration": ("expense statement",),
    "deliver": ("bring", "drop off"),
    "diagnose": ("find the cause of trouble", "troubleshoot"),
    "dispatch": ("send out",),
    "document": ("paper", "record"),
    "draft": ("write a first version of", "sketch"),
    "employee": ("staff member", "colleague"),
    "estimate": ("gauge", "put a figure on"),
    "expenses": ("outlays",),
    "flight": ("air ticket",),
    "goods": ("merchandise", "wares"),
    "hotel": ("accommodation",),
    "inform": ("notify", "tell"),
    "inspect": ("look over", "view"),
    "interview": ("conversation", "talk"),
    "invoice": ("bill", "statement of charges"),
    "issue": ("hand out", "give out"),
    "items": ("articles",),
    "label": ("sticker",),
    "legality": ("lawfulness",),
    "negotiate": ("bargain over",),
    "notification": ("message", "alert"),
    "notify": ("inform", "alert"),
    "offer": ("quotation", "proposal"),
    "order": ("commission", "purchase"),
    "parcel": ("package",),
    "pay": ("settle", "remit"),
    "payment": ("settlement", "remittance"),
    "permit": ("licence",),
    "plan": ("schedule", "arrange"),
    "prepare": ("draw up", "get ready"),
    "price": ("charge", "cost"),
    "quality": ("condition",),
    "receipts": ("vouchers", "slips"),
    "receive": ("take in", "get"),
    "refund": ("reimburse",),
    "register": ("record", "log", "enter"),
    "reject": ("decline", "turn down"),
    "release": ("set free", "publish"),
    "repair": ("fix", "mending"),
    "replace": ("exchange", "change out"),
    "report": ("account", "write-up"),
    "request": ("application", "query"),
    "reserve": ("set aside", "secure"),
    "review": ("examine", "go through"),
    "risk": ("exposure", "hazard"),
    "salary": ("pay", "remuneration"),
    "scan": ("digitise", "read in"),
    "screen": ("sift", "go over"),
    "select": ("choose", "pick"),
    "send": ("dispatch", "forward"),
    "settlement": ("amount to be paid",),
    "ship": ("dispatch", "deliver"),
    "sign": ("put a signature on", "countersign"),
    "site": ("location", "premises"),
    "stock": ("inventory",),
    "submit": ("hand in", "file"),
    "supplier": ("vendor",),
    "technician": ("engineer",),
    "terms": ("conditions",),
    "test": ("try out", "examine"),
    "trip": ("journey", "travel"),
    "update": ("refresh", "amend"),
    "validate": ("verify", "confirm"),
    "verify": ("check", "confirm"),
}

# what is said of the activities {a} and {b} of a process {p}, by kind of change; {d} is the phrase that says when
PATTERNS: dict[str, tuple[str, ...]] = {
    "added": (
        'A new step, "{a}", becomes part of {p} {d}.',
        "{d}, every case in {p} also passes through {a}.",
        "The procedure for {p} is extended: {a} is required {d}.",
    ),
    "removed": (
        "{a} is no longer part of {p} {d}.",
        'The step "{a}" is dropped from {p} {d}.',
        "{d}, cases in {p} skip {a} altogether.",
    ),
    "reordered": (
        "In {p}, {a} and {b} change places {d}.",
        "{d}, {a} takes the place in {p} that {b} had before.",
        "The order of {a} and {b} in {p} is reversed {d}.",
    ),
    "replaced": (
        "In {p}, {b} gives way to {a} {d}.",
        "{d}, {a} is done instead of {b} in {p}.",
    ),
    "parallel": (
        "{a} and {b} may run side by side in {p} {d}.",
        "{d}, nobody in {p} has to wait with {a} until {b} is finished.",
    ),
    "sequential": (
        "In {p}, {b} may only begin once {a} is finished {d}.",
        "{d}, {a} and {b} are carried out strictly one after the other in {p}.",
    ),
    "conditional": (
        "{d}, either {a} or {b} is enough in {p}, depending on the case.",
        "In {p} it suffices to do one of {a} and {b} {d}.",
    ),
    "repeated": (
        "{a} is repeated in {p} until the result is satisfactory {d}.",
        "{d}, {p} returns to {a} whenever something is incomplete.",
    ),
    "duplicated": (
        "{a} is carried out a second time towards the end of {p} {d}.",
        "{d}, {p} asks for {a} twice.",
    ),
    "single": (
        "{a} is done only once in {p} {d}.",
        "{d}, repeating {a} in {p} is not foreseen any more.",
    ),
    "skippable": (
        "{a} becomes optional in {p} {d}.",
        "{d}, simple cases in {p} may leave out {a}.",
    ),
    "mandatory": (
        "{a} becomes mandatory for every case in {p} {d}.",
        "{d}, no case in {p} is exempt from {a}.",
    ),
    "moved": (
        "{a} moves to another place in {p} {d}.",
        "{d}, {p} has {a} at a different point of the procedure.",
    ),
    "synchronised": (
        "{d}, {b} in {p} waits until {a} is done.",
        "{a} and {b} are brought into step with each other in {p} {d}.",
    ),
    "independent": (
        "{d}, {a} and {b} in {p} no longer wait for each other.",
        "{a} is made independent of {b} in {p} {d}.",
    ),
    "frequency": (
        "More cases in {p} are routed to {a} instead of {b} {d}.",
        "{d}, the threshold above which {p} calls for {a} is changed.",
    ),
    "slower": (
        "{a} in {p} is given more time {d}.",
        "{d}, {a} in {p} is done with greater care and takes longer.",
    ),
    "faster": (
        "The time allowed for {a} in {p} is shortened {d}.",
        "{d}, {a} in {p} has to be finished within two working days.",
    ),
    "reassigned": (
        "Responsibility for {a} in {p} passes to another team {d}.",
        "{d}, other colleagues take over {a} in {p}.",
    ),
    "other": (
        "The way {a} is carried out in {p} changes {d}.",
        "{d}, a new rule for {a} governs {p}.",
        "We revise how {a} and {b} are handled in {p} {d}.",
    ),
}

ANNOUNCEMENTS = (
    "This notice announces a change that all teams have to follow.",
    "Please read the following instruction carefully and pass it on within your team.",
    "The management has decided on an adjustment that affects daily work.",
    "After a consultation with the units involved the following was agreed.",
    "Below you find what is going to be different and what you need to do.",
)

SCHEDULES: dict[DriftType, tuple[str, ...]] = {
    "sudden": ("The switch is made at once for all units.", "There is no transition period."),
    "gradual": (
        "For some weeks both ways of working exist side by side before the old one ends.",
        "Units move over one by one; the old way is tolerated in the meantime.",
    ),
    "incremental": (
        "The adjustment is made in several small steps.",
        "Further steps follow, each a little stricter than the one before.",
    ),
    "recurring": (
        "The arrangement is temporary and returns every season.",
        "Once the peak is over we go back to the usual way, until the next one.",
    ),
}

REASONS = (
    "The reason is a new regulation by the authorities.",
    "An audit had found weaknesses that we must remedy.",
    "A new release of the supporting system makes this possible.",
    "Rising costs oblige us to act.",
    "The reorganisation of the department made this necessary.",
    "Staff shortages in several units are the background.",
    "Feedback of our customers is the background.",
    "The supplier of our platform discontinues the old version.",
)

WITHDRAWN = (
    "Correction: the adjustment described here has been withdrawn and will not be carried out.",
    "Please note that this plan has been cancelled; everything stays as it is.",
    "The board has rejected the proposal, so it does not take effect.",
    "The committee has meanwhile decided against this idea.",
    "This plan was dropped after objections of the units.",
    "Update: the pilot was stopped and the matter is closed.",
)

NO_CHANGE = (
    "As a reminder for {p}: {a} works as before and nothing changes.",
    "Many of you asked about {a}. The existing rules in {p} remain unchanged.",
    "The yearly survey on {p} asks how satisfied you are with {a}; procedures stay the same.",
    "The refresher course on {p} covers {a} and {b} the way they have always been done.",
    "Results of the audit of {p}: {a} is in order and nobody needs to do anything differently.",
    "The statistics of {p} for the past year are out; {a} took about as long as in the year before.",
    "In the series on our daily work we present {p} this time, with a portrait of the team behind {a}.",
)

FILLERS = (
    "We thank everybody for the good cooperation.",
    "The figures of the last quarter were presented and taken note of.",
    "A list of contact persons is kept on the intranet.",
    "The minutes of the previous meeting were approved.",
    "Questions were raised about workload and will be taken up again.",
    "Training material is being prepared by the team.",
    "The service desk handled more calls than in the month before.",
    "Two new colleagues have joined the team.",
    "Opening hours of the service counter are found on the website.",
    "An overview for managers is attached.",
)

CLOSINGS = (
    "For questions please turn to the {dept}.",
    "Kind regards, {dept}",
    "This message was sent on behalf of the {dept}.",
    "The {dept} is glad to help.",
)

IRRELEVANT: tuple[tuple[str, str], ...] = (
    ("Canteen Menu", "The canteen offers a new vegetarian menu. The price of coffee stays the same."),
    ("Fire Drill", "A fire drill takes place in the main building. Please leave the building by the marked exits."),
    ("Summer Party", "All colleagues are invited to the summer party in the courtyard. Music and food are provided."),
    ("Lift Maintenance", "The lift in the east wing is out of service for maintenance. Please use the stairs."),
    ("Blood Donation", "The blood donation bus stops in front of the main entrance. Every donor gets breakfast."),
    ("Bicycle Racks", "New bicycle racks were put up behind the library. Old bicycles are removed."),
    ("Photo Contest", "Send in your best picture of the campus. The winners are shown in the foyer."),
    ("Water Outage", "The water supply of the south building is interrupted for repairs."),
    ("Sports Day", "Teams for the annual sports day can still be entered. Shirts are handed out at the gym."),
    ("Printer Toner", "Used toner cartridges are collected in the green boxes next to the printers."),
    ("Choir Concert", "The choir sings in the great hall. Admission is free, donations are welcome."),
    ("Window Cleaning", "The windows of the tower are cleaned this week. Please keep them closed."),
)

TITLES = (
    "Changes to {p}",
    "{p} Update",
    "New Rules for {p}",
    "{p} Circular",
    "Notice on {a}",
    "{p} Instruction",
    "Memo {p}",
    "{a} Guideline",
)

VAGUE_TITLES = (
    "Circular {n}",
    "Update from {dept}",
    "Message to All Staff",
    "Memo {n}",
    "Weekly Bulletin {n}",
    "Internal Notice {n}",
    "Team Meeting {n}",
)
