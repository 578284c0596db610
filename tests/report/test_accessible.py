"""Every kind of page as everybody reads it: WCAG 2.1 AA as axe checks it, everything unfolded, light and dark."""

from pathlib import Path

import axe_core_python
import numpy as np
import pytest

from charted import charted
from rated import add_reviews
from snellen.benchmarks import load
from snellen.report.contact_sheet import contact_sheet
from snellen.report.live import live_page
from snellen.report.page import render
from snellen.stats import wilson
from snellen.study import Study, compare
from snellen.tools.audit.audit import Audit
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.bclean import clean, collect_responses
from snellen.tools.audit.cleaned import render as draw_bclean
from snellen.tools.audit.finding import Checked, Finding, Flagged, Number, Severity
from snellen.tools.audit.page import render as draw_audit
from snellen.tools.chart.page import render as draw_chart
from snellen.tools.compare.page import draw_comparison
from snellen.tools.guard.calibrate import CalibrationTrial, make_calibration
from snellen.tools.guard.calibration_page import render as draw_calibration
from snellen.tools.guard.log import GuardDecision
from snellen.tools.guard.report import make_report
from snellen.tools.guard.report import render as draw_guard
from snellen.tools.guard.signal import GuardStatus

AXE = Path(axe_core_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
RULES = "['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']"
# Only of violations every element is named: a name for each that passes took a third of the time.
WRONG = f"""axe.run(document, {{runOnly: {RULES}, resultTypes: ['violations']}})
  .then((found) => found.violations.flatMap(
  (rule) => rule.nodes.map((node) => `${{rule.id}}: ${{node.html.slice(0, 200)}} ${{node.any[0]?.message ?? ''}}`)))"""
EVERYTHING = "for (const each of document.querySelectorAll('main details')) each.open = true"


def draw_an_audit():
    items = load("phantoms:items=12").items
    flagged = tuple(Flagged(each.id, "twice") for each in items[:3])
    checks = (
        Checked("super-guesser", 12, numbers=(Number("guesser_accuracy", "a guesser", wilson(9, 12), 0.5),)),
        Checked("answer-position", 12, (Finding("answer-position", Severity.HIGH, "A is right.", "Mix.", flagged),)),
    )
    return draw_audit(Audit(Audited("mine", items), checks), {"created": "2026-11-16", "seed": 0})


def draw_a_calibration():
    drawn = np.random.default_rng(1).random(160)
    trials = [
        CalibrationTrial("m" if at < 120 else "x", f"patient {at}", "questions", at < 120,
              GuardStatus.UNMOVED if score > 0.5 else GuardStatus.MOVED, "choice", score)
        for at, score in enumerate(drawn)
    ]  # fmt: skip
    return draw_calibration(make_calibration(trials, of="m", rate=0.1))


def draw_a_guard_log():
    statuses = ["moved"] * 9 + ["unmoved"] * 6 + ["undecided"] * 3
    times = (f"2026-11-14T{at:02d}:30:00.000+00:00" for at in range(len(statuses)))
    pairs = enumerate(zip(times, statuses, strict=True))
    return draw_guard(make_report([GuardDecision(time, "openai/a", each, query=str(at)) for at, (time, each) in pairs]))


def draw_items():
    benchmark = load("phantoms:items=4")
    return contact_sheet(benchmark, benchmark.items)


def draw_a_review(ask, question):
    results, store = ask([question(number) for number in range(24)], tests=("image-needed",))
    add_reviews(results, store)
    return render(results, store)


def draw_a_suite(name, out, **more):
    Study(models=["organism/blind"], tests=[name], limit=8, image_side=32, out=out, **more).run(lambda progress: None)
    return (out / "report.html").read_text(encoding="utf-8")


PAGES = {
    "audit": lambda get: draw_an_audit(),
    "bclean": lambda get: draw_bclean(clean(collect_responses(get("usual")[0])[0]), {"created": "2026-11-16"}),
    "calibration": lambda get: draw_a_calibration(),
    "chart": lambda get: draw_chart(charted()),
    "compare": lambda get: draw_comparison(compare(get("usual")[0].folder, get("usual")[0].folder)),
    "guard": lambda get: draw_a_guard_log(),
    "review": lambda get: draw_a_review(get("study"), get("question")),
    "show": lambda get: draw_items(),
    "view": lambda get: live_page("exam").html,
    "artefacts": lambda get: get("degraded_text"),
    "mirage": lambda get: get("mirage_text"),
    "pathway": lambda get: draw_a_suite("pathway", get("tmp_path")),
    "readiness": lambda get: get("ready_text"),
    "reports": lambda get: draw_a_suite("reports", get("tmp_path"), benchmarks=["phantoms:task=report,items=8"]),
    "standard": lambda get: get("usual_text"),
}
"""How each kind of page is made; those of suites are the pages that other tests read too."""
THIN = """for (const each of document.querySelectorAll(
  `%s, tbody tr:nth-child(n+4), .cards > :nth-child(n+3), .panels > :nth-child(n+3)`)) each.remove()"""
"""Leaves three rows of each table, two of other parts that are alike, and of a suite's page the chapter of its own."""


@pytest.mark.parametrize("name", PAGES)
def test_everybody_can_read_it(name, request, browser, tmp_path):
    """Each kind of page, unfolded, with a response opened if it has any; in dark colours the contrast."""
    path = tmp_path / "page.html"
    path.write_text(PAGES[name](request.getfixturevalue), encoding="utf-8")
    browser.open(path.as_uri())
    own = browser.evaluate(f"document.querySelector('details.chapter#{name}') !== null")
    browser.evaluate(THIN % (f"details.chapter:not(#{name})" if own else "main#none"))
    browser.evaluate(EVERYTHING)
    if not own and browser.evaluate("document.querySelector('.browser') !== null"):
        browser.wait_for("document.querySelector('.browser .line') !== null")
        browser.evaluate("document.querySelector('.browser .line').click()")
    browser.evaluate(f"{AXE}; 0")
    assert browser.evaluate(WRONG) == []
    if not own:
        browser.colour(dark=True)
        assert browser.evaluate(WRONG.replace(RULES, "['color-contrast']")) == []
