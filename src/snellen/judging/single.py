"""Questions to a judge about one response at a time."""

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
from snellen.reading.language.cleaning import strip_thinking
from snellen.store import Store, StoredResponse, as_changed

Opinion = TypeVar("Opinion")
_OBJECT = re.compile(r"\{[^{}]*\}")
MOST_OPINIONS = 100
JUDGED_AT = Settings(temperature=0.0)
Run = tuple[int, int]
"""Position of an item in its benchmark, and the repeat."""


def said_object(answer: str) -> dict[str, Any] | None:
    """Return the JSON object that a judge's text consists of. None if it has any other content.

    >>> said_object('{"class": 2}'), said_object("Class 2, I think.")
    ({'class': 2}, None)
    """
    said = strip_thinking(answer).strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    if _OBJECT.fullmatch(said) is None:
        return None
    try:
        found: dict[str, Any] = orjson.loads(said)
    except orjson.JSONDecodeError:
        return None
    return found


class QuestionWording(NamedTuple):
    """Wording of a question about one response; the material to be judged is between fences."""

    system: str
    question: str

    @property
    def version(self) -> str:
        """Hash that identifies the wording."""
        return hashlib.sha256(f"{self.system}\n{self.question}".encode()).hexdigest()[:16]

    @property
    def whole(self) -> str:
        """The wording before anything is filled in."""
        return f"{self.system}\n\n{self.question}"

    def request(self, *material: str, **parts: str) -> Request:
        """Make the request with its parts filled in. The fence occurs in none of the `material`."""
        text = self.question.format(fence=fence_around(*material), **parts)
        return Request("", text, self.system, settings=JUDGED_AT)


class RowLabels(NamedTuple):
    """How a judge is asked about labelled rows, and how labels become the judge's words."""

    labels: tuple[str, ...]
    """Labels that raters may give a row."""
    item_of: Callable[[str, Mapping[str, Any]], Item]
    """Makes the item of a row from its place in the file and its fields."""
    word_of: Callable[[str], str]
    """Translates a label of raters or parser into the judge's word."""
    label_of: Callable[[Any], str]
    """Translates a judge's opinion into one of the judge's words."""
    undecided: str
    """The word if two are equally frequent among the opinions."""
    worth: Mapping[str, float]
    """Value of each word as a grade."""


class JudgeQuestion(NamedTuple):
    """A question to a judge: its name, the version of its wording, and how it is asked and read."""

    name: str
    version: str
    request: Callable[[str, Item], Request]
    words: str = ""
    """The wording before anything is filled in; it is stored with the answers."""
    read: Callable[[str], Any] = str
    """Reads the opinion in a judge's text. None if it is not in the required form."""
    rows: RowLabels | None = None
    """How the opinions are compared with raters' labels; None if another module defines it."""

    def digest(self, study: Mapping[str, Any], benchmark: str, arm: str, model: str, opinion: int = 0) -> str:
        """Return the digest that identifies a judge's task on one model and arm. Each repeated opinion has its own."""
        asked = study["benchmarks"][benchmark], study["arms"][benchmark][arm]
        parts = (self.name, self.version, *asked, *known_by(study, model), *((opinion,) if opinion else ()))
        return hashlib.sha256(orjson.dumps(parts)).hexdigest()


def known_by(study: Mapping[str, Any], model: str) -> tuple[str, ...]:
    """Return name and revision of a study's model. Only the name if it has no revision.

    A folder may hold responses of two models with the same name, such as on two servers.
    """
    revision = next((str(revision) for name, revision in study["models"] if name == model), "")
    return (model, revision) if revision else (model,)


@dataclass(frozen=True)
class JudgeOpinions(Generic[Opinion]):
    """One judge's opinions on one model's responses, by arm, item and repeat."""

    judge: str = ""
    unread: int = 0
    """Number of its texts that could not be read."""
    by_reply: Mapping[str, Mapping[Run, Opinion]] = field(default_factory=dict)


def load_opinions(
    question: JudgeQuestion, store: Store, study: Mapping[str, Any], benchmark: str, model: str
) -> JudgeOpinions[Any]:
    """Load the opinions of the latest judge on a model's responses to a benchmark."""
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
    return JudgeOpinions(judge, unread, found)


def replies(
    store: Store, study: Mapping[str, Any], benchmark: str, model: tuple[str, str]
) -> Iterator[tuple[str, StoredResponse]]:
    """Yield every response of a model that the study asks for, with its arm."""
    number = store.studies.model_number(*model)
    for arm, name in study["arms"][benchmark].items():
        at, _ = store.studies.arm(name)
        for reply in store.responses.replies(number, at):
            if counts(study, benchmark, reply.ordinal, reply.replicate, arm=arm):
                yield arm, reply


def changed_items(store: Store, study: Mapping[str, Any], benchmark: str) -> dict[str, dict[int, Item]]:
    """Return the items as each arm changed them, by arm and position."""
    items = store.studies.benchmark(study["benchmarks"][benchmark]).items
    arms = {arm: store.variants.changes(store.studies.arm(each)[0]) for arm, each in study["arms"][benchmark].items()}
    return {
        arm: {at: as_changed(items[at], changed) for at, changed in changes.items() if at < len(items)}
        for arm, changes in arms.items()
    }


def iter_opinions(
    store: Store, study: Mapping[str, Any], benchmark: str, arm: str, model: str, question: JudgeQuestion
) -> Iterator[tuple[str, Run, str]]:
    """Yield the judges' texts on each response: judge, item and repeat, and text, one opinion after another."""
    for opinion in range(MOST_OPINIONS):
        given = store.labels.judgements(question.digest(study, benchmark, arm, model, opinion))
        if not given and opinion >= OPINIONS:
            return
        for name, ordinal, replicate, text, _ in given:
            if counts(study, benchmark, ordinal, replicate):
                yield name, (ordinal, replicate), text


def counts(study: Mapping[str, Any], benchmark: str, ordinal: int, replicate: int, *, arm: str = "") -> bool:
    """Return whether a study asks for a response, since the store may hold others.

    Some arms ask some items one extra time; these responses count only if `arm` is given.
    """
    limit, epochs = limit_asked(study, benchmark), epochs_asked(study, benchmark)
    if limit is not None and ordinal >= limit:
        return False
    if epochs is None or replicate < epochs:
        return True
    again = study.get("repeated", {}).get(benchmark, {"arms": (), "items": ()})
    return replicate == epochs and arm in again["arms"] and ordinal in again["items"]
