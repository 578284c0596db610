import re
from itertools import pairwise

import pytest

from snellen.errors import ModelError
from snellen.items import Benchmark
from snellen.protocols.mirage.report.chapter import has_chapter, mirage
from snellen.protocols.paper import how
from snellen.protocols.readiness.report.failure_modes import mode_table
from snellen.report.evidence.evidence import Evidence
from snellen.report.page import render
from snellen.report.sections.by_group import breakdowns
from snellen.report.sections.parsers import admission_parser, comparisons, differences, parsers
from snellen.report.sections.rules import LABELLED, examples, rule_tables
from snellen.report.sections.tests import OWN, sections
from snellen.report.words import numbers as wording
from snellen.report.words.glossary import METHOD_WORDS
from strategies import items

PARTS = (
    "test-mirage-rate", "mirage-said", "test-mirage-bias-seeds-6", "test-mirage-score", "mirage-guessing",
    "mirage-naming", "mirage-grounding", "mirage-reading",
)  # fmt: skip
SEEN = "The image shows a large fracture of the left femur."
SILENT = "I don't see any image attached to your message. Please upload it."
HOSTILE = '</b></section><script>alert(1)</script>"><img src=x onerror=alert(1)> {{ 7*7 }}'


def chapter(text):
    return text[text.index('<section id="mirage">') : text.index("How these responses were read")]


def sees(request):
    """A model that always claims to have seen something."""
    return f"{SEEN} <diagnosis>melanoma</diagnosis> Answer: A"


def fails(request):
    raise ModelError("The line is down.")


def test_chapter_has_every_part_in_order(mirage_text, checked):
    """Every part that was asked is there, in the order of the chapter, and the page around it is sound."""
    ids = checked(mirage_text)
    assert [each for each in ids if each in PARTS] == list(PARTS)
    assert '<a href="#mirage">Mirage</a>' in mirage_text


def test_headings_are_in_order(mirage_text, parsed):
    """No level of headings is skipped on the way down."""
    levels = [int(tag[1]) for tag, _, _ in parsed(mirage_text).elements if re.fullmatch("h[1-6]", tag)]
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_number_of_its_tests_is_in_the_chapter(mirage, mirage_text):
    """Value, interval and method of every number of rate, bias and score stand there, the means over all as well."""
    text = chapter(mirage_text)
    rows = [row for row in mirage[0].rows() if row["parser"] != "double-brackets"]
    told = [row for row in rows if row["test"].partition(":")[0] in ("mirage-rate", "mirage-bias")]
    means = [row for row in rows if row["measure"] == "mean_mirage_score"]
    assert {(row["model"] == "all models", row["benchmark"] == "all benchmarks") for row in means} == {
        (True, False),
        (False, True),
    }
    scores = [row for row in rows if row["measure"].startswith("mirage_score")]
    for row in (*told, *means, *scores):
        kind = row["kind"]
        ends = f"{wording.end(row['low'], kind)} to {wording.end(row['high'], kind)}"
        printed = f'<b>{wording.figure(row["value"], kind)}</b> <span class="between">[{ends}]'
        assert f'title="{how(row)}">{printed}' in text, row


def test_every_measure_and_method_has_words(mirage):
    """No number of the protocol is shown under its bare name, and no method is left unexplained."""
    assert not [m for each in mirage[0].every_finding for m in each.measures if "_" in m.kind.words]
    for row in mirage[0].rows():
        assert row["method"].partition(";")[0] in METHOD_WORDS, row


def test_tests_told_here_have_no_section_besides(mirage_text, parsed):
    """Rate, bias and score are told in the chapter; the others keep their section, and both have their verdicts."""
    rest = mirage_text[mirage_text.index('<section id="looks"') : mirage_text.index('<details class="chapter paper">')]
    assert 'id="test-mirage-rate"' not in rest
    assert 'id="test-mirage-score"' not in rest
    assert 'href="#test-mirage-rate"' in rest
    assert 'id="test-guess-mode"' in rest
    verdicts = mirage_text[mirage_text.index('id="verdicts"') : mirage_text.index('id="account"')]
    assert [name in verdicts for name in ("#test-mirage-rate", "#test-guess-mode", "#test-mirage-score")] == [
        True,
        True,
        False,
    ]
    assert OWN.replace("'", "&#39;") in verdicts


def test_verdicts_have_no_empty_cell(mirage_text):
    """Questions of the tests' own stand in a table of their own, so that no test looks left out."""
    assert "not examined" not in mirage_text[: mirage_text.index('id="looks"')]


def test_questions_without_options_stay_out_of_what_is_about_options(mirage):
    """No group, comparison, difference or mode is made of replies to open questions."""
    evidence = Evidence(*mirage)
    own = {"mirage-questions", "mirage-diagnoses"}
    assert evidence.own_questions == own
    assert own.isdisjoint(evidence.benchmarks)
    assert {each.benchmark for each in breakdowns(evidence)} == set(evidence.benchmarks)
    assert {each.benchmark for each in comparisons(evidence)} == set(evidence.benchmarks)
    replies = sum(len(evidence.grades(address)) for address in evidence.with_options)
    assert {each.of for each in differences(evidence)} <= {replies}
    table = mode_table(evidence, {})
    assert sum(cell.of for cells in table.lines[0].cells for cell in cells if cell.by == "rule") == replies


def test_rules_of_open_questions_are_counted_by_what_they_found(mirage):
    """Every reply to an open question is counted under one rule of its own parser, by what the reply does."""
    evidence = Evidence(*mirage)
    tables = {
        each.benchmark: each for each in rule_tables(evidence, examples(evidence)) if each.parser == "missing-image"
    }
    assert set(tables) == evidence.own_questions
    for name, table in tables.items():
        assert {heading for heading, _ in table.blocks} <= set(LABELLED)
        counts = [sum(cell[0] for cell in column) for column in zip(*(
            line.cells for _, lines in table.blocks for line in lines), strict=True)]  # fmt: skip
        asked = [address for address in evidence.anchors if address.benchmark == name]
        assert sum(counts) == sum(table.replies) == sum(len(evidence.grades(address)) for address in asked)
    assert admission_parser(evidence).name == "missing-image"
    assert "missing-image" not in [each.name for each in parsers(evidence)]


def test_responses_to_open_questions_say_what_they_do(mirage_text, packed):
    """A response has a label, not an outcome of choosing, and no option."""
    rows = [row for row in packed(mirage_text).rows if "mirage-questions" in row["link"]]
    assert rows
    assert {row["kind"] for row in rows} <= {"missing", "hedges", "describes", "generic", "refuses", "empty"}
    assert {(row["choice"], row["moved"], len(row["options"])) for row in rows} == {(-1, 0, 0)}


def test_equal_results_make_an_equal_page(mirage, mirage_text):
    """Drawn again, the page is the same to the letter."""
    assert render(*mirage) == mirage_text


@pytest.mark.parametrize(
    ("test", "there", "away"),
    [
        (
            "mirage-rate:none",
            {"test-mirage-rate-none", "mirage-said", "mirage-reading"},
            {"mirage-guessing", "typical"},
        ),
        ("mirage-bias:seeds=3", {"test-mirage-bias-seeds-3", "mirage-said"}, {"mirage-grounding", "typical"}),
        ("mirage-score", {"test-mirage-score", "typical"}, {"mirage-said", "mirage-reading"}),
        ("guess-mode", {"mirage-guessing", "test-guess-mode"}, {"mirage-naming", "mirage-said"}),
    ],
)
def test_lone_test_has_its_part_and_no_other(mirages, test, there, away, checked):
    """A study of one such test shows that part, and hides what belongs to the others."""
    benchmarks = None if test.startswith(("mirage-rate", "mirage-bias")) else [Benchmark("b", items(12))]
    results, store = mirages([test], benchmarks=benchmarks, one=sees)
    ids = set(checked(render(results, store)))
    assert there <= ids
    assert not away & ids


def test_beside_the_standard_exam(mirages, checked):
    """With ordinary tests beside it, the ordinary parts are about the benchmark and the chapter about the rest."""
    benchmark = Benchmark("b", items(12))
    tests = ["image-needed", "rationale", "option-order", "mirage-rate:none", "mirage-bias:seeds=2"]
    results, store = mirages(tests, benchmarks=[benchmark], one=sees, two=lambda request: SILENT)
    text = render(results, store)
    ids = set(checked(text))
    assert {"typical", "looks", "sights", "mirage", "test-mirage-rate-none"} <= ids
    assert "fake/one on b" not in text


def test_all_replies_failed(mirages, checked):
    """Where no reply came, the page says so and makes up no number."""
    tests = [
        "mirage-rate:none",
        "mirage-bias:seeds=2",
        "mirage-score",
        "guess-mode",
        "dataset-name",
        "grounding-signal",
    ]
    results, store = mirages(tests, benchmarks=[Benchmark("b", items(6))], one=fails)
    text = render(results, store)
    checked(text)
    assert "No response came." in text
    assert "no response came</td>" in text


def test_hostile_words_add_no_element(mirages, parsed):
    """Whatever a reply, a diagnosis or a model's name holds, the page has the same elements and marks nothing."""

    def tags(mark):
        said = lambda request: f"The image shows {mark}. <diagnosis>{mark}</diagnosis> Answer: A"  # noqa: E731
        tests = ["mirage-rate:none", "mirage-bias:seeds=2"]
        results, store = mirages(tests, **{mark: said})
        page = parsed(render(results, store))
        assert page.problems == []
        return [(tag, sorted(attributes)) for tag, attributes, _ in page.elements]

    assert tags("a fracture") == tags(HOSTILE)


def test_study_without_these_tests_has_no_chapter(study):
    """The chapter belongs to its tests: without them, nothing of it is drawn."""
    results, store = study()
    evidence = Evidence(results, store)
    assert not has_chapter(results)
    assert mirage(evidence, sections(evidence), {}) is None
    assert 'id="mirage"' not in render(results, store)


def test_agreement_of_the_parser_is_told_where_it_was_measured(tmp_path, monkeypatch):
    """The sentence holds both kappas with their intervals, n and what they are of; unmeasured, nothing is said."""
    monkeypatch.setattr(wording, "files", lambda package: tmp_path)
    assert wording.missing_image_agreement() == ""
    record = '[{"n": 1240, "kappa": [0.853, 0.8, 0.9], "flagged_kappa": [0.91, 0.86, 0.95], "of": "hard replies"}]'
    (tmp_path / "agreement.json").write_text(record)
    assert wording.missing_image_agreement() == (
        "How far it agrees with our labels, given by a language model: κ 0.85 (0.80 to 0.90) over its six labels and κ "
        "0.91 (0.86 to 0.95) on who "
        "admits or doubts, on 1,240 hard replies."
    )
