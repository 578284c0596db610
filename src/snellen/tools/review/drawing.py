"""Drawing: selects the responses and questions of a study that raters review.

| task | drawn from | shown | strata |
|---|---|---|---|
| verdict | responses to open questions with a reference answer (models without vision: asked in words) | question, reference, response, original images | benchmark, category |
| rationale | responses with reasons to questions with options, about the item's own case | question, right answer, response, images as sent | benchmark, condition |
| profile | questions | question, original images | benchmark |
| reference | open questions | question, original images | benchmark, category |
| mend | questions that an audit doubts | question, right answer, the audit's doubts, original images | benchmark |
| missing-image | responses to questions whose image was not sent | question, response | model, condition |
| quality | responses to questions if an image is normal | question, response | benchmark, condition |
| mismatch | responses to questions whose text and image may contradict each other | question, response, images as sent | benchmark, condition |
| premise | responses to questions with a premise, which may be false | question, response | benchmark, condition |
| honest | responses with the original image, without one and with a blank one | question, response | benchmark, model, condition |

The category of a pathway's question is its task. An empty or truncated response is shown unchanged, with a note; a
failed call has no response. A model's thinking before its answer is not shown. A draw takes as many different items as
possible, then models and conditions, and further repeats last. The task honest takes a simple random sample of
each stratum instead, because its labels correct the shares of a verdict.
"""  # noqa: E501 - a table

from __future__ import annotations

import hashlib
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import groupby
from math import ceil
from typing import Any, NamedTuple

from snellen.asking.asked import limit_asked, read_by
from snellen.conditions import ORIGINAL, ReportForImage
from snellen.conditions.labels import arm_effects
from snellen.errors import ImageError, StudyError
from snellen.images.roles import in_series
from snellen.items import CHOICE, LETTERS, WITHOUT_IMAGE, Item
from snellen.judging.rubric import is_about_own_case
from snellen.judging.single import counts
from snellen.judging.source import images_asked_with
from snellen.models.base import CUT_OFF, FILTERED, ZERO_SHOT
from snellen.plugins import did_you_mean
from snellen.prompts import MISMATCH, asked_blind, asked_under
from snellen.prompts.told_images import roles_told
from snellen.reading.language.cleaning import still_thinking, strip_thinking
from snellen.reading.parsers import OPEN
from snellen.store import Store, StoredItem, StoredResponse, as_changed
from snellen.tools.review.blinding import Blinder
from snellen.tools.review.case import RESPONSE, BlindCase, BlindImage, CasePassage, DrawnCase, Subject
from snellen.tools.review.task import ReviewTask
from snellen.tools.review.tasks.mend import DOUBTS

STRATA = ("benchmark", "category", "model", "arm")
"""Properties by which cases can be grouped into strata."""
FEWEST_WORDS = 8
"""Minimum words of a response that counts as giving reasons."""
UNAVAILABLE = "The image is not available here."
ENDED = {
    "empty": "(The response is empty.)",
    "held back": "(No words came: the response was held back.)",
    "cut off": "(The response ended here: cut off.)",
    "stopped": "(The response ended here: held back.)",
}
"""Notes shown below a response that is empty or incomplete, by how it ended."""
NOTE, IMAGE = "Note", "Image"
"""Titles of passages with a note on the response, or on a missing image."""


@dataclass(frozen=True, kw_only=True)
class DrawingPlan:
    """Settings of a draw: the cases per stratum, and the raters per case.

    `each` (cases per stratum) and `raters` (per case) default to the task's. `overlap` is the share of cases that
    get all those raters; the others get one. `models` and `arms` restrict the draw; empty means all. The
    same seed draws the same cases; a higher `each` adds to them.
    """

    each: int | None = None
    raters: int | None = None
    overlap: float = 1.0
    seed: int = 0
    by: tuple[str, ...] | None = None
    models: tuple[str, ...] = ()
    arms: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("each", "raters"):
            if (given := getattr(self, name)) is not None and given < 1:
                raise StudyError(f"Expected {name} to be at least 1, got {given}.")
        if not 0 <= self.overlap <= 1:
            raise StudyError(f"Expected the overlap to be a share from 0 to 1, got {self.overlap}.")
        for name in self.by or ():
            if name not in STRATA:
                hint = did_you_mean(name, STRATA)
                raise StudyError(f"Cases can be drawn by {', '.join(STRATA)}; got {name!r}.{hint}")

    @property
    def record(self) -> dict[str, Any]:
        """The plan as JSON."""
        found = {name: getattr(self, name) for name in ("each", "raters", "overlap", "seed")}
        return {**found, **{name: list(getattr(self, name) or ()) for name in ("by", "models", "arms")}}

    def with_defaults(self, task: ReviewTask) -> DrawingPlan:
        """Return the plan with the task's defaults filled in."""
        by = _RULES[task.name].by if self.by is None else self.by
        return replace(self, each=self.each or task.each, raters=self.raters or task.raters, by=by)


@dataclass(frozen=True)
class DrawnSample:
    """The drawn cases of a task, and how they were drawn."""

    cases: tuple[DrawnCase, ...]
    plan: DrawingPlan
    strata: Mapping[str, tuple[int, int]]
    """Cases drawn and cases available, by stratum."""
    left_out: Mapping[str, int]
    """Number of responses that do not qualify, by reason."""
    blinded: int
    """Number of cases from which a name was removed."""
    among: tuple[tuple[str, str, str, str, int, int, int], ...] = ()
    """Ranges that a simple random sample was drawn from; empty for other tasks.

    Each has benchmark, model, revision, arm, repeat, first item, and last item + 1.
    """

    @property
    def record(self) -> dict[str, Any]:
        """The plan and the resulting counts, as JSON."""
        strata = [{"stratum": name, "drawn": drawn, "of": of} for name, (drawn, of) in self.strata.items()]
        counted = {"cases": len(self.cases), "blinded": self.blinded, "left_out": dict(self.left_out)}
        among = {"among": [list(each) for each in self.among]} if self.among else {}
        return {**self.plan.record, "strata": strata, **counted, **among}


class _Place(NamedTuple):
    """Origin of a case: a response or, without a model, a question."""

    benchmark: str
    ordinal: int
    model: tuple[str, str] = ("", "")
    arm: str = ""
    replicate: int = 0

    @property
    def cell(self) -> tuple[str, int, tuple[str, str], str]:
        """The origin without the repeat."""
        return self[:4]


class _Offer(NamedTuple):
    """Facts that decide whether a response qualifies for a task."""

    kind: str
    arm: str
    reply: StoredResponse
    asked: StoredItem
    original: Sequence[str]
    known: bool = True
    """Whether the benchmark's original images are known; they may not be after an import."""


@dataclass(frozen=True)
class _Rule:
    """The responses or questions that a task uses, and the default strata.

    `find_obstacle` returns the reason why a response does not qualify, or an empty string.
    """

    by: tuple[str, ...]
    kinds: tuple[str, ...]
    arms: Callable[[Sequence[str], bool], Iterable[str]] = lambda arms, text_only: arms
    """Select the arms to draw from, given all arms and whether the model lacks vision."""
    find_obstacle: Callable[[_Offer], str] = lambda offer: ""
    accepts: Callable[[Item], bool] = lambda item: True
    responses: bool = True
    reference: bool = False
    images: str = ""
    """Images to show: `original`, `sent`, or none."""
    simple: bool = False
    """Whether each stratum gets a simple random sample."""
    quote: Callable[[Item], Sequence[CasePassage]] = lambda item: ()
    """Return more passages about the item for the rater."""


def draw_sample(
    store: Store, study: Mapping[str, Any], task: ReviewTask, plan: DrawingPlan | None = None
) -> DrawnSample:
    """Draw the cases of a task from a study; raise StudyError if there are none."""
    plan = (plan or DrawingPlan()).with_defaults(task)
    _check_names(study, plan)
    held = _StudyCases(store, study)
    left_out: Counter[str] = Counter()
    strata: dict[str, list[_Place]] = defaultdict(list)
    for place in held.places(_RULES[task.name], plan, left_out):
        strata[held.stratum(place, plan.by or ())].append(place)
    if not strata:
        reasons = "; ".join(f"{reason}: {count:,}" for reason, count in left_out.most_common())
        others = f" Responses left out: {reasons}." if reasons else ""
        raise StudyError(
            f"The study has nothing for the task {task.name!r}, which is about {_ABOUT[task.name]}.{others} Choose "
            "another task, or another study of this folder with --study."
        )
    cases: list[DrawnCase] = []
    blinded = 0
    counted: dict[str, tuple[int, int]] = {}
    for name, places in sorted(strata.items()):
        seed = hashlib.sha256(f"{plan.seed}\0{task.name}\0{name}".encode()).digest()
        choose = _sample if _RULES[task.name].simple else _spread
        chosen = choose(places, plan.each or 0, random.Random(seed))
        counted[name] = (len(chosen), len(places))
        for number, place in enumerate(chosen):
            case, changed = held.case(place, task, name, _readers(plan, number))
            cases.append(case)
            blinded += changed
    # Shuffle, so that a case's number does not reveal its stratum.
    random.Random(f"{plan.seed}\0{task.name}").shuffle(cases)
    every = [place for places in strata.values() for place in places] if _RULES[task.name].simple else []
    return DrawnSample(tuple(cases), plan, counted, dict(left_out), blinded, tuple(_list_ranges(every)))


def _list_ranges(places: Sequence[_Place]) -> Iterator[tuple[str, str, str, str, int, int, int]]:
    """Merge origins into ranges of items per benchmark, model, arm and repeat."""
    for (benchmark, model, arm, replicate), same in groupby(
        sorted(places, key=_in_ranges), lambda at: _in_ranges(at)[:4]
    ):
        ordinals = enumerate(place.ordinal for place in same)
        for _, run in groupby(ordinals, lambda each: each[1] - each[0]):
            first, *others = (ordinal for _, ordinal in run)
            yield benchmark, *model, arm, replicate, first, (others or [first])[-1] + 1


def _in_ranges(place: _Place) -> tuple[str, tuple[str, str], str, int, int]:
    return place.benchmark, place.model, place.arm, place.replicate, place.ordinal


def _readers(plan: DrawingPlan, number: int) -> int:
    """Return the number of raters of a stratum's case; shared cases are spread evenly."""
    shared = ceil((number + 1) * plan.overlap - 1e-9) > ceil(number * plan.overlap - 1e-9)
    return (plan.raters or 1) if shared else 1


def _check_names(study: Mapping[str, Any], plan: DrawingPlan) -> None:
    """Raise StudyError if the plan names a model or condition that the study lacks."""
    models = [name for name, _ in study["models"]]
    arms = list(dict.fromkeys(arm for each in study["arms"].values() for arm in each))
    for what, named, known in (("model", plan.models, models), ("condition", plan.arms, arms)):
        if strange := [name for name in named if name not in known]:
            hint = did_you_mean(strange[0], known)
            raise StudyError(f"The study has no {what} {strange[0]!r}.{hint} It has: {', '.join(known)}.")


def _sample(places: Sequence[_Place], most: int, rng: random.Random) -> list[_Place]:
    """Draw a simple random sample; a larger sample contains the smaller one."""
    order = sorted(places)
    rng.shuffle(order)
    return order[:most]


def _spread(places: Sequence[_Place], most: int, rng: random.Random) -> list[_Place]:
    """Select origins with as many different items as possible, then models and arms, then repeats."""
    runs: dict[Any, list[_Place]] = defaultdict(list)
    for place in sorted(places):
        runs[place.cell].append(place)
    for same in runs.values():
        rng.shuffle(same)
    chosen: list[_Place] = []
    used: Counter[Any] = Counter()
    for turn in range(max(map(len, runs.values()))):
        by_item: dict[tuple[str, int], list[_Place]] = defaultdict(list)
        for cell, same in runs.items():
            if turn < len(same):
                by_item[cell[:2]].append(same[turn])
        for waiting in by_item.values():
            rng.shuffle(waiting)
        order = list(by_item)
        rng.shuffle(order)
        while order:
            for item in order:
                if len(chosen) == most:
                    return chosen
                waiting = by_item[item]
                place = min(waiting, key=lambda each: (used[each.model] + used[each.arm], used[each.model]))
                waiting.remove(place)
                used.update((place.model, place.arm))
                chosen.append(place)
            order = [item for item in order if by_item[item]]
    return chosen


class _StudyCases:
    """The parts of a study's store that cases need."""

    def __init__(self, store: Store, study: Mapping[str, Any]) -> None:
        self._store = store
        self._study = study
        self._items = cache(lambda benchmark: store.studies.benchmark(study["benchmarks"][benchmark]).items)
        self._arm = cache(lambda benchmark, arm: store.studies.arm(study["arms"][benchmark][arm]))
        self._asked = cache(store.variants.load_items)
        self._original = cache(self._find_original)
        self._asked_once = cache(lambda arm, ordinal: store.variants.load_items(arm, [ordinal]).get(ordinal))

    @cached_property
    def _blinder(self) -> Blinder:
        numbers = (self._store.studies.model_number(*model) for model in self._study["models"])
        served = {name for number in numbers for name in self._store.responses.served_by(number)}
        items = (item for benchmark in self._study["benchmarks"] for item in self._items(benchmark))
        texts = (
            text
            for item in items
            for text in (item.question, item.context, *(option.text for option in item.options), *item.references)
        )
        return Blinder.from_study(self._study, served, texts)

    def stratum(self, place: _Place, by: Sequence[str]) -> str:
        item: Item = self._items(place.benchmark)[place.ordinal]
        category = str(item.metadata.get("task") or item.category)
        parts = {"benchmark": place.benchmark, "category": category, "model": place.model[0], "arm": place.arm}
        return " · ".join(parts[name] for name in by if parts[name]) or "all"

    def places(self, rule: _Rule, plan: DrawingPlan, left_out: Counter[str]) -> Iterator[_Place]:
        """Yield every response or question of the study that qualifies for a task."""
        for benchmark in self._study["benchmarks"]:
            arms = {arm: self._arm(benchmark, arm) for arm in self._study["arms"][benchmark]}
            of_kind = [arm for arm, (_, record) in arms.items() if read_by(record) in rule.kinds]
            if not rule.responses:
                yield from self._questions(benchmark, of_kind, rule)
                continue
            for model in self._study["models"]:
                if plan.models and model[0] not in plan.models:
                    continue
                text_only = model[0] in self._study.get("text_only", ())
                named = [arm for arm in of_kind if arm in plan.arms]
                for arm in named if plan.arms else rule.arms(of_kind, text_only):
                    yield from self._responses(benchmark, arm, rule, tuple(model), left_out)

    def _questions(self, benchmark: str, arms: Sequence[str], rule: _Rule) -> Iterator[_Place]:
        asked = {at for arm in arms for at in self._store.variants.changes(self._arm(benchmark, arm)[0])}
        limit, items = limit_asked(self._study, benchmark), self._items(benchmark)
        for ordinal in sorted(asked):
            if (limit is None or ordinal < limit) and ordinal < len(items) and rule.accepts(items[ordinal]):
                yield _Place(benchmark, ordinal)

    def _responses(
        self, benchmark: str, arm: str, rule: _Rule, model: tuple[str, str], left_out: Counter[str]
    ) -> Iterator[_Place]:
        items, (number, record) = self._items(benchmark), self._arm(benchmark, arm)
        asked = self._asked(number)
        original = self._original(benchmark)
        known = any(original.values())
        for reply in self._store.responses.replies(self._store.studies.model_number(*model), number):
            if reply.ordinal not in asked or not counts(self._study, benchmark, reply.ordinal, reply.replicate):
                continue
            put = asked[reply.ordinal]
            item = as_changed(items[reply.ordinal], put.changed)
            if not rule.accepts(item):
                continue
            offer = _Offer(read_by(record), arm, reply, put, original.get(reply.ordinal, ()), known)
            if reason := rule.find_obstacle(offer):
                left_out[reason] += 1
            else:
                yield _Place(benchmark, reply.ordinal, model, arm, reply.replicate)

    def _find_original(self, benchmark: str) -> Mapping[int, Sequence[str]]:
        arms = self._study["arms"][benchmark]
        name = asked_under(ORIGINAL.name, arms)
        return self._store.variants.load_image_hashes(self._arm(benchmark, name)[0]) if name else {}

    # Content of a case ------------------------------------------------------------------------------------------------

    def case(self, place: _Place, task: ReviewTask, stratum: str, wanted: int) -> tuple[DrawnCase, bool]:
        """Build a case for raters, and return whether a name was removed."""
        rule = _RULES[task.name]
        item: Item = self._items(place.benchmark)[place.ordinal]
        asked = None
        if rule.responses:
            number, _ = self._arm(place.benchmark, place.arm)
            asked = self._store.variants.load_items(number, [place.ordinal])[place.ordinal]
            item = as_changed(item, asked.changed)
        titled, images, missing = self._images(place, rule, asked)
        passages = [
            *(_references(item) if rule.reference else ()),
            *rule.quote(item),
            *(_quote_response(self._reply(place)) if rule.responses else ()),
            *([CasePassage(IMAGE, UNAVAILABLE)] if missing else ()),
        ]
        whole = BlindCase(
            "", task.name, item.question, item.context,
            tuple(f"{letter}. {option.text}" for letter, option in zip(LETTERS, item.options, strict=False)),
            tuple(passages), titled,
        )  # fmt: skip
        shown = self._blind(whole, item.id)
        name, revision = place.model
        subject = Subject(
            place.benchmark, item.id, place.ordinal, stratum, name, revision, place.arm, place.replicate, item.cluster
        )
        return DrawnCase(shown, subject, images, wanted), shown != whole

    def _blind(self, case: BlindCase, item_id: str) -> BlindCase:
        def blind(text: str) -> str:
            return self._blinder.blind(text, item_id)

        return replace(
            case, question=blind(case.question), context=blind(case.context), options=tuple(map(blind, case.options)),
            passages=tuple(each._replace(text=blind(each.text)) for each in case.passages),
            images=tuple(each._replace(title=blind(each.title)) for each in case.images),
        )  # fmt: skip

    def _reply(self, place: _Place) -> StoredResponse:
        model, arm = self._store.studies.model_number(*place.model), self._arm(place.benchmark, place.arm)[0]
        return next(
            each
            for each in self._store.responses.replies(model, arm, [place.ordinal])
            if each.replicate == place.replicate
        )

    def _images(
        self, place: _Place, rule: _Rule, asked: StoredItem | None
    ) -> tuple[tuple[BlindImage, ...], tuple[str, ...], bool]:
        """List the images of a case and their hashes, and return whether some are missing."""
        if not rule.images:
            return (), (), False
        known_none = not self._study.get("imported")
        if rule.images == "sent" and asked is not None:
            known_none = known_none or not arm_effects(place.arm).sends_image
        else:
            name = asked_under(ORIGINAL.name, self._study["arms"][place.benchmark])
            asked = self._asked_once(self._arm(place.benchmark, name)[0], place.ordinal) if name else None
            if asked is None:
                return (), (), True
            images = tuple(images_asked_with(self._store, self._study, place.benchmark, place.ordinal))
            asked = asked._replace(images=images)
        if not asked.images:
            return (), (), not known_none
        try:
            for sha256 in asked.images:
                self._store.images.data(sha256)
        except ImageError:
            return (), (), True
        sizes = self._store.images.pictures(asked.images)
        roles = roles_told(asked.text, len(asked.images))
        titled = tuple(
            BlindImage(title(role, number), sizes[sha256].width, sizes[sha256].height)
            for number, (role, sha256) in enumerate(zip(roles, asked.images, strict=True), start=1)
        )
        return titled, asked.images, False


def title(role: str, number: int) -> str:
    """Return an image's title for raters, from its role or else its number.

    >>> title("frontal", 1), title("prior frontal", 2), title("axial slice 4 of 40", 3), title("", 4)
    ('Frontal view', 'Prior frontal view', 'Axial slice 4 of 40', 'Image 4')
    """
    if not role.strip():
        return f"Image {number}"
    words = " ".join(role.split())
    if in_series(role) is None and words.casefold().split()[-1] in _VIEWS:
        words += " view"
    if words.casefold() == "prior":
        words += " study"
    return words[0].upper() + words[1:]


_VIEWS = frozenset(("frontal", "lateral", "oblique", "axial", "sagittal", "coronal", "ap", "pa"))


def _references(item: Item) -> list[CasePassage]:
    if isinstance(item.answer, int):
        return [CasePassage("Right answer", f"{item.letter}. {item.options[item.answer].text}")]
    if not item.references:
        return []
    called = "Reference answer" if len(item.references) == 1 else "Reference answers (each is right)"
    return [CasePassage(called, "\n".join(item.references))]


def _quote_response(reply: StoredResponse) -> list[CasePassage]:
    """Quote a response without its thinking, with a note if it did not end normally."""
    text, finish = strip_thinking(reply.text).strip(), reply.finish.casefold()
    ending = "" if text else "empty"
    if finish in FILTERED:
        ending = "stopped" if text else "held back"
    elif finish in CUT_OFF or still_thinking(reply.text):
        ending = "cut off"
    return [CasePassage(RESPONSE, text), *([CasePassage(NOTE, ENDED[ending])] if ending else ())]


def _as_asked(arms: Sequence[str], text_only: bool) -> Iterable[str]:
    """Select the original arm, and for models without vision one in words."""
    in_words = asked_under(ReportForImage.name, arms) or asked_blind(arms, images=("none",))
    return filter(None, (asked_under(ORIGINAL.name, arms), in_words if text_only else ""))


def _with_and_without_image(arms: Sequence[str], text_only: bool) -> Iterable[str]:
    """Select the arms that the honesty verdict compares: original, no image, blank image."""
    without = (asked_blind(arms, images=(image,)) for image in ("none", "blank"))
    return filter(None, (asked_under(ORIGINAL.name, arms), *without))


def _list_doubts(item: Item) -> list[CasePassage]:
    return [CasePassage("What the audit says", "\n".join(map(str, item.metadata[DOUBTS])))]


def _has_one_answer(item: Item) -> bool:
    """Return whether an open question has one answer: no premise, no contradiction."""
    return item.kind == "open" and item.premise is None and item.metadata.get("task") != MISMATCH


def _has_reasons(offer: _Offer) -> str:
    if offer.reply.finish == ZERO_SHOT:
        return "chosen without words"
    few = len(strip_thinking(offer.reply.text).split()) < FEWEST_WORDS
    return f"no reasons (fewer than {FEWEST_WORDS} words)" if few else ""


def _is_about_an_image(offer: _Offer) -> str:
    if offer.reply.finish == ZERO_SHOT:
        return "chosen without words"
    return "" if offer.original or not offer.known else "a question without an image"


def _lacks_its_image(offer: _Offer) -> str:
    if offer.asked.images:
        return "asked with an image"
    removed = offer.kind == WITHOUT_IMAGE or not arm_effects(offer.arm).sends_image
    return "" if removed or offer.original else "a question without an image"


_RULES: Mapping[str, _Rule] = {
    "verdict": _Rule(
        ("benchmark", "category"), (OPEN,), _as_asked,
        accepts=lambda item: bool(item.references) and _has_one_answer(item), reference=True, images="original",
    ),
    "rationale": _Rule(
        ("benchmark", "arm"), (CHOICE,), lambda arms, text_only: filter(is_about_own_case, arms), _has_reasons,
        reference=True, images="sent",
    ),
    "profile": _Rule(("benchmark",), (CHOICE, OPEN), responses=False, images="original"),
    "reference": _Rule(("benchmark", "category"), (OPEN,), accepts=_has_one_answer, responses=False, images="original"),
    "mend": _Rule(
        ("benchmark",), (CHOICE, OPEN), accepts=lambda item: bool(item.metadata.get(DOUBTS)), responses=False,
        reference=True, images="original", quote=_list_doubts,
    ),
    "missing-image": _Rule(("model", "arm"), (CHOICE, OPEN, WITHOUT_IMAGE), find_obstacle=_lacks_its_image),
    "quality": _Rule(("benchmark", "arm"), (CHOICE,), accepts=lambda item: item.normal is not None),
    "mismatch": _Rule(
        ("benchmark", "arm"), (OPEN,), images="sent",
        accepts=lambda item: item.metadata.get("task") == MISMATCH and item.premise is None,
    ),
    "premise": _Rule(
        ("benchmark", "arm"), (OPEN,),
        accepts=lambda item: item.metadata.get("task") != MISMATCH and item.premise is not None,
    ),
    "honest": _Rule(
        ("benchmark", "model", "arm"), (CHOICE, OPEN), _with_and_without_image, _is_about_an_image, simple=True
    ),
}  # fmt: skip
_ABOUT = {
    "verdict": "responses to open questions that have a reference answer",
    "rationale": "responses with reasons to questions that have options",
    "profile": "open questions and questions with options",
    "reference": "open questions",
    "mend": "items that an audit doubts (snellen audit BENCHMARK --review FOLDER)",
    "missing-image": "responses to questions whose image was not sent",
    "quality": "responses that judge whether an image is normal",
    "mismatch": "responses to open questions whose image may contradict their words",
    "premise": "responses to open questions that take something for granted",
    "honest": "responses with the original image, without one or with a blank one",
}
