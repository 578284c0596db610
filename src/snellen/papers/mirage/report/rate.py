"""Mirage rate: responses about images that were not sent, by scaffold and category.

A scaffold is the prompt text around the question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from snellen.papers.mirage.tests.rate import BY_EFFORT, IDENTIFIERS, rate_named, scaffold_of
from snellen.reading.invented.parser import DETAIL_KINDS
from snellen.report.components import Cell, Facts, Fold, Part, Quote, Quotes, Row, Section, Table, name_columns, quiet
from snellen.report.evidence.evidence import ArmAddress, Evidence, row_anchor
from snellen.report.evidence.reply_kinds import ReplyKind, codes, count_kinds, kinds_of
from snellen.report.evidence.sampling import Candidates, first_by_hash, take_shortest
from snellen.report.figures.drawn import add_figure_of_map, show_key_once
from snellen.report.figures.forests import resting
from snellen.report.figures.marks import kind_bar, kinds_in_words
from snellen.report.figures.standalone import About, datum
from snellen.report.lookup import Lookup, ShownNumber, shade_found
from snellen.report.sections.headline import listed, short_names
from snellen.report.sections.tests import (
    OutcomeBar,
    ShownTest,
    add_outcome_figure,
    count_outcomes,
    draw_grids,
    label,
    list_kinds,
    list_verdicts,
)
from snellen.report.words.numbers import count, from_to, shorten_text
from snellen.scoring.findings import Finding
from snellen.stress.conclusions import TOLERATED
from snellen.stress.reasoning_tokens import TOKENS, other_efforts

BARE, RATE, LOST = "none", "mirage_rate", "missing_rate"
COLUMNS: Mapping[str, str] = {
    RATE: "mirage rate: describes, of the responses that say something",
    "mirage_rate_of_asked": "describes, of everything asked, no response and empty ones counted in",
    "mirage_rate_as_published": "as published, 100% − flagged, by our parser",
    "mirage_rate_by_judge": "100% − flagged, by the judge",
    "judge_kappa": "κ of judge and parser on what is flagged",
    LOST: "no response came",
}
"""Ways of counting, as columns.

A column is shown if the study has its measure. The column of lost responses is only shown if any were lost.
"""
FEW = 12
"""Largest number of bars that are shown unfolded."""


def draw_rate(lookup: Lookup, shown: ShownTest) -> Section:
    """Draw the section on the mirage rate, with verdicts and responses."""
    evidence, findings = lookup.evidence, shown.findings
    said = (
        "Questions about an image, sent without one. The only right response says that there is none. How often a "
        "model falls for it depends on the words around the question, its scaffold. The test fails if surely more than "
        f"{TOLERATED:.0%} of the responses under any scaffold describe an image."
    )

    def name_arm(arm: str) -> str:
        return scaffold_of(arm).replace(BARE, "asked bare")

    plots = resting(findings, evidence=evidence, label=lambda each: label(each, evidence), arm_words=name_arm)
    parts: tuple[Part, ...] = (
        quiet(said),
        list_verdicts(evidence, findings),
        *plots,
        _draw_responses(evidence, findings),
        *_draw_scaffolds(lookup, shown),
        *_draw_efforts(lookup, findings),
        *_draw_counts(lookup, findings),
        *_draw_invented(lookup, findings),
        *_draw_maps(lookup, findings),
        *draw_grids(evidence, findings),
    )
    return Section(shown.test.asks, parts, shown.anchor, shown.test.name)


def _draw_responses(evidence: Evidence, findings: Sequence[Finding]) -> Part:
    bars = [(each, count_outcomes(evidence, [each], [arm.name for arm in each.test.all_arms], RATE))
            for each in findings]  # fmt: skip
    tables = [_draw_bars(evidence, finding, found) for finding, found in bars if found]
    if not tables:
        return quiet("No response came.")
    drawn = show_key_once(
        [replace(each, key=list_kinds([bar for _, found in bars for bar in found])) for each in tables]
    )
    few = sum(len(each.rows) for each in drawn) <= FEW
    return Fold("What the responses do", drawn, "with the mirage rate, by scaffold", open=few)


def _draw_bars(evidence: Evidence, finding: Finding, bars: Sequence[OutcomeBar]) -> Table:
    rests_on = finding.verdict.rests_on
    rows = []
    for each in bars:
        decides = len(bars) > 1 and rests_on is not None and each.arm == rests_on.arm
        bar = Cell(drawing=kind_bar(each.counts), to=each.anchor)
        number = each.number.cell() if each.number else Cell("nothing was said", n=f"n {each.n}")
        number = replace(number, note=kinds_in_words(each.counts))
        head = Cell(scaffold_of(each.arm), n="decides the verdict" if decides else "")
        rows.append(Row(head, (bar, number), finding.model, finding.benchmark))
    caption = f"What the responses do, by scaffold; the number is the mirage rate; {finding.model}"
    by_scaffold = [each._replace(arm=scaffold_of(each.arm)) for each in bars]
    columns = name_columns("scaffold", "what the responses do", "mirage rate, 95% CI, n")
    table = Table(columns, tuple(rows), label(finding, evidence), "drawn", key=list_kinds(bars))
    return add_outcome_figure(evidence, table, by_scaffold, caption, f"{RATE}-{finding.model}")


def _draw_scaffolds(lookup: Lookup, shown: ShownTest) -> Iterator[Fold]:
    """Show the prompt text around the question, from a stored request of each scaffold."""
    found: dict[str, str] = {}
    for arm, finding in product(shown.test.all_arms, shown.findings):
        table = lookup.evidence.results.tables[finding.model, finding.benchmark]
        if arm.name in table.arms and len(ordinals := table.arms[arm.name].ordinal):
            asked = lookup.evidence.load_asked(finding.benchmark, arm.name)[int(ordinals[0])]
            before, question, _ = asked.text.partition(table.items[ordinals[0]].question)
            if question:
                words = shorten_text(f"{asked.system} {before}", 170)
                name = scaffold_of(arm.name).partition(",")[0]
                found.setdefault(name, f"“{words}”" if words else "the question and nothing else")
    if found:
        yield Fold("The words around the question", (Facts(tuple(found.items())),), "by scaffold")


def _draw_efforts(lookup: Lookup, findings: Sequence[Finding]) -> list[Fold]:
    rows = []
    for finding in findings:
        for arm, other in other_efforts(finding.test).items():
            if finding.measure(arm.name, BY_EFFORT) is not None:
                cells = (
                    Cell(f"{other.effort} → {arm.effort}"),
                    *(lookup.cell(finding, each.name, RATE) for each in (other, arm)),
                    lookup.cell(finding, arm.name, BY_EFFORT),
                    *(lookup.cell(finding, each.name, TOKENS, missing="not counted") for each in (other, arm)),
                )
                rows.append(lookup.row_under_name(finding, scaffold_of(arm.name).partition(",")[0], *cells))
    columns = ("scaffold", "efforts", "mirage rate at the first", "at the second", "change",
               "reasoning tokens at the first", "at the second")  # fmt: skip
    note = (
        "The same questions under the same scaffold at two efforts. The change is over the questions with a response "
        "at both; its 95% interval is paired. Reasoning tokens are medians as the server counts them. If they are "
        "missing, or the same at both efforts, nothing shows that the model took the setting."
    )
    return _fold("Mirage rate by reasoning effort", note, columns, rows)


def _draw_counts(lookup: Lookup, findings: Sequence[Finding]) -> list[Fold]:
    measures = [measure for each in findings for measure in each.measures]
    names = [name for name in COLUMNS if any(m.name == name and (name != LOST or m.estimate.value) for m in measures)]
    tables = (lookup.evidence.results.tables[each.model, each.benchmark] for each in findings)
    judges = ", ".join(dict.fromkeys(table.judge for table in tables if table.judge))
    note = (
        "The mirage rate is ours: responses that describe, of those that say anything. Counted over everything asked, "
        "a response that never came or is empty describes nothing. As published, every response that is not flagged is "
        "a mirage, also one that declines, speaks in general or is empty."
        + (f" The judge is {judges}." if judges else "")
    )
    return _draw_by_scaffold(lookup, findings, {name: COLUMNS[name] for name in names}, "Ways to count", note)


def _draw_invented(lookup: Lookup, findings: Sequence[Finding]) -> list[Fold]:
    """Draw how often a response invents a name, date, number, place or other such detail."""
    ever = {measure.name for each in findings for measure in each.measures if measure.estimate.value > 0}
    names = {rate_named(kind): words for kind, words in DETAIL_KINDS.items() if rate_named(kind) in ever}
    note = (
        "The share of responses that describe an image and state such a detail as if it were seen, of those that say "
        "something. No image was sent, so none of it is true. What the question said, examples and what is said not to "
        "be legible do not count. The details are counted by rules, in English, and not shown here."
    )
    columns = {IDENTIFIERS: "any identifier", **names} if names else {}
    return _draw_by_scaffold(lookup, findings, columns, "Details that were invented", note)


def _draw_by_scaffold(
    lookup: Lookup, findings: Sequence[Finding], columns: Mapping[str, str], title: str, note: str
) -> list[Fold]:
    rows = [
        lookup.row_under_name(finding, scaffold_of(arm.name),
                              *(lookup.cell(finding, arm.name, name) for name in columns))
        for finding in findings
        for arm in finding.test.all_arms
        if any(finding.measure(arm.name, name) for name in columns)
    ]  # fmt: skip
    return _fold(title, note, ("scaffold", *columns.values()), rows)


def _fold(title: str, note: str, columns: Sequence[str], rows: Sequence[Row]) -> list[Fold]:
    table = Table(name_columns(*columns), tuple(rows), "Parentheses are 95% intervals; n counts questions")
    return [Fold(title, (quiet(note), table))] if rows else []


def _draw_maps(lookup: Lookup, findings: Sequence[Finding]) -> Iterator[Fold]:
    """Draw heat maps by category and scaffold; name the models without mirages."""
    maps, nowhere = [], []
    for finding in findings:
        rows, found = _list_categories(lookup, finding)
        if any(each.estimate.value for each in found):
            maps.append(_draw_map(lookup, finding, rows, found))
        elif found:
            nowhere.append(lookup.short_names[finding.model])
    note = (
        "The stronger the colour, the more responses describe an image. Categories are small: look at the pattern, and "
        "conclude nothing from one cell. Parentheses are 95% intervals, n counts questions."
    )
    if nowhere:
        note += f" No such response in any category under any scaffold: {listed(nowhere)}."
    if maps or nowhere:
        yield Fold("Mirage rate by category and scaffold", (quiet(note), *maps))


def _list_categories(lookup: Lookup, finding: Finding) -> tuple[list[Row], list[ShownNumber]]:
    """Rows of categories under their domains, in the order of the questions, and their numbers."""
    groups, rows, numbers = lookup.categories(finding), list[Row](), list[ShownNumber]()
    items = lookup.evidence.results.tables[finding.model, finding.benchmark].items
    named = dict.fromkeys((str(item.metadata.get("domain", "")), item.category) for item in items
                          if item.category in groups)  # fmt: skip
    domains = list(dict.fromkeys(domain for domain, _ in named))
    for domain, category in sorted(named, key=lambda each: domains.index(each[0])):
        found = [lookup.find_number(groups[category], arm.name, RATE) for arm in groups[category].test.all_arms]
        counts = [each.estimate.n for each in found if each]
        cells = tuple(shade_found(each, each.estimate.value if each else 0.0) for each in found)
        rows.append(
            Row(Cell(category, n=f"n {from_to(counts) if counts else 0}"), cells, finding.model, heading=domain)
        )
        numbers += [each for each in found if each]
    return rows, numbers


def _draw_map(lookup: Lookup, finding: Finding, rows: Sequence[Row], found: Sequence[ShownNumber]) -> Table:
    about = About(
        (finding.test.name, RATE, "by-category", finding.model),
        f"Mirage rate by category and scaffold; {finding.model}",
        "The stronger the colour, the more responses describe an image; small figures are 95% CIs",
    )
    columns = name_columns("category", *(scaffold_of(arm.name) for arm in finding.test.all_arms))
    table = Table(columns, tuple(rows), label(finding, lookup.evidence), "heat")
    data = [datum(each.finding, each.measure) for each in found]
    return add_figure_of_map(lookup.evidence, table, about, data)


TRIES = 5
"""Number of responses chosen by a hash; the shortest of them is quoted."""
LONGEST, LONGEST_QUESTION = 600, 300
"""Number of characters quoted of a response, and of its question."""
FEW_QUOTES = 6
"""Largest number of quotations that are shown unfolded."""
Chosen = dict[tuple[str, ReplyKind], list[tuple[ArmAddress, int]]]
"""Responses that may be quoted, by model and kind of response."""


def choose_quotes(evidence: Evidence, benchmark: str) -> Chosen:
    """Choose responses of every model and kind by a hash."""
    places: dict[tuple[str, ReplyKind], Candidates] = {}
    for address in _list_addresses(evidence, benchmark):
        grades = evidence.grades(address)
        found = codes(grades)
        for code, kind in enumerate(kinds_of(grades)):
            those = np.flatnonzero(found == code)
            if len(those):
                places[address.model, kind] = {**places.get((address.model, kind), {}), address: those}
    chosen = {key: first_by_hash(evidence, those, TRIES) for key, those in places.items()}
    for few in chosen.values():
        evidence.quote(few)
    return chosen


def draw_quotes(evidence: Evidence, benchmark: str, chosen: Chosen) -> Iterator[Section]:
    """Draw the shortest chosen response of every model and kind."""
    if not chosen:
        return
    said = (
        "For every model one response of each kind, the most frequent kind first. A hash of the item’s id chooses five "
        "of them, and the shortest of the five is shown: not the worst, and not by anyone’s choice. No image was sent "
        "with any of these questions."
    )
    names, parts = short_names(evidence.results), []
    totals: dict[str, Counter[ReplyKind]] = {}
    for address in _list_addresses(evidence, benchmark):
        totals.setdefault(address.model, Counter()).update(count_kinds(evidence.grades(address)))
    for model, kinds in totals.items():
        quotes = tuple(
            _quote(evidence, names[model], chosen[model, kind], kind, f"{count(number)} of {count(kinds.total())}")
            for kind, number in kinds.most_common()
            if number
        )
        if quotes:
            parts.append(Fold(names[model], (Quotes(quotes),), quotes[0].outcome, open=len(chosen) <= FEW_QUOTES))
    yield Section("What they said", (quiet(said), *parts), "mirage-said")


def _list_addresses(evidence: Evidence, benchmark: str) -> list[ArmAddress]:
    return [address for address in evidence.anchors if address.benchmark == benchmark]


def _quote(evidence: Evidence, name: str, few: list[tuple[ArmAddress, int]], kind: ReplyKind, counts: str) -> Quote:
    address, place, saying = take_shortest(evidence, few)
    text = saying.reply.text
    cut = f", {count(len(text))} characters" if len(text) > LONGEST else ""
    return Quote(
        name, kind.name, f"{kind.words}, {counts}", (text[:LONGEST] + "…" if cut else text) if text.strip() else "",
        row_anchor(evidence, address, place), address.model, shorten_text(saying.item.question, LONGEST_QUESTION),
        f"scaffold {scaffold_of(address.arm)}, item {saying.item.id}{cut}",
    )  # fmt: skip
