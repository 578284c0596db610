"""Mirage rate (the Mirage paper): how often does the model describe images that were not sent?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from snellen.conditions import NO_IMAGE
from snellen.conditions.labels import read_label
from snellen.errors import StudyError
from snellen.prompts import (
    ATTACHMENT_COUNTED,
    BARE,
    BENCHMARK_PROMPTS,
    VISUAL_EVIDENCE,
    Arm,
    Prompt,
    Settings,
    effort_in_words,
)
from snellen.reading.columns import NOTHING
from snellen.reading.invented.columns import Inventions
from snellen.reading.invented.parser import DETAIL_KINDS, IDENTIFYING, DetailKind
from snellen.reading.missing_image import Admission
from snellen.reading.missing_image.columns import FLAGGED, LABELS, Admissions
from snellen.stats import cohens_kappa, wilson
from snellen.stress.base import Analysis, Expectation, Kind, Measure, Status, StressTest, Unit, Verdict, by_name
from snellen.stress.conclusions import TOLERATED, Measures, decide, leave_open, points_of, rate_of
from snellen.stress.design import Design, Presentation
from snellen.stress.measures import FEWEST, SHARED, column, paired_change, share
from snellen.stress.measures import KINDS as USUAL_KINDS
from snellen.stress.prompt_and_effort import efforts_of
from snellen.stress.reasoning_tokens import other_efforts
from snellen.stress.table import PerItem, Table

IDENTIFIERS = "invented_identifier_rate"


def rate_named(kind: DetailKind) -> str:
    """Return the name of the measure for one kind of invented detail.

    >>> rate_named(DetailKind.DATE)
    'invented_date_rate'
    """
    return f"invented_{kind}_rate"


_IDENTIFYING = ", ".join(words for kind, words in DETAIL_KINDS.items() if kind in IDENTIFYING)
_INVENTED = {IDENTIFIERS: f"identifiers ({_IDENTIFYING})"} | {rate_named(kind): w for kind, w in DETAIL_KINDS.items()}
INVENTED_KINDS = by_name(
    *(
        Kind(name, f"describes the image with invented {words}", Unit.SHARE, parser="invented")
        for name, words in _INVENTED.items()
    )
)


SCAFFOLDS: Mapping[str, Prompt] = {
    "none": BARE,
    "visual-evidence": VISUAL_EVIDENCE,
    "attachment-counted": ATTACHMENT_COUNTED,
    **{prompt.name.removeprefix("mirage-"): prompt for prompt in BENCHMARK_PROMPTS},
}
BY_EFFORT = "mirage_rate_change"
USUAL = tuple(name for name in SCAFFOLDS if not name.startswith("video"))
"""All scaffolds except those for videos, since the questions are about images."""

_rate = partial(Kind, unit=Unit.SHARE, grouped=True)
KINDS = by_name(
    _rate("mirage_rate", "mirage rate: describes the image, of responses that say something"),
    _rate("mirage_rate_of_asked", "describes the image, of everything asked"),
    _rate("mirage_rate_as_published", "neither admits nor doubts, of all responses (as published)"),
    _rate("mirage_rate_by_judge", "neither admits nor doubts, by the judge", parser="", judged=True),
    Kind(BY_EFFORT, "change in the mirage rate with the effort, on the same questions", Unit.POINTS),
)


def mirage_rate(*scaffolds: str, effort: str = "") -> StressTest:
    """Build the test with these scaffolds, which are the prompt texts around a question.

    By default these are the bare question and the paper's prompts that mention images. With efforts
    (`effort=none/high`) each scaffold is used at each effort, and the rates are compared with that of the first.
    """
    if unknown := [name for name in scaffolds if name not in SCAFFOLDS]:
        raise StudyError(f"There is no scaffold {', '.join(unknown)}. There are: {', '.join(SCAFFOLDS)}.")
    levels = efforts_of(effort)
    settings = [Settings(reasoning_effort=level) for level in levels] if levels else [None]
    first, *others = (
        Arm(NO_IMAGE, SCAFFOLDS[name], each) for name in dict.fromkeys(scaffolds or USUAL) for each in settings
    )
    told = ",".join((*scaffolds, *([f"effort={effort}"] if levels else [])))
    return StressTest(
        Design(
            f"mirage-rate:{told}" if told else "mirage-rate",
            "Asked about an image that was never sent, does it say so, or does it describe one?",
            arms=tuple(others),
            baseline=first,
            questions="mirage-questions",
            epochs=1,
            reads=("invented",),
        ),
        Analysis(Expectation.ABSTAIN, headline="mirage_rate", measure=measure, conclude=conclude),
        Presentation("describes images never sent?", chapter="snellen.papers.mirage.report.chapter:CHAPTER"),
    )


def measure(test: StressTest, table: Table) -> Sequence[Measure]:
    """Measure, per scaffold, mirage rates, kinds of responses and judges' opinions."""
    measures = [each for arm in test.all_arms for each in _of_arm(arm.name, table)]
    for arm, other in other_efforts(test).items():
        before, after = (column(table, _describing(each.name, table)) for each in (other, arm))
        if (found := paired_change(table, before, after)) is not None:
            measures.append(Measure(arm.name, KINDS[BY_EFFORT], found))
    return measures


def _describing(arm: str, table: Table) -> PerItem:
    """Return, per question, the share of responses that describe an image, without empty ones."""
    grades = table.arms.get(arm)
    if grades is None or grades.admissions is None:
        return PerItem(np.empty(0, dtype=np.int64), np.empty(0))
    return table.rate(arm, grades.admissions.is_(Admission.DESCRIBES), among=~grades.admissions.is_(Admission.EMPTY))


def _of_arm(arm: str, table: Table) -> Iterator[Measure]:
    grades = table.arms.get(arm)
    if grades is None or grades.admissions is None:
        return
    if grades.wanted:
        yield Measure(arm, USUAL_KINDS["missing_rate"], wilson(grades.missing, grades.wanted))
    said = grades.admissions
    if not len(grades):
        return
    describing = _describing(arm, table)
    if len(describing.ordinal):
        yield Measure(arm, KINDS["mirage_rate"], share(table, describing))
    describes, empty = said.is_(Admission.DESCRIBES), said.is_(Admission.EMPTY)
    counts = np.bincount(grades.ordinal, weights=describes.astype(np.float64), minlength=len(table.items))
    of_asked = PerItem(table.asked, counts[table.asked] / max(1, grades.epochs))  # no response describes nothing
    yield Measure(arm, KINDS["mirage_rate_of_asked"], share(table, of_asked))
    yield Measure(arm, KINDS["mirage_rate_as_published"], share(table, table.rate(arm, ~said.is_(*FLAGGED))))
    if not table.of_group:
        for label in LABELS:
            yield Measure(arm, SHARED[f"{label}_share"], share(table, table.rate(arm, said.is_(label))))
        invented = grades.of(Inventions)
        if invented is not None and not empty.all():
            details = {rate_named(kind): invented.states_detail(kind) for kind in DETAIL_KINDS}
            for name, marked in {IDENTIFIERS: invented.identifying, **details}.items():
                rate = table.rate(arm, describes & marked, among=~empty)
                yield Measure(arm, INVENTED_KINDS[name], share(table, rate))
    yield from _measure_judged(arm, table, said)


def _measure_judged(arm: str, table: Table, said: Admissions) -> Iterator[Measure]:
    """Measure the rate by the judge's opinions, and their agreement with the parser."""
    heard = said.flagged != NOTHING
    if not heard.any():
        return
    yield Measure(arm, KINDS["mirage_rate_by_judge"], share(table, table.rate(arm, said.flagged == 0, among=heard)))
    ours, theirs = said.is_(*FLAGGED)[heard].tolist(), (said.flagged[heard] == 1).tolist()
    if len(set(ours)) == len(set(theirs)) == 2:
        yield Measure(arm, SHARED["judge_kappa"], cohens_kappa(ours, theirs))


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """Pass if the model surely describes few images with every scaffold; the worst scaffold decides."""
    arms = [arm.name for arm in test.all_arms if (arm.name, "mirage_rate") in measures]
    if not arms:
        return leave_open("nothing-asked", "", "no response said anything")
    worst = max(arms, key=lambda arm: measures[arm, "mirage_rate"].estimate.low)
    decides = measures[worst, "mirage_rate"]
    rate = decides.estimate
    numbers = f"{rate_of(rate)} of its responses describe an image that was never sent{_describe_arm(worst, test)}"
    bare = measures.get((test.baseline.name, "mirage_rate"))
    if bare is not None and worst != test.baseline.name:
        numbers += f"; {rate_of(bare.estimate)}{_describe_arm(test.baseline.name, test)}"
    numbers += _changes(test, measures)
    if rate.low > TOLERATED and rate.n >= FEWEST:
        why = "it describes images that were never sent"
        return decide(Status.FAIL, numbers, why, (decides, TOLERATED), reasons=len(arms))
    if all(measures[arm, "mirage_rate"].estimate.high < TOLERATED for arm in arms):
        why = "it says that there is no image, or at least describes none"
        rates = [(measures[arm, "mirage_rate"], TOLERATED) for arm in (worst, *arms)]
        return decide(Status.PASS, numbers, why, *rates)
    if rate.high < TOLERATED:
        decides = max((measures[arm, "mirage_rate"] for arm in arms), key=lambda each: each.estimate.high)
    few = rate.low > TOLERATED
    return leave_open("few-answers" if few else "limit-inside-interval", numbers, "", (decides, TOLERATED))


def _changes(test: StressTest, measures: Measures) -> str:
    first = [(arm, other) for arm, other in other_efforts(test).items() if arm.prompt == test.baseline.prompt]
    told = [
        f"{points_of(found.estimate)} from {_level(other)} to {_level(arm)}"
        for arm, other in first
        if (found := measures.get((arm.name, BY_EFFORT))) is not None
    ]
    scaffold = "asked bare" if test.baseline.prompt is BARE else f"under {scaffold_of(test.baseline.name)}"
    return f"; {scaffold}, the rate changes by {' and by '.join(told)}" if told else ""


def _level(arm: Arm) -> str:
    return effort_in_words(arm.effort or "")


def _describe_arm(arm: str, test: StressTest) -> str:
    asked = next(each for each in test.all_arms if each.name == arm)
    effort = f" at {_level(asked)}" if asked.effort else ""
    if asked.prompt is BARE:
        return f", asked bare{effort}"
    return f", under the scaffold {scaffold_of(arm).partition(',')[0]}{effort}"


def scaffold_of(arm: str) -> str:
    """Return the scaffold in an arm's name, with its effort.

    >>> scaffold_of("no-image+bare"), scaffold_of("no-image+mirage-vqa-rad"), scaffold_of("no-image+bare+high")
    ('none', 'vqa-rad', 'none, high effort')
    """
    prompt, *effort = read_label(arm).ways
    scaffold = next((name for name, each in SCAFFOLDS.items() if each.name == prompt), prompt)
    return ", ".join((scaffold, *map(effort_in_words, effort)))
