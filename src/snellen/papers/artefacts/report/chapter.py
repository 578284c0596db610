"""The chapter on image artefacts.

It covers the tests of "Understanding the robustness of vision-language models to medical image artefacts". Open parts
show the loss under weak artefacts and the flagging of strong ones. Folded parts show the images, real images of poor
quality, curves, conflicting reasons and methods.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite
from typing import NamedTuple

from snellen.items import UNGRADABLE
from snellen.papers.artefacts.report.curves import draw_curves
from snellen.papers.artefacts.report.images import TypicalItem, choose, draw_images
from snellen.papers.artefacts.report.maps import (
    CURVE,
    POOLED,
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
from snellen.papers.artefacts.tests.arms import ALL_ARTEFACTS
from snellen.papers.artefacts.tests.detection_measures import CONTRAST, GROUPS, HIGH, LOW, SCORES, quality_of
from snellen.papers.artefacts.tests.pooled import BEST, ORIGINALS, paper_kind, part_of
from snellen.papers.artefacts.tests.pooled import STRONG as ALL_STRONG
from snellen.papers.artefacts.tests.pooled import WEAK as ALL_WEAK
from snellen.papers.artefacts.tests.strong import RATE
from snellen.papers.paper import figures
from snellen.report.chapter import Chapter
from snellen.report.components import Cell, Fold, Note, Part, Row, Section, Table, explain, name_columns, quiet, rich
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.forests import Against, anchor_of_measure, number_to_tenths, plot_measures, resting
from snellen.report.lookup import Lookup, family
from snellen.report.sections.headline import listed, short_names
from snellen.report.sections.questions import describe_result
from snellen.report.sections.tests import ShownTest, draw_grids, label, list_verdicts
from snellen.report.words.arms import artefact_words
from snellen.report.words.numbers import begun, count, figure
from snellen.scoring.findings import ALL_MODELS, Finding
from snellen.stress.base import Measure
from snellen.stress.conclusions import TOLERATED
from snellen.stress.verdicts.sentences import share_with_interval

WORDS = {HIGH: "high quality", LOW: "low quality", UNGRADABLE: "ungradable"}
RATES = ("flagged_rate", "declined_rate")
COLUMNS = name_columns("images", *SCORES, "flagged", "declined")
PLOTS = (
    (GROUPS[HIGH], "group_accuracy", "Accuracy: real images of high quality"),
    (GROUPS[LOW], "group_accuracy", "Accuracy: real images of low quality"),
    (CONTRAST, "group_accuracy_difference", "Accuracy on high minus on low quality, in points: other patients"),
    (GROUPS[UNGRADABLE], "group_flagged_rate", "Flagged: real images that cannot be graded"),
)
ON_REAL = (
    "Nobody degraded these images: they are asked about as they are, in groups by the quality that the benchmark gives "
    "them. Images: {}. **The groups are of other patients**, so a difference may come from who is in them, not from "
    "the quality alone; under artefacts that are put on, the same images are asked twice. Of an ungradable image no "
    "diagnosis is right: the right response flags it, and it counts in no accuracy of this chapter. 95% CIs are "
    "Wilson’s, wider where patients have several images; the difference is unpaired (MOVER, for proportions "
    "Newcombe’s). No verdict rests on these numbers."
)


def draw_real_images(lookup: Lookup) -> list[Part]:
    """Draw the results by image quality; return nothing if the benchmark gives no quality."""
    findings = list(_list_findings(lookup))
    if not findings:
        return []
    asked = dict.fromkeys(each.benchmark for each in findings)
    sizes = Counter(quality_of(item) for name in asked for item in lookup.evidence.results.benchmarks[name])
    groups = ", ".join(f"{words} {count(sizes[group])}" for group, words in WORDS.items())
    others = f"; {count(sizes[''])} have none of these qualities and stand in no group" if sizes[""] else ""
    parts: list[Part] = [quiet(rich(ON_REAL, groups + others))]
    for arm, name, caption in PLOTS:
        found = [(each, measure) for each in findings if (measure := each.measure(arm, name)) is not None]
        if found:
            parts.append(plot_measures(found, lookup.evidence, lambda each: describe_way(lookup, each), where=arm,
                                 caption=caption))  # fmt: skip
    for each in findings:
        way = describe_way(lookup, each)
        parts.append(Table(COLUMNS, tuple(_draw_groups(lookup, each)), way, folded=way))
    return parts


def _list_findings(lookup: Lookup) -> Iterator[Finding]:
    """Return one result per model, benchmark and prompt: weak and strong tests share their original images."""
    seen: set[tuple[str, str, str]] = set()
    for finding in (*of_family(lookup, WEAK), *of_family(lookup, STRONG)):
        place = (finding.model, finding.benchmark, finding.test.baseline.name)
        if place not in seen and any(each.arm in GROUPS.values() for each in finding.measures):
            seen.add(place)
            yield finding


def _draw_groups(lookup: Lookup, finding: Finding) -> Iterator[Row]:
    rows = {words: [(GROUPS[group], f"group_{name}") for name in (*SCORES, *RATES)] for group, words in WORDS.items()}
    rows["high minus low"] = [(CONTRAST, f"group_{name}_difference") for name in SCORES]
    for words, wanted in rows.items():
        if any(finding.measure(*each) for each in wanted):
            cells = [lookup.cell(finding, *each) for each in wanted]
            yield Row(Cell(words), (*cells, *[Cell("–")] * (len(COLUMNS) - 1 - len(cells))), finding.model)


LINES = (
    ("accuracy on the original images", "pooled_accuracy", "pooled_accuracy_mixed", "original_accuracy"),
    ("change with weak artefacts: mean of the cells’ changes", "pooled_change", "", "weak_change_percent"),
    ("change with weak artefacts: change of the mean accuracy", "change_of_pooled", "change_of_pooled_mixed", ""),
    ("change with weak artefacts, in points", "", "pooled_difference_mixed", ""),
    ("strong artefacts flagged", "pooled_detection_rate", "pooled_detection_rate_mixed", "strong_detection"),
)
"""Per row: its label, our measure as published and by the mixed model, and its key in the printed figures."""
OF_ONE = ((ORIGINALS, "pooled_accuracy"), (ALL_WEAK, "pooled_change"), (ALL_STRONG, "pooled_detection_rate"))
OF_TOP = ("top_accuracy", "top_change", "top_accuracy_apart", "top_change_apart")
MEANS = ("mean", "as published, 95% CI over patients", "mixed, 95% CI over patients and models", "printed in the paper")
TOP = ("images", "the three best", "accuracy", "change with weak artefacts", "accuracy, other half",
       "change, other half")  # fmt: skip
APART = ("model", "accuracy on the original images", "change with weak artefacts", "strong artefacts flagged")
_CELLS = re.compile(r"cells=(\d+), models=(\d+)")
ON_POOLED = (
    "The figures of the paper’s abstract. **As published** is the plain mean over cells: a cell is one model under one "
    "prompt and, but for the original images, one artefact. The paper prints no interval; ours is for other patients, "
    "who are drawn again for all cells at once, and says nothing of other models. A mean of changes is not the change "
    "of the mean: in the first, a model with little to lose weighs as much as any. The paper defines its change for "
    "one model and prompt, so its average is taken to be the first. **Mixed**: patients and models are two crossed "
    "samples, and what a model answers about one patient’s images stays paired. Its 95% CI is for other patients and "
    "other models{}. Neither way speaks of other prompts or artefacts. The paper’s figures are of its own models and "
    "images, and stand here to be seen beside."
)
FEW = "; here there are too few models for that, and they are taken as fixed"
UNSEEN = (
    ", as far as these are like the ones asked: a kind of model that makes up {:.0f}% of all may be missing among so "
    "few, and no interval covers what was not seen"
)
ON_TOP = (
    "By accuracy on the original images with the first prompt, as the paper shows them. Who is best by some images was "
    "also lucky with them, so this accuracy tends to be too high and the change too far down. Last two columns: the "
    "three best by one half of the patients, measured on the other half."
)


class PooledBlock(NamedTuple):
    """Results for one kind of image of a benchmark, with the paper's figures."""

    title: str
    found: Mapping[str, Measure]
    printed: Mapping[str, str]
    draw: Callable[[Measure | None], Cell]


def draw_pooled(lookup: Lookup, sections: Sequence[ShownTest]) -> list[Fold]:
    """Draw a folded part for every test on pooled artefacts."""
    return [_draw_part(lookup, section) for section in sections if family(section.findings[0]) == POOLED]


def _draw_part(lookup: Lookup, shown: ShownTest) -> Fold:
    over = [each for each in lookup.evidence.results.over_all if each.test.name == shown.test.name]
    of_all = [each for each in over if each.model == ALL_MODELS]
    blocks = [block for each in of_all or shown.findings for block in _list_blocks(lookup, each)]
    reach = _describe_reach(of_all, blocks, len({each.model for each in shown.findings}))
    rows = tuple(row for block in blocks for row in _draw_means(block))
    parts: list[Part] = [quiet(rich(ON_POOLED, reach)), Table(name_columns(*MEANS), rows)]
    if spread := "; ".join(filter(None, map(_describe_spread, blocks))):
        parts.append(
            quiet(f"SD of what weak artefacts cost, from model to model and from patient to patient: {spread}.")
        )
    best = tuple(row for block in blocks for row in _draw_best(block))
    parts += explain("The three best on the original images", ON_TOP, [Table(name_columns(*TOP), best)] if best else [])
    parts.append(_draw_apart(lookup, shown))
    return Fold("All models, prompts and artefacts together", tuple(parts), shown.test.name, shown.anchor)


def _describe_reach(of_all: Sequence[Finding], blocks: Sequence[PooledBlock], models: int) -> str:
    """Describe which models the mixed model's interval covers, given the number of models."""
    fixed = any("taken as fixed" in each.estimate.method for block in blocks for each in block.found.values())
    return FEW if fixed or not of_all else UNSEEN.format(100 * (1 - 0.05 ** (1 / models)))


def _draw_apart(lookup: Lookup, shown: ShownTest) -> Part:
    """Draw each model by itself, folded; a single model is drawn as its verdict."""
    if len(shown.findings) == 1:
        return list_verdicts(lookup.evidence, shown.findings)
    rows = tuple(
        Row(Cell(label(each, lookup.evidence)),
            tuple(_draw_number(lookup, each, each.measure(arm, kind)) for arm, kind in OF_ONE), each.model)
        for each in shown.findings
        if each.measures
    )  # fmt: skip
    return Table(name_columns(*APART), rows, folded=f"{len(rows)} models, each by itself")


def _list_blocks(lookup: Lookup, finding: Finding) -> Iterator[PooledBlock]:
    """Return one block for all images of a benchmark, and one per kind."""
    parts: dict[str, list[Measure]] = {}
    for measure in finding.measures:
        parts.setdefault(part_of(measure), []).append(measure)
    kinds = {item.category for item in lookup.evidence.results.benchmarks[finding.benchmark]}
    only = (kinds.pop() or finding.benchmark) if len(kinds) == 1 else ""
    for part, measures in parts.items():
        kind = part or only
        title = f"{kind or 'all images'} of {finding.benchmark}" if len(lookup.benchmarks) > 1 else kind or "all images"
        found = {each.name: each for each in measures}
        yield PooledBlock(title, found, _list_printed(kind), partial(_draw_number, lookup, finding))


def _list_printed(kind: str) -> Mapping[str, str]:
    """Return the paper's averages for one of its kinds of image, by name."""
    averages, name = figures("artefacts")["averages"], paper_kind(kind)
    if not name:
        return {}
    change = f"{averages['weak_change_percent'][name]:+.2f}%".replace("-", "−")
    shares = {each: f"{100 * averages[each][name]:.1f}%" for each in ("original_accuracy", "strong_detection")}
    return {**shares, "weak_change_percent": change}


def _draw_means(block: PooledBlock) -> Iterator[Row]:
    """Rows of means: as published, by the mixed model, and as printed in the paper."""
    heading = f"{begun(block.title)}, n {count(next(iter(block.found.values())).estimate.n)}"
    for words, *ways, place in LINES:
        published, mixed = (block.found.get(name) for name in ways)
        if published or mixed:
            cells = "" if published is None else _describe_cells(published.estimate.method)
            shown = (replace(block.draw(published), n=cells), block.draw(mixed), Cell(block.printed.get(place, "–")))
            yield Row(Cell(words), shown, heading=heading)


def _describe_cells(method: str) -> str:
    """Describe how many cells a mean covers and how many were left out.

    >>> _describe_cells("bootstrap-both-ways; cells=85, models=6, nothing right before in 5")
    '85 cells of 6 models, nothing right before in 5'
    """
    return _CELLS.sub(r"\1 cells of \2 models", method.partition("; ")[2])


def _draw_number(lookup: Lookup, finding: Finding, measure: Measure | None) -> Cell:
    if measure is None or not isfinite(measure.estimate.value):
        return Cell("–")
    return number_to_tenths(measure, anchor_of_measure(finding, measure, lookup.evidence.anchors)).cell(n=False)


def _describe_spread(block: PooledBlock) -> str:
    """Describe how much the loss under weak artefacts varies between models and between patients."""
    there = [block.found.get(name) for name in ("loss_between_models", "loss_between_patients")]
    told = " and ".join(figure(each.estimate.value, each.kind.unit) for each in there if each is not None)
    return f"{block.title} {told}" if told else ""


def _draw_best(block: PooledBlock) -> Iterator[Row]:
    """Row with the best models on original images, also measured on other patients."""
    first, *others = (block.found.get(name) for name in OF_TOP)
    if first is not None and others[0] is not None:
        names = first.subset.partition(BEST)[2].partition(": ")[2]
        yield Row(Cell(begun(block.title)), (Cell(names), *map(block.draw, (first, *others))))


MOST_NUMBERS = 1200
"""Most numbers of all the chapter's tests on the page. Beyond, only results.csv lists them, to save space."""
MOST_FLAGGED = 0.5
"""A good model flags at least this share of unreadable images."""
ABOUT = (
    "A **weak** artefact is meant to leave an image that can still be read: the answer should not change. A **strong** "
    "one is meant to leave an image that cannot be graded: the right response says so. Both are the paper’s settings; "
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
    "skill: the same model’s rate on the original images stands below."
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
    """Draw the chapter; None if the study has none of these tests."""
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
    evidence, made = lookup.evidence, list[Part]()
    for shown in asked:
        # strong artefacts have one plot for all prompts
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


def _say_who_flags(lookup: Lookup) -> Iterator[Note]:
    """Yield a sentence on how often each model flags strong artefacts by the first prompt."""
    findings, names = lookup.evidence.results.findings, short_names(lookup.evidence.results)
    asked = [(each, each.measure(ALL_ARTEFACTS, RATE)) for each in findings if family(each) == STRONG]
    told = [f"{names[each.model]} flags {share_with_interval(rate.estimate)}" for each, rate in asked
            if rate and (each.benchmark, each.test.name) == (asked[0][0].benchmark, asked[0][0].test.name)]  # fmt: skip
    if told:
        yield Note(f"Of unreadable images, {listed(told)}.")


def _draw_strong(lookup: Lookup, asked: Sequence[Part]) -> Iterator[Part]:
    if not asked:
        yield _not_asked("no test of this study used strong artefacts", STRONG)
        return
    yield from _say_who_flags(lookup)
    yield quiet(rich(ON_STRONG))
    caption = "Flagged: images with a strong artefact, mean over all of them"
    limit = Against(MOST_FLAGGED, words="the limit,")
    yield from _draw_over_models(lookup, (STRONG, RATE, ALL_ARTEFACTS), caption, limit)
    limit = Against(TOLERATED, words="the limit,")
    yield from _draw_over_models(lookup, (STRONG, RATE, ""), "Flagged with the original images", limit)
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
    nothing = quiet("No question was answered with both images.")
    told = (*lost, quiet(ON_WEAK_MAP), *maps) if maps else (nothing,)
    yield Section("Mean relative loss, in percent of the accuracy with the original images", told)
    yield from (each for each in [draw_counts(lookup)] if each)


def _say_worst(lookup: Lookup) -> str:
    """Describe each model's loss under its worst artefact, with the first prompt."""
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
    name, measure, arm = number
    found = [(each, each.measure(arm or each.test.baseline.name, measure)) for each in of_family(lookup, name)]
    there = [(finding, each) for finding, each in found if each is not None]
    if there:
        yield plot_measures(there, lookup.evidence, lambda each: describe_way(lookup, each), where=arm, caption=caption,
                      against=against)  # fmt: skip


def _name_wordless(lookup: Lookup) -> Iterator[Note]:
    """Name the models that answer by probabilities only and so cannot flag or give reasons."""
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
