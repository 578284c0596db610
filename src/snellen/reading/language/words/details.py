"""The words of details that identify somebody or something: titles, names, months, places, labels on documents."""

from __future__ import annotations

import re
from collections.abc import Mapping

from snellen.lexicon import read_lexicon
from snellen.runtime import regex

_WORDS = read_lexicon("details")

_MONTH = _WORDS.text("month")
_YEAR = r"(?:1[89]|20)\d\d"
_DATE = (
    r"(?:(?<![\d./-])\d{1,2}[/.-]\d{1,2}[/.-](?:\d{4}|\d\d)(?![\d/-]|\.\d)|"
    r"(?<![\d/-])\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?!\d)|"
    rf"\d{{1,2}}(?:st|nd|rd|th|\.)? (?:of |de |di )?{_MONTH}(?:,? (?:de |del )?{_YEAR})?\b|"
    rf"{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b(?!:)(?:,? {_YEAR})?|{_MONTH},? (?:de |of )?{_YEAR})"
)
_CUED_YEAR = (
    rf"(?i:\b(?:in|from|dated?|since|circa|year(?: is| of)?|copyright|issued|printed|taken|born|struck|"
    rf"built):? ){_YEAR}\b"
    r"(?!s)"
)
_SHORT_DATE = rf"(?:{_DATE}|\b\d{{1,2}} ?/ ?(?:20)?\d\d\b|\b{_YEAR}\b)"
_EXPIRES = (
    r"(?i:\b(?:expir\w+|exp\b\.?|best (?:before|by)|use (?:before|by)|valid (?:until|thru|through|to|till)|sell by|"
    r"scade\w*|scadenza|caduca\w*|haltbar bis|gültig bis|à consommer avant))"
)
_CAPITAL = r"\b[A-Z][\w'’.-]{0,30}[\w'’]"
_PERSON = rf"{_CAPITAL}(?:,? (?:[A-Z]\.|(?:de|da|van|von|der|la|bin|al|Mc|O')|{_CAPITAL})){{0,3}}"
_TITLE = r"\b(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Professor|Doctor|Sir|Dame|Nurse|Sig|Dott|Herr|Frau|Mme|Monsieur|Señora?)\b\.?"
_NAMED = _WORDS.text("named")
_SAYS = (
    r"(?i:(?: is| was| reads| read| says| shows| as|:|,| -| =| of| the| Mr\.?| Mrs\.?| Ms\.?| Dr\.?)){0,3} ?[\"'“”]?"
)
_GIVEN = _WORDS.text("given")
_NUMBER = r"(?=[\w/.-]{0,20}\d[\w/. -]{0,20}\d)[A-Z0-9][A-Za-z0-9]{0,20}(?:[-/. ]?[A-Z]{0,5}\d[A-Z0-9]{0,20}){0,4}"
_OF_RECORDS = _WORDS.text("of records")
_SURELY_OF_THINGS = _WORDS.text("surely of things")
_OF_THINGS = rf"(?:{_SURELY_OF_THINGS}|(?i:\b(?:plate|registration)))"
_CODE = (
    r"(?<![\w-])(?=(?:[ -]?[A-Z0-9]){5,14}\b)(?=[A-Z -]*\d[A-Z0-9 -]*\d)(?=[\d -]*[A-Z])"
    r"[A-Z0-9]{1,8}(?:[ -][A-Z0-9]{1,8}){0,3}\b(?![ -][A-Z]*\d|[.,]\d)"
)
"""Capitals and digits mixed, five or more of them and two digits at least: 7KLM 345, KA 05 MN 1234, 7KLM345."""
_READS = (
    r"(?i:(?:[^.;\w]|\b(?:is|was|reads?|says|shows|number|no\.?|of|the|on|in|it|as|that|and|with|card|plate|"
    r"label)\b){0,8}?)"
)
_WHERE_PATIENTS_ARE = (
    r"Hospital|Clinics?|Infirmary|Hospice|(?:Medical|Health|Cancer|Heart|Imaging|Diagnostic) (?:Center|Centre)|"
    r"Healthcare"
)
_HOUSES = (
    rf"(?:{_WHERE_PATIENTS_ARE}|University|College|School|Academy|Institute|Laborator(?:y|ies)|Pharmacy|Bank|Insurance|Airport|"
    r"Airlines|Museum|Hotel|Restaurant|Café|Ministry|Department|Council|Police|Inc|Ltd|LLC|GmbH|Corp(?:oration)?|"
    r"Company|Foundation|Trust|Society|Ospedale|Klinikum|Krankenhaus)"
)
_HOUSED = (
    r"(?:University|Hospital|Bank|Museum|Institute|Ministry|Department|College|Ospedale|Hôpital|Università|Universität)"
)
_STREETS = _WORDS.text("streets")
_WAYS = r"(?:Via|Viale|Piazza|Rue|Calle|Plaza|Avenida)"
_PLACES = _WORDS.text("places")
_MONEY = (
    r"(?:[$€£¥₹] ?\d[\d.,]{0,15}\d|[$€£¥₹] ?\d|\b\d[\d.,]{0,15} ?(?:USD|EUR|GBP|CHF|dollars|euros?|"
    r"pounds sterling|yen|rupees)\b)"
)
_AGED = _WORDS.text("aged")
_SEXED = (
    r"(?i:\b(?:sex|gender)(?: is| as|:|=)+ ?[\"'“]?(?:male|female|m|f)\b|\b(?:fe)?male patient\b|\bpatient is (?:a )?"
    r"(?:fe)?male\b|\b(?:adult|elderly|middle-aged) (?:fe)?male\b)"
)
_AGED_AND_SEXED = (
    r"(?i:\b(?:(?:year|yr)s?[- ]old,?|\d{1,3} ?y/?o?) (?:[a-z]+ )?)"
    r"(?P<told>(?i:male|female|man|woman|boy|girl|gentleman|lady|m|f)\b)"
)

DATES = (regex(rf"(?P<told>{_DATE})"),)
ADDRESSES = (
    regex(rf"(?P<told>\b\d{{1,5}} (?:{_CAPITAL} ){{1,3}}{_STREETS}(?!\w))"),
    regex(rf"(?P<told>\b(?:{_CAPITAL} ){{1,2}}(?:Street|Avenue|Road|Boulevard|Lane|Square)\b)"),
    regex(rf"(?P<told>\b{_WAYS}(?: (?:d[aei]l?l?a?|de|du|des|la)){{0,2}} {_CAPITAL})"),
    regex(r"(?P<told>\b[A-Z]{2} \d{5}\b)"),
)
HOSPITALS = (
    regex(
        rf"(?P<told>\b(?!The |A |An )(?:(?:{_CAPITAL}|&|of|St\.) ){{1,5}}"
        rf"(?:{_WHERE_PATIENTS_ARE}|Klinikum|Krankenhaus)\b)"
    ),
    regex(rf"(?P<told>\b(?:Hospital|Ospedale|Hôpital|Clínica|Klinikum) (?:of|for|di|de|du) (?:the )?{_CAPITAL})"),
)
DETAILS: Mapping[str, tuple[re.Pattern[str], ...]] = {
    "expiry": (regex(rf"{_EXPIRES}[^.;\d]{{0,30}}?(?P<told>{_SHORT_DATE})"),),
    "date": (*DATES, regex(rf"(?P<told>{_CUED_YEAR})")),
    "contact": (
        regex(r"(?P<told>\b[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4})"),
        regex(r"(?P<told>(?:\+\d{1,3}[ .-]?)?(?:\(\d{2,4}\)|\b\d{3})[ .-]?\d{3}[ .-]\d{3,4}\b)"),
        regex(r"(?i:\b(?:phone|tel(?:ephone)?|mobile|fax|call)\b)[^\d;]{0,20}(?P<told>\+?\d[\d ()./-]{6,}\d)"),
    ),
    "record": (regex(rf"{_OF_RECORDS}{_READS}[\"'“]?(?P<told>{_NUMBER})"),),
    "plate": (
        regex(rf"{_OF_THINGS}{_READS}[\"'“]?(?P<told>{_NUMBER})"),
        regex(rf"{_SURELY_OF_THINGS}[^.;]{{0,80}}?(?P<told>{_CODE})"),
    ),
    "place": (
        *ADDRESSES,
        regex(rf"(?P<told>{_PLACES})"),
    ),
    "institution": (
        regex(rf"(?P<told>\b(?!The |A |An )(?:(?:{_CAPITAL}|&|of|St\.) ){{1,5}}{_HOUSES}\b)"),
        regex(rf"(?P<told>\b{_HOUSED} (?:of|for|di|de|du) (?:the )?{_CAPITAL})"),
    ),
    "name": (
        regex(rf"{_TITLE} ?(?P<told>{_PERSON})"),
        regex(rf"{_NAMED}{_SAYS}(?P<told>{_PERSON})"),
        regex(rf"(?P<told>{_GIVEN} (?:[A-Z]\. )?{_CAPITAL})"),
    ),
    "amount": (regex(rf"(?P<told>{_MONEY})"),),
    "age": (regex(rf"(?P<told>{_AGED})"),),
    "sex": (regex(rf"(?P<told>{_SEXED})"), regex(_AGED_AND_SEXED)),
}
"""By kind, the ways in which a detail is told; what is told stands in the group of that name. The first kinds go first.

What an earlier kind has taken is not read again by a later one: a date of expiry is no other date.
"""
ASKED_FOR: Mapping[str, tuple[re.Pattern[str], re.Pattern[str]]] = {
    "record": (regex(_OF_RECORDS), regex(rf"(?P<told>{_CODE}|\b\d{{5,}}\b)")),
    "plate": (regex(_SURELY_OF_THINGS), regex(rf"(?P<told>{_CODE})")),
}
"""By kind, what a question says that asks for such a number, and how a response then gives it without another word."""
NO_NAMES = _WORDS.words("no names")
NO_HOSPITALS = _WORDS.words("no hospitals")
UNTOLD = regex(
    r"(?i)\b(?:cannot|can't|can not|could not|couldn't|unable to|not able to|do(?:es)? not|don't|doesn't|didn't|isn't|"
    r"is not|are not|not (?:\w+ )?(?:visible|legible|readable|shown|given|clear|provided|present)|illegible|unreadable|"
    r"(?:too )?blurred|redacted|obscured|anonymi[sz]ed|no (?:\w+ ){0,2}(?:name|date|number|label|text|age|"
    r"address|plate|"
    r"information|image|picture|photo|details?)|"
    r"e\.g|for (?:example|instance)|such as|format|would|might|(?-i:may)|could|if|typically|usually|normally|"
    r"often|generally|"
    r"in general|should|please|assuming|suppose|hypothetical\w*|non (?:posso|vedo|si)|ad esempio|per esempio|"
    r"par exemple|zum beispiel|por ejemplo)\b"
)
"""What says of a clause that nothing in it was read off an image: that it cannot be seen, an example, a condition."""
CLAUSES = regex(r";|,? but |,? although |,? though |,? however,? |,? while |,? whereas |\. (?=[A-Z])")
TITLES = regex(r"\b(Mr|Mrs|Ms|Dr|Prof|St|No|Nr|Sig|Dott|Inc|Ltd|e\.g|i\.e|cf|approx)\. ")
"""Abbreviations whose dot ends no sentence."""
