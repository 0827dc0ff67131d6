"""Words that names of columns and cells are written with, in the usual languages, without accents and in lower case."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

__all__ = ["BOOLEANS", "MISSING", "MISSING_NUMBERS", "MONTHS", "TOTALS", "plain", "says", "tokens"]

# Concepts that a name can say. A word matches a whole part of a name (``order_id``), a phrase several parts in a row
# (``changed by``), and a word of five letters or more also the end of a compound (``Kundennummer``).
_CONCEPTS: Final[Mapping[str, str]] = {
    "case": "case|caseid|trace|traceid|instance|process instance|vorgang|vorgangs|fall|fallnummer|fallid|cas|caso|geval|"
    "zaak|zaaknummer|dossier|dossiernummer|akte|aktenzeichen|expediente|pratica|prozessinstanz|incident|ticket|claim|"
    "order|auftrag|bestellung|bestelling|commande|pedido|ordine|beleg|belegnummer|patient|application|request|antrag|loan|"
    "purchase order|invoice|rechnung|shipment|lieferung|issue|session|visit|encounter|aufnahme|sendung|job",
    "strong-case": "case|caseid|trace|traceid|process instance|vorgang|fall|fallnummer|fallid|zaak|expediente|cas|caso|"
    "dossier|prozessinstanz|geval",
    "activity": "activity|activities|task|event|aktivitat|tatigkeit|ereignis|schritt|arbeitsschritt|prozessschritt|"
    "step|action|aktion|operation|vorgangsschritt|concept name|activite|etape|evenement|actividad|tarea|paso|evento|accion|"
    "activiteit|taak|stap|handeling|gebeurtenis|attivita|fase|passo|atividade|tarefa|etapa|status|state|zustand|stage|"
    "estado|etat|statut|stato|event name|event type|procedure|milestone|meilenstein|statuswechsel|transaktion|massnahme",
    "strong-activity": "activity|aktivitat|tatigkeit|concept name|activite|actividad|activiteit|attivita|atividade|task|"
    "arbeitsschritt|prozessschritt|schritt",
    "resource": "resource|user|who|by|benutzer|bearbeiter|sachbearbeiter|bearbeitet von|von|agent|owner|operator|"
    "performer|employee|mitarbeiter|person|actor|assignee|worker|ressource|utilisateur|usuario|recurso|medewerker|"
    "gebruiker|risorsa|utente|operatore|responsable|responsible|verantwortlich|nutzer|anwender|org resource|handler|"
    "clerk|staff|originator|doctor|arzt|nurse|team|group|gruppe|org group|department|abteilung|role|rolle|funcionario|"
    "executant|executor|uitvoerder|ausfuhrender|machine|maschine|empleado|employe|opérateur|operateur|behandelaar|"
    "username|user name|userid|user id|par|door|por|analyst|technician|techniker|approver|author|assigned to|assigned|zugewiesen|zugewiesen an|asignado|toegewezen aan",
    "time": "time|timestamp|datetime|date|datum|zeit|zeitpunkt|zeitstempel|uhrzeit|ts|when|epoch|unixtime|created|"
    "updated|modified|changed|started|ended|finished|completed|at|um|am|on|heure|horodatage|fecha|hora|tijd|tijdstip|"
    "tijdstempel|data|ora|marca de tiempo|beginn|ende|start|end|begin|stop|erstellt|geandert|gebucht|booked|posted|"
    "buchungstag|wertstellung|valuta|faellig|fallig|due|birthday|geburtsdatum|dob|messzeit|since|until|seit|bis|"
    "expires|expiry|last seen|first seen|zeitmarke|momento|instant|opened|closed|eroffnet|geschlossen|period|periode|"
    "admission|discharge|eingang|eingegangen|arrival|departure|delivered|shipped|besuch|logged|recorded|seen|received",
    "identifier": "id|ids|uuid|guid|key|no|nr|num|nummer|number|numero|num|code id|kennung|kennzeichen|index|idx|rownum|"
    "row|zeile|zeilennummer|lfd|lfdnr|laufnummer|sha|md5|hash|token|serial|seriennummer|sku|ean|isbn|gtin|barcode|iban|bic|"
    "email|mail|e mail|phone|telephone|telefon|tel|mobile|mobil|handy|telefoonnummer|fax|ssn|passport|vin|imei|url|uri|"
    "link|ip|ip address|mac address|record|sample id|respondent|participant|proband|probe|subject|patient|run|trial|"
    "identifiant|identificador|identificatie|identificativo|matricule|matricula|folio|klantnummer|referenz|reference|"
    "ref|unnamed|customer|kunde|client|cliente|klant|member|mitglied|personalnummer|belegnummer|rechnungsnummer|invoice|"
    "order|auftrag|bestellung|ticket|account number|kontonummer|case|fall|observation|specimen|image|bild|file|filename|"
    "datei|dateiname|fichier|archivo|bestand naam|path|pfad|artikel|article|dni|nif|siren|siret|kennziffer|aktenzeichen|"
    "username|user|login|student|employee|transaction|session|device|name|nom|nombre|naam|nome|title|titel|reading|obs|"
    "experiment|versuch|messung nr|doi|registration|kfz kennzeichen|plate|license plate|nino|bsn|document",
    "strong-identifier": "id|ids|uuid|guid|nr|no|nummer|number|numero|kennung|index|idx|rownum|lfdnr|sha|md5|hash|serial|"
    "seriennummer|sku|ean|isbn|gtin|barcode|iban|email|mail|e mail|phone|telephone|telefon|tel|mobile|handy|ssn|passport|"
    "vin|imei|identifiant|identificador|unnamed|kontonummer|matricule|personalnummer|referenz|reference|ref|mobil|"
    "telefono|teléfono|telefonnummer|correo|courriel|dni|url|username|folio|kundennummer|filename",
    "code": "code|zip|zipcode|zip code|plz|postleitzahl|postcode|postal code|postal|codigo postal|code postal|cap|konto|"
    "account|category|kategorie|kat|class|klasse|type|typ|tipo|group|gruppe|cluster|segment|pump|station|store|filiale|shop|"
    "branch|region|zone|sector|line|linie|machine|maschine|department|abteilung|pclass|sex|gender|geschlecht|"
    "floor code|kostenstelle|cost center|steuerklasse|warengruppe|icd|naics|sic|nace|isic|fips|area code|vorwahl|"
    "plant|werk|werks|route|channel|kanal|gate|slot|batch|lot|charge|bloc|block|site|standort|ward|room|raum|magasin|"
    "tienda|winkel|compte|cuenta|rekening|version|team|model|modell|shift|schicht|stratum|strata|race|origin|"
    "country|land|pays|pais|city|stadt|ville|ciudad|vendor|supplier|lieferant|mode|option|buchungskreis|kreis",
    "postal": "zip|zipcode|zip code|plz|postleitzahl|postcode|postal code|postal|codigo postal|code postal|cap|postnummer|cp",
    "duration": "duration|dauer|elapsed|laufzeit|time taken|runtime|run time|duree|duracion|duur|durata|split|lap|pace|wait|"
    "wartezeit|bearbeitungszeit|durchlaufzeit|reaction time|finish time|length|lange|track length|playtime|fahrzeit|time spent",
    "measure": "amount|betrag|price|preis|prix|precio|prijs|cost|kosten|cout|coste|value|wert|total|sum|summe|"
    "count|anzahl|menge|quantity|qty|cents|cent|eur|euro|euros|usd|dollar|dollars|km|kg|mm|cm|kwh|watt|pa|hpa|bar|"
    "celsius|degc|percent|prozent|pct|rate|ratio|score|age|alter|height|weight|length|width|size|area|volume|"
    "speed|pressure|temperature|temperatur|distance|odometer|mileage|balance|saldo|revenue|umsatz|salary|income|gehalt|"
    "votes|steps|lines|employees|minutes|seconds|hours|days|months|years|duration|dauer|elevation|population|points|"
    "liabilities|assets|budget|steps|clicks|views|bytes|tokens|ms|latency|depth|level|litres|liter|litre",
    "prediction": "prediction|predicted|pred|yhat|y hat|forecast|vorhersage|prognose|prognostiziert|prevision|"
    "prediccion|predictie|voorspelling|predizione|estimate|estimated|geschatzt|model|score model|classifier",
    "label": "label|labels|target|class|klasse|y|outcome|truth|ground truth|true|actual|response|dependent|ziel|"
    "zielwert|zielgrosse|zielvariable|ergebnis|resultat|result|resultado|resultaat|risultato|classe|clase|cible|"
    "objetivo|doel|etiqueta|etiquette|diagnosis|diagnose|diagnostic|diagnostico|churn|churned|exited|attrition|default|"
    "defaulted|fraud|betrug|survived|quality|qualitat|cover type|species|art|spam|sentiment|verdict|decision|"
    "entscheidung|approved|rejected|passed|grade|note schulnote|wahrheit|gold|annotation|klassifikation|"
    "kategorie ziel|converted|conversion|purchased|cancelled|canceled|returned|refunded|readmitted|died|death|relapse|"
    "is fraud|kundigung|gekundigt|ausfall|defekt|faulty|failure|is default|loan status|income class|verite|verdad|"
    "gekauft|won|winner|accepted|bought|subscribed|abandono|impago|recidive|recovered|event observed|severity|risk",
    "measured-outcome": "price|preis|prix|precio|prijs|prezzo|preco|sales|umsatz|revenue|erlos|ventes|ventas|verkoop|"
    "omzet|profit|gewinn|consumption|verbrauch|consommation|consumo|verbruik|demand|nachfrage|demande|demanda|vraag|yield|"
    "ertrag|rendement|rendimiento|emission|emissions|emissionen|nox|score|points|rating|salary|gehalt|lohn|wage|"
    "salaire|salario|salaris|mpg|strength|festigkeit|efficiency|wirkungsgrad|power|leistung|energy output|cnt|"
    "count|load forecast|rentals|charges|claim amount|loss|schaden|kosten|cost|medv|saleprice|sale price|survival|"
    "concentration|output|ausgabe|y|duration|dauer|delay|verspatung|lifetime|rul|expenses|spend|spending|production|"
    "produktion|ventas totales|chiffre affaires|loyer|rent|kaltmiete|warmmiete|progression|litres|liter|amount|betrag",
    "attribute": "supplier|lieferant|fournisseur|proveedor|leverancier|fornitore|vendor|city|stadt|ville|ciudad|town|ort|"
    "region|country|land|pays|pais|address|adresse|direccion|street|strasse|name|vorname|nachname|comment|kommentar|note|"
    "notes|bemerkung|remark|remarks|description|beschreibung|bezeichnung|text|zip|plz|color|farbe|currency|wahrung|"
    "unit|einheit|manufacturer|hersteller|brand|marke|marque|marca|department|abteilung|source|quelle|version|url|"
    "temperatur|temperature|temp|humidity|luftfeuchte|wind|weather|wetter|pressure|druck|lat|lon|latitude|longitude|"
    "t in|inlet|input|rpm|drehzahl|weekday|wochentag|holiday|feiertag|email|phone|gender|sex|geschlecht|location|"
    "standort|lager|warehouse|almacen|entrepot|magazijn|category|kategorie|status text|language|sprache|owner|author",
    "country": "country|land|pays|pais|paese|staat|nation|iso|iso2|cc|laenderkurzel|landerkurzel|landercode|countrycode|nationality",
    "year": "year|jahr|annee|ano|anio|jaar|anno|yr|yyyy", "month": "month|monat|mois|mes|maand|mese|mon|mm|mnth",
    "day": "day|tag|jour|dia|dag|giorno|dayofmonth|dd|mday", "hour": "hour|stunde|heure|hora|uur|ora|hr|hh|std",
    "minute": "minute|min|minuto|minuut|minuto", "second": "second|sekunde|seconde|segundo|sec|sek",
    "week": "week|kw|woche|kalenderwoche|semaine|semana|settimana|isoweek|calendar week|wk",
    "quarter": "quarter|quartal|trimestre|kwartaal|qtr",
}  # fmt: skip
_PATTERNS: Final = {
    concept: (
        {tuple(phrase.split()) for phrase in words.split("|")},
        tuple(word for word in words.split("|") if len(word) >= 5 and " " not in word),
    )
    for concept, words in _CONCEPTS.items()
}

_LANGUAGES: Final = (
    ("yes y true t 1 on", "no n false f 0 off"),
    ("ja j wahr richtig an 1", "nein n falsch aus f 0"),
    ("oui o vrai v 1", "non n faux f 0"),
    ("si s verdadero v cierto 1", "no n falso f 0"),
    ("sim s verdadeiro v 1", "nao n falso f 0"),
    ("si s vero v 1", "no n falso f 0"),
    ("ja j waar aan 1", "nee n onwaar uit 0"),
    ("ja j sant 1", "nej n falskt 0"),
    ("tak prawda 1", "nie falsz 0"),
    ("ano pravda 1", "ne nepravda 0"),
    ("да истина 1", "нет ложь 0"),
    ("evet dogru 1", "hayır hayir yanlıs yanlis 0"),
    ("✓ ✔ 1", "✗ ✘ 0"),
)
BOOLEANS: Final = tuple((frozenset(yes.split()), frozenset(no.split())) for yes, no in _LANGUAGES)

MISSING: Final = frozenset(
    "|na|n/a|#n/a|nan|null|none|nil|#na|#n/v|#nv|-|--|---|?|.|..|...|<na>|<null>|(null)|(empty)|(leer)|n.a.|n. a.|"
    "k.a.|k. a.|k.a|k/a|–|—|missing|nat|\\n|#null!|#value!|#div/0!|#ref!|#wert!|n.d.|s/d|s.d.|n.v.t.|nvt".split("|")
)
MISSING_NUMBERS: Final = MISSING | frozenset(  # in a column that otherwise holds numbers or times
    "unknown|unbekannt|inconnu|desconocido|onbekend|not available|not recorded|not measured|not applicable|no data|nodata|"
    "keine angabe|keine|fehlt|leer|empty|blank|undefined|undef|error|err|fehler|x|*|**|na.|nd|nr|tbd|tba|pending|offen|"
    "nicht gemessen|no answer|refused|not stated|nicht verfugbar|sin dato|sin datos|non disponible|ne|kein|k.w.|"
    "inf.|unk|not reported|entfallt|ausgefallen|- -|void|invalid|ungultig".split("|")
)
TOTALS: Final = re.compile(
    r"^\W*(grand total|sub ?total|total|totals|totaux|totale|totaal|summe|gesamt|gesamtsumme|insgesamt|sum|somme|suma|"
    r"zwischensumme|endsumme|subtotaal|gesamtergebnis|sum total|summe gesamt|overall|average|mean|mittelwert|durchschnitt|moyenne|"
    r"promedio|media|gemiddelde|saldo|endsaldo|all)\b(?! \w+ \w)",
    re.IGNORECASE,
)

_MONTH_NAMES: Final = (
    "january february march april may june july august september october november december",
    "januar februar marz april mai juni juli august september oktober november dezember",
    "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro",
)


def _months() -> dict[str, tuple[int, bool]]:
    names: dict[str, tuple[int, bool]] = {}
    for language in _MONTH_NAMES:
        for number, name in enumerate(language.split(), start=1):
            names[name] = (number, True)
    for language in _MONTH_NAMES:
        for number, name in enumerate(language.split(), start=1):
            for length in (3, 4):  # jun and juin, jul and juil
                short = name[:length]
                if short not in names:
                    names[short] = (number, False)
    names |= {"maerz": (3, True), "jaenner": (1, True), "janner": (1, True), "mrz": (3, False), "sept": (9, False)}
    names |= {"mrt": (3, False), "mae": (3, False)}
    return names


def plain(text: str) -> str:
    """Lower case without accents.

    >>> plain("Fläche")
    'flache'
    """
    lowered = text.strip().lower().replace("ß", "ss")
    return "".join(letter for letter in unicodedata.normalize("NFKD", lowered) if not unicodedata.combining(letter))


MONTHS: Final[Mapping[str, tuple[int, bool]]] = _months()  # by name: the number, and whether it is written in full


@lru_cache(maxsize=4096)
def tokens(name: str) -> tuple[str, ...]:
    """The words of a column's name.

    >>> tokens("customerID"), tokens("Changed On"), tokens("concept:name")
    (('customer', 'id'), ('changed', 'on'), ('concept', 'name'))
    """
    spaced = re.sub(r"(?<=[a-zäöüß0-9])(?=[A-ZÄÖÜ])|(?<=[A-Z])(?=[A-Z][a-zäöü])", " ", name)
    return tuple(re.findall(r"[^\W\d_]+", plain(spaced))) or tuple(re.findall(r"\w+", plain(spaced)))


@lru_cache(maxsize=16384)
def says(name: str, concept: str, *, whole: bool = False) -> bool:
    """Whether a column's name says a concept; ``whole`` leaves compounds out.

    >>> says("Kundennummer", "identifier"), says("changed by", "resource"), says("litres", "identifier")
    (True, True, False)
    """
    phrases, endings = _PATTERNS[concept]
    parts = tokens(name)
    if any(parts[first:last] in phrases for first in range(len(parts)) for last in range(first + 1, len(parts) + 1)):
        return True
    if "".join(parts) in {"".join(phrase) for phrase in phrases}:
        return True
    if whole:
        return False
    return any(part.endswith(endings) and len(part) > 5 for part in parts) if endings else False
