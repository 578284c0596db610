"""Questions that a judge is asked about one response at a time: which responses, and what was answered."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

import orjson

from snellen.asking.asked import epochs_asked, limit_asked
from snellen.items import Item
from snellen.judging import OPINIONS
from snellen.judging.rubric import fence_around
from snellen.prompts import Request, Settings
from snellen.reading.language.cleaning import spoken
from snellen.store import Reply, Store, as_changed

Opinion = TypeVar("Opinion")
_OBJECT = re.compile(r"\{[^{}]*\}")
MOST_OPINIONS = 100
JUDGED_AT = Settings(temperature=0.0)
Run = tuple[int, int]
"""An item's place and the replicate."""


def said_object(answer: str) -> dict[str, Any] | None:
    """The JSON object that is all a judge says; None where it says something else.

    >>> said_object('{"class": 2}'), said_object("Class 2, I think.")
    ({'class': 2}, None)
    """
    said = spoken(answer).strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    if _OBJECT.fullmatch(said) is None:
        return None
    try:
        found: dict[str, Any] = orjson.loads(said)
    except orjson.JSONDecodeError:
        return None
    return found


class Wording(NamedTuple):
    """The words of a question about one response; what is judged stands between fences."""

    system: str
    question: str

    @property
    def version(self) -> str:
        """What the words are known by."""
        return hashlib.sha256(f"{self.system}\n{self.question}".encode()).hexdigest()[:16]

    @property
    def whole(self) -> str:
        """The words before anything is filled in."""
        return f"{self.system}\n\n{self.question}"

    def request(self, *material: str, **parts: str) -> Request:
        """The question with its parts filled in, to no judge yet; no text of the material holds the fence."""
        text = self.question.format(fence=fence_around(*material), **parts)
        return Request("", text, self.system, settings=JUDGED_AT)


class RowLabels(NamedTuple):
    """How rows that people labelled are put to a judge, and what both say in the judge's words."""

    labels: tuple[str, ...]
    """What people may say of a row."""
    item_of: Callable[[str, Mapping[str, Any]], Item]
    """The question of a row, from where it stands and its fields."""
    word_of: Callable[[str], str]
    """What a label of people, or of a parser, is in the judge's words."""
    label_of: Callable[[Any], str]
    """What an opinion is in these words."""
    undecided: str
    """What opinions amount to if two words are equally frequent."""
    worth: Mapping[str, float]
    """What each word counts as a grade."""


class JudgeQuestion(NamedTuple):
    """An act that a judge is asked about: its name, its words by their version, and how both are put and read."""

    name: str
    version: str
    request: Callable[[str, Item], Request]
    words: str = ""
    """Its words before anything is filled in, kept with what is answered."""
    read: Callable[[str], Any] = str
    """The opinion that an answer holds; None if it is not in the form asked for."""
    rows: RowLabels | None = None
    """How it is compared with labels of people; None if another module says it."""

    def digest(self, study: Mapping[str, Any], benchmark: str, arm: str, model: str, opinion: int = 0) -> str:
        """What tells the judging of one model's responses under one arm from any other; the first opinion is 0."""
        asked = study["benchmarks"][benchmark], study["arms"][benchmark][arm]
        parts = (self.name, self.version, *asked, *known_by(study, model), *((opinion,) if opinion else ()))
        return hashlib.sha256(orjson.dumps(parts)).hexdigest()


def known_by(study: Mapping[str, Any], model: str) -> tuple[str, ...]:
    """What tells a study's model from any other: its name, and its revision where it has one.

    A folder may hold responses of two models of one name, such as those of two servers.
    """
    revision = next((str(revision) for name, revision in study["models"] if name == model), "")
    return (model, revision) if revision else (model,)


@dataclass(frozen=True)
class Said(Generic[Opinion]):
    """One judge's opinions on one model's responses, by arm and run."""

    judge: str = ""
    unread: int = 0
    """How many of its answers could not be read."""
    by_reply: Mapping[str, Mapping[Run, Opinion]] = field(default_factory=dict)


def said(
    question: JudgeQuestion,
    store: Store,
    study: Mapping[str, Any],
    of: tuple[str, tuple[str, str]],
) -> Said[Any]:
    """The opinions of the judge that was asked last, `of` a benchmark and a model; none where none was."""
    benchmark, (model, _) = of
    unread = 0
    found: dict[str, dict[Run, Any]] = {}
    arms = study["arms"][benchmark]
    answers = {arm: store.labels.judgements(question.digest(study, benchmark, arm, model)) for arm in arms}
    judge = next((each[-1][0] for each in reversed(answers.values()) if each), "")
    for arm, each in answers.items():
        for name, ordinal, replicate, text, _ in each:
            if name == judge and counts(study, benchmark, ordinal, replicate, arm=arm):
                opinion = question.read(text)
                unread += opinion is None
                if opinion is not None:
                    found.setdefault(arm, {})[ordinal, replicate] = opinion
    return Said(judge, unread, found)


def replies(
    store: Store, study: Mapping[str, Any], benchmark: str, model: tuple[str, str]
) -> Iterator[tuple[str, Reply]]:
    """Every response of a model that the study asks for, under its arm."""
    number = store.studies.model_number(*model)
    for arm, name in study["arms"][benchmark].items():
        at, _ = store.studies.arm(name)
        for reply in store.responses.replies(number, at):
            if counts(study, benchmark, reply.ordinal, reply.replicate, arm=arm):
                yield arm, reply


def changed_items(store: Store, study: Mapping[str, Any], benchmark: str) -> dict[str, dict[int, Item]]:
    """The items that each arm changed, as it left them, by their place."""
    items = store.studies.benchmark(study["benchmarks"][benchmark]).items
    arms = {arm: store.variants.changes(store.studies.arm(each)[0]) for arm, each in study["arms"][benchmark].items()}
    return {
        arm: {at: as_changed(items[at], changed) for at, changed in changes.items() if at < len(items)}
        for arm, changes in arms.items()
    }


def iter_opinions(
    store: Store, study: Mapping[str, Any], benchmark: str, arm: str, model: str, question: JudgeQuestion
) -> Iterator[tuple[str, Run, str]]:
    """What judges answered to a question about each response, opinion after opinion."""
    for opinion in range(MOST_OPINIONS):
        given = store.labels.judgements(question.digest(study, benchmark, arm, model, opinion))
        if not given and opinion >= OPINIONS:
            return
        for name, ordinal, replicate, text, _ in given:
            if counts(study, benchmark, ordinal, replicate):
                yield name, (ordinal, replicate), text


def counts(study: Mapping[str, Any], benchmark: str, ordinal: int, replicate: int, *, arm: str = "") -> bool:
    """Whether a study asks for a response: the store may hold more, of an earlier study with other bounds.

    Responses to items that an arm asks once more count only if the arm is named.
    """
    limit, epochs = limit_asked(study, benchmark), epochs_asked(study, benchmark)
    if limit is not None and ordinal >= limit:
        return False
    if epochs is None or replicate < epochs:
        return True
    again = study.get("repeated", {}).get(benchmark, {"arms": (), "items": ()})
    return replicate == epochs and arm in again["arms"] and ordinal in again["items"]
