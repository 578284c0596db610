"""The named parsers, and the grade of a reply by one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from snellen.errors import PluginError
from snellen.grading.choice.strict import read_answer_tag, read_boxed, read_double_brackets, read_first_line
from snellen.grading.detection.parser import read_as_published, read_conclusion
from snellen.grading.language.cleaning import still_thinking
from snellen.grading.missing_image.embedded import read_admission_embedded
from snellen.grading.missing_image.parser import Admission, Admitted, read_admission
from snellen.grading.outcomes import Grade, Outcome, Reading
from snellen.items import Item
from snellen.models.base import CUT_OFF, FILTERED, ZERO_SHOT

AdmissionParser = Callable[[str, str], Admitted]
"""A reply and its question in, what the reply does out."""

ADMISSION_PARSERS: Mapping[str, AdmissionParser] = MappingProxyType(
    {
        "missing-image": read_admission,
        "missing-image-embedded": read_admission_embedded,
    }
)
"""The second needs the extra `embeddings`, which is loaded when it first reads."""


def read_reply(text: str, finish: str, question: str, parser: str) -> Admitted:
    """What a reply does, by the parser of that name; one that the provider's filter stopped refuses.

    >>> read_reply("The image shows", "content_filter", "", "missing-image").label.value
    'refuses'
    """
    if finish.lower() in FILTERED:
        return Admitted(Admission.REFUSES, "content-filter", "")
    return ADMISSION_PARSERS[parser](text, question)


Parser = Callable[[str, Item], Reading]

PARSERS: Mapping[str, Parser] = MappingProxyType(
    {
        "lenient": read_conclusion,
        "strict-first-line": read_first_line,
        "double-brackets": read_double_brackets,
        "answer-tag": read_answer_tag,
        "boxed": read_boxed,
        "detection-as-published": read_as_published,
    }
)

_INCOMPLETE = frozenset(
    (
        "option-text",
        "last-letter",
        "last-line",
        "two-options",
        "marked-in-list",
        "only-one-left",
        "no-answer",
        "empty",
        "yes-no-sentence",
        "concluding-sentence",
        "image-sentence",
        "findings",
        "disease-unnamed",
        "quality-mentioned",
        "no-conclusion",
    )
)
"""Rules that weigh a whole reply, so that a reply cut off has not yet said what they would read."""
_STANDS = "quality-anywhere"
"""The rule of what was said once and for all, whatever would have followed."""
_SILENT = frozenset((Outcome.ABSTAINED, Outcome.REFUSED, Outcome.FLAGGED_QUALITY))
_AT_ONCE = 200


def grade(text: str, finish: str, item: Item, parser: str = "lenient") -> Grade:
    """What became of a reply, by the parser of that name. `finish` is why the model stopped, empty if unknown.

    A reply of which nobody knows how it ended is read as it stands: whether it was cut off cannot be told.

    >>> from snellen.items import Option
    >>> item = Item(id="1", question="?", options=(Option("Yes"), Option("No")), answer=1)
    >>> grade("Answer: B", "stop", item).outcome.value, grade("The image shows", "length", item).outcome.value
    ('correct', 'truncated')
    """
    if parser not in PARSERS:
        raise PluginError(f"There is no parser {parser!r}. Known: {', '.join(PARSERS)}.")
    if item.kind != "choice":
        raise ValueError(f"Item {item.id!r} is of kind {item.kind!r}; only choices are graded here.")
    reason = finish.lower()
    if reason in FILTERED:
        return Grade(Outcome.REFUSED, None, "content-filter", text[:120], parser)
    if reason == ZERO_SHOT:
        return _by_probabilities(text, item, parser)
    if reason in CUT_OFF and still_thinking(text):
        return Grade(Outcome.TRUNCATED, None, "unfinished-thinking", text[-120:], parser)
    reading = PARSERS[parser](text, item)
    if reason in CUT_OFF and _unfinished(reading, text):
        return Grade(Outcome.TRUNCATED, None, reading.rule, reading.evidence, parser)
    return Grade(_outcome(reading, item), reading.choice, reading.rule, reading.evidence, parser)


def _by_probabilities(text: str, item: Item, parser: str) -> Grade:
    """The option that a model without words gives in its first line; it can neither flag nor refuse anything."""
    first = text.strip().partition("\n")[0]
    named = [at for at, option in enumerate(item.options) if first == f"Conclusion: {option.text}"]
    reading = Reading(ZERO_SHOT, choice=named[0]) if named else read_conclusion(first, item)
    outcome = Outcome.UNPARSED if reading.choice is None else _outcome(reading, item)
    return Grade(outcome, reading.choice, ZERO_SHOT, first[:120], parser)


def _unfinished(reading: Reading, text: str) -> bool:
    """Whether a reply that was cut off had not yet come to an answer, or to saying at once that it has none."""
    if reading.silence in _SILENT and reading.rule not in _INCOMPLETE:
        at_once = reading.evidence.lower() in text[:_AT_ONCE].lower().replace("’", "'")
        return not at_once and reading.rule != _STANDS
    return reading.rule in _INCOMPLETE


def _outcome(reading: Reading, item: Item) -> Outcome:
    if reading.choice is None:
        assert reading.silence is not None
        return reading.silence
    if reading.choice == item.answer:
        return Outcome.CORRECT
    return Outcome.ABSTAINED if item.options[reading.choice].abstains else Outcome.WRONG
