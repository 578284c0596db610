"""The lenient parser: it finds the option that a careful reader would find, and names the rule.

Order of search: marked places; explicit statements, the first and the last line; letters called right. Then: reasons
for giving no answer; the options' words; a single letter at the end. If explicit statements name different options, the
final one counts, or the one after a correction. Otherwise no option is read and the rule is "two-options".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from snellen.items import LETTERS, Item
from snellen.reading.choice.fragments import MarkedPlace, marks, read_fragment
from snellen.reading.choice.letters import Fragment, answers_in_parts
from snellen.reading.choice.lines import (
    called_correct,
    closing_line,
    first_line,
    last_line,
    last_word,
    says_another,
    under_colon,
    words_called_correct,
)
from snellen.reading.choice.option_words import OptionWords, option_words
from snellen.reading.choice.prose import read_prose
from snellen.reading.choice.statements import ChoiceStatement, find_statements, led_to
from snellen.reading.choice.substance import is_contradicted, taken_back
from snellen.reading.language.acts import answering as cues
from snellen.reading.language.acts.answering import asks_exception, speaks_of_answers, tokens
from snellen.reading.language.acts.declining import read_doubt, read_silence, silences_offered, speaks_of_telling
from snellen.reading.language.cleaning import clean_text, lower_keeping_offsets, strip_thinking
from snellen.reading.outcomes import Outcome, Reading
from snellen.runtime import regex

_REACH = 64
_VERBS = r"(?:is|was|fits|matches|seems|appears|remains|would be|and|or|as)\b"
_LONE_LETTER = regex(rf"(?<![A-Za-z'])(?:A(?! (?!{_VERBS})[a-z])|I(?![ '](?!{_VERBS})[a-z]))(?![A-Za-z'])|\(a\)")
_SINGLES = frozenset(letter.encode() for letter in LETTERS + LETTERS.lower())
_HARMLESS = frozenset((b"A", b"I", b"a", b"s", b"t", b"d", b"m"))
"""Single letters that are words or the ends of words; other code checks A and I more closely."""
_MARGIN = 20
"""A first line that exceeds the longest option by this many characters is more than an option's words."""


def read_closing(text: str, item: Item) -> Reading | None:
    """Read the letter at the end: on its own line, or as the only answer. None means that other rules decide."""
    whole = text.rstrip()
    label = cues.LABELLED_ANSWER.match(whole, whole.rfind("\n") + 1)
    found = label or cues.CLOSING_ANSWER.search(whole, max(0, len(whole) - _REACH))
    if found is None:
        return None
    place, words, body = LETTERS.index(found.group(1)), option_words(item.options), whole[: found.start()]
    if place >= words.size or words.cased:
        return None
    if not (_ends_reply(body, place, words) if label else _is_only_answer(body, words)):
        return None
    return Reading("answer-phrase", choice=place, evidence=found.group().strip())


def _ends_reply(body: str, place: int, words: OptionWords) -> bool:
    """Return whether a final answer line can end the response.

    It cannot if the body has thinking, a next question, or another option's words as the answer.
    """
    return (
        strip_thinking(body) == body
        and not cues.NEXT_QUESTION.search(body.lower())
        and not says_another(body, place, words)
    )


def _is_only_answer(body: str, words: OptionWords) -> bool:
    """Return whether a text contains nothing that could be another answer."""
    if not body.isascii() or "<" in body or "[[" in body or "{" in body:
        return False
    first = body.lstrip().partition("\n")[0]
    if words.polarity or len(first) <= words.longest + _MARGIN:
        return False
    singles = tokens(body) & _SINGLES
    if singles - _HARMLESS or (singles and _LONE_LETTER.search(body)):
        return False
    low = body.lower()
    return not speaks_of_answers(low, tokens(low))


def own_part(text: str, low: str) -> int | None:
    """Return where a next question begins, if the response goes on to one."""
    found = cues.NEXT_QUESTION.search(low, 1)
    return found.start() if found and text[: found.start()].strip() else None


_QUICK_LENGTH = 200
_SHORTEST_WORDS = 4
"""Shorter texts may be letters, numerals or signs, so slower rules read them."""
_OPENING = regex(r"\W{0,8}\w{1,12}[.,;:!]\s{0,2}([^.!?\n]{3,240})(?:[.!?]\s{1,2}([^.!?\n]{3,240}))?")
"""A yes or no with the two sentences after it."""
_PLACEHOLDER = regex(r"\s*\b(?:final )?answer:\s?\(?X\)?\.?\s*$", re.IGNORECASE)
"""The placeholder "X" of the prompt, copied by the response."""
_EVIDENCE = 120
WEIGHED = frozenset(("option-text", "last-letter", "marked-in-list", "yes-no-sentence", "only-one-left"))
"""Rules that weigh a whole response instead of finding an explicit answer."""
_AT_ONCE = 12
_NOTHING_MORE = 40
"""A response this short contains nothing else to weigh."""
_PHRASES = ("answer-phrase", "called-correct")


def read_choice(text: str, item: Item) -> Reading:
    """Read the option that a response chose, or the reason why none was read.

    >>> from snellen.items import Option
    >>> item = Item(id="1", question="?", options=(Option("Effusion"), Option("Pneumothorax")))
    >>> read_choice("At first A seems right. However, the answer is **B**.", item)
    Reading(rule='answer-phrase', choice=1, silence=None, evidence='answer is B.')
    """
    if not text or text.isspace():
        return Reading("empty", silence=Outcome.UNPARSED)
    quick = _read_quick(text, item) if len(text) <= _QUICK_LENGTH else None
    return quick or read_closing(text, item) or _read_slowly(clean_text(text), item)


def _read_quick(text: str, item: Item) -> Reading | None:
    found = cues.QUICK_ANSWER.fullmatch(text)
    if found is None:
        return _own_words(text.strip(), item)
    phrase, tag, letter, words = found.groups()
    place = LETTERS.find(letter)
    if not 0 <= place < len(item.options) or (words and words != item.options[place].text):
        return None
    rule = "answer-tag" if tag else "answer-phrase" if phrase else "letter-and-text" if words else "bare-letter"
    return Reading(rule, choice=place, evidence=text.strip()[:_EVIDENCE])


def _own_words(text: str, item: Item) -> Reading | None:
    """Read a response that is exactly the text of one option."""
    bare = text.removesuffix(".")
    same = [place for place, option in enumerate(item.options) if option.text == bare]
    if len(same) != 1 or len(bare) < _SHORTEST_WORDS:
        return None
    return Reading("option-text", choice=same[0], evidence=text[:_EVIDENCE])


def _read_slowly(text: str, item: Item) -> Reading:
    if not text.strip():
        return Reading("empty", silence=Outcome.UNPARSED)
    low = lower_keeping_offsets(text)
    end = own_part(text, low)
    if end is not None:
        own = _read_whole(text[:end], low[:end], item)
        if own.choice is not None and own.rule not in WEIGHED:
            return own
    return _read_whole(text, low, item)


def _read_whole(text: str, low: str, item: Item) -> Reading:
    words = option_words(item.options)
    closing = closing_line(text, words)
    if closing is not None:
        return _read_statement(text, closing)
    exception = asks_exception(item.question)
    marked = _read_marks(text, words, item.question)
    boxed = None
    if isinstance(marked, Reading):
        if marked.rule != "no-answer" or marks(text)[-1].rule != "boxed":
            return marked
        boxed, marked = marked, []
    found = [*find_statements(text, low, words, exception=exception), *called_correct(text, words, exception=exception)]
    if not exception:
        found += words_called_correct(text, words)
    in_parts = answers_in_parts(text)
    if in_parts:
        found.append(ChoiceStatement(0, 0, None, "two-options"))
    undecided = _names_two_options(found)
    if marked:
        found = [one for one in found if one.start >= marked[-1].end]
    elif not in_parts:
        found += [*first_line(text, words), *last_line(text, words)]
    firm = [*marked, *(one for one in found if one.firm)]
    reading = _settle(text, low, firm)
    if reading is not None and reading.rule == "letter-not-offered":
        copied = _PLACEHOLDER.search(text)
        if copied and text[: copied.start()].strip():
            return _read_whole(text[: copied.start()], low[: copied.start()], item)
        if silent := read_silence(low, item.question):
            return silent[0]
    if reading is not None and (reading.rule != "two-options" or any(one.choice is not None for one in firm)):
        return _held_against_itself(reading, text, low, item, words)
    soft = [one for one in found if not one.firm]
    soft += [*led_to(text, low, words), *under_colon(text, words), *([] if in_parts else last_word(text, words))]
    soft_reading = _settle(text, low, soft)
    if soft_reading is not None and (reading is None or soft_reading.choice is not None):
        reading = soft_reading
    decided = reading is not None and (reading.choice is not None or reading.rule == "letter-text-conflict")
    if reading is not None and (decided or len(text) <= _NOTHING_MORE or undecided):
        return reading
    if boxed is not None:
        return boxed
    weighed = _without_statement(text, low, item, words)
    return weighed if reading is None or weighed.choice is not None else reading


def _held_against_itself(reading: Reading, text: str, low: str, item: Item, words: OptionWords) -> Reading:
    """Return the reading, unless it is a yes or no that the next sentences contradict."""
    if reading.rule != "yes-no" or reading.choice is None:
        return reading
    opening = _OPENING.match(text)
    if opening is None:
        return reading
    first, second = opening.group(1), opening.group(2)
    if is_contradicted([first, second] if second else [first], item, words, reading.choice):
        return Reading("two-options", silence=Outcome.UNPARSED, evidence=" ".join(opening.group().split())[:_EVIDENCE])
    return taken_back(low[opening.start(1) : opening.end()], item, words) or reading


def _names_two_options(declared: Sequence[ChoiceStatement]) -> bool:
    return any(one.rule == "two-options" and one.firm for one in declared)


def _read_marks(text: str, words: OptionWords, question: str) -> list[ChoiceStatement] | Reading:
    """Return the marked answers as statements, or a reading if no mark holds an option."""
    found = marks(text)
    read = [(mark, read_fragment(mark.content, words)) for mark in found]
    known = [_statement(mark, fragment) for mark, fragment in read if fragment is not None]
    if known or not found:
        return [one for one in known if one.choice is not None] or known
    content = found[-1].content.strip()
    silent = read_silence(lower_keeping_offsets(content), question)
    if silent is not None:
        return silent[0]
    inner = list(find_statements(content, lower_keeping_offsets(content), words, exception=False))
    return inner or Reading("no-answer", silence=Outcome.UNPARSED, evidence=content[:_EVIDENCE])


def _statement(mark: MarkedPlace, fragment: Fragment) -> ChoiceStatement:
    rule = mark.rule if fragment.choice is not None else fragment.rule
    return ChoiceStatement(mark.start, mark.end, fragment.choice, rule, final=True)


def _settle(text: str, low: str, found: Sequence[ChoiceStatement]) -> Reading | None:
    """Combine statements into one reading: an option, or a contradiction. None if there are no statements."""
    if not found:
        return None
    choosing = sorted(one for one in found if one.choice is not None)
    if not choosing:
        worst = next((one for one in found if one.rule in ("letter-text-conflict", "two-options")), found[-1])
        return _read_statement(text, worst)
    if len({one.choice for one in choosing}) == 1:
        decided = next((one for one in choosing if one.final), None) or _most_telling(choosing)
        return _read_statement(text, decided)
    last = choosing[-1]
    finals = [one for one in choosing if one.final]
    if finals and len({one.choice for one in finals}) == 1 and finals[-1] is last:
        return _read_statement(text, last)
    if _is_correction(low, choosing):
        return _read_statement(text, last)
    if finals and len({one.choice for one in finals}) == 1 and not last.final and last.rule == "called-correct":
        return _read_statement(text, finals[-1])
    if last.concluding and all(one.rule in _PHRASES and one.start > _AT_ONCE for one in choosing):
        return _read_statement(text, last)
    return Reading("two-options", silence=Outcome.UNPARSED, evidence=_evidence(text, last))


def _read_statement(text: str, statement: ChoiceStatement) -> Reading:
    silence = Outcome.UNPARSED if statement.choice is None else None
    return Reading(statement.rule, statement.choice, silence, _evidence(text, statement))


def _most_telling(agreeing: Sequence[ChoiceStatement]) -> ChoiceStatement:
    """Return the first statement. If it is a whole line, return the answer phrase within it."""
    first = agreeing[0]
    return next((one for one in agreeing if one.rule in _PHRASES and one.start < first.end), first)


def _is_correction(low: str, choosing: Sequence[ChoiceStatement]) -> bool:
    """Return whether the words between two statements take the earlier one back."""
    last = choosing[-1]
    other = max(place for place, one in enumerate(choosing) if one.choice != last.choice)
    between = low[choosing[other].start : choosing[other + 1].end]
    return cues.CORRECTED.search(between) is not None


def _evidence(text: str, statement: ChoiceStatement) -> str:
    end = max(statement.end, statement.start + 1)
    return " ".join(text[statement.start : end].split())[:_EVIDENCE]


def _without_statement(text: str, low: str, item: Item, words: OptionWords) -> Reading:
    silent = read_silence(low, item.question)
    prose = read_prose(text, low, item, words, silent=silent is not None)
    none = cues.NONE_FITS.search(low)
    fits = none is None or cues.CLOSEST.search(low, none.end()) is not None
    if prose is not None and (silent is None or prose.choice is not None) and (fits or prose.choice is None):
        return prose
    if silent is not None:
        return _option_of_silence(text, low, silent[0], words) or silent[0]
    if (doubt := read_doubt(low)) is not None:
        return doubt
    nothing = cues.NO_OPTION.search(low)
    rule = "none-of-these" if nothing else "no-answer"
    evidence = nothing.group() if nothing else text[-_EVIDENCE:]
    return Reading(rule, silence=Outcome.UNPARSED, evidence=" ".join(evidence.split()))


def _option_of_silence(text: str, low: str, silent: Reading, words: OptionWords) -> Reading | None:
    """Return the option with the meaning of a response such as "it cannot be determined"."""
    kinds = silences_offered(words.texts)
    named = set(words.mentions(text))
    if silent.silence is Outcome.FLAGGED_QUALITY and speaks_of_telling(low) and not words.find_named(text):
        named = {place for place, kind in enumerate(kinds) if kind is silent.silence}
    if len(named) != 1 or kinds[choice := named.pop()] is None:
        return None
    return Reading("option-text", choice=choice, evidence=" ".join(text.split())[:_EVIDENCE])
