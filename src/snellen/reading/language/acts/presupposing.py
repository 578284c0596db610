"""Acts on a premise, which is something that a question takes for granted: a text denies or accepts it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from snellen.lexicon import read_lexicon
from snellen.reading.language.negation import denied_words
from snellen.reading.language.sentences import sentences_of
from snellen.runtime import regex

_WORDS = read_lexicon("premises")


class PremiseAct(NamedTuple):
    """The way in which a text deals with the premise, and the sentence."""

    way: str
    sentence: str


class Claimed(NamedTuple):
    """Content of a premise: a thing with the pattern of its names, and its side and number if given."""

    concept: str
    names: re.Pattern[str]
    side: str = ""
    number: int = 0


class PremiseResponse(NamedTuple):
    """Treatment of a premise by a text: denial, implied absence, affirmation, or only an answer."""

    denied: PremiseAct | None = None
    implied: PremiseAct | None = None
    affirmed: PremiseAct | None = None
    answered: PremiseAct | None = None


_NE = regex("(?<![a-z])n'(?=[a-z])")


def _plain(text: str) -> str:
    """Return a text in lower case without accents; French "n'est pas" becomes "ne est pas"."""
    parted = unicodedata.normalize("NFD", text.casefold().replace("œ", "oe").replace("ß", "ss").replace("’", "'"))
    return _NE.sub("ne ", "".join(sign for sign in parted if not unicodedata.combining(sign)))


def _whole_word_pattern(*pieces: str) -> re.Pattern[str]:
    """Return a pattern of any of the pieces: Latin ones as whole words, Chinese ones anywhere."""
    return regex("|".join(rf"(?<![a-z0-9])(?:{piece})(?![a-z0-9])|{_signs(piece)}" for piece in pieces))


def _signs(piece: str) -> str:
    """Return the Chinese pieces alone; without any, a pattern that never matches."""
    return "|".join(each for each in piece.split("|") if re.search("[\u3040-\u9fff]", each)) or "(?!)"


def _match_words(*names: str) -> re.Pattern[str]:
    return _whole_word_pattern(*map(_WORDS.read_text, names))


_CONCEPTS, _WITHIN = _WORDS.read_table("concepts"), _WORDS.read_table("within")
_NAMES = {concept: _whole_word_pattern(pieces) for concept, pieces in _CONCEPTS.items()}
_CONTRARY = {concept: _whole_word_pattern(pieces) for concept, pieces in _WORDS.read_table("contrary").items()}
_SIDES = {side: _whole_word_pattern(pieces) for side, pieces in _WORDS.read_table("sides").items()}
_BOTH = _match_words("both sides")
_NUMBERS = {word: int(number) for number, listed in _WORDS.read_table("numbers").items() for word in listed.split()}
_A_NUMBER = "|".join(sorted(_NUMBERS, key=len, reverse=True))
_COUNTED = regex(
    rf"(?<![\w.])({_A_NUMBER}) (?:\w+[- ]){{0,3}}?(?:{_WORDS.read_text('counted')})\b|"
    rf"(?:{_WORDS.read_text('counts')})(?:an? )?({_A_NUMBER})(?![\w.%])"
)
_NOT_SO_MANY = regex(rf"\b(?:not|rather than|instead of|of) (?:\w+ )?({_A_NUMBER})(?!\w)")
_ALL_NORMAL = [regex(piece) for piece in _WORDS.read_lines("all normal")]
_OTHERWISE, _PREMISE = _WORDS.compile_text("otherwise"), [regex(piece) for piece in _WORDS.read_lines("premise")]
_NOT_SO, _NONE = _WORDS.compile_text("not so"), regex(rf"(?<![a-z])(?:{_WORDS.read_text('none')})")
_NOTHING = _WORDS.compile_text("nothing")
_NEGATOR = _match_words("no", "not")
_NO, _SEES, _ABLE = map(_match_words, ("no", "sees", "able"))
_DEGREE, _CHANGE = _match_words("degree"), _match_words("change")
_AFTER = _WORDS.compile_text("denied after")
_ENTERED = _WORDS.compile_text("entered")
_CANNOT = _WORDS.compile_text("cannot")
_ANOTHER = _WORDS.compile_text("another one")
_ON_THE_OTHER_SIDE = _WORDS.compile_text("on the other side")
_THERE_IS = regex(r"\bthere (?:(?:is|are|was|were) )?$")
_SOME = regex(r" (?:an?|any)\b(?!.*\b(?:to|that|the|is|are)\b)")
_DENIES_IN_CHINESE = regex("(?:没有|未见|未发现|没看到|看不到|不存在|并无|未显示|无)[^，。；,;]{0,8}$")
_BEFORE, _SUPPOSED = _match_words("before"), _WORDS.compile_text("supposed")
_GENERAL, _POINTS, _DETERMINED = map(_WORDS.compile_text, ("general", "points", "determined"))
_ASKS = {kind: regex(pieces) for kind, pieces in _WORDS.read_table("asks").items()}
_ANSWERS = {kind: _whole_word_pattern(pieces) for kind, pieces in _WORDS.read_table("answers").items()}
_TURN = _WORDS.compile_text("turns")
_DEFINES = _WORDS.compile_text("defines")
_UNTOLD, _UNMEASURED = _WORDS.compile_text("untold"), _WORDS.compile_text("unmeasured")
_DESCRIBES, _TOO_POOR = _WORDS.compile_text("describes"), _WORDS.compile_text("too poor")
_DEPENDS, _ASKS_BACK = _WORDS.compile_text("depends"), _WORDS.compile_text("asks back")
_CLAUSE = _WORDS.compile_text("clause ends")
_SOUND = regex(r"\b(?:clear|normal|unremarkable|healthy|intact)\b")
_WORD = regex(r"[a-z0-9]+(?:['-][a-z0-9]+)*|[.,;:()?]")
_PRONOUN = _WORDS.compile_text("pronoun")
_NEAR = 24
_CLOSE = 3
"""At most this many words separate "not" from what it denies without a verb: "not an acute left effusion"."""
_LONGEST = 1_000
"""Longest piece of a sentence that is read at once, in characters."""
_FEW = 12
"""A response with at most this many words counts as an answer if it names nothing else."""


@lru_cache(maxsize=1024)
def claimed_in(claims: str) -> Claimed:
    """Read the content of a premise.

    >>> found = claimed_in("three left-sided lung nodules")
    >>> found.concept, found.side, found.number
    ('nodule', 'left', 3)
    """
    low = _plain(claims)
    sides = [side for side, pattern in _SIDES.items() if pattern.search(low)]
    side = sides[0] if len(sides) == 1 else ""
    number = next((_NUMBERS[word] for word in low.split() if word in _NUMBERS), 0)
    found = [(mark.start(), -len(mark.group()), each) for each, names in _NAMES.items() if (mark := names.search(low))]
    if found:
        concept = min(found)[2]
        wider = _WITHIN.get(concept)
        names = _whole_word_pattern(_CONCEPTS[concept], _CONCEPTS[wider]) if wider else _NAMES[concept]
        return Claimed(concept, names, side, number)
    return Claimed("", _own_names(low), side, number)


def _own_names(low: str) -> re.Pattern[str]:
    """Return a pattern for an unlisted thing: its last word with any ending, or all of it in scripts without spaces."""
    left = [word for word in low.split(" in ")[0].split(" of ")[0].split() if word not in _NUMBERS]
    if not left:
        return re.compile("(?!)")
    head = re.escape(re.sub("(?:es|s)$", "", left[-1]) if len(left[-1]) > len("mass") else left[-1])
    return re.compile(rf"{head}" if not head.isascii() else rf"(?<![a-z]){head}\w{{0,2}}(?![a-z])")


def dealt_with(text: str, question: str, claims: str) -> PremiseResponse:
    """Return what a text does with the premise of a question. `claims` holds the premise in words."""
    about = claimed_in(claims)
    sentences = [(each, _plain(each)) for each in _split_sentences(text)]
    told = _without_lesson(sentences, about)
    affirmed = next((PremiseAct("affirms", each) for each, low in told if _affirms(low, about)), None)
    implied = _find_implied_denial(sentences, about)
    normal = implied is not None and implied.way == "all-normal" and _comes_first(sentences, implied, affirmed)
    answered = _find_answer(told, about, _plain(question))
    there = affirmed or (answered if answered and _is_brief(answered.sentence) else None)
    denied = _find_denial(sentences, about, there) or (implied if normal else None)
    return PremiseResponse(denied, implied, affirmed, answered)


def _is_brief(sentence: str) -> bool:
    """Return whether a sentence is a short answer that denies nothing: "On the left"."""
    low = _plain(sentence)
    return len(low.split()) <= _FEW // 2 and not _NEGATOR.search(low) and not _SOUND.search(low)


def _without_lesson(sentences: Sequence[tuple[str, str]], about: Claimed) -> list[tuple[str, str]]:
    """Return the sentences without teaching.

    If the first sentence with the thing is a definition, only sentences about this image remain.
    """
    first = next((low for _, low in sentences if about.names.search(low)), "")
    if not _DEFINES.search(first):
        return list(sentences)
    return [(each, low) for each, low in sentences if _POINTS.search(low)]


def _comes_first(sentences: Sequence[tuple[str, str]], one: PremiseAct, other: PremiseAct | None) -> bool:
    places = [each for each, _ in sentences]
    return other is None or places.index(one.sentence) <= places.index(other.sentence)


def leaves_open(text: str) -> str | None:
    """Return the words by which a text calls something uncertain, or None."""
    low = _plain(text)
    found = _UNTOLD.search(low) or _UNMEASURED.search(low)
    return found.group() if found else None


def calls_poor(text: str) -> str | None:
    """Return the words that call the image too poor for an answer, or None."""
    found = _TOO_POOR.search(_plain(text))
    return found.group() if found else None


def _split_sentences(text: str) -> list[str]:
    """Return the sentences of a text. Overlong ones are cut, because reading them would take too long."""
    whole = [each for line in text.splitlines() if line.strip() for each in (sentences_of(line) or [line])]
    return [each[at : at + _LONGEST] for each in whole for at in range(0, len(each), _LONGEST)]


def _find_denial(
    sentences: Sequence[tuple[str, str]], about: Claimed, affirmed: PremiseAct | None
) -> PremiseAct | None:
    """Return the first sentence that plainly denies the premise."""
    for each, low in sentences:
        if _of_premise(low):
            return PremiseAct("questions-premise", each)
        if _NOTHING.fullmatch(low) or (_NONE.search(low) and not _is_supposed(low) and not _BEFORE.search(low)):
            return PremiseAct("says-absent", each)
        for clause in _clauses(low):
            if any(_is_denied(low, clause, mark, about) for mark in _mentions(low, clause, about)):
                sides = _sides_in(low[clause[0] : clause[1]]) or _sides_in(low)
                if affirmed is not None and not about.side and len(sides) == 1:
                    continue
                return PremiseAct("says-absent", each)
    return _find_other_side(sentences, about) or _of_other_number(sentences, about)


def _is_supposed(low: str) -> bool:
    """Return whether a sentence opens with a supposition such as "if"."""
    return _SUPPOSED.match(low.strip()) is not None


def _of_premise(low: str) -> bool:
    return any(each.search(low) for each in _PREMISE) and _NOT_SO.search(low) is not None


def _clauses(low: str) -> list[tuple[int, int]]:
    cuts = [0, *(mark.end() for mark in _CLAUSE.finditer(low)), len(low)]
    return [(start, end) for start, end in pairwise(cuts) if low[start:end].strip()]


def _mentions(low: str, clause: tuple[int, int], about: Claimed) -> Iterator[re.Match[str]]:
    return about.names.finditer(low, *clause)


def _is_denied(low: str, clause: tuple[int, int], mark: re.Match[str], about: Claimed) -> bool:
    """Return whether a clause says that the thing named at `mark` is absent.

    Statements about its size, an earlier time or the other side do not count.
    """
    start, end = clause
    said = low[start:end]
    if _BEFORE.search(said) or _is_supposed(low) or _SUPPOSED.search(low, start, mark.start()):
        return False
    sides = _sides_in(said)
    if (about.side and sides and about.side not in sides) or _ON_THE_OTHER_SIDE.search(said):
        return False
    if not low.isascii() and _DENIES_IN_CHINESE.search(low[start : mark.start()]):
        return True
    negators = list(_NEGATOR.finditer(low, start, mark.start()))
    if negators:
        return _denies(low, negators[-1], mark)
    if _ENTERED.match(low, mark.end()):
        return True
    if _AFTER.match(low, mark.end(), end):
        return not _is_degree(low[mark.end() : end])
    if _NEGATOR.search(said) or re.search(r"\b(?:the|its|this|these)\b", low[start : mark.start()]):
        return False
    return _NEGATOR.search(low, 0, start) is not None and _is_listed(low, mark)


def _denies(low: str, negator: re.Match[str], mark: re.Match[str]) -> bool:
    """Return whether a negation before a name applies to it."""
    between = low[negator.end() : mark.start()]
    wary = re.search(r"would(?: not|n't)$", low[: negator.end()]) is not None
    if (
        _ANOTHER.match(between)
        or (_ABLE.search(between) and not wary)
        or _CHANGE.search(between)
        or _DEGREE.search(between)
    ):
        return False
    if _NO.fullmatch(negator.group()):
        of_it = re.search(r"\b(?:evidence|signs?|trace|suggestion|indication)s? (?:of|for)\b", between)
        return of_it is not None or not re.search(r"\b(?:the|its|this|is|are)\b", between)
    if _THERE_IS.search(low[: negator.start()]) and _SOME.match(between):
        return True
    return _SEES.search(between) is not None or len(between.split()) <= _CLOSE


def _is_degree(after: str) -> bool:
    found = re.search(r"(?:not|n't|nicht|non|no)\W+(?:\w+\W+){0,1}?(\w+)", after)
    return found is not None and _DEGREE.fullmatch(found.group(1)) is not None


def _is_listed(low: str, mark: re.Match[str]) -> bool:
    """Return whether a name is in a list that begins with "no": "no mass, effusion or cyst"."""
    tokens = list(_WORD.finditer(low))
    denied = denied_words([token.group() for token in tokens])
    at = [no for token, no in zip(tokens, denied, strict=True) if mark.start() <= token.start() < mark.end()]
    return bool(at) and all(at)


def _sides_in(said: str) -> set[str]:
    """Return the sides that a text names and does not deny."""
    if _BOTH.search(said):
        return {"left", "right"}
    kept = re.sub(r"\b(?:not|rather than|instead of)(?: (?:on|in|at))?(?: the)? (?:left|right)\S*", " ", said)
    return {side for side, pattern in _SIDES.items() if pattern.search(kept)}


def _find_other_side(sentences: Sequence[tuple[str, str]], about: Claimed) -> PremiseAct | None:
    """Return the sentence that puts the thing on the other side. None if any sentence names the claimed side."""
    if not about.side:
        return None
    other: PremiseAct | None = None
    for each, low in sentences:
        if _is_general(low) or _names_another(low, about):
            continue
        for start, end in _clauses(low):
            said = low[start:end]
            if _SOUND.search(said) or _is_absent(low, (start, end), about):
                continue
            sides = _sides_in(said)
            if about.side in sides:
                return None
            if sides and other is None:
                other = PremiseAct("says-other-side", each)
    return other


def _is_absent(low: str, clause: tuple[int, int], about: Claimed) -> bool:
    """Return whether a clause says that the thing is absent, on any side."""
    anywhere = about._replace(side="")
    return any(_is_denied(low, clause, mark, anywhere) for mark in _mentions(low, clause, about))


def _of_other_number(sentences: Sequence[tuple[str, str]], about: Claimed) -> PremiseAct | None:
    if not about.number:
        return None
    other: PremiseAct | None = None
    for each, low in sentences:
        if _is_general(low):
            continue
        denied = {mark.start(1) for mark in _NOT_SO_MANY.finditer(low)}
        said = [
            (mark.start(group), mark.group(group))
            for mark in _COUNTED.finditer(low)
            for group in (1, 2)
            if mark.group(group)
        ]
        numbers = {_NUMBERS[word] for place, word in said if place not in denied}
        if about.number in numbers:
            return None
        if numbers and other is None:
            other = PremiseAct("says-other-number", each)
    return other


def _find_implied_denial(sentences: Sequence[tuple[str, str]], about: Claimed) -> PremiseAct | None:
    """Return the first sentence that implies absence: it names the opposite, or calls the image normal."""
    contrary = _CONTRARY.get(about.concept)
    sound: set[str] = set()
    for each, low in sentences:
        if _SUPPOSED.search(low) or _OTHERWISE.search(low):
            continue
        for mark in contrary.finditer(low) if contrary else ():
            sides = _sides_in(low[max(0, low.rfind(",", 0, mark.start())) : mark.end()])
            sound |= sides or {"left", "right"}
            if about.side in sound or len(sound) == len(_SIDES):
                return PremiseAct("contrary", each)
        if any(pattern.search(low) for pattern in _ALL_NORMAL):
            return PremiseAct("all-normal", each)
    return None


def _affirms(low: str, about: Claimed) -> bool:
    """Return whether a sentence treats the thing as present in this image."""
    if _is_general(low):
        return False
    for clause in _clauses(low):
        said = low[clause[0] : clause[1]]
        told = low[max((turn.end() for turn in _TURN.finditer(low, 0, clause[0])), default=0) : clause[1]]
        if (_CANNOT.search(told) and _ABLE.search(told)) or _UNTOLD.search(told):
            continue
        for mark in _mentions(low, clause, about):
            if _is_supposed(low) or _SUPPOSED.search(low, clause[0], mark.start()) or re.search(r"\?\W*$", low):
                continue
            if _is_of_any(low, clause, mark):
                continue
            if not _is_absent(low, clause, about) and not _is_of_another_time(said):
                return True
    return False


def _is_of_any(low: str, clause: tuple[int, int], mark: re.Match[str]) -> bool:
    """Return whether a plural name means the whole kind: it has no article, side, number or image."""
    if not mark.group().endswith("s") or _POINTS.search(low) or _sides_in(low[clause[0] : clause[1]]):
        return False
    before = low[max(clause[0], mark.start() - _NEAR) : mark.start()]
    return not _DETERMINED.search(before) and not any(word in _NUMBERS for word in before.split())


def _speaks_of_all(low: str, about: Claimed) -> bool:
    return any(_is_of_any(low, (0, len(low)), mark) for mark in about.names.finditer(low))


def _is_of_another_time(said: str) -> bool:
    return _BEFORE.search(said) is not None and " no" in said


def _is_general(low: str) -> bool:
    if _POINTS.search(low):
        return False
    return _GENERAL.search(low) is not None or _DEPENDS.search(low) is not None


def _names_another(low: str, about: Claimed) -> bool:
    """Return whether a sentence names another thing that an image can show. It must not name this one."""
    if about.names.search(low):
        return False
    kin = {about.concept, _WITHIN.get(about.concept, "")}
    return any(names.search(low) for concept, names in _NAMES.items() if concept not in kin)


def _find_answer(sentences: Sequence[tuple[str, str]], about: Claimed, question: str) -> PremiseAct | None:
    """Return the first sentence that only answers the question, without naming the thing."""
    kinds = [kind for kind, pattern in _ASKS.items() if pattern.search(question)]
    for each, low in sentences:
        if _is_general(low) or _ASKS_BACK.search(low) or low.rstrip().endswith("?"):
            continue
        answers = [_ANSWERS[kind] for kind in kinds if kind in _ANSWERS]
        free = not answers and (bool(kinds) or len(low.split()) <= _FEW)
        fits = free or any(pattern.search(low) for pattern in answers)
        if not fits:
            continue
        if free and (_DESCRIBES.search(low) or _speaks_of_all(low, about) or not any(map(str.isalpha, low))):
            continue
        if free or not _names_another(low, about) or _PRONOUN.match(low) or _led_by_answer(low, answers):
            return PremiseAct("answers", each)
    return None


def _led_by_answer(low: str, answers: Sequence[re.Pattern[str]]) -> bool:
    """Return whether a sentence opens with the answer: "Moderate, without any pneumothorax"."""
    opening = low[: max(low.find(","), low.find(";"), 0)] or low
    return len(opening.split()) <= _FEW // 2 and any(pattern.search(opening) for pattern in answers)
