"""Replies to open questions that came without an image, read for whether they admit it and what they diagnose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from snellen.grading.columns import NOTHING
from snellen.grading.diagnoses import Diagnosis, read_diagnosis
from snellen.grading.missing_image import Admission
from snellen.grading.missing_image.columns import LABELS, Admissions
from snellen.grading.outcomes import Outcome
from snellen.grading.parsers import read_reply
from snellen.items import Item
from snellen.models.base import CUT_OFF
from snellen.store import Reply
from snellen.stress.table import Grades, code

MISSING_IMAGE = "missing-image"
"""The parser that is used where none is named."""
TAGS = "<diagnosis>"
ADMITS = (Admission.MISSING, Admission.REFUSES, Admission.EMPTY)
"""Replies that make no diagnosis whatever stands in their tags, as published."""
OUTCOMES: Mapping[Admission, Outcome] = {
    Admission.MISSING: Outcome.ABSTAINED,
    Admission.HEDGES: Outcome.ABSTAINED,
    Admission.REFUSES: Outcome.REFUSED,
    Admission.DESCRIBES: Outcome.WRONG,
    Admission.GENERIC: Outcome.UNPARSED,
    Admission.EMPTY: Outcome.UNPARSED,
}
"""What becomes of a reply where the only right one says that nothing was sent: a description is a wrong answer."""


class Said(NamedTuple):
    """What one reply does, what that counts as, by which rule and from which words, and its diagnosis."""

    label: Admission
    outcome: Outcome
    rule: str
    evidence: str
    diagnosis: Diagnosis | None


def said(reply: Reply, item: Item, parser: str = MISSING_IMAGE) -> Said:
    """A reply, read; one cut off before it said anything is truncated."""
    read = read_reply(reply.text, reply.finish, item.question, parser)
    cut = reply.finish.lower() in CUT_OFF and read.label is Admission.EMPTY
    outcome = Outcome.TRUNCATED if cut else OUTCOMES[read.label]
    wanted = TAGS in item.question and read.label not in ADMITS
    diagnosis = read_diagnosis(reply.text) if wanted else None
    return Said(read.label, outcome, f"{read.label}: {read.rule}", read.evidence, diagnosis)


def admissions(
    replies: Sequence[Reply],
    items: Sequence[Item],
    flags: Mapping[tuple[int, int], bool],
    parser: str = MISSING_IMAGE,
) -> Grades:
    """The columns of the replies of one arm; `flags` are a judge's opinions by item and replicate."""
    rules: dict[str, int] = {}
    diagnoses: dict[Diagnosis, int] = {}
    rows = []
    for reply in replies:
        read = said(reply, items[reply.ordinal], parser)
        named = NOTHING if read.diagnosis is None else diagnoses.setdefault(read.diagnosis, len(diagnoses))
        flag = flags.get((reply.ordinal, reply.replicate))
        rows.append(
            (
                reply.ordinal,
                reply.replicate,
                reply.response,
                code(read.outcome),
                rules.setdefault(read.rule, len(rules)),
                LABELS.index(read.label),
                named,
                NOTHING if flag is None else int(flag),
            )
        )
    ordinal, replicate, response, outcome, rule, label, named_at, flagged = (
        np.array(rows, dtype=np.int64).reshape(-1, 8).T
    )
    return Grades(
        ordinal=ordinal,
        replicate=replicate,
        outcome=outcome.astype(np.uint8),
        chosen=np.full(len(ordinal), NOTHING),
        response=response,
        rule=rule.astype(np.uint16),
        rules=tuple(rules),
        admissions=Admissions(label, named_at, flagged, tuple(diagnoses)),
    )
