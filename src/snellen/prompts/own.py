"""Prompts of the user: from a template, a file, or a table of a study file."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import Any

from snellen.errors import StudyError
from snellen.plugins import did_you_mean
from snellen.prompts import answer_format
from snellen.prompts.answer_format import USUAL, WORDS_REPLY, Formats, after_steps, fill_place
from snellen.prompts.named import PROMPTS, prompt_named
from snellen.prompts.places import places_in
from snellen.prompts.prompt import REPORT, Prompt

FIELDS = ("name", "user", "file", "system", "steps", "open", "report", "reply", "translations")
"""Fields that the table of a prompt may have."""
USUAL_NAME = "own"
_WORDS = "{question}\n\n{answer_format}"
_TEXT_FILES = (".txt", ".md", ".prompt")
_FILES: ContextVar[list[Path] | None] = ContextVar("files of prompts", default=None)


class PlainText(str):
    """Text that is never understood as the name of a file."""

    __slots__ = ()


@contextmanager
def list_files() -> Iterator[list[Path]]:
    """Yield a list that collects the files of the prompts read in the `with` block."""
    files: list[Path] = []
    token = _FILES.set(files)
    try:
        yield files
    finally:
        _FILES.reset(token)


def own_prompt(given: str | Path | Mapping[str, Any] | Prompt, folder: Path | None = None) -> Prompt:
    """Return the prompt for a name, a file, a template or a table.

    A file is searched in `folder`, then in the working folder. A .toml file holds a table; any other file is the
    template. A text with a brace or several lines is a template; any other is the name of a prompt or file.
    """
    if isinstance(given, Prompt):
        return given
    if isinstance(given, Mapping):
        return _of_table(given, folder)
    if isinstance(given, Path):
        return _of_file(_find_file(given, folder) or given)
    if given in PROMPTS:
        return PROMPTS[given]
    if "{" in given or "\n" in given:
        return _make_prompt({"user": given})
    return _of_file(_named_file(given, folder))


def words_or_file(given: str | Path, folder: Path | None = None) -> str:
    """Return the content of the file with this name, or else the text itself."""
    if isinstance(given, PlainText):
        return str(given)
    named = isinstance(given, Path) or (len(given) < 256 and "\n" not in given)
    if named and (file := _find_file(given, folder)):
        return _read(file)
    if isinstance(given, Path) or (given.endswith(_TEXT_FILES) and not any(map(str.isspace, given))):
        raise StudyError(f"There is no file {str(given)!r}.")
    return given


def with_system(prompt: Prompt, system: str) -> Prompt:
    """Return the prompt, and all prompts that can replace it, with another system prompt."""
    steps = prompt_named(prompt.steps) if isinstance(prompt.steps, str) and prompt.steps else prompt.steps
    return replace(
        prompt,
        system=system,
        tasks={
            name: each.with_each_system(lambda _: system) for name, each in {"report": REPORT, **prompt.tasks}.items()
        },
        kin={name: with_system(each, system) for name, each in prompt.kin.items()},
        steps=steps.with_each_system(lambda _: system) if isinstance(steps, Prompt) else "",
    )


def _find_file(given: str | Path, folder: Path | None) -> Path | None:
    """Return the file in the study's folder or the working folder, or None."""
    try:
        return next((path for path in (*([folder / given] if folder else []), Path(given)) if path.is_file()), None)
    except (OSError, ValueError):  # a name too long for any file
        return None


def _named_file(given: str, folder: Path | None) -> Path:
    if found := _find_file(given, folder):
        return found
    if Path(given).suffix:
        raise StudyError(f"There is no file {given!r}, and no prompt of that name. Prompts: {', '.join(PROMPTS)}.")
    raise StudyError(
        f"There is no prompt {given!r}.{did_you_mean(given, PROMPTS)} There are: {', '.join(PROMPTS)}. A prompt of "
        "your own is a file, or a text with {question} in it."
    )


def _of_file(file: Path) -> Prompt:
    text = _read(file)
    name = f"{USUAL_NAME}-{file.stem}" if file.stem in PROMPTS else file.stem
    try:
        if file.suffix != ".toml":
            return _make_prompt({"name": name, "user": text})
        table = _parse_toml(text)
        return _of_table({"name": name, **table}, file.parent)
    except StudyError as error:
        raise StudyError(f"{file}: {error}") from error


def _parse_toml(text: str) -> Mapping[str, Any]:
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise StudyError(f"it cannot be read: {error}.") from error
    inner = table.get("prompt", table)
    return inner if isinstance(inner, Mapping) else table


def _read(file: Path) -> str:
    """Read a text file, without the newlines at its end that editors add."""
    if (files := _FILES.get()) is not None:
        files.append(file)
    try:
        return file.read_text(encoding="utf-8-sig").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise StudyError(f"The prompt {file} cannot be read: {getattr(error, 'strerror', None) or error}.") from error


def _of_table(table: Mapping[str, Any], folder: Path | None) -> Prompt:
    for key, value in table.items():
        if key not in FIELDS:
            hint = did_you_mean(key, FIELDS) or f" There are: {', '.join(FIELDS)}."
            raise StudyError(f"[prompt] has no field {key!r}.{hint}")
        if key == "translations":
            if not isinstance(value, Mapping) or not all(isinstance(each, str) for each in value.values()):
                raise StudyError(
                    f'[prompt] has {key} = {value!r}, expected wordings by language, such as {{it = "…"}}.'
                )
        elif not isinstance(value, str | Path):
            raise StudyError(f"[prompt] has {key} = {value!r}, expected a text.")
    if ("user" in table) == ("file" in table):
        raise StudyError("[prompt] needs `user`, the template, or `file`, the file that holds it: one of the two.")
    if table.get("name") in PROMPTS:
        raise StudyError(f"There is a prompt {table['name']!r} already. Give yours another name.")
    texts = {key: value for key, value in table.items() if key != "file"}
    if "file" in table:
        file = _find_file(table["file"], folder)
        if file is None:
            raise StudyError(f"There is no file {str(table['file'])!r}.")
        texts = {"name": file.stem, **texts, "user": _read(file)}
    if "system" in table:
        texts["system"] = words_or_file(table["system"], folder)
    return _make_prompt(texts)


def _make_prompt(texts: Mapping[str, Any]) -> Prompt:
    """Return a template's prompt, with its variants for open questions, reports and steps."""
    name, user, system = texts.get("name") or USUAL_NAME, texts["user"], texts.get("system", "")
    replies: Formats = {USUAL: texts["reply"]} if "reply" in texts else {}
    own = Prompt(name, user, system, source="the user's", translations=texts.get("translations", {}), replies=replies)
    if "question" not in places_in(user):
        raise StudyError(f"The prompt {name!r} has no place for the question. Put in {{question}}.")
    if own.of_reports:
        raise StudyError(
            f"The prompt {name!r} has {{indication}}, which stands in the wording of reports. Move it to `report`."
        )
    tasks = {}
    if "open" in texts or own.shows_options:
        tasks["open"] = Prompt(f"{name}-open", texts.get("open", _WORDS), system, replies=_in_words(replies))
        if tasks["open"].shows_options:
            raise StudyError(
                f"The prompt {name!r} has a place for options in `open`, which asks questions without any."
            )
    tasks["report"] = (
        Prompt(f"{name}-report", texts["report"], system) if "report" in texts else replace(REPORT, system=system)
    )
    if not tasks["report"].of_reports:
        raise StudyError(f"The prompt {name!r} has no place for the indication in `report`. Put in {{indication}}.")
    return replace(own, tasks=tasks, steps=_steps(texts, own, system) or "")


def _in_words(replies: Formats) -> Formats:
    """Return the example responses that also suit open answers."""
    return {code: reply for code, reply in replies.items() if "letter" not in places_in(reply)}


def _steps(texts: Mapping[str, Any], own: Prompt, system: str) -> Prompt | None:
    """Return the step-by-step prompt, or None if the template has no place for it.

    It is the user's own, or the template with our answer sentence for steps.
    """
    name, template = f"{own.name}-cot", texts.get("steps")
    translations: Mapping[str, str] = {}
    if template is None:
        if answer_format.PLACE not in places_in(texts["user"]):
            return None
        lettered = "options" in places_in(texts["user"])
        formats = answer_format.LETTER_AFTER_STEPS if lettered else answer_format.WORDS_AFTER_STEPS
        template, translations = fill_place(texts["user"], texts.get("translations", {}), formats)
    made = Prompt(name, template, system, source=own.source, translations=translations)
    words, of_words = fill_place(_WORDS, {}, answer_format.WORDS_AFTER_STEPS)
    brief = Prompt(f"{name}-open", words, system, translations=of_words, replies=after_steps(WORDS_REPLY))
    return replace(
        made,
        replies=after_steps(own.replies or made.replies),
        tasks={"open": brief} if own.shows_options else {},
    )
