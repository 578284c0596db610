"""The words by which responses state, deny, correct and enumerate answers, by language.

All patterns meet text in lower case with straight quotes. The negations for option words meet text that has lost its
accents and punctuation too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from snellen.grading.language.patterns import word_set

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
"""What an answer is called; a letter after one of these and a copula is a statement."""

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
"""What an option is called; it needs a word of approval beside it to become an answer."""

DIAGNOSIS_NOUNS: tuple[str, ...] = (
    "diagnosis", "impression", "diagnosi", "diagnóstico", "diagnostico", "diagnostic",
    "diagnose", "诊断", "conclusion",
    "conclusione", "conclusión", "fazit", "结论",
)  # fmt: skip

SUPERLATIVES: tuple[str, ...] = (
    "most likely", "most probable", "most consistent", "most appropriate",
    "most suitable", "most plausible", "best fits",
    "best match", "best matches", "best explanation", "best fit", "più probabile",
    "più appropriata", "più compatibile",
    "más probable", "más adecuada", "plus probable", "plus appropriée", "wahrscheinlichste", "am wahrscheinlichsten",
    "la correcta", "la corretta", "quella corretta", "quella giusta",
    "la bonne", "richtig", "korrekt", "最可能", "最符合",
    "最合适",
)  # fmt: skip
"""What stands before "is C" where no answer is mentioned: "the most likely cause is C"."""

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
"""What a person says before naming a choice."""

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
"""What leads to an option only where its letter follows at once: "leaving C", "Result: B"."""

EXCEPTING: tuple[str, ...] = ("except", "except for", "exception", "exception is", "the exception of")
"""What leads to the answer where the question asks for the exception."""

MATCHING: tuple[str, ...] = (
    "corresponds to", "corresponding to", "matching", "matches", "corrisponde all'",
    "corrispondente all'", "corrisponde alla",
    "corrispondente alla", "corresponde a", "correspond à", "entspricht", "对应",
)  # fmt: skip
"""What leads from a finding to an option; weaker than a choice."""

COPULAS: tuple[str, ...] = (
    "is", "are", "was", r"(?:would|should|must|will) (?:\w+ )?be", "remains", "seems to be", "appears to be",
    "has to be", "could be", "might be", "may be", "è", "e'", "é", "sia", "sarebbe", "dovrebbe essere", "sembra essere",
    "potrebbe essere",
    "risulta", "rimane", "sono", "es", "ser[ií]a", "debe ser", "debería ser", "parece ser", "podría ser", "son", "est",
    "serait", "semble être", "doit être", "pourrait être", "reste", "sont",
    "ist", "wäre", "lautet", "scheint", "bleibt",
    "sind", "seria", "это", "jest", "هي", "هو",
)  # fmt: skip
JOINED_COPULAS = "应该是|应该选|应该为|应当是|应为|應為|应是|應該是|就是|是|为|為|选择|选|は|은|는"

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

DENIALS = (
    r"n't\b|不|错|錯|非(?!常)|排除|没有|無|无(?!疑)|\b(?:"
    r"n(?:ot|ever|either|or|on|o|icht|ão)\b|in(?:correct\w*|appropriate\b|consistent\b|exacte?\b)|wrong\b|"
    r"f(?:als[ea]\b|also\b|alsch\w*|ausse?\b)|un(?:likely|wahrscheinlich)\b|l(?:east|ess)\b|"
    r"e(?:xclud\w+|liminat\w+|rrat[aoe]\b|sclus[aoe]\b|scludere\b|quivocad[ao]\b)|rul\w+ out|implausible\b|cannot\b|"
    r"s(?:bagliat|corrett)[aoe]\b|m(?:eno|enos|oins|auvaise?)\b|descarta\w*|pas\b|kein\w*|ausgeschlossen\b)"
)

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

FINALITY = (
    r"\bfinal|\bdefinitiv\w*|\bin conclusion|\bin summary|\bfinal[ei]\b|\bconclusion\w*|\bdéfinitive|\bendgültig\w*|"
    r"\babschließend\w*|最终|最終|最后|最後"
)

CONCLUSIONS = (
    r"\b(?:therefore|thus|hence|so|consequently|accordingly|overall|ultimately|quindi|pertanto|dunque|perciò|por "
    r"lo tanto|"
    r"por tanto|donc|ainsi|daher|somit|also|folglich|portanto)\b|因此|所以|综上|故"
)

YES_WORDS = word_set("yes yeah yep yup si oui ja sim да evet tak ναι نعم はい 네 예 是 是的 有 对 对的 有的 存在")
NO_WORDS = word_set(
    "no nope non nein nee nao нет hayır hayir nie οχι لا いいえ 아니오 아니요 否 不 不是 没有 没 无 無 不存在 否定"
)

ORDINALS: tuple[tuple[str, ...], ...] = (
    ("first", "1st", "prim[ao]", "primer[ao]?", "premi(?:er|ère)", "erste", "第一"),
    ("second", "2nd", "second[ao]", "segund[ao]", "deuxième|seconde", "zweite", "第二"),
    ("third", "3rd", "terz[ao]", "tercer[ao]?", "troisième", "dritte", "第三"),
    ("fourth", "4th", "quart[ao]", "cuart[ao]", "quatrième", "vierte", "第四"),
    ("fifth", "5th", "quint[ao]", "cinquième", "fünfte", "第五"),
)

NEGATED_BEFORE = re.compile(
    r"(?:(?:^|\s)(?:no|not|without|never|neither|nor|cannot|(?:is|are|does|do|was|would|ca|could)n t|exclud\w+|"
    r"rul\w+ out|unlikely|less likely|rather than|instead of|absence of|negative for|against|except|incorrect|wrong|"
    r"unlike|over|than|opposed to|compared (?:to|with)|contrast to|superior to|although|whereas|while|though|besides|"
    r"differential|anti|differentiat\w+|distinguish\w*|versus|vs|mimic\w*|eliminat\w+|"
    r"non|senza|esclu\w+|improbabil\w+|piuttosto che|invece di|assenza di|"
    r"sin|descart\w+|en lugar de|ausencia de|pas|sans|exclu\w*|ecart\w+|plutot que|absence de|"
    r"kein\w*|nicht|ohne|statt|mentre|mientras|tandis que|wahrend)(?:\s+\S+){0,3}\s*|"
    r"(?:不是|并非|没有|无|未见|排除|不支持|不考虑|而非|"
    r"不符合)\S{0,4}\s*)$"
)
NEGATED_AFTER = re.compile(
    r"\s+(?:alone\s+)?(?:(?:is|are|was|were|seems|appears|would be|can be|could be|has been|have been|e|sembra|es|"
    r"est|ist|wird|"
    r"puo essere|puede ser|peut etre|kann)\s+)?(?:\w+\s+)?(?:not|unlikely|less likely|excluded|ruled out|incorrect|"
    r"wrong|improbable|absent|insufficient|inadequate|inappropriate|contraindicated|unnecessary|non|nicht|esclus\w|"
    r"improbabil\w|meno probabil\w|no es|descartad\w|n est pas|exclue?|"
    r"ausgeschlossen|unwahrscheinlich|falsch|falso|faux|errat\w|sbagliat\w)\b|\S{0,2}(?:可能性[较很]?[小低]|不符|"
    r"不支持|"
    r"可排除|被排除|不正确)"
)

SUPPOSED_AFTER = re.compile(
    r"\s+(?:would|typically|usually|generally|classically|often|commonly|can|may|might|could|tends?|presents?|"
    r"as (?:a |the )?(?:less|second|alternative)|"
    r"mostrerebbe|darebbe|di solito|tipicamente|suele|podria|pourrait|wurde)\b|\s+\w+ (?:would|may|might|could)\b"
)
"""What follows an option's name where the response only compares it or says what it would look like."""

EXCEPTION_QUESTION = re.compile(
    r"\bNOT\b|\bEXCEPT\b|\bFALSE\b|\b(?:is|are|would be|be) (?:not|least|false|incorrect|contraindicated)\b|"
    r"\bexcept\b|\b(?:least|incorrect|false|untrue)\b|\bnot (?:true|correct|indicated|a |an |associated|consistent|"
    r"seen)|"
    r"\bNON\b|\btranne\b|\beccetto\b|\bnon (?:è|sono|corrett|indicat)|\bfals[aoe]\b|\berrat[aoe]\b|"
    r"\bexcepto\b|\bsalvo\b|\bmenos\b|\bincorrect[ao]\b|\bno es\b|\bsauf\b|\bn'est pas\b|\bfausse?\b|"
    r"\bnicht\b|\baußer\b|\bfalsch\b|不正确|错误|除了|不是|不属于|不包括|除外"
)


@lru_cache(maxsize=32768)
def asks_exception(question: str) -> bool:
    """Whether a question asks for the option that is false: "all of these EXCEPT"."""
    return EXCEPTION_QUESTION.search(question) is not None


def one_of(words: Iterable[str]) -> str:
    """An alternation that tries longer words first."""
    return "|".join(sorted(words, key=len, reverse=True))


MOST = 40
"""At most this many nouns, letters and lines are looked at from each end of a response."""

ANSWERS = [noun for nouns in ANSWER_NOUNS.values() for noun in nouns]
OPTIONS = [noun for nouns in OPTION_NOUNS.values() for noun in nouns]
KINDS = {
    **dict.fromkeys(EXCEPTING, "except"),
    **dict.fromkeys(SUPERLATIVES, "superlative"),
    **dict.fromkeys(DIAGNOSIS_NOUNS, "diagnosis"),
    **dict.fromkeys(OPTIONS, "option"),
    **dict.fromkeys(ANSWERS, "answer"),
    **dict.fromkeys(MATCHING, "match"),
    **dict.fromkeys(CHOOSING, "verb"),
}
_IDEOGRAPHIC = re.compile("[\u0600-\u06ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_TOKEN = re.compile(r"[^\W\d_]+")
# Words are cut out of the UTF-8 bytes: many times faster than by a pattern, and this runs for every response.
_LETTERS_ONLY = bytes(sign if chr(sign).isalpha() or sign > 127 else 32 for sign in range(256))


_UNSPACED_LEADS = bytes((*range(0xD8, 0xDC), *range(0xE3, 0xEE)))
"""The first bytes of Arabic, Japanese, Chinese and Korean letters in UTF-8."""


def _by_token() -> dict[bytes, list[str]]:
    """The keywords by their longest word, so that a response is only searched for those whose word it has."""
    known: dict[bytes, list[str]] = {}
    for keyword in KINDS:
        if not _IDEOGRAPHIC.search(keyword):
            known.setdefault(max(_TOKEN.findall(keyword), key=len).encode(), []).append(keyword)
    return known


_BY_TOKEN = _by_token()
_TOKENS = frozenset(_BY_TOKEN)
_UNSPACED = [keyword for keyword in KINDS if _IDEOGRAPHIC.search(keyword)]


def speaks_of_answers(low: str, words: set[bytes]) -> bool:
    """Whether a text, given in lower case and as its words, speaks of answering: only then it can hold a statement."""
    return any(keyword in low for token in _TOKENS & words for keyword in _BY_TOKEN[token])


def tokens(text: str) -> set[bytes]:
    """The words of a text, each once."""
    return set(text.encode(errors="replace").translate(_LETTERS_ONLY).split())


def keywords(low: str) -> list[tuple[int, int]]:
    """Where the words of answering stand, the longest at each place."""
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


def _places(low: str, word: str) -> Iterator[int]:
    """The first and the last places of a word."""
    start = low.find(word)
    for _ in range(5 * MOST):
        if start < 0:
            return
        yield start
        start = low.find(word, start + len(word))
    end = low.rfind(word)
    for _ in range(MOST):
        yield end
        end = low.rfind(word, 0, end)


def _latin(letter: str) -> bool:
    """Whether a letter would make the keyword beside it part of a longer word."""
    return letter.isalpha() and ord(letter) < 0x250
