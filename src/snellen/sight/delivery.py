"""Delivery: did the images reach the model? What we sent proves nothing, so the evidence is what came back.

The input tokens speak that the server counted for the same words with an image and without, the responses that say
there is no image although one was sent, whether requests with an image were answered at all, and answers that only an
image can have changed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np

from snellen.conditions import IMAGE_REMOVED, ORIGINAL, ImageMismatched
from snellen.grading.missing_image import Admission, read_admission
from snellen.grading.outcomes import Outcome
from snellen.items import Item
from snellen.prompts import asked_under
from snellen.stats import mcnemar_exact, wilson
from snellen.store import Bill, Store
from snellen.stress.table import Grades, Table

TOLERATED = 0.05
"""The share of images that may be uncounted, or denied by the responses, before verdicts are withheld."""
FEWEST_TOKENS = 8
"""No server counts fewer tokens for an image, unless it is so small that PATCH says so."""
PATCH = 28 * 28
"""Pixels that the most frugal models make one token of."""
READ = 400
"""So many responses, spread over the benchmark, are read for whether they say that there is no image."""
SURE = 0.001
"""The images arrived if answers are better with them, or contradictory ones are noticed, at this level."""
FITTING = ImageMismatched(donor="none").label
CONTRADICTING = (ImageMismatched(donor="anatomy").label, ImageMismatched(donor="modality").label)


class Arrival(StrEnum):
    """Whether images arrived."""

    CONFIRMED = "confirmed"
    CONTRADICTED = "contradicted"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Delivery:
    """What is known of the images that were sent to one model with one benchmark."""

    model: str
    benchmark: str
    pairs: int = 0
    """Responses to the same words with an image and without, both with input tokens counted by the server."""
    uncounted: int = 0
    """Those pairs in which the image added fewer tokens than any image can have."""
    tokens_with: float | None = None
    tokens_without: float | None = None
    """The medians over the pairs."""
    replies: int = 0
    """Responses to the questions as they are that were read for whether they say that there is no image."""
    denied: int = 0
    """How many of them say so."""
    answered_with: int = 0
    answered_without: int = 0
    failed_with: int = 0
    """Requests with and without an image that were answered, and those with one that failed."""
    better: bool = False
    """Whether the answers are surely better with the image than without."""
    noticed: bool = False
    """Whether images that contradict the words are surely told from those that fit them."""
    served_by: Mapping[str, int] = field(default_factory=dict)
    """The names that the server gave for its model where they differ from the one asked for, and how often."""

    def is_of(self, model: str, benchmark: str) -> bool:
        """Whether it speaks of this model and benchmark."""
        return (self.model, self.benchmark) == (model, benchmark)

    @property
    def none_answered(self) -> bool:
        """Whether every request with an image failed while some without one were answered."""
        return bool(self.failed_with and self.answered_without and not self.answered_with)

    @property
    def status(self) -> Arrival:
        """What the evidence amounts to."""
        if self.none_answered or self._denied or self._partly_counted or self._never_counted:
            return Arrival.CONTRADICTED
        return Arrival.CONFIRMED if self.better or self.noticed or self.pairs else Arrival.UNKNOWN

    @property
    def _denied(self) -> bool:
        return bool(self.denied) and wilson(self.denied, self.replies).low > TOLERATED

    @property
    def _partly_counted(self) -> bool:
        return TOLERATED * self.pairs < self.uncounted < self.pairs

    @property
    def _never_counted(self) -> bool:
        """Some servers leave images out of their count: answers that are better with the image overrule it."""
        return 0 < self.pairs == self.uncounted and not (self.better or self.noticed)

    @property
    def sentences(self) -> list[str]:
        """The evidence in words, what speaks against delivery first."""
        return list(self._sentences())

    def _sentences(self) -> Iterator[str]:
        if self.none_answered:
            yield (
                f"All {self.failed_with:,} requests with an image failed, while {self.answered_without:,} without one "
                "were answered: the server or the model seems to accept no images."
            )
        if self.denied:
            yield f"{self.denied:,} of {self.replies:,} responses to questions sent with an image say there is none."
        if self.pairs:
            counted = (
                f"For the same words the server counted {self.tokens_with:,.0f} input tokens with an image and "
                f"{self.tokens_without:,.0f} without (medians of {self.pairs:,} pairs)"
            )
            missing = f"; {self.uncounted:,} of {self.pairs:,} images are not in its count" if self.uncounted else ""
            yield f"{counted}{missing}."
        if self.better:
            yield f"Answers are better with the image than without (McNemar's exact test, p < {SURE})."
        if self.noticed:
            yield (
                "Images that contradict the words are told from those that fit them "
                f"(McNemar's exact test, p < {SURE})."
            )
        if self.status is Arrival.UNKNOWN:
            yield (
                "Nothing shows whether images arrived: no tokens were counted for the same words with an image and "
                "without, and no answers are surely better for the image."
            )

    @property
    def other_name(self) -> str:
        """A sentence that names the server's model where it differs from the one asked for; empty where it does not."""
        named = ", ".join(f"{name!r} ({count:,} responses)" for name, count in self.served_by.items())
        return f"The server says that another model answered: {named}." if named else ""

    def record(self) -> dict[str, Any]:
        """The same as plain values, for results.json."""
        return {**asdict(self), "status": self.status, "evidence": [*self.sentences, *filter(None, [self.other_name])]}


def deliveries(store: Store, study: Mapping[str, Any], tables: Mapping[tuple[str, str], Table]) -> list[Delivery]:
    """What is known of the images of every model and benchmark that were sent any, or may have been."""
    revisions = dict(study["models"])
    sizes = store.image_sizes()
    found = []
    for (model, benchmark), table in tables.items():
        arms = {arm: store.arm(digest)[0] for arm, digest in study["arms"][benchmark].items()}
        made = _delivery(store, store.model(model, revisions[model]), table, arms, sizes, "imported" in study)
        if made is not None:
            found.append(made)
    return found


def _delivery(
    store: Store, number: int, table: Table, arms: Mapping[str, int], sizes: Mapping[str, int], imported: bool
) -> Delivery | None:
    """None where the benchmark sends no images, as far as is known."""
    bills = [bill for arm in arms.values() for bill in store.bills(number, arm)]
    failed_with = sum(store.failed_with_image(number, arm) for arm in arms.values())
    with_image = sum(bool(bill.images) for bill in bills)
    seen = asked_under(ORIGINAL.name, arms)
    if not (with_image or failed_with or (imported and seen)):
        return None
    pairs = list(_pairs(bills, sizes))
    names = Counter(bill.served_by for bill in bills if bill.served_by)
    replies, denied = _denials(store, number, arms.get(seen), table.items, sent_only=not imported)
    medians = np.median([(pair.tokens, pair.without) for pair in pairs], axis=0) if pairs else (None, None)
    return Delivery(
        model=table.model,
        benchmark=table.benchmark,
        pairs=len(pairs),
        uncounted=sum(not pair.counted for pair in pairs),
        tokens_with=medians[0],
        tokens_without=medians[1],
        replies=replies,
        denied=denied,
        answered_with=with_image,
        answered_without=len(bills) - with_image if with_image or failed_with else 0,
        failed_with=failed_with,
        better=_better(table.arms.get(seen), table.arms.get(seen.replace(ORIGINAL.name, IMAGE_REMOVED.name, 1))),
        noticed=_noticed(table),
        served_by={name: n for name, n in names.most_common() if not same_model(table.model, name)},
    )


class _Pair(NamedTuple):
    """The same words with an image and without: the tokens of each, and whether the image is in the count."""

    tokens: int
    without: int
    counted: bool


def _pairs(bills: Sequence[Bill], sizes: Mapping[str, int]) -> Iterator[_Pair]:
    counted = [bill for bill in bills if bill.input_tokens is not None]
    alone = {bill[:3]: bill.input_tokens for bill in counted if not bill.images}
    for bill in counted:
        if bill.images and (without := alone.get(bill[:3])) is not None:
            least = sum(max(1, min(FEWEST_TOKENS, sizes.get(each, 0) // PATCH)) for each in bill.images)
            tokens = bill.input_tokens or 0
            yield _Pair(tokens, without, tokens - without >= least or bool(bill.image_tokens))


def _denials(store: Store, model: int, arm: int | None, items: Sequence[Item], *, sent_only: bool) -> tuple[int, int]:
    """How many responses to the questions as they are were read, and how many of them say that there is no image.

    Imported responses may have had images that their file does not hold, so all of them are read.
    """
    if arm is None:
        return 0, 0
    sent = {at for at, asked in store.asked(arm).items() if asked.images} if sent_only else range(len(items))
    replies = [reply for reply in store.replies(model, arm) if reply.ordinal in sent and reply.ordinal < len(items)]
    spread = replies[:: -(-len(replies) // READ) or 1]
    read = (read_admission(reply.text, items[reply.ordinal].question) for reply in spread)
    return len(spread), sum(each.label is Admission.MISSING for each in read)


def _better(seen: Grades | None, unseen: Grades | None) -> bool:
    """Whether more answers are right with the image than without, far beyond chance."""
    return _surely_more(seen, Outcome.CORRECT, unseen, Outcome.CORRECT)


def _noticed(table: Table) -> bool:
    """Whether contradictions are named where the image is another patient's, and not where it is the right one."""
    control = table.arms.get(FITTING)
    shown = (table.arms.get(arm) for arm in CONTRADICTING)
    return any(_surely_more(grades, Outcome.CORRECT, control, Outcome.WRONG) for grades in shown)


def _surely_more(many: Grades | None, outcome: Outcome, few: Grades | None, counterpart: Outcome) -> bool:
    """Whether an outcome is far more frequent than its counterpart on the same items; the first run of each item."""
    if many is None or few is None:
        return False
    first, second = (
        dict(zip(each.ordinal[each.replicate == 0], each.is_(kind)[each.replicate == 0], strict=True))
        for each, kind in ((many, outcome), (few, counterpart))
    )
    both = sorted(first.keys() & second.keys())
    a, b = [second[at] for at in both], [first[at] for at in both]
    return sum(b) > sum(a) and mcnemar_exact(a, b) < SURE


_VERSION = re.compile(r"(?:[-@:](?:\d{3,}[\w.-]*|latest))?")
"""What a server may add to the name it was asked for: a date, a build, the word latest."""


def same_model(asked: str, served: str) -> bool:
    """Whether a server's name for its model is the one it was asked for, or a version of it.

    >>> same_model("openai/gpt-4o", "gpt-4o-2024-11-20"), same_model("openai/Qwen/Qwen2-VL-7B", "qwen2-vl-7b")
    (True, True)
    >>> same_model("openai/gpt-4", "gpt-4o-mini")
    False
    """
    wanted, got = (name.lower().rpartition("/")[2] for name in (asked, served))
    return got.startswith(wanted) and _VERSION.fullmatch(got[len(wanted) :]) is not None
