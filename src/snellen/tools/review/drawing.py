"""Drawing: which responses and questions of a study are laid before raters, and what is shown of each.

| task | drawn from | shown | strata |
|---|---|---|---|
| verdict | responses to open questions with a reference, as asked; of models without vision, in words alone | question, reference, response, original images | benchmark, category |
| rationale | responses with reasons to questions with options, where all is of one case | question, right answer, response, images as sent | benchmark, condition |
| profile | questions | question, original images | benchmark |
| reference | open questions | question, original images | benchmark, category |
| mend | questions that an audit doubts | question, right answer, what is doubted, original images | benchmark |
| missing-image | responses to questions whose image was not sent | question, response | model, condition |
| quality | responses to whether an image is normal | question, response | benchmark, condition |
| mismatch | responses to words and image that may contradict each other | question, response, images as sent | benchmark, condition |
| premise | responses to questions that take something for granted | question, response | benchmark, condition |
| honest | responses with the original image, without one and with a blank one | question, response | benchmark, model, condition |

The category of a pathway's question is its task. A response that is empty or cut off is shown as it is, and said so; a
call that failed is no response. What a model thought before it answered is not part of its response. Drawn are as many
items, then as many models and conditions as there are, and a second run of a cell only when all cells have their first.
The task honest takes a simple random sample of each stratum instead: a verdict corrects its shares by these labels.
"""  # noqa: E501 - a table

from __future__ import annotations

import hashlib
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
from snellen.judging.rubric import judged
from snellen.judging.single import counts
from snellen.judging.source import images_asked_with
from snellen.models.base import CUT_OFF, FILTERED, ZERO_SHOT
from snellen.plugins import did_you_mean
from snellen.prompts import MISMATCH, asked_blind, asked_under
from snellen.prompts.told_images import roles_told
from snellen.reading.language.cleaning import spoken, still_thinking
from snellen.reading.parsers import OPEN
from snellen.store import Asked, Reply, Store, as_changed
from snellen.tools.review.blinding import Blinder
from snellen.tools.review.case import RESPONSE, BlindCase, BlindImage, DrawnCase, Passage, Subject
from snellen.tools.review.task import Task
from snellen.tools.review.tasks.mend import DOUBTS

STRATA = ("benchmark", "category", "model", "arm")
"""What cases may be drawn by."""
FEWEST_WORDS = 8
"""Words of a response that has reasons to be read."""
UNAVAILABLE = "The image is not available here."
ENDED = {
    "empty": "(The response is empty.)",
    "held back": "(No words came: the response was held back.)",
    "cut off": "(The response ended here: cut off.)",
    "stopped": "(The response ended here: held back.)",
}
"""What is said of a response that is not all that was to be said."""
NOTE, IMAGE = "Note", "Image"
"""Titles of passages that say more of a response or of what is not shown."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How many cases are drawn of which strata, and how many read each.

    `each` cases of a stratum and `raters` of a case are the task's own where none are named. `overlap` is the share of
    cases that get all those raters, the others get one. `models` and `arms` leave out all others; questions have none.
    The same seed draws the same cases, and with a higher `each` these and more.
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
                raise StudyError(f"Cases are drawn by {', '.join(STRATA)}, got {name!r}.{did_you_mean(name, STRATA)}")

    @property
    def record(self) -> dict[str, Any]:
        """The plan as JSON."""
        found = {name: getattr(self, name) for name in ("each", "raters", "overlap", "seed")}
        return {**found, **{name: list(getattr(self, name) or ()) for name in ("by", "models", "arms")}}

    def filled(self, task: Task) -> Plan:
        """The plan with what the task says where it says nothing."""
        by = _RULES[task.name].by if self.by is None else self.by
        return Plan(
            each=self.each or task.each, raters=self.raters or task.raters, overlap=self.overlap, seed=self.seed,
            by=by, models=self.models, arms=self.arms,
        )  # fmt: skip


@dataclass(frozen=True)
class Drawn:
    """The cases of a task, and what is to be known of how they were drawn."""

    cases: tuple[DrawnCase, ...]
    plan: Plan
    strata: Mapping[str, tuple[int, int]]
    """How many cases were drawn of how many, by stratum."""
    left_out: Mapping[str, int]
    """How many responses do not qualify, by the reason."""
    blinded: int
    """In how many cases a text was changed to take out a name."""
    among: tuple[tuple[str, str, str, str, int, int, int], ...] = ()
    """What a simple random sample was drawn from: benchmark, model, revision, arm, replicate, first item, one past."""

    @property
    def record(self) -> dict[str, Any]:
        """The plan as it was carried out, as JSON."""
        strata = [{"stratum": name, "drawn": drawn, "of": of} for name, (drawn, of) in self.strata.items()]
        counted = {"cases": len(self.cases), "blinded": self.blinded, "left_out": dict(self.left_out)}
        among = {"among": [list(each) for each in self.among]} if self.among else {}
        return {**self.plan.record, "strata": strata, **counted, **among}


class _Place(NamedTuple):
    """Where a case comes from; a question has no model, arm and replicate."""

    benchmark: str
    ordinal: int
    model: tuple[str, str] = ("", "")
    arm: str = ""
    replicate: int = 0

    @property
    def cell(self) -> tuple[str, int, tuple[str, str], str]:
        """The same without the replicate."""
        return self[:4]


class _Offer(NamedTuple):
    """What decides whether a response qualifies: by whom it is read, how it was asked, and the images as it is."""

    kind: str
    arm: str
    reply: Reply
    asked: Asked
    original: Sequence[str]
    known: bool = True
    """Whether the original images of the benchmark are known at all; those of an import may not be."""


@dataclass(frozen=True)
class _Rule:
    """Which responses or questions a task is about, and how they are parted.

    `takes` gives the reason why one does not qualify, or nothing.
    """

    by: tuple[str, ...]
    kinds: tuple[str, ...]
    arms: Callable[[Sequence[str], bool], Iterable[str]] = lambda arms, text_only: arms
    """The arms whose responses are drawn; those of a model without vision may be others."""
    takes: Callable[[_Offer], str] = lambda offer: ""
    asks: Callable[[Item], bool] = lambda item: True
    responses: bool = True
    reference: bool = False
    images: str = ""
    """Those that are shown: `original`, `sent`, or none."""
    simple: bool = False
    """Whether a stratum gets a simple random sample."""
    tells: Callable[[Item], Sequence[Passage]] = lambda item: ()
    """What a rater is told of the item besides."""


def draw(store: Store, study: Mapping[str, Any], task: Task, plan: Plan | None = None) -> list[DrawnCase]:
    """The cases of a task from a study, as a plan wants them; StudyError where it has none."""
    return list(drawn(store, study, task, plan).cases)


def drawn(store: Store, study: Mapping[str, Any], task: Task, plan: Plan | None = None) -> Drawn:
    """The same, with what is to be known of how they were drawn."""
    plan = (plan or Plan()).filled(task)
    _check_names(study, plan)
    held = _Held(store, study)
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
    # A case's number must not tell which stratum it is of.
    random.Random(f"{plan.seed}\0{task.name}").shuffle(cases)
    every = [place for places in strata.values() for place in places] if _RULES[task.name].simple else []
    return Drawn(tuple(cases), plan, counted, dict(left_out), blinded, tuple(_list_ranges(every)))


def _list_ranges(places: Sequence[_Place]) -> Iterator[tuple[str, str, str, str, int, int, int]]:
    """The places as ranges of items, of each benchmark, model, arm and replicate."""
    for (benchmark, model, arm, replicate), same in groupby(
        sorted(places, key=_in_ranges), lambda at: _in_ranges(at)[:4]
    ):
        ordinals = enumerate(place.ordinal for place in same)
        for _, run in groupby(ordinals, lambda each: each[1] - each[0]):
            first, *others = (ordinal for _, ordinal in run)
            yield benchmark, *model, arm, replicate, first, (others or [first])[-1] + 1


def _in_ranges(place: _Place) -> tuple[str, tuple[str, str], str, int, int]:
    return place.benchmark, place.model, place.arm, place.replicate, place.ordinal


def _readers(plan: Plan, number: int) -> int:
    """How many read the case of that number in its stratum: the overlap is spread evenly."""
    shared = ceil((number + 1) * plan.overlap - 1e-9) > ceil(number * plan.overlap - 1e-9)
    return (plan.raters or 1) if shared else 1


def _check_names(study: Mapping[str, Any], plan: Plan) -> None:
    """Refuse a model or a condition that the study does not have."""
    models = [name for name, _ in study["models"]]
    arms = list(dict.fromkeys(arm for each in study["arms"].values() for arm in each))
    for what, named, known in (("model", plan.models, models), ("condition", plan.arms, arms)):
        if strange := [name for name in named if name not in known]:
            hint = did_you_mean(strange[0], known)
            raise StudyError(f"The study has no {what} {strange[0]!r}.{hint} It has: {', '.join(known)}.")


def _sample(places: Sequence[_Place], most: int, rng: random.Random) -> list[_Place]:
    """A simple random sample of at most so many places; a larger one holds the smaller."""
    order = sorted(places)
    rng.shuffle(order)
    return order[:most]


def _spread(places: Sequence[_Place], most: int, rng: random.Random) -> list[_Place]:
    """At most so many places: of as many items as there are, then of as many models and arms, then further runs."""
    runs: dict[Any, list[_Place]] = defaultdict(list)
    for place in sorted(places):
        runs[place.cell].append(place)
    for same in runs.values():
        rng.shuffle(same)
    found: list[_Place] = []
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
                if len(found) == most:
                    return found
                waiting = by_item[item]
                place = min(waiting, key=lambda each: (used[each.model] + used[each.arm], used[each.model]))
                waiting.remove(place)
                used.update((place.model, place.arm))
                found.append(place)
            order = [item for item in order if by_item[item]]
    return found


class _Held:
    """What a study's store holds, as far as cases need it."""

    def __init__(self, store: Store, study: Mapping[str, Any]) -> None:
        self._store = store
        self._study = study
        self._items = cache(lambda benchmark: store.studies.benchmark(study["benchmarks"][benchmark]).items)
        self._arm = cache(lambda benchmark, arm: store.studies.arm(study["arms"][benchmark][arm]))
        self._asked = cache(store.variants.asked)
        self._original = cache(self._find_original)
        self._asked_once = cache(lambda arm, ordinal: store.variants.asked(arm, [ordinal]).get(ordinal))

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
        return Blinder.of(self._study, served, texts)

    def stratum(self, place: _Place, by: Sequence[str]) -> str:
        """What a place is drawn with."""
        item: Item = self._items(place.benchmark)[place.ordinal]
        category = str(item.metadata.get("task") or item.category)
        parts = {"benchmark": place.benchmark, "category": category, "model": place.model[0], "arm": place.arm}
        return " · ".join(parts[name] for name in by if parts[name]) or "all"

    def places(self, rule: _Rule, plan: Plan, left_out: Counter[str]) -> Iterator[_Place]:
        """Everything in the study that a task is about."""
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
            if (limit is None or ordinal < limit) and ordinal < len(items) and rule.asks(items[ordinal]):
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
            if not rule.asks(item):
                continue
            offer = _Offer(read_by(record), arm, reply, put, original.get(reply.ordinal, ()), known)
            if reason := rule.takes(offer):
                left_out[reason] += 1
            else:
                yield _Place(benchmark, reply.ordinal, model, arm, reply.replicate)

    def _find_original(self, benchmark: str) -> Mapping[int, Sequence[str]]:
        arms = self._study["arms"][benchmark]
        name = asked_under(ORIGINAL.name, arms)
        return self._store.variants.shown(self._arm(benchmark, name)[0]) if name else {}

    # What is shown ------------------------------------------------------------------------------------------------

    def case(self, place: _Place, task: Task, stratum: str, wanted: int) -> tuple[DrawnCase, bool]:
        """A case as it is laid before raters, and whether a name was taken out of it."""
        rule = _RULES[task.name]
        item: Item = self._items(place.benchmark)[place.ordinal]
        asked = None
        if rule.responses:
            number, _ = self._arm(place.benchmark, place.arm)
            asked = self._store.variants.asked(number, [place.ordinal])[place.ordinal]
            item = as_changed(item, asked.changed)
        titled, images, missing = self._images(place, rule, asked)
        passages = [
            *(_references(item) if rule.reference else ()),
            *rule.tells(item),
            *(_said(self._reply(place)) if rule.responses else ()),
            *([Passage(IMAGE, UNAVAILABLE)] if missing else ()),
        ]
        whole = BlindCase(
            "", task.name, item.question, item.context,
            tuple(f"{letter}. {option.text}" for letter, option in zip(LETTERS, item.options, strict=False)),
            tuple(passages), titled,
        )  # fmt: skip
        shown = self._blinded(whole, item.id)
        name, revision = place.model
        subject = Subject(
            place.benchmark, item.id, place.ordinal, stratum, name, revision, place.arm, place.replicate, item.cluster
        )
        return DrawnCase(shown, subject, images, wanted), shown != whole

    def _blinded(self, case: BlindCase, item_id: str) -> BlindCase:
        def blind(text: str) -> str:
            return self._blinder.blind(text, item_id)

        return BlindCase(
            case.id, case.task, blind(case.question), blind(case.context), tuple(map(blind, case.options)),
            tuple(Passage(each.title, blind(each.text)) for each in case.passages),
            tuple(BlindImage(blind(each.title), each.width, each.height) for each in case.images),
        )  # fmt: skip

    def _reply(self, place: _Place) -> Reply:
        model, arm = self._store.studies.model_number(*place.model), self._arm(place.benchmark, place.arm)[0]
        return next(
            each
            for each in self._store.responses.replies(model, arm, [place.ordinal])
            if each.replicate == place.replicate
        )

    def _images(
        self, place: _Place, rule: _Rule, asked: Asked | None
    ) -> tuple[tuple[BlindImage, ...], tuple[str, ...], bool]:
        """The images of a case with their titles, and whether some that belong to it are not to be had."""
        arms = self._study["arms"][place.benchmark]
        if not rule.images:
            return (), (), False
        if rule.images == "sent" and asked is not None:
            known_none = not self._study.get("imported") or not arm_effects(place.arm).sends_image
            return self._titled(asked, known_none=known_none)
        name = asked_under(ORIGINAL.name, arms)
        first = self._asked_once(self._arm(place.benchmark, name)[0], place.ordinal) if name else None
        if first is None:
            return (), (), True
        images = tuple(images_asked_with(self._store, self._study, place.benchmark, place.ordinal))
        return self._titled(first._replace(images=images), known_none=not self._study.get("imported"))

    def _titled(self, asked: Asked, *, known_none: bool) -> tuple[tuple[BlindImage, ...], tuple[str, ...], bool]:
        if not asked.images:
            return (), (), not known_none
        if not all(map(self._readable, asked.images)):
            return (), (), True
        sizes = self._store.images.pictures(asked.images)
        roles = roles_told(asked.text, len(asked.images))
        titled = tuple(
            BlindImage(title(role, number), sizes[sha256].width, sizes[sha256].height)
            for number, (role, sha256) in enumerate(zip(roles, asked.images, strict=True), start=1)
        )
        return titled, asked.images, False

    def _readable(self, sha256: str) -> bool:
        """Whether an image can still be shown: one that was a file may be gone, or be another."""
        try:
            self._store.images.data(sha256)
        except ImageError:
            return False
        return True


def title(role: str, number: int) -> str:
    """What an image is called before a rater, from its role or else its number.

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


def _references(item: Item) -> list[Passage]:
    """What is right: of a choice the option, in the order in which it was asked; else the references."""
    if isinstance(item.answer, int):
        return [Passage("Right answer", f"{item.letter}. {item.options[item.answer].text}")]
    if not item.references:
        return []
    called = "Reference answer" if len(item.references) == 1 else "Reference answers (each is right)"
    return [Passage(called, "\n".join(item.references))]


def _said(reply: Reply) -> list[Passage]:
    """A response without its thinking, and what is to be said of how it ended."""
    text = spoken(reply.text).strip()
    how = _ended(reply, text)
    return [Passage(RESPONSE, text), *([Passage(NOTE, ENDED[how])] if how else ())]


def _ended(reply: Reply, text: str) -> str:
    if reply.finish.casefold() in FILTERED:
        return "stopped" if text else "held back"
    if reply.finish.casefold() in CUT_OFF or still_thinking(reply.text):
        return "cut off"
    return "" if text else "empty"


def _as_asked(arms: Sequence[str], text_only: bool) -> Iterable[str]:
    """The arm that asks as it is; of a model without vision also the one that tells it most about the image."""
    in_words = asked_under(ReportForImage.name, arms) or asked_blind(arms, images=("none",))
    return filter(None, (asked_under(ORIGINAL.name, arms), in_words if text_only else ""))


def _with_and_without_image(arms: Sequence[str], text_only: bool) -> Iterable[str]:
    """The arms that the verdict on honesty compares."""
    without = (asked_blind(arms, images=(image,)) for image in ("none", "blank"))
    return filter(None, (asked_under(ORIGINAL.name, arms), *without))


def _of_one_case(arms: Sequence[str], text_only: bool) -> Iterable[str]:
    return filter(judged, arms)


def _is_held_against_references(item: Item) -> bool:
    """Whether an answer is right or wrong by its references alone."""
    return bool(item.references) and _has_one_answer(item)


def _is_doubted(item: Item) -> bool:
    return bool(item.metadata.get(DOUBTS))


def _list_doubts(item: Item) -> list[Passage]:
    """What an audit says of an item, a line each."""
    return [Passage("What the audit says", "\n".join(map(str, item.metadata[DOUBTS])))]


def _has_one_answer(item: Item) -> bool:
    """Whether an open question has an answer to write down: no premise to be denied, nothing contradicts."""
    return item.kind == "open" and item.premise is None and item.metadata.get("task") != MISMATCH


def _may_contradict(item: Item) -> bool:
    return item.metadata.get("task") == MISMATCH and item.premise is None


def _takes_for_granted(item: Item) -> bool:
    return item.metadata.get("task") != MISMATCH and item.premise is not None


def _has_reasons(offer: _Offer) -> str:
    if offer.reply.finish == ZERO_SHOT:
        return "chosen without words"
    few = len(spoken(offer.reply.text).split()) < FEWEST_WORDS
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
        ("benchmark", "category"), (OPEN,), _as_asked, asks=_is_held_against_references, reference=True,
        images="original",
    ),
    "rationale": _Rule(("benchmark", "arm"), (CHOICE,), _of_one_case, _has_reasons, reference=True, images="sent"),
    "profile": _Rule(("benchmark",), (CHOICE, OPEN), responses=False, images="original"),
    "reference": _Rule(("benchmark", "category"), (OPEN,), asks=_has_one_answer, responses=False, images="original"),
    "mend": _Rule(
        ("benchmark",), (CHOICE, OPEN), asks=_is_doubted, responses=False, reference=True, images="original",
        tells=_list_doubts,
    ),
    "missing-image": _Rule(("model", "arm"), (CHOICE, OPEN, WITHOUT_IMAGE), takes=_lacks_its_image),
    "quality": _Rule(("benchmark", "arm"), (CHOICE,), asks=lambda item: item.normal is not None),
    "mismatch": _Rule(
        ("benchmark", "arm"), (OPEN,), asks=_may_contradict, images="sent"
    ),
    "premise": _Rule(("benchmark", "arm"), (OPEN,), asks=_takes_for_granted),
    "honest": _Rule(
        ("benchmark", "model", "arm"), (CHOICE, OPEN), _with_and_without_image, _is_about_an_image, simple=True
    ),
}  # fmt: skip
_ABOUT = {
    "verdict": "responses to open questions that have a reference answer",
    "rationale": "responses with reasons to questions that have options",
    "profile": "questions with options or open ones",
    "reference": "open questions",
    "mend": "items that an audit doubts (snellen audit BENCHMARK --review FOLDER)",
    "missing-image": "responses to questions whose image was not sent",
    "quality": "responses to whether an image is normal",
    "mismatch": "responses to open questions whose image may contradict their words",
    "premise": "responses to open questions that take something for granted",
    "honest": "responses with the original image, without one or with a blank one",
}
