"""Importer for HELM: a run's folder with `scenario_state.json` and `run_spec.json`.

The scenario state contains the requests, so it shows if an image was sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from snellen.errors import BrokenRow, DataError
from snellen.imports.answer import Answer
from snellen.imports.asked import FileQuestions, FoundItem, Record, with_images
from snellen.imports.document import ChatPrompt, as_object, chat_of, document, objects, settings_from
from snellen.imports.fields import Given
from snellen.imports.importer import Importer
from snellen.models.base import Response

FILES = ("scenario_state.json", "scenario_state.json.gz")
_FINISH = {"endoftext": "stop", "unknown": "", "end_turn": "stop", "stop_sequence": "stop"}
_ALONE = re.compile(r"multiple_choice_separate|language_modeling|ranking")


class HelmRun(NamedTuple):
    """Information about all requests of a run."""

    states: list[Any]
    benchmark: str
    model: str
    method: str


def read_helm(path: Path, given: Given) -> Iterator[Answer | BrokenRow]:
    """Yield every completion of a run; a perturbation becomes the condition."""
    run = _run(path, given)
    questions = FileQuestions(path.parent, given)
    file = f"{path.parent.name}/{path.name}"
    for number, state in enumerate(run.states, 1):
        where = f"{file}, request {number}"
        try:
            yield from _answers(as_object(state), where, run, questions, given)
        except DataError as error:
            yield BrokenRow(
                where, str(as_object(as_object(state).get("instance")).get("id") or f"request-{number}"), str(error)
            )


def _run(path: Path, given: Given) -> HelmRun:
    state = document(path)
    states = state.get("request_states")
    if not isinstance(states, list):
        raise DataError(f"{path.name}: expected the scenario state of a HELM run, with 'request_states'.")
    spec_path = path.with_name("run_spec.json")
    spec = document(spec_path) if spec_path.is_file() else {}
    adapter = {**as_object(state.get("adapter_spec")), **as_object(spec.get("adapter_spec"))}
    model = given.model or adapter.get("model") or adapter.get("model_deployment")
    if not isinstance(model, str) or not model:
        raise DataError(f"{path.name}: neither it nor run_spec.json names the model. Name it: --model NAME.")
    return HelmRun(states, given.name or _benchmark(spec, path), model, str(adapter.get("method") or ""))


def _benchmark(spec: Mapping[str, Any], path: Path) -> str:
    """Return the run's name without settings of the request: `mmlu:subject=anatomy`."""
    name = spec.get("name") if isinstance(spec.get("name"), str) else path.parent.name
    head = str(name).partition(":")[0] or path.parent.name
    arguments = as_object(as_object(spec.get("scenario_spec")).get("args"))
    told = ",".join(f"{key}={value}" for key, value in arguments.items() if isinstance(value, str | int))
    return f"{head}:{told}" if told else head


def _answers(
    state: Mapping[str, Any], where: str, run: HelmRun, questions: FileQuestions, given: Given
) -> Iterator[Answer]:
    if _ALONE.match(run.method):
        raise DataError(
            f"the method {run.method!r} sends one request for each option, and the scenario state does not say which "
            "option the model chose. Run it with multiple_choice_joint or generation"
        )
    instance, request = as_object(state.get("instance")), as_object(state.get("request"))
    chat = _chat(request)
    perturbation = as_object(instance.get("perturbation")).get("name")
    arm = given.arm_of(None if perturbation in (None, "", "identity") else perturbation)
    found = questions.find(_record(instance, state, chat), benchmark=run.benchmark, arm=arm)
    item, has_image = _with_images(found, request, questions)
    trial = state.get("train_trial_index")
    result = as_object(state.get("result"))
    for at, (response, error) in enumerate(_responses(result)):
        yield Answer(
            model=run.model,
            benchmark=run.benchmark,
            arm=arm,
            item=item,
            response=response,
            error=error,
            replicate=1 + at + 1000 * (trial if type(trial) is int and 0 <= trial < 1000 else 0),
            text=chat.text,
            system=chat.system,
            settings=settings_from(request),
            image_sent=chat.image,
            has_image=has_image or bool(chat.image),
            where=where,
        )


def _record(instance: Mapping[str, Any], state: Mapping[str, Any], chat: ChatPrompt) -> Record:
    """Read the question of an instance: text, lettered options and correct reference."""
    references = objects(instance.get("references"))
    correct = [each for each in references if isinstance(each.get("tags"), list) and "correct" in each["tags"]]
    right = [_words(each.get("output")) for each in correct]
    lettered = as_object(state.get("output_mapping"))
    options = tuple(str(text) for _, text in sorted(lettered.items()))
    asked = as_object(instance.get("input"))
    item_id = instance.get("id")
    if not isinstance(item_id, str) or not item_id:
        raise DataError("its instance has no id")
    fields: dict[str, Any] = {"question": _words(asked), "category": instance.get("sub_split")}
    if options:
        fields["options"] = list(options)
        if len(right) != 1:
            raise DataError(f"{len(right)} of its references are tagged correct, expected one")
        fields["answer"] = right[0]
    else:
        fields["answer"] = right
    # the correct text may also be another option's letter, so the record has its index if that is unambiguous
    place = options.index(right[0]) if options and options.count(right[0]) == 1 else None
    return Record(item_id, fields=fields, prompt=chat.text, target=place, options=options, ids=(item_id,))


def _words(value: object) -> str:
    said = as_object(value)
    media = as_object(said.get("multimedia_content")).get("media_objects")
    if not media:
        return str(said.get("text") or "")
    parts = [part.get("text") for part in objects(media)]
    return "\n".join(part for part in parts if isinstance(part, str)) or str(said.get("text") or "")


def _chat(request: Mapping[str, Any]) -> ChatPrompt:
    if (messages := request.get("messages")) is not None:
        return chat_of(messages)
    media = _media(request)
    if media is None:
        return ChatPrompt(str(request.get("prompt") or ""), image=False)
    words = [str(part["text"]) for part in media if part.get("text")]
    return ChatPrompt("\n".join(words), image=any(_is_image(part) for part in media))


def _media(request: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    media = as_object(request.get("multimodal_prompt")).get("media_objects")
    return objects(media) if isinstance(media, list) else None


def _is_image(part: Mapping[str, Any]) -> bool:
    return str(part.get("content_type") or "").startswith("image/")


def _with_images(found: FoundItem, request: Mapping[str, Any], questions: FileQuestions) -> FoundItem:
    shown = [part.get("location") for part in _media(request) or () if _is_image(part)]
    if found.item.images or not shown:
        return found
    images, missing = questions.images([each for each in shown if isinstance(each, str)])
    return FoundItem(with_images(found.item, images, missing), has_image=True)


def _responses(result: Mapping[str, Any]) -> list[tuple[Response | None, str]]:
    completions = objects(result.get("completions"))
    if not result or result.get("success") is False or not completions:
        return [(None, str(result.get("error") or "the run holds no result"))]
    latency = result.get("request_time")
    spent = float(latency) if isinstance(latency, int | float) and latency >= 0 else 0.0
    return [(_response(each, spent), "") for each in completions]


def _response(completion: Mapping[str, Any], latency: float) -> Response:
    reason = str(as_object(completion.get("finish_reason")).get("reason") or "").lower()
    thought = as_object(completion.get("thinking")).get("text")
    text = completion.get("text")
    if not isinstance(text, str):
        raise DataError(f"its completion is {text!r}, expected text")
    finish, reasoning = _FINISH.get(reason, reason), str(thought or "")
    return Response.of_fields(text=text, finish=finish, reasoning=reasoning, latency=latency)


IMPORTER = Importer("the scenario state of a HELM run", read_helm, FILES)
