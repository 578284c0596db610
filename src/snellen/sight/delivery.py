"""Delivery: whether the images reached the model. Sending proves nothing, so the evidence is in the responses.

The evidence: the letters that the model read before the run (`canary`), and the server's input tokens for the same text
with an image and without. Then responses that say there is no image, failed requests with an image, and answers that
only an image can have changed. Organisms, models bundled with Snellen, need no such proof.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from snellen.conditions import ORIGINAL, ImageMismatched
from snellen.conditions.labels import arm_effects, read_label
from snellen.items import Item
from snellen.prompts import asked_blind, asked_under
from snellen.reading.missing_image import denies_image
from snellen.reading.outcomes import Outcome
from snellen.sight.canary import Arrival as Arrival
from snellen.sight.canary import Canary
from snellen.sight.tokens import TokenPair, flat, medians
from snellen.stats import mcnemar_exact, wilson
from snellen.store import Bill, Store
from snellen.stress.table import Grades, Table

TOLERATED = 0.05
"""The largest tolerated share of images that are not counted, or denied by responses."""
OVERRULED = " The images arrived all the same: these responses are the model's own error."
READ = 400
"""Responses, spread over the benchmark, that are searched for statements that there is no image."""
SURE = 0.001
"""Significance level for "answers are better with images" and "contradictory images are noticed"."""
FITTING = ImageMismatched(donor="none").label


@dataclass(frozen=True)
class Delivery:
    """Evidence on whether the images of one benchmark reached one model."""

    model: str
    benchmark: str
    pairs: int = 0
    """Pairs of responses to the same text with and without an image, both with token counts."""
    uncounted: int = 0
    """Pairs in which the image added fewer tokens than any image can have."""
    tokens_with: float | None = None
    tokens_without: float | None = None
    """Medians of the input tokens over the pairs."""
    flat: int | None = None
    """Tokens that each image added, if constant and few, as for a placeholder; otherwise None."""
    replies: int = 0
    """Responses to original questions that were searched for statements that there is no image."""
    denied: int = 0
    """Searched responses that say that there is no image."""
    answered_with: int = 0
    answered_without: int = 0
    failed_with: int = 0
    """Answered requests with and without an image, and failed requests with an image."""
    better: bool = False
    """True if answers are significantly better with the image than without."""
    noticed: bool = False
    """True if the model reliably distinguishes images that contradict the text from others."""
    served_by: Mapping[str, int] = field(default_factory=dict)
    """Other model names that the server reported, with the number of responses."""
    canary: Canary | None = None
    """What the model read in the letters before the run. None if it was shown none."""
    mislabelled: str = ""
    """How an imported file contradicts the names of its conditions; empty if it does not."""

    def is_of(self, model: str, benchmark: str) -> bool:
        """Return whether this evidence is for this model and benchmark."""
        return (self.model, self.benchmark) == (model, benchmark)

    @property
    def none_answered(self) -> bool:
        """True if every request with an image failed while some without one were answered."""
        return bool(self.failed_with and self.answered_without and not self.answered_with)

    @property
    def status(self) -> Arrival:
        """Conclusion from all the evidence: faults first, then letters, answers and token counts, and statements last.

        Letters that were read, or answers that only an image can have changed, show that images can reach the model.
        Token counts show that the images of the questions were sent. If responses deny an image, the result is
        "contradicted" with neither proof and "unknown" with one; with both, the denial is the model's own error.
        """
        if self.mislabelled or self.none_answered or (self.canary and self.canary.faults) or self._miscounted:
            return Arrival.CONTRADICTED
        if self._seen and self._counted:
            return Arrival.CONFIRMED
        if self._seen or (self._counted and self.canary is None):
            return Arrival.UNKNOWN if self._denied else Arrival.CONFIRMED
        return Arrival.CONTRADICTED if self._denied and not self._counted else Arrival.UNKNOWN

    @property
    def problem(self) -> str:
        """The problem in a few words, if the evidence contradicts delivery."""
        if self.mislabelled:
            return "the images sent contradict the names of the conditions"
        return "images seem not to have reached the model"

    @property
    def _letters_read(self) -> bool:
        return self.canary is not None and self.canary.read

    @property
    def _seen(self) -> bool:
        return self.better or self.noticed or self._letters_read

    @property
    def _denied(self) -> bool:
        return bool(self.denied) and wilson(self.denied, self.replies).low > TOLERATED

    @property
    def _counted(self) -> bool:
        return self.uncounted <= TOLERATED * self.pairs > 0 and self.flat is None

    @property
    def _miscounted(self) -> bool:
        """Whether token counts contradict delivery: images are not counted, or only as placeholders.

        Some servers never count images. So better answers overrule this, and so do letters that were read, unless the
        server counted the charts with those letters.
        """
        if TOLERATED * self.pairs < self.uncounted < self.pairs:
            return True
        charts = self.canary if self._letters_read else None
        never = 0 < self.pairs == self.uncounted and (charts is None or charts.counts_images)
        flat = self.flat is not None and (charts is None or charts.counts_by_size)
        return (never or flat) and not (self.better or self.noticed)

    @property
    def sentences(self) -> list[str]:
        """The evidence as sentences, the evidence against delivery first."""
        return list(self._sentences())

    def _sentences(self) -> Iterator[str]:
        if self.mislabelled:
            yield self.mislabelled
        if self.canary is not None and self.canary.faults:
            yield from (f"{fault[0].upper()}{fault[1:]}." for fault in self.canary.faults)
            yield from self.canary.sentences
        if self.none_answered:
            yield (
                f"All {self.failed_with:,} requests with an image failed, while {self.answered_without:,} without one "
                "were answered: the server or the model seems to accept no images."
            )
        first = self._denied and self.status is Arrival.CONTRADICTED
        if first:
            yield self._denial
        if self.pairs:
            counted = (
                f"For the same words the server counted {self.tokens_with:,.0f} input tokens with an image and "
                f"{self.tokens_without:,.0f} without (medians of {self.pairs:,} pairs)"
            )
            missing = f"; {self.uncounted:,} of {self.pairs:,} images are not in its count" if self.uncounted else ""
            yield f"{counted}{missing}."
            if self.flat is not None:
                yield f"Every image, large or small, added {self.flat:,} tokens, as a placeholder would."
        if self.better:
            yield f"Answers are better with the image than without (McNemar's exact test, p < {SURE})."
        if self.noticed:
            yield (
                "Images that contradict the words are distinguished from those that fit them "
                f"(McNemar's exact test, p < {SURE})."
            )
        if self.canary is not None and not self.canary.faults:
            yield from self.canary.sentences
        if self.denied and not first:
            yield f"{self._denial}{OVERRULED * (self._counted and self.status is Arrival.CONFIRMED)}"
        if self.status is Arrival.UNKNOWN:
            yield self._why_unknown
        elif self.status is Arrival.CONFIRMED and not self._seen:
            yield "This count is the only evidence that images arrived; no letters were shown before the run."

    @property
    def _denial(self) -> str:
        return f"{self.denied:,} of {self.replies:,} responses to questions sent with an image say there is none."

    @property
    def _why_unknown(self) -> str:
        if self._seen:
            return "Images reach the model, but token counts cannot show that every image of these questions did."
        if self.canary is not None and self.pairs:
            return "The server counts the images, but nothing shows that the model sees them: it read no letters."
        if self._counted:
            return "The server counts the images, but no letters were shown to check that the model sees them."
        counted = "" if self.pairs else " no token counts of the same text with and without an image, and"
        return f"Nothing shows whether images arrived:{counted} no significant gain in accuracy from the image."

    @property
    def doubt(self) -> str:
        """Doubt about a failed test if images may not have arrived; else "".

        An organism (a model bundled with Snellen) runs in this process, so no server can lose its images.
        """
        if self.status is not Arrival.UNKNOWN or self.model.startswith("organism/"):
            return ""
        proof = self._seen or (self._counted and self.canary is None)
        why = self._denial.removesuffix(".") if proof else "Nothing shows that images reached the model"
        return f"{why}: a failed test may be due to the server, not the model."

    @property
    def other_name(self) -> str:
        """Sentence that names the server's model; "" if it is the requested one."""
        named = ", ".join(f"{name!r} ({count:,} responses)" for name, count in self.served_by.items())
        return f"The server says that another model answered: {named}." if named else ""

    def record(self) -> dict[str, Any]:
        """Return the evidence as plain values, for results.json."""
        shown = self.canary
        read = shown and {**shown.record(), "status": shown.status, "faults": list(shown.faults), "luck": shown.luck}
        evidence = [*self.sentences, *filter(None, [self.other_name])]
        return {**asdict(self), "canary": read, "status": self.status, "doubt": self.doubt, "evidence": evidence}


def deliveries(store: Store, study: Mapping[str, Any], tables: Mapping[tuple[str, str], Table]) -> list[Delivery]:
    """Return the evidence of delivery for every model and benchmark with images."""
    revisions = dict(study["models"])
    sizes = store.images.sizes()
    found = []
    for (model, benchmark), table in tables.items():
        arms = {arm: store.studies.arm(digest)[0] for arm, digest in study["arms"][benchmark].items()}
        made = _delivery(store, store.studies.model_number(model, revisions[model]), table, arms, sizes, study)
        if made is not None:
            found.append(made)
    return found


def _count_failed_with_image(store: Store, model: int, arm: int) -> int:
    """Count the calls with an image that failed and never succeeded."""
    shown = set(store.variants.with_images(arm))
    return sum(ordinal in shown for ordinal, *_ in store.responses.failed_cells(model, arm))


def _delivery(
    store: Store, number: int, table: Table, arms: Mapping[str, int], sizes: Mapping[str, int], study: Mapping[str, Any]
) -> Delivery | None:
    """Return the evidence for one table. None if the benchmark is not known to send images."""
    imported = "imported" in study
    of_arm = {name: list(store.responses.bills(number, arm)) for name, arm in arms.items()}
    bills = [bill for each in of_arm.values() for bill in each]
    failed_with = sum(_count_failed_with_image(store, number, arm) for arm in arms.values())
    with_image = sum(bool(bill.images) for bill in bills)
    seen = asked_under(ORIGINAL.name, arms)
    alike = [arm for arm in arms if read_label(arm).ways == read_label(seen).ways]
    unseen = asked_blind(alike, images=("none",), like=seen)
    shown = None if imported else canary_of(store, number, asked=bool(bills))
    stopped = shown is not None and not bills and any(store.variants.with_images(arm) for arm in arms.values())
    if not (with_image or failed_with or stopped or (imported and seen)):
        return None
    pairs = list(_pairs(bills, sizes))
    if imported and not pairs:
        pairs = _pair_without_images(of_arm.get(seen, []), of_arm.get(unseen, []))
    names = Counter(bill.served_by for bill in bills if bill.served_by)
    asked_as = study.get("asked_as", {}).get(table.model, {}).get("model", table.model)
    replies, denied = _denials(store, number, arms.get(seen), table.items, sent_only=not imported)
    tokens_with, tokens_without = medians(pairs) if pairs else (None, None)
    return Delivery(
        model=table.model,
        benchmark=table.benchmark,
        pairs=len(pairs),
        uncounted=sum(not pair.counted for pair in pairs),
        tokens_with=tokens_with,
        tokens_without=tokens_without,
        flat=flat(pairs),
        replies=replies,
        denied=denied,
        answered_with=with_image,
        answered_without=len(bills) - with_image if with_image or failed_with else 0,
        failed_with=failed_with,
        better=_better(table.arms.get(seen), table.arms.get(unseen)),
        noticed=_notices_contradictions(table),
        served_by={name: n for name, n in names.most_common() if not same_model(asked_as, name)},
        canary=shown,
        mislabelled=" ".join(study.get("contradictions", {}).get(table.benchmark, ())),
    )


def canary_of(store: Store, model: int, *, asked: bool) -> Canary | None:
    """Return the canary of a model's latest run, or the latest one that contradicted delivery. None without any.

    A canary that stopped its run counts only if the model was not `asked` anything.
    """
    found = [Canary.from_record(record) for record in store.studies.canaries(model)]
    against = [each for each in found if each.status is Arrival.CONTRADICTED and (each.accepted or not asked)]
    heeded = against or [each for each in found if each.status is not Arrival.CONTRADICTED]
    return heeded[-1] if heeded else None


def _pairs(bills: Sequence[Bill], sizes: Mapping[str, int]) -> Iterator[TokenPair]:
    counted = [bill for bill in bills if bill.input_tokens is not None]
    # a server that counts 0 tokens for a text does not count tokens
    alone = {bill[:3]: bill.input_tokens for bill in counted if bill.input_tokens and not bill.images}
    for bill in counted:
        if bill.images and (without := alone.get(bill[:3])) is not None:
            pixels = tuple(sizes.get(each, 0) for each in bill.images)
            yield TokenPair(bill.input_tokens or 0, without, pixels, bill.image_tokens)


def _pair_without_images(seen: Sequence[Bill], unseen: Sequence[Bill]) -> list[TokenPair]:
    """Pair the tokens of imported responses under the original with those under the image-removed condition.

    Questions for which the image adds no tokens may have had no image. They are left out unless all are so.
    """
    alone = {bill[:3]: bill.input_tokens for bill in unseen if bill.input_tokens and not bill.images}
    pairs = [
        TokenPair(bill.input_tokens, without, (0,), bill.image_tokens)
        for bill in seen
        if not bill.images and bill.input_tokens is not None and (without := alone.get(bill[:3])) is not None
    ]
    return [pair for pair in pairs if pair.counted] or pairs


def _denials(store: Store, model: int, arm: int | None, items: Sequence[Item], *, sent_only: bool) -> tuple[int, int]:
    """Count the responses that were searched, and those that deny the original image.

    Imported responses may have had images that their file does not contain, so all of them are searched.
    """
    if arm is None:
        return 0, 0
    sent = set(store.variants.with_images(arm)) if sent_only else range(len(items))
    runs = [
        run
        for run in map(tuple, store.responses.load_answered(model, arm).tolist())
        if run[0] in sent and run[0] < len(items)
    ]
    chosen = set(runs[:: -(-len(runs) // READ) or 1])
    replies = store.responses.replies(model, arm, {ordinal for ordinal, _ in chosen})
    spread = [reply for reply in replies if (reply.ordinal, reply.replicate) in chosen]
    return len(spread), sum(denies_image(reply.text, items[reply.ordinal].question) for reply in spread)


def _better(seen: Grades | None, unseen: Grades | None) -> bool:
    """Return whether significantly more answers are correct with the image than without."""
    return _surely_more(seen, Outcome.CORRECT, unseen, Outcome.CORRECT)


def _notices_contradictions(table: Table) -> bool:
    """Return whether contradictions are named for another patient's image but not for the original."""
    control = table.arms.get(FITTING)
    shown = (grades for arm, grades in table.arms.items() if arm_effects(arm).truth == "contradicted")
    return any(_surely_more(grades, Outcome.CORRECT, control, Outcome.WRONG) for grades in shown)


def _surely_more(many: Grades | None, outcome: Outcome, few: Grades | None, counterpart: Outcome) -> bool:
    """Return whether an outcome is significantly more frequent than its counterpart, in first repeats."""
    if many is None or few is None:
        return False
    first, second = (
        dict(zip(each.ordinal[each.replicate == 0], each.is_(kind)[each.replicate == 0], strict=True))
        for each, kind in ((many, outcome), (few, counterpart))
    )
    both = sorted(first.keys() & second.keys())
    a, b = [second[at] for at in both], [first[at] for at in both]
    return bool(sum(b) > sum(a)) and mcnemar_exact(a, b) < SURE


_VERSION = re.compile(r"(?:[-@:](?:\d{3,}[\w.-]*|latest))?")
"""What a server may append to the requested model name: a date, a build, or the word latest."""


IN_THIS_PROCESS = ("hf/", "vllm/", "clip/")
PACKAGES = ("transformers ", "vllm ", "open_clip ")
"""Names in `served_by` of models that run in this process."""


def same_model(asked: str, served: str) -> bool:
    """Return whether the server's name means the requested model or a version of it.

    >>> same_model("openai/gpt-4o", "gpt-4o-2024-11-20"), same_model("openai/Qwen/Qwen2-VL-7B", "qwen2-vl-7b")
    (True, True)
    >>> same_model("openai/gpt-4", "gpt-4o-mini")
    False

    A model that is computed in this process is served by the package that computes it.

    >>> same_model("hf/models/my-vlm", "transformers 5.23.0 on cpu"), same_model("openai/x", "vllm 0.10.2")
    (True, False)
    """
    if asked.startswith(IN_THIS_PROCESS) and served.startswith(PACKAGES):
        return True
    wanted, got = (name.lower().rpartition("/")[2] for name in (asked, served))
    return got.startswith(wanted) and _VERSION.fullmatch(got[len(wanted) :]) is not None
