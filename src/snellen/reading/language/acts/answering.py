"""Words by which responses state, deny, correct and list answers, in several languages.

Most patterns are for text in lower case with straight quotes. The negations of option words are for text without
accents and punctuation. A *copula* is a word such as "is" that links a noun and an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from snellen.reading.language.patterns import word_set
from snellen.runtime import regex

ANSWER_NOUNS: Mapping[str, tuple[str, ...]] = {
    "en": ("answer", "answers", "ans", "choice", "selection", "response", "guess", "pick", "prediction"),
    "it": ("risposta", "risposte", "scelta", "soluzione"),
    "es": ("respuesta", "respuestas", "elección", "eleccion", "solución"),
    "fr": ("réponse", "reponse", "réponses", "choix"),
    "de": ("antwort", "lösung", "loesung", "auswahl"),
    "pt": ("resposta", "escolha", "gabarito"),
    "nl": ("antwoord",),
    "ru": ("ответ",),
    "pl": ("odpowiedź",),
    "tr": ("cevap", "yanıt"),
    "el": ("απάντηση",),
    "ar": ("الإجابة", "الجواب"),
    "zh": ("答案", "答", "回答"),
    "ja": ("答え", "正解", "解答"),
    "ko": ("정답", "답"),
}
"""Nouns for an answer. If a copula and a letter follow, the letter is stated as the answer."""

OPTION_NOUNS: Mapping[str, tuple[str, ...]] = {
    "en": ("option", "alternative", "statement", "letter", "one"),
    "it": ("opzione", "alternativa", "lettera", "affermazione"),
    "es": ("opción", "opcion", "letra", "inciso"),
    "fr": ("proposition", "lettre", "affirmation"),
    "de": ("antwortmöglichkeit", "antwortoption", "aussage", "buchstabe"),
    "pt": ("opção", "opcao"),
    "zh": ("选项", "選項"),
    "ja": ("選択肢",),
    "ko": ("선택지", "보기"),
}
"""Nouns for an option. With a word of approval nearby, they state an answer."""

DIAGNOSIS_NOUNS: tuple[str, ...] = (
    "diagnosis", "impression", "diagnosi", "diagnóstico", "diagnostico", "diagnostic",
    "diagnose", "诊断", "conclusion",
    "conclusione", "conclusión", "fazit", "结论",
)  # fmt: skip
"""Nouns for a diagnosis or a conclusion. With a word of approval nearby, they state an answer."""

SUPERLATIVES: tuple[str, ...] = (
    "most likely", "most probable", "most consistent", "most appropriate",
    "most suitable", "most plausible", "best fits",
    "best match", "best matches", "best explanation", "best fit", "closest", "nearest", "più probabile",
    "più appropriata", "più compatibile",
    "más probable", "más adecuada", "plus probable", "plus appropriée", "wahrscheinlichste", "am wahrscheinlichsten",
    "la correcta", "la corretta", "quella corretta", "quella giusta",
    "la bonne", "richtig", "korrekt", "最可能", "最符合",
    "最合适",
)  # fmt: skip
"""Superlatives that state an answer without a noun: "the most likely cause is C"."""

CHOOSING: tuple[str, ...] = (
    "i choose", "i select", "i pick", "i'd choose", "i'd select", "i'd pick", "i'd go with", "i'd say", "i'd answer",
    "i'd guess", "i would choose", "i would select", "i would pick", "i "
    "would go with", "i would say", "i would answer",
    "i would guess", "i will choose", "i will select", "i will go with", "i'll choose", "i'll go with", "i'll say",
    "i'll pick", "i go with", "i opt for", "i would opt for", "i'd opt for", "going with", "leaning toward",
    "leaning towards", "lean toward", "lean towards", "i go for", "i'd go for", "i vote for", "i vote", "i'd put",
    "i will pick", "i'll select", "i'll answer", "let's go with", "we choose", "we select", "we pick", "we go with",
    "makes me choose", "if i had to guess", "if i had to choose", "if i had to pick", "scelgo", "sceglierei",
    "seleziono", "selezionerei",
    "opterei per", "opto per", "credo sia", "penso sia", "ritengo sia", "ritengo che sia",
    "credo che sia", "penso che sia", "i think it's", "i think it is", "i believe it's", "i believe it is",
    "creo que es", "je pense que c'est", "propendo per", "propenderei per", "protendo per", "punterei su", "indicherei",
    "me inclino por", "je penche pour", "tendiere zu", "rispondo", "risponderei", "direi",
    "elijo", "elegiría", "escojo", "escogería",
    "selecciono", "seleccionaría", "opto por", "optaría por", "diría", "me quedo con", "je choisis", "je choisirais",
    "je sélectionne", "je sélectionnerais", "j'opte pour", "j'opterais pour", "je dirais", "je réponds",
    "je répondrais", "ich wähle", "ich würde", "ich entscheide mich für", "ich tippe auf", "escolho", "escolheria",
    "选择", "选", "選", "认为是", "觉得是", "应该是", "而是",
)  # fmt: skip
"""Phrases with which a response names its choice."""

LEADING: tuple[str, ...] = (
    "choose", "select", "pick", "mark", "go with", "favor", "favors", "favour", "favours", "favoring", "favouring",
    "supports", "suggest", "suggests", "suggesting", "indicates", "suggerisce", "suggeriscono", "indica", "indicano",
    "orienta verso", "propendere per", "depone per", "sugiere", "suggère", "spricht für",
    "points to", "pointing to", "explained by", "described by", "represented by", "captured by",
    "leaving", "leaves", "leaving us with", "leaves us with", "left with", "only remaining", "resta", "rimane", "queda",
    "reste la", "verdict", "result", "output", "decision", "remaining", "final", "label", "solution", "correct", "best",
    "consistent with", "compatible with", "in favor of", "in favour of", "i'd lean", "settle on", "rank them",
    "left is", "conclude", "confident in", "we get", "maybe", "leads us to", "leads to", "brings us to",
    "leading to", "got to be", "has to be", "i say", "that's",
    "that'd be", "it's", "it'd be", "looks like", "sounds like", "answer's", "would be", "must be", "which is",
    "that is", "resultado", "risultato", "ergebnis", "richtig ist",
    "correcta", "corretta",
)  # fmt: skip
"""Words that lead to an option only if its letter follows directly: "leaving C", "Result: B"."""

EXCEPTING: tuple[str, ...] = ("except", "except for", "exception", "exception is", "the exception of")
"""Words that lead to the answer if the question asks for the exception."""

MATCHING: tuple[str, ...] = (
    "corresponds to", "corresponding to", "matching", "matches", "corrisponde all'",
    "corrispondente all'", "corrisponde alla",
    "corrispondente alla", "corresponde a", "correspond à", "entspricht", "对应",
)  # fmt: skip
"""Words that lead from a finding to an option; they are weaker than words of choosing."""

COPULAS: tuple[str, ...] = (
    "is", "are", "was", r"(?:would|should|must|will) (?:\w+ )?be", "remains", "seems to be", "appears to be",
    "has to be", "could be", "might be", "may be", "è", "e'", "é", "sia", "sarebbe", "dovrebbe essere", "sembra essere",
    "potrebbe essere",
    "risulta", "rimane", "sono", "es", "ser[ií]a", "debe ser", "debería ser", "parece ser", "podría ser", "son", "est",
    "serait", "semble être", "doit être", "pourrait être", "reste", "sont",
    "ist", "wäre", "lautet", "scheint", "bleibt",
    "sind", "seria", "это", "jest", "هي", "هو",
)  # fmt: skip
"""Copulas, which link a noun of answering and the answer."""
JOINED_COPULAS = "应该是|应该选|应该为|应当是|应为|應為|应是|應該是|就是|是|为|為|选择|选|は|은|는"
"""Copulas of languages without spaces between words."""

APPROVALS = (
    r"correct\w*|right|best|better|true|accurate|appropriate|suitable|likely|probable|plausible|consistent|fits?|"
    r"fitting|match\w*|"
    r"chosen|select\w*|final|preferred|answer|"
    r"corrett[aoe]|giust[ao]|esatt[ao]|miglior\w*|probabile|appropriat[ao]|adatt[ao]|scelt[ao]|finale|indicat[ao]|"
    r"corresponde\w*|corrisponde\w*|risposta|"
    r"mejor|adecuad[ao]|apropiad[ao]|elegid[ao]|respuesta|"
    r"exacte?|bonne|meilleure?|appropriée?|réponse|"
    r"richtig\w*|beste\w*|zutreffend\w*|wahrscheinlich\w*|passend\w*|antwort|"
    r"corret[ao]|certa|resposta|"
    r"正确|正確|最佳|最可能|最合适|最符合|符合|答案|最适合|對|对"
)
"""Words that call an option right."""

DENIALS = (
    r"n't\b|不|错|錯|非(?!常)|排除|没有|無|无(?!疑)|\b(?:"
    r"n(?:ot|ever|either|or|on|o|icht|ão)\b|in(?:correct\w*|appropriate\b|consistent\b|exacte?\b)|wrong\b|"
    r"f(?:als[ea]\b|also\b|alsch\w*|ausse?\b)|un(?:likely|wahrscheinlich)\b|l(?:east|ess)\b|"
    r"e(?:xclud\w+|liminat\w+|rrat[aoe]\b|sclus[aoe]\b|scludere\b|quivocad[ao]\b)|rul\w+ out|implausible\b|cannot\b|"
    r"s(?:bagliat|corrett)[aoe]\b|m(?:eno|enos|oins|auvaise?)\b|descarta\w*|pas\b|kein\w*|ausgeschlossen\b)"
)
"""Words that call an option wrong, or deny something."""

CORRECTIONS = (
    r"\bwait\b|\bactually\b|\bcorrection\b|\bi mean\b|\bon second thought|\bon (?:further )?reflection\b|\bhold on\b|"
    r"\blet me (?:re-?(?:consider|check|calc|comput|think|do\b|visit|assess|evaluat|examin|phrase|read|work)\w*|"
    r"correct|double)|\bre-?consider\w*|\bre-?evaluat\w+|\bre-?examin\w+|\bre-?assess\w*|"
    r"\bi apologi[sz]e\b|\bmy (?:mistake|error|apologies)\b|\bscratch that\b|\brevis(?:ed|ing)\b|"
    r"\bcorrected\b|\bupdated\b|\bchange my\b|\bno, |\bsorry, |"
    r"\banzi\b|\baspetta\b|\bin realtà\b|\bmi correggo\b|\bripensandoci\b|\bcorrezione\b|\brivedendo\b|"
    r"\briconsider\w+|"
    r"\bespera\b|\ben realidad\b|\bme corrijo\b|\bcorrijo\b|\bmejor dicho\b|\brectific\w+|\bcorrección\b|"
    r"\bpensándolo\b|\battendez\b|\ben fait\b|\ben réalité\b|\bje me corrige\b|\bje corrige\b|\baprès réflexion\b|"
    r"\bnon, |\bmoment\b|\bwarte\b|\bkorrektur\b|\bich korrigiere\b|\bvielmehr\b|\btatsächlich\b|\bnein, |"
    r"等等|不对|不對|更正|纠正|其实|實際上|实际上|重新考虑|重新审视|抱歉"
)
"""Words that take back an earlier statement."""

FINALITY = (
    r"\bfinal|\bdefinitiv\w*|\bin conclusion|\bin summary|\bfinal[ei]\b|\bconclusion\w*|\bdéfinitive|\bendgültig\w*|"
    r"\babschließend\w*|最终|最終|最后|最後"
)
"""Words that call an answer final."""

CONCLUSIONS = (
    r"\b(?:therefore|thus|hence|so|consequently|accordingly|overall|ultimately|quindi|pertanto|dunque|perciò|por "
    r"lo tanto|"
    r"por tanto|donc|ainsi|daher|somit|also|folglich|portanto)\b|因此|所以|综上|故"
)
"""Words that draw a conclusion."""

YES_WORDS = word_set("yes yeah yep yup si oui ja sim да evet tak ναι نعم はい 네 예 是 是的 有 对 对的 有的 存在")
"""Words for yes, without case and accents."""
NO_WORDS = word_set(
    "no nope non nein nee nao нет hayır hayir nie οχι لا いいえ 아니오 아니요 否 不 不是 没有 没 无 無 不存在 否定"
)
"""Words for no, without case and accents."""

ORDINALS: tuple[tuple[str, ...], ...] = (
    ("first", "1st", "prim[ao]", "primer[ao]?", "premi(?:er|ère)", "erste", "第一"),
    ("second", "2nd", "second[ao]", "segund[ao]", "deuxième|seconde", "zweite", "第二"),
    ("third", "3rd", "terz[ao]", "tercer[ao]?", "troisième", "dritte", "第三"),
    ("fourth", "4th", "quart[ao]", "cuart[ao]", "quatrième", "vierte", "第四"),
    ("fifth", "5th", "quint[ao]", "cinquième", "fünfte", "第五"),
)
"""Ordinals from first to fifth, as patterns."""

NEGATED_BEFORE = regex(
    r"(?:(?:^|\s)(?:no|not|without|never|neither|nor|cannot|(?:is|are|does|do|was|would|ca|could)n t|exclud\w+|"
    r"rul\w+ out|unlikely|less likely|rather than|instead of|absence of|negative for|against|except|incorrect|wrong|"
    r"unlike|over|than|opposed to|compared (?:to|with)|contrast to|superior to|although|whereas|while|though|besides|"
    r"differential|anti|differentiat\w+|distinguish\w*|versus|vs|mimic\w*|eliminat\w+|"
    r"non|senza|esclu\w+|improbabil\w+|piuttosto che|invece di|assenza di|"
    r"sin|descart\w+|en lugar de|ausencia de|pas|sans|exclu\w*|ecart\w+|plutot que|absence de|"
    r"kein\w*|nicht|ohne|statt|mentre|mientras|tandis que|wahrend)(?:\s+\S+){0,3}\s*|(?:^|\s)whether(?:\s+\S+){0,9}\s*|"
    r"(?:不是|并非|没有|无|未见|排除|不支持|不考虑|而非|"
    r"不符合)\S{0,4}\s*)$"
)
"""Words before an option's text that deny it or only compare it."""
NEGATED_AFTER = regex(
    r"\s+(?:alone\s+)?(?:(?:is|are|was|were|seems|appears|would be|can be|could be|has been|have been|e|sembra|es|"
    r"est|ist|wird|"
    r"puo essere|puede ser|peut etre|kann)\s+)?(?:\w+\s+)?(?:not|unlikely|less likely|excluded|ruled out|incorrect|"
    r"wrong|improbable|absent|insufficient|inadequate|inappropriate|contraindicated|unnecessary|non|nicht|esclus\w|"
    r"improbabil\w|meno probabil\w|no es|descartad\w|n est pas|exclue?|"
    r"ausgeschlossen|unwahrscheinlich|falsch|falso|faux|errat\w|sbagliat\w)\b|"
    r"\s+(?:which|but (?:this|that|it)) (?:(?:seems|is|looks|appears) (?:\w+ )?(?:incorrect|wrong|implausible|"
    r"unlikely|impossible|not (?:correct|right|plausible|possible))\b|(?:does not|doesn t) (?:seem|look|fit|match)\b)|"
    r"\S{0,2}(?:可能性[较很]?[小低]|不符|"
    r"不支持|"
    r"可排除|被排除|不正确)"
)
"""Words after an option's text that deny it."""

SUPPOSED_AFTER = regex(
    r"\s+(?:would|typically|usually|generally|classically|often|commonly|can|may|might|could|tends?|presents?|"
    r"as (?:a |the )?(?:less|second|alternative)|"
    r"mostrerebbe|darebbe|di solito|tipicamente|suele|podria|pourrait|wurde)\b|\s+\w+ (?:would|may|might|could)\b"
)
"""Words after an option's text that compare it, or describe how it would look."""

EXCEPTION_QUESTION = regex(
    r"\bNOT\b|\bEXCEPT\b|\bFALSE\b|\b(?:is|are|would be|be) (?:not|least|false|incorrect|contraindicated)\b|"
    r"\bexcept\b|\b(?:least|incorrect|false|untrue)\b|\bnot (?:true|correct|indicated|a |an |associated|consistent|"
    r"seen)|"
    r"\bNON\b|\btranne\b|\beccetto\b|\bnon (?:è|sono|corrett|indicat)|\bfals[aoe]\b|\berrat[aoe]\b|"
    r"\bexcepto\b|\bsalvo\b|\bmenos\b|\bincorrect[ao]\b|\bno es\b|\bsauf\b|\bn'est pas\b|\bfausse?\b|"
    r"\bnicht\b|\baußer\b|\bfalsch\b|不正确|错误|除了|不是|不属于|不包括|除外"
)
"""Words with which a question asks for the false option."""


@lru_cache(maxsize=32768)
def asks_exception(question: str) -> bool:
    """Return whether a question asks for the false option: "all of these EXCEPT"."""
    return EXCEPTION_QUESTION.search(question) is not None


def is_lone_letter(text: str, question: str) -> bool:
    """Return whether a response is only an option's letter. The question must neither offer nor want a letter.

    >>> [is_lone_letter(text, "What does the scan show?") for text in ("[[A]]", "The answer is B.", "A mass", "Type A")]
    [True, True, False, False]
    >>> is_lone_letter("[[A]]", "Which letter is at the top?"), is_lone_letter("B", "Is it A. blood or B. air?")
    (False, False)
    """
    alone = bool(question.strip()) and _LONE_LETTER.fullmatch(text) is not None
    return alone and _WANTS_LETTER.search(question) is None


def one_of(words: Iterable[str]) -> str:
    """Return an alternation of the words, longest first."""
    return "|".join(sorted(words, key=len, reverse=True))


MOST = 40
"""Only this many nouns, letters and lines are examined from each end of a response."""

ANSWERS = [noun for nouns in ANSWER_NOUNS.values() for noun in nouns]
"""All nouns for an answer."""
OPTIONS = [noun for nouns in OPTION_NOUNS.values() for noun in nouns]
"""All nouns for an option."""
KINDS = {
    **dict.fromkeys(EXCEPTING, "except"),
    **dict.fromkeys(SUPERLATIVES, "superlative"),
    **dict.fromkeys(DIAGNOSIS_NOUNS, "diagnosis"),
    **dict.fromkeys(OPTIONS, "option"),
    **dict.fromkeys(ANSWERS, "answer"),
    **dict.fromkeys(MATCHING, "match"),
    **dict.fromkeys(CHOOSING, "verb"),
}
"""Kind of each keyword, such as "answer" or "verb"."""
LATIN = "0-9A-Za-zÀ-ɏ"
"""Letters and digits of words in Latin script, as the inside of a character class."""
AFTER_LETTER = word_set(
    "because since as is was would could should might based due given which with without for from and but or the this "
    "that these those it's therefore seems appears fits best matches shows explains describes represents provides has "
    "correctly most alone only both are if when where although though rather not instead here then also by on in at "
    "to of being remains looks makes i think believe can does do followed over above below it "
    "perché poiché è dato con per e o ma quindi que porque ya es por y pero pues debido parce car est puisque et ou "
    "mais weil da denn ist und oder aber aufgrund wegen mit sono wählen nehmen als passt"
)
"""Words that may follow a letter that is an answer: "B because"."""
AFTER_VOWEL = word_set(
    "because since as is based due given which fits matches seems perché poiché è es est ist porque parce car weil "
    "denn here although though but over rather instead then therefore so"
)
"""Words that may follow a letter that can also be a word: "A because", but not "a mass"."""
SPECIES_NAMES = word_set(
    "coli pylori aureus difficile albicans pneumoniae influenzae aeruginosa jejuni perfringens tetani botulinum "
    "falciparum vivax pyogenes agalactiae epidermidis monocytogenes gonorrhoeae meningitidis trachomatis burgdorferi "
    "tuberculosis neoformans fumigatus faecalis diff elegans henselae gondii granulosus histolytica lamblia canis"
)
"""Species names, which follow the initial of a genus: "E. coli" is not option E."""
LETTERS_JOINED = (
    r"\s{0,2}(?:(?:,|/|&|\+|and/or|\band|\bor|\be|\bo|\bed|\bet|\bou|\by|\bund|\boder|和|或|或者|及|与)\s{0,3}){1,2}"
    r"(?:option |opzione |the |la )?"
)
"""Words and signs that join the letters of a series."""
SERIES_END = regex(
    r"\s{0,2}(?:$|[).,;:\]\"'&+/?!-]|\n|[\u3000-\u9fff]|"
    r"(?:and|or|e|o|et|ou|y|und|oder|are|were|both|can|could|may|might|as|because|since|do|would|sono|sont|son|sind)\b)"
)
"""Text that may follow a series of letters."""
SERIES_DENIED = regex(
    rf"[)\]\"']{{0,2}}\s{{0,2}}(?:\([^()\n]{{0,80}}\)\s?)?(?:\w+\s){{0,4}}?(?:{DENIALS}|out\b|dismissed\b|"
    rf"discarded\b|eliminare\b)"
)
"""Text after a series of letters that denies them."""
LETTER_DENIED = regex(
    rf"[)\].\"']{{0,2}}\s{{0,2}}(?:\([^()\n]{{0,80}}\)\s?)?(?:(?:is|are|was|would be|seems|è|sono|es|son|est|sont|"
    rf"ist|sind|n'est)\s)?"
    rf"\s?(?:(?!and |but |or )\w+\s){{0,1}}(?:{DENIALS})"
)
"""Text after a letter that denies it."""
JUDGED_WRONG = regex(
    r"[)\].\"']{0,2}[\s:→|(,=-]{0,5}(?:(?:no|nope|false|incorrect|wrong|unlikely|excluded|ruled out|falso|falsa|"
    r"errat[ao]|falsch)"
    r"(?=\s?(?:$|[.;,!|\n)(-]))|[✗✘❌✖☒])"
)
"""Text after a letter that only calls it wrong."""
LEFT_OPEN = regex(r"[)\].\"']{0,2}\s(?:or|o|oder|ou|u)\s(?:not|non|nicht|pas|no)\b")
"""Text after a letter that leaves it open: "B or not"."""
LETTER_AS_SUBJECT = regex(
    r"[)\].\"']{0,2}\s(?:is|was|seems|appears|looks|has|can|could|might|may|would|should|è|era|es|est|ist|war|"
    r"does|do)\b"
)
"""Verbs after a letter that is the subject of a sentence."""
LETTER_ASIDE = regex(rf"(?:(?<![{LATIN}])(?:or|and|o|e|und|oder|et|ou|y)|[,/&+])\s{{0,2}}\(?([A-Z])[).:]\s")
"""Another letter joined to the first: ", C)" or "and C)"."""


_NOT_RIGHT = (
    r"(?:incorrect|wrong|implausible|unlikely|impossible|inconsistent|mistaken|off|"
    r"not (?:correct|right|plausible|possible|reasonable|consistent))"
)
_TAKEN_BACK = (
    rf"(?:which|but (?:this|that|it)|though (?:this|that|it))\s(?:(?:seems|is|looks|appears|would be|may be|might be|"
    rf"sounds)\s(?:to be\s)?(?:\w+\s)?{_NOT_RIGHT}\b|(?:does not|doesn.?t|did not|didn.?t)\s"
    rf"(?:seem|look|appear|fit|match|agree|make sense)\b)"
)
LETTER_TAKEN_BACK = regex(rf"[,;(]?\s?\b{_TAKEN_BACK}")
"""Words that take an option back in the same sentence: "(C) 10.36, which seems incorrect"."""


NOUNS = one_of(noun for nouns in (*OPTION_NOUNS.values(), *ANSWER_NOUNS.values()) for noun in nouns)
"""All nouns for an answer or an option, as an alternation."""
INTRODUCES = regex(
    rf"(?:(?:the|my|to be|that|it's|it is|this is|it would be|(?:è|e'|es|c'est|es ist)(?= (?:la|el|l'|die|der)\b)|"
    rf"most likely|likely|probably|definitely|clearly|"
    rf"therefore|thus|indeed|la|il|lo|l'|el|le|die|"
    rf"der|das|"
    rf"probabilmente|quella|probablemente|probablement|wahrscheinlich|correct|final|best|only|opt|number|numero|"
    rf"{NOUNS})"
    rf"(?![a-zà-ɏ])[\s:\"'(\[-]*){{1,5}}",
    re.IGNORECASE,
)
"""Words that only introduce an answer: "the correct option"."""
YES_OR_NO = regex(rf"({one_of(map(re.escape, YES_WORDS | NO_WORDS))}|sì|sí|não|да|нет)(?![{LATIN}а-я])", re.IGNORECASE)
"""Yes or no at the beginning."""
OR_YES_NO = regex(r"\s?(?:and|or|/|e|o|et|ou|und|oder|y)\s?(?:yes|no)\b", re.IGNORECASE)
""""Yes" or "no" joined to the other one: "yes or no"."""
JOINED_YES_NO = regex(
    r"(?:是|否|对|不|没|不是|是的|对的|否定)(?![\u4e00-\u9fff])|"
    r"(?:有|存在|不存在|没有|无|無)(?![关助时些待限利必论法需从所效图影照资]|可能|提供|看[到见]|收到|附|上传|任何图|"
    r"足够|明确答)"
)
"""Chinese yes and no without spaces around them, but not within words such as "对于", "有关", "是否"."""
OPENS_WITH_NONE = regex(
    r"(?:none|neither) of (?:the|these|those|them)|no (?:correct )?option|nessuna (?:delle|di|opzione|risposta)|"
    r"ninguna de|aucune? (?:des|de|réponse|option)|keine (?:der|dieser|davon|antwort|option)|nenhuma d|"
    r"以上(?:都|皆|均)(?:不|非)|都不(?:是|对|正确)|没有正确",
    re.IGNORECASE,
)
""""None of the options" at the beginning of an answer."""
ORDINAL_NAMED = tuple(
    regex(
        rf"(?:the |la |il |el |le |die |der )?(?:{'|'.join(words)})[\s-]?(?:个|項|项)?\s?"
        rf"(?:$|(?:{NOUNS}|choice|möglichkeit|个|项)(?:\s|[.,:;)]|$))",
        re.IGNORECASE,
    )
    for words in ORDINALS
)
"""Names of an option by its position: one pattern for each position."""


LETTER_CALLED = regex(
    rf"([A-Z])(?![{LATIN}'])[)\].\":]{{0,2}}\s?(?:\([^()\n]{{0,120}}\)\s?)?(?:选项|答案)?"
    rf"(?:(?:is|fits|matches|seems|appears|remains|would be|è|sarebbe|sembra|es|sería|parece|est|serait|semble|"
    rf"ist|wäre|scheint|"
    rf"é)\s|"
    rf"是|最|(?=正确)|(?=the (?:correct|best|right|most))|as (?=the)|come (?=la)|(?=la (?:risposta|respuesta|"
    rf"réponse)))"
    rf"(?=([^\n.;,]{{0,90}}))"
)
"""A letter followed by a verb, and by what the sentence says about the letter."""
BEFORE_LETTER_CALLED = regex(
    rf"(?:^|[\n.!?:;,(\[\"'*>-]|(?<![{LATIN}])(?:that|so|thus|therefore|think|believe|and|but|only|making|hence|"
    rf"because|la|"
    rf"l'|che|quindi|que|porque|donc|dass|also|makes|why|cui|{NOUNS}))\s?$|[\u3000-\u9fff]$"
)
"""Text that may precede such a letter."""
APPROVING = regex(rf"(?:\S+\s){{0,5}}?\S{{0,4}}?(?<![{LATIN}])(?:{APPROVALS})(?![{LATIN}])")
"""A word of approval among the first few words."""
OUTRIGHT = regex(
    r"(?:the |la |le |die |quella )?(?:correct|right\b|corrett[ao]|giust[ao]|esatt[ao]|richtig|exacte?\b|corret[ao]|"
    r"正确)"
)
"""Outright approval: "correct"."""
FOREMOST = regex(
    r"(?:\S+\s){0,2}?(?:most|best|better|more|più|miglior\w*|más|mejor|plus|meilleure?|am|beste\w*|likely|probable|"
    r"probabile|wahrscheinlich\w*|最|答案)"
)
"""Approval by comparison: "the most likely"."""
NAMED_ANSWER = regex(
    r"(?:\S+\s){0,6}?\S{0,6}(?:answer|option|choice|risposta|opzione|scelta|respuesta|opción|réponse|choix|"
    r"antwort|答案|选项)"
)
"""The word "answer" or "option" among the first few words."""
WORDS_APPROVED = regex(
    r"\s(?:is|would be|remains|seems|appears)\s(?:(?:therefore|thus|clearly|probably|likely)\s)?(?:to be\s)?"
    r"(?:the\s)?(?:single\s)?(?:correct|best|right|better|most \w+|more likely|preferred|answer)\b"
    r"(\s(?:answer|option|choice))?"
)
"""Words after an option's text that call it right."""
LAST_WORD = regex(
    rf"(?:(?<![A-Z])[.,;]\s|[!?:)]\s|[→⇒=]\s?|[-=]>\s?|\s-\s|"
    rf"(?<![{LATIN}])(?i:actually|but|so|thus|hence|therefore|ergo|definitely|probably|maybe|perhaps|likely|"
    rf"quindi|dunque|donc|also|daher)[,:]?\s)"
    rf"(?:it's |it is |it must be |option |answer |[Ll]a |(?:È|E') (?:la )?)?[(\[\"']?([A-Z])[)\]\"'.!\s]{{0,4}}$"
)
"""A letter as the last word of a response."""
VALUE = regex(
    r".*(?:\b(?:is|are|was|equals|be|gives|yields|about|approximately|roughly|around)|"
    r"[=≈])\s{0,2}([^\n=≈]{1,60}?)[.\s]*"
)
"""The value that a last sentence gives: "so the resistance is 6"."""


SMALL_WORDS = word_set(
    "a an the of and or with in on at to for by from this that it is are was be i e il lo la le un una di del della "
    "el los las de du des der die das ein eine und type class form probably likely up"
)
"""Words that do not distinguish options."""
JOINING = word_set("and both only or are is correct true statements statement options option choices all")
"""Words that may join letters named together."""
ALL_OF_THEM = regex(r"all (?:of )?(?:the )?(?:above|these|options|answers|choices)")
"""An option that combines all options before it."""
NONE_OF_THEM = regex(r"none|neither|no ")
"""Beginning of an option that means "none of these"."""
COMPOUND = regex(r"([^\W\d_]{3,})-(?!(?:the|not|and|this|that|with|which|because|but|its)\b)([^\W\d_]{3,})")
"""Two words joined by a hyphen."""


ARTICLE = regex(r"^(?:an?|the|il|lo|la|gli|le|un|una|uno|el|los|las|les|une|der|die|das|ein|eine|l) (?=.)")
"""An article at the beginning."""
JOINT = regex(r" (?:and |or |plus |with |vs |e |o |ed |et |ou |y |und |oder )?")
"""Words that join the texts of two options."""
OR_BEFORE = regex(r"(?:^| )(?:or|o|oder|ou|either)(?: (?:an?|the|una?|ein\w?|le|la))? $")
""""Or" before an option's text."""
OR_AFTER = regex(r" (?:or|o|oder|ou) ")
""""Or" after an option's text."""
CONTRASTS = ("not", "non", "nicht", "no", "pas")
"""Words that deny the option after them: "this, not that"."""
SPECIFIED = regex(r"(?:.* )?(?!(?:of|de|di|von|by|with|to|in|the) )\S+ \S+")
"""A term whose first word specifies the second: "lupus nephritis"."""


NEXT_QUESTION = regex(
    r"\n[^\S\n]{0,8}(?:(?:(?:next |new )?(?:question|problem|exercise|domanda|pregunta|frage|问题)\s?\d{0,4}|"
    r"q\s?\d{0,3})\s?[:.)]|"
    r"(?:next |new )?(?:question|problem|exercise|domanda|pregunta|frage)\s?\d{0,4}[^\S\n]*\n|"
    r"(?:human|user|input|instruction|student|patient)\s?:|###\s?(?:instruction|input|question)|"
    r"<\|?(?:im_start|start_header_id|user|eot_id|endoftext|im_end)[^>\n]{0,20}>|the following (?:is|are) (?:a "
    r")?multiple)"
)
"""Beginning of another question that the response itself adds."""
NO_OPTION = regex(
    r"no correct (?:answer|option|choice)|(?:none|neither) of (?:the|these|those) \w+|nessuna (?:delle|di queste) \w+|"
    r"ninguna de (?:las|estas) \w+|aucune? (?:des|de ces) \w+|keine (?:der|dieser) \w+|没有正确"
)
"""Statement that no option is right."""
NONE_FITS = regex(
    r"(?:none|neither) of (?:the|these|those)(?! other| remaining)(?: \w+){0,2}? (?:options?|choices?|answers?|is|"
    r"are|fits?|"
    r"match\w*)\b|no (?:correct )?(?:option|answer choice|choice) (?:match\w*|is correct|fits)|"
    r"(?:not|n't) (?:listed|among|one of) |nessuna delle (?:opzioni|risposte|alternative)"
)
"""Statement that no option fits; the response may still choose the closest."""
CLOSEST = regex(r"\b(?:closest|nearest|best|most|however|più)\b")
"""Words that choose an option although none fits."""


_FOR = (
    r"[✓✔✅☑]|\b(?:yes|true|correct|most likely|likely(?! to\b)|best|fits|più probabile|vero|vera|corrett[ao]|sì|"
    r"giust[ao]|correct[ao]|"
    r"verdader[ao]|vraie?|richtig|wahr|corret[ao])\b|正确|对(?!比)"
)
"""Words and signs that judge an option right."""
_AGAINST = (
    r"[✗✘❌✖☒×]|\b(?:no|not|false|incorrect|wrong|unlikely|less likely|least likely|excluded|eliminated|ruled out|out|"
    r"implausible|inconsistent|inappropriate|doesn't|does not|isn't|wouldn't|fals[ao]|errat[ao]|sbagliat[ao]|"
    r"scorrett[ao]|"
    r"non|esclus[ao]|incorrect[ao]|descartad[ao]|fausse?|faux|falsch|nicht)\b|错误|不正确|不对|排除"
)
"""Words and signs that judge an option wrong."""
VERDICT = regex(rf"(?P<against>{_AGAINST})|(?P<for>{_FOR})", re.IGNORECASE)
"""Judgement of an option in a list."""
CUE = regex(
    r"\b(?:most likely|likely|probably|suggest\w*|consistent with|compatible with|indicat\w+|diagnos\w+|"
    r"only(?= \([a-l]\)| option| \W?\w[^.\n]{0,60}\b(?:explain|fit|account|match|remain)\w*\b)|favou?rs?|"
    r"best (?:guess|fits?|match\w*|"
    r"explan\w+)|so|therefore|thus|hence|conclu\w+|in summary|overall|shows?|represents?|points? to|i think|i believe|"
    r"più probabile|probabilmente|suggerisce|compatibile con|quindi|pertanto|si tratta di|indica|"
    r"más probable|probablemente|sugiere|compatible con|por lo tanto|se trata de|"
    r"plus probable|probablement|suggère|évoque|donc|il s'agit|"
    r"wahrscheinlich\w*|daher|somit|spricht für|hinweis\w* auf|es handelt sich)\b|最可能|考虑|提示|符合|因此|所以|"
    r"诊断为|表明"
)
"""Cue in a sentence of prose that gives the answer."""
LETTER_MENTION = regex(
    rf"(?:(?:\b(?i:option|choice|answer|opzione|opción|opcion|réponse|risposta|respuesta|antwort|alternativa|letter|"
    rf"lettera|letra|"
    rf"proposition)\s|选项|选)[(\[\"']?([A-Z])|[(\[]([A-Z])[)\]]|(?:\b(?i:it's|it is|this is|that is|so|thus|"
    rf"therefore|hence|leaving|"
    rf"leaves|that would be|it would be|it must be|must be|quindi|pertanto|dunque|donc|daher|somit|è la|e' la|es la|"
    rf"c'est la)[,:]?\s(?:definitely |probably |likely |clearly )?|因此|所以|故)"
    rf"[(\[\"']?([A-Z])(?!\s[a-z]))(?![{LATIN}'_^])(?!\s?[=/])"
)
"""A letter that names an option in prose."""
LETTER_SERIES = regex(
    rf"(?<![{LATIN}])[A-Z](?:\s?(?:,|/|&|和|、|\b(?:and|e|ed|y|et|und)\b)\s?){{1,2}}[A-Z](?:\s?(?:,|/|&|和|、|"
    rf"\b(?:and|e|ed|y|et|und)\b)\s?"
    rf"(?:(?:and|e|ed|y|et|und)\s)?[A-Z]){{0,11}}(?![{LATIN}])"
)
"""Several letters in a row."""
HOLDS = regex(
    r"\b(?:all|true|correct|features?|factors?|associated|seen|indicated|typical|found|causes?|signs?|ver[eio]|"
    r"corrett[ei])\b"
)
"""Words that call options true if the question asks for the exception."""
EXAMINED = regex(r"\b(?:examine|consider|look(?:ing)? at|start with|discuss|evaluate|compare|analy[sz]e|review)\b")
"""Announcement that an option will be examined."""
SUPPOSING = regex(
    r"\b(?:would|should|could|might|if|unlike|while|although|se|mostrerebb\w+|\w+rebbe(?:ro)?|mentre|sebbene|aunque|"
    r"mientras|"
    r"si|tandis|bien que|würde\w*|während|obwohl|wenn|esclude\w*|exclud\w+|excessive|rather)\b|虽然|如果"
)
"""Words that make a sentence a supposition or a concession."""
IF = regex(r"\W*(?:if(?! (?:i |forced|pressed))|se|si|wenn|falls|qualora|如果|若)\b")
"""A condition at the beginning."""
CONCESSION = regex(
    r"^\W*(?:although|though|even (?:if|though)|while|since|as|anche se|sebbene|benché|poiché|aunque|bien que|obwohl)\b"
    r"[^,\n]{3,120},\s"
)
"""A concession at the beginning, up to its comma."""
NEGATIVE_FINDING = regex(
    r"(?:(?:there|here) (?:is|are|was|were) (?:no\b|not\b)|there's no\b|no (?:evidence|signs?|indication)\b|no\b|"
    r"(?:i|we) (?:do not|don't|see no)|non (?:ci sono|c'è|si (?:vede|vedono|osserva\w*|evidenzia\w*)|vedo)|"
    r"nessun\w?\b|no hay\b|no se (?:observa|ve|aprecia)\w*|"
    r"il n'y a (?:pas|aucun\w*)|aucun\w?\b|pas de\b|(?:the|this|la|l'|le|das|die) (?:\S+ ){1,5}?(?:does not|doesn't|"
    r"do not|don't|non|no|ne|shows? no|zeigt kein\w*)\b|es gibt kein\w*|kein\w*\b|没有|未见|无|不存在)"
)
"""A short response that reports no finding."""
POSITIVE_FINDING = regex(
    r"(?:(?:indeed|correct|right),? )?(?:there (?:is|are|appears to be|seems to be) (?:an?|some|evidence|signs?|"
    r"multiple|several|clear)\b|there's an?\b|c'è\b|ci sono\b|"
    r"si (?:vede|osserva|evidenzia)\b|hay\b|"
    r"(?:the|this) (?:\S+ ){1,5}?(?:shows?|demonstrates?|reveals?|has|have)\b|se (?:observa|ve|aprecia)\b|il y a\b|"
    r"on (?:voit|observe)\b|es gibt\b|可见|存在|有)"
)
"""A short response that reports a finding."""
PRESENT = regex(r"^[^.\n]{3,80}\b(?:is|are) (?:clearly )?(?:present|seen|visible|identified|noted|evident|there)\b")
"""Statement that something is present."""
ABSENT = regex(r"^[^.\n]{3,80}\b(?:is|are) (?:absent|not (?:present|seen|visible|identified|noted|evident))\b")
"""Statement that something is absent."""
YES_NO_DRAWN = regex(
    r"(?:\b(?:so|hence|therefore|thus)[,:]?\s|^(?:i (?:think|believe) so,?\s|(?=(?:negative|positive|"
    r"affirmative)\b)|[^\n]{0,80}:\s))"
    r"(?:the answer is )?(yes|no|negative|positive|affirmative)\W*$"
)
"""Yes or no as a conclusion: "therefore, yes"."""
POLARITY = {"yes": "yes", "positive": "yes", "affirmative": "yes", "no": "no", "negative": "no"}
"""Yes or no for each word of such a conclusion."""
ABSENCE_ASKED = regex(
    r"\bnormal|\bhealthy|\bclear\b|\babsen|\bfree of|\bwithout|\bunremarkable|\bintact|\bno\b|\bnot\b|\bor\b|sano|"
    r"libero|sain|gesund|正常"
)
"""A question to which "yes" may mean that nothing is wrong."""
NO_SUBJECT = word_set("image images there these those patient evidence signs shown present visible sinistra destra")
"""Words that are too common to be the subject of a question."""


TAIL = regex(
    rf"([^\n:=?!;.]{{0,70}}?)((?<![{LATIN}])(?:{one_of(COPULAS)})(?![{LATIN}'])|{JOINED_COPULAS}|:|->|=>|=|→|"
    rf"(?<=\s)-(?=\s))[^\S\n]{{0,5}}:?"
)
"""Text between a noun of answering and its copula, and the copula itself."""
HEADLINE = regex(
    rf"[\W\d]*(?:(?:the|my|your|final|correct|best|right|most likely|so|therefore|thus|step|la|il|mia|tua|"
    rf"corrett[ao]|finale|"
    rf"giusta|esatta|correcta|final|mejor|bonne|finale|correcte|exacte|die|meine|richtige|endgültige|正确|最终|"
    rf"{one_of([*ANSWERS, *OPTIONS, *DIAGNOSIS_NOUNS, *SUPERLATIVES])})[\W\d]*){{1,6}}"
)
"""A heading above an answer."""
CLOSING_LABEL = regex(
    rf"[^\w\n]{{0,12}}(?:(?:the|my|so|therefore|thus|hence|final|correct|best|right|la|il|mia|l'|el|mi|le|die|meine|der|"
    rf"risposta|respuesta|réponse|richtige|endgültige|mejor|bonne|最终|最后|正确|answer|option)[^\w\n]{{0,4}}){{0,5}}"
    rf"(?<![a-zà-ɏ])(?:{one_of([*ANSWERS, *OPTION_NOUNS['en'], *OPTION_NOUNS['it'], *OPTION_NOUNS['es']])})"
    rf"(?:\s(?:corrett[ao]|giusta|esatta|finale|definitiva|correcta|final|correcte|exacte|letter))?"
    rf"(?:\s(?:is|è|es|est|ist)(?=\s{{0,2}}:))?[^\w\n:]{{0,3}}(:?)[^\w\n(\[-]{{0,6}}",
    re.IGNORECASE,
)
"""Label of a line that contains only the answer: "**Final answer:**"."""
NEGATIVES = ("不", "别", "勿", "非", "not", "n't", "non", " no", "nicht", "pas")
"""Endings of a text that deny the next words."""
SUPPOSED = regex(
    r"(?:n't (?:think|believe|say) (?:\S+\s+){0,4}$|\b(?:if(?! i (?:had|have|must)| forced| pressed| pushed)|"
    r"whether|assuming|suppose|unless|doubt|hypothetically|not (?:think|believe|"
    r"say)|"
    r"se(?! doves)|qualora|non (?:credo|penso|direi)|si|no (?:creo|pienso)|ne (?:pense|crois) pas|wenn|falls|"
    r"format|pattern)\b|"
    r"如果|若|假如|假设)\W*(?:\S+\s+){0,4}$|\b(?:at first(?: glance| sight)?|initially|(?:might|may|could) (?:think|"
    r"say|"
    r"expect|guess|assume)|tempt\w+|a prima vista|inizialmente|in un primo momento|si potrebbe pensare|a primera vista|"
    r"inicialmente|à première vue|initialement|zunächst|auf den ersten blick)\b|乍看|起初|(?:^|[.!?\n]\s{0,3})(?:is|"
    r"could|would|might|can) (?:the|my|"
    r"this)\s(?:\S+\s){0,2}$"
)
"""Endings of a text that only suppose the next words."""
OTHER_SENSES = word_set("choice selection response guess pick prediction option alternative statement letter one")
"""Nouns that mean an answer only in context; not "frequency response" or "rational choice theory"."""
BEFORE_ANSWER = word_set(
    "the a an my our your this that final correct best right only likely probable appropriate suitable answer accurate "
    "logical reasonable obvious plausible single closest nearest better preferred chosen selected true valid "
    "consistent fitting matching good ideal optimal remaining multiple first second third is and so therefore thus "
    "hence or then indeed following viable sensible sound apt safest strongest initial educated top incorrect false "
    "wrong untrue exception odd last as with matches given each corresponding which no not isn't every any next per of"
)
"""Words before such a noun if it means an answer."""
AFTER_NOUN = word_set(
    "for to of that which here in is are was be based given among from would should must will may might could can "
    "seems appears remains regarding considering according with among on i we by as representing describing matching "
    "corresponding explaining fitting consistent provided because and or selected chosen has best correctly most "
    "closest nearest letter number option choice answer about"
)
"""Words after such a noun if it means an answer."""
WRONG_NOUN = regex(
    r"(?:\b(?:incorrect|wrong|false|second|third|alternative|previous|next best|not (?:the|a|my)|n't (?:the|a)|"
    r"errat\w|sbagliat\w|scorrett\w|non è (?:la|una)|"
    r"no es (?:la|una)|"
    r"incorrect[ao]|fausse|mauvaise|n'est pas (?:la|une)|falsche|nicht die)\s(?:\w+\s){0,2}|错误的?|不是)$"
)
"""Endings of a text that call the next noun wrong: "the incorrect answer"."""
UNSURE = regex(r"could be|might be|may be|potrebbe|podría|pourrait")
"""A copula that leaves the answer open."""
WOULD = regex(r"would|could|might|sarebbe|ser[ií]a|serait|wäre")
"""A conditional copula, such as "would"."""
CONDITION = regex(r"\b(?:if(?! i (?:had|have|must)| forced| pressed| pushed)|had|were|se(?! doves)|si|wenn)\b")
"""Words of a condition."""
NOT_BUT = regex(
    r"(?:not|non|no|pas|nicht|不是)\s{0,2}[^\n]{1,60}?(?:\bbut\b|\brather\b|\binstead\b|\bit is\b|\bit's\b|\bma\b|"
    r"\bbensì\b|\bsino\b|\bmais\b|\bsondern\b|而是)\s{0,3}",
    re.IGNORECASE,
)
"""Text denied first: "not A but"."""
LETTER_NAMED = regex(
    rf"[(\[]([A-Z])[)\]]|\b(?:[Oo]ption|[Cc]hoice|[Oo]pzione|[Oo]pción|[Rr]isposta|[Rr]espuesta|[Rr]éponse|"
    rf"[Aa]ntwort|letter|"
    rf"lettera|letra|lettre)\s[(\[\"]?([A-Z])(?![{LATIN}'])"
)
"""A letter in brackets, or after a noun for an option."""
OFFERED = regex(
    rf"\(?(?:among|from|of|between)? ?(?:the )?(?:options?|choices)? ?(?:[(\[]?[A-Z][)\]]?(?:\s?(?:-|to|through|"
    rf",|and|or|&)\s?){{1,2}}){{1,11}}"
    rf"[(\[]?[A-Z](?![{LATIN}'])[)\]]?"
)
"""Letters that the text only lists as offered: "of the options A, B and C"."""
AMONG_OPTIONS = regex(
    r"\b(?:given|among|amongst|(?<!selected )from|of|out of|in|with|within|based on|considering|according to)\s"
    r"(?:all\s|only\s)?(?:the|these|those|our|your)\s(?:\w+\s){0,2}?(?:options|choices|answers|alternatives)"
    r"(?:\s(?:provided|given|listed|available|above|below|presented|offered|here|shown))?"
)
"""Phrase that names the set of options: "the best answer from the options provided"."""
ENUMERATING = regex(r"options|choices|opzioni|opciones|selected from|key|format|differen|analys|approach|选项")
"""Words of an enumeration."""
LONE_LETTER = regex(
    rf"(?<![{LATIN}])[A-Z](?![{LATIN}'_^])"
    r"(?!\s(?!as\b|because|since|and|or|is\b|are\b|if|to me|over|here|rather|instead|due|given|but)[a-z])(?![ "
    r"-][A-Z])(?!-)"
)
"""A letter that may name an option."""
LEADS = regex(
    rf"(?<![{LATIN}'])(?:{one_of(LEADING)})(?![{LATIN}'])\s?(?:is|are|would be|è|es|est|ist|la)?\s?[:=]?\s?"
    rf"(?:only |with |us with |the |la |option |choice |answer |as |l'opzione |la risposta |l'option |"
    rf"la opción )?[(\[\"']?$"
)
"""A leading word before a letter."""
TEMPTED = regex(r"\b(?:tempting|wrong|easy|inclined|wanted|going|mistake) to\s$")
"""Words that take back a leading word."""


_IDEOGRAPHIC = regex("[\u0600-\u06ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_TOKEN = regex(r"[^\W\d_]+")
# Words are cut from the UTF-8 bytes, which is much faster than a pattern; this runs for every response.
_LETTERS_ONLY = bytes(sign if chr(sign).isalpha() or sign > 127 else 32 for sign in range(256))


_UNSPACED_LEADS = bytes((*range(0xD8, 0xDC), *range(0xE3, 0xEE)))
"""First bytes of Arabic, Japanese, Chinese and Korean letters in UTF-8."""


def _by_token() -> dict[bytes, list[str]]:
    """Map the longest word of each keyword to the keywords. Only those that can occur are searched."""
    known: dict[bytes, list[str]] = {}
    for keyword in KINDS:
        if not _IDEOGRAPHIC.search(keyword):
            known.setdefault(max(_TOKEN.findall(keyword), key=len).encode(), []).append(keyword)
    return known


_BY_TOKEN = _by_token()
_TOKENS = frozenset(_BY_TOKEN)
_UNSPACED = [keyword for keyword in KINDS if _IDEOGRAPHIC.search(keyword)]


def speaks_of_answers(low: str, words: set[bytes]) -> bool:
    """Return whether a text has words of answering; without them it cannot state an answer."""
    return any(keyword in low for token in _TOKENS & words for keyword in _BY_TOKEN[token])


def tokens(text: str) -> set[bytes]:
    """Return the distinct words of a text, as bytes."""
    return set(text.encode(errors="replace").translate(_LETTERS_ONLY).split())


def keywords(low: str) -> list[tuple[int, int]]:
    """Return the positions of keywords, the longest one at each place."""
    raw = low.encode(errors="replace")
    known = _TOKENS.intersection(raw.translate(_LETTERS_ONLY).split())
    present = [keyword for token in known for keyword in _BY_TOKEN[token]]
    if len(raw) > len(low) and len(raw.translate(None, _UNSPACED_LEADS)) < len(raw):
        present += _UNSPACED
    found: dict[int, int] = {}
    for word in sorted(present, key=len, reverse=True):
        for start in _places(low, word):
            end = start + len(word)
            joined = ord(word[0]) > 0x250 or not (_latin(low[start - 1 : start]) or _latin(low[end : end + 1]))
            if joined and start not in found:
                found[start] = end
    places = sorted(found.items())
    return places if len(places) <= 2 * MOST else places[:MOST] + places[-MOST:]


def _places(low: str, word: str) -> list[int]:
    """Return the first and the last positions of a word."""
    found: list[int] = []
    start = low.find(word)
    while start >= 0 and len(found) < 5 * MOST:
        found.append(start)
        start = low.find(word, start + len(word))
    if start >= 0:
        end = len(low)
        for _ in range(MOST):
            end = low.rfind(word, 0, end)
            found.append(end)
    return found


def _latin(letter: str) -> bool:
    """Return whether a letter next to a keyword makes it part of a longer word."""
    return letter.isalpha() and ord(letter) < 0x250


STATED = regex(
    r"(?:^|[\n.;!]\s{0,4})(?:(?:so|thus|therefore|hence|overall|in conclusion),?\s)?(?:the\s)?"
    r"(?:(?:final|correct|short|best)\s)?(?:answer|conclusion|impression)(?:\s(?:is|would be))?\s?:\s?([^\n]{1,400})|"
    r"(?:^|[\n.;!]\s{0,4})(?:(?:so|thus|therefore|hence|overall),?\s)?the\s(?:(?:final|correct)\s)?answer\sis\s"
    r"([^\n]{1,400})",
    re.IGNORECASE,
)
"""A line or sentence with an open answer."""
DIAGNOSED = regex(
    r"\b(?:the\s)?(?:most\s(?:likely|probable)|final|likely|leading|working)\sdiagnosis\s(?:is|would\sbe|:)\s{0,2}"
    r"([^\n.;]{1,300})",
    re.IGNORECASE,
)
"""A sentence that names the diagnosis."""
EXPLAINS = regex(r"\s*(?:one\s|two\s)?(?:reasons?|rationale|explanation|because|note)\b", re.IGNORECASE)
"""Beginning of a sentence that gives reasons instead of an answer."""


_LEADING = (
    *(noun for nouns in (ANSWER_NOUNS, OPTION_NOUNS) for words in nouns.values() for noun in words),
    *("the", "my", "final", "correct", "best", "is", "la", "il", "le", "die", "è", "es", "est", "ist", "finale"),
    *("correcta", "corretta", "correcte", "richtige", "是", "选", "选择", "最终", "正确"),
)
"""Words that may precede a letter that is the whole answer."""
_LONE_LETTER = regex(rf"\W*(?:(?i:{one_of(_LEADING)})\W*){{0,6}}[A-Z]\W*")
_WANTS_LETTER = regex(
    r"(?i:\b(?:which|what|correct) (?:\w+ ){0,2}(?:letter|option|panel|label)s?\b|\bletters\b|"
    r"\b(?:labell?|mark)ed [a-z]\b|\blettera\b|\bletra\b|\blettre\b|\bbuchstabe\b|字母)|\bA\b(?s:.{0,400}?)\bB\b"
)
"""Words of a question that a letter can answer."""
