"""Explicit statements of an answer in running text: "The correct answer is (B)", "scelgo la C", "答案是D"."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from snellen.items import LETTERS
from snellen.reading.choice.fragments import read_fragment
from snellen.reading.choice.letters import EDGES, TWO_OPTIONS, Fragment, id_line, opens_list
from snellen.reading.choice.option_words import OptionWords
from snellen.reading.language.acts import answering as cues
from snellen.reading.language.acts.answering import keywords
from snellen.reading.language.sentences import SENTENCE_END, last_sentence
from snellen.runtime import regex

_CONDITION = 200
"""A condition counts if it is at most this many characters before the answer."""
SPAN = 48
"""Evidence keeps this many characters after the noun of a statement."""


class ChoiceStatement(NamedTuple):
    """An answer that a response states.

    It is `firm` if it needs no support, `final` if the response calls it final, and `concluding` if it draws a
    conclusion. `choice` is None if the statement names no single option; `rule` then names the problem.
    """

    start: int
    end: int
    choice: int | None
    rule: str
    firm: bool = True
    final: bool = False
    concluding: bool = False


_HEADING = regex(r"()([^\S\n]{0,3}:?[^\S\n]{0,3}\n)")
_UPPER = regex(rf"(?<![{cues.LATIN}])[A-HJ-Z](?![{cues.LATIN}'])")
_CERTAIN = frozenset(
    ("letter", "letter-and-text", "option-text", "letter-not-offered", "two-options", "letter-text-conflict", "yes-no")
)
"""Rules that may apply after a second verb or colon: "the answer, in short, is: B"."""
_WORD_AFTER = regex(r"\s([a-z]{2,})(?![a-z])")
_ASKED = regex(r"[^\n.?!]{0,40}\?")


def find_statements(text: str, low: str, words: OptionWords, *, exception: bool) -> Iterator[ChoiceStatement]:
    """Find statements built on a noun or verb of answering. `exception`: the question asks which option is false."""
    for start, end in keywords(low):
        kind = cues.KINDS[low[start:end]]
        if kind in ("verb", "match") or (kind == "except" and exception):
            statement = _after_verb(text, low, start, end, words)
            if statement is not None and kind in ("match", "except"):
                statement = statement._replace(firm=False)
        elif kind == "except":
            continue
        else:
            statement = _after_noun(text, low, (start, end, kind), words, exception=exception)
        if statement is not None:
            yield statement


def sentence_before(low: str, start: int, reach: int = 60) -> str:
    """Return the text before a place in the same sentence."""
    return last_sentence(low[max(0, start - reach) : start])


def _after_verb(text: str, low: str, start: int, end: int, words: OptionWords) -> ChoiceStatement | None:
    before = sentence_before(low, start, 24)
    if (low[start] in "选選" and low[end : end + 1] == "项") or before.rstrip().endswith(cues.NEGATIVES):
        return None
    if cues.SUPPOSED.search(before):
        return None
    fragment = read_rest(line_after(text, end), words)
    if fragment is None:
        return None
    return ChoiceStatement(start, end + SPAN // 2, fragment.choice, rule_of(fragment, "answer-phrase"))


def _after_noun(
    text: str, low: str, noun: tuple[int, int, str], words: OptionWords, *, exception: bool
) -> ChoiceStatement | None:
    start, end, kind = noun
    before = sentence_before(low, start)
    meant = low[start:end] not in cues.OTHER_SENSES or _means_answer(before, low[end : end + 20])
    if meant is None:
        return None
    tail = _HEADING.match(low, end) or cues.TAIL.match(low, end)
    for attempt in range(3):
        if tail is None or not _may_answer(text[end : tail.start(2)], before, kind, exception=exception):
            return None
        may_turn = _may_turn(low[low.rfind("\n", 0, start) + 1 : tail.start(2)], tail.group(2))
        fragment, place, until = _read_on(text, tail.end(), words, may_turn=may_turn)
        if fragment is not None and (attempt == 0 or fragment.rule in _CERTAIN):
            if (
                cues.SUPPOSED.search(before)
                or "differential" in before[-14:]
                or _on_condition(low, start, tail.group(2))
            ):
                return None
            sure = kind in ("answer", "option") or fragment.rule.startswith("letter")
            firm = sure and meant and not cues.UNSURE.match(tail.group(2))
            final = bool(cues.FINAL.search(before[-30:] + low[start:place]))
            rule = rule_of(fragment, "answer-phrase")
            concluding = cues.CONCLUDING.search(before) is not None
            return ChoiceStatement(start, until, fragment.choice, rule, firm, final, concluding)
        tail = None if tail.group(2).endswith("\n") else cues.TAIL.match(low, tail.end())
    return None


def _means_answer(before: str, after: str) -> bool | None:
    """Return whether a noun with several meanings means an answer. None if it is part of a term: "response time"."""
    following = _WORD_AFTER.match(after)
    if following and following.group(1) not in cues.AFTER_NOUN:
        return None
    word = before.rstrip(" \"'([").rpartition(" ")[2].lstrip("\"'([-")
    return not word or not word[-1].isalpha() or word in cues.BEFORE_ANSWER


def _on_condition(low: str, start: int, copula: str) -> bool:
    """Return whether an answer holds only in another case: "if this were a child, the answer would be C"."""
    before = sentence_before(low, start, _CONDITION)
    return cues.IF.match(before) is not None or (
        cues.WOULD.match(copula) is not None and cues.CONDITION.search(before) is not None
    )


def _may_answer(gap_as_written: str, before: str, kind: str, *, exception: bool) -> bool:
    """Return whether a noun introduces an answer in its context. A denial or an enumeration prevents it."""
    gap_as_written = cues.OFFERED.sub("", gap_as_written) if _UPPER.search(gap_as_written) else gap_as_written
    gap = gap_as_written.lower()
    if _UPPER.search(gap_as_written) or cues.ENUMERATING.search(cues.AMONG_OPTIONS.sub("", gap)):
        return False
    if exception and cues.DENIED.search(gap):
        return True
    if not exception and (cues.WRONG_NOUN.search(before) or cues.DENIED.search(gap)):
        return False
    if kind in ("answer", "superlative") or not gap.strip():
        return True
    return bool(cues.APPROVED.search(gap if kind == "diagnosis" else before[-40:] + " " + gap))


def _may_turn(line: str, copula: str) -> bool:
    """Return whether a line can be a heading above an answer: "### Final answer", "The correct answer is:"."""
    if len(line) > 120:
        return False
    return cues.HEADLINE.fullmatch(line) is not None or (
        copula.strip(": \n") != "" and cues.APPROVED.search(line) is not None
    )


def line_after(text: str, place: int, reach: int = 220) -> str:
    """Return the rest of the line, up to `reach` characters."""
    rest = text[place : place + reach]
    return rest.split("\n", 1)[0]


def _read_on(text: str, place: int, words: OptionWords, *, may_turn: bool) -> tuple[Fragment | None, int, int]:
    """Read the answer after a copula or colon.

    It may be on the same line or below a heading. Also return its start and end.
    """
    piece = text[place : place + 400]
    rest = piece.lstrip(" \t\r\n:")
    place += len(piece) - len(rest)
    if "\n" in text[place - (len(piece) - len(rest)) - 1 : place] and (not may_turn or opens_list(rest)):
        return None, place, place
    line = rest.split("\n", 1)[0]
    cut = len(line) if len(line) <= SPAN else line.rfind(" ", 8, SPAN) + 1 or SPAN
    return id_line(line, words) or read_rest(line, words), place, place + cut


def read_rest(rest: str, words: OptionWords) -> Fragment | None:
    """Read the answer after a copula: at once, or as the only option that the sentence names."""
    turned = cues.NOT_BUT.match(rest)
    if turned:
        return read_fragment(rest[turned.end() :], words)
    if _ASKED.match(rest):
        return None
    fragment = read_fragment(rest, words)
    if fragment is not None:
        return fragment
    ended = SENTENCE_END.search(rest)
    if ended and ended.group() == "?":
        return None
    sentence = rest[: ended.start()] if ended else rest
    if cues.DENIED.match(sentence.lower().lstrip(EDGES)):
        return None
    letters = {found.group(1) or found.group(2) for found in cues.LETTER_NAMED.finditer(sentence)}
    offered = {letter for letter in letters if LETTERS.index(letter) < words.size}
    if len(offered) == 1 and not cues.DENIED.search(sentence.lower()):
        return Fragment(LETTERS.index(offered.pop()), "letter")
    if len(offered) > 1:
        return TWO_OPTIONS
    return _one_named(sentence, words)


def _one_named(sentence: str, words: OptionWords) -> Fragment | None:
    named = set(words.find_named(sentence))
    if len(named) == 1:
        return Fragment(named.pop(), "option-text")
    return TWO_OPTIONS if named else None


def rule_of(fragment: Fragment, rule: str) -> str:
    """Return the rule of a reading, or the problem if the fragment names no option."""
    return fragment.rule if fragment.choice is None else rule


_REACH = 48


def led_to(text: str, low: str, words: OptionWords) -> Iterator[ChoiceStatement]:
    """Find letters directly after words that lead to an answer; they are never firm."""
    for letter in islice(cues.LONE_LETTER.finditer(text), 5 * cues.MOST):
        begin = max(0, letter.start() - _REACH)
        lead = cues.LEADS.search(low[begin : letter.start()].rpartition("\n")[2])
        if lead is None:
            continue
        start = letter.start() - len(lead.group())
        before = sentence_before(low, start, 24)
        if before.rstrip().endswith(cues.NEGATIVES) or cues.SUPPOSED.search(before) or cues.TEMPTED.search(before):
            continue
        fragment = read_fragment(text[letter.start() : letter.start() + 60].split("\n", 1)[0], words)
        if fragment is None or not (fragment.choice is None or fragment.rule.startswith(("letter", "combined"))):
            continue
        yield ChoiceStatement(start, letter.end(), fragment.choice, rule_of(fragment, "answer-phrase"), firm=False)
