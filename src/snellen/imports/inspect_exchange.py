"""What a sample's model was really sent and really said, and in which order its choices stood, out of an Inspect log.

A sample's own `messages` and `output` are what the solvers left of them: `multiple_choice(shuffle=True)` puts the
choices back into the dataset's order afterwards and rewrites the response to match. The model event holds the call.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from snellen.errors import DataError
from snellen.items import LETTERS

_REFERENCE = re.compile(r"(?:attachment|tc)://(\w+)")
_LINE_END = re.compile(r"[ \t]*(?:\r?\n|\Z)")
_REWRITTEN = re.compile(r"ANSWER: [A-Z](?:, [A-Z])*")


@dataclass(frozen=True)
class Message:
    """One message: its role, its words, what it thought, and what refers to its images."""

    role: str
    text: str = ""
    reasoning: str = ""
    images: tuple[str, ...] = ()
    refuses: bool = False


@dataclass(frozen=True)
class Exchange:
    """One call: the messages sent, the output as logged, the response in it, and the settings of this call alone.

    `wire` is the call as it went over the wire, where the log keeps that, with the texts `attached` to it. `rewritten`:
    the response is the sample's own and has the form that a shuffling solver gives it.
    """

    sent: tuple[Message, ...]
    output: Mapping[str, Any]
    reply: Message | None
    config: Mapping[str, Any]
    wire: tuple[Any, ...] = ()
    attached: Mapping[str, str] = field(default_factory=dict)
    rewritten: bool = False

    def said(self, role: str) -> list[str]:
        """The words of every message of a role."""
        return [message.text for message in self.sent if message.role == role and message.text]

    @property
    def text(self) -> str:
        """The last words of the user."""
        return next(reversed(self.said("user")), "")

    @property
    def images(self) -> list[str]:
        """What refers to the images that were sent."""
        return [image for message in self.sent if message.role == "user" for image in message.images]

    def went_over_the_wire(self, text: str) -> bool:
        """Whether the call itself holds these very words."""
        left: list[Any] = list(self.wire)
        while left:
            value = left.pop()
            if isinstance(value, str) and _resolved(value, self.attached) == text:
                return True
            if isinstance(value, Mapping | list):
                left.extend(value.values() if isinstance(value, Mapping) else value)
        return False


def exchange_of(sample: Mapping[str, Any]) -> Exchange:
    """The call that gave the sample its response, or what the sample itself says where the call is not kept."""
    attached = _attached(sample)
    output = as_object(sample.get("output"))
    own = _reply(output, attached)
    event = _event_of(output, sample)
    if event is None:
        sent = _before_reply([read_message(each, attached) for each in _objects(sample.get("messages"))])
        return Exchange(tuple(sent), output, own, {}, rewritten=_looks_rewritten(own))
    pools = as_object(sample.get("events_data"))
    messages = _objects(event.get("input")) or _pooled(event.get("input_refs"), pools.get("messages"))
    reply = _reply(as_object(event["output"]), attached)
    call = as_object(event.get("call"))
    wire = (call.get("request"), call.get("response"), _pooled(call.get("call_refs"), pools.get("calls")))
    return Exchange(
        tuple(read_message(as_object(each), attached) for each in messages),
        as_object(event["output"]),
        reply,
        as_object(event.get("config")),
        wire,
        attached,
        rewritten=own == reply and _looks_rewritten(own),
    )


def asked(sample: Mapping[str, Any]) -> list[Message]:
    """The question as the dataset gave it."""
    given = sample.get("input")
    if isinstance(given, str):
        return [Message("user", given)]
    return [read_message(each, _attached(sample)) for each in _objects(given)]


def order_shown(exchange: Exchange, choices: Sequence[str], *, shuffled: bool) -> tuple[int, ...]:
    """The choices' places in the dataset, in the order in which the model saw them.

    They are looked for as lettered lines in what was sent; words that letter no choice leave them as they were.
    `shuffled`: the solver moved them, so that only words which were surely not rewritten are believed.
    """
    usual = tuple(range(len(choices)))
    if exchange.reply is None:
        return usual
    seen = _lettered("\n".join(exchange.said("user")), choices)
    found = tuple(at for at in seen if at is not None)
    if all(at in (None, place) for place, at in zip(usual, seen, strict=True)):
        order = usual
    elif sorted(found) == list(usual):
        order = found
    else:
        raise DataError("the order in which its choices were shown cannot be read in its messages")
    if shuffled and (len(found) < len(usual) or not _as_it_was(exchange, moved=order != usual)):
        raise DataError(
            "its choices were shuffled by the solver, and the log does not tell in which order the model saw them; "
            "shuffle them in the dataset instead (shuffle_choices) and ask again"
        )
    return order


def _as_it_was(exchange: Exchange, *, moved: bool) -> bool:
    """Whether words and response are surely those of the call, in a log whose solver may have rewritten both."""
    if exchange.reply is None or (moved and not exchange.rewritten):
        return True
    return exchange.went_over_the_wire(exchange.text) and exchange.went_over_the_wire(exchange.reply.text)


def read_message(message: Mapping[str, Any], attached: Mapping[str, str]) -> Message:
    """A message taken apart, its attachments put back."""
    content = message.get("content")
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else _objects(content)
    said: dict[str, list[str]] = {"text": [], "reasoning": [], "image": []}
    for part in parts:
        kind = str(part.get("type"))
        if kind in said and isinstance(part.get(kind), str):
            said[kind].append(_resolved(part[kind], attached))
    thought = message.get("reasoning")  # older logs keep it beside the content
    if isinstance(thought, str):
        said["reasoning"].append(_resolved(thought, attached))
    return Message(
        str(message.get("role")),
        "\n".join(said["text"]),
        "\n".join(said["reasoning"]),
        tuple(said["image"]),
        refuses=any(part.get("refusal") is True for part in parts),
    )


def as_object(value: object) -> Mapping[str, Any]:
    """The value where it is an object, and an empty one where it is not."""
    return value if isinstance(value, Mapping) else {}


def _objects(value: object) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def _attached(sample: Mapping[str, Any]) -> Mapping[str, str]:
    return as_object(sample.get("attachments")) or as_object(as_object(sample.get("transcript")).get("content"))


def _resolved(text: str, attached: Mapping[str, str]) -> str:
    match = _REFERENCE.fullmatch(text)
    kept = attached.get(match.group(1)) if match else None
    return kept if isinstance(kept, str) else text


def _reply(output: Mapping[str, Any], attached: Mapping[str, str]) -> Message | None:
    choices = _objects(output.get("choices"))
    return read_message(as_object(choices[0].get("message")), attached) if choices else None


def _before_reply(messages: list[Message]) -> list[Message]:
    last = max((at for at, message in enumerate(messages) if message.role == "assistant"), default=len(messages))
    return messages[:last]


def _looks_rewritten(reply: Message | None) -> bool:
    return reply is not None and _REWRITTEN.fullmatch(reply.text) is not None


def _event_of(output: Mapping[str, Any], sample: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The model event whose output is the sample's: the same message, or in older logs a call of the same duration."""
    events = _objects(sample.get("events")) or _objects(as_object(sample.get("transcript")).get("events"))
    calls = [event for event in events if event.get("event") == "model" and as_object(event.get("output"))]
    for mark in (_message_id, _duration):
        if (wanted := mark(output)) is not None:
            found = [event for event in calls if mark(event["output"]) == wanted]
            if found:
                return found[-1]
    return None


def _message_id(output: Mapping[str, Any]) -> object:
    choices = _objects(output.get("choices"))
    return as_object(choices[0].get("message")).get("id") if choices else None


def _duration(output: Mapping[str, Any]) -> object:
    return output.get("time") if output.get("choices") else None


def _pooled(ranges: object, pool: object) -> list[Any]:
    """The members of a pool that ranges of positions, each without its end, stand for."""
    if not isinstance(ranges, list) or not isinstance(pool, list):
        return []
    spans = [span for span in ranges if isinstance(span, list) and [type(at) for at in span] == [int, int]]
    return [each for start, end in spans for each in pool[start:end]]


def _lettered(words: str, choices: Sequence[str]) -> list[int | None]:
    """For each letter the choice that stands behind it in the last list of the words, None where none does."""
    seen: list[int | None] = []
    for letter in LETTERS[: len(choices)]:
        marks = list(re.finditer(rf"^[ \t>*\-•(\[]*{letter}\**[)\].:][)*\]]*[ \t]*", words, re.MULTILINE))
        behind = (_choice_at(words, mark.end(), choices) for mark in reversed(marks))
        seen.append(next((at for at in behind if at is not None), None))
    return seen


def _choice_at(words: str, start: int, choices: Sequence[str]) -> int | None:
    """The longest choice that the words go on with from there, up to the end of a line."""
    stripped = [choice.strip() for choice in choices]
    fitting = [
        at
        for at, choice in enumerate(stripped)
        if choice and words.startswith(choice, start) and _LINE_END.match(words, start + len(choice))
    ]
    return max(fitting, key=lambda at: len(stripped[at]), default=None)
