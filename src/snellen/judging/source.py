"""JudgeSource: the missing requests to a judge about the stored responses of a study."""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from snellen.asking.asked import epochs_asked, limit_asked, read_by
from snellen.conditions import ORIGINAL
from snellen.conditions.labels import read_label
from snellen.errors import ImageError, StudyError
from snellen.items import Item
from snellen.judging import OPINIONS
from snellen.judging.admission import ADMISSION
from snellen.judging.choice import STATED
from snellen.judging.mismatch import MISMATCH_NAMED
from snellen.judging.open_answer import OPEN_ANSWER
from snellen.judging.premise import PREMISE_HANDLED
from snellen.judging.quality import QUALITY
from snellen.judging.rubric import SYSTEM, VERSION, Exhibit, is_about_own_case, render, shown_under, told_before
from snellen.judging.single import JUDGED_AT, JudgeQuestion, changed_items, known_by, replies
from snellen.models.base import ZERO_SHOT
from snellen.prompts import MISMATCH, Request, asked_under
from snellen.reading.grades import grade_reply
from snellen.reading.parsers import CHOICE, OPEN, REPORT, WITHOUT_IMAGE, parser_named
from snellen.store import ResponseCell, Store, StoredResponse, Writer

if TYPE_CHECKING:
    from snellen.asking.requests import Batch, NumberedModel

OF_ANSWERS = (OPEN_ANSWER, MISMATCH_NAMED, PREMISE_HANDLED)
"""Questions to a judge about responses to open questions."""


class ResponseSet(NamedTuple):
    """All responses of a model to one item in one repeat, by arm."""

    ordinal: int
    replicate: int
    exhibits: tuple[Exhibit, ...]


def judging_digest(store: Store, study: Mapping[str, Any], benchmark: str, model: str) -> str:
    """Return the digest that identifies the judging of one model's responses to one benchmark.

    If version 0.2.0 described conditions wrongly to judges, the digest differs, so their opinions are not used.
    """
    arms = study["arms"][benchmark]
    anew = ("as shown",) if any(_told_anew(store, study, arms, arm) for arm in filter(is_about_own_case, arms)) else ()
    parts = ("judging", VERSION, study["benchmarks"][benchmark], arms, *known_by(study, model), *anew)
    return hashlib.sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _told_anew(store: Store, study: Mapping[str, Any], arms: Mapping[str, str], arm: str) -> bool:
    """Return whether judges get another description of an arm than in version 0.2.0."""
    number, by_name = store.studies.arm(arms[arm])[0], shown_under(arm)
    with_image = store.variants.load_image_hashes(number).keys()
    sent = {_is_pictured(study, arms, sent=at in with_image) for at in store.variants.changes(number)}
    return not told_before(by_name) or any(shown_under(arm, pictured=each) != by_name for each in sent)


def _is_pictured(study: Mapping[str, Any], arms: Iterable[str], *, sent: bool) -> bool | None:
    """Return whether a question was sent with an image; None if unknown. For imports the condition decides."""
    return sent or ("imported" in study and (any(read_label(arm).takes_image for arm in arms) or None))


def cases(store: Store, study: Mapping[str, Any], benchmark: str, model: tuple[str, str]) -> Iterator[ResponseSet]:
    """Yield the responses to every item and repeat in the study."""
    number = store.studies.model_number(*model)
    limit, epochs = limit_asked(study, benchmark), epochs_asked(study, benchmark)
    found: dict[tuple[int, int], list[Exhibit]] = {}
    arms = study["arms"][benchmark]
    for arm in filter(is_about_own_case, arms):
        asked = store.studies.arm(arms[arm])[0]
        with_image = store.variants.load_image_hashes(asked).keys()
        for reply in store.responses.replies(number, asked):
            pictured = _is_pictured(study, arms, sent=reply.ordinal in with_image)
            exhibit = Exhibit(arm, rationale_of(reply), pictured)
            found.setdefault((reply.ordinal, reply.replicate), []).append(exhibit)
    for (ordinal, replicate), exhibits in sorted(found.items()):
        if (limit is None or ordinal < limit) and (epochs is None or replicate < epochs):
            yield ResponseSet(ordinal, replicate, tuple(exhibits))


def images_asked_with(store: Store, study: Mapping[str, Any], benchmark: str, ordinal: int) -> list[str]:
    """Return the sha256 of an item's original images; empty if none are stored."""
    arms = study["arms"][benchmark]
    digest = arms.get(asked_under(ORIGINAL.name, arms))
    return [] if digest is None else store.variants.images_of(store.studies.arm(digest)[0], ordinal)


def rationale_of(reply: StoredResponse) -> str:
    """Return the text of a response, after its reasoning if there is any."""
    return f"{reply.reasoning}\n\n{reply.text}" if reply.reasoning else reply.text


class WantedOpinion(NamedTuple):
    """A missing opinion: its cell and its request."""

    arm: int
    ordinal: int
    replicate: int
    request: Callable[[], Request]
    opinion: int = 0
    """Number of the opinion among several independent ones."""


class OpinionList:
    """Source of the requests of a list of opinions."""

    def __init__(self, wanted: Iterable[WantedOpinion] = ()) -> None:
        self._wanted = list(wanted)
        self._given: dict[int, int] = {}

    def count(self, addresses: Sequence[NumberedModel]) -> list[int]:
        """Return how many opinions of each judge are missing."""
        return [len(self._wanted)] * len(addresses)

    async def batches(self, addresses: Sequence[NumberedModel], writer: Writer) -> AsyncGenerator[Batch, None]:
        """Yield the requests in the order of the items. A second call continues where these judges stopped."""
        from snellen.asking.requests import BATCH, Batch, Ready  # imported here: it loads half of `asking`

        for start in range(self._given.get(addresses[0].number, 0), len(self._wanted), BATCH):
            self._given.update(dict.fromkeys((address.number for address in addresses), start + BATCH))
            ready = []
            for wanted in self._wanted[start : start + BATCH]:
                request = wanted.request()
                for address in addresses:
                    cell = ResponseCell(address.number, wanted.arm, wanted.ordinal, wanted.replicate)
                    ready.append(Ready(cell, request.address_to(address.name, address.revision, wanted.opinion)))
            yield Batch(ready)


class JudgeSource(OpinionList):
    """Source of the requests to a judge, for the first `limit` items and `epochs` repeats.

    Items with options get one request per repeat. Questions without an image and detection get one per response. Open
    questions get `opinions` per response, by default on all repeats. With `unsure`, there is instead one request for
    each response to a question with options that the study's parser is unsure about. With a plug-in's `question`, there
    are `opinions` per response. Both are by default on all repeats.
    """

    def __init__(
        self,
        store: Store,
        study: Mapping[str, Any],
        *,
        limit: int | None = None,
        epochs: int | None = None,
        unsure: bool = False,
        opinions: int = OPINIONS,
        question: JudgeQuestion | None = None,
    ) -> None:
        super().__init__()
        if opinions < 1:
            raise StudyError(f"Expected at least one opinion of each response, got {opinions}.")
        parser = parser_named(study["parser"])
        if unsure and not parser.counted:
            raise StudyError(
                f"The parser {parser.name!r} of this study does not mark readings as unsure. Judge all "
                "responses, or run the study again with --parser lenient; stored responses are not asked for again."
            )
        self._unsure = parser if unsure else None
        self._question = question
        self._store = store
        self._study = study
        self._limit = sys.maxsize if limit is None else limit
        self._runs = epochs if epochs is not None else sys.maxsize if unsure or question else 1
        self._runs_of_answers = sys.maxsize if epochs is None else epochs
        self._opinions = opinions

    def count(self, addresses: Sequence[NumberedModel]) -> list[int]:
        """Return how many opinions of each judge are missing."""
        self._wanted = [
            wanted
            for benchmark in self._study["benchmarks"]
            for model in self._study["models"]
            for wanted in self._missing(benchmark, tuple(model), addresses)
        ]
        return super().count(addresses)

    def images(self) -> Iterator[tuple[str, int]]:
        """Yield each benchmark whose images are sent to the judge, with their number."""
        for benchmark, arms in self._study["arms"].items():
            name = asked_under(ORIGINAL.name, arms)
            if name and self._kind(benchmark) == CHOICE and self._sees_images(benchmark):
                shown = self._store.variants.load_image_hashes(self._store.studies.arm(arms[name])[0]).items()
                if count := len({each for at, images in shown if at < self._limit for each in images}):
                    yield benchmark, count

    def _sees_images(self, benchmark: str) -> bool:
        """Return whether a judge compares rationales, possibly with the image. Otherwise it grades single responses."""
        alone = self._unsure is not None or self._question is not None
        return not alone and all(item.normal is None for item in self._items(benchmark))

    def _kind(self, benchmark: str) -> str:
        arms = self._study["arms"][benchmark].values()
        return next((read_by(self._store.studies.arm(each)[1]) for each in arms), CHOICE)

    def _missing(
        self, benchmark: str, model: tuple[str, str], addresses: Sequence[NumberedModel]
    ) -> Iterator[WantedOpinion]:
        answered: dict[int, set[tuple[int, int]]] = {}
        for wanted in self._iter_wanted(benchmark, model):
            if wanted.arm not in answered:
                done = (self._store.responses.load_answered(each.number, wanted.arm).tolist() for each in addresses)
                answered[wanted.arm] = set.intersection(*({(o, r) for o, r in each} for each in done))
            if (wanted.ordinal, wanted.replicate) not in answered[wanted.arm]:
                yield wanted

    def _iter_wanted(self, benchmark: str, model: tuple[str, str]) -> Iterator[WantedOpinion]:
        if self._question is not None:
            return self._answers(benchmark, model, [self._question])
        kind = self._kind(benchmark)
        if self._unsure is not None:
            return self._by_reply(STATED, benchmark, model) if kind == CHOICE else iter(())
        if kind == WITHOUT_IMAGE:
            return self._by_reply(ADMISSION, benchmark, model)
        if kind == OPEN:
            return self._answers(benchmark, model, OF_ANSWERS)
        if kind == REPORT:
            return iter(())
        if self._sees_images(benchmark):
            return self._rationales(benchmark, model)
        return self._by_reply(QUALITY, benchmark, model)

    def _items(self, benchmark: str) -> tuple[Item, ...]:
        return self._store.studies.benchmark(self._study["benchmarks"][benchmark]).items

    def _rationales(self, benchmark: str, model: tuple[str, str]) -> Iterator[WantedOpinion]:
        """Yield requests on rationales, for the first repeats of each item. Imported repeats have arbitrary numbers."""
        digest = judging_digest(self._store, self._study, benchmark, model[0])
        arm = self._arm(benchmark, f"judging {model[0]}", digest, {"rubric": VERSION, "judges": model[0]})
        items = self._items(benchmark)
        found = cases(self._store, self._study, benchmark, model)
        for ordinal, runs in groupby(found, key=lambda case: case.ordinal):
            for case in islice(runs, self._runs if ordinal < self._limit else 0):
                asked = partial(self._request, benchmark, items[ordinal], case)
                yield WantedOpinion(arm, ordinal, case.replicate, asked)

    def _answers(
        self, benchmark: str, model: tuple[str, str], questions: Iterable[JudgeQuestion]
    ) -> Iterator[WantedOpinion]:
        """Yield several opinions: the first one on every response, then the second one."""
        for opinion in range(self._opinions):
            for question in questions:
                yield from self._by_reply(question, benchmark, model, opinion)

    def _by_reply(
        self, question: JudgeQuestion, benchmark: str, model: tuple[str, str], opinion: int = 0
    ) -> Iterator[WantedOpinion]:
        """Yield one request per response, for the first repeats of each item."""
        arms: dict[str, int] = {}
        most = self._runs_of_answers if question in OF_ANSWERS else self._runs
        runs: Counter[tuple[str, int]] = Counter()
        items, shown = self._items(benchmark), changed_items(self._store, self._study, benchmark)
        for name, reply in replies(self._store, self._study, benchmark, model):
            runs[name, reply.ordinal] += 1
            if reply.ordinal >= self._limit or runs[name, reply.ordinal] > most:
                continue
            item = shown[name].get(reply.ordinal, items[reply.ordinal])
            if not self._asks(question, reply, item):
                continue
            if name not in arms:
                digest = question.digest(self._study, benchmark, name, model[0], opinion)
                about: dict[str, object] = {"question": question.version, "judges": model[0], "arm": name}
                about |= {"words": question.words, "opinion": opinion} if question.words else {}
                arms[name] = self._arm(benchmark, f"judging {model[0]} under {name}", digest, about)
            asked = partial(question.request, reply.text, item)
            yield WantedOpinion(arms[name], reply.ordinal, reply.replicate, asked, opinion)

    def _asks(self, question: JudgeQuestion, reply: StoredResponse, item: Item) -> bool:
        if question is ADMISSION:
            return True
        if question in OF_ANSWERS:
            about_premise = OPEN_ANSWER if item.premise is None else PREMISE_HANDLED
            return question is (MISMATCH_NAMED if item.metadata.get("task") == MISMATCH else about_premise)
        if reply.finish == ZERO_SHOT or (question is QUALITY and item.normal is None):
            return False
        parser = self._unsure
        return parser is None or (item.kind == "choice" and parser.unsure(grade_reply(reply, item, parser)[0].rule))

    def _arm(self, benchmark: str, name: str, digest: str, record: Mapping[str, object]) -> int:
        number = self._store.studies.benchmark_number(self._study["benchmarks"][benchmark])
        return self._store.studies.add_arm(number, name, digest, record)

    def _request(self, benchmark: str, item: Item, case: ResponseSet) -> Request:
        """Make the request about a rationale, with the item's original images if readable."""
        asked_with = images_asked_with(self._store, self._study, benchmark, case.ordinal)
        try:
            images = tuple(self._store.images.load_encoded(each) for each in asked_with)
        except ImageError:
            images = ()
        return Request("", render(item, case.exhibits, attached=bool(images)), SYSTEM, images, JUDGED_AT)
