"""Samples of lm-eval: `samples_TASK_DATE.jsonl`, as `--log_samples` writes it, with `results_DATE.json` beside it.

A task that compares log-likelihoods has no words to read: its response is the option that is likeliest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from snellen.benchmarks.rows import Row
from snellen.errors import BrokenRow, DataError
from snellen.imports.answer import Answer
from snellen.imports.asked import Questions, Record
from snellen.imports.document import as_object, objects
from snellen.imports.given import Given
from snellen.imports.importer import Importer
from snellen.imports.samples import (
    Evaluation,
    evaluation,
    item_id,
    likeliest,
    likelihoods,
    place,
    samples,
    settings_from,
    target,
    texts,
)
from snellen.items import Item
from snellen.models.base import Response
from snellen.prompts import Settings

FILES = ("samples_*.jsonl",)
_NAMED = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+)\.jsonl(?:\.gz)?")


class Sent(NamedTuple):
    """What the arguments of a sample's requests say: words, settings, continuations to choose from, and images."""

    text: str = ""
    system: str = ""
    settings: Settings | None = None
    options: tuple[str, ...] = ()
    image: bool | None = None


def read_lm_eval(path: Path, given: Given) -> Iterator[Answer | BrokenRow]:
    """The responses of a samples file, one for each run of each question; the benchmark is the task."""
    named = _NAMED.fullmatch(path.name)
    task, date = (named["task"], named["date"]) if named else (path.name.partition(".")[0], "")
    about = evaluation(path, path.with_name(f"results_{date}.json"), task, given)
    questions = Questions(path.parent, given)
    for row in samples(path):
        try:
            yield from _answers(row, about, questions, given, given.name or task)
        except DataError as error:
            yield BrokenRow(row.where, item_id(row), str(error))


def _answers(row: Row, about: Evaluation, questions: Questions, given: Given, benchmark: str) -> Iterator[Answer]:
    if row.reason is not None:
        raise DataError(row.reason)
    fields = row.fields
    doc = as_object(fields.get("doc"))
    found = likelihoods(fields)
    sent = _sent(fields.get("arguments"), likely=found is not None)
    arm = given.arm_of(questions.arm_in(doc))
    ids = questions.ids_in(doc) if given.known or questions.id_is_said else ()
    record = Record(
        ids[0] if questions.id_is_said and ids else item_id(row),
        fields=doc,
        prompt=sent.text,
        target=target(row, likely=found is not None),
        options=sent.options[: len(found)] if found is not None else (),
        place=place(row),
        ids=ids,
    )
    if about.output_type == "loglikelihood_rolling" or _is_rolling(fields.get("arguments")):
        raise DataError("it has the log-likelihood of a whole text, and no question that was answered")
    if found is not None and len(found) < 2:
        raise DataError("it has the log-likelihood of one text and nothing to choose from")
    item, has_image = questions.find(record, benchmark=benchmark, arm=arm)
    if found is None:
        responses = [Response.of_fields(text=text, finish="") for text in texts(fields)]
    elif len(found) != len(item.options):
        raise DataError(f"it has {len(found)} log-likelihoods and {len(item.options)} options")
    else:
        _check_score(fields, found, item)
        responses = [likeliest(found, item)]
        given.note(
            "{count} responses are the option with the largest log-likelihood (what lm-eval scores as acc): there are "
            "no words to read, and nothing that could refuse or abstain."
        )
    for replicate, response in enumerate(responses, 1):
        yield Answer(
            model=about.model,
            benchmark=benchmark,
            arm=arm,
            item=item,
            response=response,
            replicate=replicate,
            revision=about.revision,
            text=sent.text,
            system=sent.system or about.system,
            settings=sent.settings or about.settings,
            image_sent=sent.image,
            has_image=has_image or bool(sent.image),
            where=row.where,
        )


def _is_rolling(arguments: object) -> bool:
    """Whether the requests hold one text each and neither settings nor a continuation: how probable the text is."""
    requests = as_object(arguments).values()
    return bool(requests) and all(as_object(each).keys() == {"arg_0"} for each in requests)


def _check_score(fields: Mapping[str, Any], found: Sequence[float], item: Item) -> None:
    """Refuse a key by which the likeliest option is right where lm-eval scored it as wrong, or the reverse."""
    scored = fields.get("acc")
    most = max(found)
    best = [place for place, value in enumerate(found) if value == most]
    if isinstance(scored, int | float) and scored in (0, 1) and len(best) == 1 and (best[0] == item.answer) != scored:
        raise DataError(
            f"lm-eval scored {item.options[best[0]].text!r} as {'right' if scored else 'wrong'} (acc), and its answer "
            f"{fields.get('target')!r} was read as {item.letter}. Name the field that holds the right answer's letter "
            "or text (--map answer=FIELD), or the benchmark that holds the question (--benchmark)"
        )


def _sent(arguments: object, *, likely: bool) -> Sent:
    """What was sent, from `{"gen_args_0": {"arg_0": …, "arg_1": …}}`."""
    requests = objects([*as_object(arguments).values()])
    if not requests:
        return Sent()
    first = requests[0]
    system, text = _words(first.get("arg_0"))
    second = first.get("arg_1")
    seen = first.get("arg_2")
    image = bool(seen.get("visual")) if isinstance(seen, Mapping) else False
    if likely:
        options = [each.get("arg_1") for each in requests]
        whole = all(isinstance(option, str) for option in options)
        alike = whole and len(set(options)) < len(options)
        return Sent(text, system, None, () if alike or not whole else tuple(map(str, options)), image)
    return Sent(text, system, settings_from(second) if isinstance(second, Mapping) else None, (), image)


def _words(value: object) -> tuple[str, str]:
    """The system's and the user's words, of a plain prompt or of chat messages that stand in it as JSON."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, str):
        return "", ""
    if not value.startswith("[{"):
        return "", value
    try:
        messages = orjson.loads(value)
    except orjson.JSONDecodeError:
        return "", value
    said: dict[str, list[str]] = {"system": [], "user": []}
    for message in messages:
        if isinstance(message, Mapping) and (role := str(message.get("role"))) in said:
            said[role] += _texts(message.get("content"))
    return "\n\n".join(said["system"]), said["user"][-1] if said["user"] else ""


def _texts(content: object) -> list[str]:
    if isinstance(content, str):
        return [content]
    parts: list[Any] = content if isinstance(content, list) else []
    words = [part["text"] for part in parts if isinstance(part, Mapping) and isinstance(part.get("text"), str)]
    return ["\n".join(words)] if words else []


IMPORTER = Importer("a samples file of lm-eval", read_lm_eval, FILES)
