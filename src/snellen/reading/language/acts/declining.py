"""Reasons for no answer: poor or missing image, refusal, or doubt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from snellen.reading.language.acts.missing import may_say_missing, says_missing
from snellen.reading.language.acts.quality import CANNOT, QUALITY
from snellen.reading.language.detection_roles import pattern
from snellen.reading.language.patterns import word_set
from snellen.reading.outcomes import Outcome, Reading
from snellen.runtime import regex

_TELL = (
    r"(?:determin\w+|tell|know|say|conclude|identify|interpret|analy[sz]e|assess|evaluate|answer|ascertain|decide|"
    r"confirm|"
    r"make (?:a|an)|process|read|discern|choose|select|reliably)"
)
_SETTLE = r"(?:determin\w+|tell|know|say|conclude|identify|ascertain|decide|confirm|answer)"

# Words for being unable to do something, by language. A verb may end in a pronoun ("stabilirlo", "determinarlo").
_IT_CANNOT = (
    r"(?:non (?:posso|potrei|riesco(?: proprio)? a|sono (?:attualmente |purtroppo )?in grado di|sono capace di|"
    r"(?:mi )?è (?:stato )?possibile|si può|si riesce a|"
    r"mi è consentito|ho (?:la possibilità|modo|la capacità) di)|(?:è )?impossibile) (?:\w+ ){0,2}?"
)
_IT_TELL = (
    r"(?:determinar|stabilir|dir|risponder|identificar|valutar|interpretar|analizzar|legger|indicar|decider|sceglier|"
    r"rilevar|capir|saper|conferm)\w{0,5}\b"
)
_ES_CANNOT = (
    r"(?:(?:no (?:puedo|podría|me es posible|es posible|se puede|soy capaz de|logro|estoy en condiciones de)|"
    r"(?:es |me resulta )?imposible) (?:\w+ ){0,2}?)"
)
_ES_TELL = (
    r"(?:determinar|decir|responder|identificar|evaluar|interpretar|analizar|saber|establecer|indicar|concluir)"
    r"(?:l[oae]s?)?\b"
)
_FR_CANNOT = (
    r"(?:(?:ne (?:peux|puis|suis)|n'(?:arrive|est|ai))(?: \S+){0,3}? (?:pas|impossible)(?: \S+){0,4}? |"
    r"impossible (?:de |d')(?:\S+ ){0,2}?)"
)
_FR_TELL = (
    r"(?:le |l'|y |de |d')*(?:déterminer|dire|répondre|identifier|évaluer|interpréter|analyser|savoir|conclure)\b"
)
_DE_TELL = (
    r"(?:beurteil\w+|bestimm\w+|beantwort\w+|sagen|feststell\w+|festgestellt|analysieren|interpretieren|entscheiden)"
)
_ZH_CANNOT = r"(?:无法|不能|没法|難以|难以|无从)"

LANGUAGES = {
    "it": (
        "non ", "imposs", "qualità", "risoluzion", "nitidezza", "sfocat", "scur", "sgranat", "illeggib", "poco ",
        "nessuna ", "alcuna ", "immagin", "radiografia", "tracciato", "foto", "figura", "manca", "potrebbe", "può",
        "puoi", "potresti", "prego", "favore", "informazioni", "elementi", "dati ", "senza ", "consult",
        "rivolg", "contatt", "rifiut", "difficil", "buia",
    ),
    "es": (
        "puedo", "podría", "posible", "puede", "capaz", "logro", "veo ", "hay ", "se ha", "proporcion", "tengo",
        "imagen", "información", "no lo", "sé", "sabría", "sin ", "falta", "não", "consult", "siento", "médic",
        "entiendo", "calidad", "resolución", "borros", "ilegible", "desculpe", "condiciones", "difícil", "claro",
    ),
    "fr": (
        "peux", "puis", "suis", "arrive", "n'est", "n'ai", "n'y", "impossible", "vois", "aucun", "manquante", "absente",
        "noire", "blanche", "insuffisante", "sais pas", "sait pas", "sans ", "qualité", "résolution", "trop ",
        "illisible", "déform", "distord", "médecin", "consult", "désolé", "excuse", "ne peut", "comprends", "difficile",
        "permet",
    ),
    "de": (
        "kann", "kein", "bild", "ohne ", "nicht", "weiß", "informationen", "qualität", "auflösung", "verschwommen",
        "unscharf", "unleserlich", "arzt", "ärzt", "fachperson", "leid", "konsult", "darf", "wende", "schw", "unklar",
        "aufnahme",
    ),
    "zh": (),
}  # fmt: skip
"""Parts of words by language. Each phrase of a language contains at least one, so other responses are skipped fast.

Chinese and Japanese have none: any character beyond ASCII is enough.
"""


LACKING: Sequence[str] = (
    r"(?:please|could you|can you|if you) (?:\w+ ){0,3}?(?:provide|upload|share|attach|describe|"
    r"send) (?:\w+ ){0,5}?(?:details|information|context)",
    r"(?:n't|not) (?:\w+ ){0,4}?enough (?:\w+ )?(?:information|data|details?|context)",
    r"\b(?:(?:not enough|insufficient|inadequate) (?:\w+ ){0,2}?(?:information|data|details?|context|evidence)|"
    r"(?:lack(?:s|ing)?(?: of)?|no) (?:\w+ ){0,2}?(?:information|data|context)\b)",
    r"(?:can(?:no|')t|can not|could not|couldn't) be (?:\w+ )?(?:determined|answered|assessed|ascertained|"
    r"established|identified|evaluated|told)",
    r"\bi(?: (?:do not|don't|really don't) know\b|(?:'m| am) (?:not (?:sure|certain)|unsure|uncertain)\b(?! that\b)|"
    r" have no idea\b)|hard to (?:say|tell)\b",
    r"(?:need|require)s? (?:more|additional|further) (?:information|details|images?|context|data)|"
    r"\b(?:more|additional|further) (?:information|details|images?|context|data) (?:\w+ ){1,2}(?:needed|required)\b|"
    r"in(?:determinate|conclusive)\b|undetermined\b",
    r"\b(?:not (?:be )?possible|impossible) to (?:\w+ly )?(?:make|reach|draw|give|provide) (?:\w+ ){1,3}?"
    r"(?:diagnos[ie]s|conclusions?|assessment|determination|judge?ment)\b",
    r"^\W{0,9}(?:unknown|unclear|not sure|unsure|uncertain|cannot tell|not visible|n/?a|undecidable|idk)\W{0,9}$",
    # Italian
    r"non determinabil\w|(?:informazioni|elementi|dati) (?:\w+ )?(?:insufficienti|non sufficienti)|"
    r"non (?:ci sono|ho|vi sono|dispongo di) (?:(?:abbastanza|sufficienti) (?:informazioni|elementi|dati)|"
    r"(?:informazioni|elementi|dati) (?:\w+ )?(?:sufficient\w|per (?:rispond|determin|stabil|dir|valut)))|"
    r"non (?:lo so|saprei|so\b)",
    # Spanish and Portuguese
    r"información (?:\w+ ){0,2}?insuficiente|no (?:lo sé|sé\b|sabría)|no hay suficiente|falta (?:de )?información|"
    r"não (?:posso|consigo|é possível) (?:\w+ ){0,2}?(?:determinar|responder|identificar)|não sei",
    # French
    r"informations? (?:\w+ )?insuffisantes?|(?:n'ai|n'y a)(?: \S+){0,3}? (?:pas|aucune?)(?: \S+){0,4}? informations?|"
    r"je ne sais pas",
    # German
    r"(?:nicht genug|nicht genügend|unzureichende|zu wenig\w*|fehlende) (?:\w+ )?informationen|"
    r"ich weiß (?:es )?nicht|nicht möglich",
    # Chinese, Japanese
    r"信息不足|资料不足|不知道|不清楚|看不懂|不明白|不确定|不能确定|わかりません|判断できません",
)

_STUDIED = r"(?:contents?|images?|pictures?|photos?|photographs?|scans?|x-?rays?|radiographs?|films?)\b"
_NAMES_PEOPLE = r"identify (?:\w+ ){0,3}?(?:person|people|individuals?|faces?)\b"
_OPENING = r"(?:^|[.!?] )\W{0,4}"
_THE_END = r"\s?(?:[.!]|$)"
DECLINES: Sequence[str] = (
    rf"{CANNOT} (?:\w+ ){{0,3}}?(?:assist|help|comply|fulfil\w*|engage|participate|support|diagnos(?:e|ing)|"
    rf"(?:provide|give|offer|make) (?:\w+ ){{0,4}}?"
    r"(?:advice|diagnos[ie]s|opinion|recommendations?|interpretations?|assessment|assistance|judge?ments?|"
    r"medical information)|express (?:\w+ ){0,5}?(?:opinions?|views?|viewpoints?|stance)|(?:interpret|"
    rf"analy[sz]e|read) (?:\w+ ){{0,2}}?medical|"
    rf"(?:analy[sz]e|interpret|process|review|comment on) (?:\w+ ){{0,2}}?{_STUDIED}|{_NAMES_PEOPLE})",
    r"\bi(?<!so i)(?<!so, i)(?<!fore i)(?<!fore, i)(?<!thus i)(?<!hence i)(?<!and i) (?:can't|can ?not|won't|will not|"
    rf"am (?:unable|not able) to) answer(?: (?:that|this|it|(?:this|that|the|your|such) questions?))?{_THE_END}|"
    r"i'm (?:unable|not able) to answer(?: (?:that|this))?\.|not something (?:that )?i(?: can|(?: a|')m able to) do\b",
    r"(?:choose|prefer|rather) not (?:to )?(?:answer|respond|say)|(?:won't|will not) (?:speculate|guess|comment)\b|"
    r"\binappropriate for me\b|\bnot (?:\w+ )?to diagnose\b|not (?:appropriate for me|qualified|licensed|"
    r"permitted|allowed|comfortable|(?:equipped|trained|intended|designed) to|"
    r"authori[sz]ed|a (?:doctor|physician|radiologist|medical professional|substitute|licensed))\b",
    r"\bi (?:(?:must|have to|need to|will have to) )?(?:decline|refuse)\b|against (?:my|the|our|"
    r"openai\S*) (?:\w+ )?(?:polic|guidelin|rules|"
    r"programming)|medical advice\b",
    r"(?:consult|contact|speak (?:to|with)|seek)\w* (?:\w+ ){0,4}?(?:doctor|physician|radiologist|professional|"
    r"healthcare|specialist|provider)",
    rf"as an ai\b[^.\n]{{0,60}}?(?:cannot|can't|not|unable)|(?:sorry|apologi[sz]e)\b[^.\n]{{0,40}}?\b(?:can't|cannot|"
    rf"unable(?: to)?)\b(?! (?:\w+ )?(?:{_SETTLE}|see|view)\b)",
    # Italian
    rf"{_IT_CANNOT}(?:aiutar|assister|fornir|formular|dare|dar|effettuar|esprimer|far|offrir|interpretar|analizzar|"
    rf"refertar)\w{{0,5}} (?:\S+ ){{0,3}}?(?:diagnos\w+|medic\w+|medich\w|parer\w|consulenz\w|assistenza|"
    rf"interpretazion\w|referti?|cliniche|sanitari\w)|{_IT_CANNOT}(?:aiutar|assister)\w*|"
    r"non sono un medico|(?:consult|rivolg|contatt)\w+ (?:\w+ ){0,2}?(?:medic\w|radiolog\w|specialist\w|"
    r"professionist\w|dermatolog\w|cardiolog\w)|"
    r"rivolg\w+ a un|mi dispiace[^.\n]{0,30}?non (?:posso|sono)(?! (?:\w+ ){0,3}?(?:determinar|stabilir|veder))|"
    rf"{_IT_CANNOT}(?:(?:analizzar|interpretar|elaborar)\w{{0,5}} (?:\S+ ){{0,3}}?\S{{0,5}}(?:contenut|immagin|foto))|"
    rf"{_OPENING}(?:mi dispiace,? (?:ma )?)?non posso risponder\w{{0,3}}(?: (?:a )?(?:quest[oa]|tale)(?: domanda)?)?"
    rf"{_THE_END}|"
    r"mi rifiuto|preferisco non (?:rispondere|esprimer\w+)|non mi è (?:consentito|permesso)",
    # Spanish and Portuguese
    rf"{_ES_CANNOT}(?:ayudar\w*|asistir\w*|proporcionar|ofrecer|dar|hacer (?:un )?diagnóstico|diagnosticar|"
    r"(?:interpretar|analizar|leer) (?:\w+ ){0,2}?médic\w+)|no soy (?:un )?médico|"
    r"consult\w+ (?:a|con) (?:un|su)|lo siento[^.\n]{0,30}?no puedo(?! (?:ver|determinar))|"
    rf"{_ES_CANNOT}(?:(?:analizar|interpretar|procesar) (?:\S+ ){{0,3}}?(?:contenido|im[aá]gen|foto))|"
    rf"{_OPENING}(?:lo siento,? (?:pero )?)?no puedo responder(?: (?:a )?(?:eso|esa|est[ao])(?: pregunta)?)?{_THE_END}|"
    r"não posso (?:\w+ ){0,2}?(?:ajudar|fornecer)|"
    r"desculpe[^.\n]{0,30}?não",
    # French
    rf"{_FR_CANNOT}(?:aider|assister|fournir|donner|poser (?:de|un) diagnostic|diagnostiquer|établir|"
    r"(?:interpréter|analyser|lire) (?:\S+ ){0,2}?médica\w+|"
    r"(?:interpréter|analyser|traiter) (?:\S+ ){0,3}?\S{0,2}(?:contenu|image|photo))|"
    rf"{_OPENING}(?:désolée?,? (?:mais )?)?je ne (?:peux|puis) pas répondre(?: à (?:cela|cette question))?{_THE_END}|"
    r"ne suis pas médecin|"
    r"consult\w+ un (?:médecin|professionnel)|(?:désolée?|excuse)[^.\n]{0,40}?(?:ne (?:peux|puis)|pas en mesure)"
    r"(?! pas (?:voir|déterminer))",
    # German
    r"kann (?:\S+ ){0,2}?(?:inhalte?s?|bilde?r?s?|frage) (?:\S+ ){0,2}?nicht (?:analysieren|auswerten|beantworten)|"
    r"kann (?:\S+ ){0,4}?nicht (?:helfen|weiterhelfen|unterstützen)|"
    r"(?:kann|darf) (?:\S+ ){0,3}?keine?n? (?:\S+ ){0,2}?(?:diagnose|medizinisch|beratung|auskunft|befund)\w*|"
    r"bin kein arzt|(?:arzt|ärztin|fachperson) (?:auf|konsult)|tut mir leid[^.\n]{0,40}?(?:nicht|kein)|"
    r"konsultieren sie|(?:wenden|wende) (?:\S+ ){0,3}?an (?:\S+ ){0,2}?(?:arzt|ärzt\w+|radiolog\w+)",
    # Chinese, Japanese
    r"(?:无法|不能)(?:分析|解读|处理)[^\s,.]{0,6}?(?:图|影像|照片|内容)|"
    r"(?:无法|不能)回答(?:这个|该|此|您的|你的)?(?:问题)?\s?(?:[.。!]|$)|"
    r"(?:无法|不能|不可以|不便|没有资格|不得|不会)[^\s,.]{0,6}?(?:提供|协助|帮助|给出|作出|做出|进行|解读|判读|回答|"
    r"替代)[^\s,.]{0,6}?(?:医疗|医学|诊断|建议|帮助|意见|医生)|(?:无法|不能)[^\s,.]{0,4}?(?:协助|帮助|提供)|"
    r"没有资格|我不是(?:执业|专业)?医[生师]|请咨询|请(?:及时)?就医|"
    r"咨询[^\s,.]{0,10}?医[生师]|抱歉[^\s.]{0,6}?(?:无法|不能)(?![^\s,.]{0,3}?(?:确定|判断|看))|お手伝いできません",
)

UNTOLD: Sequence[str] = (
    rf"{CANNOT} (?:\w+ ){{0,4}}?{_TELL}\b",
    r"(?:^|\. )\W{0,9}unknown\b|\bi (?:do not|don't) understand\b",
    rf"{CANNOT} (?:\w+ ){{0,2}}?(?:display|open|load|render|handle|show) (?:\w+ ){{0,3}}?{_STUDIED}",
    r"non (?:può|possono) essere (?:\w+ )?(?:determinat|risolt|stabilit|valutat|data\b|fornit|interpretat|identificat)|"
    rf"{_IT_CANNOT}{_IT_TELL}|non (?:lo |la )?capisco|"
    rf"difficile (?:\w+ )?(?:(?:fare|formulare|porre) (?:una )?diagnosi|{_IT_TELL})|non è chiaro (?:se|quale|cosa)\b",
    rf"{_ES_CANNOT}{_ES_TELL}|no puede (?:ser )?determinar|no (?:lo |la )?entiendo|"
    rf"difícil (?:\w+ )?(?:(?:hacer|establecer) (?:un )?diagnóstico|{_ES_TELL})|"
    r"no (?:está|es|queda) claro (?:si|qué|cuál)\b",
    rf"{_FR_CANNOT}{_FR_TELL}|ne peut (?:pas )?être déterminée?|ne comprends pas|"
    rf"difficile (?:de |d')(?:poser (?:un )?diagnostic|{_FR_TELL})|(?:n'est|ne sait) pas (?:\w+ )?(?:clair )?si\b",
    rf"kann (?:\S+ ){{0,8}}?nicht (?:\S+ ){{0,3}}?{_DE_TELL}|"
    rf"lässt sich (?:\S+ ){{0,6}}?nicht (?:\S+ ){{0,2}}?{_DE_TELL}|"
    r"verstehe (?:\S+ ){0,3}?nicht|"
    rf"(?:schwer|schwierig)(?:,)? (?:\S+ ){{0,4}}?(?:zu )?{_DE_TELL}|unklar, (?:ob|was|welch)",
    rf"{_ZH_CANNOT}[^\s,.]{{0,6}}?(?:确定|判断|回答|作答|识别|得出|得知|分析|解读|辨认|知道|下结论)|不好说|很难说|很难(?:确定|判断|诊断)",
)


REFUSES = pattern(
    "sorry ..8 cannot ..4 help|diagnosis|medical",
    "sorry ..12 cannot|not|decline",
    "sorry ..4 cannot ..2 concluding|so this",
    "not ..6 i ..3 diagnosis",
    "sorry ..6 cannot ..1 provide",
    "i ..4 <cannot> ..3 help",
    "i ..4 <cannot> ..3 provide ..6 diagnosis|medical",
    "i ..4 <cannot> ..4 diagnosis|medical",
    "i ..4 <cannot> ..2 tell ..4 medical|picture",
    "i ..3 not ..2 tell ..4 medical|picture",
    "i ..3 not ..3 provide ..4 diagnosis|medical",
    "i ..4 not ..2 decline",
    "i ..3 decline",
    "i ..4 not ..3 doctor",
    "ai ..8 <cannot>|not ..4 tell|diagnosis|medical|provide",
    "ai ..4 not ..2 decline|let",
    "i ..3 not let",
    "^ <cannot> ..3 provide ..4 diagnosis|medical",
    "i ..4 <cannot> ..3 choose ..4 medical|picture|this",
    "not ..2 decline ..4 tell|diagnosis",
    "<cannot> ..2 tell ..2 medical",
    "can ..2 no ..2 diagnosis",
    "decline with ..2 tell|provide",
    "be decline",
)
"""A sentence in which the response declines the task."""
DEFERS = pattern(
    "consult ..8 doctor",
    "doctor ..4 would|need ..6 tell|consult|see|provide",
    "doctor ..3 would",
    "see ..2 doctor",
    "doctor be the",
    "with ..2 doctor with ..1 tell",
    "tell|consult|see ..4 by ..4 doctor",
    "doctor ..4 need",
    "need ..6 doctor",
    "only ..2 doctor",
    "by ..3 doctor",
)
"""A sentence that leaves the answer to a specialist."""


class _PhraseKind(NamedTuple):
    """A kind of phrases: its outcome and rule, and its patterns by language."""

    outcome: Outcome
    rule: str
    english: tuple[tuple[Sequence[str], re.Pattern[str]], ...]
    abroad: tuple[re.Pattern[str], ...]


def _kind(outcome: Outcome, rule: str, phrases: Sequence[str], parts: Sequence[Sequence[str]]) -> _PhraseKind:
    compiled = [regex(phrase, re.MULTILINE) for phrase in phrases]
    english, abroad = compiled[: -len(LANGUAGES)], compiled[-len(LANGUAGES) :]
    return _PhraseKind(outcome, rule, tuple(zip(parts, english, strict=True)), tuple(abroad))


_UNABLE = ("annot", "n't", "an not", "could not", "not able", "unable", "not have", "possible", "no way")
_UNWILLING = (
    "oose not", "er not", "speculate", "guess", "comment", "appropriate for me", "to diagnose", "qualified", "licensed",
    "permitted", "allowed", "comfortable", "equipped", "trained", "intended", "designed", "authori", "not a ",
)  # fmt: skip
_POOR = (
    "distort", "blurr", "pixel", "grain", "readable", "legib", "corrupt", "degrad", "grad", "interpretable",
    "diagnostic", "too ", "quality", "resolution", "poor", "clear", "sharp", "sufficient", "adequate", " well",
    "enough", "allow", "permit", "suitable",
)  # fmt: skip
_QUALITY = _kind(Outcome.FLAGGED_QUALITY, "quality-phrase", QUALITY, [_POOR] * (len(QUALITY) - len(LANGUAGES)))
_OTHERS = (
    _kind(
        Outcome.ABSTAINED,
        "abstention-phrase",
        LACKING,
        (
            ("details", "information", "context"),
            ("enough",),
            ("information", "data", "detail", "context", "evidence"),
            ("not be ", "n't be "),
            ("know", "not sure", "not certain", "unsure", "uncertain", "no idea", "hard to"),
            ("information", "details", " image", "context", "data", "determin", "conclusive"),
            ("possible",),
            ("unknown", "unclear", "sure", "uncertain", "cannot tell", "not visible", "n/a", "na", "undecid", "idk"),
        ),
    ),
    _kind(
        Outcome.REFUSED,
        "refusal-phrase",
        DECLINES,
        (
            _UNABLE,
            ("answer", "not something"),
            _UNWILLING,
            ("decline", "refuse", "against", "medical advice"),
            ("consult", "contact", "speak", "seek"),
            ("as an ai", "sorry", "apologi"),
        ),
    ),
    _kind(Outcome.ABSTAINED, "abstention-phrase", UNTOLD, (_UNABLE, ("unknown", "understand"), _UNABLE)),
)
_PARTS = tuple(LANGUAGES.values())
_COMMON = (
    word_set("il lo la le gli i un una di del della dell' e è che non per con nel nella si sono da in questa questo"),
    word_set("el la los las un una de del y es que no en se lo por para con esta este su o os um uma não da do"),
    word_set("le la les un une de des du et est que ne pas je il en pour dans cette ce sur il n'est n'y l'image"),
    word_set("der die das ein eine einen ist und nicht ich kann zu es auf im mit von sie keine dem den ob"),
    frozenset[str](),
)
"""The most common words of these languages; Chinese has none, because it has no spaces between words."""
_FEW_WORDS = 100
"""A shorter text may contain none of these words."""
_LONG = 700
_HEAD, _TAIL = 300, 400
_EVIDENCE = 120


def read_silence(low: str, question: str = "") -> tuple[Reading, int] | None:
    """Return why a lower-case response has no answer, and where it says so. None if it gives no reason.

    The first reason that fits counts: poor image, missing image, other missing information, refusal, "I cannot tell".
    Only the ends of a long response are searched: in the middle, "cannot determine" is part of an argument. The search
    for a missing image covers the whole response.
    """
    ends = _ends(low)
    abroad = _languages(ends)
    return _search_kinds(ends, abroad, _QUALITY) or _missing(low, question) or _search_kinds(ends, abroad, *_OTHERS)


def _ends(low: str) -> str:
    return low if len(low) <= _LONG else f"{low[:_HEAD]}\n{low[-_TAIL:]}"


_DOUBTED = regex(
    r"\b(?:unclear|uncertain|not (?:clear|certain|known)) (?:if|whether|what|which|where)\b|"
    r"\b(?:is|are|remains?|appears?) (?:\w+ )?(?:unclear|uncertain|inconclusive)\b|"
    r"\b(?:difficult|hard|challenging|impossible|not (?:be )?possible) (?:for me )?to (?:\w+ly )?(?:determine|say|tell|"
    r"assess|know|confirm|identify|answer|diagnose|evaluate|interpret|detect|discern|see|conclude|"
    r"(?:make|reach|provide|give|offer|draw) (?:\w+ ){1,3}?(?:diagnos[ie]s|conclusions?|answer|assessment|"
    r"determination|judge?ment))\b|\bcan(?:not|'t| not) be (?:\w+ )?(?:confirmed|excluded|ruled out|certain|sure)\b|"
    r"\b(?:would|will) (?:be needed|need|require)\b[^.\n]{0,80}\b(?:if|whether|tell|determine|confirm|answer)\b|"
    r"\bbe (?:needed|required|necessary) to (?:tell|determine|confirm|answer|say|know)\b"
)


def read_doubt(low: str) -> Reading | None:
    """Read doubt in a lower-case response that only calls something uncertain. A long one is read at both ends."""
    found = _DOUBTED.search(_ends(low))
    if found is None:
        return None
    return Reading("abstention-phrase", silence=Outcome.ABSTAINED, evidence=found.group()[:_EVIDENCE])


_UNABLE_WORDS = regex(
    r"can(?:no|')t|can not|could(?:n't| not)|unable|able to|possible|impossible|sorry|too |enough|sufficient|adequate|"
    r"suitable|need|(?:not|n't) (?:\w+ )?(?:allow|permit|have|know|sure|certain)|difficult|hard to|unclear|uncertain|"
    r"please|no (?:image|picture|way|information)|non |qualità|difficile|no (?:puedo|se|es|tengo|permite|hay)|difícil|"
    r"imposible|pas |kann|nicht|kein|schw|unklar|无法|不能|没法|难|不足|没有|不清|不知道|不确定"
)
"""Words of every sentence that takes a yes or no back; other sentences are skipped."""
_TO_TELL = regex(
    rf"\b(?:to|for) (?:\w+ ){{0,2}}?{_TELL}|allow|permit|sufficient|adequate|enough|suitable|per |consent|permett|"
    r"para |permite|pour |permet|um |reicht|erlaubt|无法|不能|难|不足"
)
_UNABLE_TO = regex(
    rf"{CANNOT}|not (?:qualified|licensed|permitted|allowed)|{_IT_CANNOT}|{_ES_CANNOT}|{_FR_CANNOT}|kann |darf |"
    rf"{_ZH_CANNOT}"
)


def speaks_of_telling(low: str) -> bool:
    """Return whether a lower-case text says what the quality does not allow: "to tell"."""
    return _TO_TELL.search(low) is not None


@lru_cache(maxsize=4096)
def silences_offered(options: tuple[str, ...]) -> list[Outcome | None]:
    """Return the outcome that each option states, such as a refusal; None for an answer."""
    read = [read_silence(option.lower()) for option in options]
    return [found[0].silence if found else None for found in read]


_FINDS_NONE = regex(r"evidence|(?:identif|discern|detect)\w*$")
"""Ending of a phrase that may report an absent finding: "no, I cannot identify a mass"."""


def may_withhold(sentence: str) -> bool:
    """Return whether a lower-case sentence has a word that `withholds` needs; a quick check."""
    return _UNABLE_WORDS.search(sentence) is not None


def withholds(sentence: str, question: str) -> Reading | None:
    """Return why a sentence takes back the yes or no before it, or None.

    A remark that the image is poor, or advice to see a doctor, is not enough.

    >>> withholds("the quality is too poor to tell if there is a mass", "Is there a mass?").rule
    'quality-phrase'
    >>> withholds("the quality is poor", "Is there a mass?") is None
    True
    """
    silent = read_silence(sentence, question)
    read = silent[0] if silent else read_doubt(sentence)
    if read is None or (read.rule == "quality-phrase" and _TO_TELL.search(sentence) is None):
        return None
    if read.rule == "refusal-phrase" and _UNABLE_TO.search(sentence) is None:
        return None
    return None if _FINDS_NONE.search(read.evidence) else read


def read_unanswered(low: str) -> Reading | None:
    """Return the reason why a short text has no answer: a refusal, or "I cannot tell". None if there is none."""
    found = _search_kinds(low, _languages(low), *_OTHERS)
    return found[0] if found else None


def _languages(text: str) -> list[int]:
    """Return the languages whose phrases a text may contain. A longer text must have common words of the language."""
    words = set(text.split()) if len(text) > _FEW_WORDS else frozenset()
    return [
        place
        for place, (parts, common) in enumerate(zip(_PARTS, _COMMON, strict=True))
        if not (words and common and common.isdisjoint(words)) and _contains_any(text, parts)
    ]


_TASK_DECLINED = regex(
    rf"{CANNOT} (?:\w+ ){{0,4}}?(?:(?:interpret|analy[sz]e|assess|evaluate|read)\w{{0,3}} (?:\w+ ){{0,2}}?medical|"
    rf"{_NAMES_PEOPLE})|"
    r"\b(?:interpret|analy[sz]|read)ing\b[^.\n]{0,40} not something (?:that )?i(?: can|(?: a|')m able to) do\b|"
    r"kann (?:\S+ ){0,2}?inhalte? (?:\S+ ){0,2}?nicht (?:analysieren|auswerten|interpretieren)"
)


def declines_outright(sentence: str) -> bool:
    """Return whether a lower-case sentence declines to read medical images or to name people.

    Inability to see a single image is not enough.

    >>> declines_outright("i am unable to view or interpret medical images.")
    True
    >>> declines_outright("i cannot view the medical image.")
    False
    """
    return _TASK_DECLINED.search(sentence) is not None


_WORD = regex(r"[^\W_]+")
_REQUESTS = word_set(
    "please upload resend reattach again which white black grey gray dark bianca nera blanca negra blanche noire weiß "
    "schwarz favore favor prego bitte veuillez"
)
"""Words of requests for the image, and of calling it empty, without a word of denial."""


def may_miss(low: str) -> bool:
    """Return whether a lower-case text has words to call an image missing. A quick check before `says_missing`."""
    words = _WORD.findall(low)
    return may_say_missing(words) or not _REQUESTS.isdisjoint(words)


def _missing(low: str, question: str) -> tuple[Reading, int] | None:
    found = says_missing(low, question) if may_miss(low) else None
    if found is None or declines_outright(found.sentence):
        return None
    evidence = low[found.start : found.end].strip()[:_EVIDENCE]
    return Reading("no-image", silence=Outcome.ABSTAINED, evidence=evidence), found.start


def _search_kinds(ends: str, abroad: Sequence[int], *kinds: _PhraseKind) -> tuple[Reading, int] | None:
    for kind in kinds:
        for parts, phrase in kind.english if kind is not _QUALITY or _contains_any(ends, _POOR) else ():
            if (parts is _POOR or _contains_any(ends, parts)) and (found := phrase.search(ends)):
                return _make_reading(kind, found)
        for place in abroad:
            if found := kind.abroad[place].search(ends):
                return _make_reading(kind, found)
    return None


def _make_reading(kind: _PhraseKind, found: re.Match[str]) -> tuple[Reading, int]:
    return Reading(kind.rule, silence=kind.outcome, evidence=found.group().strip()[:_EVIDENCE]), found.start()


def list_guarded_phrases() -> list[tuple[re.Pattern[str], Sequence[str]]]:
    """Return every phrase with its required parts of words, one of which must occur. Chinese phrases have none."""
    english = [(phrase, parts) for kind in (_QUALITY, *_OTHERS) for parts, phrase in kind.english]
    return english + [guard for kind in (_QUALITY, *_OTHERS) for guard in zip(kind.abroad, _PARTS, strict=True)]


def _contains_any(low: str, parts: Sequence[str]) -> bool:
    """Return whether a text contains one of these parts of words. Without parts, characters beyond ASCII count."""
    for part in parts:
        if part in low:
            return True
    return not parts and not low.isascii()


_LABEL = regex(
    r"[\W_]{0,20}(?:(?:the|my|final|primary|main|most|likely|probable|working|clinical) ){0,3}"
    r"(?:diagnos[ie]s|diagnosi|diagn[oó]stico|diagnostic|diagnose|impression|conclusion|answer|诊断)"
    r"\s{0,2}(?::|is\b|è|es\b)"
)
_CLAUSE_END = regex(r"[,;:(\n]|\.\s|\s-{1,3}\s")
_NOTHING = regex(
    r"\W*(?:none|nil|null|n/? ?a|tbd|no|yes|unknown|undetermined|indeterminate|inconclusive|uncertain|unclear|"
    r"unspecified|undefined|pending|deferred|withheld|unavailable|non-?diagnostic|undiagnosed|error|"
    r"not (?:yet )?(?:available|applicable|determined|determinable|specified|possible|provided|established|given|"
    r"sure|known|diagnosed|diagnosable|assessed|evaluable|visible|certain|found)|"
    r"no (?:data|answer|response|result|input|content)|"
    r"nessun[ao]?|sconosciut[ao]|indeterminat[ao]|"
    r"non (?:disponibile|determinabile|determinat[ao]|applicabile|nota|specificata)|"
    r"ningun[ao]|desconocid[ao]|indeterminad[ao]|no (?:disponible|determinad[ao]|especificad[ao]|aplica)|"
    r"aucune?|inconnue?|indéterminée?|non (?:déterminée?|spécifiée?|précisée?|applicable)|"
    r"keine?|unbekannt|unklar|keine angabe|"
    r"nicht (?:verfügbar|bestimmbar|möglich|feststellbar|beurteilbar|diagnostizierbar)|"
    r"无|未知|不详|不明|暂无|待定|不确定|不适用|未确定|未诊断|无诊断|无结果)\W*"
)
_DATA = r"(?:data|information)"
_WHO = (
    r"(?:doctor|physician|\w{0,20}ologist|clinician|professional|specialist|provider|healthcare|expert|"
    r"medic[oi]|médic[oa]s?|médecin|\w{0,20}ologue|\w{0,20}olog[oa]|specialista|especialista|spécialiste|"
    r"arzt|ärztin|\w{0,20}ologen)"
)
_TEST = r"(?:evaluation|assessment|examination|review|consultation|interpretation|correlation|biopsy|testing|work-?up)"
_DECLINED = regex(
    r"\bnothing (?:\w+ ){0,2}?(?:diagnose|interpret|see|assess|analy[sz]e)|\bnon-?diagnostic\b|"
    r"\bno (?:\w+ ){0,3}?(?:diagnos[ie]s|impression|conclusion|interpretation)\b|"
    r"\bdiagnos[ie]s (?:\w+ ){0,3}?(?:not|cannot|can't|impossible|pending|deferred|withheld|unavailable|"
    r"inconclusive|undetermined|indeterminate|unknown|unclear|uncertain)\b|"
    r"\b(?:unable|not able|inability|impossible|not possible|cannot|can't|could not|insufficient) "
    r"(?:\w+ ){0,4}?(?:diagnos\w+|determin\w+|provide|interpret|assess|evaluate|conclude|identify|establish|"
    r"analy[sz]e|view|see|offer|give|make|render)|"
    rf"\b(?:no (?:\w+ ){{0,2}}?|(?:missing|absent|unavailable|insufficient|inadequate) (?:\w+ )?|"
    rf"without (?:\w+ ){{0,3}}?){_DATA}\b|"
    rf"\b{_DATA} (?:\w+ ){{0,2}}?(?:not|missing|absent|unavailable|required|needed|unreadable)\b|"
    rf"\b(?:consult|see|visit|seek|contact|ask|speak|refer|referral|defer)\w{{0,4}} (?:[\w-]+ ){{0,5}}?{_WHO}\b|"
    r"\b(?:seek|get) (?:\w+ ){0,3}?(?:attention|care|help|advice)\b|"
    r"\b(?:schedule|book|make) (?:\w+ ){0,2}?(?:appointment|visit)\b|"
    rf"\b(?:upload|attach|send|share|submit|resend|reupload)\b (?:\w+ ){{0,4}}?{_DATA}\b|"
    rf"\b{_TEST} (?:\w+ ){{0,5}}?(?:needed|required|recommended|necessary|advised|warranted|pending)\b|"
    r"\b(?:requires?|needs?|awaiting|pending|recommend\w{0,3}) "
    rf"(?:\w+ ){{0,5}}?(?:{_TEST}|images?|information)\b|"
    # Italian and Spanish
    r"\b(?:nessuna|senza|alcuna|impossibile) (?:\w+ ){0,3}?diagnosi|"
    r"\bdiagnosi (?:\w+ ){0,2}?(?:non|impossibile)\b|\bimpossibile (?:\w+ )?(?:\w+are|\w+ire)\b|"
    rf"\b(?:consult|rivolg|contatt|acud|visit)\w{{0,6}} (?:[\w-]+ ){{0,3}}?{_WHO}\b|"
    r"\bsin (?:\w+ ){0,2}?diagnóstico|"
    r"\b(?:ningún|imposible) (?:\w+ ){0,3}?(?:diagn[oó]stic\w+|determinar)|"
    # French and German
    r"\b(?:pas de|aucune?|sans|impossible) (?:\S+ ){0,4}?(?:diagnosti\w+|déterminer|établir|poser)|"
    r"\b(?:keine|ohne) (?:\w+ ){0,2}?diagnose|\bdiagnose (?:\w+ ){0,2}?nicht\b|"
    r"\bnicht (?:möglich|beurteilbar)|\b(?:arzt|ärztin|hautarzt) (?:aufsuchen|konsultieren|fragen)|"
    # Chinese
    r"无法|不能(?!排除)|请(?:咨询|就医)|咨询[^\s,.]{0,8}医|就医|建议就诊"
)


def is_silent(content: str) -> bool:
    """Return whether a text says anywhere that it makes no diagnosis."""
    return _silence(_strip_label(content)) is not None


def before_silence(content: str) -> str | None:
    """Return the text before a first clause's refusal to give a diagnosis. None if that clause does not decline.

    >>> before_silence("Diagnosis: unable to determine, possibly melanoma")
    ''
    >>> before_silence("Melanoma; please consult a dermatologist") is None
    True
    """
    clause = _CLAUSE_END.split(_strip_label(content), maxsplit=1)[0]
    place = _silence(clause)
    return None if place is None else clause[:place]


def _strip_label(content: str) -> str:
    """Return a diagnosis in lower case, without "final diagnosis:" before it."""
    # "Indeterminate nodule" is a finding, so the word is removed; `_NOTHING` matches a lone "indeterminate".
    low = content.lower().replace("indeterminate ", "")
    label = _LABEL.match(low)
    return (low[label.end() :] if label else low).strip()


def _silence(low: str) -> int | None:
    """Return where a lower-case text says that there is no diagnosis, or None."""
    if _NOTHING.fullmatch(low):
        return 0
    declined, silence = _DECLINED.search(low), read_silence(low)
    places = [declined.start()] if declined else []
    return min([*places, silence[1]] if silence else places, default=None)
