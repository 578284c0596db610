"""The page of a calibration: threshold, ROC curves, and limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from snellen.report.components import (
    Facts,
    Fold,
    Key,
    Link,
    Note,
    Plot,
    Section,
    Table,
    fold_chapter,
    name_columns,
    write_row,
)
from snellen.report.drawing import Page, draw_page
from snellen.report.figures.curves import line_mark
from snellen.report.figures.forests import row_of_estimate
from snellen.report.figures.graph import SHARES, Graph
from snellen.report.figures.marks import at_point, axis_title, scale, titled_axis
from snellen.report.figures.palette import SHAPES, hue, shape
from snellen.report.words.numbers import count, figure, with_interval
from snellen.tools.guard.calibrate import Calibration, Caught, sentences

SIDE = 400.0
"""Height of the ROC plot in pixels, chosen so that the plot is about square."""
CAPTION = "Detected share of responses that do not rest on the image, by false alarms. Dotted: the requested rate"


def render(calibration: Calibration) -> str:
    """Render the page as HTML, without text of questions or responses."""
    first, *others = sentences(calibration)
    asked = "with a stand-in image" if calibration.stand_in else "one extra call, without the image"
    doubts = others[:1] if calibration.wide or not calibration.firm else []
    meta = (
        str(calibration.about.get("created", ""))[:10],
        f"{count(calibration.n)} queries with known grounding",
        asked,
    )
    page = Page(
        title=f"Calibration of the guard on {calibration.of}",
        headline=first,
        lede=f"Calibration of the guard on {calibration.of}.",
        meta=" · ".join(each for each in meta if each),
        alarm="" if calibration.firm else " ".join(doubts),
        summary=[
            _draw_shares(calibration),
            *(Note(each, look="warning") for each in doubts if calibration.firm),
            *(Note(each, look="below") for each in others[len(doubts) :]),
        ],
        parts=[Section("Limits", tuple(_list_limits(calibration)), "cannot"),
               Section("Chapters", tuple(_list_chapters(calibration)), "chapters")],
        contents=[Link("Summary", "summary"), Link("Limits", "cannot"), Link("Methods", "methods")],
        scripts=("page",),
    )  # fmt: skip
    return draw_page(page)


def _draw_shares(calibration: Calibration) -> Table:
    """Draw the false-alarm rate, and the detected share of each source."""
    span = scale([calibration.alarms], "share", reference=calibration.rate)
    named = [("rest on the image (false alarms)", calibration.alarms)]
    named += [(each.source, each.reached) for each in calibration.caught]
    rows = tuple(row_of_estimate(words, each, span) for words, each in named)
    note = (
        f"The dashed line is the requested false-alarm rate, {100 * calibration.rate:g}%. All shares use only "
        "patients that were not used to choose the threshold."
    )
    axis = titled_axis(span, axis_title("responses at or above the threshold", "share"))
    return Table(name_columns("responses that", "drawn", "share, 95% CI, n"), rows, look="drawn", axis=axis, note=note)


def _list_limits(calibration: Calibration) -> Iterator[Note]:
    yield Note(
        "These queries are about drawn images. On your own questions the rate can differ: a question whose words give "
        "the answer away is answered the same without the image, also by a model that looks.",
        look="cannot",
    )
    yield Note(
        "With one extra call, a model passes if it notices a missing image but ignores one that is present. Only a "
        "stand-in image reveals this.",
        look="cannot",
    )
    if calibration.of != "organisms":
        yield Note(
            "Right answers were taken to rest on the image. Some are lucky guesses; they can only raise the "
            "false-alarm rate.",
            look="cannot",
        )


def _list_chapters(calibration: Calibration) -> Iterator[Fold]:
    if calibration.caught:
        found = ", ".join(figure(each.auc.value, "score") for each in calibration.caught)
        roc = (_draw_roc(calibration), _list_areas(calibration.caught))
        yield fold_chapter("ROC curve", f"AUC {found}", "curve", *roc)
    named = [("responses that rest on the image", calibration.verdicts)]
    named += [(each.source, each.verdicts) for each in calibration.caught]
    rows = tuple(write_row(words, *map(count, verdicts.values())) for words, verdicts in named)
    note = (
        "A response whose score reaches the threshold is called unmoved only if the model gives the same answer "
        "without the image. If it answers otherwise without the image, the verdict is undecided."
    )
    columns = name_columns("verdicts on", numbers=calibration.verdicts)
    title = f"Verdicts at the threshold of {calibration.threshold:.2f}"
    yield fold_chapter(title, "", "threshold", Table(columns, rows, note=note))
    yield fold_chapter("Methods", "queries, threshold, intervals", "methods", *_describe_methods(calibration))


def _list_areas(caught: Sequence[Caught]) -> Table:
    columns = name_columns("responses that do not rest on the image", numbers="n", more=("AUC, 95% CI", "method"))
    rows = tuple(
        write_row(each.source, count(each.n), with_interval(each.auc, "score"), each.auc.method) for each in caught
    )
    note = (
        "The AUC is the probability that such a response has a higher score than one that rests on the image. A tie "
        "counts as half; 0.5 is chance (the dashed diagonal). The marks show the threshold."
    )
    return Table(columns, rows, note=note)


def _describe_methods(calibration: Calibration) -> Iterator[Note | Facts]:
    stood_in = " and with another patient’s image of the same kind" if calibration.stand_in else ""
    yield Note(
        f"Every query was asked with its image and without it{stood_in}, and the responses were compared by option, or "
        f"by finding, presence and side. The threshold is the lowest that at most {100 * calibration.rate:g}% of "
        "responses that rest on the image reach, among every second patient. Shares have Wilson’s interval, by "
        "patient; AUCs have DeLong’s variance, by patient."
    )
    facts = {name: str(value) for name, value in calibration.about.items()}
    facts |= {f"not scored: {what}": count(number) for what, number in calibration.unscored.items()}
    yield Facts(tuple(facts.items()))


def _draw_roc(calibration: Calibration) -> Plot:
    """Draw the ROC curves, the threshold on each, and the requested rate."""
    graph = Graph(SIDE, tuple((share, figure(share, "share")) for share in SHARES), "False alarms")
    parts = [graph.line("reference", (0, 0), (1, 1)),
             graph.line("limit", (calibration.rate, 0), (calibration.rate, 1))]  # fmt: skip
    for place, each in enumerate(calibration.caught):
        at = [point for point in each.curve if point.threshold >= calibration.threshold][-1]
        curve = graph.path(f"fall dashes-{place % len(SHAPES)}", ((to.false_alarms, to.detected) for to in each.curve))
        x, y = f"{graph.across(at.false_alarms):.1f}", f"{graph.scale_share(at.detected):.1f}"
        mark = at_point(x, y, shape(place), "dot")
        parts.append(Markup('<g class="series{}">{}{}</g>').format(hue(place), curve, mark))
    spoken = "; ".join(f"{each.source}: AUC {with_interval(each.auc, 'score')}" for each in calibration.caught)
    key = tuple(Key("", each.source, line_mark(place)) for place, each in enumerate(calibration.caught))
    return Plot(graph.draw(spoken, parts), CAPTION, key)
