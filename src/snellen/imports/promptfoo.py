"""Results of promptfoo: the JSON file of `promptfoo eval --output`, one record for each test, prompt and provider.

An assertion that fails is promptfoo's verdict on a response, not a failed call. The variables of a test are the
question: they are named by whoever wrote the test.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

from snellen.errors import BrokenRow, DataError
from snellen.imports.answer import Answer
from snellen.imports.asked import Questions, Record
from snellen.imports.chat import chat_of
from snellen.imports.document import as_object, count, document, settings_from
from snellen.imports.given import Given
from snellen.imports.importer import Importer
from snellen.models.base import Response, Usage
from snellen.prompts import PROVIDER_DEFAULTS, Settings

FILES = ("*.json",)
_ERROR = 2
"""promptfoo's own number for a test that failed by an error, and not by an assertion."""
_EXPECTING = ("equals", "icontains", "contains", "starts-with")
_VARIABLE = re.compile(r"\{\{\s*([\w.]+)\s*\}\}")


class Run(NamedTuple):
    """What a results file holds: its records, the name of the evaluation, and its settings by provider."""

    records: list[Any]
    name: str
    settings: Mapping[str, Settings]
    prompts: int


def read_promptfoo(path: Path, given: Given) -> Iterator[Answer | BrokenRow]:
    """Every record of a results file; the benchmark is called as the evaluation describes itself, or as the file."""
    run = _run(path, given)
    questions = Questions(path.parent, given)
    ids: dict[str, str] = {}
    file = path.name
    for number, record in enumerate(run.records, 1):
        where = f"{file}, result {number}"
        try:
            yield _answer(record, where, run, questions, given, ids)
        except DataError as error:
            yield BrokenRow(where, _id_of(record, ids), str(error))


def _run(path: Path, given: Given) -> Run:
    whole = document(path)
    results = as_object(whole.get("results"))
    records = results.get("results")
    if not isinstance(records, list):
        raise DataError(f"{path.name}: expected results of promptfoo, with a list at results.results.")
    config = as_object(whole.get("config"))
    name = given.name or _named(config.get("description")) or path.name.removesuffix(".json")
    return Run(records, name, _settings(config), _prompts(records))


def _prompts(records: list[Any]) -> int:
    """How many prompts the provider was given that was given most."""
    columns = {_prompt_id(record) for record in records}
    if len(columns) < 2:
        return len(columns)
    given: dict[str, set[str]] = {}
    for record in records:
        given.setdefault(str(as_object(record).get("provider")), set()).add(_prompt_id(record))
    return max(map(len, given.values()))


def _answer(record: object, where: str, run: Run, questions: Questions, given: Given, ids: dict[str, str]) -> Answer:
    if not isinstance(record, Mapping):
        raise DataError(f"expected an object, got {type(record).__name__}")
    fields = as_object(record.get("vars"))
    provider = _provider(record)
    prompt = as_object(record.get("prompt"))
    chat = chat_of(prompt.get("raw"))
    arm = given.arm_of(
        questions.arm_in(fields) or as_object(record.get("metadata")).get("arm") or _arm(prompt, run, given)
    )
    said = questions.ids_in(fields)
    asked = Record(
        said[0] if said else _id_of(record, ids), fields=fields, prompt=chat.text, target=_target(record), ids=said
    )
    item, has_image = questions.find(asked, benchmark=run.name, arm=arm)
    response, error = _response(record)
    return Answer(
        model=given.model or provider,
        benchmark=run.name,
        arm=arm,
        item=item,
        response=response,
        error=error,
        text=chat.text,
        system=chat.system,
        settings=run.settings.get(provider, PROVIDER_DEFAULTS),
        image_sent=chat.image,
        has_image=has_image or bool(chat.image),
        where=where,
    )


def _arm(prompt: Mapping[str, Any], run: Run, given: Given) -> object:
    """The condition of a prompt, where the file has several: each is another way of asking, named by its label."""
    if run.prompts < 2 or given.arm is not None:
        return None
    label, raw = prompt.get("label"), prompt.get("raw")
    if not isinstance(label, str) or label == raw or "\n" in label or len(label) > 80:
        raise DataError(
            f"the file has {run.prompts} prompts, which are as many ways of asking, and this one has no label; give "
            "each a label in promptfoo's configuration: the name of its condition, such as original or image-removed"
        )
    return label


def _prompt_id(record: object) -> str:
    """What tells one prompt of a provider from another: its column in the results; its words change with every test."""
    fields = as_object(record)
    place = fields.get("promptIdx")
    return str(place if place is not None else as_object(fields.get("prompt")).get("label"))


def _provider(record: Mapping[str, Any]) -> str:
    provider = record.get("provider")
    named = provider if isinstance(provider, str) else as_object(provider).get("label") or as_object(provider).get("id")
    if not isinstance(named, str) or not named.strip():
        raise DataError("it names no provider")
    return named


def _id_of(record: object, ids: dict[str, str]) -> str:
    """The id of a test without one: the number of the first that has the same variables, which a repeat has too."""
    fields = as_object(record)
    # as text: bytes that are kept hold on to all the room that they were written in
    key = orjson.dumps(as_object(fields.get("vars")), option=orjson.OPT_SORT_KEYS, default=str).decode()
    number = fields.get("testIdx")
    return ids.setdefault(key, f"test-{number if type(number) is int else len(ids)}")


def _target(record: Mapping[str, Any]) -> object:
    """What the test expects the response to be, where one assertion says it."""
    checks = as_object(record.get("testCase")).get("assert")
    if not checks:
        return None
    expected = [
        _filled(check["value"], as_object(record.get("vars")))
        for check in (checks if isinstance(checks, list) else [])
        if isinstance(check, Mapping) and check.get("type") in _EXPECTING and isinstance(check.get("value"), str)
    ]
    return (
        expected[0]
        if len(expected) == 1 and "{{" not in expected[0] and "answer" not in as_object(record.get("vars"))
        else None
    )


def _filled(template: str, variables: Mapping[str, Any]) -> str:
    """An expected value with the test's variables in their places; one that is not there, or is no text, stays.

    >>> _filled("Answer: {{ gold }}", {"gold": "B"})
    'Answer: B'
    """

    def value(found: re.Match[str]) -> str:
        told = variables.get(found[1])
        return str(told) if isinstance(told, str | int | float) else found[0]

    return _VARIABLE.sub(value, template)


def _response(record: Mapping[str, Any]) -> tuple[Response | None, str]:
    """The response; or why the call failed."""
    given = as_object(record.get("response"))
    output = given.get("output")
    error = given.get("error") or (record.get("error") if record.get("failureReason") == _ERROR or not given else None)
    if output is None or (error and not output):
        return None, str(error or record.get("error") or "the file holds no response")
    usage = as_object(given.get("tokenUsage")) or as_object(record.get("tokenUsage"))
    details = as_object(usage.get("completionDetails"))
    latency = record.get("latencyMs")
    return (
        Response.of_fields(
            text=output if isinstance(output, str) else orjson.dumps(output, default=str).decode(),
            finish="refusal" if given.get("isRefusal") is True else str(given.get("finishReason") or ""),
            usage=Usage(
                count(usage.get("prompt")), count(usage.get("completion")), None, count(details.get("reasoning"))
            ),
            latency=latency / 1000 if isinstance(latency, int | float) and latency >= 0 else 0.0,
        ),
        "",
    )


def _settings(config: Mapping[str, Any]) -> Mapping[str, Settings]:
    """The settings of each provider that the configuration has, by the name it goes by in the results."""
    providers = config.get("providers")
    found: dict[str, Settings] = {}
    for each in providers if isinstance(providers, list) else []:
        said = as_object(each)
        named = said.get("label") or said.get("id")
        if isinstance(named, str):
            found[named] = settings_from(as_object(said.get("config")))
    return MappingProxyType(found)


def _named(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


IMPORTER = Importer("results of promptfoo", read_promptfoo, FILES)
