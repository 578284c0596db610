"""The chapter on evidence: effects of hidden parts by finding, and images side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from snellen.conditions import (
    CornersHidden,
    ElsewhereHidden,
    EvidenceHidden,
    FillAlone,
    ImageExchanged,
    ImageSubstituted,
    OnlyEvidence,
)
from snellen.conditions.hidden import MARKED
from snellen.conditions.labels import read_label
from snellen.items import describe_benchmark
from snellen.papers.evidence.tests.cues import FOLLOW, MISLED
from snellen.papers.evidence.tests.label_swaps import SENSITIVE
from snellen.papers.evidence.tests.rests_on_finding import BEYOND, CORNERS, ELSEWHERE, FILLED, HIDDEN, KEPT, arms_of
from snellen.report.chapter import Chapter
from snellen.report.components import Cell, Fold, Key, Note, Panels, Part, Section, Table, name_columns, quiet, rich
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.drawn import add_figure
from snellen.report.figures.dumbbells import dot_key, with_without
from snellen.report.figures.forests import Against
from snellen.report.figures.layout import axis_of
from snellen.report.figures.marks import scale
from snellen.report.figures.standalone import About, Datum, datum
from snellen.report.lookup import Lookup, family
from snellen.report.sections.image_panels import draw_panel, expect_item, list_addresses, list_sayings
from snellen.report.sections.side_by_side import typical
from snellen.report.sections.tests import ShownTest, by_benchmark, draw_grids, list_verdicts
from snellen.report.words.numbers import begun, shorten_text

TEST = "rests-on-finding"
TESTS = (TEST, "label-swaps", "cues")
MOST = 4
"""Largest number of kinds of image shown, largest first."""
SHOWN = 3
"""Fewest conditions under which a shown item was asked: original, finding hidden, another part hidden."""
HIDES = ("with the finding hidden", "with another part hidden")
ABOUT = (
    "Each question is asked again with the marked **finding hidden**, and with **another part hidden** that has the "
    "same size, shape and fill. Only questions that were answered right with the original image count. An answer that "
    "rests on the finding changes in the first case and stays in the second. A response without an answer counts as a "
    "change."
)
MARKS = "● the finding is hidden, ○ another part is hidden; lines are 95% CIs"
FEW = "Findings and body parts are small groups: look at the pattern, and conclude nothing from one row."
CONTROLS = (
    "**Corners**: hides labels in the corners, compared with another part; above 0 means that answers rest on them. "
    "**Fill alone**: the same cover in patients without a finding; answers that change show what the cover does by "
    "itself. **Nothing but the finding**: right answers that stay. No verdict rests on these numbers."
)
IMAGES = (
    "One question of each kind of image, chosen for being typical: its outcomes were the most usual over these "
    "conditions and all models. The yellow box marks the finding; no model sees it."
)
NONE = "No question was answered both with the finding hidden and with another part hidden."


class ShownItem(NamedTuple):
    """A typical item of one kind of image, with its arms by title."""

    benchmark: str
    kind: str
    ordinal: int
    arms: dict[str, str]


def choose_items(evidence: Evidence) -> list[ShownItem]:
    """Choose a typical item for each large kind of image. Its images and responses are requested from the store."""
    found = [each for name in evidence.benchmarks for each in _list_typical(evidence, name)][: 2 * MOST]
    for each in found:
        expect_item(evidence, list_addresses(evidence, each.benchmark, each.arms.values()), each.ordinal)
    return found


def _list_typical(evidence: Evidence, benchmark: str) -> Iterator[ShownItem]:
    tests = [each.test for each in evidence.results.findings if each.benchmark == benchmark and family(each) == TEST]
    tables = [table for (_, name), table in evidence.results.tables.items() if name == benchmark]
    if not tests:
        return
    arms = {"Original": tests[0].baseline.name, "Finding hidden": arms_of(tests[0], EvidenceHidden)[0]}
    arms["Another part hidden"] = arms_of(tests[0], ElsewhereHidden)[0]
    swapped = [
        arm for arm in tables[0].arms if read_label(arm).has(ImageSubstituted) or read_label(arm).has(ImageExchanged)
    ]
    arms |= {"Another patient’s image": swapped[0]} if swapped else {}
    cut = [
        replace(table, arms={arm: table.arms[arm] for arm in arms.values() if arm in table.arms}) for table in tables
    ]
    asked = np.zeros(len(tables[0].items), dtype=np.int64)
    for arm in set().union(*(table.arms for table in cut)):
        asked[np.unique(np.concatenate([table.arms[arm].ordinal for table in cut if arm in table.arms]))] += 1
    kinds = np.array([str(item.metadata.get("modality") or item.category) for item in tables[0].items])
    names, sizes = np.unique(kinds[asked >= SHOWN], return_counts=True)
    for name in names[np.argsort(-sizes, kind="stable")][:MOST].tolist():
        kept = (kinds == name) & (asked == asked[kinds == name].max())
        if candidates := typical([table.select_items(kept) for table in cut], evidence.baselines):
            yield ShownItem(benchmark, name, candidates[0], arms)


def draw_evidence(evidence: Evidence, sections: Sequence[ShownTest], chosen: Any) -> list[Part] | None:
    """Draw the chapter; None if the study has none of its tests."""
    shown = [each for each in sections if family(each.findings[0]) in TESTS]
    if not shown:
        return None
    lookup = Lookup(evidence)
    made: list[Part] = []
    for each in shown:
        verdicts, grids = list_verdicts(evidence, each.findings), draw_grids(evidence, each.findings)
        if family(each.findings[0]) == TEST:
            told: list[Part] = [
                Note(rich(ABOUT)),
                verdicts,
                *_draw_effects(lookup, each),
                *_draw_controls(lookup, each),
            ]
        else:
            told = [verdicts, *_draw_forests(lookup, each)]
        made.append(Section(each.test.asks, (*told, *grids), each.anchor, each.test.name))
    if any(family(each.findings[0]) == TEST for each in shown):
        made.append(Section("Images side by side", tuple(_draw_items(evidence, chosen)), "evidence-images"))
    return made


def _draw_forests(lookup: Lookup, shown: ShownTest) -> Iterator[Part]:
    """Draw the numbers of a test without a verdict, one plot for each condition."""
    wanted = {SENSITIVE: "beyond the same label", FOLLOW: "follows a wrong cue", MISLED: "beyond a mark at the finding"}
    for arm in shown.test.compared:
        captions = {name: f"Answers that change {arm.in_words}, {words}" for name, words in wanted.items()}
        yield from lookup.draw_forests(shown.findings, arm.name, captions, Against(0.0, words="none"))


def _draw_effects(lookup: Lookup, shown: ShownTest) -> Iterator[Part]:
    """Draw both effects by model and by finding."""
    evidence, ruler = lookup.evidence, scale([], "share")
    hidden, elsewhere = arms_of(shown.test, EvidenceHidden)[0], arms_of(shown.test, ElsewhereHidden)[0]
    for benchmark, findings in by_benchmark(shown.findings).items():
        rows, data = [], list[Datum]()
        for finding in findings:
            measured = {(each.arm, each.name, each.subset): each for each in finding.measures}
            for subset in dict.fromkeys(each.subset for each in finding.measures if each.name == BEYOND):
                own, other = measured[hidden, HIDDEN, subset], measured[elsewhere, ELSEWHERE, subset]
                mark = with_without(own.estimate, other.estimate, ruler, evidence.place(finding.model), HIDES)
                printed = [
                    lookup.show_measure(finding, each).printed
                    for each in (own, other, measured[hidden, BEYOND, subset])
                ]
                words = zip(("finding", "other part", "more"), printed, strict=True)
                cells = Cell(drawing=mark), Cell(lines=tuple(each.cell(name, n=name == "more") for name, each in words))
                rows.append(lookup.row_under_name(finding, begun(subset) or "All questions", *cells))
                data += [datum(finding, each)._replace(group=subset) for each in (own, other)]
        if rows:
            caption = f"Right answers that change{lookup.describe_benchmark(benchmark)}: {MARKS}"
            keys = tuple(Key("", words, dot_key(look)) for words, look in zip(HIDES, ("seen", "blind"), strict=True))
            columns = name_columns("finding", "drawn", "share of right answers that change, n")
            table = Table(columns, tuple(rows), caption, "drawn", note=FEW, key=keys)
            about = About(
                (shown.test.name, "effects", benchmark if evidence.several else ""),
                f"Right answers that change if the finding or another part is hidden; {describe_benchmark(benchmark)}",
                begun(MARKS),
            )
            axis = axis_of(ruler, "Right answers that change (%)")
            yield add_figure(evidence, table, about, data, axis, row_height=38.0)


def _draw_controls(lookup: Lookup, shown: ShownTest) -> Iterator[Part]:
    wanted = {"corners": (CornersHidden, CORNERS), "fill alone": (FillAlone, FILLED)}
    wanted["nothing but the finding"] = (OnlyEvidence, KEPT)
    rows = tuple(
        lookup.row(each, *(lookup.cell(each, arms_of(shown.test, kind)[0], name) for kind, name in wanted.values()))
        for each in shown.findings
        if each.measures
    )
    if rows:
        yield Fold("Corners, the fill alone, and nothing but the finding",
                   (quiet(rich(CONTROLS)), Table(name_columns("model", *wanted), rows)))  # fmt: skip


def _draw_items(evidence: Evidence, chosen: Sequence[ShownItem]) -> Iterator[Part]:
    yield quiet(IMAGES if chosen else NONE)
    for each in chosen:
        item = evidence.results.benchmarks[each.benchmark].items[each.ordinal]
        right = item.options[item.answer].text if isinstance(item.answer, int) else ""
        asked = rich("Asked: {} Right answer: **{}**. Item `{}`.", shorten_text(item.question, 260), right, item.id)
        said = {
            title: list_sayings(evidence, list_addresses(evidence, each.benchmark, [arm]), each.ordinal)
            for title, arm in each.arms.items()
        }
        marked = next((one.item.metadata.get(MARKED) for one in said["Finding hidden"].values()), None) or ()
        panels = [
            draw_panel(evidence, title, those, outlines=marked if title == "Original" else ())
            for title, those in said.items()
        ]
        whose = f"{each.kind}, {each.benchmark}" if evidence.several else each.kind
        yield Fold(begun(whose), (quiet(asked), Panels(tuple(panels), columns=len(panels))), open=True)


CHAPTER = Chapter(
    anchor="evidence",
    title="Evidence: does the answer rest on the finding?",
    short="Evidence",
    choose=choose_items,
    build=draw_evidence,
    covers=lambda section: family(section.findings[0]) in TESTS,
)
