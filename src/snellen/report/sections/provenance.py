"""Section on the origin of the results: models, benchmarks, settings, prompts and judges."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from string import Formatter
from typing import Any, NamedTuple

import numpy as np

from snellen.asking.asked import limit_asked
from snellen.judging import OPINIONS
from snellen.judging.mismatch import MISMATCH_NAMED
from snellen.judging.open_answer import OPEN_ANSWER
from snellen.judging.premise import PREMISE_HANDLED
from snellen.judging.single import MOST_OPINIONS
from snellen.report.components import Code, Facts, Fold, Part, Section, Words, quiet, rich
from snellen.report.evidence.evidence import Evidence
from snellen.report.words.arms import arm_label
from snellen.report.words.numbers import begun, count
from snellen.runtime import counted
from snellen.scoring.results import Results
from snellen.store import Store, StoredItem
from snellen.store.shapes import ASKED_ARM, check_record

MOST_PROMPTS = 12
"""Largest number of conditions that are not folded."""
REDRAW = """snellen report OUT --study {name}    # grade again, ask no model: results.csv, results.json, this page"""


def draw_provenance(evidence: Evidence, store: Store) -> Section:
    """Draw where the results come from, and how to draw the page again."""
    study_name = evidence.results.study["name"]
    record = Fold("Models, revisions, benchmarks, digests and settings", (Facts(tuple(_list_facts(evidence))),))
    parts: list[Part] = [record, Section("The prompts", tuple(_draw_prompts(evidence, store)))]
    if judged := tuple(_draw_judges(evidence.results, store)):
        parts.append(Section("What judges were asked", judged))
    again = Code(REDRAW.format(name=study_name)), quiet("OUT is the folder that holds responses.sqlite.")
    return Section("Where the results come from", (*parts, Section("To draw this page again", again)), "provenance")


def _list_facts(evidence: Evidence) -> Iterator[tuple[Words, Words]]:
    results, study = evidence.results, evidence.results.study
    if "created" in study:
        yield "imported" if evidence.imported else "asked", study["created"]
    for file in study.get("imported", ()):
        yield "file", rich("{}, sha256 `{}`", file["file"], file["sha256"])
    for name, revision in study["models"]:
        known = rich(", revision `{}`", revision) if revision else ""
        unknown = "" if revision else " (neither you nor its server named a version)"
        if versions := results.reported_as[name]:
            unknown = rich(f", reported by its server as {', '.join(['`{}`'] * len(versions))}", *versions)
        yield "model", rich("{}{}{}", name, known, unknown)
    for name, each in results.benchmarks.items():
        about = ", ".join(f"{key} {value}" for key, value in each.about.items() if key not in ("guesses", "left_out"))
        guesses = "; ".join(("", *each.about.get("guesses", ())))
        asked = f"{count(len(each.items[: limit_asked(study, name)]))} of {counted(len(each), 'item')}"
        digest, more = study["benchmarks"][name], f"{f', {about}' if about else ''}{guesses}"
        yield "benchmark", rich("{}, {}, digest `{}`{}", name, asked, digest, more)
    idle = {"parser": not evidence.with_options, "admissions_by": not evidence.own_questions}
    yield from particulars(study, unused=frozenset(name for name, unused in idle.items() if unused))
    yield from (("spent", f"{each.model}: {each.words}") for each in results.spent if each.told)
    yield from (("images as sent", each) for sent in results.pictures.values() for each in sent.sentences())


_SHOWN_ELSEWHERE = frozenset((
    "name", "models", "benchmarks", "arms", "created", "left_out", "limit_of", "imported", "sources", "human",
    "unknown_ends", "prices", "batch_prices",
))  # fmt: skip
_KNOWN_IF_ASKED = frozenset({"seed", "epochs", "limit", "prompt", "settings"})
"""Settings that are unknown for imported responses."""
_NAMES = {"beside": "other parsers", "epochs_of": "epochs of each benchmark", "repeated": "asked once more"}


def particulars(study: Mapping[str, Any], *, unused: frozenset[str] = frozenset()) -> list[tuple[str, str]]:
    """Return names and values of the study's record that the report shows nowhere else."""
    lines: list[tuple[str, str]] = []
    for name, value in study.items():
        if name not in _SHOWN_ELSEWHERE | unused and value != []:
            unknown = "imported" in study and name in _KNOWN_IF_ASKED
            said = _put_in_words(value)
            if name == "repeated":  # how many questions were asked again, and under which conditions
                said = "; ".join(
                    f"{benchmark}: {counted(len(each['items']), 'question')} under {' and '.join(each['arms'])}"
                    for benchmark, each in value.items()
                )
            lines.append((_NAMES.get(name, name.replace("_", " ")), "not known" if unknown else said))
    return lines


def _put_in_words(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_put_in_words(each)}" for name, each in value.items()) or "the provider's defaults"
    if isinstance(value, list | tuple):
        return ", ".join(_put_in_words(each) for each in value)
    return "none" if value is None else str(value)


# Prompts ---------------------------------------------------------------------------------------------------------


class SentWords(NamedTuple):
    """A prompt template that matches stored requests, and the questions it is for."""

    questions: str
    system: str
    user: str


def _draw_prompts(evidence: Evidence, store: Store) -> Iterator[Part]:
    """Draw the prompt and settings of every condition, once for all benchmarks that share them.

    Only words that stored requests contain are quoted, even if the condition's record differs.
    """
    if evidence.imported:
        unknown = "The responses were imported. Their prompts are known only for responses that show one."
        yield quiet(unknown)
        return
    asked: dict[tuple[str, tuple[Part, ...]], list[str]] = {}
    for benchmark, arms in evidence.results.study["arms"].items():
        for name, digest in arms.items():
            record = check_record(store.studies.arm(digest)[1], ASKED_ARM, "a condition")
            quoted = _quote(record["prompt"], _find_one_of_each(evidence, benchmark, name))
            title = f"{arm_label(name)}: prompt “{record['prompt']['name']}”"
            asked.setdefault((title, tuple(_list_words(record, quoted))), []).append(benchmark)
    several = len(evidence.results.benchmarks) > 1
    folds = tuple(Fold(title, parts, ", ".join(names) if several else "") for (title, parts), names in asked.items())
    yield from folds if len(folds) <= MOST_PROMPTS else [Fold("Prompts", folds, counted(len(folds), "condition"))]


def _list_words(record: Mapping[str, Any], quoted: Iterable[SentWords]) -> Iterator[Part]:
    settings = ", ".join(f"{name} {value}" for name, value in record["settings"].items()) or "the provider's defaults"
    yield quiet(rich("Condition `{}`. Settings: {}.", record["condition"], settings))
    if not quoted:
        yield quiet("No response came, so no request is quoted.")
    for words in quoted:
        if words.system:
            yield Code(words.system, f"{words.questions}, system" if words.questions else "System")
        yield Code(words.user, words.questions if not words.system else "")
    for at, example in enumerate(record.get("examples", ()), start=1):
        images = f", with {counted(len(example['images']), 'image')}" if example["images"] else ""
        yield Code(example["text"], f"Example {at}{images}")
        yield Code(example["reply"], "The response that was shown")


def _find_one_of_each(evidence: Evidence, benchmark: str, arm: str) -> list[StoredItem]:
    """One stored request for each kind of question, task and language."""
    first: dict[tuple[str, str, str], int] = {}
    for (_, name), table in evidence.results.tables.items():
        if name == benchmark and arm in table.arms:
            for ordinal in np.unique(table.arms[arm].ordinal).tolist():
                item = table.items[ordinal]
                first.setdefault((item.kind, str(item.metadata.get("task", "")), item.language), ordinal)
    asked = evidence.load_asked(benchmark, arm)
    asked.read(first.values())
    return [asked[ordinal] for ordinal in first.values()]


def _quote(prompt: Mapping[str, Any], sent: Iterable[StoredItem]) -> tuple[SentWords, ...]:
    """Find the prompt template of each request, or else quote the request itself."""
    known = [
        SentWords(f"{questions}{language and f' ({language})'}", each.get("system", ""), user)
        for questions, each in _list_recorded(prompt)
        for language, user in (("", each.get("user", "")), *each.get("translations", {}).items())
    ]
    quoted: dict[SentWords, None] = {}
    for request in sent:
        fitting = [each for each in known if each.system == request.system and _fits(each.user, request.text)]
        verbatim = SentWords("As sent, first question", request.system, request.text)
        quoted[max(fitting, key=lambda each: len(each.user), default=verbatim)] = None
    return tuple(quoted)


_QUESTIONS = {"open": "Questions with free-text answers", "report": "Reports"}


def _list_recorded(prompt: Mapping[str, Any], questions: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the wordings in a record of a prompt, including those of its tasks."""
    yield questions, prompt
    for task, words in prompt.get("tasks", {}).items():
        yield from _list_recorded(words, _QUESTIONS.get(task, f"Questions of the task “{task}”"))


def _fits(template: str, text: str) -> bool:
    """True if a text matches a template with its placeholders filled in.

    >>> _fits("{question} In a word.", "What is it? In a word."), _fits("{question} In a word.", "What is it?")
    (True, False)
    """
    parts = (f"{re.escape(words)}{'' if place is None else '.*'}" for words, place, *_ in Formatter().parse(template))
    return re.fullmatch("".join(parts), text, re.DOTALL) is not None


# Judges ----------------------------------------------------------------------------------------------------------


def _draw_judges(results: Results, store: Store) -> Iterator[Fold]:
    for question in (OPEN_ANSWER, MISMATCH_NAMED, PREMISE_HANDLED):
        found = [
            each
            for (model, benchmark), table in results.tables.items()
            if table.kind == "open"
            for arm in results.study["arms"][benchmark]
            for each in _list_judgements(store, partial(question.digest, results.study, benchmark, arm, model))
        ]
        if found:
            words = str(store.studies.arm(found[0][0])[1].get("words", question.words))
            judges = ", ".join(dict.fromkeys(name for _, said in found for name, *_ in said))
            opinions = counted(sum(len(said) for _, said in found), "opinion")
            yield Fold(f"{begun(question.name)}: {judges}", (Code(words),), f"{opinions}, version {question.version}")


def _list_judgements(store: Store, digest: Callable[[int], str]) -> Iterator[tuple[str, list[Any]]]:
    """Yield the judgements of each round of opinions that has any."""
    for opinion in range(MOST_OPINIONS):
        if said := store.labels.judgements(digest(opinion)):
            yield digest(opinion), said
        elif opinion >= OPINIONS:
            return
