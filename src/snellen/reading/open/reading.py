"""Read an open answer: a reason for no answer, or its comparison with the references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from snellen.items import Item
from snellen.reading.language.acts.declining import read_silence
from snellen.reading.language.cleaning import clean_text, lower_keeping_offsets
from snellen.reading.open.answers import answer_of
from snellen.reading.open.comparison import (
    CORRECT,
    INCORRECT,
    UNCLEAR,
    AnswerComparison,
    Reference,
    compare_statement,
    prepare_reference,
)
from snellen.reading.open.steps import read_steps, steps_of
from snellen.reading.outcomes import OpenReading, Outcome

RULES = {
    "exact": "the reference word for word",
    "same-terms": "all that the reference says, in the same or in other words",
    "asked-part": "the part of the reference that the question asks for",
    "most-terms": "most of a long reference",
    "in-prose": "a sentence that says what the reference says",
    "yes-no": "yes or no, as the reference has it or not",
    "absent": "that it is absent, as the reference says",
    "denies": "says that what the reference names is not there",
    "contradicts": "another side, place, kind or quality in place of the reference's",
    "other-number": "another number",
    "other-terms": "part of the reference, with something else in place of the rest",
    "part": "part of the reference and nothing else",
    "alternatives": "several answers, one of them the reference",
    "two-sides": "the side of the reference and another one",
    "nothing-shared": "nothing of what the reference says",
    "steps-made": "enough of the steps of the reference",
    "steps-some": "some of the steps of the reference",
    "steps-missing": "too few of the steps of the reference",
    "no-reference": "there is no reference to compare with",
    "empty": "an empty response",
    "refusal-phrase": "words that decline the task",
    "abstention-phrase": "words that say it cannot tell",
    "no-image": "says that there is no image",
    "quality-phrase": "words that call the image too poor",
}
"""Names of the rules for reading open answers, each with a short explanation."""
STATED = "stated: "
"""Prefix of a rule if the answer is in an explicit place, such as a line "Answer: …"."""
_SILENCES = ("refusal-phrase", "abstention-phrase", "no-image", "quality-phrase")
_COMPARED = tuple(rule for rule in RULES if rule not in (*_SILENCES, "empty", "no-reference") and "steps" not in rule)
RULES |= {f"{STATED}{rule}": f"{RULES[rule]}, in a final statement" for rule in _COMPARED}
WEIGHS = frozenset(
    (
        "part", "other-terms", "nothing-shared", "alternatives", "two-sides", "steps-some", "steps-missing",
        "no-reference", "empty", "contradicts", "other-number",
    )
)  # fmt: skip
"""Rules that a missing or open part of a response decides; if it was cut off, the part might have followed."""
_EVIDENCE = 120
_BEST = {CORRECT: 2, UNCLEAR: 1, INCORRECT: 0}
_FIRM = ("contradicts", "denies", "other-number", "yes-no", "two-sides", "alternatives")
"""Rules that make the first sentence the answer, even if it is wrong."""


def read_open(text: str, item: Item) -> OpenReading:
    """Compare a response with the references of its item.

    >>> item = Item(id="1", question="What kind of image is this?", kind="open", answer="chest x-ray")
    >>> [read_open(text, item).grade.value for text in ("A CXR.", "CT of the chest", "An X-ray or a CT")]
    ['correct', 'incorrect', 'unclear']
    """
    response = clean_text(text)
    if not any(map(str.isalnum, response)):
        return OpenReading("empty", silence=Outcome.UNPARSED)
    references = item.references
    if not references:
        return OpenReading("no-reference", UNCLEAR, evidence=_quote(response))
    for reference in references:
        if _normalise(response) == _normalise(_plain(reference)):
            return OpenReading("exact", CORRECT, evidence=_quote(response), reference=reference)
    found = _best(response, item, references)
    if found.grade is CORRECT:
        return found
    silent = read_silence(lower_keeping_offsets(response), item.question)
    if silent is None or found.rule.startswith(STATED):
        return found
    return OpenReading(silent[0].rule, silence=silent[0].silence, evidence=silent[0].evidence)


def _best(response: str, item: Item, references: Sequence[str]) -> OpenReading:
    """Return the reading by the reference that fits best."""
    readings = []
    for reference in references:
        text = _plain(reference)
        steps = steps_of(text, item.metadata)
        found = (
            read_steps(response, steps, item.question)
            if steps
            else _read(response, prepare_reference(text, item.question))
        )
        readings.append(replace(found, reference=reference))
        if readings[-1].grade is CORRECT:
            return readings[-1]
    return max(readings, key=lambda each: _BEST[each.grade] if each.grade is not None else 0)


def _read(response: str, reference: Reference) -> OpenReading:
    answer = answer_of(response)
    if len(answer.statements) == 1:
        verdict, evidence = compare_statement(answer.statements[0], reference), answer.statements[0]
    else:
        verdict, evidence = _in_prose(answer.statements, reference)
    rule = f"{STATED}{verdict.rule}" if answer.stated else verdict.rule
    return OpenReading(rule, verdict.grade, evidence=_quote(evidence))


def _in_prose(statements: Sequence[str], reference: Reference) -> tuple[AnswerComparison, str]:
    """Compare the first sentence if it decides, otherwise the sentence that fits best."""
    verdicts = [compare_statement(each, reference) for each in statements[:_MOST_STATEMENTS]]
    if verdicts[0].grade is CORRECT or verdicts[0].rule in _FIRM:
        return verdicts[0], statements[0]
    for verdict, statement in zip(verdicts, statements, strict=False):
        if verdict.grade is CORRECT:
            return AnswerComparison(CORRECT, "in-prose"), statement
    at = max(range(len(verdicts)), key=lambda place: _BEST[verdicts[place].grade])
    return verdicts[at], statements[at]


_MOST_STATEMENTS = 40


@lru_cache(maxsize=8_192)
def _plain(reference: str) -> str:
    return clean_text(reference)


def _normalise(text: str) -> str:
    return " ".join(text.split()).rstrip(".").casefold()


def _quote(text: str) -> str:
    return " ".join(text.split())[:_EVIDENCE]
