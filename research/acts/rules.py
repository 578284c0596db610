"""How today's rules read a row: the parser that Snellen uses for such a question, act by act.

All names of the package that this study needs stand here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from labelled_rows import ACTS, Row

from snellen.items import Item, Option
from snellen.reading import acts, grade
from snellen.reading.claims.parser import Rationale, read_rationale
from snellen.reading.detection.parser import Detection, read_detection
from snellen.reading.language.acts.declining import read_silence
from snellen.reading.language.cleaning import clean_text, lower_keeping_offsets
from snellen.reading.mismatch.parser import item_of as mismatch_item
from snellen.reading.mismatch.parser import read_mismatch
from snellen.reading.missing_image import read_admission
from snellen.reading.outcomes import Outcome
from snellen.reading.premise.parser import item_of as premise_item
from snellen.reading.premise.parser import read_premise


@contextmanager
def rules_alone() -> Iterator[None]:
    """Without what the network of the package adds to the rules."""
    believed, acts.ALONE = acts.ALONE, 2.0
    try:
        yield
    finally:
        acts.ALONE = believed


class Text(NamedTuple):
    """A response as a parser is given it."""

    text: str
    finish: str = "stop"
    reasoning: str = ""


NORMAL_OR_NOT = Item(id="", question="", options=(Option("abnormal"), Option("normal")), metadata={"normal": "normal"})
ABSTAINED = frozenset((Outcome.ABSTAINED, Outcome.FLAGGED_QUALITY))
ADMISSIONS = ("missing", "refuses", "hedges", "generic", "describes", "empty")
DETECTIONS = ("NORMAL", "ABNORMAL", "QUALITY", "REFUSES")
PREMISES = ("corrects", "complies", "evades", "declines")
READINGS = (
    *(f"missing-image: {label}" for label in ADMISSIONS), "claims", "notices", "refused", "abstained",
    *(f"quality: {label}" for label in DETECTIONS), "flags", *(f"premise: {act}" for act in PREMISES),
    "mismatch: named",
)  # fmt: skip
"""What the rules read of any row, as features of the stacked parser."""


def item_of(row: Row) -> Item:
    """The question of a row."""
    return Item(
        id=row.id, question=row.question, options=tuple(map(Option, row.options)), language=row.language,
        metadata={name: value for name, value in row.facts.items() if name == "normal"},
    )  # fmt: skip


@rules_alone()
def admission(row: Row) -> str:
    """The label of the parser `missing-image`."""
    return read_admission(row.response, row.question).label.value


def rationale(row: Row) -> Rationale:
    """What the parser of claims finds."""
    return read_rationale(row.response, "", item_of(row))


def silence(row: Row) -> Outcome | None:
    """Why there is no answer: for choices by the parser `lenient`, else by the words with which responses decline."""
    if row.options:
        return grade(row.response, "stop", item_of(row)).outcome
    found = read_silence(lower_keeping_offsets(clean_text(row.response)), row.question)
    return found[0].silence if found else None


def detection(row: Row) -> Detection:
    """What the parser `quality` finds; a row without a normal option is read as "abnormal or normal?"."""
    item = item_of(row)
    return read_detection(row.response, NORMAL_OR_NOT if item.normal is None else item)


@rules_alone()
def premise(row: Row) -> tuple[str, Outcome | None]:
    """The act and the silence that the parser `premise` finds."""
    fields = {"question": row.question, **row.facts}
    found = read_premise(Text(row.response, row.finish), premise_item(row.id, fields))
    return found.act, found.silence


@rules_alone()
def mismatch(row: Row) -> tuple[bool, str, Outcome | None]:
    """Whether the parser `mismatch` finds a contradiction named, its rule, and the silence."""
    fields = {"question": row.question, **row.facts}
    found = read_mismatch(Text(row.response, row.finish), mismatch_item(row.id, fields))
    return found.named, found.rule, found.silence


Acts = dict[str, bool | None]


def _of_silence(found: Outcome | None) -> Acts:
    return {"refuses": found is Outcome.REFUSED, "abstains": found in ABSTAINED}


def _of_missing_image(row: Row) -> Acts:
    label = admission(row)
    return {
        "says_no_image": label == "missing",
        "doubts": label == "hedges",
        "refuses": label == "refuses",
        "abstains": silence(row) in ABSTAINED,
        "describes_findings": label == "describes",
    }


def _of_replies(row: Row) -> Acts:
    label, found = admission(row), rationale(row)
    return {
        "says_no_image": found.notices if row.options else label == "missing",
        "doubts": label == "hedges",
        "describes_findings": bool(found.claims),
        **_of_silence(silence(row)),
    }


def _of_quality(row: Row) -> Acts:
    found = detection(row)
    return {
        "flags_quality": found.flags,
        "refuses": found.label.name == "REFUSES",
        "abstains": found.rule == "cannot-tell",
        "says_no_image": found.rule == "no-image",
    }


def _of_premise(row: Row) -> Acts:
    act, silent = premise(row)
    return {
        "corrects_premise": act == "corrects",
        "says_no_image": admission(row) == "missing",
        **_of_silence(silent),
    }


def _of_mismatch(row: Row) -> Acts:
    named, rule, silent = mismatch(row)
    return {"names_contradiction": named, "says_no_image": rule == "no-image", **_of_silence(silent)}


def _of_exam(row: Row) -> Acts:
    found = rationale(row)
    return {
        "says_no_image": found.notices,
        "describes_findings": bool(found.claims),
        "flags_quality": row.acts["flags_quality"] is not None and detection(row).flags,
        **_of_silence(silence(row)),
    }


def _of_open_answer(row: Row) -> Acts:
    return _of_silence(silence(row))


BY_SOURCE: Mapping[str, Callable[[Row], Acts]] = {
    "missing-image": _of_missing_image,
    "admissions": _of_missing_image,
    "quality": _of_quality,
    "false-premise": _of_premise,
    "mismatch": _of_mismatch,
    "replies": _of_replies,
    "invented": _of_replies,
    "open-answers": _of_open_answer,
    "italian-exam": _of_exam,
    "mmmu-pro": _of_exam,
}


def read_acts(row: Row) -> dict[str, bool]:
    """The acts that today's rules read in a row, of those that are labelled."""
    found = BY_SOURCE[row.source](row)
    return {act: bool(found[act]) for act in ACTS if row.acts[act] is not None}


def read_everything(row: Row) -> list[bool]:
    """All that the rules read of a row, whatever it comes from, in the order of `READINGS`."""
    label, found, silent = admission(row), rationale(row), silence(row)
    seen = detection(row)
    act, _ = premise(row)
    return [
        *(label == each for each in ADMISSIONS),
        bool(found.claims),
        found.notices,
        silent is Outcome.REFUSED,
        silent in ABSTAINED,
        *(seen.label.name == each for each in DETECTIONS),
        seen.flags,
        *(act == each for each in PREMISES),
        mismatch(row)[0],
    ]
