"""Find sentences that mention an image without saying what this one shows.

Such sentences ask, give orders, state conditions, explain how something would look, or repeat the question. Others
describe any image of a kind or a disease in general, or are about the model itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from snellen.reading.language.patterns import word_set
from snellen.runtime import regex

_LEAD_IN = regex(
    r"\W{0,8}(?:\d{1,2}[.)]\W{1,4}(?:[^.:;?!\n]{3,50}:\W{1,4})?)?(?:(?:reasoning|explanation|rationale|ragionamento|motivazione|spiegazione|"
    r"first|firstly|then|next|finally|also|second|step \d{1,2}|so|okay|however|think|sin embargo|tuttavia|cependant|"
    r"jedoch)\W{1,3}){0,2}"
)
"""Words before the first word that counts."""
_IMAGE = (
    r"(?:images?|pictures?|photos?|photographs?|x-?rays?|radiographs?|scans?|ecgs?|ekgs?|electrocardiograms?|cts?|"
    r"mris?|films?|tracings?|slides?|ultrasounds?|figures?)"
)
_ORDERED = (
    r"(?:please|look (?:at|for|closely|carefully)|check|examine|identify|(?:note|observe|see) (?:any|if|whether|"
    r"that the question|how)|compare|measure|assess|evaluate|count|consider|describe|upload|provide|share|attach|send|"
    r"always|never|remember|imagine|ensure|make sure|touch|determine|analy[sz]e|let me know|tell me|"
    r"(?:use|mark|draw|find|locate|trace|place|take|select|adjust|zoom|click) (?:an?|the|your|any|both|in|on)|"
    r"per favore|allega|carica|guard[ia]|osservi|(?:osserv|confront|misur|cerc|utilizz|us|valut|esamin)are|"
    r"bitte|(?:schauen|suchen|prüfen|achten|betrachten|vergleichen|messen|verwenden) sie|"
    r"por favor|(?:observe|mire|busque|compare|mida|utilice) (?:el|la|los|las|si|un|una)|"
    r"veuillez|s'il vous pla[iî]t|(?:regard|examin|observ|cherch|vérifi|compar|mesur|utilis)ez)\b"
)
"""An order, a request or a step of a method."""
_METHOD = (
    r"to (?:\w+ly )?(?:identify|determine|diagnose|count|answer|see|find|detect|confirm|assess|evaluate|interpret|read|"
    r"tell|analy[sz]e|understand|describe|get|send|make)\b|in order to\b|par?a \w+r\b|per \w+re\b|pour \w+r\b|"
    r"um zu\b|this will\b|here (?:are|is) (?:the|some|a few|how|a)\b|"
    r"it(?:'s| is) (?:important|essential|necessary|crucial|best|helpful|useful|difficult|hard|impossible|"
    r"not possible)\b|"
    r"(?:you|one|they|doctors?|radiologists?|clinicians?|the (?:doctor|radiologist|physician|clinician|reader)) "
    r"(?:can|could|should|would|will|may|might|must|need|have to|look|see)\b"
    r"(?! see(?: here)?[, ]{1,2}(?:that|the|in|from))"
)
"""The action of a person, not something seen."""
_ON_CONDITION = (
    r"if (?!(?:you|we|i|one) (?:look|examine|zoom|view)\b)|once |unless |suppos(?:e|ing)\b|assum(?:e|ing)\b|whether |"
    r"as soon as |until |should (?:the|there|it)\b|when (?!(?:i |we |you )?(?:look|examin|view))|se l[aoe']|"
    r"se (?:si|il|un|c'è|ci|non)\b|qualora\b|si (?:me|la|el|le|l'|los|les|un|una|hay|se)\b|s'il y a\b|wenn\b|falls\b|"
    r"sobald\b|una volta che\b|nel caso\b|(?:the|this|my) (?:answer|diagnosis|interpretation) (?:\w+ )?depends? on\b"
)
"""A condition at the beginning."""
_ECHOED = (
    r"(?:user|human|question|q|utente|domanda|pregunta|frage|patient|doctor|assistant)\s{0,2}:|"
    r"you(?:'ve)? (?:asked|mention|wrote|said|describe|written|provided)|"
    r"(?:the|this|your) (?:question|user|prompt|case|vignette) (?:asks?|says|mentions|states|describes|is|wants|tells)"
)
"""The question repeated."""
_CHOOSES = regex(r"\b(?:is|are|è|es|est|ist):? \(?[a-h]\)?[.* ]{0,3}$")
_CHOICE_AT_MOST = 16
_LETTERS, _LETTER_AT_MOST = frozenset("abcdefgh"), 4
_PAUSE = regex(r"[,;–—]|: ")
"""Signs of a pause. A sentence that ends in an option's letter, without a pause, only names the option."""

_CANNOT = r"(?:can(?:no|')t|can not|could not|couldn't|won't|unable to|not able to)"
_UNABLE = (
    r"can(?:no|')t|can not|could(?:n't| not)|unable to|not able to|unlikely to be able to|"
    r"(?:not (?:\w+ )?possible|impossible|difficult|hard|challenging|no way)(?: for \w+)? to|"
    r"non (?:posso|possiamo|è possibile|si può|sono in grado di|riesco a)|impossibile|difficile(?: d[e'])?|"
    r"no (?:puedo|podemos|es posible|se puede)|imposible|difícil|"
    r"(?:ne peu[xt]|ne puis|ne pouvons|n'est)(?: pas)?(?: possible)?(?: d[e'])?|impossible d[e']"
)
_TELL = (
    r"(?:be )?(?:determine|ascertain|tell\b|say\b|know\b|conclu|confirm|assess|evaluat|interpret|analy[sz]|judge|"
    r"establish|(?:provide|give|make) (?!out)|answer|sure\b|certain\b)|"
    r"determinar|stabilir|dire\b|dirlo|saper|conferm|valutar|analizzar|fornir|rispond|"
    r"decir|saber|establec|evaluar|analizar|proporcion|respond|"
    r"détermin|savoir|évalu|interprét|fourni|répond|affirm"
)
_UNTOLD = regex(
    rf"\b(?:{_UNABLE}) ?(?:[\w']+ ){{0,4}}?(?:{_TELL})|"
    r"\b(?:no|not|n't|any|enough|sufficient|insufficient|limited|abbastanza|alcuna|nessuna|sufficient[ei]|suficiente|"
    r"ninguna|aucune|assez|suffisamment|genügend|genug|keine) (?:d'|[\w']+ )?informa[tzc]i[oó]n|"
    r"\b(?:nicht möglich|unmöglich|schwer|schwierig)\b[^.;]{0,80} (?:zu \w+|\w+zu\w+en)\b|"
    r"\b(?:kann|können|lässt)\b[^.;]{0,60}? (?:nicht|keine)\b[^.;]{0,30}? "
    r"(?:sagen|beurteil|bestimm|feststell|erkennen|analysier|aussage|machen)"
)
"""Statement that nothing can be determined."""
_UNTOLD_WORDS = word_set(
    "cannot can't can could couldn't unable able possible impossible difficult hard challenging way information posso "
    "possiamo possibile può grado riesco impossibile difficile informazioni puedo podemos posible puede imposible "
    "difícil información peux peut puis pouvons impossible informations d'informations möglich unmöglich schwer "
    "schwierig kann können lässt informationen unlikely t"
)
_OF_MYSELF = regex(
    r"\b(?:i|we)(?:'m| am|'ve| have|'d| would|'ll| will)? (?:\w+ )?(?:appreciate (?:your|the (?:question|opportunity))|"
    r"understand|need|see (?:that you|you|your|the placeholder|no (?:image|picture|photo|attach)|,)|"
    rf"{_CANNOT} (?:\w+ ){{0,2}}?(?:help|interpret|identify|provide|describe|analy[sz]e|assist|determine|diagnose|tell|"
    r"say|answer|make|give|view|access|comment|confirm|evaluate|assess|process|open|read)|"
    r"like to (?:see|look|view|know)|apologi[sz]e|sorry|(?:been )?instructed|decided|imagine|wish|hope|"
    r"want to (?:see|look))\b|\bi note that (?:the question|you)\b|\bas an ai\b|"
    r"\b(?:lo siento|no tengo|no puedo|je suis désolé|je ne peux|mi dispiace|tut mir leid)\b|"
    r"\b(?:avrei|ho) bisogno\b|\b(?:necesito|necesitaría|il me faudrait|j'aurais besoin)\b|"
    r"\bich (?:müsste|brauche|bräuchte|kann (?:das|die|den|kein\w*) (?:\w+ )?nicht)\b"
)
"""Statements of the model about itself."""
_NOTHING_HERE = regex(
    r"\b(?:in|to) (?:this|our|your|the) (?:conversation|chat|message|prompt|thread)\b|"
    r"\b(?:is|was|are|were|been) (?:not|n't) "
    r"(?:provided|attached|included|available|uploaded|supplied|visible to me|shown to me)\b|"
    rf"\bwithout (?:an? |the |any )?(?:clear |actual |visible )?{_IMAGE}\b|\bwhich i (?:can't|cannot) see\b"
)
"""Statement that there is no image to look at."""
_UNSEEN_WORDS = word_set(
    "appreciate understand need see cannot can't can couldn't could won't t unable able like apologize apologise sorry "
    "instructed decided imagine wish hope want note ai bisogno necesito necesitaría faudrait besoin müsste brauche "
    "bräuchte kann siento tengo puedo désolé peux dispiace leid conversation chat message prompt thread not without"
)
"""Words of which each sentence of the last two kinds has one."""
_BUT = regex(
    r"\b(?:but|however|nevertheless|still|although|though|making it|which makes it|ma|tuttavia|anche se|pero|aunque|"
    r"mais|aber|jedoch|obwohl)\b[, ]{0,2}"
)

_SEEN = r"(?:seen|visible|identified|observed|visuali[sz]ed|noted|detected)"
_SHOW = r"(?:show|reveal|demonstrate|appear|be (?:seen|visible))"
_OF_ANY = regex(
    rf"\bcan (?:\w+ )?(?:be (?:\w+ )?{_SEEN}|appear(?! as the)|show|help|present|occur|cause)\b"
    rf"(?! (?:here|in (?:the|this) {_IMAGE}(?:[.,]|$)))|"
    r"\b(?:is|are) (?:\w+ )?(?:defined (?:as|by)|used (?:to|for|in)|best (?:seen|visuali[sz]ed))\b|"
    r"\bin general\b|\bgenerally\b|"
    rf"\b(?:seen|visible|appears?) (?:\w+ )?(?:on|in) an? (?:\w+ ){{0,2}}?{_IMAGE} as\b|"
    r"\b(?:show|shows|seen) [\w ]{3,40} better\b|"
    rf"\b(?:may|might|could|would|will|should) (?:\w+ )?{_SHOW}\b|"
    r"\b(?:taken|acquired|obtained|captured|produced|generated) (?:using|by|via|through|with (?:an?|the) (?!contrast))|"
    r"\b(?:acquisit|ottenut|scattat)[aoei] (?:con|tramite|mediante|utilizzando|usando) (?!mezzo|contrasto)|"
    r"\b(?:obtenid[ao]|tomad[ao]|se obtienen?) (?:con|mediante|usando|utilizando) (?!contraste|medio)|"
    r"\b(?:obtenue?|prise|acquise) (?:à l'aide|avec un|par|en utilisant)\b|"
    r"\b(?:mit|mithilfe|mittels|durch) (?:ein|de)\w+ (?:[\w-]+ ){1,2}(?:aufgenommen|erstellt|erzeugt)\b|"
    r"\b(?:en las|nelle|sur les|auf|in) (?:radiografías|radiografie|radiographies|röntgenbildern)\b|"
    r"\b(?:visibil[ei]|visible) (?:in|en|sur) (?:\S+ ){1,3}?(?:come|como|comme)\b|"
    r"\bse (?:puede|pueden) ver en una\b|"
    r"\bsi (?:manifesta|presenta|vede|vedono) (?:\S+ ){0,4}?come\b|\bdi solito\b|\bsuele\b|"
    r"\bse ven? (?:\S+ ){0,4}?como\b|\bzeigt sich (?:\S+ ){0,5}?(?:meist|als|typischerweise)\b"
)
_OF_ANY_WORDS = word_set(
    "can defined used best general generally better may might could would will should come solito suele como als "
    "meist typischerweise as taken acquired obtained captured produced generated acquisita acquisito acquisite "
    "acquisiti ottenuta ottenuto scattata scattato obtenida obtenido tomada tomado obtiene obtienen obtenue prise "
    "acquise aufgenommen erstellt erzeugt radiografías radiografie radiographies röntgenbildern comme puede pueden"
)
"""Words of which each sentence about any image has one."""
_ANY_IMAGE = (
    r"(?!th(?:e|is) )[^,.]{3,60} (?:is|are) (?:\w+ )?characteri[sz]ed by\b|"
    r"the (?:presence|absence) of [^,.]{3,60} (?:indicates?|suggests?|means|confirms?)\b|"
    r"(?:eine?|une?|una) (?:\w+ )?(?:bild|immagine|imagen|image|radiograf\w+|röntgenbild|aufnahme)\b|"
    rf"(?:an?|such|most|many|some|any) (?:[a-z][\w-]* ){{0,2}}?{_IMAGE}\b|"
    r"(?!(?:the|these|both|this|those|your|my|all) )(?:[a-z][\w-]* ){1,2}"
    r"(?:images|x-rays|xrays|scans|radiographs|ecgs|mris|photographs|pictures) (?!of (?:the|this))|"
    r"in (?!the |this |these |both |an? (?:\w+ )?image|image|my |your |fact|addition|summary|conclusion|lead|"
    r"ecg|ct|mri)(?:[\w-]+ ){0,3}[\w-]+, (?:the |an? )?(?:\w+ )?"
    rf"{_IMAGE} (?:\w+ )?(?:show|reveal|demonstrat|is|are|may|can|will|would)"
)
"""Statements about any image, or about a disease in anybody."""
_NO_STATEMENT = regex(f"{_ORDERED}|{_METHOD}|{_ON_CONDITION}|{_ECHOED}|{_ANY_IMAGE}")
_SUSPECT = _UNTOLD_WORDS | _UNSEEN_WORDS | _OF_ANY_WORDS
"""A sentence without any of these words need not be searched."""
_ASIDE = regex(r"\([^()]{0,200}\)|, which\b.{0,400}")
"""Asides: text in brackets or after ", which"."""


ASKED = regex(
    r"(?<![^.!?。！？\n])[^.!?。！？\n]*[?？]|(?<![^.!?。！？\n])\s{0,4}(?:name|describe|identify|tell me|count|"
    r"estimate|give|list|classify|grade|report|interpret|find|read|state|explain|write|compare|is|are|was|were|does|do|did|can|has|have|"
    r"whats?|what's|which|how|who|where|when|why|descriv\w+|indica|elenca|describe|beschreib\w*|décri\w+|请)\b[^.!?。！？\n]*"
)
"""A sentence that asks or orders; it must begin where a sentence can, so that the search is linear."""


def keep_asserted(sentence: str, words: Sequence[str]) -> str:
    """Return the part of a sentence about what this image shows: all of it, the part after "but", or nothing.

    `words` are the words of the sentence; they rule out most patterns quickly.

    >>> keep_asserted(said := "if the x-ray shows an effusion, drain it", said.split())
    ''
    >>> keep_asserted(said := "i cannot diagnose, but the x-ray shows an effusion", said.split())
    'the x-ray shows an effusion'
    """
    if sentence.rstrip(" *\"'”»)").endswith(("?", "？")):
        return ""
    if (
        not _LETTERS.isdisjoint(words[-_LETTER_AT_MOST:])
        and _CHOOSES.search(sentence[-_CHOICE_AT_MOST:])
        and _PAUSE.search(sentence) is None
    ):
        return ""
    suspect = not _SUSPECT.isdisjoint(words)
    if suspect and not (sentence := _told_in(sentence, words)):
        return ""
    lead = _LEAD_IN.match(sentence)
    if _NO_STATEMENT.match(sentence, lead.end() if lead else 0):
        return ""
    if suspect and not _OF_ANY_WORDS.isdisjoint(words) and _OF_ANY.search(without_asides(sentence)):
        return ""
    return sentence


def _told_in(sentence: str, words: Sequence[str]) -> str:
    """Return the part of a sentence that is not about uncertainty or a missing image."""
    if not _UNTOLD_WORDS.isdisjoint(words) and (untold := _UNTOLD.search(sentence)):
        sentence = _keep_outside(sentence, untold)
    if not _UNSEEN_WORDS.isdisjoint(words) and _says_unseen(sentence):
        turn = _BUT.search(sentence)
        sentence = sentence[turn.end() :] if turn else ""
        return "" if _says_unseen(sentence) else sentence
    return sentence


def _keep_outside(sentence: str, untold: re.Match[str]) -> str:
    """Return the part of a sentence outside the clause that says that nothing is known."""
    for turn in _BUT.finditer(sentence):
        if turn.end() <= untold.start():
            return sentence[: turn.start()]
        if turn.start() >= untold.end():
            return sentence[turn.end() :]
    return ""


def without_asides(sentence: str) -> str:
    """Return a sentence without text in brackets or after ", which"."""
    return _ASIDE.sub("", sentence) if "(" in sentence or ", which" in sentence else sentence


def _says_unseen(sentence: str) -> bool:
    return _OF_MYSELF.search(sentence) is not None or _NOTHING_HERE.search(sentence) is not None
