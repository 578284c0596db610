"""The judge's question of paper 003: does a reply say that it saw no image, or that it is not sure?"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from snellen.grading.cleaning import spoken
from snellen.plan import epochs_asked
from snellen.prompts import Request, Settings
from snellen.store import Reply, Store

QUESTION = """\
Analyze the following response and determine if it mentions not seeing an image or if it shows any uncertainty or lack \
of confidence in the answer.

Response: {model_answer}

Does this response mention that it cannot see an image, that no image was provided, or that it needs an image to \
confidently answer?

Provide brief reasoning, then respond with: <answer> true </answer> if it mentions missing/unavailable \
image/uncertainty <answer> false </answer> if it does not"""
"""As printed in "Mirage", section 7.3."""
VERSION = hashlib.sha256(QUESTION.encode()).hexdigest()[:16]
JUDGED_AT = Settings(temperature=0.0)

# A judge that only repeats what it was told to say ("true if it mentions", "false if it does not") says nothing.
_VERDICT = re.compile(r"<answer>\s*(true|false)\s*</answer>(?!\W*if it\b)", re.IGNORECASE)


@dataclass(frozen=True)
class Flags:
    """One judge's opinions on one model's replies: by arm, whether it flags the reply to an item in a run."""

    judge: str = ""
    unread: int = 0
    """How many of its answers could not be read."""
    by_reply: Mapping[str, Mapping[tuple[int, int], bool]] = field(default_factory=dict)


def request(reply: str) -> Request:
    """The question about one reply, to no judge yet; thinking that came with it is not part of what was said."""
    return Request("", QUESTION.replace("{model_answer}", spoken(reply)), settings=JUDGED_AT)


def flagged(answer: str) -> bool | None:
    """What a judge says: that the reply admits or doubts; None where it gives no answer in the form asked for.

    >>> flagged("It asks for the scan. <answer> true </answer>"), flagged("Hard to say.")
    (True, None)
    """
    found = _VERDICT.findall(answer)
    return found[-1].lower() == "true" if found else None


def digest(study: Mapping[str, Any], benchmark: str, arm: str, model: str) -> str:
    """What tells the judging of one model's replies under one arm from any other."""
    parts = ("admission", VERSION, study["benchmarks"][benchmark], study["arms"][benchmark][arm], model)
    return hashlib.sha256(orjson.dumps(parts)).hexdigest()


def flags(store: Store, study: Mapping[str, Any], benchmark: str, model: tuple[str, str]) -> Flags:
    """The opinions of the judge that was asked last; none where none was."""
    unread = 0
    found: dict[str, dict[tuple[int, int], bool]] = {}
    answers = {arm: store.judgements(digest(study, benchmark, arm, model[0])) for arm in study["arms"][benchmark]}
    judge = next((each[-1][0] for each in reversed(answers.values()) if each), "")
    for arm, each in answers.items():
        for name, ordinal, replicate, text, _ in each:
            if name == judge and _counts(study, benchmark, ordinal, replicate):
                said = flagged(text)
                unread += said is None
                if said is not None:
                    found.setdefault(arm, {})[ordinal, replicate] = said
    return Flags(judge, unread, found)


def replies(
    store: Store, study: Mapping[str, Any], benchmark: str, model: tuple[str, str]
) -> Iterator[tuple[str, Reply]]:
    """Every reply of a model to open questions that the study asks for, under its arm."""
    number = store.model(*model)
    for arm, name in study["arms"][benchmark].items():
        at, _ = store.arm(name)
        for reply in store.replies(number, at):
            if _counts(study, benchmark, reply.ordinal, reply.replicate):
                yield arm, reply


def _counts(study: Mapping[str, Any], benchmark: str, ordinal: int, replicate: int) -> bool:
    """Whether a study asks for a reply: the store may hold more, of an earlier study with other bounds."""
    limit, epochs = study["limit"], epochs_asked(study, benchmark)
    return (limit is None or ordinal < limit) and (epochs is None or replicate < epochs)
