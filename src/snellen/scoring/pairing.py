"""Match the models, benchmarks and questions of two studies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from snellen.conditions import ORIGINAL
from snellen.errors import StudyError
from snellen.items import CHOICE, Item
from snellen.plugins import did_you_mean
from snellen.prompts import asked_under
from snellen.reading.parsers import parser_named
from snellen.scoring.results import Results
from snellen.store import Store, StoredItem
from snellen.stress.table import Grades, Table

FIRST, SECOND = "first", "second"
"""Names of the two studies; in the joined table they replace the names of conditions."""
Names = tuple[str, str]
"""A model's or benchmark's name in the first study and in the second."""


@dataclass(frozen=True, eq=False)
class ComparedStudy:
    """One of two scored studies, with its store and perhaps the one model to compare."""

    store: Store
    results: Results
    model: str | None = None
    _asked: dict[Names, Mapping[int, StoredItem]] = field(default_factory=dict, repr=False)

    @property
    def models(self) -> list[str]:
        """Names of the study's models, or only the chosen one."""
        return [self.model] if self.model else [name for name, _ in self.results.study["models"]]

    @property
    def imported(self) -> bool:
        """True if the responses come from files, which may not record the images sent."""
        return "imported" in self.results.study

    def as_it_is(self, benchmark: str) -> str:
        """Name of the condition with the original image, with any prompt and effort. "" if there is none."""
        return asked_under(ORIGINAL.name, self.results.study["arms"][benchmark])

    def load_asked(self, benchmark: str, arm: str) -> Mapping[int, StoredItem]:
        """Load the items as a condition shows them; empty if the study lacks that condition."""
        if (benchmark, arm) not in self._asked:
            digest = self.results.study["arms"][benchmark].get(arm)
            self._asked[benchmark, arm] = (
                self.store.variants.load_items(self.store.studies.arm(digest)[0]) if digest else {}
            )
        return self._asked[benchmark, arm]

    def __str__(self) -> str:
        study = self.results.study
        models = ", ".join(name for name, _ in study["models"])
        benchmarks = ", ".join(
            f"{name} ({len(items)} questions; conditions {', '.join(study['arms'][name])})"
            for name, items in self.results.benchmarks.items()
        )
        return f"{study['name']} in {self.results.out}: models {models}; benchmarks {benchmarks}"


def shared_parsers(one: Mapping[str, Any], two: Mapping[str, Any], named: Sequence[str]) -> tuple[str, ...]:
    """Return the named parsers. If none reads choices, add the parser of both studies.

    StudyError if that parser differs between the studies.
    """
    if any(parser_named(name).kind == CHOICE for name in named):
        return tuple(named)
    first, second = one["parser"], two["parser"]
    if first != second:
        raise StudyError(
            f"The parser {first!r} reads the first study, and the parser {second!r} reads the second. Choose one "
            f"parser for both with --parser (parsers=[{first!r}])."
        )
    return (*named, first)


def paired_models(first: ComparedStudy, second: ComparedStudy) -> list[Names]:
    """Pair the models by name, or if each study has only one, these two."""
    for which, side in ((FIRST, first), (SECOND, second)):
        known = [name for name, _ in side.results.study["models"]]
        if side.model is not None and side.model not in known:
            hint = did_you_mean(side.model, known)
            raise StudyError(f"There is no model {side.model!r} in the {which} study.{hint} It has {', '.join(known)}.")
    if len(first.models) == len(second.models) == 1:
        return [(first.models[0], second.models[0])]
    if same := [(name, name) for name in first.models if name in second.models]:
        return same
    raise StudyError(
        f"No model has the same name in both studies. The first has {', '.join(first.models)}; the second has "
        f"{', '.join(second.models)}. Choose the two models to compare: --model1 NAME --model2 NAME."
    )


def paired_benchmarks(first: ComparedStudy, second: ComparedStudy) -> list[Names]:
    """Pair the benchmarks by name, or if each study has only one, these two."""
    one, two = (list(side.results.benchmarks) for side in (first, second))
    if len(one) == len(two) == 1:
        return [(one[0], two[0])]
    return [(name, name) for name in one if name in two]


class MatchedPlaces(NamedTuple):
    """Places of the matching questions in each study, and why others are left out.

    `by_words` counts pairs matched by text alone, because a study does not record which image was sent.
    """

    first: tuple[int, ...]
    second: tuple[int, ...]
    left_out: Mapping[str, int]
    by_words: int = 0


@dataclass(frozen=True)
class QuestionPairs:
    """Questions of one benchmark in both studies."""

    first: ComparedStudy
    second: ComparedStudy
    benchmarks: Names
    one: Sequence[Item]
    two: Sequence[Item]

    def match_questions(self) -> MatchedPlaces:
        """Find the questions with the same id, text, options, key and image in both studies."""
        places1, places2 = ({item.id: at for at, item in enumerate(items)} for items in (self.one, self.two))
        only = {
            "with the id of another question": len(self.one) - len(places1) + len(self.two) - len(places2),
            f"only in the {FIRST} study": len(places1.keys() - places2.keys()),
            f"only in the {SECOND} study": len(places2.keys() - places1.keys()),
        }
        pairs = [(places1[name], places2[name]) for name in sorted(places1.keys() & places2.keys())]
        reasons = [self._differs(*pair) for pair in pairs]
        found = _keep_pairs(pairs, reasons)
        left_out = {**{words: count for words, count in only.items() if count}, **found.left_out}
        return found._replace(left_out=left_out, by_words=reasons.count(_UNKNOWN))

    def restrict_to_arm(self, arm: str, places: MatchedPlaces, answered: tuple[set[int], set[int]]) -> MatchedPlaces:
        """Keep questions answered by both models and identical in both studies under a condition."""
        pairs = list(zip(places.first, places.second, strict=True))
        return _keep_pairs(pairs, [self._differs_under(arm, *pair, answered) for pair in pairs])

    def _differs(self, a: int, b: int) -> str:
        """Reason why two questions with the same id differ; "" if they are the same."""
        if self._same_benchmark and not (self.first.imported or self.second.imported):
            return ""
        for part, words in _CONTENT.items():
            if getattr(self.one[a], part) != getattr(self.two[b], part):
                return f"with another {words}"
        arms = (side.as_it_is(name) for side, name, _ in self._places(a, b))
        return self._images(tuple(arms), a, b)

    @property
    def _same_benchmark(self) -> bool:
        """True if texts and images of the whole benchmark match; imports may not record images."""
        one, two = (
            side.results.study["benchmarks"][name]
            for side, name in zip((self.first, self.second), self.benchmarks, strict=True)
        )
        return bool(one == two)

    def _differs_under(self, arm: str, a: int, b: int, answered: tuple[set[int], set[int]]) -> str:
        for side, name, at in self._places(a, b):
            shown = side.load_asked(name, arm).get(at)
            if shown is not None and shown.inapplicable is not None:
                return "to which the condition does not apply"
        for which, at, some in ((FIRST, a, answered[0]), (SECOND, b, answered[1])):
            if at not in some:
                return f"without a response in the {which} study"
        one, two = (side.load_asked(name, arm)[at].changed for side, name, at in self._places(a, b))
        if one != two:
            return "that the condition changed in another way"
        return self._images((arm, arm), a, b)

    def _places(self, a: int, b: int) -> Iterator[tuple[ComparedStudy, str, int]]:
        yield self.first, self.benchmarks[0], a
        yield self.second, self.benchmarks[1], b

    def _images(self, arms: Sequence[str], a: int, b: int) -> str:
        """Reason why the images sent differ; "" if identical; `_UNKNOWN` if one is not recorded."""
        told = []
        for arm, (side, name, at) in zip(arms, self._places(a, b), strict=True):
            shown = side.load_asked(name, arm).get(at)
            told.append(None if shown is None or (side.imported and not shown.images) else shown.images)
        if None in told:
            return _UNKNOWN
        return "" if told[0] == told[1] else "with another image"


_UNKNOWN = "the files do not say which image was sent"
_CONTENT = {
    "kind": "kind of question",
    "question": "text",
    "context": "context",
    "options": "list of options",
    "answer": "key",
    "normal": "option that means normal",
}
"""Fields that must match in both studies, with their names in messages."""


def _keep_pairs(pairs: Sequence[tuple[int, int]], reasons: Sequence[str]) -> MatchedPlaces:
    """Keep the pairs without a reason against them; count the reasons of the others."""
    kept = [pair for pair, reason in zip(pairs, reasons, strict=True) if reason in ("", _UNKNOWN)]
    against = Counter(reason for reason in reasons if reason not in ("", _UNKNOWN))
    return MatchedPlaces(tuple(a for a, _ in kept), tuple(b for _, b in kept), dict(against.most_common()))


def join_tables(one: Table, two: Table, arm: str, places: MatchedPlaces) -> Table:
    """Join both studies' responses to the same questions as a table with two conditions."""
    asked = [one.items[at] for at in places.first]
    patients = _patients(asked, [two.items[at] for at in places.second])
    items = tuple(replace(item, cluster=patient) for item, patient in zip(asked, patients, strict=True))
    arms = {
        FIRST: _select_questions(one.arms[arm], places.first),
        SECOND: _select_questions(two.arms[arm], places.second),
    }
    return Table(one.model, one.benchmark, items, arms, one.parser)


def _select_questions(grades: Grades, places: Sequence[int]) -> Grades:
    """Select the responses to the questions at these places, and renumber the questions."""
    to = np.full(1 + max((*places, int(grades.ordinal.max(initial=0)))), -1)
    to[list(places)] = np.arange(len(places))
    few = grades.select_responses(to[grades.ordinal] >= 0)
    return replace(few, ordinal=to[few.ordinal], key=np.empty(0, dtype=np.int64), distances={})


def _patients(one: Sequence[Item], two: Sequence[Item]) -> list[str]:
    """Name the patient of each question; patients that either study treats as one are merged."""
    above: dict[str, str] = {}

    def top(name: str) -> str:
        while (higher := above.setdefault(name, name)) != name:
            above[name] = name = above.setdefault(higher, higher)
        return name

    for at, items in enumerate(zip(one, two, strict=True)):
        for which, item in zip((FIRST, SECOND), items, strict=True):
            if item.cluster:
                above[top(f"question {at}")] = top(f"{which} {item.cluster}")
    return [top(f"question {at}") for at in range(len(one))]
