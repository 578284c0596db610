"""Grading of responses: the way a response ended counts first; then one parser reads it."""

from __future__ import annotations

from typing import Any

from snellen.items import Item
from snellen.models.base import CUT_OFF, FILTERED, ZERO_SHOT, Response
from snellen.reading.language.cleaning import still_thinking, strip_thinking
from snellen.reading.outcomes import Grade, Outcome, Reading, choice_outcome
from snellen.reading.parsers import CHOICE, USUAL, Parser, Readable, parser_named, read_response

_SILENT = frozenset((Outcome.ABSTAINED, Outcome.REFUSED, Outcome.FLAGGED_QUALITY))
_AT_ONCE = 200


def grade(text: str, finish: str, item: Item, parser: str = USUAL[CHOICE]) -> Grade:
    """Grade a response with the parser of that name. `finish` is why the model stopped; empty if unknown.

    If it is unknown, the response is read in full, because a truncated response cannot be recognised.

    >>> from snellen.items import Option
    >>> item = Item(id="1", question="?", options=(Option("Yes"), Option("No")), answer=1)
    >>> grade("Answer: B", "stop", item).outcome.value, grade("The image shows", "length", item).outcome.value
    ('correct', 'truncated')
    """
    return grade_reply(Response(text, finish), item, parser_named(parser))[0]


def grade_reply(reply: Readable, item: Item, parser: Parser) -> tuple[Grade, Any]:
    """Return the grade of a response and its parser's record. The record is None if no parser was needed.

    If the parser does not take the item, the first of its `others` that does grades it.
    """
    reads = _find_reader(parser, item)
    reason = reply.finish.lower()
    if not reads.reads_all and (grade := _settle_ending(reply, reason, item, reads)) is not None:
        return grade, None
    record = read_response(reads, reply, item)
    if reason in CUT_OFF and _is_unfinished(record, reply.text, reads):
        truncated = Grade(Outcome.TRUNCATED, None, record.rule, record.evidence, reads.name)
        return truncated, record if reads.reads_all else None
    assert reads.outcome is not None
    choice = getattr(record, "choice", None)
    return Grade(reads.outcome(record, item), choice, record.rule, record.evidence, reads.name), record


def _find_reader(parser: Parser, item: Item) -> Parser:
    """Return the parser that reads responses to an item: the given one, or one of its `others`."""
    if parser.outcome is None:
        raise ValueError(f"The parser {parser.name!r} is of the kind {parser.kind!r} and grades nothing.")
    if parser.takes(item):
        return parser
    for other in map(parser_named, parser.others):
        if other.takes(item):
            return other
    raise ValueError(f"Item {item.id!r} is of kind {item.kind!r}; the parser {parser.name!r} does not take it.")


def _settle_ending(reply: Readable, reason: str, item: Item, parser: Parser) -> Grade | None:
    """Grade a response by its ending alone: probabilities, filtered, cut off while thinking, or empty. Else None."""
    if reason == ZERO_SHOT and item.options:
        return _grade_probabilities(reply.text, item, parser)
    if reason in FILTERED:
        return Grade(Outcome.REFUSED, None, "content-filter", reply.text[:120], parser.name)
    if _ended_in_thought(reason, reply.text):
        return Grade(Outcome.TRUNCATED, None, "unfinished-thinking", reply.text[-120:], parser.name)
    if not strip_thinking(reply.text).strip():
        return Grade(Outcome.TRUNCATED if reason in CUT_OFF else Outcome.EMPTY, None, "empty", "", parser.name)
    return None


def _ended_in_thought(reason: str, text: str) -> bool:
    """Return whether a response ended during its thinking. The reason for the ending may be unknown."""
    return (reason in CUT_OFF or not reason) and still_thinking(text)


def _grade_probabilities(text: str, item: Item, parser: Parser) -> Grade:
    """Grade a zero-shot response, which has only probabilities: its first line names the option."""
    first = text.strip().partition("\n")[0]
    named = [at for at, option in enumerate(item.options) if first == f"Conclusion: {option.text}"]
    usual = parser_named(USUAL[CHOICE])
    read: Reading = Reading(ZERO_SHOT, choice=named[0]) if named else usual.read(Response(first), item)
    outcome = Outcome.UNPARSED if read.choice is None else choice_outcome(read, item)
    return Grade(outcome, read.choice, ZERO_SHOT, first[:120], parser.name)


def _is_unfinished(record: Any, text: str, parser: Parser) -> bool:
    """Return whether a response was cut off before its answer. A response that declines at once is complete."""
    if record.rule in parser.weighs:
        return True
    if getattr(record, "silence", None) in _SILENT and record.rule not in parser.lasts:
        return record.evidence.lower() not in text[:_AT_ONCE].lower().replace("’", "'")
    return False
