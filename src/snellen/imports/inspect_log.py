"""Importer for Inspect logs: every sample and epoch of a log becomes an answer.

Solvers may change a sample's own `messages` and `output`: `multiple_choice(shuffle=True)` restores the dataset's order
of choices afterwards and rewrites the response. Only the model event holds the original call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from snellen.benchmarks.answers import as_text, parse_answer, parse_options
from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.printed_options import without_printed_options
from snellen.errors import BrokenRow, DataError, ImageError
from snellen.images import Image
from snellen.imports.answer import AS_ASKED, MOST_REPEATS, Answer
from snellen.imports.asked import FileQuestions, FoundItem, Record, printed_in, with_images
from snellen.imports.conditions import arm_name
from snellen.imports.document import as_object, count, objects
from snellen.imports.fields import Given
from snellen.imports.importer import Importer
from snellen.imports.inspect_file import COMPANIONS, Entry, open_log
from snellen.imports.inspect_sample import KEY, SHUFFLED, item_told
from snellen.items import LETTERS, Item, Option
from snellen.models.base import Response, Usage
from snellen.prompts import Effort, Settings

_FINISH = {"max_tokens": "length", "model_length": "length", "unknown": ""}
_TEXTS = ("category", "language", "cluster")
_LONGEST_ERROR = 400
_NOT_LOGGED = "<base64-data-removed>"
ALL_FROM_LOG = Given()
"""Options that leave everything to the log."""


@dataclass(frozen=True)
class Evaluation:
    """Information about all samples of a log."""

    benchmark: str
    model: str
    arm: str
    config: Mapping[str, Any]
    shuffled: bool
    folder: Path
    given: Given
    questions: FileQuestions


def read_inspect_log(path: Path, given: Given = ALL_FROM_LOG) -> Iterator[Answer | BrokenRow]:
    """Yield every sample and epoch of a log; an unusable one becomes a BrokenRow.

    The benchmark's name is the given one, or the log's name for its dataset, or its task: two tasks on one dataset are
    two ways of asking the same questions.

    The arm is the given one, or else `arm` in the sample's metadata, the task's arguments or the log's metadata, or
    else the original. A failed call is an answer without a response.

    Samples of Snellen's own tasks name their benchmark, item and condition.

    If a sample has no choices but its prompt lists some, it is a question with options in two cases: a given benchmark
    has its id, or its target is one of the letters.
    """
    empty = True
    with open_log(path) as log:
        about = _evaluation(log.header, path, given)
        for entry in log.entries:
            empty = False
            try:
                yield _answer(entry, about)
            except DataError as error:
                yield BrokenRow(entry.where, entry.item_id, str(error))
    if empty:
        raise DataError(f"{path.name} holds no samples (its status is {log.header.get('status', 'unfinished')!r}).")


def _evaluation(header: Mapping[str, Any], path: Path, given: Given) -> Evaluation:
    spec, plan = as_object(header.get("eval")), as_object(header.get("plan"))
    task, model = spec.get("task"), spec.get("model")
    if not isinstance(task, str) or not isinstance(model, str):
        raise DataError(f"{path.name} is not an Inspect log: expected a task and a model, got {task!r} and {model!r}.")
    places = (spec.get("task_args"), spec.get("metadata"), header.get("metadata"))
    said = [given.arm, *(as_object(place).get("arm") for place in places)]
    named = next((each for each in said if each is not None), AS_ASKED)
    dataset = as_object(spec.get("dataset")).get("name")
    home = given.name or (dataset if isinstance(dataset, str) and dataset.strip() else task)
    try:
        arm = arm_name(named)
    except DataError as error:
        raise DataError(f"{path.name}: {error}") from error
    return Evaluation(
        # `package/task` and `file.py@task` are known by their last part
        re.split(r"[/@]", home.rstrip("/@"))[-1] or home,
        given.model or model,
        arm,
        {**_drop_unset(spec.get("model_generate_config")), **_drop_unset(plan.get("config"))},
        _shuffles(plan.get("steps")),
        path.parent,
        given,
        FileQuestions(path.parent, given),
    )


def _drop_unset(config: object) -> dict[str, Any]:
    return {name: value for name, value in as_object(config).items() if value is not None}


def _shuffles(value: object) -> bool:
    """Return True if a solver, at any depth of the plan, shuffles the choices."""
    if isinstance(value, list):
        return any(_shuffles(each) for each in value)
    return isinstance(value, Mapping) and (bool(value.get("shuffle")) or any(map(_shuffles, value.values())))


def _answer(entry: Entry, about: Evaluation) -> Answer:
    if entry.reason is not None:
        raise DataError(entry.reason)
    sample = entry.fields
    exchange = exchange_of(sample)
    metadata = dict(as_object(sample.get("metadata")))
    own = metadata.pop("arm", None)
    error = _failure(sample, exchange)
    epoch = sample.get("epoch")
    put = about.arm if about.given.arm is not None or own is None else arm_name(own)
    held = _read_own_sample(sample, exchange, metadata, about) or _match_benchmark(sample, exchange, about, put)
    return Answer(
        model=about.model,
        # Snellen's own tasks name the benchmark in the metadata.
        benchmark=about.given.name or str(as_object(metadata.get(KEY)).get("benchmark") or about.benchmark),
        arm=put,
        item=_item(sample, exchange, metadata, about) if held is None else held.item,
        response=None if error else _response(exchange),
        error=error,
        replicate=epoch if type(epoch) is int and 0 <= epoch < MOST_REPEATS else None,
        text=exchange.text,
        system="\n\n".join(exchange.list_texts("system")),
        settings=_settings({**about.config, **_drop_unset(exchange.config)}),
        image_sent=bool(exchange.images) if exchange.sent else None,
        has_image=any(message.images for message in read_question(sample)) or (held is not None and held.has_image),
        where=entry.where,
    )


def _failure(sample: Mapping[str, Any], exchange: Exchange) -> str:
    if sample.get("invalidation"):
        return f"invalidated in Inspect: {as_object(sample['invalidation']).get('reason') or 'no reason given'}"
    if error := sample.get("error"):
        # It may hold the whole request, with the cause at its end.
        said = str(as_object(error).get("message") or error)
        return said if len(said) <= _LONGEST_ERROR else f"… {said[-_LONGEST_ERROR:]}"
    refused = exchange.output.get("error")
    if refused and _finish(exchange) != "content_filter":
        return str(refused)
    if exchange.reply is None:
        limit = as_object(sample.get("limit")).get("type")
        return f"ended by its {limit} limit before it had a response" if limit else "the log holds no response"
    return ""


def _finish(exchange: Exchange) -> str:
    choices = exchange.output.get("choices")
    reason = str(as_object(choices[0]).get("stop_reason") or "") if isinstance(choices, list) and choices else ""
    return "refusal" if exchange.reply and exchange.reply.refuses else _FINISH.get(reason, reason)


def _response(exchange: Exchange) -> Response:
    assert exchange.reply is not None
    output, usage = exchange.output, as_object(exchange.output.get("usage"))
    read = output.get("input_context_tokens")
    return Response(
        text=exchange.reply.text,
        finish=_finish(exchange),
        reasoning=exchange.reply.reasoning,
        usage=Usage(
            count(usage.get("input_tokens") if read is None else read),
            count(usage.get("output_tokens")),
            reasoning_tokens=count(usage.get("reasoning_tokens")),
        ),
        latency=_amount(output.get("time")) or 0.0,
        served_by=str(output.get("model") or ""),
    )


def _amount(value: object) -> float | None:
    """Return a number of 0 or more, else None; Inspect also writes NaN."""
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if plain and 0 <= value < inf else None  # type: ignore[arg-type, operator]


def _settings(config: Mapping[str, Any]) -> Settings:
    seed, effort = config.get("seed"), config.get("reasoning_effort")
    return Settings(
        temperature=_amount(config.get("temperature")),
        top_p=_amount(config.get("top_p")),
        max_tokens=count(config.get("max_tokens")),
        seed=seed if type(seed) is int else None,
        reasoning_effort=cast("Effort", effort) if isinstance(effort, str) else None,
    )


def _item(sample: Mapping[str, Any], exchange: Exchange, metadata: dict[str, Any], about: Evaluation) -> Item:
    """Read a sample's question: the dataset's words, choices as shown, images as sent."""
    said = [message.text for message in read_question(sample) if message.role == "user" and message.text]
    images, missing = _images(_list_shown(sample, exchange), about.folder)
    texts: dict[str, Any] = {
        name: as_text(metadata.pop(name), f"its {name}") for name in _TEXTS if metadata.get(name) is not None
    }
    if missing:
        metadata["images_missing"] = missing
    options, answer = _options(sample, exchange, metadata, about)
    item = Item(
        id=as_text(sample.get("id"), "its id"),
        question=without_printed_options(said[-1], options) if said else "",
        options=options,
        answer=answer,
        images=images,
        kind="choice" if options else "open",
        context="\n\n".join(said[:-1]),
        metadata=MappingProxyType(metadata),
        **texts,
    )
    if (problem := item.problem(alike=not about.shuffled)) is not None:
        raise DataError(problem)
    return item


def _read_own_sample(
    sample: Mapping[str, Any], exchange: Exchange, metadata: Mapping[str, Any], about: Evaluation
) -> FoundItem | None:
    """Read a sample of Snellen's own tasks from its metadata, with the images sent."""
    listed = sample.get("choices")
    item = item_told(metadata, listed if isinstance(listed, list) else [], sample.get("target"))
    if item is None:
        return None
    if about.shuffled and isinstance(item.answer, int):
        order = order_shown(exchange, [option.text for option in item.options], shuffled=True)
        item = replace(item, options=tuple(item.options[at] for at in order), answer=order.index(item.answer))
    whole = with_images(item, *_images(_list_shown(sample, exchange), about.folder))
    if (problem := whole.problem(alike=True)) is not None:
        raise DataError(problem)
    return FoundItem(whole, has_image=bool(as_object(metadata.get(KEY)).get("images")))


def _match_benchmark(sample: Mapping[str, Any], exchange: Exchange, about: Evaluation, arm: str) -> FoundItem | None:
    """Match a sample without choices to a given benchmark, with the images sent."""
    if sample.get("choices") or not about.given.known:
        return None
    words = "\n".join(exchange.list_texts("user") or [message.text for message in read_question(sample)])
    target = sample.get("target")
    record = Record(str(sample.get("id")), prompt=words, target=target if isinstance(target, str) else None)
    found = about.questions.find(record, benchmark=about.benchmark, arm=arm)
    if not exchange.sent:
        return found
    return found._replace(item=with_images(found.item, *_images(exchange.images, about.folder)))


def _options(
    sample: Mapping[str, Any], exchange: Exchange, metadata: dict[str, Any], about: Evaluation
) -> tuple[tuple[Option, ...], int | str]:
    """Return the choices in the order shown, with the correct index or the reference answer.

    Several reference answers of an open question are added to the metadata.
    """
    target = sample.get("target")
    targets = [as_text(each, "its target") for each in (target if isinstance(target, list) else [target])]
    choices = sample.get("choices")
    if not choices:
        if (printed := _printed_options(targets, exchange, about.given)) is not None:
            return printed
        if len(targets) > 1:
            metadata["answers"] = targets
        return (), targets[0] if targets else ""
    labelled = parse_options(choices)
    if len(targets) != 1:
        raise DataError(f"it has {len(targets)} right answers ({', '.join(targets)}), expected one")
    right = parse_answer(targets[0], labelled)
    order = order_shown(exchange, [option.text for _, option in labelled], shuffled=about.shuffled)
    return tuple(labelled[at].option for at in order), order.index(right)


def _printed_options(targets: Sequence[str], exchange: Exchange, given: Given) -> tuple[tuple[Option, ...], int] | None:
    """Return the options in the prompt, if the target is one of their letters."""
    if len(targets) != 1 or not re.fullmatch(r"[A-Z]", targets[0]):
        return None
    listed = printed_in("\n".join(exchange.list_texts("user")))
    if LETTERS.index(targets[0]) >= len(listed):
        return None
    given.note("{count} questions have no choices in the log: the choices were read from the prompt.")
    return tuple(map(Option, listed)), LETTERS.index(targets[0])


def _list_shown(sample: Mapping[str, Any], exchange: Exchange) -> list[str]:
    """Return references to the images sent, or else to those of the dataset's question."""
    return exchange.images if exchange.sent else [one for message in read_question(sample) for one in message.images]


def _images(references: list[str], folder: Path) -> tuple[tuple[Image, ...], list[str]]:
    """Load the images; return also the reasons for missing ones. Nothing is downloaded."""
    images: list[Image] = []
    missing: list[str] = []
    for reference in references:
        if reference.startswith(_NOT_LOGGED) or re.match(r"(?:attachment|tc)://", reference):
            missing.append("an image was sent, but the log does not contain it")
            continue
        try:
            images.append(Gallery(folder).find(reference.removeprefix("file://")))
        except ImageError as error:
            missing.append(str(error))
    return tuple(images), missing


_REFERENCE = re.compile(r"(?:attachment|tc)://(\w+)")
_LINE_END = re.compile(r"[ \t]*(?:\r?\n|\Z)")
_REWRITTEN = re.compile(r"ANSWER: [A-Z](?:, [A-Z])*")


@dataclass(frozen=True)
class Message:
    """One message: role, text, reasoning, and references to its images."""

    role: str
    text: str = ""
    reasoning: str = ""
    images: tuple[str, ...] = ()
    refuses: bool = False


@dataclass(frozen=True)
class Exchange:
    """One call to the model: messages sent, output, response and settings.

    `wire` is the call in the provider's own format, if the log has it, and `attached` its long texts. `rewritten`: the
    response may have been rewritten by a solver that shuffles choices.
    """

    sent: tuple[Message, ...]
    output: Mapping[str, Any]
    reply: Message | None
    config: Mapping[str, Any]
    wire: tuple[Any, ...] = ()
    attached: Mapping[str, str] = field(default_factory=dict)
    rewritten: bool = False

    def list_texts(self, role: str) -> list[str]:
        """Return the texts of all messages with this role."""
        return [message.text for message in self.sent if message.role == role and message.text]

    @property
    def text(self) -> str:
        """Last text of the user."""
        return next(reversed(self.list_texts("user")), "")

    @property
    def images(self) -> list[str]:
        """References to the images that were sent."""
        return [image for message in self.sent if message.role == "user" for image in message.images]

    def went_over_the_wire(self, text: str) -> bool:
        """Return True if the call in the provider's format contains exactly this text."""
        left: list[Any] = list(self.wire)
        while left:
            value = left.pop()
            if isinstance(value, str) and _resolve_attachment(value, self.attached) == text:
                return True
            if isinstance(value, Mapping | list):
                left.extend(value.values() if isinstance(value, Mapping) else value)
        return False


def exchange_of(sample: Mapping[str, Any]) -> Exchange:
    """Find the call that gave the sample its response, or else use the sample's fields."""
    attached = _read_attachments(sample)
    output = as_object(sample.get("output"))
    own = _reply(output, attached)
    event = _event_of(output, sample)
    if event is None:
        messages = [read_message(each, attached) for each in objects(sample.get("messages"))]
        replies = [at for at, message in enumerate(messages) if message.role == "assistant"]
        sent = messages[: replies[-1]] if replies else messages
        return Exchange(tuple(sent), output, own, {}, rewritten=_looks_rewritten(own))
    pools = as_object(sample.get("events_data"))
    inputs = objects(event.get("input")) or _select_from_pool(event.get("input_refs"), pools.get("messages"))
    reply = _reply(as_object(event["output"]), attached)
    call = as_object(event.get("call"))
    wire = (call.get("request"), call.get("response"), _select_from_pool(call.get("call_refs"), pools.get("calls")))
    return Exchange(
        tuple(read_message(as_object(each), attached) for each in inputs),
        as_object(event["output"]),
        reply,
        as_object(event.get("config")),
        wire,
        attached,
        rewritten=own == reply and _looks_rewritten(own),
    )


def read_question(sample: Mapping[str, Any]) -> list[Message]:
    """Return the messages of the question as the dataset has them."""
    given = sample.get("input")
    if isinstance(given, str):
        return [Message("user", given)]
    return [read_message(each, _read_attachments(sample)) for each in objects(given)]


def order_shown(exchange: Exchange, choices: Sequence[str], *, shuffled: bool) -> tuple[int, ...]:
    """Return the choices' indices in the dataset, in the order that the model saw.

    The choices are searched as lettered lines in the messages; without such lines, the dataset's order is returned.
    `shuffled`: a solver moved the choices, so only messages that were surely not rewritten are used.
    """
    usual = tuple(range(len(choices)))
    if exchange.reply is None:
        return usual
    seen = _find_lettered("\n".join(exchange.list_texts("user")), choices)
    found = tuple(at for at in seen if at is not None)
    if all(at in (None, place) for place, at in zip(usual, seen, strict=True)):
        order = usual
    elif sorted(found) == list(usual):
        order = found
    else:
        raise DataError("the order of its choices cannot be read from its messages")
    if shuffled and (len(found) < len(usual) or not _as_it_was(exchange, moved=order != usual)):
        raise DataError(
            "the solver shuffled its choices, and the log does not say in which order the model saw them; "
            "shuffle them in the dataset (shuffle_choices) and run it again"
        )
    return order


def _as_it_was(exchange: Exchange, *, moved: bool) -> bool:
    """Return True if messages and response are surely those of the original call."""
    if exchange.reply is None or (moved and not exchange.rewritten):
        return True
    return exchange.went_over_the_wire(exchange.text) and exchange.went_over_the_wire(exchange.reply.text)


def read_message(message: Mapping[str, Any], attached: Mapping[str, str]) -> Message:
    """Parse a message, with its attachments put back."""
    content = message.get("content")
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else objects(content)
    said: dict[str, list[str]] = {"text": [], "reasoning": [], "image": []}
    for part in parts:
        kind = str(part.get("type"))
        if kind in said and isinstance(part.get(kind), str):
            said[kind].append(_resolve_attachment(part[kind], attached))
    thought = message.get("reasoning")  # older logs store it next to the content
    if isinstance(thought, str):
        said["reasoning"].append(_resolve_attachment(thought, attached))
    return Message(
        str(message.get("role")),
        "\n".join(said["text"]),
        "\n".join(said["reasoning"]),
        tuple(said["image"]),
        refuses=any(part.get("refusal") is True for part in parts),
    )


def _read_attachments(sample: Mapping[str, Any]) -> Mapping[str, str]:
    return as_object(sample.get("attachments")) or as_object(as_object(sample.get("transcript")).get("content"))


def _resolve_attachment(text: str, attached: Mapping[str, str]) -> str:
    match = _REFERENCE.fullmatch(text)
    kept = attached.get(match.group(1)) if match else None
    return kept if isinstance(kept, str) else text


def _reply(output: Mapping[str, Any], attached: Mapping[str, str]) -> Message | None:
    choices = objects(output.get("choices"))
    return read_message(as_object(choices[0].get("message")), attached) if choices else None


def _looks_rewritten(reply: Message | None) -> bool:
    return reply is not None and _REWRITTEN.fullmatch(reply.text) is not None


def _event_of(output: Mapping[str, Any], sample: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Find the model event of the output, by message id or (older logs) duration."""
    events = objects(sample.get("events")) or objects(as_object(sample.get("transcript")).get("events"))
    calls = [event for event in events if event.get("event") == "model" and as_object(event.get("output"))]
    for mark in (_message_id, _duration):
        if (wanted := mark(output)) is not None:
            found = [event for event in calls if mark(event["output"]) == wanted]
            if found:
                return found[-1]
    return None


def _message_id(output: Mapping[str, Any]) -> object:
    choices = objects(output.get("choices"))
    return as_object(choices[0].get("message")).get("id") if choices else None


def _duration(output: Mapping[str, Any]) -> object:
    return output.get("time") if output.get("choices") else None


def _select_from_pool(ranges: object, pool: object) -> list[Any]:
    """Select members of a pool by ranges of positions."""
    if not isinstance(ranges, list) or not isinstance(pool, list):
        return []
    spans = [span for span in ranges if isinstance(span, list) and [type(at) for at in span] == [int, int]]
    return [each for start, end in spans for each in pool[start:end]]


def _find_lettered(words: str, choices: Sequence[str]) -> list[int | None]:
    seen: list[int | None] = []
    for letter in LETTERS[: len(choices)]:
        marks = list(re.finditer(rf"^[ \t>*\-•(\[]*{letter}\**[)\].:][)*\]]*[ \t]*", words, re.MULTILINE))
        behind = (_choice_at(words, mark.end(), choices) for mark in reversed(marks))
        seen.append(next((at for at in behind if at is not None), None))
    return seen


def _choice_at(words: str, start: int, choices: Sequence[str]) -> int | None:
    stripped = [choice.strip() for choice in choices]
    fitting = [
        at
        for at, choice in enumerate(stripped)
        if choice and words.startswith(choice, start) and _LINE_END.match(words, start + len(choice))
    ]
    return max(fitting, key=lambda at: len(stripped[at]), default=None)


IMPORTER = Importer("a log of Inspect AI", read_inspect_log, ("*.eval", "*.json"), (SHUFFLED,), COMPANIONS)
