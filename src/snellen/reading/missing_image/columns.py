"""Columns on missing images, one row per response."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.items import Item
from snellen.models.base import FILTERED
from snellen.reading.acts import NETWORK
from snellen.reading.columns import NOTHING, Integers, Run
from snellen.reading.diagnoses import Diagnosis, read_diagnosis
from snellen.reading.missing_image.parser import Admission, Admitted
from snellen.reading.outcomes import Outcome
from snellen.reading.parsers import Question, Readable

LABELS = tuple(Admission)
TAGS = "<diagnosis>"
FLAGGED = (Admission.MISSING, Admission.HEDGES)
"""Labels that the judge of the Mirage paper flags: missing image, or doubt."""
ADMITS = (Admission.MISSING, Admission.REFUSES, Admission.EMPTY)
"""Responses with these labels make no diagnosis, whatever their tags contain, as published."""
OUTCOMES: Mapping[Admission, Outcome] = {
    Admission.MISSING: Outcome.ABSTAINED,
    Admission.HEDGES: Outcome.ABSTAINED,
    Admission.REFUSES: Outcome.REFUSED,
    Admission.DESCRIBES: Outcome.WRONG,
    Admission.GENERIC: Outcome.UNPARSED,
    Admission.EMPTY: Outcome.EMPTY,
}
"""Outcome of each label if only an admission is right; a description is wrong."""

RULES = {
    "missing: cannot-see": "says that it cannot see an image",
    "missing: not-received": "says that no image came",
    "missing: send-it": "asks for the image",
    "missing: needed": "says that it needs the image",
    "missing: blind": "says that it cannot look at images",
    "hedges: doubts": "doubts or supposes its own answer",
    "hedges: wavers": "opens with a guess",
    "hedges: in-passing": "says in passing that it saw the image badly or presumes what it shows",
    "describes: shows": "says what the image shows",
    "describes: opening": "opens with an answer about this image",
    "generic: opening": "opens with an explanation",
    "generic: general": "names something and explains it",
    "generic: nothing-told": "says nothing of any image",
    "generic: code": "program code",
    "generic: lone-letter": "names a letter, though no options were offered",
    "refuses: declines": "will not do what was asked",
    "refuses: advises": "sends to an expert",
    "refuses: content-filter": "held back by the provider's filter",
    "empty: nothing-said": "says nothing",
    f"missing: {NETWORK}": "says that there is no image, in words that only the network reads",
    f"refuses: {NETWORK}": "declines in words that only the network reads",
    f"hedges: {NETWORK}": "doubts or cannot tell, in words that only the network reads",
}
"""Labels and the rules that found them, each with a short explanation."""
WEIGHS = frozenset(("empty: nothing-said",))
"""Rules that need the complete response."""


def flag_word(label: str) -> str:
    """Return "flagged" or "not flagged" for a label."""
    return "flagged" if label in FLAGGED else "not flagged"


QUESTION = Question(
    labels=tuple(each.value for each in Admission),
    item_of=lambda where, fields: Item(id=where, question=str(fields.get("question") or ""), kind="open"),
    label_of=lambda read: read.label.value,
    coarser=(
        (
            f"The question behind the mirage rate: is a response flagged ({' or '.join(FLAGGED)}) or not?",
            flag_word,
        ),
    ),
)


class WithoutImage(NamedTuple):
    """What a response does without an image, with rule and evidence.

    `diagnosis` is the one in its tags, if the question asked for tags and the response admits nothing.
    """

    label: Admission
    rule: str
    evidence: str = ""
    diagnosis: Diagnosis | None = None

    @property
    def outcome(self) -> Outcome:
        """Outcome of the response."""
        return OUTCOMES[self.label]


def without_image(admitted: Callable[[str, str], Admitted]) -> Callable[[Readable, Item], WithoutImage]:
    """Make a parser's `read` function from a function of a response's text and question.

    A response that the provider's filter stopped counts as a refusal, whatever its text.
    """

    def read(reply: Readable, item: Item) -> WithoutImage:
        if reply.finish.lower() in FILTERED:
            return WithoutImage(Admission.REFUSES, f"{Admission.REFUSES}: content-filter")
        found = admitted(reply.text, item.question)
        wanted = TAGS in item.question and found.label not in ADMITS
        diagnosis = read_diagnosis(reply.text) if wanted else None
        return WithoutImage(found.label, f"{found.label}: {found.rule}", found.evidence, diagnosis)

    return read


@dataclass(frozen=True)
class Admissions:
    """What each response to an open question without an image does; one array per column.

    `label` is an index into LABELS. `diagnosis` is an index into `diagnoses` for the content of the tags, NOTHING if
    there is none. `flagged` is a judge's opinion: 1 if the response admits or doubts, 0 if not, NOTHING without a
    judge.
    """

    label: Integers
    diagnosis: Integers
    flagged: Integers
    diagnoses: tuple[Diagnosis, ...] = ()

    def only(self, kept: NDArray[np.bool_]) -> Admissions:
        """Return the columns for the selected responses."""
        return replace(self, label=self.label[kept], diagnosis=self.diagnosis[kept], flagged=self.flagged[kept])

    def is_(self, *labels: Admission) -> NDArray[np.bool_]:
        """Return which responses have one of these labels."""
        wanted = np.zeros(len(LABELS), dtype=np.bool_)
        wanted[[LABELS.index(label) for label in labels]] = True
        return wanted[self.label]


def admissions(read: Mapping[Run, WithoutImage], _: object) -> Admissions:
    """Build the columns of one condition, without a judge."""
    named = dict.fromkeys(each.diagnosis for each in read.values() if each.diagnosis is not None)
    places: dict[Diagnosis | None, int] = {None: NOTHING, **{each: at for at, each in enumerate(named)}}
    return Admissions(
        label=np.array([LABELS.index(each.label) for each in read.values()], dtype=np.int64),
        diagnosis=np.array([places[each.diagnosis] for each in read.values()], dtype=np.int64),
        flagged=np.full(len(read), NOTHING),
        diagnoses=tuple(named),
    )
