"""Needs no image: questions with an image that their text alone can answer."""

from __future__ import annotations

import re

from snellen.items import Item
from snellen.reading.language.sentences import sentences_of
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.checks import Check
from snellen.tools.audit.finding import Checked, Flagged, Severity, list_finding, shorten_quote

NAME = "needs-no-image"
LONG = 40
"""Minimum words of an item whose text may hold all that is needed."""
_POINTS = re.compile(
    r"\b(?:figures?|fig\.|images?|imaging|pictures?|photos?|photographs?|photomicrographs?|micrographs?|diagrams?|graphs?"
    r"|charts?|tables?|plots?|curves?|schematics?|drawings?|slides?|videos?|clips?|pedigree|sets? of|labell?ed|labels?"
    r"|shown|shows? the following|provided|depict\w*|display\w*|illustrat\w*|demonstrated|accompanying|pictured"
    r"|presented|below|above|here|arrows?|arrowheads?|asterisk|stars?|numbered|marked|tracings?|strips?|seen in"
    r"|(?:x-?ray|ct|mri|ecg|ekg|smear|biopsy|imaging|radiographic|histologic\w*) (?:findings|appearance)"
    r"|this (?:finding|lesion|rash|appearance|view|scan|film|radiograph|x-?ray|ct|mri|ecg|ekg|smear|specimen|structure"
    r"|organ|mass|sign)|(?<!of )the following|the (?:film|appearance|ecg|ekg|scan|radiograph)|vascular territor\w+"
    r"|trial|study)\b",
    re.IGNORECASE,
)
"""Words that point at something that is shown."""
_SCAN = re.compile(
    r"\b(?:radiograph\w*|x-?rays?|ct|cta|mri|mr|pet|tomograph\w*|resonance|ultraso\w+|echocardiogra\w+|ecg|ekg"
    r"|electrocardiogra\w+|smear|biops\w+|histolog\w+|stain\w*|fundoscop\w+|angiogra\w+|endoscop\w+|microscop\w+)\b",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"\b(?:reveal|demonstrate|confirm|show|disclose|indicate|yield)(?:s|ed)\b"
    r"(?! (?:the following|abnormal|findings)\b)",
    re.IGNORECASE,
)
"""Verbs by which a text states what a scan shows."""
_ANNOUNCED = re.compile(
    r"\b(?:is|are|was|were|been) (?:\w+ly )?(?:performed|obtained|ordered|reviewed|taken|recorded|analy[sz]ed|conducted"
    r"|done|measured|drawn|compared)\b|\b(?:after|upon|based on) (?:\w+ing|(?:the )?review of"
    r"|(?:these|the|this|her|his) (?:results?|data|measurements?|tests?|scans?|radiographs?|ecg))\b|interpretation of",
    re.IGNORECASE,
)
"""Words that announce an examination. If no result follows, the image has it."""
_LAST = 3
"""Number of last sentences of an item that are searched for an announced examination."""
_LABEL = re.compile(
    r"[(\[]?[A-Z][)\].]?"
    r"|(?!(?:categor|class|factor|grade|group|hepatitis|influenza|level|phase|stage|type|vitamin))"
    r"(?:[a-z]+\.? ){1,2}(?:[A-Z]|\d{1,2})",
    re.IGNORECASE,
)
"""An option that only names a mark in an image, such as "C" or "Area 3"."""
_GENERAL = re.compile(
    r"^(?:(?:about )?how (?:often|common(?:ly)?|frequent(?:ly)?|rare(?:ly)?) (?!(?:was|were)\b)"
    r"|what (?:is|are) (?:an? |the )?"
    r"(?:(?:definition|causes?|function|symptoms?|treatment|purpose) of |defining )?"
    r"(?!(?:the|this|that|these|those|it|there|one|seen|wrong|abnormal|happening|diagnosis|prognosis)\b)"
    r"(?:pleural effusion|[a-z]+(?:oma|osis|itis|emia|pathy|ectasis|ax|trophy))\??$"
    r"|how (?:do|does|can|would|could) (?:you|one|we) (?:identify|diagnose|define|treat|recogni[sz]e|distinguish"
    r"|differentiate|determine|(?:know|tell) (?:if|whether)) (?!(?:the|this|that|these)\b)"
    r"|what makes an? |what (?:does|do) \w+ (?:mean|stand for)\b"
    r"|what are (?:the )?(?:defining|common|typical|usual) "
    r"|(?:what (?:is|are) the (?:\w+ )?(?:functions?|roles?) of|(?:what|where) do(?:es)? (?:\w+ ){1,4}"
    r"(?:drain|connect|attach|insert|originate|innervate|supply)\b)"
    r"(?!.*\b(?:this|these|here|images?|shown|seen|organs?|structures?|vessels?|lesions?|mass|tube|line|catheter)\b)"
    r"|(?:can|could|is|are) (?:an? )?(?:ct|mri|x-?rays?|ultrasound|pet)s? (?:be used|used|useful|good|better)\b"
    r"|why (?:does|do|is|are) (?:less|more) )",
    re.IGNORECASE,
)
"""Questions about medicine in general, by how they begin."""
_SHORT = 20
"""Maximum words of an item that may ask about medicine in general without such a beginning."""
_CONNECTS = re.compile(
    r"\b(?:always|usually|typically|normally|generally|commonly|(?:most|more|less) (?:common|often)|best|better|first"
    r"|gold standard|causes?(?= \w)|leads? to|results? in|indicates?|suggests?|means?|meant|signif(?:y|ies)"
    r"|impl(?:y|ies)|determines?|defines?|distinguish(?:es)?|differentiates?|predisposes?|synonym\w*|stands? for"
    r"|difference between|tell whe(?:n|ther)|tell which|used (?:to|for|in)|recommend\w*)\b",
    re.IGNORECASE,
)
"""Words by which a question asks for a rule, not for what holds in one patient."""
_SPEAKS_OF = re.compile(
    r"\b(?:this|these|those|that|here|above|below|there|it|its|their|his|her|he|she|they|patient\w*|images?|pictures?"
    r"|scan|film|section|seen?|shown?|shows|visib\w+|visuali\w+|present|evident|noted|depict\w*|display\w*"
    r"|demonstrat\w*|pictured|imaged|appear\w*|looks?|was|were|did|given|surrounding)\b"
    r"|\bthe (?!absence|presence|best|first|most|usual|main|common|typical|definition|difference|meaning|purpose|role"
    r"|risk|term|treatment)",
    re.IGNORECASE,
)
"""Words by which a question speaks of one patient or image."""
_ASKS_IF_ANY = re.compile(
    r"^(?:can|could|do|does|will|would|should) (?:an? |(?:[a-z]+ ){1,2}with an? )(?!(?:patient|scan|image)\b(?! with))"
    r".*\b(?:cause|lead|result|indicate|suggest|mean|affect|get|have|need|require)\b"
    r"(?!.*\b(?:this|these|here|above|image|seen|shown)\b)",
    re.IGNORECASE,
)
"""Asks for what any such patient or finding may do."""


def look(audited: Audited) -> Checked:
    """List the items with an image whose words neither need it nor speak of it."""
    shown = [item for item in audited.items if item.images]
    read = [item for item in shown if item.language == "en"]
    if not read:
        why = "No item has an image." if not shown else "The items with an image are not in English."
        return Checked(NAME, 0, cannot=(f"{why} The words cannot show if a question needs its image.",))
    flagged = [Flagged(item.id, why, shorten_quote(item.question)) for item in read if (why := explain_no_need(item))]
    sentence = f"{len(flagged):,} of {len(read):,} items with an image do not mention it and may not need it."
    fix = "If the text suffices, leave the item out of a test of seeing, or ask about the image."
    findings = list_finding(NAME, Severity.MEDIUM, sentence, fix, flagged, sure=0.5)
    return Checked(NAME, len(read), findings, notes=("Only words are read, and only in English.",))


def explain_no_need(item: Item) -> str:
    """Explain why an item's words suggest that it needs no image; empty if not.

    >>> explain_no_need(Item("1", "Can CT be used to assess soft tissues?", kind="open", answer="yes"))
    'It asks about medicine in general.'
    """
    text = f"{item.context} {item.question}".strip()
    if _names_marks(item):
        return ""
    if _asks_generally(item.question.strip(), text):
        return "It asks about medicine in general."
    if len(text.split()) < LONG or _POINTS.search(text):
        return ""
    if any(_ANNOUNCED.search(each) and not _TOLD.search(each) for each in sentences_of(text)[-_LAST:]):
        return ""  # an examination without its result, which the image has
    if not _SCAN.search(text):
        return "It tells a long case and mentions no image."
    return "It mentions no image and gives the results in words." if _TOLD.search(text) else ""


def _asks_generally(question: str, text: str) -> bool:
    """Return whether a question asks about medicine, and not about a patient or an image.

    >>> [_asks_generally(text, text) for text in ("Does a mass cause pain?", "What causes pain here?")]
    [True, False]
    """
    if _GENERAL.match(question):
        return True
    short = len(text.split()) <= _SHORT
    return short and bool(_ASKS_IF_ANY.match(text) or (_CONNECTS.search(text) and not _SPEAKS_OF.search(text)))


def _names_marks(item: Item) -> bool:
    """Return whether most options only name marks, so that they say nothing without the image."""
    return sum(bool(_LABEL.fullmatch(" ".join(each.text.split()))) for each in item.options) > len(item.options) / 2


CHECK = Check(NAME, "Do questions with an image need it?", look)
