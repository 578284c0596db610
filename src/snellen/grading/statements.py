"""Explicit statements of an answer in running text: "The correct answer is (B)", "scelgo la C", "答案是D"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from snellen.grading.fragments import EDGES, LATIN, TWO_OPTIONS, Fragment, read_fragment, read_letter
from snellen.grading.option_text import OptionWords
from snellen.grading.phrases import (
    ANSWER_NOUNS,
    APPROVALS,
    CHOOSING,
    COPULAS,
    DENIALS,
    DIAGNOSIS_NOUNS,
    FINALITY,
    JOINED_COPULAS,
    MATCHING,
    OPTION_NOUNS,
    SUPERLATIVES,
    one_of,
)
from snellen.items import LETTERS

MOST = 40
"""At most this many nouns, letters and lines are looked at from each end of a reply."""


SPAN = 48
"""How much of a statement's own words is kept as evidence, beyond its noun."""


class Statement(NamedTuple):
    """An answer stated somewhere in a reply; `firm` if nothing else need be asked, `final` if it says that it is last."""

    start: int
    end: int
    choice: int | None
    rule: str
    firm: bool = True
    final: bool = False


_ANSWERS = [noun for nouns in ANSWER_NOUNS.values() for noun in nouns]
_OPTIONS = [noun for nouns in OPTION_NOUNS.values() for noun in nouns]
_KINDS = {
    **dict.fromkeys(SUPERLATIVES, "superlative"),
    **dict.fromkeys(DIAGNOSIS_NOUNS, "diagnosis"),
    **dict.fromkeys(_OPTIONS, "option"),
    **dict.fromkeys(_ANSWERS, "answer"),
    **dict.fromkeys(MATCHING, "match"),
    **dict.fromkeys(CHOOSING, "verb"),
}
_IDEOGRAPHIC = re.compile("[\u0600-\u06ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_TOKEN = re.compile(r"[^\W\d_]+")


def _by_token() -> dict[str, list[str]]:
    """The keywords by their longest word, so that a reply is only searched for those whose word it has."""
    known: dict[str, list[str]] = {}
    for keyword in _KINDS:
        token = max(_TOKEN.findall(keyword), key=len)
        known.setdefault("" if _IDEOGRAPHIC.search(keyword) else token, []).append(keyword)
    return known


_BY_TOKEN = _by_token()
_TAIL = re.compile(
    rf"([^\n:=?!;.]{{0,70}}?)((?<![{LATIN}])(?:{one_of(COPULAS)})(?![{LATIN}'])|{JOINED_COPULAS}|:|->|=>|=|→|(?<=\s)-(?=\s))[^\S\n]{{0,5}}:?"
)
_HEADING = re.compile(r"()([^\S\n]{0,3}:?[^\S\n]{0,3}\n)")
_HEADLINE = re.compile(
    rf"[\W\d]*(?:(?:the|my|your|final|correct|best|right|most likely|so|therefore|thus|step|la|il|mia|tua|corrett[ao]|finale|"
    rf"giusta|esatta|correcta|final|mejor|bonne|finale|correcte|exacte|die|meine|richtige|endgültige|正确|最终|"
    rf"{one_of([*_ANSWERS, *_OPTIONS, *DIAGNOSIS_NOUNS, *SUPERLATIVES])})[\W\d]*){{1,6}}"
)
_NEGATIVES = ("不", "别", "勿", "非", "not", "n't", "non", " no", "nicht", "pas")
_UPPER = re.compile(rf"(?<![{LATIN}])[A-HJ-Z](?![{LATIN}'])")
_DENIED = re.compile(DENIALS)
_APPROVED = re.compile(APPROVALS)
_FINAL = re.compile(FINALITY)
_SENTENCE_START = re.compile(r"[.!?\n;](?:\s|$)|[。；]|\n")
_SUPPOSED = re.compile(
    r"(?:\b(?:if|whether|assuming|suppose|unless|doubt|hypothetically|n't (?:think|believe|say)|not (?:think|believe|say)|"
    r"se|qualora|non (?:credo|penso|direi)|si|no (?:creo|pienso)|ne (?:pense|crois) pas|wenn|falls|format|pattern)\b|"
    r"如果|若|假如|假设)\W*(?:\S+\s+){0,4}$|(?:^|[.!?\n]\s{0,3})(?:is|could|would|might|can) (?:the|my|this)\s(?:\S+\s){0,2}$"
)
_WRONG_NOUN = re.compile(
    r"(?:\b(?:incorrect|wrong|false|not (?:the|a|my)|n't (?:the|a)|errat\w|sbagliat\w|scorrett\w|non è (?:la|una)|no es (?:la|una)|"
    r"incorrect[ao]|fausse|mauvaise|n'est pas (?:la|une)|falsche|nicht die)\s(?:\w+\s){0,2}|错误的?|不是)$"
)
_UNSURE = re.compile(r"could be|might be|may be|potrebbe|podría|pourrait")
_NOT_BUT = re.compile(
    r"(?:not|non|no|pas|nicht|不是)\s{0,2}[^\n]{1,60}?(?:\bbut\b|\brather\b|\binstead\b|\bit is\b|\bit's\b|\bma\b|"
    r"\bbensì\b|\bsino\b|\bmais\b|\bsondern\b|而是)\s{0,3}",
    re.IGNORECASE,
)
_ASKED = re.compile(r"[^\n.?!]{0,40}\?")
_SENTENCE_END = re.compile(r"[.;!?](?=\s|$)|\n")
_IN_BRACKETS = re.compile(
    rf"[(\[]([A-Z])[)\]]|\b(?:[Oo]ption|[Cc]hoice|[Oo]pzione|[Oo]pción|[Rr]isposta|[Rr]espuesta|[Rr]éponse|[Aa]ntwort|letter|"
    rf"lettera|letra|lettre)\s[(\[\"]?([A-Z])(?![{LATIN}'])"
)
_ID_LINE = re.compile(
    rf"\s{{0,4}}(?:(?:question|domanda|pregunta|frage|item|case|id)\s{{0,2}})?[#\w./-]{{0,60}}\d[\w./-]{{0,40}}?\s{{0,2}}"
    rf"(?:[,;:|=-]|->|→|\)|\.(?=\s))\s{{0,3}}[(\[\"']?([A-Za-z])(?![{LATIN}])[)\]\"'.]{{0,3}}\s{{0,4}}$",
    re.IGNORECASE,
)
_ENUMERATING = re.compile(r"options|choices|opzioni|opciones|selected from|key|format|differen|analys|approach|选项")


def stated(text: str, low: str, words: OptionWords, *, exception: bool) -> Iterator[Statement]:
    """The statements built on a noun or a verb of answering, in order. `exception`: the question asks what is false."""
    for start, end in _keywords(low):
        kind = _KINDS[low[start:end]]
        if kind in ("verb", "match"):
            statement = _after_verb(text, low, start, end, words)
            if statement is not None and kind == "match":
                statement = statement._replace(firm=False)
        else:
            statement = _after_noun(text, low, (start, end, kind), words, exception=exception)
        if statement is not None:
            yield statement


def _keywords(low: str) -> list[tuple[int, int]]:
    """Where the words of answering stand, the longest at each place."""
    tokens = _BY_TOKEN.keys() & set(_TOKEN.findall(low))
    present = [keyword for token in tokens for keyword in _BY_TOKEN[token]]
    if not low.isascii() and _IDEOGRAPHIC.search(low):
        present += _BY_TOKEN[""]
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


def sentence_before(low: str, start: int, reach: int = 60) -> str:
    """What stands before a place in the same sentence."""
    before = low[max(0, start - reach) : start]
    ends = [found.end() for found in _SENTENCE_START.finditer(before)]
    return before[ends[-1] :] if ends else before


def _after_verb(text: str, low: str, start: int, end: int, words: OptionWords) -> Statement | None:
    before = sentence_before(low, start, 24)
    if (low[start] in "选選" and low[end : end + 1] == "项") or before.rstrip().endswith(_NEGATIVES):
        return None
    if _SUPPOSED.search(before):
        return None
    fragment = read_rest(line_after(text, end), words)
    if fragment is None:
        return None
    return Statement(start, end + SPAN // 2, fragment.choice, _rule(fragment, "answer-phrase"))


def _after_noun(
    text: str, low: str, noun: tuple[int, int, str], words: OptionWords, *, exception: bool
) -> Statement | None:
    start, end, kind = noun
    before = sentence_before(low, start)
    if _SUPPOSED.search(before) or "differential" in before[-14:]:
        return None
    tail = _HEADING.match(low, end) or _TAIL.match(low, end)
    for attempt in range(3):
        if tail is None or not _may_answer(text[end : tail.start(2)], before, kind, exception=exception):
            return None
        may_turn = _may_turn(low[low.rfind("\n", 0, start) + 1 : tail.start(2)], tail.group(2))
        fragment, place, until = _read_on(text, tail.end(), words, may_turn=may_turn)
        if fragment is not None and (attempt == 0 or fragment.rule != "ordinal"):
            sure = kind in ("answer", "option") or fragment.rule.startswith("letter")
            firm = sure and not _UNSURE.match(tail.group(2))
            final = bool(_FINAL.search(before[-30:] + low[start:place]))
            return Statement(start, until, fragment.choice, _rule(fragment, "answer-phrase"), firm, final)
        tail = None if tail.group(2).endswith("\n") else _TAIL.match(low, tail.end())
    return None


def _may_answer(gap_as_written: str, before: str, kind: str, *, exception: bool) -> bool:
    """Whether a noun with what stands around it introduces an answer, and does not deny or enumerate."""
    gap = gap_as_written.lower()
    if _UPPER.search(gap_as_written) or _ENUMERATING.search(gap):
        return False
    if not exception and (_WRONG_NOUN.search(before) or _DENIED.search(gap)):
        return False
    if kind in ("answer", "superlative") or not gap.strip():
        return True
    return bool(_APPROVED.search(gap if kind == "diagnosis" else before[-40:] + " " + gap))


def _may_turn(line: str, copula: str) -> bool:
    """Whether a line is a heading over an answer: "### Final answer", "The correct answer is:"."""
    if len(line) > 120:
        return False
    return _HEADLINE.fullmatch(line) is not None or (copula.strip(": \n") != "" and _APPROVED.search(line) is not None)


def line_after(text: str, place: int, reach: int = 220) -> str:
    """The rest of the line."""
    rest = text[place : place + reach]
    return rest.split("\n", 1)[0]


def _read_on(text: str, place: int, words: OptionWords, *, may_turn: bool) -> tuple[Fragment | None, int, int]:
    """What stands after a copula or a colon, on the same line or, for a heading, on the next; and from where to where."""
    piece = text[place : place + 400]
    rest = piece.lstrip(" \t\r\n:")
    place += len(piece) - len(rest)
    if "\n" in text[place - (len(piece) - len(rest)) - 1 : place] and (not may_turn or opens_list(rest)):
        return None, place, place
    line = rest.split("\n", 1)[0]
    cut = len(line) if len(line) <= SPAN else line.rfind(" ", 8, SPAN) + 1 or SPAN
    return id_line(line, words) or read_rest(line, words), place, place + cut


LABEL = re.compile(r"[\s>•-]{0,8}(?:[Oo]p\w{2,7}\s)?[(\[]?([A-Z])(?:[)\].:](?:\s|$)|\s\()")


def opens_list(text: str) -> bool:
    """Whether the first two lines carry the labels of two neighbouring options, as a repeated list of options does."""
    line, _, following = text.lstrip().partition("\n")
    label, after = LABEL.match(line), LABEL.match(following.lstrip())
    return bool(label and after and label.group(1) != after.group(1))


def id_line(line: str, words: OptionWords) -> Fragment | None:
    """A line that is an item's id or number and a letter: "IT0006, C"."""
    if len(line) > 140:
        return None
    found = _ID_LINE.match(line)
    if found is None:
        return None
    place = LETTERS.index(found.group(1).upper())
    return Fragment(place, "letter") if place < words.size else Fragment(None, "letter-not-offered")


def read_rest(rest: str, words: OptionWords) -> Fragment | None:
    """What a statement says after its copula: an answer at once, or one answer named in its sentence."""
    turned = _NOT_BUT.match(rest)
    if turned:
        return read_fragment(rest[turned.end() :], words)
    if _ASKED.match(rest):
        return None
    fragment = read_fragment(rest, words)
    if fragment is not None:
        return fragment
    ended = _SENTENCE_END.search(rest)
    if ended and ended.group() == "?":
        return None
    sentence = rest[: ended.start()] if ended else rest
    if _DENIED.match(sentence.lower().lstrip(EDGES)):
        return None
    letters = {found.group(1) or found.group(2) for found in _IN_BRACKETS.finditer(sentence)}
    offered = {letter for letter in letters if LETTERS.index(letter) < words.size}
    if len(offered) == 1 and not _DENIED.search(sentence.lower()):
        return Fragment(LETTERS.index(offered.pop()), "letter")
    if len(offered) > 1:
        return TWO_OPTIONS
    return _one_named(sentence, words)


def _one_named(sentence: str, words: OptionWords) -> Fragment | None:
    named = set(words.named(sentence))
    if len(named) == 1:
        return Fragment(named.pop(), "option-text")
    return TWO_OPTIONS if named else None


def _rule(fragment: Fragment, rule: str) -> str:
    return fragment.rule if fragment.choice is None else rule


_VERDICT = re.compile(
    rf"([A-Z])(?![{LATIN}'])[)\].\":]{{0,2}}\s?(?:\([^()\n]{{0,120}}\)\s?)?(?:选项|答案)?"
    rf"(?:(?:is|seems|appears|remains|would be|è|sarebbe|sembra|es|sería|parece|est|serait|semble|ist|wäre|scheint|é)\s|"
    rf"是|最|(?=正确)|(?=the (?:correct|best|right|most))|as (?=the)|come (?=la)|(?=la (?:risposta|respuesta|réponse)))"
    rf"(?=([^\n.;,]{{0,90}}))"
)
_BEFORE_VERDICT = re.compile(
    rf"(?:^|[\n.!?:;,(\[\"'*>-]|(?<![{LATIN}])(?:that|so|thus|therefore|think|believe|and|but|only|making|hence|because|la|"
    rf"l'|che|quindi|que|porque|donc|dass|also|makes|why|cui|{one_of(_ANSWERS + _OPTIONS)}))\s?$|[\u3000-\u9fff]$"
)
_CLAIM = re.compile(rf"(?:\S+\s){{0,5}}?\S{{0,4}}?(?<![{LATIN}])(?:{APPROVALS})(?![{LATIN}])")
_OUTRIGHT = re.compile(r"(?:the |la |le |die |quella )?(?:correct|right\b|corrett[ao]|giust[ao]|esatt[ao]|richtig|exacte?\b|corret[ao]|正确)")
_FOREMOST = re.compile(
    r"(?:\S+\s){0,2}?(?:most|best|more|più|miglior\w*|más|mejor|plus|meilleure?|am|beste\w*|likely|probable|probabile|wahrscheinlich\w*|最|答案)"
)
_NAMED_ANSWER = re.compile(
    rf"(?:\S+\s){{0,6}}?\S{{0,6}}(?:answer|option|choice|risposta|opzione|scelta|respuesta|opción|réponse|choix|antwort|答案|选项)"
)


def verdicts(text: str, words: OptionWords, *, exception: bool) -> Iterator[Statement]:
    """Letters that are called right: "Option C is the correct answer", "la B è corretta", "D是正确的"."""
    for found in islice(_VERDICT.finditer(text), 200):
        start = found.start()
        if not _BEFORE_VERDICT.search(text[max(0, start - 24) : start].lower()):
            continue
        claim = found.group(2).lower()
        approved = _CLAIM.match(claim)
        place = LETTERS.index(found.group(1))
        if approved is None or place >= words.size or _DENIED.search(claim[: approved.end() + 12]):
            continue
        named = _NAMED_ANSWER.match(claim) is not None
        firm = named or (not exception and _OUTRIGHT.match(claim) is not None)
        if named or firm or (not exception and _FOREMOST.match(claim)):
            end = found.start(2) + approved.end()
            yield Statement(start, end, place, "called-correct", firm=firm)


__all__ = [
    "MOST",
    "Statement",
    "id_line",
    "line_after",
    "read_letter",
    "read_rest",
    "sentence_before",
    "stated",
    "verdicts",
]
