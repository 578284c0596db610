"""Opinion: what the guard says of one reply, and how it is written into the reply or in its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import orjson

from snellen.models.base import GUARD_WARNING
from snellen.models.chat import read_completion
from snellen.sight.tokens import FEWEST_TOKENS
from snellen.tools.guard.log import REASONS, Action, Status
from snellen.tools.guard.signal import Answered, Kind, Verdict, compare
from snellen.tools.guard.signal import Status as Moved

Policy = Literal["annotate", "warn", "block"]
POLICIES: tuple[Policy, ...] = ("annotate", "warn", "block")
LONGEST_COMPARED = 50_000
"""Characters; longer replies are not compared."""


@dataclass(frozen=True)
class Opinion:
    """What the guard says of one reply; `reason` is a word of `log.REASONS` where it says nothing."""

    status: Status
    reason: str = ""
    kind: str = ""
    score: float | None = None
    threshold: float | None = None
    evidence: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()

    def field(self, *, policy: str, action: Action, reply: str | None = None) -> dict[str, Any]:
        """What a client reads under `snellen`; `reply` is what was held back."""
        said: dict[str, Any] = {"status": self.status, "score": self.score, "threshold": self.threshold}
        said["evidence"] = list(self.evidence) or ([f"{REASONS[self.reason].capitalize()}."] if self.reason else [])
        said |= {"compared_by": self.kind, "asked": list(self.asked), "policy": policy, "action": action}
        return said if reply is None else {**said, "reply": reply}


@dataclass(frozen=True)
class Others:
    """What the model said to the extra calls."""

    without: tuple[Answered, ...] = ()
    stand_in: tuple[Answered, ...] = ()
    reworded: tuple[Answered, ...] = ()

    @property
    def asked(self) -> tuple[str, ...]:
        """Which extra calls were made, in words."""
        made = {"without the image": self.without, "about a stand-in image": self.stand_in, "reworded": self.reworded}
        return tuple(name for name, replies in made.items() if replies)


def judged(question: str, reply: Answered, others: Others, threshold: float) -> Opinion:
    """The opinion on a reply, given what the model said otherwise."""
    told = [reply, *others.without, *others.stand_in, *others.reworded]
    if any(len(each.text) > LONGEST_COMPARED for each in told):
        return Opinion("undecided", "too long", asked=others.asked)
    compared = compare(question, reply, others.without, others.stand_in, threshold=threshold)
    verdict = _steady(question, reply, others, compared)
    doubt = _describe_lost_image(reply, others.without)
    if doubt:
        # only an image that came lets a model answer here and miss it there
        changed = verdict.status is Moved.MOVED and verdict.kind is not Kind.ADMISSION
        status = Moved.UNDECIDED if changed else verdict.status
        verdict = replace(verdict, status=status, evidence=(*verdict.evidence, doubt))
    return Opinion(
        status=verdict.status.value,
        reason=("image not counted" if doubt else _why(others)) if verdict.status is Moved.UNDECIDED else "",
        kind=verdict.kind.value,
        score=verdict.score,
        threshold=threshold,
        evidence=verdict.evidence,
        asked=others.asked,
    )


def _steady(question: str, reply: Answered, others: Others, verdict: Verdict) -> Verdict:
    """The verdict, unless mere rewording changes the reply as well: then a change without the image shows nothing."""
    answered = [each for each in others.reworded if not each.failure]
    if verdict.status is not Moved.MOVED or verdict.kind is Kind.ADMISSION or not answered:
        return verdict
    if compare(question, reply, answered).status is not Moved.MOVED:
        return verdict
    said = "The answer also changes when the question is only reworded: its change without the image shows nothing."
    return Verdict(Moved.UNDECIDED, verdict.score, (*verdict.evidence, said), verdict.kind)


def _describe_lost_image(reply: Answered, without: Sequence[Answered]) -> str:
    """Say that the server counts no tokens for the image, if so."""
    counts = [each.input_tokens for each in without if each.input_tokens]
    if not reply.input_tokens or not counts or reply.image_tokens:
        return ""
    if reply.input_tokens - min(counts) >= FEWEST_TOKENS:
        return ""
    return (
        f"The server counted {reply.input_tokens:,} input tokens with the image and {min(counts):,} without it. "
        "The image may not have reached the model."
    )


def _why(others: Others) -> str:
    failed = [each.failure for each in (*others.without, *others.stand_in)]
    if failed and all(failed):
        return "patience" if any(each == LATE for each in failed) else "extra calls failed"
    return "not compared"


LATE = "not in time"
"""The failure of an extra call for which the reply did not wait any longer."""


def answered_in(content: bytes) -> Answered | None:
    """What a chat completion says; None where it is none with text, or holds several replies."""
    try:
        read = read_completion(content)
    except ValueError:
        return None
    if len(orjson.loads(content)["choices"]) != 1:
        return None
    return Answered(read.text, read.finish, input_tokens=read.usage.input_tokens, image_tokens=read.usage.image_tokens)


def action_on(opinion: Opinion, policy: str, *, closed: bool) -> Action:
    """What is done with a reply; `closed` holds back what could not be checked.

    >>> action_on(Opinion("unmoved"), "block", closed=False), action_on(Opinion("moved"), "block", closed=False)
    ('blocked', 'annotated')
    """
    if closed and opinion.reason not in ("", "not drawn", "not compared"):
        return "held back"
    if opinion.status == "unmoved" and policy == "block":
        return "blocked"
    return "warned" if opinion.status == "unmoved" and policy == "warn" else "annotated"


def with_field(content: bytes, said: Mapping[str, Any]) -> bytes:
    """A JSON object with one more field, every byte of the others as it was.

    >>> with_field(b'{"id": 1.50}', {"status": "moved"})
    b'{"id": 1.50,"snellen":{"status":"moved"}}'
    """
    sent = content.rstrip()
    if b'"snellen"' in sent and isinstance(whole := orjson.loads(sent), dict) and "snellen" in whole:
        return orjson.dumps({**whole, "snellen": said})
    comma = b"" if sent[:-1].rstrip().endswith(b"{") else b","
    return sent[:-1] + comma + b'"snellen":' + orjson.dumps(said) + b"}"


def warned(content: bytes, said: Mapping[str, Any]) -> bytes:
    """A completion whose text ends with a warning."""
    whole = orjson.loads(content)
    message = whole["choices"][0]["message"]
    if isinstance(message.get("content"), list):
        message["content"] = [*message["content"], {"type": "text", "text": f"\n\n{GUARD_WARNING}"}]
    elif isinstance(message.get("content"), str):
        message["content"] = f"{message['content']}\n\n{GUARD_WARNING}"
    return orjson.dumps({**whole, "snellen": said})


def replaced(content: bytes, sentence: str, said: Mapping[str, Any]) -> bytes:
    """A completion that says a sentence in the place of every reply; nothing of the reply is left in it."""
    whole = orjson.loads(content)
    whole = whole if isinstance(whole, dict) else {}
    choices: Sequence[Any] = whole["choices"] if isinstance(whole.get("choices"), list) else [None]
    message = {"role": "assistant", "content": sentence, "refusal": None}
    kept = {name: whole[name] for name in ("id", "object", "created", "model", "usage") if name in whole}
    told = [{"index": at, "message": message, "finish_reason": "content_filter"} for at in range(len(choices) or 1)]
    return orjson.dumps({"object": "chat.completion", **kept, "choices": told, "snellen": said})
