"""Importers for lm-eval and lmms-eval: samples files with one line per question, and a results file.

Both tools log responses as nested lists of texts. Tasks that compare log-likelihoods have no text; the response is then
the likeliest option. lm-eval logs the request. lmms-eval logs the prompt and the correct answer, but neither the
dataset's record nor images: its files do not show if an image was sent. A failed call has an error text or an empty
text.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from snellen.benchmarks.rows import LONGEST_LINE, FileRow
from snellen.errors import BrokenRow, DataError
from snellen.imports.answer import Answer
from snellen.imports.asked import FileQuestions, Record
from snellen.imports.document import as_object, chat_of, count, document, objects, parse_json, settings_from
from snellen.imports.fields import Given
from snellen.imports.importer import Importer
from snellen.items import Item
from snellen.models.base import ZERO_SHOT, Response, Usage
from snellen.prompts import PROVIDER_DEFAULTS, Settings
from snellen.unpacking import open_gzip

LARGEST_RESULTS = 200_000_000
_MODEL_ARGUMENT = re.compile(r"(?:^|,)(?:pretrained|model|model_version|model_name|model_id|engine)=([^,]+)")
_COUNTED = ("input", "output", "reasoning")
_FAILED = re.compile(r"\[LMMS_EVAL_(?:REQUEST_FAILED|BUDGET_EXCEEDED)[^\]]*\]")


class Sent(NamedTuple):
    """Request of a sample: text, settings, continuations to choose from, and images."""

    text: str = ""
    system: str = ""
    settings: Settings | None = None
    options: tuple[str, ...] = ()
    image: bool | None = None
    has_image: bool = False


class Tool(NamedTuple):
    """A tool's file names, and functions that read its requests and responses."""

    name: str
    named: re.Pattern[str]
    """Pattern of a samples file's name, with its `task` and `date`."""
    results: str
    sent: Callable[[Mapping[str, Any], bool], Sent]
    words: Callable[[Mapping[str, Any], Given], list[Response | str]]
    """Function that returns the responses as text; for a failed call, its error."""
    note: str = ""
    """Note that is shown for every file."""
    scores: bool = False
    """True if a sample records whether its likeliest option was correct."""


@dataclass(frozen=True)
class ResultsFile:
    """Results file that belongs to a samples file: model, revision, date and settings."""

    model: str
    revision: str = ""
    date: str = ""
    settings: Settings = PROVIDER_DEFAULTS
    system: str = ""
    output_type: str = ""


def _read(tool: Tool, path: Path, given: Given) -> Iterator[Answer | BrokenRow]:
    named = tool.named.fullmatch(path.name)
    task, date = (named["task"], named["date"]) if named else (path.name.partition(".")[0], "")
    about = evaluation(path, path.with_name(tool.results.format(date)), task, given)
    questions = FileQuestions(path.parent, given)
    if tool.note:
        given.note(tool.note)
    for row in samples(path):
        try:
            yield from _answers(tool, row, about, questions, given, given.name or task)
        except DataError as error:
            yield BrokenRow(row.where, item_id(row), str(error))


def _answers(
    tool: Tool, row: FileRow, about: ResultsFile, questions: FileQuestions, given: Given, benchmark: str
) -> Iterator[Answer]:
    if row.reason is not None:
        raise DataError(row.reason)
    fields = row.fields
    doc = as_object(fields.get("doc"))
    found = likelihoods(fields)
    sent = tool.sent(fields, found is not None)
    arm = given.arm_of(questions.arm_in(doc))
    ids = questions.ids_in(doc) if given.known or questions.id_is_said else ()
    place = fields.get("doc_id")
    record = Record(
        ids[0] if questions.id_is_said and ids else item_id(row),
        fields=doc,
        prompt=sent.text,
        target=_read_target(fields, likely=found is not None),
        options=sent.options[: len(found)] if found is not None else (),
        place=place if type(place) is int and place >= 0 else None,
        ids=ids,
    )
    _check_choosable(fields, found, about)
    item, has_image = questions.find(record, benchmark=benchmark, arm=arm)
    responses = tool.words(fields, given) if found is None else [_likeliest(tool, fields, found, item, given)]
    for replicate, response in enumerate(responses, 1):
        yield Answer(
            model=about.model,
            benchmark=benchmark,
            arm=arm,
            item=item,
            response=None if isinstance(response, str) else response,
            error=response if isinstance(response, str) else "",
            replicate=replicate,
            revision=about.revision,
            text=sent.text,
            system=sent.system or about.system,
            settings=sent.settings or about.settings,
            image_sent=sent.image,
            has_image=has_image or bool(sent.image) or sent.has_image,
            where=row.where,
        )


def _read_target(fields: Mapping[str, Any], *, likely: bool) -> object:
    """Return the correct answer; for log-likelihoods, a number is the option's index."""
    target = fields.get("target")
    if likely and isinstance(target, str) and target.isascii() and target.isdecimal() and len(target) < 4:
        return int(target)
    return target


def _check_choosable(fields: Mapping[str, Any], found: Sequence[float] | None, about: ResultsFile) -> None:
    """Raise DataError if the log-likelihoods cannot be a choice among options."""
    requests = as_object(fields.get("arguments")).values()
    one_text_each = bool(requests) and all(as_object(each).keys() == {"arg_0"} for each in requests)
    if about.output_type == "loglikelihood_rolling" or one_text_each:
        raise DataError("it has only the log-likelihood of a whole text, not an answer to a question")
    if found is not None and len(found) < 2:
        raise DataError("it has only one log-likelihood, so there are no options to choose from")


def _likeliest(tool: Tool, fields: Mapping[str, Any], found: Sequence[float], item: Item, given: Given) -> Response:
    if len(found) != len(item.options):
        raise DataError(f"it has {len(found)} log-likelihoods for {len(item.options)} options")
    if tool.scores:
        _check_score(fields, found, item)
        given.note(
            "{count} responses are the option with the largest log-likelihood (what lm-eval scores as acc). They have "
            "no text, so they cannot show a refusal or an abstention."
        )
    return likeliest(found, item)


def _check_score(fields: Mapping[str, Any], found: Sequence[float], item: Item) -> None:
    """Raise DataError if the answer key contradicts lm-eval's own score."""
    scored = fields.get("acc")
    most = max(found)
    best = [place for place, value in enumerate(found) if value == most]
    if isinstance(scored, int | float) and scored in (0, 1) and len(best) == 1 and (best[0] == item.answer) != scored:
        raise DataError(
            f"lm-eval scored {item.options[best[0]].text!r} as {'right' if scored else 'wrong'} (acc), but its answer "
            f"{fields.get('target')!r} was read as {item.letter}. Name the field that holds the right answer's letter "
            "or text (--map answer=FIELD), or the benchmark that holds the question (--benchmark)"
        )


def samples(path: Path) -> Iterator[FileRow]:
    """Yield the rows of a samples file; DataError if it is not one."""
    number, name = 0, path.name
    try:
        with open_gzip(path) if path.suffix == ".gz" else path.open("rb") as file:
            while line := file.readline(LONGEST_LINE + 1):
                number += 1
                if len(line) > LONGEST_LINE:
                    raise DataError(f"{path.name}, line {number} is longer than {LONGEST_LINE:,} bytes.")
                if line.strip():
                    row = _row(line, name, number)
                    if number == 1 and row.reason is None and "doc_id" not in row.fields:
                        raise DataError(
                            f"{path.name}: its first row has no 'doc_id'; expected a samples file, as --log_samples "
                            f"writes it, got the fields {sorted(row.fields)}."
                        )
                    yield row
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path.name} cannot be read: {getattr(error, 'strerror', None) or error}.") from error


def _row(line: bytes, name: str, number: int) -> FileRow:
    where = f"{name}, line {number}"
    try:
        fields = parse_json(line)
    except DataError as error:
        return FileRow(where, number, {}, str(error))
    if isinstance(fields, dict):
        return FileRow(where, number, fields)
    return FileRow(where, number, {}, f"expected an object with named fields, got {type(fields).__name__}")


def evaluation(path: Path, results: Path, task: str, given: Given) -> ResultsFile:
    """Read the results file that belongs to a samples file. Without it, the user must name the model."""
    if not results.is_file():
        if given.model is None:
            raise DataError(
                f"{path.name} does not name the model, and {results.name}, which names it, is not in the same folder. "
                "Copy it there, or name the model: --model NAME."
            )
        given.note(f"{results.name} is not in the folder of {path.name}: settings and date are unknown.")
        return ResultsFile(given.model)
    said = document(results, largest=LARGEST_RESULTS)
    config, task_config = (as_object(each) for each in (said.get("config"), as_object(said.get("configs")).get(task)))
    generation = {**as_object(task_config.get("generation_kwargs")), **_pairs(config.get("gen_kwargs"))}
    name = given.model or _model(said, config)
    if not name:
        raise DataError(f"{results.name} does not name the model. Name it: --model NAME.")
    return ResultsFile(
        name,
        str(config.get("model_sha") or ""),
        str(said.get("date") or ""),
        settings_from(generation),
        str(said.get("system_instruction") or ""),
        str(task_config.get("output_type") or ""),
    )


def _model(said: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    arguments = config.get("model_args")
    named = _MODEL_ARGUMENT.search(arguments) if isinstance(arguments, str) else None
    listed = as_object(arguments)
    own = next((listed[key] for key in ("pretrained", "model", "model_version") if listed.get(key)), None)
    return str(said.get("model_name") or own or (named and named.group(1)) or config.get("model") or "")


def _pairs(value: object) -> dict[str, Any]:
    """Parse settings that are an object, or a text like `temperature=0,top_p=1`."""
    if isinstance(value, str):
        pairs = (part.partition("=") for part in value.split(","))
        return {name.strip(): text.strip() for name, sign, text in pairs if sign}
    return dict(as_object(value))


def item_id(row: FileRow) -> str:
    """Return the id of a sample: the tool's index of the question in the dataset."""
    return str(row.fields.get("doc_id", f"row-{row.number}"))


def texts(fields: Mapping[str, Any]) -> list[str]:
    """Return the responses of a sample, unfiltered if the file has them."""
    value = fields.get("resps", fields.get("filtered_resps"))
    if value is None:
        raise DataError(f"it has neither 'resps' nor 'filtered_resps'; its fields are {sorted(fields)}")
    if isinstance(value, str):
        return [value]
    while isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        value = value[0]
    found = value if isinstance(value, list) else [value]
    if not found:
        raise DataError("its list of responses is empty")
    if wrong := [each for each in found if not isinstance(each, str)]:
        raise DataError(f"its responses hold {str(wrong[0])[:80]!r}, expected texts")
    return found


def likelihoods(fields: Mapping[str, Any]) -> list[float] | None:
    """Return the log-likelihood of each option; None if the sample has texts."""
    value = fields.get("resps", fields.get("filtered_resps"))
    if not isinstance(value, list) or not value or not all(isinstance(each, list) for each in value):
        return None
    pairs = [each[0] if len(each) == 1 and isinstance(each[0], list) else each for each in value]
    if not all(len(pair) == 2 and str(pair[1]) in ("True", "False") for pair in pairs):
        return None
    found = [_likelihood(pair[0]) for pair in pairs]
    if "acc_mutual_info" in fields and len(found) % 2 == 0:
        found = found[: len(found) // 2]  # the second half scores the options without the question
    return found


def _likelihood(value: object) -> float:
    try:
        found = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise DataError(f"a log-likelihood is {value!r}, expected a number") from error
    if found != found:
        raise DataError("one of its log-likelihoods is not a number (NaN), so the largest is unknown")
    return found


def likeliest(found: Sequence[float], item: Item) -> Response:
    """Return a response that names the likeliest option; the first of equally likely ones."""
    best = max(range(len(found)), key=found.__getitem__)
    shares = ", ".join([f"{option.text}: {value:.4g}" for option, value in zip(item.options, found, strict=True)])
    text = f"Conclusion: {item.options[best].text}\n\nLog-likelihoods: {shares}"
    return Response.of_fields(text=text, finish=ZERO_SHOT)


# --- Readers of each tool's requests and responses


def _sent_by_lm_eval(fields: Mapping[str, Any], likely: bool) -> Sent:
    """Read the request from `{"gen_args_0": {"arg_0": …, "arg_1": …}}`."""
    requests = objects([*as_object(fields.get("arguments")).values()])
    if not requests:
        return Sent()
    first = requests[0]
    prompt, second, seen = first.get("arg_0"), first.get("arg_1"), first.get("arg_2")
    text, system, _ = chat_of(prompt[0] if isinstance(prompt, list) and len(prompt) == 1 else prompt)
    image = bool(seen.get("visual")) if isinstance(seen, Mapping) else False
    if likely:
        options = [each.get("arg_1") for each in requests]
        whole = all(isinstance(option, str) for option in options)
        alike = whole and len(set(options)) < len(options)
        return Sent(text, system, None, () if alike or not whole else tuple(map(str, options)), image)
    return Sent(text, system, settings_from(second) if isinstance(second, Mapping) else None, (), image)


def _sent_by_lmms_eval(fields: Mapping[str, Any], likely: bool) -> Sent:
    """Read the text that was sent; older versions log it as the first argument."""
    value = fields.get("input", fields.get("arguments", ""))
    while isinstance(value, list) and value:
        value = value[0]
    return Sent(value if isinstance(value, str) else "", has_image=bool(fields.get("input_media")))


def _words_of_lmms_eval(fields: Mapping[str, Any], given: Given) -> list[Response | str]:
    found = texts(fields)
    counted = fields.get("token_counts")
    usages = counted if isinstance(counted, list) and len(counted) == len(found) else [None] * len(found)
    if "" in found:
        given.note(
            "{count} responses are empty. lmms-eval also writes an empty text if a call failed, so these may be "
            "failed calls. They count as responses without an answer."
        )
    responses: list[Response | str] = []
    for text, usage in zip(found, usages, strict=True):
        if text.startswith("[LMMS_EVAL_") and _FAILED.match(text):
            responses.append(text)
            continue
        read, written, thought = (count(as_object(usage).get(f"{kind}_tokens")) for kind in _COUNTED)
        responses.append(Response.of_fields(text=text, finish="", usage=Usage(read, written, None, thought)))
    return responses


_LM_EVAL = Tool(
    "lm-eval",
    re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+)\.jsonl(?:\.gz)?"),
    "results_{}.json",
    _sent_by_lm_eval,
    lambda fields, given: [Response.of_fields(text=text, finish="") for text in texts(fields)],
    scores=True,
)
_LMMS_EVAL = Tool(
    "lmms-eval",
    re.compile(r"(?P<date>.+?)_samples_(?P<task>.+)\.jsonl(?:\.gz)?"),
    "{}_results.json",
    _sent_by_lmms_eval,
    _words_of_lmms_eval,
    "Files of lmms-eval contain no images. The conditions cannot be checked: an image may or may not have been sent.",
)
LM_EVAL, LMMS_EVAL = (
    Importer(f"a samples file of {tool.name}", partial(_read, tool), files)
    for tool, files in ((_LM_EVAL, ("samples_*.jsonl",)), (_LMMS_EVAL, ("*_samples_*.jsonl",)))
)
