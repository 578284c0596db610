"""Words by which responses state, deny, correct and list answers, in several languages.

Most patterns are for text in lower case with straight quotes. The negations of option words are for text without
accents and punctuation. A *copula* is a word such as "is" that links a noun and an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from snellen.lexicon import read_lexicon
from snellen.runtime import regex

_LEXICON = read_lexicon("answering")

DIAGNOSIS_NOUNS = _LEXICON.read_phrases("diagnosis nouns")
SUPERLATIVES = _LEXICON.read_phrases("superlatives")
CHOOSING = _LEXICON.read_phrases("choosing")
LEADING = _LEXICON.read_phrases("leading")
EXCEPTING = _LEXICON.read_phrases("excepting")
MATCHING = _LEXICON.read_phrases("matching")
COPULAS = _LEXICON.read_lines("copulas")
JOINED_COPULAS = "应该是|应该选|应该为|应当是|应为|應為|应是|應該是|就是|是|为|為|选择|选|は|은|는"
"""Copulas of languages without spaces between words."""

APPROVALS = _LEXICON.read_text("approvals")
FINAL = _LEXICON.compile_text("finality")
CONCLUDING = _LEXICON.compile_text("conclusions")
APPROVED, CORRECTED, DENIED = map(_LEXICON.compile_text, ("approvals", "corrections", "denials"))
YES_WORDS = _LEXICON.read_words("yes words")
NO_WORDS = _LEXICON.read_words("no words")

NEGATED_BEFORE = _LEXICON.compile_text("negated before")
NEGATED_AFTER = _LEXICON.compile_text("negated after")
SUPPOSED_AFTER = _LEXICON.compile_text("supposed after")
EXCEPTION_QUESTION = _LEXICON.compile_text("exception question")


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

ANSWERS = _LEXICON.read_phrases("answer nouns")
"""All nouns for an answer."""
OPTIONS = _LEXICON.read_phrases("option nouns")
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
LATIN = _LEXICON.read_text("latin")
AFTER_LETTER = _LEXICON.read_words("after letter")
AFTER_VOWEL = _LEXICON.read_words("after vowel")
SPECIES_NAMES = _LEXICON.read_words("species names")
LETTERS_JOINED = _LEXICON.read_text("letters joined")
SERIES_END = _LEXICON.compile_text("series end")
SERIES_DENIED = _LEXICON.compile_text("series denied")
LETTER_DENIED = _LEXICON.compile_text("letter denied")
JUDGED_WRONG = _LEXICON.compile_text("judged wrong")
LEFT_OPEN = _LEXICON.compile_text("left open")
LETTER_AS_SUBJECT = _LEXICON.compile_text("letter as subject")
LETTER_ASIDE = _LEXICON.compile_text("letter aside")
LETTER_TAKEN_BACK = _LEXICON.compile_text("letter taken back")
ID_LINE = _LEXICON.compile_text("id line", re.IGNORECASE)
OPTION_LABEL = _LEXICON.compile_text("option label")
JUDGED_IN_TURN = _LEXICON.compile_text("judged in turn", re.IGNORECASE)
SUB_LABEL = _LEXICON.compile_text("sub label")
LISTED_LABEL = _LEXICON.compile_text("listed label", re.MULTILINE)
CLOSING_ANSWER = _LEXICON.compile_text("closing answer")
LABELLED_ANSWER = _LEXICON.compile_text("labelled answer")
QUICK_ANSWER = _LEXICON.compile_text("quick answer", re.IGNORECASE)

NOUNS = one_of((*OPTIONS, *ANSWERS))
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
OR_YES_NO = _LEXICON.compile_text("or yes no", re.IGNORECASE)
JOINED_YES_NO = _LEXICON.compile_text("joined yes no")
OPENS_WITH_NONE = _LEXICON.compile_text("opens with none", re.IGNORECASE)
ORDINAL_NAMED = tuple(
    regex(
        rf"(?:the |la |il |el |le |die |der )?(?:{words})[\s-]?(?:个|項|项)?\s?"
        rf"(?:$|(?:{NOUNS}|choice|möglichkeit|个|项)(?:\s|[.,:;)]|$))",
        re.IGNORECASE,
    )
    for words in _LEXICON.read_lines("ordinals")
)
"""Names of an option by its position: one pattern for each position."""

LETTER_CALLED = _LEXICON.compile_text("letter called")
BEFORE_LETTER_CALLED = regex(
    rf"(?:^|[\n.!?:;,(\[\"'*>-]|(?<![{LATIN}])(?:that|so|thus|therefore|think|believe|and|but|only|making|hence|"
    rf"because|la|"
    rf"l'|che|quindi|que|porque|donc|dass|also|makes|why|cui|{NOUNS}))\s?$|[\u3000-\u9fff]$"
)
"""Text that may precede a letter that the response calls right."""
APPROVING = _LEXICON.compile_text("approving")
OUTRIGHT = _LEXICON.compile_text("outright")
FOREMOST = _LEXICON.compile_text("foremost")
NAMED_ANSWER = _LEXICON.compile_text("named answer")
WORDS_APPROVED = _LEXICON.compile_text("words approved")
LAST_WORD = _LEXICON.compile_text("last word")
VALUE = _LEXICON.compile_text("value")
SMALL_WORDS = _LEXICON.read_words("small words")
JOINING = _LEXICON.read_words("joining")
ALL_OF_THEM = _LEXICON.compile_text("all of them")
NONE_OF_THEM = _LEXICON.compile_text("none of them")
COMPOUND = _LEXICON.compile_text("compound")
ARTICLE = _LEXICON.compile_text("article")
JOINT = _LEXICON.compile_text("joint")
OR_BEFORE = _LEXICON.compile_text("or before")
OR_AFTER = _LEXICON.compile_text("or after")
CONTRASTS = _LEXICON.read_phrases("contrasts")
SPECIFIED = _LEXICON.compile_text("specified")
NEXT_QUESTION = _LEXICON.compile_text("next question")
NO_OPTION = _LEXICON.compile_text("no option")
NONE_FITS = _LEXICON.compile_text("none fits")
CLOSEST = _LEXICON.compile_text("closest")
VERDICT = _LEXICON.compile_text("verdict", re.IGNORECASE)
CUE = _LEXICON.compile_text("cue")
LETTER_MENTION = _LEXICON.compile_text("letter mention")
LETTER_SERIES = _LEXICON.compile_text("letter series")
HOLDS = _LEXICON.compile_text("holds")
EXAMINED = _LEXICON.compile_text("examined")
SUPPOSING = _LEXICON.compile_text("supposing")
IF = _LEXICON.compile_text("if")
CONCESSION = _LEXICON.compile_text("concession")
NEGATIVE_FINDING = _LEXICON.compile_text("negative finding")
POSITIVE_FINDING = _LEXICON.compile_text("positive finding")
PRESENT = _LEXICON.compile_text("present")
ABSENT = _LEXICON.compile_text("absent")
YES_NO_DRAWN = _LEXICON.compile_text("yes no drawn")
POLARITY = {"yes": "yes", "positive": "yes", "affirmative": "yes", "no": "no", "negative": "no"}
"""Yes or no for each word of a conclusion such as "positive"."""
ABSENCE_ASKED = _LEXICON.compile_text("absence asked")
NO_SUBJECT = _LEXICON.read_words("no subject")

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
_LATIN_OPTIONS = [noun for language in ("en", "it", "es") for noun in _LEXICON.read_phrases("option nouns", language)]
CLOSING_LABEL = regex(
    rf"[^\w\n]{{0,12}}(?:(?:the|my|so|therefore|thus|hence|final|correct|best|right|la|il|mia|l'|el|mi|le|die|meine|der|"
    rf"risposta|respuesta|réponse|richtige|endgültige|mejor|bonne|最终|最后|正确|answer|option)[^\w\n]{{0,4}}){{0,5}}"
    rf"(?<![a-zà-ɏ])(?:{one_of([*ANSWERS, *_LATIN_OPTIONS])})"
    rf"(?:\s(?:corrett[ao]|giusta|esatta|finale|definitiva|correcta|final|correcte|exacte|letter))?"
    rf"(?:\s(?:is|è|es|est|ist)(?=\s{{0,2}}:))?[^\w\n:]{{0,3}}(:?)[^\w\n(\[-]{{0,6}}",
    re.IGNORECASE,
)
"""Label of a line that contains only the answer: "**Final answer:**"."""
NEGATIVES = _LEXICON.read_lines("negatives")
SUPPOSED = _LEXICON.compile_text("supposed")
OTHER_SENSES = _LEXICON.read_words("other senses")
BEFORE_ANSWER = _LEXICON.read_words("before answer")
AFTER_NOUN = _LEXICON.read_words("after noun")
WRONG_NOUN = _LEXICON.compile_text("wrong noun")
UNSURE = _LEXICON.compile_text("unsure")
WOULD = _LEXICON.compile_text("would")
CONDITION = _LEXICON.compile_text("condition")
NOT_BUT = _LEXICON.compile_text("not but", re.IGNORECASE)
LETTER_NAMED = _LEXICON.compile_text("letter named")
OFFERED = _LEXICON.compile_text("offered")
AMONG_OPTIONS = _LEXICON.compile_text("among options")
ENUMERATING = _LEXICON.compile_text("enumerating")
LONE_LETTER = _LEXICON.compile_text("lone letter")
LEADS = regex(
    rf"(?<![{LATIN}'])(?:{one_of(LEADING)})(?![{LATIN}'])\s?(?:is|are|would be|è|es|est|ist|la)?\s?[:=]?\s?"
    rf"(?:only |with |us with |the |la |option |choice |answer |as |l'opzione |la risposta |l'option |"
    rf"la opción )?[(\[\"']?$"
)
"""A leading word before a letter."""
TEMPTED = _LEXICON.compile_text("tempted")

_IDEOGRAPHIC = regex("[\u0600-\u06ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_TOKEN = regex(r"[^\W\d_]+")
# Words are cut from the UTF-8 bytes, which is much faster than a pattern; this runs for every response.
_LETTERS_ONLY = bytes(sign if chr(sign).isalpha() or sign > 127 else 32 for sign in range(256))

_UNSPACED_LEADS = bytes((*range(0xD8, 0xDC), *range(0xE3, 0xEE)))
"""First bytes of Arabic, Japanese, Chinese and Korean letters in UTF-8."""


def _by_token() -> dict[bytes, list[str]]:
    """Map words to keywords by each keyword's longest word. So only keywords that can occur are searched."""
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


STATED = _LEXICON.compile_text("stated", re.IGNORECASE)
DIAGNOSED = _LEXICON.compile_text("diagnosed", re.IGNORECASE)
EXPLAINS = _LEXICON.compile_text("explains", re.IGNORECASE)

_LEADING = (
    *(*ANSWERS, *OPTIONS),
    *("the", "my", "final", "correct", "best", "is", "la", "il", "le", "die", "è", "es", "est", "ist", "finale"),
    *("correcta", "corretta", "correcte", "richtige", "是", "选", "选择", "最终", "正确"),
)
"""Words that may precede a letter that is the whole answer."""
_LONE_LETTER = regex(rf"\W*(?:(?i:{one_of(_LEADING)})\W*){{0,6}}[A-Z]\W*")
_WANTS_LETTER = _LEXICON.compile_text("wants letter")
