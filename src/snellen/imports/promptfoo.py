"""Importer for promptfoo: the JSON file of `promptfoo eval --output`.

A failed assertion is promptfoo's verdict on a response, not a failed call. The question is in the test's variables,
whose names its author chose.
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
from snellen.imports.asked import FileQuestions, Record
from snellen.imports.document import as_object, chat_of, count, document, settings_from
from snellen.imports.fields import Given
from snellen.imports.importer import Importer
from snellen.models.base import Response, Usage
from snellen.prompts import PROVIDER_DEFAULTS, Settings

FILES = ("*.json",)
_ERROR = 2
"""promptfoo's code for a test that failed because of an error, not an assertion."""
_EXPECTING = ("equals", "icontains", "contains", "starts-with")
_VARIABLE = re.compile(r"\{\{\s*([\w.]+)\s*\}\}")


class PromptfooRun(NamedTuple):
    """Results file: its records, name, settings by provider, and number of prompts."""

    records: list[Any]
    name: str
    settings: Mapping[str, Settings]
    prompts: int


def read_promptfoo(path: Path, given: Given) -> Iterator[Answer | BrokenRow]:
    """Yield every record of a results file; an unusable one becomes a BrokenRow."""
    run = _run(path, given)
    questions = FileQuestions(path.parent, given)
    ids: dict[str, str] = {}
    file = path.name
    for number, record in enumerate(run.records, 1):
        where = f"{file}, result {number}"
        try:
            yield _answer(record, where, run, questions, given, ids)
        except DataError as error:
            yield BrokenRow(where, _id_of(record, ids), str(error))


def _run(path: Path, given: Given) -> PromptfooRun:
    whole = document(path)
    results = as_object(whole.get("results"))
    records = results.get("results")
    if not isinstance(records, list):
        raise DataError(f"{path.name}: expected results of promptfoo, with a list at results.results.")
    config = as_object(whole.get("config"))
    said = config.get("description")
    name = given.name or (isinstance(said, str) and said.strip()) or path.name.removesuffix(".json")
    return PromptfooRun(records, name, _settings(config), _prompts(records))


def _prompts(records: list[Any]) -> int:
    """Return the largest number of prompts that any provider was given."""
    given: dict[str, set[str]] = {}
    for record in records:
        given.setdefault(str(as_object(record).get("provider")), set()).add(_prompt_id(record))
    return max(map(len, given.values()), default=0)


def _answer(
    record: object, where: str, run: PromptfooRun, questions: FileQuestions, given: Given, ids: dict[str, str]
) -> Answer:
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


def _arm(prompt: Mapping[str, Any], run: PromptfooRun, given: Given) -> object:
    """Return the condition of a prompt: its label, if the file has several prompts."""
    if run.prompts < 2 or given.arm is not None:
        return None
    label, raw = prompt.get("label"), prompt.get("raw")
    if not isinstance(label, str) or label == raw or "\n" in label or len(label) > 80:
        raise DataError(
            f"the file has {run.prompts} prompts, and this one has no label; in promptfoo's configuration, label each "
            "prompt with the name of its condition, such as original or image-removed"
        )
    return label


def _prompt_id(record: object) -> str:
    """Return the identity of a prompt within a provider: its column in the results."""
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
    """Return an id for a test without one; tests with the same variables share it."""
    fields = as_object(record)
    # as text: bytes would keep their whole buffer in memory
    key = orjson.dumps(as_object(fields.get("vars")), option=orjson.OPT_SORT_KEYS, default=str).decode()
    number = fields.get("testIdx")
    return ids.setdefault(key, f"test-{number if type(number) is int else len(ids)}")


def _target(record: Mapping[str, Any]) -> object:
    """Return the expected response, if exactly one assertion states it; else None."""
    checks = as_object(record.get("testCase")).get("assert")
    if not checks:
        return None
    expected = [
        _fill_template(check["value"], as_object(record.get("vars")))
        for check in (checks if isinstance(checks, list) else [])
        if isinstance(check, Mapping) and check.get("type") in _EXPECTING and isinstance(check.get("value"), str)
    ]
    unclear = len(expected) != 1 or "{{" in expected[0] or "answer" in as_object(record.get("vars"))
    return None if unclear else expected[0]


def _fill_template(template: str, variables: Mapping[str, Any]) -> str:
    """Fill in a template's variables; unknown or non-text ones stay.

    >>> _fill_template("Answer: {{ gold }}", {"gold": "B"})
    'Answer: B'
    """

    def value(found: re.Match[str]) -> str:
        told = variables.get(found[1])
        return str(told) if isinstance(told, str | int | float) else found[0]

    return _VARIABLE.sub(value, template)


def _response(record: Mapping[str, Any]) -> tuple[Response | None, str]:
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
    providers = config.get("providers")
    found: dict[str, Settings] = {}
    for each in providers if isinstance(providers, list) else []:
        said = as_object(each)
        named = said.get("label") or said.get("id")
        if isinstance(named, str):
            found[named] = settings_from(as_object(said.get("config")))
    return MappingProxyType(found)


IMPORTER = Importer("results of promptfoo", read_promptfoo, FILES)
