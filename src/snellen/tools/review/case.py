"""The case of a review: all that a rater sees, without model, condition, benchmark or votes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import orjson

from snellen.store.shapes import make_record, read_record

RESPONSE = "Response"
"""Title of the passage in which raters mark words."""


class CasePassage(NamedTuple):
    """A titled text in a case, such as "Response" or "Reference answer"."""

    title: str
    text: str


class BlindImage(NamedTuple):
    """An image of a case: its title, and its size in pixels."""

    title: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class BlindCase:
    """One case as a rater sees it.

    `id` is random and different for each rater, so that it reveals nothing. `options` include their letters.
    Pages load images by the case's id and the image's position.
    """

    id: str
    task: str
    question: str = ""
    context: str = ""
    options: tuple[str, ...] = ()
    passages: tuple[CasePassage, ...] = ()
    images: tuple[BlindImage, ...] = ()

    @property
    def response(self) -> str:
        """The response to be judged; empty if the case has none."""
        return next((each.text for each in self.passages if each.title == RESPONSE), "")

    @property
    def json(self) -> str:
        """The case as JSON for the store, without its id."""
        passages, images = ([tuple(each) for each in listed] for listed in (self.passages, self.images))
        fields = {name: getattr(self, name) for name in ("task", "question", "context", "options")}
        return orjson.dumps({**fields, "passages": passages, "images": images}).decode()

    @classmethod
    def from_record(cls, known_by: str, stored: str) -> BlindCase:
        """Read a stored case and give it the id `known_by`."""
        fields = read_record(stored, _STORED, "a case")
        passages = tuple(CasePassage(*each) for each in fields["passages"])
        images = tuple(BlindImage(*each) for each in fields["images"])
        return cls(
            known_by, fields["task"], fields["question"], fields["context"], tuple(fields["options"]), passages, images
        )


_STORED = {
    "task": str, "question": str, "context": str, "options": [str], "passages": [(str, str)],
    "images": [(str, int, int)],
}  # fmt: skip


class Subject(NamedTuple):
    """The subject of a case, which no page shows.

    Without a model, the subject is the question itself. `stratum` is the group that the case was drawn from, `cluster`
    the item's patient or study (empty if unknown).
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
    """Read the subject of a stored case."""
    _, fields = read_record(stored, (str, [str | int]), "a case")
    return make_record(Subject, dict(zip(Subject._fields, fields, strict=False)), "a case")


def cluster(subject: Subject) -> str:
    """Return the cluster of a case for statistics: its patient or study, else its item."""
    return "\0".join((subject.benchmark, *(("", subject.cluster) if subject.cluster else (subject.item_id,))))


class DrawnCase(NamedTuple):
    """A drawn case: its content, subject, image hashes, and planned number of raters."""

    shown: BlindCase
    subject: Subject
    images: tuple[str, ...] = ()
    wanted: int = 2
