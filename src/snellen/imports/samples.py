"""Samples: what lm-eval and its child lmms-eval write alike: a line a question, and a results file beside them.

Both log responses as nested lists of texts, and log-likelihoods as pairs of texts.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from pathlib import Path
from typing import Any

from snellen.benchmarks.rows import LONGEST_LINE, Row
from snellen.errors import DataError
from snellen.imports.document import as_object, count, document, loaded
from snellen.imports.given import Given
from snellen.items import Item
from snellen.models.base import ZERO_SHOT, Response
from snellen.prompts import PROVIDER_DEFAULTS, Settings
from snellen.unpacking import open_gzip

_SAID = (str, int, float)
LARGEST_RESULTS = 200_000_000
_MODEL_ARGUMENT = re.compile(r"(?:^|,)(?:pretrained|model|model_version|model_name|model_id|engine)=([^,]+)")


@dataclass(frozen=True)
class Evaluation:
    """What the results file says of all samples: the model with its revision, when it was asked, and the settings."""

    model: str
    revision: str = ""
    date: str = ""
    settings: Settings = PROVIDER_DEFAULTS
    system: str = ""
    output_type: str = ""


def samples(path: Path) -> Iterator[Row]:
    """The rows of a samples file; DataError where it is none."""
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


def _row(line: bytes, name: str, number: int) -> Row:
    where = f"{name}, line {number}"
    try:
        fields = loaded(line)
    except DataError as error:
        return Row(where, number, {}, str(error))
    if isinstance(fields, dict):
        return Row(where, number, fields)
    return Row(where, number, {}, f"expected an object with named fields, got {type(fields).__name__}")


def evaluation(path: Path, results: Path, task: str, given: Given) -> Evaluation:
    """What the results file beside the samples says; without one, the model must have been given."""
    if not results.is_file():
        if given.model is None:
            raise DataError(
                f"{path.name} does not say which model answered, and {results.name}, which does, is not beside it. "
                "Copy it there, or name the model: --model NAME."
            )
        given.note(f"{results.name} is not beside {path.name}: settings and date are not known.")
        return Evaluation(given.model)
    said = document(results, largest=LARGEST_RESULTS)
    config, task_config = (as_object(each) for each in (said.get("config"), as_object(said.get("configs")).get(task)))
    generation = {**as_object(task_config.get("generation_kwargs")), **_pairs(config.get("gen_kwargs"))}
    name = given.model or _model(said, config)
    if not name:
        raise DataError(f"{results.name} does not name the model. Name it: --model NAME.")
    return Evaluation(
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
    """Settings as an object, or as `temperature=0,top_p=1`."""
    if isinstance(value, str):
        pairs = (part.partition("=") for part in value.split(","))
        return {name.strip(): text.strip() for name, sign, text in pairs if sign}
    return dict(as_object(value))


def settings_from(generation: Mapping[str, Any]) -> Settings:
    """The settings that we know, as they were asked for; what cannot be read counts as not said."""
    tokens = next(
        (generation[key] for key in ("max_gen_toks", "max_new_tokens", "max_tokens") if key in generation), None
    )
    said = (generation.get("temperature"), generation.get("top_p"), tokens)
    return _settings(*[value if isinstance(value, _SAID) else None for value in said])


@lru_cache(maxsize=4096, typed=True)
def _settings(*said: str | float | None) -> Settings:
    temperature, top_p, limit = map(_number, said)
    return Settings(temperature=temperature, top_p=top_p, max_tokens=None if limit is None else count(int(limit)))


def _number(value: object) -> float | None:
    try:
        found = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return found if isfinite(found) and found >= 0 and not isinstance(value, bool) else None


def target(row: Row, *, likely: bool) -> object:
    """The right answer as the tool has it; where log-likelihoods are compared it may be a place among the options."""
    found = row.fields.get("target")
    if likely and isinstance(found, str) and found.isascii() and found.isdecimal() and len(found) < 4:
        return int(found)
    return found


def item_id(row: Row) -> str:
    """The id of a sample: its place in the dataset, as the tool counts."""
    return str(row.fields.get("doc_id", f"row-{row.number}"))


def place(row: Row) -> int | None:
    """The place in the dataset, where it is a number."""
    number = row.fields.get("doc_id")
    return number if type(number) is int and number >= 0 else None


def texts(fields: Mapping[str, Any]) -> list[str]:
    """The responses of a sample, one a run, before any filter touched them where the file still has them."""
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
    """The log-likelihood of each option; None where the sample holds texts."""
    value = fields.get("resps", fields.get("filtered_resps"))
    if not isinstance(value, list) or not value or not all(isinstance(each, list) for each in value):
        return None
    pairs = [each[0] if len(each) == 1 and isinstance(each[0], list) else each for each in value]
    if not all(len(pair) == 2 and str(pair[1]) in ("True", "False") for pair in pairs):
        return None
    found = [_likelihood(pair[0]) for pair in pairs]
    if "acc_mutual_info" in fields and len(found) % 2 == 0:
        found = found[: len(found) // 2]  # the second half is of the options without the question
    return found


def _likelihood(value: object) -> float:
    try:
        found = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise DataError(f"a log-likelihood is {value!r}, expected a number") from error
    if found != found:
        raise DataError("one of its log-likelihoods is not a number (NaN), so that none of them is the largest")
    return found


def likeliest(found: Sequence[float], item: Item) -> Response:
    """The likeliest option as a response without words of its own; of several that are as likely, the first."""
    best = max(range(len(found)), key=found.__getitem__)
    shares = ", ".join([f"{option.text}: {value:.4g}" for option, value in zip(item.options, found, strict=True)])
    text = f"Conclusion: {item.options[best].text}\n\nLog-likelihoods: {shares}"
    return Response.of_fields(text=text, finish=ZERO_SHOT)
