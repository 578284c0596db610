"""Flow of questions and responses: what was planned, asked, failed, arrived, read and used adds up, here by hand."""

import re

import pytest

from snellen.cli.terminal import list_verdict_lines
from snellen.errors import RejectedError
from snellen.items import BrokenRow
from snellen.models.base import Response, receipt
from snellen.models.fake import FakeModel
from snellen.report.components import Table
from snellen.report.evidence.evidence import Evidence
from snellen.report.page import render
from snellen.report.sections.account import draw_account, draw_flow, draw_limits
from snellen.report.sections.first_screen import describe_trust
from snellen.report.sections.outcome_bars import draw_outcomes
from snellen.report.sections.tests import sections
from snellen.scoring.flow import follow_study, follow_table
from snellen.store import Store
from snellen.study import Study

ENDS = ("failed", "cut", "empty", "unread", "unsure", "declines")


def trouble(request):
    """By the number of the question: one of each kind of trouble, and else an answer."""
    number = int(re.search(r"picture (\d+) show", request.text)[1])
    kind = ENDS[number] if number < len(ENDS) and request.images else ""
    if kind == "failed":
        raise RejectedError("not accepted")
    said = {
        "cut": Response("Let me look at the image first. There is", "length"),
        "empty": Response(""),
        "unread": Response("No idea what to say."),
        "unsure": Response("I'm sorry, but I can't provide medical advice."),
        "declines": Response("I cannot see any image, so I cannot answer."),
    }.get(kind, Response("Answer: B"))
    return Response(said.text, said.finish, sent=tuple(map(receipt, request.images)))


@pytest.fixture
def troubled(study, question):
    """Two models on 12 questions, of which the first two have no image, with one broken row and a limit of 10."""
    items = [question(number, **({"images": ()} if number in (8, 9) else {})) for number in range(12)]
    models = (FakeModel(trouble, name="fake/trouble"), FakeModel(lambda request: "Answer: B", name="fake/fine"))
    return study(items, models, broken=[BrokenRow("row 13", "set/13", "no answer")], limit=10)


def read_flow(results, store):
    """The numbers of each step by its words, in the order of the models."""
    evidence = Evidence(results, store)
    [table] = [part for part in draw_flow(evidence, sections(evidence)).parts if isinstance(part, Table)]
    assert [each.words for each in table.columns] == ["step", "trouble", "fine"]
    return {row.head.words: tuple(cell.words for cell in row.cells) for row in table.rows}


def test_sums_by_hand(troubled):
    """Ten questions with the image, without it and with shuffled options: eight have an image to take away."""
    flow = read_flow(*troubled)
    [(inapplicable, numbers)] = [each for each in flow.items() if each[0].startswith("not applicable (")]
    assert "without the image" in inapplicable
    assert numbers == ("2", "2")
    assert {words: numbers for words, numbers in flow.items() if words != inapplicable} == {
        "of the benchmark": ("13", "13"),
        "left out: their row is broken": ("1", "1"),
        "not asked: beyond the limit, or asking stopped before": ("2", "2"),
        "asked under at least one condition": ("10", "10"),
        "planned: every question under every condition": ("30", "30"),
        "asked for": ("28", "28"),
        "failed: RejectedError: not accepted": ("2", "0"),
        "arrived": ("26", "28"),
        "an answer": ("16", "28"),
        "declines, cannot tell, or calls the image too poor": ("4", "0"),
        "could not be read": ("2", "0"),
        "cut off": ("2", "0"),
        "empty": ("2", "0"),
        "unsure readings among all of these": ("6", "0"),
        **{words: numbers for words, numbers in flow.items() if words in USES},
    }


USES = ("Follows the image?", "Honest without the image?", "Steady?", "image-needed", "option-order")


def test_steps_add_up_whatever_the_study(ready):
    """Planned, asked for and arrived are the sums of what they became, for each model; all repeats included."""
    results, _ = ready
    for table in results.tables.values():
        flow = follow_table(table)
        assert flow.planned == flow.inapplicable.total() + flow.asked
        assert flow.asked == flow.failed.total() + flow.missing + flow.arrived
        assert flow.arrived == flow.first + flow.second == flow.outcomes.total() + flow.ungraded
        assert flow.arrived == sum(map(len, table.with_repeats().arms.values()))


def test_what_a_verdict_uses_is_the_n_of_its_row_in_the_table_of_numbers(troubled):
    """Each n of the flow stands in results.csv beside the number that decides."""
    results, store = troubled
    flow = read_flow(results, store)
    labels = {"follows": "Follows the image?", "honest": "Honest without the image?", "steady": "Steady?"}
    rows = {(row["model"], row["test"], row["arm"], row["measure"]): row["n"] for row in results.rows()}
    seen = 0
    for each in results.own_findings:
        shown = flow.get(labels.get(each.test.name, each.test.name), ("–", "–"))
        number = shown[["fake/trouble", "fake/fine"].index(each.model)]
        decides = each.verdict.rests_on
        expected = "–" if decides is None else f"{rows[each.model, each.test.name, decides.arm, decides.name]:,}"
        assert number == expected
        seen += decides is not None
    assert seen


def test_all_sentences_about_responses_agree(troubled):
    """The trust line, the terminal, the limits and the flow count with one function."""
    results, store = troubled
    evidence = Evidence(results, store)
    flow = follow_study(results)
    assert (flow.asked, flow.arrived, flow.failed["RejectedError: not accepted"], flow.unsure) == (56, 54, 2, 6)
    [trust] = describe_trust(evidence)
    assert trust.words.startswith("54 responses are here; 2 of 56 are missing.")
    assert "Of 54 readings, 6 are unsure, all of trouble. " in trust.words
    [terminal] = [line for line in list_verdict_lines(results) if line.startswith("Trust")]
    assert terminal.startswith("Trust: 54 of 56 responses;")
    assert "6 readings unsure" in terminal
    cards = {card.title: card.parts[0].words for card in draw_limits(evidence).parts[0].cards}
    assert cards["Completeness"] == "2 of 56 responses are missing."
    assert cards["Reading of responses"].startswith("44 of 54 responses state an answer; 2 could not be parsed, 2 ")
    assert cards["Reading of responses"].endswith("Read by rules; 6 of the readings are unsure.")
    assert "30 planned" not in str(draw_flow(evidence, sections(evidence)).result)
    assert draw_flow(evidence, sections(evidence)).result == "60 planned, 56 asked for, 54 arrived, 2 missing"


def test_second_responses_are_told_apart_everywhere(study, question):
    """What was asked once more counts in the trust line; the browser holds the first, and says so."""
    results, store = study([question(number) for number in range(12)], tests=("image-needed", "steady"), repeat=True)
    evidence = Evidence(results, store)
    flow = follow_study(results)
    assert (flow.first, flow.second) == (72, 48)
    [trust] = describe_trust(evidence)
    assert trust.words.startswith("All 120 responses (72 first and 48 second ones) are here.")
    page = render(results, store)
    assert "All 72 first responses to 12 items are in this page" in page
    assert "The 48 second responses, to questions asked a second time" in page
    assert "All 120 responses (72 first and 48 second ones) that were asked for are here." in page
    assert read_second(draw_account(evidence, sections(evidence))) == 48


def read_second(account):
    """The second responses of all conditions."""
    [table] = [part for part in account.parts if isinstance(part, Table)]
    return sum(int(found[1]) for row in table.rows if (found := re.match(r"and (\d+) second", row.cells[1].n)))


def test_many_models_stand_below_one_another(study, question):
    """Nine models across would not fit; a row a model does."""
    models = [FakeModel(lambda request: "Answer: B", name=f"fake/m{number}") for number in range(9)]
    results, store = study([question(number) for number in range(3)], models)
    evidence = Evidence(results, store)
    [table] = [part for part in draw_flow(evidence, sections(evidence)).parts if isinstance(part, Table)]
    assert [row.head.words for row in table.rows] == [f"m{number}" for number in range(9)]
    arrived = [each.words for each in table.columns].index("arrived")
    assert {row.cells[arrived - 1].words for row in table.rows} == {"9"}


def test_hostile_names_stay_text(study, question):
    """What a benchmark says of a broken row is escaped, and hidden letters are spelled out."""
    broken = [BrokenRow("row 1", "<b>\u202eid", "<i>why")]
    text = render(*study([question(number) for number in range(3)], broken=broken))
    part = text.partition('id="account"')[2].partition('id="numbers"')[0]
    assert "row 1, <code>&lt;b&gt;⟨U+202E⟩id</code>: &lt;i&gt;why" in part


def test_the_terminal_prints_what_reports_score_or_why_nothing(tmp_path):
    """Of reports it has the findings F1 with n and interval; of a model that writes none, that there is none."""
    silent = FakeModel(lambda request: "I am unable to help.", name="fake/silent")
    study = Study(models=["organism/grounded", silent], tests=["reports"], out=tmp_path / "out",
                  benchmarks=["phantoms:task=report,items=12"], image_side=32)  # fmt: skip
    results = study.run(lambda progress: None)
    grounded, mute = [line for line in list_verdict_lines(results) if line.startswith("  ")]
    [row] = [row for row in results.rows() if (row["model"], row["arm"], row["measure"]) == (
        "organism/grounded", "original", "findings_f1")]  # fmt: skip
    said = f"{row['value']:.2f} ({row['low']:.2f} to {row['high']:.2f}), n {row['n']}"
    assert f"findings F1 {said}" in grounded
    assert "no report could be compared with its reference" in mute
    assert "–" not in mute
    with Store.open(results.folder) as store:
        [bars] = draw_outcomes(Evidence(results, store))
    assert "writes a report" in [each.words for each in bars.key]
    assert "another answer" not in [each.words for each in bars.key]
    assert bars.columns[0].note == "a good model reports what it shows"
