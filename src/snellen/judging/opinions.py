"""What a judge said, as tags on the responses it was asked about: its opinion joined to what is known without it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snellen.conditions import ORIGINAL
from snellen.grading.columns import NOTHING, Integers
from snellen.grading.outcomes import Outcome
from snellen.judging.reading import Opinion, read_opinions
from snellen.judging.source import cases, judging_digest
from snellen.store import Store
from snellen.stress.table import OUTCOMES, Grades
from snellen.stress.taxonomy import BIT, COMPARED, DESCRIBES, unseen


@dataclass(frozen=True)
class Opinions:
    """One judge's opinions on one model's responses to one benchmark, by arm, item and replicate."""

    judge: str = ""
    unread: int = 0
    """How many of its answers, each about one run of one item, could not be read."""
    by_reply: Mapping[tuple[str, int, int], Opinion] = field(default_factory=dict)


def opinions(store: Store, study: Mapping[str, Any], benchmark: str, model: tuple[str, str]) -> Opinions:
    """The opinions of the judge that was asked last; none where none was."""
    said = store.judgements(judging_digest(study, benchmark, model[0]))
    if not said:
        return Opinions()
    judge = said[-1][0]
    texts = {(ordinal, replicate): (text, bool(sent)) for name, ordinal, replicate, text, sent in said if name == judge}
    found: dict[tuple[str, int, int], Opinion] = {}
    unread = 0
    for case in cases(store, study, benchmark, model):
        if (case.ordinal, case.replicate) not in texts:
            continue
        text, attached = texts[case.ordinal, case.replicate]
        read = read_opinions(text, case.exhibits, attached=attached)
        unread += read is None
        for exhibit, opinion in zip(case.exhibits, read or (), strict=False):
            found[exhibit.arm, case.ordinal, case.replicate] = opinion
    return Opinions(judge, unread, found)


def with_opinions(by_arm: Mapping[str, Grades], said: Opinions) -> dict[str, Grades]:
    """The grades with the tags of every reply that was judged, each arm held against the one as asked."""
    if not said.by_reply:
        return dict(by_arm)
    blind = next((grades for arm, grades in by_arm.items() if unseen(arm)), None)
    made = {}
    for arm, grades in by_arm.items():
        told = grades.rationales
        if told is not None:
            other = blind if arm == ORIGINAL.name else by_arm.get(ORIGINAL.name)
            judged, heard = _columns(said, arm, grades, other)
            grades = grades.having(replace(told, judged=judged, heard=heard))
        made[arm] = grades
    return made


def _columns(said: Opinions, arm: str, grades: Grades, other: Grades | None) -> tuple[Integers, NDArray[np.bool_]]:
    """The tags of every reply of an arm, and which replies were judged; `other` is the arm it is held against."""
    judged = np.zeros(len(grades), dtype=np.int64)
    heard = np.zeros(len(grades), dtype=bool)
    chosen = {} if other is None else dict(zip(other.runs(), other.chosen.tolist(), strict=True))
    for place, run in enumerate(grades.runs()):
        if (opinion := said.by_reply.get((arm, *run))) is not None:
            choice = int(grades.chosen[place])
            same = choice != NOTHING and chosen.get(run) == choice
            judged[place] = tags(opinion, OUTCOMES[grades.outcome[place]], arm=arm, same=same)
            heard[place] = True
    return judged, heard


def tags(opinion: Opinion, outcome: Outcome, *, arm: str, same: bool) -> int:
    """The tags that an opinion and a grade amount to, a bit each; `same`: it chose what it chose under another arm."""
    right, wrong = outcome is Outcome.CORRECT, outcome is Outcome.WRONG
    false = bool(opinion.unsupported) or (unseen(arm) and bool(opinion.sees))
    sure = not opinion.doubt
    holds = {
        "hallucinated perception": right and false,
        "misgrounded reasoning": wrong and bool(opinion.unsupported) and not unseen(arm),
        "uninformative steps": not opinion.informative,
        "confident false heuristic": wrong and opinion.habit and sure,
        "hallucinated features": false,
        "answer-driven reasoning": same and bool(opinion.contradicts),
        "overconfident but wrong": wrong and sure and bool(opinion.sees),
        "visual misperception": false,
        "justification error": false or not opinion.follows,
        "logical inconsistency": not opinion.follows or bool(opinion.contradicts),
        "fluent factual error": wrong and sure and false,
        "unsafe recommendation": opinion.unsafe,
    }
    bits = sum(BIT[name] for name, held in holds.items() if held)
    return bits | (DESCRIBES if opinion.sees else 0) | (COMPARED if opinion.compared else 0)
