"""Read an open answer: a reason for no answer, or its comparison with the references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice, pairwise
from typing import Any, NamedTuple

from snellen.items import Item
from snellen.reading.choice.fragments import marks
from snellen.reading.language.acts.answering import DIAGNOSED, EXPLAINS
from snellen.reading.language.acts.answering import STATED as STATED_ANSWER
from snellen.reading.language.acts.declining import read_silence
from snellen.reading.language.cleaning import clean_text, lower_keeping_offsets
from snellen.reading.language.sentences import sentences_of
from snellen.reading.language.words.terms import add_implied, rivals
from snellen.reading.open.comparison import (
    CORRECT,
    INCORRECT,
    UNCLEAR,
    AnswerComparison,
    Reference,
    compare_statement,
    prepare_reference,
)
from snellen.reading.open.said import read_statement
from snellen.reading.outcomes import OpenReading, Outcome

SHORT = 30
"""A response with at most this many words is an answer as a whole."""
_MOST, _MOST_SENTENCES, _MOST_STATEMENTS = 200, 200, 40


class OpenAnswer(NamedTuple):
    """The answer of a response: its statements; `stated` if it comes from an explicit place."""

    statements: tuple[str, ...]
    stated: bool = False


def answer_of(text: str) -> OpenAnswer:
    r"""Return the part of a cleaned response that answers.

    >>> answer_of("The angle is blunted, so fluid is likely.\nAnswer: pleural effusion").statements
    ('pleural effusion',)
    """
    marked = marks(text)
    if marked:
        return OpenAnswer((marked[-1].content.strip(),), stated=True)
    stated = list(islice(STATED_ANSWER.finditer(text), _MOST))
    if stated and (content := (stated[-1].group(1) or stated[-1].group(2)).strip()):
        return OpenAnswer((content,), stated=True)
    if len(text.split()) <= SHORT:
        return OpenAnswer((" ".join(text.split()),))
    diagnosed = DIAGNOSED.search(text)
    if diagnosed is not None:
        return OpenAnswer((diagnosed.group(1).strip(),), stated=True)
    statements = [each for each in sentences_of(text) if any(map(str.isalnum, each))]
    telling = [each for each in statements if not EXPLAINS.match(each)]
    return OpenAnswer(tuple(telling or statements))


ENOUGH = 0.7
"""A response with at least this share of the steps is correct."""
TOO_FEW = 0.4
"""A response with less than this share of the steps is incorrect."""
_MADE = 0.6
"""A response makes a step if it has this share of the step's terms."""
_LONG = 60
"""If a reference has at least this many words, its sentences are its steps."""
_FEWEST = 3


def steps_of(reference: str, metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the steps of a reference: those in the metadata, or the sentences of a long reference; usually none."""
    listed = metadata.get("steps")
    if isinstance(listed, list | tuple):
        return tuple(step for step in listed if isinstance(step, str) and step.strip())
    if len(reference.split()) < _LONG:
        return ()
    sentences = tuple(each for each in sentences_of(reference) if any(map(str.isalnum, each)))
    return sentences if len(sentences) >= _FEWEST else ()


def read_steps(response: str, steps: Sequence[str], question: str) -> OpenReading:
    """Grade a response by the share of steps that it makes. A step is in one or two sentences."""
    sentences = sentences_of(response)[:_MOST_SENTENCES]
    pairs = [f"{one} {other}" for one, other in pairwise(sentences)]
    made = [step for step in steps if any(_makes(each, step, question) for each in (*sentences, *pairs))]
    share = len(made) / len(steps)
    evidence = f"{len(made)} of {len(steps)} steps" + (f": {made[-1]}" if made else "")
    grade, rule = (
        (CORRECT, "steps-made")
        if share >= ENOUGH
        else (INCORRECT, "steps-missing")
        if share < TOO_FEW
        else (UNCLEAR, "steps-some")
    )
    return OpenReading(rule, grade, evidence=evidence[:120])


def _makes(sentence: str, step: str, question: str) -> bool:
    """Return whether a sentence makes a step, and neither denies nor contradicts it."""
    wanted, told = prepare_reference(step, question), read_statement(sentence)
    needed = set(wanted.said.terms) | set(wanted.said.denied)
    if not needed:
        return told.words == wanted.said.words
    asserted, denied = told.asserted, told.denied
    if asserted & wanted.said.denied or (denied & set(wanted.said.terms)) - asserted:
        return False
    found = {each for each in wanted.said.terms if each in asserted} | (wanted.said.denied & denied)
    contrary = any(
        asserted & group - add_implied(wanted.said.terms)
        for each in set(wanted.said.terms) - asserted
        for group in rivals(each)
    )
    return not contrary and len(found) >= _MADE * len(needed)


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
"""Rules that need the complete response. A truncated one might still have given the answer."""
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


@lru_cache(maxsize=8_192)
def _plain(reference: str) -> str:
    return clean_text(reference)


def _normalise(text: str) -> str:
    return " ".join(text.split()).rstrip(".").casefold()


def _quote(text: str) -> str:
    return " ".join(text.split())[:_EVIDENCE]
