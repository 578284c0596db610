"""The first and last lines of a response, which often contain only the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from snellen.items import LETTERS
from snellen.reading.choice.fragments import read_fragment, without_lead
from snellen.reading.choice.letters import (
    EDGES,
    Fragment,
    goes_through_options,
    id_line,
    is_id,
    opens_list,
    opens_verdicts,
)
from snellen.reading.choice.option_words import OptionWords
from snellen.reading.choice.statements import ChoiceStatement, rule_of
from snellen.reading.language.acts import answering as cues
from snellen.reading.language.sentences import last_sentence, sentences_of
from snellen.runtime import regex

_CLAUSE = regex(r"[\n;]|[.!?](?=\s[A-Z][a-z])")


def words_called_correct(text: str, words: OptionWords) -> Iterator[ChoiceStatement]:
    """Find options whose words the response calls right: "a pneumothorax is the most likely answer"."""
    if not words.names.keys:
        return
    for found in islice(cues.WORDS_APPROVED.finditer(text), 60):
        before = _CLAUSE.split(text[max(0, found.start() - 200) : found.start()])[-1]
        choice = words.ending(before)
        if choice is not None and not cues.DENIED.search(text[found.start() : found.end() + 8].lower()):
            firm = found.group(1) is not None or "answer" in found.group()
            yield ChoiceStatement(found.start(), found.end(), choice, "called-correct", firm=firm)


def called_correct(text: str, words: OptionWords, *, exception: bool) -> Iterator[ChoiceStatement]:
    """Find letters that the response calls right.

    `exception`: the question asks which option is false. A statement is `firm` if it calls the letter the answer
    outright.
    """
    for found in islice(cues.LETTER_CALLED.finditer(text), 200):
        start = found.start()
        if not cues.BEFORE_LETTER_CALLED.search(text[max(0, start - 24) : start].lower()):
            continue
        if cues.WOULD.search(found.group()) and cues.CONDITION.search(
            last_sentence(text[max(0, start - _SENTENCE) : start].lower())
        ):
            continue
        claim = found.group(2).lower()
        approved = cues.APPROVING.match(claim)
        place = LETTERS.index(found.group(1))
        if exception and place < words.size and cues.DENIED.match(claim):
            yield ChoiceStatement(start, found.start(2), place, "called-correct", firm=False)
        if approved is None or place >= words.size or cues.DENIED.search(claim[: approved.end() + 12]):
            continue
        named = cues.NAMED_ANSWER.match(claim) is not None
        firm = named or (not exception and cues.OUTRIGHT.match(claim) is not None)
        if named or firm or (not exception and cues.FOREMOST.match(claim)):
            end = found.start(2) + approved.end()
            yield ChoiceStatement(start, end, place, "called-correct", firm=firm)


_LETTER_AT_END = regex(r",\s{0,2}\(?[A-Z]\)?[^\S\n]{0,3}$", re.MULTILINE)
_DRESS = 12
_WORDED = frozenset(("option-text", "part-of-option-text", "near-option-text", "initials"))
_SPEAKER = regex(r"\W*A:\s+\S+\s\S")
""""A:" before a sentence may introduce the answer to a "Q:" instead of naming option A."""
_LINE = 400
_SENTENCE = 120
_IN_BRACKETS = regex(r"\(([A-Z])\)")
_ARROW = regex(r"(?:→|⇒|->|=>|=|:)\s?([^\n→⇒>:=]{3,80})$")


def first_line(text: str, words: OptionWords) -> Iterator[ChoiceStatement]:
    """Find the answer in the first line, or in lines with question id and letter."""
    start = len(text) - len(text.lstrip())
    line = text[start : start + _LINE].split("\n", 1)[0]
    if is_id(line) and (rest := text[start + len(line) :].lstrip()):
        start = len(text) - len(rest)
        line = rest[:_LINE].split("\n", 1)[0]
    end = start + len(line)
    identified = id_line(line, words)
    if identified is not None:
        yield ChoiceStatement(start, end, identified.choice, rule_of(identified, "first-line"))
    else:
        beginning = text[start : end + _LINE]
        if not (_first_label(line) and (opens_list(beginning) or opens_verdicts(beginning))):
            yield from _opening(text, start, line, words)
    for found in islice(_LETTER_AT_END.finditer(text, end), cues.MOST):
        begin = text.rfind("\n", 0, found.start()) + 1
        identified = id_line(text[begin : found.end()], words)
        if identified is not None and identified.choice is not None:
            yield ChoiceStatement(begin, found.end(), identified.choice, "id-line", final=True)


def _opening(text: str, start: int, line: str, words: OptionWords) -> Iterator[ChoiceStatement]:
    """Read the answer that a first line begins with. It is firm unless it could be the subject of a sentence."""
    fragment = read_fragment(line, words)
    if fragment is None:
        return
    end = start + len(line)
    alone = not text[end:].strip()
    worded = fragment.rule in _WORDED
    short = (alone and len(line) <= words.longest + _DRESS) or _is_sentence(line, fragment.choice, words)
    listed = fragment.choice == 0 and goes_through_options(text[start:])
    spoken = fragment.rule == "letter" and _SPEAKER.match(line) is not None
    firm = not listed and not spoken and (short or not worded or words.match_exactly(line) is not None)
    if not firm and ((spoken and words.names.keys) or (worded and _is_subject(line, fragment.choice, words))):
        return
    name = _name(fragment.rule, alone=alone or len(line.strip(EDGES)) > 3)
    yield ChoiceStatement(start, end, fragment.choice, rule_of(fragment, name), firm=firm)


def _is_subject(line: str, choice: int | None, words: OptionWords) -> bool:
    """Return whether the first line begins with an option as a subject: "cytosine pairs with guanine".

    The line must also name another option.
    """
    if choice is None or not set(words.mentions(line)) - {choice}:
        return False
    body, name = line.lstrip(EDGES), words.texts[choice]
    return not (body.lower().startswith(name.lower()) and body[len(name) :][:1] in (",", ";", ":", ".", "("))


def last_line(text: str, words: OptionWords) -> Iterator[ChoiceStatement]:
    """Read the last line if it contains only an answer. It must not end a list of options."""
    body = text.rstrip()
    start = body.rfind("\n") + 1
    line = body[start:]
    if start == 0 or len(line) > words.longest + 48 or not body[:start].strip():
        return
    stripped = line.strip(EDGES)
    fragment = read_fragment(line, words)
    if fragment is None or fragment.choice is None or _ends_list(body[:start], line):
        return
    only = (
        len(without_lead(stripped)) <= 2
        or words.match_exactly(stripped) is not None
        or words.match_exactly(stripped[1:]) == fragment.choice
    )
    if only:
        yield ChoiceStatement(start, len(body), fragment.choice, "last-line")


_ENTRY = regex(r"\s{0,8}[-•·]\s")
_LONGEST_LABEL = 80
_LINE_LABEL = regex(r"\n[\s>•-]{0,8}(?:[Oo]ption )?[(\[]?([A-Z])(?:[)\].:]|\n)")
_UNDER_COLON = regex(r":[^\S\n]{0,4}\n\s{0,8}([^\w\n]{0,4}([A-Z])(?![A-Za-z'])[^\n]{0,200})(?=\n|$)")
_ANSWERS_ALONE = frozenset(("letter", "letter-and-text", "option-text", "combined-letters", "two-options"))
_OTHER_LETTER = regex(r"(?<![\w'])[B-HJ-Z](?![\w'])")


def closing_line(text: str, words: OptionWords) -> ChoiceStatement | None:
    """Read a last line labelled as the answer: "Answer: B", or "B" under "Answer:".

    Such a line is final, regardless of the text before it.
    """
    body = text.rstrip()
    start = body.rfind("\n") + 1
    colon = body.find(":", start, start + _LONGEST_LABEL)
    label = cues.CLOSING_LABEL.match(body, start, colon + _DRESS) if colon > 0 else None
    if label and label.group(1):
        begin, place = start, label.end()
    elif len(body) - start <= words.longest + _DRESS and (above := _heading_above(body, start)) is not None:
        begin, place = above, start
    else:
        return None
    rest = body[place:]
    fragment = read_fragment(rest, words)
    if fragment is None or fragment.rule not in _ANSWERS_ALONE or not _nothing_else(rest, fragment, words):
        return None
    if says_another(body[:begin], fragment.choice, words):
        return ChoiceStatement(begin, len(body), None, "letter-text-conflict")
    return ChoiceStatement(begin, len(body), fragment.choice, rule_of(fragment, "answer-phrase"), final=True)


def says_another(before: str, choice: int | None, words: OptionWords) -> bool:
    """Return whether the line above gives another option's words as the answer."""
    above = before.rstrip()
    start = above.rfind("\n") + 1
    if choice is None or start == 0 or len(above) - start > words.longest + _DRESS:
        return False
    named, lead = words.match_exactly(above[start:]), above[:start].rstrip(" *\n")[-_SENTENCE:]
    return named not in (None, choice) and lead.endswith("is:") and cues.NAMED_ANSWER.search(lead.lower()) is not None


def _heading_above(body: str, start: int) -> int | None:
    """Return the start of the line above if it is only a label: "Answer:"."""
    above = body[:start].rstrip()
    begin = above.rfind("\n") + 1
    return begin if above[begin:] and cues.CLOSING_LABEL.fullmatch(above[begin:][: _LONGEST_LABEL + 1]) else None


def _nothing_else(rest: str, fragment: Fragment, words: OptionWords) -> bool:
    """Return whether a line contains only an answer: a letter, an option's words, or a letter with a short remark."""
    bare = rest.strip(EDGES)
    if len(bare) <= 1 or words.match_exactly(bare) is not None:
        return True
    if fragment.choice is None:
        return len(bare) <= _DRESS
    if fragment.rule != "letter":
        return len(bare) <= words.longest + _DRESS
    remark = bare[1:]
    return len(remark) <= _SENTENCE and not _OTHER_LETTER.search(remark) and not cues.DENIED.search(remark.lower())


def under_colon(text: str, words: OptionWords) -> Iterator[ChoiceStatement]:
    """Find answer letters in a line below a colon, alone or with their option's words."""
    candidates = list(islice(_UNDER_COLON.finditer(text), cues.MOST))
    if not candidates or len(set(_LINE_LABEL.findall(text))) > 1:
        return
    for found in candidates:
        line, place = found.group(1), LETTERS.index(found.group(2))
        alone = len(line.strip(EDGES)) == 1
        if place < words.size and (alone or words.match_exactly(line.strip(EDGES)[1:]) == place):
            yield ChoiceStatement(found.start(1), found.end(1), place, "answer-phrase", firm=False)


def last_word(text: str, words: OptionWords) -> Iterator[ChoiceStatement]:
    """Read the letter, number or words at the very end: "… B.", "… → pneumonia", "… = 12"."""
    body = text.rstrip()
    begin = max(body.rfind("\n") + 1, len(body) - 90)
    found = cues.LAST_WORD.search(body, begin)
    letter = found.group(1) if found else None
    cut_off = found and body[-8:-1].lower() == "option " and len(body) > _SENTENCE
    if (
        found
        and letter
        and not cut_off
        and LETTERS.index(letter) < words.size
        and not _labels(body[begin : found.start()])
    ):
        yield ChoiceStatement(found.start(), len(body), LETTERS.index(letter), "last-letter", firm=False)
    elif len(body) <= _SENTENCE and body.endswith((")", ").")) and len(alone := set(_IN_BRACKETS.findall(body))) == 1:
        place = LETTERS.index(alone.pop())
        if place < words.size and "(" in body[-4:] and not cues.DENIED.search(body.lower()):
            yield ChoiceStatement(len(body) - 4, len(body), place, "last-letter", firm=False)
    elif led := _ARROW.search(body, begin):
        fragment = read_fragment(led.group(1), words)
        if fragment is not None and fragment.rule in _WORDED:
            yield ChoiceStatement(led.start(), len(body), fragment.choice, "last-line", firm=False)
    elif (value := _closing_value(body, words)) is not None:
        yield ChoiceStatement(begin, len(body), value, "last-line", firm=False)


def _closing_value(body: str, words: OptionWords) -> int | None:
    """Return the option with the number that a response's last sentence results in."""
    if not words.numbered:
        return None
    sentence = (sentences_of(body[-_SENTENCE:]) or [""])[-1]
    found = cues.VALUE.fullmatch(sentence)
    if found is None or cues.DENIED.search(sentence.lower()) or len(set(words.mentions(sentence))) > 1:
        return None
    choice = words.match_exactly(found.group(1))
    return choice if choice is not None and words.keys[choice][:1].isdigit() else None


def _is_sentence(line: str, choice: int | None, words: OptionWords) -> bool:
    """Return whether the line's first sentence consists only of an option's words."""
    sentence, stop, _ = line.partition(". ")
    return bool(stop) and choice is not None and words.match_exactly(sentence) == choice


def _first_label(line: str) -> bool:
    label = cues.OPTION_LABEL.match(line)
    return line.lstrip(EDGES).startswith("A") or (label is not None and label.group(1) == "A")


def _labels(line: str) -> bool:
    """Return whether a line names an option by letter and does not take it back."""
    return cues.OPTION_LABEL.match(line) is not None and not cues.CORRECTED.search(line.lower())


def _ends_list(before: str, line: str) -> bool:
    previous = before.rstrip().rsplit("\n", 1)[-1]
    return cues.OPTION_LABEL.match(previous) is not None or (
        _ENTRY.match(line) is not None and _ENTRY.match(previous) is not None
    )


def _name(rule: str, *, alone: bool) -> str:
    if rule == "letter":
        return "bare-letter" if alone else "first-line"
    return rule
