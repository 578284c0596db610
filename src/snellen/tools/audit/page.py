"""The page of an audit: score without images, problems, and what was not checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

from snellen.errors import ImageError
from snellen.images import Image, preview
from snellen.items import Item
from snellen.items import describe_benchmark as describe_name
from snellen.reading.language.sentences import sentences_of
from snellen.report.components import (
    Cell,
    Facts,
    Fold,
    Grid,
    Link,
    Listing,
    Note,
    Part,
    Row,
    Section,
    Table,
    fold_chapter,
    name_columns,
    quiet,
    rich,
)
from snellen.report.drawing import Page, draw_page
from snellen.report.evidence.album import AlbumPicture, some_of
from snellen.report.figures.forests import row_of_estimate
from snellen.report.figures.marks import axis_title, scale, titled_axis
from snellen.report.sections.headline import describe_demonstration
from snellen.report.words.numbers import begun, figure, p_value, shorten_text, with_interval
from snellen.runtime import counted
from snellen.stats import Estimate
from snellen.stress.base import Unit
from snellen.stress.verdicts.possible_without import QUESTION, describe_possible
from snellen.tools.audit.audit import LEVEL, Audit, Problem, list_about_set, list_to_mend
from snellen.tools.audit.audited import name_key
from snellen.tools.audit.checks import check_named
from snellen.tools.audit.checks.super_guesser import NAME as GUESSER
from snellen.tools.audit.finding import LONGEST_QUOTE, Checked, Curve, Finding, Number, Severity
from snellen.tools.audit.identifying import identifying_words, without_identifiers

SHOWN, FOLDED = 10, 60
"""Items that are shown, and how many more are folded below them; findings.csv has all."""
_SAME = 40
"""Number of first characters by which a quote is recognised as the question."""
REASONS = 2
"""Maximum reasons for an incomplete check on the first screen; its chapter has all."""
POINTS = 12
"""Points of a curve that are shown."""
THUMBNAIL_SIDE, THUMBNAIL_HEIGHT, MOST_THUMBNAILS = 160, 72, 120
"""Pixels of the longer side of a small image, its height on the page, and the number of them on a page."""
LONGEST_QUESTION = 200
"""Characters of a question that are shown."""
SEVERITIES = {
    Severity.HIGH: "scores cannot be trusted",
    Severity.MEDIUM: "some items do not measure what they seem to measure",
    Severity.LOW: "worth knowing",
}


def render(audit: Audit, about: Mapping[str, Any], *, quotes: bool = True) -> str:
    """Draw the page. `about` is what the audit was made with; without quotes it holds no text of the benchmark."""
    album = ItemAlbum(audit, quotes=quotes)
    items = tuple(draw_items(audit, album))  # before the checks: their images count first
    checks = tuple(draw_check(audit, each, album) for each in audit.checked)
    page = Page(
        title=f"Audit of {audit.of.name}",
        headline=describe_score(audit),
        lede=describe_problems(audit),
        meta=f"Audit of {describe_benchmark(audit)} · {str(about.get('created', ''))[:10]}",
        alarm=describe_demonstration((), [audit.of.name]),
        summary=[*list_summary(audit), *items],
        parts=[Section("Checks", (*checks, _draw_methods(audit, about)), "checks")],
        contents=[
            Link("Summary", "summary"), Link("About the set", "set"), Link("Not checked", "unchecked"),
            Link("Items to mend", "items"), Link("Checks", "checks"), Link("Methods", "methods"),
        ],
        scripts=("page",),
        images=album.pictures,
    )  # fmt: skip
    return draw_page(page)


def describe_score(audit: Audit) -> str:
    """Write the headline: the score possible without images, or else the worst problem."""
    done = next((each for each in audit.checked if each.check == GUESSER), None)
    if done is not None and not done.looked_at:
        return f"{QUESTION}: not decided. {' '.join(done.cannot)}"
    if done is not None:
        number = next(each for each in done.numbers if each.name == "guesser_accuracy")
        return f"{describe_possible('a guesser that reads only the text', number.estimate, number.expected or 0.0)}."
    if audit.findings:
        return audit.findings[0].sentence
    looked = sum(bool(each.looked_at) for each in audit.checked)
    return f"{counted(looked, 'check')} found nothing." if looked else "Nothing could be checked."


def describe_problems(audit: Audit) -> str:
    """Count the items to fix, the problems of the set, and the unchecked parts."""
    items, about = list_to_mend(audit), list_about_set(audit)
    gaps = sum(bool(each.cannot) for each in audit.checked)
    mend = f"{counted(len(items), 'item')} to mend" if items else "No item to mend was found"
    worst = next((each.sentence for each in about if each.severity is Severity.HIGH and each.check != GUESSER), "")
    most = max((len(each.items) for each in about), default=0)
    upto = f" (up to {counted(most, 'item')})" if most else ""
    whole = (
        f"; {'counted separately, ' if items else ''}{counted(len(about), 'problem')} of the whole set{upto}"
        if about
        else ""
    )
    proof = "" if items or about else ", which does not prove that there is none"
    checks = counted(len(audit.checked), "check")
    first = f"{worst.rstrip('.')}. " if worst else ""
    return f"{first}{mend}{whole}{proof}. Of {checks}, {gaps or 'none'} could not be made, or only in part."


def describe_benchmark(audit: Audit) -> str:
    """Describe the audited benchmark: its name, its items, and its training split."""
    of = audit.of
    training = f", {counted(len(of.training), 'training item')}" if of.training else ""
    return f"{describe_name(of.name)}: {counted(len(of.items), 'item')}, {len(of.choices):,} with options{training}"


def list_summary(audit: Audit) -> Iterator[Part]:
    """List what to fix and what was not checked, for page and terminal."""
    score = next((each for each in audit.findings if each.check == GUESSER), None)
    if score is None and any(each.check == GUESSER and each.looked_at for each in audit.checked):
        yield Note("The guesser is not shown to beat guessing.", look="below")
    elif score is not None and score.sentence.startswith(QUESTION):
        yield Note(" ".join(sentences_of(score.sentence)[1:]) or score.fix, look="below")
    if audit.of.beside:
        yield Note(audit.of.beside, look="below")
    told = tuple(map(_list_problem, list_about_set(audit)))
    looked = sum(bool(each.looked_at) for each in audit.checked)
    nothing = Note(f"{counted(looked, 'check')} found nothing that is wrong with the set as a whole.")
    about = Section("About the set", (Listing(told) if told else nothing,), "set")
    unchecked = Section("Not checked", (Listing(tuple(_list_unchecked(audit))),), "unchecked")
    yield Grid((about, unchecked))


def _list_problem(finding: Finding) -> Cell:
    """Describe a problem: severity, number of items, and what to do."""
    first = sentences_of(finding.sentence)[0]
    if first.startswith(QUESTION):
        first = f"The text alone gives away the answers of {counted(len(finding.items), 'item')}."
    items = f"{counted(len(finding.items), 'item')}. " if finding.items else ""
    return Cell(
        rich("**{}:** {}", begun(finding.severity.value), first),
        note=f"{items}To do: {finding.fix}",
        links=(Link(finding.check, finding.check),),
        also="Check:",
    )


def _list_unchecked(audit: Audit) -> Iterator[Cell]:
    """List the checks that were incomplete, with their reasons, and the audit's limits."""
    for each in audit.checked:
        if each.cannot:
            words, more = "checked in part" if each.looked_at else "not checked", len(each.cannot) - REASONS
            why = " ".join(each.cannot[:REASONS]) + (f" And {more} more like that." if more > 0 else "")
            yield Cell(rich("**{}** {}", check_named(each.check).asks, words), note=why,
                       links=(Link(each.check, each.check),), also="Check:")  # fmt: skip
    told = rich(
        "It knows more than the questions of one benchmark. Ask models without the image "
        "(`snellen exam --tests image-needed,text-needed`)."
    )
    yield Cell(rich("**No audit can tell** what a language model knows"), note=told)


def draw_items(audit: Audit, album: ItemAlbum) -> Iterator[Part]:
    """Draw the items to fix, each once with all its problems."""
    items = list_to_mend(audit)
    if not items:
        yield Section("Items to mend", (Note("No check found an item to mend."),), "items")
        return
    total = len(audit.of.items) + len(audit.of.training) + len(audit.of.broken)
    listed = len({each.flagged.item_id for found in items for each in found.problems})
    said = f"{listed:,} of {counted(total, 'item')}, the surest first. mend.csv has all of them."
    rows = [
        Row(
            album.draw_head(item.item_id, item.item),
            (
                Cell(item.severity.value, note=f"{min(item.sure, 0.99):.0%} sure"),
                Cell(lines=tuple(_describe_problem(each, item.item, quotes=album.quotes) for each in item.problems)),
            ),
        )
        for item in items
    ]
    yield Section(
        "Items to mend", (Note(said), *_fold_rows(rows, "item", "severity", "what is wrong, what to do")), "items"
    )


def _describe_problem(problem: Problem, item: Item | None, *, quotes: bool) -> Cell:
    flagged = problem.flagged
    headed = item is not None and flagged.quote.startswith(" ".join(item.question.split())[:_SAME])
    meant = f" “{shorten_text(flagged.quote, LONGEST_QUOTE)}”" if quotes and flagged.quote and not headed else ""
    others = f" With {', '.join(flagged.with_items[:3])}." if flagged.with_items else ""
    return Cell(f"{flagged.evidence}{meant}{others}", note=problem.finding.fix, n=problem.finding.check)


def _fold_rows(rows: Sequence[Row], *columns: str) -> Iterator[Part]:
    """Draw the first rows and fold more of them. A note says where the rest is."""
    yield Table(name_columns(*columns), tuple(rows[:SHOWN]))
    if more := tuple(rows[SHOWN:FOLDED]):
        left = len(rows) - FOLDED
        note = (quiet(f"{left:,} more are in findings.csv."),) if left > 0 else ()
        yield Fold(f"{len(rows) - SHOWN:,} more items", (Table(name_columns(*columns), more), *note))


def draw_check(audit: Audit, done: Checked, album: ItemAlbum) -> Fold:
    """Draw a check as a chapter: problems, numbers, method and gaps."""
    standing = [each for each in audit.findings if each.check == done.check]
    parts = (
        *([] if standing else [Note(_describe_nothing(done))]),
        *(part for each in standing for part in _draw_problem(each, audit, album)),
        *_draw_numbers(done.numbers),
        *(_draw_curve(each) for each in done.curves if each.points),
        *map(quiet, done.notes),
        *(Note(words, look="cannot") for words in done.cannot),
    )
    check = check_named(done.check)
    return fold_chapter(check.asks, f"{check.name}: {_describe_result(done, standing)}", check.name, *parts)


def _describe_nothing(done: Checked) -> str:
    if not done.looked_at:
        return "Not checked."
    part = ", in the part that could be checked" if done.cannot else ""
    return f"Nothing found in {counted(done.looked_at, 'item')}{part}."


def _describe_result(done: Checked, standing: Sequence[Finding]) -> str:
    """Describe the result of a check in a few words; of the guesser, its score."""
    scores = [each.estimate for each in done.numbers if each.name == "guesser_accuracy"]
    score = f"{with_interval(scores[0], 'share')} right; " if scores else ""
    if not standing:
        nothing = _describe_nothing(done).rstrip(".")
        return score + nothing[0].lower() + nothing[1:]
    items = len({item.item_id for each in standing for item in each.items})
    worst = standing[0].severity.value
    problems = worst if len(standing) == 1 else f"{counted(len(standing), 'problem')}, the worst {worst}"
    return f"{score}{problems}" + (f", {counted(items, 'item')}" if items else "")


def _draw_problem(finding: Finding, audit: Audit, album: ItemAlbum) -> Iterator[Part]:
    p = "" if finding.p is None else f" (corrected p {p_value(finding.p)})"
    yield Note(f"{finding.sentence}{p}", f"{begun(finding.severity.value)}:")
    yield quiet(f"To do: {finding.fix}")
    if not finding.items:
        return
    quoted = album.quotes and any(each.quote for each in finding.items)
    joined = any(each.with_items for each in finding.items)
    rows = []
    for each in finding.items:
        more = len(each.with_items) - 5
        others = ", ".join(each.with_items[:5]) + (f" and {more:,} more" if more > 0 else "")
        quote = f"“{shorten_text(each.quote, LONGEST_QUOTE)}”" if each.quote else ""
        head = album.draw_head(each.item_id, audit.named_items.get(each.item_id))
        rows.append(Row(head, tuple(map(Cell, (each.evidence, *[quote] * quoted, *[others] * joined)))))
    yield from _fold_rows(rows, "item", "evidence", *["the benchmark’s words"] * quoted, *["with"] * joined)


def _draw_numbers(numbers: Sequence[Number]) -> Iterator[Table]:
    """Draw a plot per unit, with each number and its expected value."""
    for unit in sorted({each.unit for each in numbers}):
        yield _plot([(begun(each.words), each.estimate, each.expected) for each in numbers if each.unit == unit], unit)


def _draw_curve(curve: Curve) -> Table:
    """Draw the points of a curve, a row each, with a reference line."""
    points = some_of(curve.points, POINTS)
    rows = [(f"{across:,.0f} {curve.across}", estimate, curve.level) for across, estimate in points]
    return _plot(rows, Unit.SHARE, begun(curve.upwards))


def _plot(rows: Sequence[tuple[str, Estimate, float | None]], unit: Unit, caption: str = "") -> Table:
    whole = scale([estimate for _, estimate, _ in rows], unit)
    drawn = tuple(
        row_of_estimate(words, estimate, replace(whole, reference=expected),
                        "" if expected is None else f"expected {figure(expected, unit)}")
        for words, estimate, expected in rows
    )  # fmt: skip
    title = axis_title("accuracy" if unit is Unit.SHARE else "value", unit)
    columns = name_columns("what", "drawn", "estimate, 95% interval, n")
    note = "The dashed line is what is expected of a benchmark without this problem." if rows[0][2] is not None else ""
    return Table(columns, drawn, caption, "drawn", note, axis=titled_axis(whole, title))


def _draw_methods(audit: Audit, about: Mapping[str, Any]) -> Fold:
    severities = "; ".join(f"{each.value}: {words}" for each, words in SEVERITIES.items())
    asked = "; stored answers of models were read" if audit.of.answers else ""
    parts = (
        Note(
            f"No model was asked{asked}. The benchmark itself was read: its questions, options, keys and images. A "
            "problem is a reason to look at an item. It does not show that a model exploits it. An audit does not "
            "know if a clinician can answer without the image."
        ),
        Note(f"How severe a problem is: {severities}. findings.csv has every item."),
        Note(
            "The authors of a check set how sure it is that a flagged item needs mending. This certainty orders the "
            "list and is not a measured probability. For a judge that was compared with labels, it is the lower end of "
            "the 95% interval of the judge's precision."
        ),
        Note(
            f"{counted(audit.tested, 'hypothesis') if audit.tested == 1 else f'{audit.tested:,} hypotheses'} were "
            "tested. A problem that could be chance is shown if its p-value, corrected for all of them by Holm’s "
            f"method, is at most {LEVEL}. So a benchmark with nothing wrong has such a problem in at most "
            f"{100 * LEVEL:g}% of audits. Items of one patient or one image are not counted as independent. Other "
            "problems (a duplicate, an unreadable image) are facts about the files and have no p-value; neither has a "
            "list of items for review."
        ),
        Facts(tuple((name, str(value)) for name, value in about.items())),
    )
    return fold_chapter("Methods", "how severity, chance and correction work; versions, seed", "methods", *parts)


class ItemAlbum:
    """The items of a page: question, key and thumbnail, if texts may be shown."""

    def __init__(self, audit: Audit, *, quotes: bool) -> None:
        self.quotes = quotes
        self._small: dict[str, AlbumPicture | None] = {}
        self._seeing = {each.check for each in audit.checked if each.looked_at} & {"missing-images", "shared-images"}

    @property
    def pictures(self) -> list[AlbumPicture]:
        """The small images that the page shows."""
        return [each for each in self._small.values() if each]

    def draw_head(self, item_id: str, item: Item | None) -> Cell:
        """Draw the head of an item's row."""
        name = rich("`{}`", item_id)
        if item is None or not self.quotes:
            return Cell(name)
        known = identifying_words((item,))
        question = shorten_text(without_identifiers(" ".join(item.question.split()), known), LONGEST_QUESTION)
        key = shorten_text(without_identifiers(name_key(item), known), LONGEST_QUESTION)
        small = self._shrink(item.images[0]) if item.images else None
        image = (Cell(drawing=small.draw("the item's image", height=THUMBNAIL_HEIGHT)),) if small else ()
        return Cell(name, note=rich("{} **Key:** {}", question, key), lines=image)

    def _shrink(self, image: Image) -> AlbumPicture | None:
        if not self._seeing:  # the images of a benchmark that came without them are not looked for here
            return None
        try:
            name = sha256(image.fingerprint.encode()).hexdigest()
            if name not in self._small:
                if len(self.pictures) >= MOST_THUMBNAILS:
                    return None
                small = preview(image.encoded().data, THUMBNAIL_SIDE, name=image.name)
                self._small[name] = AlbumPicture(
                    name, data=small.data, media_type=small.media_type, width=small.width, height=small.height
                )
        except (ImageError, OSError):
            return None
        return self._small[name]
