"""What was asked and what became of it, who answered, and how every number was made."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from string import Formatter
from typing import Any, NamedTuple

import numpy as np

from snellen.asking.plan import limit_asked
from snellen.judging.answers import MOST_OPINIONS
from snellen.judging.mismatch import MISMATCH_NAMED
from snellen.judging.open_answer import OPEN_ANSWER
from snellen.judging.premise import PREMISE_HANDLED
from snellen.judging.source import OPINIONS
from snellen.report.evidence.evidence import Evidence
from snellen.report.words.glossary import method_words
from snellen.report.words.numbers import count
from snellen.runtime import counted
from snellen.scoring.results import Results
from snellen.store import Asked, Store
from snellen.store.shapes import ASKED_ARM, check_record
from snellen.stress.measures import FEWEST, KINDS


@dataclass(frozen=True)
class Tallied:
    """One arm of one model: what was wanted, what came, and what did not."""

    model: str
    benchmark: str
    arm: str
    wanted: int
    replies: int
    failed: Mapping[str, int]
    inapplicable: Mapping[str, int]
    epochs: int
    anchor: str
    imported: bool = False

    @property
    def planned(self) -> str:
        """How many responses there should be; nobody knows of an import."""
        return "not known" if self.imported else count(self.wanted)

    @property
    def missing(self) -> Mapping[str, int]:
        """The responses that are wanted and not there, by the error of the last attempt, or not asked at all.

        Of an import, those that other runs or other questions of the same condition have.
        """
        asked = self.replies + sum(self.failed.values()) + sum(self.inapplicable.values()) * self.epochs
        why = "not in the files" if self.imported else "not asked"
        return {**self.failed, why: self.wanted - asked} if self.wanted > asked else self.failed


def accounting(evidence: Evidence) -> list[Tallied]:
    """A line for every model, benchmark and arm."""
    return [
        Tallied(
            *address,
            wanted=grades.wanted + sum(grades.inapplicable.values()) * grades.epochs,
            replies=len(grades),
            failed=grades.failed,
            inapplicable=grades.inapplicable,
            epochs=grades.epochs,
            anchor=anchor,
            imported=evidence.imported,
        )
        for address, anchor in evidence.anchors.items()
        for grades in (evidence.table(address).with_repeats().arms[address.arm],)
    ]


class BenchmarkSource(NamedTuple):
    """A benchmark of the study."""

    name: str
    digest: str
    items: int
    asked: int
    about: Mapping[str, Any]


def sources(results: Results) -> list[BenchmarkSource]:
    """The benchmarks, and how much of each was asked."""
    study = results.study
    return [
        BenchmarkSource(
            name, study["benchmarks"][name], len(each), len(each.items[: limit_asked(study, name)]), dict(each.about)
        )
        for name, each in results.benchmarks.items()
    ]


class SentWords(NamedTuple):
    """A template that stored requests were made by; `questions` says which, "" for all others."""

    questions: str
    system: str
    user: str


class ArmWording(NamedTuple):
    """How an arm was put to the models."""

    benchmarks: tuple[str, ...]
    arm: str
    condition: str
    prompt: str
    words: tuple[SentWords, ...]
    settings: Mapping[str, Any]
    examples: Sequence[Mapping[str, Any]] = ()
    """The solved questions that stand before each question."""


def wordings(evidence: Evidence, store: Store) -> list[ArmWording]:
    """The prompt and settings of every arm, once for all benchmarks that share them. Of imported arms none is known.

    Only words that stored requests contain are quoted, whatever the arm's record says.
    """
    if evidence.imported:
        return []
    found: list[ArmWording] = []
    for benchmark, arms in evidence.results.study["arms"].items():
        for name, digest in arms.items():
            record = check_record(store.arm(digest)[1], ASKED_ARM, "a condition")
            quoted = _quoted(record["prompt"], _one_of_each(evidence, benchmark, name))
            words = (
                name, record["condition"], record["prompt"]["name"], quoted, record["settings"],
                record.get("examples", []),
            )  # fmt: skip
            same = next((at for at, each in enumerate(found) if each[1:] == words), None)
            if same is None:
                found.append(ArmWording((benchmark,), *words))
            else:
                found[same] = found[same]._replace(benchmarks=(*found[same].benchmarks, benchmark))
    return found


def _one_of_each(evidence: Evidence, benchmark: str, arm: str) -> list[Asked]:
    """A stored request for each kind, task and language of item: a prompt words those alike."""
    first: dict[tuple[str, str, str], int] = {}
    for (_, name), table in evidence.results.tables.items():
        if name == benchmark and arm in table.arms:
            for ordinal in np.unique(table.arms[arm].ordinal).tolist():
                item = table.items[ordinal]
                first.setdefault((item.kind, str(item.metadata.get("task", "")), item.language), ordinal)
    asked = evidence.asked(benchmark, arm)
    asked.read(first.values())
    return [asked[ordinal] for ordinal in first.values()]


def _quoted(prompt: Mapping[str, Any], sent: Iterable[Asked]) -> tuple[SentWords, ...]:
    """The wording of the prompt that each request was made by; if none fits, the request itself."""
    known = [
        SentWords(f"{questions}{language and f' ({language})'}", each.get("system", ""), user)
        for questions, each in _recorded(prompt)
        for language, user in (("", each.get("user", "")), *each.get("translations", {}).items())
    ]
    quoted: dict[SentWords, None] = {}
    for request in sent:
        fitting = [each for each in known if each.system == request.system and _fits(each.user, request.text)]
        verbatim = SentWords("As sent, first question", request.system, request.text)
        quoted[max(fitting, key=lambda each: len(each.user), default=verbatim)] = None
    return tuple(quoted)


_QUESTIONS = {"open": "Questions answered in words", "report": "Reports"}


def _recorded(prompt: Mapping[str, Any], questions: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The wordings that a record of a prompt holds, with those of its tasks."""
    yield questions, prompt
    for task, words in prompt.get("tasks", {}).items():
        yield from _recorded(words, _QUESTIONS.get(task, f"Questions of the task “{task}”"))


def _fits(template: str, text: str) -> bool:
    """Whether a text can be a template with its places filled in.

    >>> _fits("{question} In a word.", "What is it? In a word."), _fits("{question} In a word.", "What is it?")
    (True, False)
    """
    parts = (f"{re.escape(words)}{'' if place is None else '.*'}" for words, place, *_ in Formatter().parse(template))
    return re.fullmatch("".join(parts), text, re.DOTALL) is not None


class JudgeWording(NamedTuple):
    """What judges were asked about answers in words: the question, its words, who answered, and how often in all."""

    question: str
    version: str
    words: str
    judges: tuple[str, ...]
    opinions: int


def judge_wordings(results: Results, store: Store) -> list[JudgeWording]:
    """The words of every question that a judge answered about this study's answers in words."""
    made = []
    for question in (OPEN_ANSWER, MISMATCH_NAMED, PREMISE_HANDLED):
        found = [
            each
            for (model, benchmark), table in results.tables.items()
            if table.kind == "open"
            for arm in results.study["arms"][benchmark]
            for each in _judgements(store, partial(question.digest, results.study, benchmark, arm, model))
        ]
        if found:
            words = str(store.arm(found[0][0])[1].get("words", question.words))
            judges = tuple(dict.fromkeys(name for _, said in found for name, *_ in said))
            made.append(
                JudgeWording(question.name, question.version, words, judges, sum(len(said) for _, said in found))
            )
    return made


def _judgements(store: Store, digest: Callable[[int], str]) -> Iterator[tuple[str, list[Any]]]:
    """What was said in each round of opinions, however many were asked for."""
    for opinion in range(MOST_OPINIONS):
        if said := store.judgements(digest(opinion)):
            yield digest(opinion), said
        elif opinion >= OPINIONS:
            return


class Method(NamedTuple):
    """A way in which numbers were made, by which parser and on which items, and the measures it was used for."""

    name: str
    words: str
    measures: str


def methods(results: Results) -> list[Method]:
    """Every method that stands beside a number of this study."""
    used: dict[str, tuple[str, dict[str, None]]] = {}
    for measure in (each for found in results.every_finding for each in found.measures):
        used.setdefault(measure.how, (measure.estimate.method, {}))[1][measure.kind.words] = None
    made = [Method(name, method_words(method), ", ".join(words)) for name, (method, words) in used.items()]
    return [*made, *_without_d(results)]


def _without_d(results: Results) -> Iterator[Method]:
    """Why some changes have no Cohen's d beside them, where any lacks it."""
    changes = [(each, m.arm) for each in results.findings for m in each.measures if m.name == "difference"]
    lacking = sum(finding.measure(arm, "cohens_d") is None for finding, arm in changes)
    if lacking:
        why = (
            f"Not given for {lacking:,} of {len(changes):,} changes: all items changed alike, or fewer than {FEWEST} "
            "differ from what all others do. The standard deviation is then 0 or near 0, and d is not defined or "
            "as large as those few make it."
        )
        yield Method("no Cohen's d", why, KINDS["cohens_d"].words)


_SHOWN_ELSEWHERE = frozenset(
    (
        "name",
        "models",
        "benchmarks",
        "arms",
        "created",
        "left_out",
        "limit_of",
        "imported",
        "sources",
        "human",
        "unknown_ends",
        "prices",
        "batch_prices",
    )
)
_AS_ASKED = frozenset({"seed", "epochs", "limit", "prompt", "settings"})
"""What only those who asked know."""


def particulars(study: Mapping[str, Any], *, unused: frozenset[str] = frozenset()) -> list[tuple[str, str]]:
    """All else that the study's record says, as name and value."""
    imported = "imported" in study
    lines: list[tuple[str, str]] = []
    for name, value in study.items():
        if name not in _SHOWN_ELSEWHERE | unused and value != []:
            unknown = imported and name in _AS_ASKED
            said = _describe_repeated(value) if name == "repeated" else _in_words(value)
            lines.append((_NAMES.get(name, name.replace("_", " ")), "not known" if unknown else said))
    return lines


_NAMES = {"beside": "parsers beside it", "epochs_of": "epochs of each benchmark", "repeated": "asked once more"}


def _describe_repeated(repeated: Mapping[str, Any]) -> str:
    """How many questions of each benchmark were asked once more, and under which conditions."""
    return "; ".join(
        f"{name}: {counted(len(each['items']), 'question')} under {' and '.join(each['arms'])}"
        for name, each in repeated.items()
    )


def _in_words(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_in_words(each)}" for name, each in value.items()) or "left to the provider"
    if isinstance(value, list | tuple):
        return ", ".join(_in_words(each) for each in value)
    return "none" if value is None else str(value)
