"""Storing: gathered answers go into a store as a study of their own, and come out of it again for a second import.

The study has the tests that its arms allow; tests of image artefacts with the artefacts and severities that were asked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import cache, lru_cache
from typing import Any, Literal

import orjson

from snellen.asking.asked import limit_asked
from snellen.asking.repeats import repeats_asked
from snellen.conditions import (
    IMAGE_BLANK,
    ORIGINAL,
    ImageBlank,
    ImageDegraded,
    ImageSubstituted,
    NoImage,
    Variant,
)
from snellen.conditions.labels import read_label
from snellen.errors import ModelError
from snellen.images import Image
from snellen.imports.answer import Answer
from snellen.imports.gathering import Gathering
from snellen.imports.waiting import Entry
from snellen.items import PARTS, Benchmark, Item, Kind, part_of
from snellen.models.base import Response
from snellen.papers.artefacts.tests.arms import STRATEGIES, as_it_is
from snellen.papers.artefacts.tests.dose_response import dose_response_test
from snellen.papers.artefacts.tests.pooled import OWN, pooled_artefacts
from snellen.papers.artefacts.tests.strong import strong_artefacts
from snellen.papers.artefacts.tests.weak import weak_artefacts
from snellen.perturb.artefacts import ARTEFACTS, PUBLISHED
from snellen.plugins import names
from snellen.prompts import Request, Settings
from snellen.store import Asked, Brought, Cell, Store, Worded, Writer, as_changed
from snellen.store.shapes import ASKED_ARM, check_record
from snellen.stress import MEMBERS, stress_test
from snellen.stress.base import StressTest
from snellen.stress.taxonomy import only_unseen
from snellen.stress.tests.comparison import comparison
from snellen.stress.tests.image_used import image_used
from snellen.stress.tests.rationale import rationale

_SETTINGS = frozenset(each.name for each in fields(Settings))
_UNKNOWN = Asked(None, {}, "", "", ())


def stored_answers(store: Store, *, study: str | None = None, images: bool = True) -> Iterator[Answer]:
    """Every response and failed call of a study, with the question as asked and the images as sent.

    The study is the one of that name, by default the latest.
    """
    record = store.studies.record(study)
    picture = lru_cache(maxsize=None)(lambda sha256: Image(store.images.data(sha256)))
    for name, digest in record["benchmarks"].items():
        items = store.studies.benchmark(digest).items
        repeats = repeats_asked(record, name, min(len(items), limit_asked(record, name) or len(items)))
        for arm, arm_digest in record["arms"][name].items():
            number, how = store.studies.arm(arm_digest)
            check_record(how, ASKED_ARM, "a condition")
            asked = store.variants.asked(number)
            put = {at: as_changed(items[at], each.changed) for at, each in asked.items() if at < len(items)}
            if images:
                put = {at: replace(item, images=tuple(map(picture, asked[at].images))) for at, item in put.items()}
            runs = repeats.count_runs(arm) if repeats else None
            for model, revision in record["models"]:
                for ordinal, replicate, response, error in _of_arm(
                    store, store.studies.model_number(model, revision), number
                ):
                    if runs is not None and (ordinal >= len(runs) or replicate >= runs[ordinal]):
                        continue  # of another study with other bounds
                    words = asked.get(ordinal, _UNKNOWN)
                    yield Answer(
                        model=model,
                        benchmark=name,
                        arm=arm,
                        item=put.get(ordinal, items[ordinal]),
                        response=response,
                        error=error,
                        replicate=replicate,
                        revision=revision,
                        text=words.text,
                        system=words.system,
                        settings=Settings(
                            **{name: value for name, value in how["settings"].items() if name in _SETTINGS}
                        ),
                        has_image=bool(words.images),
                        second=repeats is not None and replicate >= repeats.epochs,
                    )


def _of_arm(store: Store, model: int, arm: int) -> Iterator[tuple[int, int, Response | None, str]]:
    for reply in store.responses.replies(model, arm):
        yield reply.ordinal, reply.replicate, Response(reply.text, reply.finish, reply.reasoning), ""
    for ordinal, replicate, error in store.responses.failed_cells(model, arm):
        yield ordinal, replicate, None, error


NOT_ASKED = "it was not asked under this condition"
NOT_GRADED = "it is of another kind than the other questions under this condition"
AS_IMPORTED = {"name": "as imported", "system": "", "user": ""}


class Places:
    """The numbers that benchmarks, arms, models and items have in the store.

    Arms are those of one generation, named by all that is imported together: what an import that failed or was
    stopped has left behind is on other arms, and never counts.
    """

    def __init__(self, store: Store, gathered: Gathering, generation: str) -> None:
        self.digests: dict[str, str] = {}
        self.arm_digests: dict[str, dict[str, str]] = {}
        self.arms: dict[tuple[str, str], int] = {}
        self.items: dict[str, tuple[Item, ...]] = {}
        self.ordinals: dict[str, dict[str, int]] = {}
        for name in gathered.benchmarks():
            benchmark = Benchmark(name, gathered.items(name))
            self.items[name] = benchmark.items
            number, self.digests[name] = store.studies.add_benchmark(benchmark)
            self.ordinals[name] = {item.id: at for at, item in enumerate(benchmark.items)}
            self.arm_digests[name] = {}
            for arm in gathered.arms(name):
                parts = ("imported", generation, self.digests[name], arm)
                digest = hashlib.sha256(orjson.dumps(parts)).hexdigest()
                self.arm_digests[name][arm] = digest
                self.arms[name, arm] = store.studies.add_arm(number, arm, digest, _record(gathered, name, arm))
        self.models = {
            model: store.studies.add_model(model, revision) for model, revision in gathered.revisions.items()
        }

    def cell(self, model: str, benchmark: str, arm: str, item_id: str, replicate: int) -> Cell:
        """Where a response belongs."""
        return Cell(self.models[model], self.arms[benchmark, arm], self.ordinals[benchmark][item_id], replicate)


def _record(gathered: Gathering, benchmark: str, arm: str) -> dict[str, Any]:
    """What is known of how an arm was asked; settings are, where all answers agree on them."""
    settings = gathered.settings.get((benchmark, arm), set())
    chosen = next(iter(settings)).chosen if len(settings) == 1 else {}
    kind = _kind(benchmark, arm)
    about = {"condition": arm, "prompt": AS_IMPORTED, "settings": chosen, "seed": None, "kinds": [kind]}
    return {**about, "read": kind} if kind != "choice" and not _is_own(benchmark) else about


def _kind(benchmark: str, arm: str) -> Kind:
    """The kind of question that an arm asks: open ones where a test brings them along, to be asked without an image."""
    if _is_own(benchmark):
        return "open" if read_label(arm).has(NoImage) else "choice"
    return _kind_of_part(benchmark)


def _kind_of_part(benchmark: str) -> Kind:
    """The kind of the items of an imported benchmark, which has a part for every kind."""
    return next((kind for kind, part in PARTS.items() if part and benchmark.endswith(part)), "choice")


def _is_own(benchmark: str) -> bool:
    """Whether a test brings these questions along."""
    return benchmark in own_questions()


@cache
def own_questions() -> frozenset[str]:
    """The benchmarks that tests bring along."""
    return frozenset(stress_test(name).questions for name in names("stress", MEMBERS)) - {""}


def in_part(answer: Answer) -> Answer:
    """The answer under the part of its benchmark that its question is in: each kind stands beside the others."""
    part = _part(answer.benchmark, answer.item.kind)
    return answer if part == answer.benchmark else answer._replace(benchmark=part)


@lru_cache(maxsize=4096)
def _part(benchmark: str, kind: Kind) -> str:
    return benchmark if kind not in PARTS or _is_own(benchmark) else part_of(benchmark, kind)


class Storing:
    """Puts what was gathered into its places."""

    def __init__(self, store: Store, writer: Writer, places: Places) -> None:
        self._store = store
        self._writer = writer
        self._places = places
        self._coming: set[bytes] = set()
        """Responses on their way into the store, which it does not know of yet."""
        self._new = store.responses.is_empty()

    def items(self, gathered: Gathering) -> None:
        """Keep how every arm put every item, and which items it did not put at all."""
        for (benchmark, arm), number in self._places.arms.items():
            put, kind = gathered.put[benchmark, arm], _kind(benchmark, arm)
            in_words: list[Worded] = []
            for ordinal, original in enumerate(self._places.items[benchmark]):
                asked = put.get(original.id)
                if asked is None:
                    self._writer.inapplicable(number, ordinal, NOT_ASKED)
                elif original.kind != kind:
                    self._writer.inapplicable(number, ordinal, NOT_GRADED)
                elif asked.item.images:
                    item, text, system, _ = asked
                    sent = tuple(image.encoded() for image in item.images)
                    variant = Variant(original, item, arm, {})
                    self._writer.varied(number, ordinal, variant, Request("", text, system, sent))
                else:
                    in_words.append((ordinal, original, *asked[:3]))
            self._writer.worded(number, in_words)

    def replies(self, entries: Sequence[Entry], left_out: Collection[tuple[str, str]]) -> None:
        """Keep responses and failed calls but those of rows to be left out; nothing is stored twice."""
        cell_of, coming = self._places.cell, self._coming
        keys = [hashlib.sha256(b"imported" + entry[-1]).digest() for entry in entries]
        known = {} if self._new else self._store.responses.known([key for key in keys if key not in coming])
        new: list[Brought] = []
        for (model, benchmark, arm, item_id, replicate, where, said, error, _), key in zip(entries, keys, strict=True):
            if left_out and (where, item_id) in left_out:
                continue
            cell = cell_of(model, benchmark, arm, item_id, replicate)
            if said is None:
                self._writer.failed([cell], ModelError(error or "no response, and the file does not say why"))
            elif key in known:
                self._writer.linked(known[key], cell)
            elif key not in coming:
                new.append((key, said, cell))
                coming.add(key)
        self._writer.brought(new)


def tests_of(arms: Mapping[str, Iterable[str]]) -> list[str]:
    """The tests that the arms of the benchmarks can answer; arms that none of them knows are compared as they are."""
    every = {name: stress_test(name) for name in (*names("stress", MEMBERS), *ON_WORDS_ALONE)}
    tests = {name: test for name, test in every.items() if not test.marks}
    asked = {benchmark: set(each) for benchmark, each in arms.items()}
    own = {
        name: test.questions
        for name, test in tests.items()
        if {arm.name for arm in test.all_arms} & asked.get(test.questions, set())
    }
    shared = {benchmark: each for benchmark, each in asked.items() if benchmark not in own.values()}
    parts: dict[Kind, list[set[str]]] = {kind: [] for kind in PARTS}
    for benchmark, each in shared.items():
        parts[_kind_of_part(benchmark)].append(each)
    choosing = {name: test for name, test in tests.items() if test.item_kind == "choice"}
    return [
        *own,
        *(_of_shared(choosing, parts["choice"]) if parts["choice"] else ()),
        *(_in_words(tests, parts["open"], "open") if parts["open"] else ()),
        *(_in_words(tests, parts["report"], "report") if parts["report"] else ()),
    ]


def _in_words(
    tests: Mapping[str, StressTest], by_benchmark: Sequence[set[str]], kind: Literal["open", "report"]
) -> list[str]:
    """The tests of open questions or of reports, and a comparison of the conditions that none of them knows."""
    everything: set[str] = set().union(*by_benchmark)
    chosen = [
        name
        for name, test in tests.items()
        if test.item_kind == kind and any(_answers(test, each) for each in by_benchmark)
    ]
    known = {arm.name for name in chosen for arm in tests[name].possible_arms}
    rest = sorted(everything - known - {ORIGINAL.name})
    if ORIGINAL.name not in everything:
        return [*chosen, comparison(*rest[1:], baseline=rest[0], kind=kind).name] if rest else chosen
    return [*chosen, comparison(*rest, kind=kind).name] if rest or not chosen else chosen


def _of_shared(tests: Mapping[str, StressTest], by_benchmark: Sequence[set[str]]) -> list[str]:
    """The tests of benchmarks that are nobody's own questions."""
    everything: set[str] = set().union(*by_benchmark)
    chosen = [name for name, test in tests.items() if any(_answers(test, each) for each in by_benchmark)]
    artefacts = artefact_tests(everything)
    chosen = [*(_with_all_images(name, everything) for name in chosen), *(test.name for test in artefacts)]
    if ORIGINAL.name in everything:
        blank = sorted(arm for arm in everything if _is_unusual_blank(arm))
        chosen += [arm.replace(IMAGE_BLANK.name, "blank-image") for arm in blank]
        if IMAGE_BLANK.name in everything and "image-used" not in chosen:
            chosen.append(image_used(without=IMAGE_BLANK.name).name)
    blind = sorted(arm for arm in everything if only_unseen(arm) and not {":", "+"} & set(arm))
    if blind and "rationale" not in chosen:
        chosen.append(rationale(*blind).name)
    known = {arm.name for name in chosen for arm in stress_test(name).possible_arms}
    baselines = {test.baseline.name for test in artefacts} - {ORIGINAL.name}
    plain = sorted(arm for arm in everything if ":" not in arm and arm not in baselines)
    if ORIGINAL.name not in everything:
        return [*chosen, comparison(*plain[1:], baseline=plain[0]).name] if plain else chosen
    rest = [arm for arm in plain if arm not in known and arm != ORIGINAL.name]
    return [*chosen, comparison(*rest).name] if rest or not chosen else chosen


def _is_unusual_blank(arm: str) -> bool:
    """Whether an arm does nothing but show blank images that are not the usual ones."""
    condition, ways = read_label(arm)
    plain = isinstance(condition, ImageBlank) and not ways
    return plain and condition != IMAGE_BLANK and read_label(arm).effects.image == "blank"


ON_WORDS_ALONE = tuple(f"{name}:image=removed" for name in ("option-order", "distractors", "unknown-option"))


def _with_all_images(name: str, arms: set[str]) -> str:
    """The test by that name; the one that swaps images, with as many of them as there are."""
    swapped = [each.nth for arm in arms if isinstance(each := read_label(arm).condition, ImageSubstituted)]
    several = max(swapped, default=1) > 1 and name == "visual-substitution"
    return f"{name}:images={max(swapped)}" if several else name


def _answers(test: StressTest, arms: set[str]) -> bool:
    """Whether these arms answer a test: its baseline and one to hold against it, for a score most of them."""
    compared = {arm.name for arm in test.compared}
    if test.questions or test.name in OF_ARTEFACTS or not compared or test.baseline.name not in arms:
        return False
    if test.name in ALL_NEEDED:
        return compared <= arms
    if test.name in LAST_NEEDED:
        return test.compared[-1].name in arms
    return len(compared & arms) > len(compared) / 2 if test.scores else bool(compared & arms)


ALL_NEEDED = ("rationale", "blank-chain-of-thought")
"""The tests that say nothing unless all of their conditions are there."""
LAST_NEEDED = ("text-needed",)
"""The tests that say nothing unless their last condition is there."""
OF_ARTEFACTS = frozenset(
    make().name for make in (weak_artefacts, strong_artefacts, pooled_artefacts, dose_response_test)
)
"""The tests that are not simply there or not, but with the artefacts that were asked."""

Severities = dict[str, set[float]]
"""At which severities each artefact was asked."""

_STRATEGY = {prompt.name if prompt else "": name for name, prompt in STRATEGIES.items()}
_WEAK, _STRONG = 0.5, 1.0
_STEPS = range(20, 2, -1)
"""A curve has at least three steps: through weak and strong alone none is drawn that nobody asked for."""


def artefact_tests(arms: Collection[str]) -> list[StressTest]:
    """The tests of weak and strong artefacts and of dose and response, for each prompt strategy and grey scale.

    >>> [test.name for test in artefact_tests(["original", "degraded:blur,weak", "degraded:blur/noise,strong"])]
    ['weak-artefacts:blur', 'strong-artefacts:blur/noise']
    """
    found: list[StressTest] = []
    ways = {way: asked for way, asked in _by_way(arms).items() if as_it_is(way[0]).name in arms}
    for (strategy, scale), asked in ways.items():
        found += _tests(asked, {"prompt": strategy, "scale": scale})
    return [*found, *_pooled(ways)]


def _pooled(ways: Mapping[tuple[str, str], Severities]) -> Iterator[StressTest]:
    """The means over prompts and artefacts, for each grey scale in which several were asked at both strengths."""
    for scale in dict.fromkeys(scale for _, scale in ways):
        asked = {strategy: severities for (strategy, each), severities in ways.items() if each == scale}
        cells = [each for severities in asked.values() for each in severities.values()]
        if all(sum(severity in each for each in cells) > 1 for severity in (_WEAK, _STRONG)):
            names = list(dict.fromkeys(name for severities in asked.values() for name in severities))
            prompts = "/".join(strategy or OWN for strategy in STRATEGIES if strategy in asked)
            yield pooled_artefacts(*_told(names), prompts=prompts, scale=scale)


def _by_way(arms: Iterable[str]) -> Mapping[tuple[str, str], Severities]:
    """What was asked by each strategy and saved in each scale."""
    ways: dict[tuple[str, str], Severities] = {}
    for arm in sorted(arms):
        condition, asked_by = read_label(arm)
        prompt = "+".join(asked_by)
        if isinstance(condition, ImageDegraded) and prompt in _STRATEGY:
            asked = ways.setdefault((_STRATEGY[prompt], condition.scale), {})
            asked.setdefault(condition.artefact, set()).add(condition.severity)
    return ways


def _tests(asked: Severities, way: Mapping[str, str]) -> Iterator[StressTest]:
    for make, severity in ((weak_artefacts, _WEAK), (strong_artefacts, _STRONG)):
        names = [name for name, severities in asked.items() if severity in severities]
        if names:
            yield make(*_told(names), **way)
    by_steps: dict[int, list[str]] = {}
    for name, severities in asked.items():
        if steps := _steps(severities):
            by_steps.setdefault(steps, []).append(name)
    for steps, names in by_steps.items():
        yield dose_response_test(*_told(names), steps=steps, **way)


def _steps(severities: set[float]) -> int:
    """Into how many even steps they cut the path, the finest cut that is there whole; 0 if there is none."""
    whole = (steps for steps in _STEPS if {(step + 1) / steps for step in range(steps)} <= severities)
    return next(whole, 0)


def _told(names: Collection[str]) -> list[str]:
    """The artefacts as a test is told them, in the order we list them; nothing where they are the paper's five."""
    if set(names) == set(PUBLISHED):
        return []
    order = list(ARTEFACTS)
    return sorted(names, key=lambda name: [order.index(part) for part in name.split("/")])
