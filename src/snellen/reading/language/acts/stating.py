"""Find sentences that flatly describe this case.

Examples are "The aorta is dilated" and "There is no fracture": they name neither the image nor an observer. General
sentences differ in their subject (an organ that everybody has, or no article such as "this") or in their predicate (a
definition, a use, a possibility).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from snellen.reading.language.acts.seeing import EXAMINATIONS, PICTURES
from snellen.reading.language.acts.supposing import keep_asserted
from snellen.reading.language.patterns import word_set
from snellen.reading.language.words.anatomy import SICK, NamedAnatomy, find_anatomy
from snellen.reading.language.words.findings import CONCEPTS, concepts, content
from snellen.reading.language.words.roles import COMMON, SMALL
from snellen.runtime import regex

_THE = (
    r"the|this|these|those|both|one(?! of)|each(?! of)|your|his|her|its|il|lo|la|i(?= \w+i )|gli|le|"
    r"entramb[ie](?: i| gli| le)?|quest[oaei]|el|los|las|est[eao]s?|amb[oa]s|les(?: deux)?|ce|cet|cette|ces|der|"
    r"die|das|beide|diese[rsmn]?"
)
_IS = (
    r"is|are|was|were|isn't|aren't|wasn't|weren't|appears?|appeared|seems?|seemed|looks?|remains?|do(?:es)? not|"
    r"doesn't|don't|did not|è|sono|era|erano|appare|appaiono|sembra|sembrano|está|están|es|son|parece|est|sont|fue|"
    r"semble|semblent|apparaît|a été|ist|sind|war|waren|wurden?|scheint|erscheint|wirkt"
)
_DOES = (
    r"has|have|had|contains?|includes?|involves?|measures?|lies?|sits?|says?|reads?|states?|suggests?|indicates?|"
    r"shows?|showed|extends?|exceeds?|exhibits?|resembles?|highlights?|depicts?|reveals?|revealed|displays?|"
    r"demonstrates?|projects?|terminates?|ends?|points?|faces?|reaches|crosses|touches|compresses|displaces?|"
    r"occup(?:y|ies)|enhances?|surrounds?|overl(?:ies|ie)|"
    r"ha|hanno|presentan?o?|contiene|si trova|si trovano|s[ei] locali[sz]z?an?o?|suggerisce|indica|interessa|"
    r"coinvolge|mostrano?|tiene|tienen|sugiere|se encuentran?|corresponde|muestran?|afecta|"
    r"a(?= une? )|n'a|présente(?:nt)?|contient|suggère|indique|montre|touche|se (?:trouve|situe)(?:nt)?|"
    r"hat|haben|liegt|liegen|enthält|zeigt|weist|betrifft|befinde[tn] sich"
)
_ANSWER = r"yes|no|yeah|yep|nope|correct|indeed|sì|sí|si(?=[,.:;!])|oui|non|ja|nein"
_NO_PREPOSITION = r"(?!in |to |on |if |for |by |from )"
_LEAD = regex(
    rf"\W{{0,8}}(?:[a-h][.):] (?=(?:{_ANSWER})\b))?"
    rf"(?:(?:(?:the (?:correct )?answer (?:to \w+ question )?is )?(?P<answer>{_ANSWER})|so|therefore|thus|however|also|"
    r"in (?:this|the) (?:\w+ )?(?:case|scenario|image)|actually|overall|based on (?:the|this) [\w -]{3,40}|dunque|"
    r"quindi|pertanto|donc|por lo tanto|daher|somit)\b[,.:;! ]{1,6}){0,3}"
    r"(?:(?:it (?:appears|seems|looks)|i (?:can )?(?:confirm|believe|think|conclude|see)) (?:that |like )?)?"
)
"""Words before the statement: yes or no, "so", "based on the image", "I believe that"."""
_ASIDE = regex(r", (?:also|or|as|both|which) [^,]{0,80},")
_EXISTS = (
    r"there(?:'s| (?:is|are|was|were|has been|exists?|(?:do(?:es)? not )?(?:appear|seem)s? to be))|"
    r"i (?:do not|don't) see|(?:non )?(?:c'è|ci sono|vi (?:è|sono)|esist(?:e|ono)|(?:è|sono) (?:present|visibil)[ei])|"
    r"(?:no )?(?:hay|existen?|(?:es|son) visibles?)|il (?:n')?(?:y a|existe)|on (?:distingue|note|retrouve)|"
    r"es (?:gibt|liegt|liegen|besteht|bestehen)|(?:es )?(?:zeig|find)(?:t|en|et) sich"
)
_THERE = regex(rf"(?:{_EXISTS})\b(?P<rest>.*)", re.DOTALL)
_PLACED = regex(
    r"(?:in|on|at|within|im|am|auf|an|nell?[aoe]?|nei|sull?[ao]?|en|dans|sur|au|à)[ '](?P<place>[^.;:?!]{3,60}?),? "
    rf"(?:{_EXISTS}|(?:ist|sind|liegt)(?= k?ein)|(?:si (?:osserv|not|ved|apprezz|evidenzi|rilev)[ae](?:no)?|"
    r"se (?:observa|aprecia|ve)n?|on (?:voit|observe|note)|(?:sieht|erkennt) man))\b(?P<rest>.*)",
    re.DOTALL,
)
"""A place first, then the thing that is there."""
_NO = r"no|keine?n?|aucune?|pas d[e']|nessun[oa]?|ningún|ninguna|sin|senza|sans"
_NONE_SEEN = regex(
    rf"\W{{0,8}}(?:(?:{_ANSWER})[,.:;!] ?)?(?:{_NO}) (?:(?:\w+ )?(?:evidence|signs?|indications?|hinweise?|anzeichen|"
    r"zeichen|signes?|segn[oi]|evidenz[ae]|evidencias?|signos?|indicios?)\b(?P<sign>.*)|"
    r"(?P<seen>[^.,;:?!]{3,60}) (?:seen|visible|identified|noted|detected|present|nachweisbar|sichtbar|visibile|"
    r"evidente)\W*$)",
    re.DOTALL,
)
"""A report's words for an absent finding: "no sign of", "no fracture seen"."""
_OF_ONE = regex(
    rf"(?:(?P<the>{_THE}) |l')(?!(?:{_IS}|{_DOES})\b|n'e)(?P<subject>[^.;:?!]{{1,110}}? )"
    rf"(?:{_IS}|(?P<does>{_DOES}))\b(?!-)(?P<rest>.*)",
    re.DOTALL,
)
_OF_THIS = regex(
    r"(?:(?:it|this|that|these|they|he|she)(?:'s|'re| (?:is|are|was|were|appears?|seems?|looks?|has|have|contains?|"
    r"shows?))|(?:quest[oaei]|ess[oa]) (?:è|sono)|si (?:tratta d[i']|trova)|è (?:un[oa]?|localizzat[oa]|situat[oa])|"
    r"(?:est[aeo] )?es un[ao]?|se (?:trata de|encuentra)|está (?:locali[sz]ad|situad|ubicad)[oa]|"
    r"(?:c'|ceci |il |elle |ce n')(?:est|se (?:trouve|situe))|il s'agit d[e']|"
    r"(?:es|er|sie|dies|das|hier) (?:ist|sind|liegt|zeigt|befindet sich|handelt (?:es )?sich (?:hier )?um))"
    r"(?:\b|(?<=d'))(?P<rest>.*)",
    re.DOTALL,
)
_PRESENT = regex(
    rf"{_NO_PREPOSITION}(?:an? |no |any |k?eine?n? |aucune? |une? |nessun[oa]? |una? |ning[uú]na? )?"
    r"(?P<subject>[^.,;:?!]{3,70}?) (?:is|are|was|were|ist|sind|liegt|liegen|n'est|est|sont|è|sono|está|están)"
    r"(?: not| no longer|n't| nicht| pas)?(?: \w+ly)? "
    r"(?P<rest>(?:present|absent|seen|visible|evident|noted|identified|observed|visuali[sz]ed|used|given|"
    r"shown|demonstrated|administered|scattered|in (?:view|place|situ)|detected|apparent|"
    r"located (?:in|on|at) the (?:left|right|upper|lower|anterior|posterior)|zu (?:sehen|erkennen)|vor|vorhanden|"
    r"erkennbar|présente?s?|absente?s?|présents|visibles?|present[ei]|visibil[ei])\b.*)",
    re.DOTALL,
)
_CAN_BE_SEEN = regex(
    rf"\W{{0,8}}(?:{_ANSWER})[,.:;! ]{{1,6}}(?:{_THE}) [^.,;:?!]{{1,60}}? can (?:\w+ )?be (?:\w+ )?"
    r"(?:seen|visuali[sz]ed|identified|observed)\b(?! (?:if|when|by|with|using|as)\b)"
)
"""Answer that something can be seen, which means that it is seen."""
_IN_REPORTS = regex(
    rf"{_NO_PREPOSITION}(?!an? |no )(?P<subject>[a-z][\w -]{{2,40}}?) (?:is|are|appears?)(?: not)?(?: \w+ly)? "
    r"(?P<rest>\w.*)",
    re.DOTALL,
)
"""A statement without an article, as in reports: "Heart size is normal"."""
_CLAUSE_END = regex(r"[,;:(]| (?:which|but|because|although|while|whereas|as it|since|mais|ma|pero|aber)\b")

_CASE = (
    PICTURES
    | EXAMINATIONS
    | word_set(
        "patient patient's plane section view study paziente scansione paciente finding findings pathology alterazione "
        "anomalia anomalía anomalie veränderung"
    )
)
"""Words that always refer to this case."""
_PARTS = word_set(
    "hemisphere hemithorax quadrant angle angles silhouette csf macula disc fovea joint rhythm cardiothoracic os "
    "tráquea aorte"
)
_BODY = word_set(
    "lung lobe heart bone head hand finger limb knee shoulder wrist foot hip femur neck spine abdomen liver kidney "
    "spleen stomach bowel eye retina artery brain skin face chest"
)
"""Concepts that are body parts."""
_COMPOUNDS = ("herz", "lunge", "leber", "niere", "milz", "hirn", "wirbel", "knochen", "schädel", "aorten")
"""Beginnings of German words for body parts."""
_SIDES = word_set("left right upper lower anterior posterior")
_ENGLISH = word_set("the this these those both one each your his her its")
"""Articles that refer to one thing. Those of other languages are also used for a kind of thing."""
_POINTING = ("thi", "thes", "your", "ques", "est", "cet", "dies")
_NOT_SEEN = word_set(
    "answer answers diagnosis diagnoses question option options correct term following doctor radiologist name cause "
    "causes reason reasons purpose treatment management risk symptoms symptom probable prognosis definition role "
    "function history conclusion response process choice sentence person persona procedure technique method machine "
    "report lifespan quality resolution condition example presence absence clinical represents refers means "
    "possibility probability difference which presenza assenza clinico clinica sintomi opzione opzioni risposta "
    "diagnosi domanda opción respuesta diagnóstico pregunta réponse diagnostic antwort diagnose"
)
"""Subjects that no image shows, and verbs and conjunctions, which show that the subject has ended."""
_SIGNS = word_set("signs sign evidence segni segno signos evidencia signes anzeichen zeichen hinweise")
_NORMAL = word_set("normal average typical usual")
"""Words before a subject that describe it in anybody."""
_GENERAL = word_set(
    "kinds verschiedene tipi tipos typically usually generally often commonly can could may might would should will "
    "must if when whether normally sometimes depends various different types factors called known refers individuals "
    "people patients cases need during named information mentioned reference scenario diagnose consistent compatible "
    "typical suggestive indicative characteristic associated quando può possono tipicamente spesso generalmente "
    "tipico tipica tipici tipiche caratteristico caratteristica caratteristici caratteristiche suggestivo suggestiva "
    "suggestivi compatibile compatibili associata associato cuando suele puede pueden normalmente típico típica "
    "compatibles quand peut peuvent souvent typique wenn kann können meist normalerweise"
)
"""Words of general knowledge, of possibility, and of what findings mean."""
_DEFINING = word_set(
    "too troppo demasiado trop zu used responsible composed made known called defined caused important essential "
    "crucial considered divided connected designed able needed required necessary based associated due measured "
    "determined assessed evaluated diagnosed treated performed available provided difficult hard unclear unknown "
    "inconclusive impossible possible blank missing vuota vacía vide leer diagnostiquée diagnosticata diagnosticada "
    "diagnostiziert suspected diagnostic created"
)
"""First words of a predicate about a kind of thing, or about an unreadable image."""
_KINDS = word_set(
    "type kind form condition disease disorder organ organs part structure tool technique method procedure test term "
    "muscle system process concept study device representation reference modality sign symptom syndrome question "
    "result tipo forma organo parte condizione malattia órgano condición enfermedad estructura maladie organe "
    "erkrankung "
    "tecnica técnica verfahren examen esame metodo método méthode untersuchung"
)
"""Nouns by which a definition classifies a thing."""
_SOMEWHERE = word_set("located found situated present")
_ARTICLES = word_set("a an the one l un una uno une ein eine einer il lo la el los le les der die das")
_INDEFINITE = word_set("a an un una une ein eine einer einem")
_ADVERBS = word_set(
    "not no also actually indeed clearly likely slightly significantly quite very probably most approximately about "
    "now just only still mildly to be non pas molto più muy nicht"
)
_LONGEST_KIND = 7
_LONGEST_NAME = 3
"""A predicate with no more words only names something."""
_SMALL = frozenset.union(SMALL, PICTURES, *COMMON.values())
_ACCENTS = regex("[\u0300-\u036f]+")

_CHINESE = regex("[\u4e00-\u9fff]")
_CHINESE_RUN = regex("[\u4e00-\u9fff]{2,}")
_ILL_IN_CHINESE = "骨折|积液|气胸|肺炎|结节|肿|出血|病变|病灶|异常|梗死|水肿|阴影|实变|偏移"
_IN_CHINESE = regex(
    rf"\W{{0,4}}(?!(?:{_ILL_IN_CHINESE})瘤?是)(?:(?:是的?|不是?|否|没?有|对)[，,。 ]{{1,2}})?"
    r"(?:[在从根据][^，,。；]{1,20}，)?(?:"
    rf"[^，,。；]{{0,30}}(?:{_ILL_IN_CHINESE}|图|片|影像|扫描|患者|肺|心|脑|肝|肾|骨|胸|视网膜|气管)"
    r"[^，,。；]{0,24}(?:有|无|位于|是(?!一[个种])|为|呈|存在|正常|在|增大|扩大|清晰|完整|偏移)|"
    r"(?:[左右两双]侧?[^，,。；]{0,8}|这张?[^，,。；]{0,4}|该[^，,。；]{0,6})(?:有|无|没有|是(?!一[个种]))|在[左右两双上下]|"
    rf"(?:没有|无|有|存在)[^，,。；]{{0,12}}(?:{_ILL_IN_CHINESE}|迹象|征象)|心胸比)"
)
_OPEN_IN_CHINESE = regex(
    r"[吗呢？?哪若]|什么|多少|几个|如何|请|如果|通常|一般|可能|无法|不能|需要|应该|假如|一种|是指|没有提供|"
    r"是否|有没有|难以|很难|足够|不确定|空白|答案|诊断|问题|题目|选项|任何(?:发现|东西)"
)

_OPEN = regex(
    r"\b(?:what|which|where|who|how|che|quale|quali|dove|quant[aeio]|qué|cuál|dónde|cuánt[ao]s|quel(?:le)?s?|où|"
    r"combien|was (?:ist|sind|zeigt|für)|welche[rsn]?|wo|wie)\b"
)
_OFFERS = regex(r"\b(?:or|o|oppure|ou|oder)\b|[:/]")


class QuestionContent(NamedTuple):
    """Content of a question: what it names, its words, and whether it is open.

    An open question asks what, which or how many, and offers no options.
    """

    names: frozenset[str]
    words: frozenset[str]
    open: bool
    pairs: frozenset[str]
    """Pairs of neighbouring Chinese characters in the question."""


def asks(question: str) -> QuestionContent:
    """Return the content of a lower-case question."""
    words = _words(question)
    is_open = _OPEN.search(question) is not None and _OFFERS.search(question) is None
    return QuestionContent(frozenset(_names(question)), frozenset(words) - _SMALL, is_open, _pairs(question))


def states(sentence: str, asked: QuestionContent) -> bool:
    """Return whether a lower-case sentence states, without doubt, something visible or asked for.

    >>> asked = asks("is the aorta dilated?")
    >>> states("yes, the aorta is dilated.", asked), states("there is no aneurysm", asked)
    (True, True)
    >>> states("the aorta is a large artery.", asked), states("an aorta may be dilated", asked)
    (False, False)
    """
    if not sentence.isascii() and _CHINESE.search(sentence):
        return _OPEN_IN_CHINESE.search(sentence) is None and _says_in_chinese(sentence, asked)
    if " can " in sentence and _CAN_BE_SEEN.match(sentence):
        return True
    if not _says(_ASIDE.sub("", sentence, count=1) if "," in sentence else sentence, asked):
        return False
    says_nothing = asked.open and _names(sentence) <= asked.names
    return not says_nothing and bool(keep_asserted(sentence, _words(sentence)))


def _pairs(text: str) -> frozenset[str]:
    """Return the pairs of neighbouring Chinese characters in a text."""
    if text.isascii():
        return frozenset()
    return frozenset(pair for run in _CHINESE_RUN.findall(text) for pair in map("".join, pairwise(run)))


def _says_in_chinese(sentence: str, asked: QuestionContent) -> bool:
    """Return whether a Chinese sentence asserts something, or repeats the question as a statement."""
    if _IN_CHINESE.match(sentence):
        return True
    pairs = _pairs(sentence)
    return len(pairs) > 2 and 2 * len(pairs & asked.pairs) >= len(pairs) and "是" not in sentence.lstrip("是")


def _says(sentence: str, asked: QuestionContent) -> bool:
    """Return whether a sentence has the form of a statement about what images show."""
    lead = _LEAD.match(sentence)
    start = lead.end() if lead else 0
    if lead and lead.group("answer") and not asked.open and _repeats(sentence[start:], asked):
        return True
    if said := _NONE_SEEN.match(sentence):
        rest = _words(said.group("sign") or said.group("seen"))
        return (
            _plain(rest)
            and _NOT_SEEN.isdisjoint(rest)
            and PICTURES.isdisjoint(rest[:3])
            and _is_about_asked(rest, asked)
        )
    if said := _PLACED.match(sentence, start):
        place, rest = _words(said.group("place")), _clause(said)
        return (
            _plain(place + rest)
            and _INDEFINITE.isdisjoint(place)
            and _NOT_SEEN.isdisjoint(place + rest)
            and _is_about_asked(rest, asked)
        )
    if said := _THERE.match(sentence, start):
        rest = _clause(said)
        return (
            _plain(rest)
            and _NOT_SEEN.isdisjoint(rest)
            and PICTURES.isdisjoint(rest[:3])
            and _is_about_asked(rest, asked)
        )
    if said := _OF_ONE.match(sentence, start):
        return _says_of_one(said, asked, answers=lead is not None and lead.group("answer") is not None)
    if said := _PRESENT.match(sentence, start):
        subject = _words(said.group("subject"))
        return _plain(subject + _clause(said)) and _NOT_SEEN.isdisjoint(subject) and _is_about_asked(subject, asked)
    if said := _OF_THIS.match(sentence, start):
        rest = _clause(said)
        return _plain(rest) and _tells(rest) and (_is_about_asked(rest, asked) or not EXAMINATIONS.isdisjoint(rest))
    if said := _IN_REPORTS.match(sentence, start):
        subject, rest = _words(said.group("subject")), _clause(said)
        return _plain(subject + rest) and _is_part(subject) and any(name.things for name in _find_names(rest[:1]))
    return False


def _repeats(said: str, asked: QuestionContent) -> bool:
    """Return whether an answer repeats the question as a statement: "yes, the bowel perforated"."""
    words, names = _words(said), _names(said)
    return (
        len(words) > _LONGEST_NAME - any(word in _ENGLISH for word in words[:1])
        and _INDEFINITE.isdisjoint(words[:1])
        and len(names) > 1
        and names <= asked.names
        and _plain(words)
        and _NOT_SEEN.isdisjoint(words)
        and _DEFINING.isdisjoint(words)
    )


def _says_of_one(said: re.Match[str], asked: QuestionContent, *, answers: bool) -> bool:
    """Return whether a statement about a subject belongs to this case."""
    article, subject, rest = said.group("the") or "", _words(said.group("subject")), _clause(said)
    if (
        not (subject and (rest or said.group("does")) and _plain(subject + rest) and _NOT_SEEN.isdisjoint(subject))
        or subject[0] in _NORMAL
    ):
        return False
    pointing = article.startswith(_POINTING) or not _CASE.isdisjoint(subject)
    sick = any(thing in SICK for name in _find_names(subject) for thing in name.things)
    part = _is_part(subject)
    organ = part and not (pointing or sick)
    if not (pointing or sick or part or _is_asked(subject, asked)):
        return False
    if said.group("does"):
        return answers or not organ or not _SIGNS.isdisjoint(rest) or any(name.things for name in _find_names(rest))
    return _tells(rest, of_any=not answers and (organ or not (pointing or article in _ENGLISH)))


def _tells(said: Sequence[str], *, of_any: bool = False) -> bool:
    """Return whether a predicate is neither a definition nor a use. `of_any`: the subject may be a kind of thing."""
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
    """Return the words of the predicate, up to the next clause."""
    start, end = said.span("rest")
    stop = _CLAUSE_END.search(said.string, min(start + 2, end))
    return _words(said.string[start : stop.start() if stop else end])


def _words(text: str) -> list[str]:
    return [word for piece in text.replace("'", " ").split() if (word := piece.strip('.,;:()"“”!?*¿¡'))]


def _plain(words: Sequence[str]) -> bool:
    return _GENERAL.isdisjoint(words)


def _find_names(words: Sequence[str]) -> list[NamedAnatomy]:
    """Return the anatomy and findings that words name, as in a radiology report."""
    return [name for word in words if (name := _name(word))]


@lru_cache(maxsize=32768)
def _name(word: str) -> NamedAnatomy | None:
    """Return the anatomy and findings that a word names, with or without accents."""
    return find_anatomy(word if word.isascii() else _ACCENTS.sub("", unicodedata.normalize("NFKD", word)))


def _names(text: str) -> set[str]:
    """Return everything that a text names, including kinds of image and qualities."""
    return content(text).union(*(name.things for name in _find_names(_words(text))))


def _is_part(words: Sequence[str]) -> bool:
    """Return whether the words name a body part."""
    return (
        not _PARTS.isdisjoint(words)
        or any(word.startswith(_COMPOUNDS) for word in words)
        or any(name.parts for name in _find_names(words))
        or not _BODY.isdisjoint(concepts(words))
    )


def _is_asked(words: Sequence[str], asked: QuestionContent) -> bool:
    """Return whether the question has one of these words, in any form or language."""
    return not (asked.words.isdisjoint(words) and asked.names.isdisjoint(concepts(words)))


def _is_about_asked(words: Sequence[str], asked: QuestionContent) -> bool:
    """Return whether words name something asked for, a finding or a body part."""
    return (
        _is_asked(words, asked)
        or _is_part(words)
        or not _SIDES.isdisjoint(words)
        or bool(_find_names(words))
        or not CONCEPTS.keys().isdisjoint(concepts(words))
    )
