"""The option that each model chose for each item, read from stored responses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.conditions import ORIGINAL
from snellen.errors import BrokenRow, StudyError
from snellen.items import LETTERS, Benchmark, Item
from snellen.plugins import did_you_mean
from snellen.prompts import asked_under
from snellen.reading.columns import NOTHING
from snellen.runtime import counted
from snellen.scoring.reading_plan import plan_reading
from snellen.scoring.tables import grade_study
from snellen.store import Store
from snellen.tools.audit.audited import Audited, Ints, groups_of, right_place

Place = Store | Path | str
"""Stored responses: a store, or the folder that it lies in."""
Who = tuple[str, str]
"""A model and its revision."""


class ChosenOptions(NamedTuple):
    """Chosen options: a row per model or run, a column per item.

    `chosen` is the place of the option in the item; −1 if none was read (refused, unparsed, failed, not asked).
    """

    vectors: tuple[str, ...]
    item_ids: tuple[str, ...]
    chosen: Ints
    models: tuple[str, ...] = ()
    """The model of each response vector; empty if every vector is a model of its own."""
    left_out: Mapping[str, int] = MappingProxyType({})
    """Number of stored items without a column, by reason."""

    def by_model(self) -> ChosenOptions:
        """Merge the runs of each model to their most frequent option. A tie goes to the option of the earliest run.

        Runs of one model are not independent evidence, so models are counted.

        >>> two = np.array([[0, 1], [0, 2], [1, 2]])
        >>> ChosenOptions(("m", "m, run 2", "m, run 3"), ("a", "b"), two, ("m", "m", "m")).by_model().chosen.tolist()
        [[0, 2]]
        """
        if not self.models:
            return self
        names = tuple(dict.fromkeys(self.models))
        of = np.array(self.models)
        rows = [_plurality(self.chosen[of == name]) for name in names]
        return self._replace(vectors=names, models=(), chosen=np.array(rows, dtype=np.int64))

    def select_items(self, items: Sequence[Item]) -> Ints:
        """Select the columns of these items; −1 for unknown items and abstaining options."""
        place = {name: at for at, name in enumerate(self.item_ids)}
        found = np.full((len(self.vectors), len(items)), -1, dtype=np.int64)
        for at, item in enumerate(items):
            if item.id in place:
                column = self.chosen[:, place[item.id]]
                found[:, at] = np.where(np.isin(column, item.real_places), column, -1)
        return found


def _plurality(runs: Ints) -> Ints:
    votes = np.array([(runs == option).sum(axis=0) for option in range(runs.max(initial=0) + 1)])
    tied = votes == votes.max(axis=0)
    found = np.full(runs.shape[1], -1, dtype=np.int64)
    for run in runs[::-1]:
        leads = (run >= 0) & tied[np.maximum(run, 0), np.arange(run.size)]
        found[leads] = run[leads]
    return found


def stored_benchmark(place: Place, name: str | None = None) -> Benchmark:
    """Load the items of a stored benchmark, without images. `name` is required if there are several."""
    with ExitStack() as opened:
        store = _open_store(place, opened)
        known = {each: record for record in _studies(store) for each in record["benchmarks"]}
        if name is None and len(known) == 1:
            name = next(iter(known))
        if name not in known:
            said = f"There is no benchmark {name!r} in {store.folder}.{did_you_mean(name, known)}" if name else ""
            raise StudyError(f"{said} The benchmarks in {store.folder} are {', '.join(known)}: name one.".strip())
        source = known[name].get("sources", {}).get(name, {})
        return replace(
            store.studies.benchmark(known[name]["benchmarks"][name]),
            about=source.get("about", {}),
            broken=tuple(BrokenRow(*row) for row in source.get("broken", ())),
        )


def answers_of(
    places: Place | Sequence[Place], benchmark: Benchmark, *, condition: str = ORIGINAL.name
) -> ChosenOptions:
    """Collect the options that models chose for a benchmark under a condition.

    Items are matched by id. An item with another question, context, options or key is left out and counted; options in
    another order are matched by their text. Each run of a model is a response vector, read by the study's main parser.
    Responses come from the stored benchmark of the same name; if there is none, from every stored benchmark with such
    items.
    """
    several = [places] if isinstance(places, Store | Path | str) else list(places)
    vectors: dict[tuple[Who, str, str, int], Ints] = {}
    left_out: Counter[str] = Counter()
    with ExitStack() as opened:
        stores = [_open_store(place, opened) for place in several]
        for store in {str(each.folder.resolve()): each for each in stores}.values():
            counted: set[str] = set()
            for record, name in _with_items_of(benchmark, store):
                stored = store.studies.benchmark(record["benchmarks"][name])
                same, reasons = _same_items(stored.items, benchmark)
                if record["benchmarks"][name] not in counted:
                    left_out.update(reasons)
                    counted.add(record["benchmarks"][name])
                for who, run, ordinal, chosen in _read(store, record, name, stored, condition):
                    digest = record["arms"][name][asked_under(condition, record["arms"][name])]
                    key = (who, str(store.folder.resolve()), digest, run)
                    row = vectors.setdefault(key, np.full(len(benchmark), -1, dtype=np.int64))
                    for at, option in zip(ordinal.tolist(), chosen.tolist(), strict=True):
                        if at in same:
                            column, theirs = same[at]
                            row[column] = theirs[option]
    return _name_models(benchmark, vectors, left_out)


def _open_store(place: Place, opened: ExitStack) -> Store:
    return place if isinstance(place, Store) else opened.enter_context(Store.open(place))


def _studies(store: Store) -> list[dict[str, Any]]:
    return [store.studies.record(each.name) for each in store.studies.load_all()]


def _with_items_of(benchmark: Benchmark, store: Store) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the studies that ask a benchmark's questions, and its name in each."""
    every = [(record, name) for record in _studies(store) for name in record["benchmarks"]]
    same = [(record, name) for record, name in every if name == benchmark.name]
    for record, name in same or every:
        if same or benchmark.by_id.keys() & {item.id for item in store.studies.benchmark(record["benchmarks"][name])}:
            yield record, name


def _same_items(stored: Sequence[Item], benchmark: Benchmark) -> tuple[dict[int, tuple[int, Ints]], Counter[str]]:
    """Match stored items and their options to a benchmark; count mismatches by reason."""
    columns = {item.id: at for at, item in enumerate(benchmark)}
    found: dict[int, tuple[int, Ints]] = {}
    reasons: Counter[str] = Counter()
    for ordinal, item in enumerate(stored):
        if item.kind != "choice":
            continue
        if item.id not in columns:
            reasons["that the benchmark does not have"] += 1
        elif reason := _differs(item, benchmark.items[columns[item.id]]):
            reasons[reason] += 1
        else:
            one, two = _texts(item), _texts(benchmark.items[columns[item.id]])
            places = range(len(one)) if one == two else [two.index(text) for text in one]
            found[ordinal] = columns[item.id], np.array(places, dtype=np.int64)
    return found, reasons


def _texts(item: Item) -> list[str]:
    return [_plain(option.text) for option in item.options]


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _differs(stored: Item, audited: Item) -> str:
    """Explain why two items of one id are not the same; empty if they are."""
    if stored.kind != audited.kind:
        return "of another kind"
    if any(_plain(getattr(stored, part)) != _plain(getattr(audited, part)) for part in ("question", "context")):
        return "with another question"
    one, two = _texts(stored), _texts(audited)
    if sorted(one) != sorted(two):
        return "with other options"
    if one != two and len(set(two)) < len(two):
        return "with options in another order, two of them alike,"
    keys = [
        texts[item.answer] if isinstance(item.answer, int) else "" for texts, item in ((one, stored), (two, audited))
    ]
    return "" if keys[0] == keys[1] else "with another key"


def _read(
    store: Store, record: Mapping[str, Any], name: str, stored: Benchmark, condition: str
) -> Iterator[tuple[Who, int, Ints, Ints]]:
    """Yield each model's runs: the places of the answered items, and the options chosen."""
    arms = record["arms"][name]
    arm = asked_under(condition, arms)
    if not arm:
        return
    plan = plan_reading(store, record, {name: stored}).only_counting()
    for model, revision in record["models"]:
        few = {**record, "models": [[model, revision]], "arms": {name: {arm: arms[arm]}}}
        tables = grade_study(store, few, {name: stored}, plan)[plan.choice[0]]
        grades = tables[model, name].arms[arm]
        for run in np.unique(grades.replicate).tolist():
            there = (grades.replicate == run) & (grades.chosen != NOTHING) & (grades.chosen >= 0)
            yield (model, revision), run, grades.ordinal[there], grades.chosen[there]


def _name_models(
    benchmark: Benchmark, vectors: Mapping[tuple[Who, str, str, int], Ints], left_out: Mapping[str, int]
) -> ChosenOptions:
    """Name the answer vectors by model, revision (if several) and run."""
    revisions: dict[str, set[str]] = {}
    for (name, revision), *_ in vectors:
        revisions.setdefault(name, set()).add(revision)
    runs: Counter[str] = Counter()
    names, models = [], []
    for (name, revision), *_ in vectors:
        model = f"{name} ({revision or 'no revision'})" if len(revisions[name]) > 1 else name
        runs[model] += 1
        models.append(model)
        names.append(model if runs[model] == 1 else f"{model}, run {runs[model]}")
    chosen = np.array(list(vectors.values()), dtype=np.int64).reshape(len(names), len(benchmark))
    ids = tuple(item.id for item in benchmark)
    return ChosenOptions(tuple(names), ids, chosen, tuple(models), MappingProxyType(dict(left_out)))


class AnswerMatrix(NamedTuple):
    """The option that each model chose, by item. An option that means "I do not know" counts as no answer (−1)."""

    items: tuple[Item, ...]
    models: tuple[str, ...]
    vectors: int
    """Number of response vectors, one per run of a model."""
    chosen: Ints
    """A row per model: the place of the option among the real answers."""
    options: Ints
    key: Ints
    groups: Ints

    @property
    def right(self) -> NDArray[np.float64]:
        """1 if a model is right, 0 if it is wrong, NaN without an answer."""
        return np.where(self.chosen < 0, np.nan, (self.chosen == self.key).astype(np.float64))

    def letter(self, item: int, option: int) -> str:
        """The letter of an option as the item shows it."""
        from_a = self.items[item].real_places[option]
        return LETTERS[from_a] if from_a < len(LETTERS) else f"option {from_a + 1}"

    @property
    def whose(self) -> str:
        """The models in words: "8 models (24 runs)"."""
        models = counted(len(self.models), "model")
        return models if self.vectors == len(self.models) else f"{models} ({counted(self.vectors, 'run')})"


def collect_answered(audited: Audited) -> AnswerMatrix | None:
    """Keep the items that at least one model answered; None if there are none."""
    if audited.answers is None or not audited.choices:
        return None
    by_model = audited.answers.by_model()
    whole = by_model.select_items(audited.choices)
    models, columns = np.flatnonzero((whole >= 0).any(axis=1)), np.flatnonzero((whole >= 0).any(axis=0))
    if not models.size:
        return None
    items = tuple(audited.choices[at] for at in columns)
    chosen = whole[np.ix_(models, columns)]
    key = np.empty(len(items), dtype=np.int64)
    options = np.empty(len(items), dtype=np.int64)
    for at, item in enumerate(items):
        real = item.real_places
        place = np.full(len(item.options) + 1, -1, dtype=np.int64)
        place[real] = np.arange(len(real))
        chosen[:, at], key[at], options[at] = place[chosen[:, at]], real.index(right_place(item)), len(real)
    names = tuple(by_model.vectors[at] for at in models)
    given = audited.answers
    vectors = sum(name in names for name in given.models or given.vectors)
    return AnswerMatrix(items, names, vectors, chosen, options, key, groups_of(items))
