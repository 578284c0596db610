"""Parts of the chapter on accuracy without the image, the grounding signal, and telling words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import NamedTuple

from snellen.papers.mirage.tests.grounding_signal import SHIFT, SIGNAL
from snellen.papers.mirage.tests.words import ALL, GUESSING, UNADMITTED, TellingTerms, telling_terms
from snellen.prompts import NAMED, UNNAMED, Arm
from snellen.report.components import (
    Cell,
    Column,
    Fold,
    Key,
    Part,
    Row,
    Section,
    Table,
    explain,
    name_columns,
    quiet,
    rich,
)
from snellen.report.figures.drawn import add_figure, show_key_once
from snellen.report.figures.dumbbells import dumbbell, key
from snellen.report.figures.forests import Against
from snellen.report.figures.layout import axis_of
from snellen.report.figures.marks import scale
from snellen.report.figures.standalone import About, datum
from snellen.report.lookup import Lookup, ShownNumber
from snellen.report.sections.comparison import Ways, draw_comparison
from snellen.report.sections.tests import by_test_and_benchmark
from snellen.report.words.numbers import count
from snellen.scoring.findings import Finding
from snellen.stress.design import baseline

KEY = (Key("", "mirage mode: untold", key(0)), Key("", "guess mode: told", key(1)))
LOOKS = {"removed": ("blind", "plain"), "kept": ("plain", "seen")}
SHOWN = {"removed": "Accuracy without the image", "kept": "Accuracy with the image"}
SIGNALS = {
    SIGNAL: "Grounding signal, question by question: 0 never looks, 1 another answer every time",
    SHIFT: "Shift of all answers together, their words compared: 0 the same answers as often",
}
MOST = 40
"""Largest number of categories shown."""
NEVER_LOOKS = Against(0.0, words="a model that never looks")
AUCS = {
    UNADMITTED: "AUC if neither response says that the image is missing: 0.5 is a coin, 1 is right every time",
    ALL: "AUC of all responses",
}
COIN = Against(GUESSING, words="a coin,")


def draw_naming(lookup: Lookup) -> list[Section]:
    """Compare accuracy with and without the benchmark's name in the prompt."""
    parts: list[Part] = []
    for image, looks in LOOKS.items():
        condition = baseline(image).condition
        arms = Arm(condition, rewording=UNNAMED).name, Arm(condition, rewording=NAMED).name
        ways = Ways(("dataset-name",), arms, ("not named", "named"), looks, about=SHOWN[image])
        parts += draw_comparison(lookup, ways).values()
    told = (
        "The same questions with the benchmark named in the prompt. The name says nothing about the patient; a model "
        "that scores more with it knows the benchmark."
    )
    return explain("With the benchmark’s name, and without", told, parts, "mirage-naming")


class ModePair(NamedTuple):
    """Accuracy in mirage mode (`untold`) and guess mode (`told`), with the paired change."""

    label: str
    untold: ShownNumber
    told: ShownNumber
    change: ShownNumber
    sides: str = ""
    """Text with the number of categories in which guess mode scores lower, higher or equal."""


def draw_guessing(lookup: Lookup) -> list[Section]:
    """Compare accuracy in mirage mode and guess mode, per benchmark."""
    told = (
        "The same questions without their image, asked twice: untold, as if it were there, and told that it is gone "
        "and to take a best guess. The number is the paired change in accuracy from the first to the second, on the "
        "same items. Categories are small: how many are lower when told, and how many higher, tells more than any one "
        "of them."
    )
    parts = [part for benchmark, findings in by_test_and_benchmark(lookup.of_family("guess-mode"))
             for part in _draw_modes(lookup, lookup.describe_benchmark(benchmark), findings)]  # fmt: skip
    return explain("Mirage mode against guess mode", told, parts, "mirage-guessing")


def _draw_modes(lookup: Lookup, on: str, findings: Sequence[Finding]) -> Iterator[Part]:
    """Draw all items per model, then each model by category, folded."""
    whole, apart = [], []
    for each in findings:
        name = lookup.short_names[each.model]
        if pair := _pair(lookup, each, name):
            pairs = [found for category, group in lookup.categories(each).items()
                     if (found := _pair(lookup, group, category))]  # fmt: skip
            changes = [found.change.estimate.value for found in pairs]
            lower, higher = sum(change < 0 for change in changes), sum(change > 0 for change in changes)
            counts = f"{lower} lower, {higher} higher, {len(changes) - lower - higher} equal"
            sides = f"{len(changes)} categories: {counts}" if changes else ""
            whole.append(pair._replace(sides=sides))
            if pairs:
                rows = [pair._replace(label="all items"), *pairs]
                apart.append(_draw_pairs(lookup, rows, f"{name}{on}, {sides}", each.model))
    if whole:
        yield _draw_pairs(lookup, whole, f"Accuracy without the image, untold and told to guess{on}")
    if apart:
        yield Fold("By category", show_key_once(apart))


def _draw_pairs(lookup: Lookup, pairs: Sequence[ModePair], caption: str, model: str = "") -> Table:
    rows, data = [], []
    for each in pairs:
        place = lookup.evidence.place(each.change.finding.model)
        both = "\N{NO-BREAK SPACE}→\N{NO-BREAK SPACE}".join(found.printed.value for found in (each.untold, each.told))
        head = Cell(each.label, n=both, place=None if model else place)
        mark = Cell(drawing=dumbbell(each.untold.estimate, each.told.estimate, place))
        rows.append(Row(head, (mark, replace(each.change.printed.cell(), note=each.sides)), each.change.finding.model))
        data += [datum(found.finding, found.measure) for found in (each.untold, each.told, each.change)]
    first = pairs[0].change.finding
    about = About(
        (first.test.name, "accuracy", model, first.benchmark if lookup.evidence.several else ""),
        f"Accuracy without the image, untold and told to guess; {', '.join(filter(None, (model, first.benchmark)))}",
        "Beside the marks: the change from untold to told with its 95% CI",
    )
    columns = name_columns("items", "drawn", "change when told, 95% CI, n")
    table = Table(columns, tuple(rows), caption, "drawn", key=KEY)
    return add_figure(lookup.evidence, table, about, data, axis_of(scale([], "share"), "Accuracy (%)"))


def _pair(lookup: Lookup, finding: Finding, label: str) -> ModePair | None:
    """Return the accuracies in both modes; None if either mode has no answers."""
    arms = finding.test.baseline.name, finding.test.compared[0].name
    untold, told = (lookup.find_number(finding, arm, "accuracy") for arm in arms)
    change = lookup.find_number(finding, arms[1], "difference")
    return ModePair(label, untold, told, change) if untold and told and change else None


def draw_grounding(lookup: Lookup) -> list[Section]:
    """Draw the grounding signal of every benchmark."""
    told = rich(
        "The grounding signal is how far the answers to one question with the image lie from those without it, less "
        "how far two runs of the same lie apart: ½ Σ (p − q)² over the options. **0** (the dashed line) is a model "
        "that never looks; **1** one that always gives one answer with the image and always another without it. A "
        "model that sees with the image and guesses without it lies between, and below 0 lies only chance. The shift "
        "compares all answers of these questions at once by their words: it sees that answers changed in kind, not on "
        "which question."
    )
    parts = [part for benchmark, findings in by_test_and_benchmark(lookup.of_family("grounding-signal"))
             for part in _draw_signal(lookup, benchmark, findings)]  # fmt: skip
    return explain("Do the answers move with the image?", told, parts, "mirage-grounding")


def _draw_signal(lookup: Lookup, benchmark: str, findings: Sequence[Finding]) -> Iterator[Part]:
    """Draw the signal of all models, then of each by category, folded."""
    on, blind = f"; {benchmark}" if lookup.evidence.several else "", findings[0].test.compared[0].name
    plots = lookup.draw_forests(findings, blind, _end_with(SIGNALS, on), NEVER_LOOKS)
    if plots and not any(each.measure(blind, SIGNAL) for each in findings):
        once = (
            "Every question has one response, so that there is no signal: to tell the image from chance each must be "
            "asked at least twice (`--epochs 2`)."
        )
        yield quiet(rich(once))
    yield from plots
    drawn = [
        plot
        for each in (findings if plots else ())
        for plot in lookup.draw_forests(
            list(lookup.categories(each).values())[:MOST], blind,
            _end_with(SIGNALS, f"; {lookup.short_names[each.model]}{on}"), NEVER_LOOKS,
        )
    ]  # fmt: skip
    if drawn:
        yield Fold("By category", tuple(drawn))


def _end_with(captions: dict[str, str], end: str) -> dict[str, str]:
    return {name: caption + end for name, caption in captions.items()}


def draw_words(lookup: Lookup) -> list[Section]:
    """Draw how well words reveal that the image was missing, and which words do."""
    told = rich(
        "A classifier of words and pairs of words learns from the responses of some patients which of two was given "
        "without the image, and is asked about those of others. The AUC is how often it puts one without the image "
        "before one with it: **0.5** is a coin. Responses that say that the image is missing are easy to tell, so the "
        "number without them counts."
    )
    parts = [part for benchmark, findings in by_test_and_benchmark(lookup.of_family("mirage-words"))
             for part in _draw_aucs(lookup, benchmark, findings)]  # fmt: skip
    return explain("Do its words give away that no image was sent?", told, parts, "mirage-words")


def _draw_aucs(lookup: Lookup, benchmark: str, findings: Sequence[Finding]) -> Iterator[Part]:
    """Draw the AUC of all models, then the telling words of each, folded."""
    on, tables = f"; {benchmark}" if lookup.evidence.several else "", lookup.evidence.results.tables
    plots = lookup.draw_forests(findings, findings[0].test.compared[0].name, _end_with(AUCS, on), COIN)
    yield from plots
    found = [(lookup.short_names[each.model], terms) for each in findings if plots and (terms := telling_terms(
        each.test, each.test.restrict_table(tables[each.model, each.benchmark])))]  # fmt: skip
    if found:
        told = (
            "Beside a term, how many responses with the image have it, and how many without. Only terms of at least "
            "three patients or questions, and none with a digit."
        )
        drawn = (_draw_terms(name, terms) for name, terms in found)
        yield Fold("The words that tell the responses apart", (quiet(told), *drawn))


def _draw_terms(name: str, terms: TellingTerms) -> Table:
    sides = [
        [(Cell(each.term), Cell(f"{each.present} : {each.absent}")) for each in side]
        for side in (terms.for_present, terms.for_absent)
    ]
    rows = (Row(left[0], (left[1], *right)) for left, right in zip_longest(*sides, fillvalue=(Cell(), Cell())))
    counts = Column("with : without", look="figure")
    columns = (Column("speaks for an image"), counts, Column("speaks for none"), counts)
    pairs = f"{name}, of {count(terms.pairs)} pairs in which neither response says that the image is missing"
    return Table(columns, tuple(rows), pairs)
