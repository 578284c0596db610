"""BlindCase: all that a rater is shown; there is no field for a model, a condition, a benchmark or anybody's vote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import orjson

from snellen.store.shapes import make_record, read_record

RESPONSE = "Response"
"""The title of the passage whose words are marked."""


class Passage(NamedTuple):
    """A text to be judged or to judge by, such as "Response" or "Reference answer"."""

    title: str
    text: str


class BlindImage(NamedTuple):
    """An image of a case, by its place in it: what it is called ("Image 1", "Prior study") and its size."""

    title: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class BlindCase:
    """One case as a rater sees it. `id` is random and another one for every rater: it tells nothing and leads nowhere.

    `options` are printed with their letters. The images themselves are asked for by the case's id and their place.
    """

    id: str
    task: str
    question: str = ""
    context: str = ""
    options: tuple[str, ...] = ()
    passages: tuple[Passage, ...] = ()
    images: tuple[BlindImage, ...] = ()

    @property
    def response(self) -> str:
        """The text whose words are marked; nothing where no response is judged."""
        return next((each.text for each in self.passages if each.title == RESPONSE), "")

    @property
    def json(self) -> str:
        """The case as it is stored, without its id."""
        passages, images = ([tuple(each) for each in listed] for listed in (self.passages, self.images))
        fields = {name: getattr(self, name) for name in ("task", "question", "context", "options")}
        return orjson.dumps({**fields, "passages": passages, "images": images}).decode()

    @classmethod
    def of(cls, known_by: str, stored: str) -> BlindCase:
        """A stored case under the id that a rater knows it by."""
        fields = read_record(stored, _STORED, "a case")
        fields["passages"] = tuple(Passage(*each) for each in fields["passages"])
        fields["images"] = tuple(BlindImage(*each) for each in fields["images"])
        return cls(
            known_by, **{name: fields[name] for name in _STORED if name != "options"}, options=tuple(fields["options"])
        )


_STORED = {
    "task": str, "question": str, "context": str, "options": [str], "passages": [(str, str)],
    "images": [(str, int, int)],
}  # fmt: skip


class Subject(NamedTuple):
    """What a case is about: known to the results, never to a page.

    Without a model it is the question itself. `stratum` is the group that it was drawn from, `cluster` the patient or
    study that the item belongs to, where it names one.
    """

    benchmark: str
    item_id: str
    ordinal: int
    stratum: str
    model: str = ""
    revision: str = ""
    arm: str = ""
    replicate: int = 0
    cluster: str = ""


def read_subject(stored: str) -> Subject:
    """What a stored case is about."""
    _, fields = read_record(stored, (str, [str | int]), "a case")
    return make_record(Subject, dict(zip(Subject._fields, fields, strict=False)), "a case")


def cluster(subject: Subject) -> str:
    """What a case belongs with: responses to one item, and items of one patient, are not independent of each other."""
    return "\0".join((subject.benchmark, *(("", subject.cluster) if subject.cluster else (subject.item_id,))))


class DrawnCase(NamedTuple):
    """A case as it was drawn: what is shown, what it is about, the sha256 of its images and how many are to read it."""

    shown: BlindCase
    subject: Subject
    images: tuple[str, ...] = ()
    wanted: int = 2
