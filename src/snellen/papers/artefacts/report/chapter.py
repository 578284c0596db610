"""Image artefacts: the tests of "Understanding the robustness of vision-language models to medical image artefacts".

A chapter of its own, as far as they were asked: what weak artefacts cost, whether strong ones are noticed, and folded
the images themselves, real images of poor quality, the curves, reasons against conclusions, and the methods.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snellen.papers.artefacts.report.curves import draw_curves
from snellen.papers.artefacts.report.images import TypicalItem, choose, draw_images
from snellen.papers.artefacts.report.maps import (
    CURVE,
    STRONG,
    WEAK,
    about_artefacts,
    arms_by_artefact,
    describe_way,
    draw_conflict_map,
    draw_strong_maps,
    draw_weak_maps,
    of_family,
    strategy,
    wordless,
)
from snellen.papers.artefacts.report.methods import draw_counts, draw_methods
from snellen.papers.artefacts.report.pooled import draw_pooled
from snellen.papers.artefacts.report.real_images import draw_real_images
from snellen.papers.artefacts.tests.arms import ALL_ARTEFACTS
from snellen.papers.artefacts.tests.strong import RATE
from snellen.report.chapter import Chapter
from snellen.report.components import Fold, Note, Part, Section, Table, explain, quiet, rich
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.forests import Against, plotted, resting
from snellen.report.lookup import Lookup, family
from snellen.report.sections.headline import say_who_flags
from snellen.report.sections.questions import describe_result
from snellen.report.sections.tests import ShownTest, draw_grids, label, list_verdicts
from snellen.report.words.arms import artefact_words
from snellen.report.words.numbers import begun, figure
from snellen.stress.conclusions import TOLERATED

MOST_NUMBERS = 1200
"""More numbers than this, over all tests of the chapter, are in results.csv alone, to keep the page small."""
MOST_FLAGGED = 0.5
"""The share of unreadable images that a good model flags at least."""
ABOUT = (
    "A **weak** artefact is meant to leave an image that can still be read: the answer should not change. A **strong** "
    "one is meant to leave an image that nobody can grade: the right response says so. Both are the paper’s settings; "
    "[look at the images](#artefact-images) before you hold a model to them: a person may still read a quarter turn, "
    "and weak noise hides fine detail."
)
ON_WEAK = (
    "Two numbers, which do not compare. The verdicts rest on the **worst absolute loss**, of the one artefact that "
    "costs a model most, in points: from 70% to 50% is −20. The paper has the **mean relative loss**, over all "
    "artefacts and in percent of the accuracy on the same images as they are: the same fall is −29%. A response that "
    "flags the image or declines counts as not right in both."
)
ON_WEAK_MAP = (
    "Orange is lost, blue is gained, the stronger the more. In a cell: the relative change, its 95% CI, and accuracy "
    "before → after on the same items. “Surely lower”: the p-value of the paired change, corrected over all tests "
    "(Holm), is below 0.05. The parts of a benchmark are small and not tested: look at the pattern, and conclude "
    "nothing from one cell. “–”: not asked, or nothing was right on the images as they are."
)
ON_STRONG = (
    "An image is **flagged** where the response calls it too poor and gives no diagnosis. Flagging everything is no "
    "skill: the same model’s rate on the images as they are stands below."
)
ON_STRONG_MAP = (
    "Blue is flagged as it should be, the stronger the more often; orange, in the first column, is flagged for "
    "nothing. **Spoken of** is how often a response calls the quality poor at all, also where it then diagnoses, which "
    "is what the paper counts; it stands there where it is more. “–”: not asked, or a model without words. The parts "
    "of a benchmark are small: look at the pattern."
)
ON_REASONS = (
    "The share of responses that say one thing of the image and conclude the other: a mass is described and the "
    "conclusion is normal, or only absent signs are listed and the conclusion is disease. Counted among the responses "
    "that say anything clear of the image; where others say nothing, the share of all stands below. Read by rules: a "
    "conflict that only a clinician would see is not in it."
)
NO_REASONS = "No response says anything of the image beside its conclusion, so that nothing can conflict."


def draw_artefacts(
    evidence: Evidence, sections: Sequence[ShownTest], chosen: Sequence[TypicalItem]
) -> list[Part] | None:
    """The chapter of a study that asked any of these tests; None for any other."""
    told = [each for each in sections if about_artefacts(each.test)]
    if not told:
        return None
    lookup = Lookup(evidence)
    listed = sum(len(finding.measures) for each in told for finding in each.findings) <= MOST_NUMBERS
    asked = {
        name: _draw_asked(lookup, [each for each in told if family(each.findings[0]) == name], listed=listed)
        for name in (WEAK, STRONG, CURVE)
    }
    curves = draw_curves(lookup) or [_not_asked("a curve needs three strengths at least", CURVE)]
    conflicts = draw_conflict_map(lookup)
    reasons: list[Part] = [quiet(ON_REASONS), conflicts] if conflicts else [quiet(NO_REASONS)]
    folds: dict[str, tuple[str, list[Part]]] = {
        "The images, and what was said of them": ("artefact-images", draw_images(evidence, chosen)),
        "Real images: is it worse where the photograph is poor?": ("artefact-real", draw_real_images(lookup)),
        "How bad does an image have to be before the diagnosis is lost?": ("artefact-curves", [*curves, *asked[CURVE]]),
        "Do its reasons lead to its conclusion?": ("artefact-reasons", reasons),
        "How it was counted": ("artefact-methods", draw_methods(lookup)),
    }
    return [
        Note(rich(ABOUT)),
        *_name_wordless(lookup),
        Section("Does it say so when an image cannot be read?", tuple(_draw_strong(lookup, asked[STRONG])),
                "artefact-strong"),
        Section("How much is lost under weak artefacts?", tuple(_draw_weak(lookup, asked[WEAK])), "artefact-weak"),
        *(Fold(title, tuple(parts), anchor=anchor) for title, (anchor, parts) in folds.items() if parts),
        *draw_pooled(lookup, sections),
    ]  # fmt: skip


def _draw_asked(lookup: Lookup, asked: Sequence[ShownTest], *, listed: bool) -> list[Part]:
    """Every way of asking a test, the first opened: the verdicts, what they rest on, and folded all numbers."""
    evidence, made = lookup.evidence, list[Part]()
    for shown in asked:
        # those of strong artefacts stand in one plot over all ways of asking
        those = () if family(shown.findings[0]) == STRONG else shown.findings
        plots = resting(those, evidence=evidence, label=lambda each: label(each, evidence))
        number = sum(len(each.measures) for each in shown.findings)
        left = quiet(f"All {number:,} numbers of this test are in results.csv, to keep this page small.")
        numbers = draw_grids(evidence, shown.findings) if listed else [left]
        parts = (list_verdicts(evidence, shown.findings), *plots, *numbers)
        words = begun(strategy(shown.test, evidence.results.study))
        result = f"{describe_result([shown])} ({shown.test.name})"
        made.append(Fold(words, parts, result, shown.anchor, open=not made))
    return made


def _draw_strong(lookup: Lookup, asked: Sequence[Part]) -> Iterator[Part]:
    if not asked:
        yield _not_asked("no test of this study used strong artefacts", STRONG)
        return
    yield from (Note(f"{said}.") for said in [say_who_flags(lookup.evidence.results)] if said)
    yield quiet(rich(ON_STRONG))
    caption = "Flagged: images with a strong artefact, mean over all of them"
    limit = Against(MOST_FLAGGED, words="the limit,")
    yield from _draw_over_models(lookup, (STRONG, RATE, ALL_ARTEFACTS), caption, limit)
    limit = Against(TOLERATED, words="the limit,")
    yield from _draw_over_models(lookup, (STRONG, RATE, ""), "Flagged all the same: the images as they are", limit)
    yield from asked
    yield from explain("Artefact by artefact", rich(ON_STRONG_MAP), draw_strong_maps(lookup))


def _draw_weak(lookup: Lookup, asked: Sequence[Part]) -> Iterator[Part]:
    if not asked:
        yield _not_asked("no test of this study used weak artefacts", WEAK)
        return
    yield from (Note(said) for said in [_say_worst(lookup)] if said)
    yield quiet(rich(ON_WEAK))
    yield Section("Worst absolute loss, in points: what the verdicts rest on", tuple(asked))
    caption = "Accuracy under weak artefacts, mean over all of them: change in percent of what there was"
    lost = tuple(_draw_over_models(lookup, (WEAK, "percent_change", ALL_ARTEFACTS), caption, Against()))
    maps = draw_weak_maps(lookup)
    nothing = quiet("Nothing was answered both as it is and degraded.")
    told = (*lost, quiet(ON_WEAK_MAP), *maps) if maps else (nothing,)
    yield Section("Mean relative loss, in percent of the accuracy with the images as they are", told)
    yield from (each for each in [draw_counts(lookup)] if each)


def _say_worst(lookup: Lookup) -> str:
    """What the artefact that costs most costs each model, by the first prompt that was asked."""
    findings = of_family(lookup, WEAK)
    said = [
        f"{label(each, lookup.evidence)} {figure(decides.estimate.value, 'points')} ({artefacts[decides.arm]})"
        for each in findings
        if each.test.name == findings[0].test.name and (decides := each.verdict.rests_on) is not None
        if decides.arm
        in (artefacts := {arm: artefact_words(name) for name, arm in arms_by_artefact(each.test).items()})
    ]
    return f"Under the weak artefact that costs it most: {', '.join(said)}." if said else ""


def _draw_over_models(lookup: Lookup, number: tuple[str, str, str], caption: str, against: Against) -> Iterator[Table]:
    """A measure of a family's arm, or without one of each test's baseline, over all models and prompts."""
    name, measure, arm = number
    found = [(each, each.measure(arm or each.test.baseline.name, measure)) for each in of_family(lookup, name)]
    there = [(finding, each) for finding, each in found if each is not None]
    if there:
        yield plotted(there, lookup.evidence, lambda each: describe_way(lookup, each), where=arm, caption=caption,
                      against=against)  # fmt: skip


def _name_wordless(lookup: Lookup) -> Iterator[Note]:
    """Which models have no words, so that no rate of flags or reasons is theirs to have."""
    if silent := wordless(lookup, [*of_family(lookup, WEAK), *of_family(lookup, STRONG)]):
        one = len(silent) == 1
        yield Note(
            f"{', '.join(silent)} {'answers' if one else 'answer'} by probabilities alone and "
            f"{'has' if one else 'have'} no words: {'it' if one else 'they'} cannot flag an image, decline or give "
            "reasons. A dash stands for these rates.",
            look="warning",
        )


def _not_asked(why: str, name: str) -> Note:
    return quiet(rich("Not asked: {} (`--tests {}`).", why, name))


CHAPTER = Chapter(
    anchor="artefacts",
    title="Image artefacts: does it still see when the image is worse?",
    short="Artefacts",
    choose=choose,
    build=draw_artefacts,
    covers=lambda section: about_artefacts(section.test),
    paper="Understanding the robustness of vision-language models to medical image artefacts",
)
