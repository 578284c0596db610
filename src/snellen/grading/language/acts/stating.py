"""Stating: whether a sentence says flatly how something is in this case, as one does who looks at it.

"The aorta is dilated", "There is no fracture": neither the image nor one who sees is named. What is said of such things
in general differs in its subject (no article that points at one, an organ that everybody has) or in what is said of it
(a definition, a use, what may be).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from snellen.grading.language.acts.seeing import PICTURES
from snellen.grading.language.acts.supposing import asserted
from snellen.grading.language.patterns import word_set
from snellen.grading.language.words import english, french, german, italian, spanish
from snellen.grading.language.words.anatomy import SICK, Named, named
from snellen.grading.language.words.findings import content

_THE = (
    r"the|this|these|those|both|one(?! of)|each(?! of)|your|his|her|its|il|lo|la|gli|le|quest[oaei]|el|los|las|"
    r"est[eao]s?|les|ce|cet|cette|ces|der|die|das|diese[rsmn]?"
)
_IS = (
    r"is|are|was|were|isn't|aren't|wasn't|weren't|appears?|appeared|seems?|seemed|looks?|remains?|do(?:es)? not|"
    r"doesn't|don't|did not|è|sono|era|erano|appare|appaiono|sembra|sembrano|está|están|es|son|parece|est|sont|semble|"
    r"semblent|ist|sind|war|waren|scheint"
)
_DOES = (
    r"has|have|had|contains?|includes?|involves?|measures?|lies?|sits?|says?|reads?|states?|suggests?|indicates?|"
    r"shows?|showed|extends?|exceeds?|exhibits?|resembles?|highlights?|depicts?|reveals?|revealed|displays?|"
    r"demonstrates?|projects?|terminates?|ends?|points?|faces?|reaches|crosses|touches|compresses|displaces?|"
    r"occup(?:y|ies)|enhances?|surrounds?|overl(?:ies|ie)|"
    r"ha|hanno|presenta|presentano|contiene|si trova|si trovano|suggerisce|indica|tiene|tienen|sugiere|se encuentran?|"
    r"a(?= une? )|n'a|présente|contient|suggère|indique|se trouve(?:nt)?|hat|haben|liegt|enthält|zeigt|befinde[tn] sich"
)
_ANSWER = r"yes|no|yeah|yep|nope|correct|indeed|sì|sí|si|oui|non|ja|nein"
_NO_PREPOSITION = r"(?!in |to |on |if |for |by |from )"
_LEAD = re.compile(
    rf"\W{{0,8}}(?:[a-h][.):] (?=(?:{_ANSWER})\b))?"
    rf"(?:(?:(?:the (?:correct )?answer (?:to \w+ question )?is )?(?P<answer>{_ANSWER})|so|therefore|thus|however|also|"
    r"in (?:this|the) (?:\w+ )?(?:case|scenario|image)|actually|overall|based on (?:the|this) [\w -]{3,40}|dunque|"
    r"quindi|donc)\b[,.:;! ]{1,6}){0,3}"
    r"(?:(?:it (?:appears|seems|looks)|i (?:can )?(?:confirm|believe|think|conclude|see)) (?:that |like )?)?"
)
"""What may stand before the statement: yes or no, so, based on the image, I believe that."""
_ASIDE = re.compile(r", (?:also|or|as|both|which) [^,]{0,80},")
_THERE = re.compile(
    r"(?:there(?:'s| (?:is|are|was|were|has been|(?:do(?:es)? not )?(?:appear|seem)s? to be))|i (?:do not|don't) see|"
    r"c'è|ci sono|vi (?:è|sono)|non (?:c'è|ci sono|vi (?:è|sono))|(?:è|sono) present[ei]|(?:no )?hay|il y a|il n'y a|"
    r"es (?:gibt|liegt|ist|sind|zeigt sich|zeigen sich))\b(?P<rest>.*)",
    re.DOTALL,
)
_OF_ONE = re.compile(
    rf"(?:(?P<the>{_THE}) |l')(?!(?:{_IS}|{_DOES})\b|n'e)(?P<subject>[^.;:?!]{{1,110}}? )"
    rf"(?:{_IS}|(?P<does>{_DOES}))\b(?!-)(?P<rest>.*)",
    re.DOTALL,
)
_OF_THIS = re.compile(
    r"(?:it|this|that|these|they|he|she)(?:'s|'re| (?:is|are|was|were|appears?|seems?|looks?|has|have|contains?|"
    r"shows?))\b(?P<rest>.*)",
    re.DOTALL,
)
_PRESENT = re.compile(
    rf"{_NO_PREPOSITION}(?:an? |no |any )?(?P<subject>[^.,;:?!]{{3,70}}?) (?:is|are|was|were)(?: not| no longer|n't)?"
    r"(?: \w+ly)? (?P<rest>(?:present|absent|seen|visible|evident|noted|identified|observed|visuali[sz]ed|used|given|"
    r"shown|demonstrated|administered|scattered|in (?:view|place|situ)|detected|apparent|"
    r"located (?:in|on|at) the (?:left|right|upper|lower|anterior|posterior))\b.*)",
    re.DOTALL,
)
_CAN_BE_SEEN = re.compile(
    rf"\W{{0,8}}(?:{_ANSWER})[,.:;! ]{{1,6}}(?:{_THE}) [^.,;:?!]{{1,60}}? can (?:\w+ )?be (?:\w+ )?"
    r"(?:seen|visuali[sz]ed|identified|observed)\b(?! (?:if|when|by|with|using|as)\b)"
)
"""In answer to a question, that something can be seen means that it is."""
_IN_REPORTS = re.compile(
    rf"{_NO_PREPOSITION}(?!an? |no )(?P<subject>[a-z][\w -]{{2,40}}?) (?:is|are|appears?)(?: not)?(?: \w+ly)? "
    r"(?P<rest>\w.*)",
    re.DOTALL,
)
"""Without an article, as reports are written: "Heart size is normal"."""
_CLAUSE_END = re.compile(r"[,;:(]| (?:which|but|because|although|while|whereas|as it|since|mais|ma|pero|aber)\b")

_CASE = word_set(
    "patient patient's image picture photo photograph scan x-ray xray radiograph film mri ct ecg slide plane section "
    "view paziente immagine radiografia paciente imagen radiografía photographie radiographie bild aufnahme "
    "röntgenbild lesion lesions abnormality abnormalities finding findings pathology"
)
"""What is always of this case."""
_PARTS = word_set(
    "lobe lobes hemisphere hemithorax quadrant angle angles silhouette csf retina macula disc fovea joint rhythm "
    "cardiothoracic lobo lóbulo lappen"
)
_SIDES = word_set("left right upper lower anterior posterior")
_ENGLISH = word_set("the this these those both one each your his her its")
"""Articles that point at one; those of other languages stand before what is said of a kind, too."""
_POINTING = ("thi", "thes", "your", "ques", "est", "cet", "dies")
_NOT_SEEN = word_set(
    "answer answers diagnosis diagnoses question option options correct term word phrase text user following step "
    "steps human doctor radiologist physician doctors name cause causes reason reasons purpose goal treatment "
    "management risk symptoms symptom probable prognosis definition role function history conclusion response process "
    "choice sentence person persona person's body's procedure ability key technique method use machine technology "
    "report lifespan life quality resolution condition example presence absence clinical represents refers means "
    "plays helps serves provides allows consists occurs possibility chance probability likelihood difference way "
    "distinguishes differentiates suggest which because presenza assenza perché clinico clinica sintomi opzione "
    "opzioni risposta diagnosi domanda opción respuesta diagnóstico pregunta réponse diagnostic antwort diagnose"
)
"""Subjects of which nothing is seen, and verbs and links that show that the subject has ended."""
_NORMAL = word_set("normal average typical usual")
"""Before a subject: what it is in anybody."""
_GENERAL = word_set(
    "kinds verschiedene tipi tipos typically usually generally often commonly can could may might would should will "
    "must if when whether normally sometimes depending depends various different types ways factors called known "
    "refers individuals people someone anyone patients humans cases needs need require requires during named "
    "information mentioned reference scenario diagnose consistent compatible typical suggestive indicative "
    "characteristic associated quando può possono tipicamente spesso generalmente tipico tipica tipici tipiche "
    "caratteristico caratteristica caratteristici caratteristiche suggestivo suggestiva suggestivi compatibile "
    "compatibili associata associato eseguita eseguito cuando suele puede pueden normalmente típico típica "
    "compatibles quand peut peuvent souvent typique wenn kann können meist normalerweise"
)
"""Words of general knowledge, of what may be, and of what findings mean."""
_DEFINING = word_set(
    "too troppo demasiado trop zu used responsible composed made known called defined caused referred important "
    "essential crucial considered divided connected designed able capable needed required necessary vital based "
    "associated related due measured determined assessed evaluated diagnosed treated performed available provided "
    "attached difficult hard unclear advised recommended unknown inconclusive impossible possible blank missing "
    "suspected diagnostic supplied classic created operated"
)
"""What is said first of a thing as such, or of an image that cannot be read."""
_KINDS = word_set(
    "type kind form condition disease disorder organ organs part structure tool technique method procedure test term "
    "muscle gland system sac tube process concept measure study device vessel group branch measurement field "
    "representation reference specialty modality phenomenon sign symptom complication syndrome question task symbol "
    "result tipo forma organo parte condizione malattia órgano condición enfermedad estructura maladie organe "
    "erkrankung"
)
"""What a definition says that a thing is."""
_SOMEWHERE = word_set("located found situated present")
_ARTICLES = word_set("a an the one un una uno une ein eine einer il lo la el los le les der die das")
_ADVERBS = word_set(
    "not no also actually indeed clearly likely slightly significantly quite very probably most approximately about "
    "now just only still mildly to be non pas molto più muy nicht"
)
_LONGEST_KIND = 7
_SMALL = frozenset.union(
    english.SMALL, PICTURES, *(tongue.COMMON for tongue in (english, italian, spanish, french, german))
)
_ACCENTS = re.compile("[\u0300-\u036f]+")

_CHINESE = re.compile("[\u4e00-\u9fff]")
_ILL_IN_CHINESE = "骨折|积液|气胸|肺炎|结节|肿|出血|病变|病灶|异常|梗死|水肿"
_IN_CHINESE = re.compile(
    rf"\W{{0,4}}(?!(?:{_ILL_IN_CHINESE})瘤?是)(?:(?:是的?|不是?|否|没有|对)[，,。 ]{{1,2}})?"
    r"(?:在[^，,。；]{1,20}，)?(?:"
    rf"[^，,。；]{{0,30}}(?:{_ILL_IN_CHINESE}|图|片|影像|扫描|患者|肺|心|脑|肝|肾|骨|胸|视网膜)"
    r"[^，,。；]{0,24}(?:有|无|位于|是(?!一[个种])|为|呈|存在|正常|在|增大|扩大|清晰)|"
    rf"(?:没有|无|有|存在)[^，,。；]{{0,12}}(?:{_ILL_IN_CHINESE}))"
)
_OPEN_IN_CHINESE = re.compile(
    r"[吗呢？?哪若]|什么|多少|几个|如何|请|如果|通常|一般|可能|无法|不能|需要|应该|假如|一种|是指|没有提供"
)

_OPEN = re.compile(
    r"\b(?:what|which|where|who|how|che|quale|quali|dove|quant[aeio]|qué|cuál|dónde|cuánt[ao]s|quel(?:le)?s?|où|"
    r"combien|was (?:ist|sind|zeigt|für)|welche[rsn]?|wo|wie)\b"
)
_OFFERS = re.compile(r"\b(?:or|o|oppure|ou|oder)\b|[:/]")


class Asked(NamedTuple):
    """What a question names, its words, and whether it asks what, which or how many and offers no answers."""

    names: frozenset[str]
    words: frozenset[str]
    open: bool


def asks(question: str) -> Asked:
    """What a question in lower case asks for."""
    words = frozenset(_words(question)) - _SMALL
    is_open = _OPEN.search(question) is not None and _OFFERS.search(question) is None
    return Asked(frozenset(content(question)), words, is_open)


def states(sentence: str, asked: Asked) -> bool:
    """Whether a sentence in lower case says flatly how something is that a question asks for or an image can show.

    >>> asked = asks("is the aorta dilated?")
    >>> states("yes, the aorta is dilated.", asked), states("there is no aneurysm", asked)
    (True, True)
    >>> states("the aorta is a large artery.", asked), states("an aorta may be dilated", asked)
    (False, False)
    """
    if not sentence.isascii() and _CHINESE.search(sentence):
        return _IN_CHINESE.match(sentence) is not None and _OPEN_IN_CHINESE.search(sentence) is None
    if _CAN_BE_SEEN.match(sentence):
        return True
    if not _says(_ASIDE.sub("", sentence, count=1) if "," in sentence else sentence, asked):
        return False
    says_nothing = asked.open and content(sentence) <= asked.names
    return not says_nothing and bool(asserted(sentence, sentence.split()))


def _says(sentence: str, asked: Asked) -> bool:
    """Whether a sentence has the form of such a statement and is about what an image can show."""
    lead = _LEAD.match(sentence)
    start = lead.end() if lead else 0
    if said := _THERE.match(sentence, start):
        rest = _clause(said)
        return _plain(rest) and _NOT_SEEN.isdisjoint(rest) and PICTURES.isdisjoint(rest[:3]) and _about(rest, asked)
    if said := _OF_ONE.match(sentence, start):
        return _says_of_one(said, asked, answers=lead is not None and lead.group("answer") is not None)
    if said := _PRESENT.match(sentence, start):
        subject = _words(said.group("subject"))
        return _plain(subject + _clause(said)) and _NOT_SEEN.isdisjoint(subject) and _about(subject, asked)
    if said := _OF_THIS.match(sentence, start):
        rest = _clause(said)
        return _plain(rest) and _about(rest, asked) and _tells(rest)
    if said := _IN_REPORTS.match(sentence, start):
        subject, rest = _words(said.group("subject")), _clause(said)
        return _plain(subject + rest) and _is_part(subject) and any(name.things for name in _named(rest[:1]))
    return False


def _says_of_one(said: re.Match[str], asked: Asked, *, answers: bool) -> bool:
    """Whether something is said of a subject with an article that belongs to this case."""
    article, subject, rest = said.group("the") or "", _words(said.group("subject")), _clause(said)
    if (
        not (subject and (rest or said.group("does")) and _plain(subject + rest) and _NOT_SEEN.isdisjoint(subject))
        or subject[0] in _NORMAL
    ):
        return False
    pointing = article.startswith(_POINTING) or not _CASE.isdisjoint(subject)
    sick = any(thing in SICK for name in _named(subject) for thing in name.things)
    part = _is_part(subject)
    organ = part and not (pointing or sick)
    if not (pointing or sick or part or _is_asked(subject, asked)):
        return False
    if said.group("does"):
        return answers or not organ or any(name.things for name in _named(rest))
    return _tells(rest, of_any=not answers and (organ or not (pointing or article in _ENGLISH)))


def _tells(said: Sequence[str], *, of_any: bool = False) -> bool:
    """Whether what is said of a subject is no definition or use; `of_any` if the subject may stand for its kind."""
    place = 0
    while place < len(said) and said[place] in _ADVERBS:
        place += 1
    first = said[place] if place < len(said) else ""
    if not first or first in _DEFINING:
        return False
    if first in _ARTICLES:
        return not of_any and _KINDS.isdisjoint(said[place : place + _LONGEST_KIND])
    return not (of_any and first in _SOMEWHERE)


def _clause(said: re.Match[str]) -> list[str]:
    """The words that follow up to the next clause."""
    start, end = said.span("rest")
    stop = _CLAUSE_END.search(said.string, min(start + 2, end))
    return _words(said.string[start : stop.start() if stop else end])


def _words(text: str) -> list[str]:
    return [word for piece in text.replace("'", " ").split() if (word := piece.strip('.,;:()"“”!?*¿¡'))]


def _plain(words: Sequence[str]) -> bool:
    return _GENERAL.isdisjoint(words)


def _named(words: Sequence[str]) -> list[Named]:
    """What words name, as a radiology report does."""
    bare = (word if word.isascii() else _ACCENTS.sub("", unicodedata.normalize("NFKD", word)) for word in words)
    return [name for word in bare if (name := named(word))]


def _is_part(words: Sequence[str]) -> bool:
    """Whether a part of the body is among these words."""
    return not _PARTS.isdisjoint(words) or any(name.parts for name in _named(words))


def _is_asked(words: Sequence[str], asked: Asked) -> bool:
    """Whether the question has one of these words, be it in another form or language."""
    return not (asked.words.isdisjoint(words) and asked.names.isdisjoint(content(" ".join(words))))


def _about(words: Sequence[str], asked: Asked) -> bool:
    """Whether words name something asked for, a finding or a part of the body."""
    return _is_asked(words, asked) or _is_part(words) or not _SIDES.isdisjoint(words) or bool(_named(words))
