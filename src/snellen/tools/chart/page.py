"""The page of an eye chart: the chart, its threshold, and further results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup

from snellen.report.components import (
    Cell,
    Facts,
    Fold,
    Grid,
    Key,
    Link,
    Listing,
    Note,
    Part,
    Plot,
    Row,
    Section,
    Table,
    fold_chapter,
    name_columns,
    quiet,
    rich,
    write_row,
)
from snellen.report.drawing import Page, draw, draw_page
from snellen.report.evidence.album import some_of
from snellen.report.evidence.reply_kinds import ReplyKind
from snellen.report.figures.marks import Scale, forest_mark, kind_bar, kinds_in_words, scale, svg, titled_axis
from snellen.report.sections.headline import describe_demonstration
from snellen.report.words.numbers import begun, count, figure, p_value, shorten_text, with_interval
from snellen.runtime import counted, visible
from snellen.stats import Estimate
from snellen.tools.chart import figures, sentences
from snellen.tools.chart.figures import SIGNS, ChartRow, ReadingLine
from snellen.tools.chart.result import Acuity, ChartResult, Invention, Mark, Shrinking, Trial
from snellen.tools.chart.sentences import CHANGED, in_logmar, pixels, times

KINDS: dict[Mark, ReplyKind] = {
    "right": ReplyKind("correct", "read right"),
    "wrong": ReplyKind("wrong", "another letter named: shown behind the cross"),
    "declined": ReplyKind("abstained", "reported as unreadable"),
    "missing": ReplyKind("unparsed", "left out of the response"),
}
OUTCOMES = ("answered", "refused", "no image", "cut off", "failed")
MOST_ROWS = 14
LONGEST_REPLY = 160


class KnownSight(NamedTuple):
    """The threshold of another model, read from its own eye chart; None if unknown."""

    model: str
    size: Estimate | None


def render(result: ChartResult, beside: Sequence[KnownSight] = ()) -> str:
    """Render the page; thresholds of the models in `beside` are drawn as lines."""
    page = Page(
        title=f"Eye chart of {result.model}",
        headline=_tell_acuity(result),
        meta=" · ".join([f"Eye chart of {result.model}", *_list_meta(result)]),
        alarm=describe_demonstration([result.model]) if result.why[1:] in result.sentence else result.why,
        summary=[Grid((*_draw_chart(result, beside), Markup("<div>{}</div>").format(draw(list(_describe(result))))))],
        parts=[Section("Chapters", tuple(_list_chapters(result)), "chapters")],
        contents=[Link("Chart", "summary"), Link("Responses", "replies"), Link("Methods", "methods")],
        scripts=("page",),
    )
    return draw_page(page)


def _list_meta(result: ChartResult) -> Iterator[str]:
    tally = _tally(result)
    outcomes = ", ".join(f"{number} {outcome}" for outcome, number in tally)
    yield str(result.created)[:10]
    yield counted(result.asked, "request") + (f" ({outcomes})" if set(dict(tally)) - {"answered"} else "")
    if result.input_tokens is not None:
        out = "" if result.output_tokens is None else f", {count(result.output_tokens)} out"
        yield f"{count(result.input_tokens)} tokens in{out}"


def _tally(result: ChartResult) -> list[tuple[str, int]]:
    numbers = [(each, sum(trial.outcome == each for trial in result.trials)) for each in OUTCOMES]
    return [(outcome, number) for outcome, number in numbers if number]


def _draw_chart(result: ChartResult, beside: Sequence[KnownSight]) -> Iterator[Plot]:
    """Draw the first chart of each size, with a line at each model's threshold."""
    if result.acuity is None:
        return
    first: dict[int, Trial] = {}
    for trial in result.trials:
        if _is_answered(trial, result.acuity):
            first.setdefault(trial.size, trial)
    points = {point.size: point for point in result.acuity.points}
    rows = [ChartRow(first[size], points[size]) for size in some_of(sorted(first.keys() & points.keys()), MOST_ROWS)]
    lines = [] if result.acuity.size is None else [_draw_line("reads half at", result.acuity.size, own=True)]
    names = {each.model: visible(each.model.rpartition("/")[2]) for each in beside}
    lines += [_draw_line(f"{names[each.model]}:", each.size) for each in beside if each.size is not None]
    unknown = "".join(f" No size can be given for {each.model}." for each in beside if each.size is None)
    own = " The solid line is its threshold." if result.acuity.size is not None else ""
    dashed = " Dashed lines are thresholds of other models." if any(not line.own for line in lines) else ""
    caption = f"The first chart of each size, all at the same scale.{own}{dashed}{unknown}"
    sign = Markup('<text class="sign {}" x="9" y="12" text-anchor="middle">{}</text>')
    key = (Key("", kind.words, svg("swatch", "", [sign.format(each, SIGNS[each])])) for each, kind in KINDS.items())
    yield Plot(figures.draw_chart(rows, lines), caption, tuple(key))


def _is_answered(trial: Trial, acuity: Acuity) -> bool:
    return trial.series.name == acuity.series.name and trial.outcome == "answered"


def _draw_line(words: str, size: Estimate, *, own: bool = False) -> ReadingLine:
    return ReadingLine(size.value, f"{words} {pixels(size)}", own)


def _tell_acuity(result: ChartResult) -> str:
    """Say how small a letter the model reads, or else the main result."""
    if result.acuity is None or result.acuity.size is None:
        return result.sentence
    size = result.acuity.size
    name = result.model.rpartition("/")[2]
    return f"{name} reads half of the letters at {pixels(size)}, n = {counted(size.n, 'letter')}."


def _describe(result: ChartResult) -> Iterator[Part]:
    """Describe further results in sentences, and explain what the numbers mean."""
    yield Listing(tuple(map(Cell, result.sentences)), "dots")
    yield quiet(
        "The model reads half of the letters of that size. Sizes are pixels of the image as it was sent. Parentheses "
        "are 95% intervals. An image file has no viewing distance, so these numbers are not those of a person’s eye "
        "chart. Reading X-rays needs good eyesight, but reading letters does not prove that a model reads X-rays."
    )


def _list_chapters(result: ChartResult) -> Iterator[Fold]:
    acuities = () if result.acuity is None else (result.acuity, *result.others)
    span = figures.find_scale(acuities)
    if result.acuity is not None:
        parts = _draw_curve(result.acuity, span)
        yield fold_chapter("How small does it read?", _result_of(result.acuity), "curve", *parts)
    if result.others:
        parts = _draw_others(acuities, span, result.trials)
        alike = (each.change is not None and 1 / CHANGED < each.change.value < CHANGED for each in result.others)
        differ = ", ".join(each.series.words for each, same in zip(result.others, alike, strict=True) if not same)
        found = f"differ: {differ}" if differ else "no difference of one chart line or more"
        yield fold_chapter("Fainter letters, other grounds, large images", found, "others", *parts)
    if result.invention is not None:
        share = result.invention.invented
        invents = "" if share is None else f"invents {with_interval(share, 'share')}"
        parts = _draw_invention(result, result.invention)
        yield fold_chapter("What does it write for letters it cannot read?", invents, "invented", *parts)
    if result.corners:
        blind = [corner.name.removeprefix("the ") for corner in result.corners if corner.blind]
        found = f"blind: {', '.join(blind)}" if blind else "no part found blind"
        yield fold_chapter("Is a part of the image blind?", found, "corners", *_draw_corners(result))
    if result.shrinking is not None:
        found = {True: "seems so", False: "does not seem so", None: "not decided"}[result.shrinking.shrunk]
        parts = _draw_shrinking(result, result.shrinking)
        yield fold_chapter("Are images shrunk before the model sees them?", found, "shrinking", *parts)
    columns = name_columns("no.", "series", numbers=("size",), more=("shown", "read", "response"))
    yield fold_chapter(
        "All responses", counted(len(result.trials), "request"), "replies",
        Table(columns, tuple(map(_list_reply, result.trials))),
        quiet("chart.jsonl has every response in full, trials.csv has every letter."),
    )  # fmt: skip
    yield fold_chapter("Methods", "how it was asked and measured", "methods", *_describe_methods(result))


def _result_of(acuity: Acuity) -> str:
    return "size unknown" if acuity.size is None else pixels(acuity.size)


def _draw_curve(acuity: Acuity, span: Scale) -> Iterator[Part]:
    found = acuity.why
    if acuity.size is not None and acuity.logmar is not None:
        found = (
            f"{pixels(acuity.size)}, logMAR {in_logmar(acuity.logmar)}, n = {counted(acuity.size.n, 'letter')}, "
            f"{acuity.size.method}. logMAR is log₁₀ of a letter’s stroke in pixels, a fifth of its height: a stroke of "
            "1 pixel is 0.0."
        )
    yield Note(found, f"{begun(acuity.series.words)}:")
    caption = (
        "Share of letters read right by size. Each dot is one size, larger for more letters; its line is the 95% "
        "interval (Wilson). Curve and band: the fitted psychometric function and its 95% interval."
    )
    if acuity.size is not None:
        caption += " Dashes: the threshold; the bar on the axis is its interval."
    if acuity.curve is not None:
        guess, lapse = (figure(share, "share") for share in (acuity.curve.guess, acuity.curve.lapse))
        caption += f" Fitted: guess rate {guess}, lapse rate {lapse}, width {acuity.curve.width:.2f} log₁₀ units."
    yield Plot(figures.draw_reading(acuity, span), caption)


def _draw_others(acuities: Sequence[Acuity], span: Scale, trials: Sequence[Trial]) -> Iterator[Part]:
    rows = []
    for each in acuities:
        cells = Cell(), Cell("size unknown", note=each.why)
        if each.size is not None and each.logmar is not None:
            cells = Cell(drawing=forest_mark(each.logmar, span, 0)), Cell(pixels(each.size), n=f"n {each.size.n:,}")
        rows.append(Row(Cell(each.series.words), cells))
    columns = name_columns("letters", "drawn", "threshold, 95% CI, n")
    yield Table(columns, tuple(rows), look="drawn", axis=figures.draw_axis(span))
    plots = tuple(_draw_series(each, span, trials) for each in acuities[1:])
    yield Fold("Letters and curve of each series", (Grid(plots),))


def _draw_series(acuity: Acuity, span: Scale, trials: Sequence[Trial]) -> Plot:
    """Draw one series: its curve, and the trial closest to its threshold.

    Without a threshold, the trial with the smallest letters is shown.
    """
    change = "" if acuity.change is None else f"; {times(acuity.change)} that of dark letters on a light ground"
    title = f"{begun(acuity.series.words)}, image of {acuity.series.side} px: {_result_of(acuity)}{change}"
    at = 0.0 if acuity.size is None else acuity.size.value
    own = (trial for trial in trials if _is_answered(trial, acuity))
    near = min(own, key=lambda trial: abs(trial.size - at), default=None)
    letters = Markup("") if near is None else figures.draw_letters(near)
    return Plot(
        letters + figures.draw_reading(acuity, span), f"{title}. Letters nearest to the threshold, and the curve."
    )


def _draw_invention(result: ChartResult, invention: Invention) -> Iterator[Part]:
    summary = " ".join(sentences.describe_invention(result))
    never = "" if invention.from_size else " At no size does it invent more than half of the letters."
    yield Note(f"It was asked to write ? for a letter that it cannot read. {summary}{never}")
    kinds, rows = {mark: kind._replace(words=kind.words.partition(":")[0]) for mark, kind in KINDS.items()}, []
    for point in invention.points:
        counts = {kind: int(getattr(point, mark)) for mark, kind in kinds.items()}
        number = Cell(n=f"n {point.n:,}", note=kinds_in_words(counts))
        rows.append(Row(Cell(f"{point.size} px"), (Cell(drawing=kind_bar(counts)), number)))
    key = tuple(Key(f"outcome {kind.name}", kind.words) for kind in kinds.values())
    yield Table(name_columns("size", "letters", "n"), tuple(rows), look="drawn", key=key)


def _draw_corners(result: ChartResult) -> Iterator[Part]:
    size = f" of {result.corner_size} px, a size that it reads in the centre," if result.corner_size else ""
    yield Note(" ".join(sentences.describe_corners(result)))
    yield quiet(
        f"Letters{size} stood in nine parts of the image. A part is called blind if fewer than half of its letters are "
        "read, and fewer than in the other parts or in rows in the middle. The tests are exact and corrected by Holm’s "
        "method over the nine parts (p below 0.05)."
    )
    rows = []
    for start, name in zip(range(0, len(result.corners), 3), ("top", "middle", "bottom"), strict=True):
        cells = (
            Cell(f"{each.right} of {each.n}", note=f"{'blind, ' * each.blind}p {p_value(each.p)}",
                 shade=1 - each.right / each.n)
            for each in result.corners[start : start + 3]
        )  # fmt: skip
        rows.append(Row(Cell(name), tuple(cells)))
    columns = name_columns("", "left", "middle", "right")
    table = Table(columns, tuple(rows), "Letters read right, by their place in the image", "heat")
    shown = next((each for each in result.trials if each.series.name == "corners" and each.outcome == "answered"), None)
    picture = () if shown is None else (Plot(figures.draw_whole(shown), "One of these charts, with what was read."),)
    yield Grid((table, *picture))


def _draw_shrinking(result: ChartResult, shrinking: Shrinking) -> Iterator[Part]:
    yield Note(" ".join(sentences.describe_shrinking(result)))
    yield quiet(
        "A model that gets every pixel reads letters of the same size in a small and in a large image: the ratio of "
        "the two thresholds is 1. If images are scaled to one size first, letters in the large image must be larger. "
        f"n = {counted(shrinking.ratio.n, 'letter')}, {shrinking.ratio.method}."
    )
    span = scale([shrinking.ratio, Estimate(0.0, 0.0, 0.0, 0, "")], "number", reference=1.0)
    large, small = (f"{side} px" for side in (shrinking.large_side, shrinking.small_side))
    cells = Cell(drawing=forest_mark(shrinking.ratio, span, 0)), Cell(times(shrinking.ratio))
    axis = titled_axis(span, f"Threshold in the image of {large} divided by the one in {small}")
    columns = name_columns("images", "drawn", "ratio, 95% CI")
    yield Table(columns, (Row(Cell(f"{large} against {small}"), cells),), look="drawn", axis=axis)


def _list_reply(trial: Trial) -> Row:
    read = Cell(str(trial.outcome))
    if trial.outcome == "answered":
        signs = "".join(SIGNS[letter.mark] for letter in trial.letters)
        read = Cell(rich("`{}`", signs), n=f"{trial.count('right')} of {len(trial.letters)}")
    shown, reply = rich("`{}`", " ".join(trial.rows)), f"“{shorten_text(trial.reply, LONGEST_REPLY)}”"
    return write_row(str(trial.number), trial.series.words, f"{trial.size} px", shown, read, reply)


def _describe_methods(result: ChartResult) -> Iterator[Part]:
    chosen = "Every size was tested." if result.exhaustive else (
        "Each next chart has the size that is most informative about the threshold (an adaptive rule)."
    )  # fmt: skip
    yield Note(
        "Every chart is drawn for this examination from random Sloan letters (C D H K N O R S V Z), five strokes high, "
        f"and is never used again. {chosen}"
    )
    yield Note(
        "The share read right is fitted as guess + (1 − guess − lapse) · F(log size), with both rates free. The "
        "threshold is the size at which F is one half. Its interval is the wider of a parametric bootstrap and a "
        "likelihood-ratio interval. Letters of a request that was refused, cut off or failed do not count. A letter "
        "that is left out of a response counts as not read."
    )
    facts = {"model": result.model, "revision": result.revision, "asked": str(result.created), "seed": str(result.seed)}
    facts |= {f"requests {outcome}": count(number) for outcome, number in _tally(result)}
    yield Facts(tuple((name, value) for name, value in facts.items() if value))
