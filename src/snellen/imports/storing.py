"""Storage of imported responses as a study, and reading them again for a later import.

The study gets the tests for which it has the arms. Tests of image artefacts get the imported artefacts and severities.
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
from snellen.conditions import IMAGE_BLANK, ORIGINAL, ImageBlank, ImageDegraded, ImageSubstituted, NoImage, Variant
from snellen.conditions.labels import read_label
from snellen.errors import ModelError
from snellen.images import Image
from snellen.imports.answer import Answer
from snellen.imports.gathering import Entry, Gathering
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
from snellen.store import Brought, ResponseCell, Store, StoredItem, Worded, Writer, as_changed
from snellen.store.shapes import ASKED_ARM, check_record
from snellen.stress import MEMBERS, stress_test
from snellen.stress.base import StressTest
from snellen.stress.taxonomy import only_unseen
from snellen.stress.tests.comparison import comparison
from snellen.stress.tests.image_used import image_used
from snellen.stress.tests.rationale import rationale

_SETTINGS = frozenset(each.name for each in fields(Settings))
_UNKNOWN = StoredItem(None, {}, "", "", ())


def stored_answers(store: Store, *, study: str | None = None, images: bool = True) -> Iterator[Answer]:
    """Yield every response and failed call of a study, with question and images.

    `study` is its name; default: the latest study.
    """
    record = store.studies.record(study)
    picture = lru_cache(maxsize=None)(lambda sha256: Image(store.images.data(sha256)))
    for name, digest in record["benchmarks"].items():
        items = store.studies.benchmark(digest).items
        repeats = repeats_asked(record, name, min(len(items), limit_asked(record, name) or len(items)))
        for arm, arm_digest in record["arms"][name].items():
            number, how = store.studies.arm(arm_digest)
            check_record(how, ASKED_ARM, "a condition")
            settings = Settings(**{name: value for name, value in how["settings"].items() if name in _SETTINGS})
            asked = store.variants.load_items(number)
            put = {at: as_changed(items[at], each.changed) for at, each in asked.items() if at < len(items)}
            if images:
                put = {at: replace(item, images=tuple(map(picture, asked[at].images))) for at, item in put.items()}
            runs = repeats.count_runs(arm) if repeats else None
            for model, revision in record["models"]:
                model_number = store.studies.model_number(model, revision)
                for ordinal, replicate, response, error in _of_arm(store, model_number, number):
                    if runs is not None and (ordinal >= len(runs) or replicate >= runs[ordinal]):
                        continue  # of another study with other limits
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
                        settings=settings,
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


class StoreNumbers:
    """Integer ids of benchmarks, arms, models and items in the store.

    The arms belong to one generation: a hash of everything that is imported together. An interrupted import has another
    generation, so its leftovers are never counted.
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

    def cell(self, model: str, benchmark: str, arm: str, item_id: str, replicate: int) -> ResponseCell:
        """Return the place of a response in the store."""
        return ResponseCell(self.models[model], self.arms[benchmark, arm], self.ordinals[benchmark][item_id], replicate)


def _record(gathered: Gathering, benchmark: str, arm: str) -> dict[str, Any]:
    settings = gathered.settings.get((benchmark, arm), set())
    chosen = next(iter(settings)).chosen if len(settings) == 1 else {}
    kind = _kind(benchmark, arm)
    about = {"condition": arm, "prompt": AS_IMPORTED, "settings": chosen, "seed": None, "kinds": [kind]}
    return {**about, "read": kind} if kind != "choice" and benchmark not in own_questions() else about


def _kind(benchmark: str, arm: str) -> Kind:
    """Return an arm's kind of question. A test's own questions are open if no image was sent."""
    if benchmark in own_questions():
        return "open" if read_label(arm).has(NoImage) else "choice"
    return _kind_of_part(benchmark)


def _kind_of_part(benchmark: str) -> Kind:
    return next((kind for kind, part in PARTS.items() if part and benchmark.endswith(part)), "choice")


@cache
def own_questions() -> frozenset[str]:
    """Return the names of benchmarks that are part of a test."""
    return frozenset(stress_test(name).questions for name in names("stress", MEMBERS)) - {""}


def in_part(answer: Answer) -> Answer:
    """Move an answer to its benchmark's part for the kind of question."""
    part = _part(answer.benchmark, answer.item.kind)
    return answer if part == answer.benchmark else answer._replace(benchmark=part)


@lru_cache(maxsize=4096)
def _part(benchmark: str, kind: Kind) -> str:
    return benchmark if kind not in PARTS or benchmark in own_questions() else part_of(benchmark, kind)


class Storing:
    """Writer of imported items and responses to the store."""

    def __init__(self, store: Store, writer: Writer, places: StoreNumbers) -> None:
        self._store = store
        self._writer = writer
        self._places = places
        self._coming: set[bytes] = set()
        """Keys of responses that are being written and cannot be found in the store yet."""
        self._new = store.responses.is_empty()

    def items(self, gathered: Gathering) -> None:
        """Store each item as each arm sent it, and record items without responses."""
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
                    self._writer.store_variant(number, ordinal, variant, Request("", text, system, sent))
                else:
                    in_words.append((ordinal, original, *asked[:3]))
            self._writer.store_wordings(number, in_words)

    def replies(self, entries: Sequence[Entry], left_out: Collection[tuple[str, str]]) -> None:
        """Store each response and failed call once, except rows that are left out."""
        cell_of, coming = self._places.cell, self._coming
        keys = [hashlib.sha256(b"imported" + entry[-1]).digest() for entry in entries]
        known = {} if self._new else self._store.responses.find_known([key for key in keys if key not in coming])
        new: list[Brought] = []
        for (model, benchmark, arm, item_id, replicate, where, said, error, _), key in zip(entries, keys, strict=True):
            if left_out and (where, item_id) in left_out:
                continue
            cell = cell_of(model, benchmark, arm, item_id, replicate)
            if said is None:
                self._writer.store_failure([cell], ModelError(error or "no response, and the file does not say why"))
            elif key in known:
                self._writer.link_cell(known[key], cell)
            elif key not in coming:
                new.append((key, said, cell))
                coming.add(key)
        self._writer.store_responses(new)


def tests_of(arms: Mapping[str, Iterable[str]]) -> list[str]:
    """Return the tests that the arms can answer; other arms are compared directly."""
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
    """Return tests of open questions or reports, and a comparison of the remaining arms."""
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
    """Return the tests on benchmarks that do not belong to a test."""
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
    """Return True if an arm only shows blank images, which are not the default ones."""
    condition, ways = read_label(arm)
    plain = isinstance(condition, ImageBlank) and not ways
    return plain and condition != IMAGE_BLANK and read_label(arm).effects.image == "blank"


ON_WORDS_ALONE = tuple(f"{name}:image=removed" for name in ("option-order", "distractors", "unknown-option"))


def _with_all_images(name: str, arms: set[str]) -> str:
    """Return the test's name, with the number of swapped images if there are several."""
    swapped = [each.nth for arm in arms if isinstance(each := read_label(arm).condition, ImageSubstituted)]
    several = max(swapped, default=1) > 1 and name == "visual-substitution"
    return f"{name}:images={max(swapped)}" if several else name


def _answers(test: StressTest, arms: set[str]) -> bool:
    """Return True if these arms answer a test: its baseline and enough compared conditions."""
    compared = {arm.name for arm in test.compared}
    if test.questions or test.name in OF_ARTEFACTS or not compared or test.baseline.name not in arms:
        return False
    if test.name in ALL_NEEDED:
        return compared <= arms
    if test.name in LAST_NEEDED:
        return test.compared[-1].name in arms
    return len(compared & arms) > len(compared) / 2 if test.scores else bool(compared & arms)


ALL_NEEDED = ("rationale", "blank-chain-of-thought")
"""Tests that need all of their conditions."""
LAST_NEEDED = ("text-needed",)
"""Tests that need their last condition."""
OF_ARTEFACTS = frozenset(
    make().name for make in (weak_artefacts, strong_artefacts, pooled_artefacts, dose_response_test)
)
"""Tests that are added only for the imported artefacts."""

Severities = dict[str, set[float]]
"""Imported severities of each artefact."""

_STRATEGY = {prompt.name if prompt else "": name for name, prompt in STRATEGIES.items()}
_WEAK, _STRONG = 0.5, 1.0
_STEPS = range(20, 2, -1)
"""Possible numbers of steps of a curve; weak and strong alone (two steps) are too few."""


def artefact_tests(arms: Collection[str]) -> list[StressTest]:
    """Return the artefact tests of these arms, for each prompt strategy and grey scale.

    >>> [test.name for test in artefact_tests(["original", "degraded:blur,weak", "degraded:blur/noise,strong"])]
    ['weak-artefacts:blur', 'strong-artefacts:blur/noise']
    """
    found: list[StressTest] = []
    ways = {way: asked for way, asked in _by_way(arms).items() if as_it_is(way[0]).name in arms}
    for (strategy, scale), asked in ways.items():
        found += _tests(asked, {"prompt": strategy, "scale": scale})
    return [*found, *_pool_artefacts(ways)]


def _pool_artefacts(ways: Mapping[tuple[str, str], Severities]) -> Iterator[StressTest]:
    """Yield the tests that average over prompts and artefacts."""
    for scale in dict.fromkeys(scale for _, scale in ways):
        asked = {strategy: severities for (strategy, each), severities in ways.items() if each == scale}
        cells = [each for severities in asked.values() for each in severities.values()]
        if all(sum(severity in each for each in cells) > 1 for severity in (_WEAK, _STRONG)):
            names = list(dict.fromkeys(name for severities in asked.values() for name in severities))
            prompts = "/".join(strategy or OWN for strategy in STRATEGIES if strategy in asked)
            yield pooled_artefacts(*_format_artefacts(names), prompts=prompts, scale=scale)


def _by_way(arms: Iterable[str]) -> Mapping[tuple[str, str], Severities]:
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
            yield make(*_format_artefacts(names), **way)
    by_steps: dict[int, list[str]] = {}
    for name, severities in asked.items():
        if steps := _steps(severities):
            by_steps.setdefault(steps, []).append(name)
    for steps, names in by_steps.items():
        yield dose_response_test(*_format_artefacts(names), steps=steps, **way)


def _steps(severities: set[float]) -> int:
    """Return the largest number of equal steps whose severities are all there; 0 if none."""
    whole = (steps for steps in _STEPS if {(step + 1) / steps for step in range(steps)} <= severities)
    return next(whole, 0)


def _format_artefacts(names: Collection[str]) -> list[str]:
    """Return the artefacts in our order; empty for the paper's five."""
    if set(names) == set(PUBLISHED):
        return []
    order = list(ARTEFACTS)
    return sorted(names, key=lambda name: [order.index(part) for part in name.split("/")])
