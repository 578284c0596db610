"""How responses about a missing image were read: by a parser, and beside it by a judge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from snellen.grading.columns import NOTHING
from snellen.grading.missing_image.columns import FLAGGED
from snellen.report.components import Note, Section, rich
from snellen.report.evidence.evidence import Evidence
from snellen.report.words.numbers import count, figure, missing_image_agreement
from snellen.runtime import visible
from snellen.stats import cohens_kappa
from snellen.stress.table import Table


def draw_reading(evidence: Evidence, benchmarks: Iterable[str]) -> Iterator[Section]:
    """The parser and the judge, with how far they agree on the responses of some benchmarks."""
    if not evidence.own_questions:
        return
    read = (
        "Whether a response to an open question says that there is no image is read offline and by rules, by the "
        "parser `{}`: one label for each response, and every row names the rule. {}"
    )
    judged = describe_judge(evidence, frozenset(benchmarks)) or rich(
        "No judge was asked here: `snellen judge OUT` asks one the question of the paper."
    )
    parts = Note(rich(read, evidence.results.study["admissions_by"], missing_image_agreement())), Note(judged)
    yield Section("How these responses were read", parts, "mirage-reading")


def describe_judge(evidence: Evidence, benchmarks: frozenset[str]) -> str:
    """Which judge was asked, what of it could not be read, and its agreement with the parser; "" if none was asked."""
    tables = [each for (_, name), each in evidence.results.tables.items() if name in evidence.own_questions]
    names = list(dict.fromkeys(each.judge for each in tables if each.judge))
    if not names:
        return ""
    unread = sum(each.judge_unread for each in tables)
    agreement = describe_agreement(list(_list_flagged(each for each in tables if each.benchmark in benchmarks)))
    return visible(
        f"A judge, {', '.join(names)}, was asked the question of the paper about each response: does it mention that "
        "no image was seen, or show any doubt? Its opinion stands beside ours and replaces nothing"
        f"{f'; {count(unread)} of its answers could not be read' if unread else ''}. {agreement}"
    )


def _list_flagged(tables: Iterable[Table]) -> Iterator[tuple[bool, bool]]:
    """Of every response that the judge was heard on, whether the parser flags it and whether the judge does."""
    for said in (grades.admissions for table in tables for grades in table.arms.values()):
        if said is not None:
            heard = said.flagged != NOTHING
            yield from zip(said.is_(*FLAGGED)[heard].tolist(), (said.flagged[heard] == 1).tolist(), strict=True)


def describe_agreement(pairs: Sequence[tuple[bool, bool]]) -> str:
    """How far judge and parser agree over all responses: a model that always does the same has no κ of its own.

    >>> describe_agreement([(True, True), (False, False)] * 20 + [(False, True)] * 10)
    'On what is flagged it agrees with the parser on 80% of 50 responses, all models and scaffolds together: κ 0.62 (0.42 to 0.81).'
    """  # noqa: E501 - a doctest has no line breaks
    if not pairs:
        return "How far it agrees with the parser cannot be said: none of its answers could be read."
    parser, judge = zip(*pairs, strict=True)
    alike = figure(float(np.mean([ours == theirs for ours, theirs in pairs])), "share")
    words = f"On what is flagged it agrees with the parser on {alike} of {count(len(pairs))} responses"
    if len(set(parser)) == 1 or len(set(judge)) == 1:
        return f"{words}; there is no κ, since one of the two never differs."
    kappa = cohens_kappa(parser, judge)
    value, low, high = (figure(each, "score") for each in (kappa.value, kappa.low, kappa.high))
    return f"{words}, all models and scaffolds together: κ {value} ({low} to {high})."
