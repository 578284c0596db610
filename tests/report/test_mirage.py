"""The chapter on mirages as a whole: its parts and their order, its numbers, and what it keeps apart."""

import pytest

from snellen.errors import ModelError
from snellen.items import Benchmark
from snellen.papers.mirage.report.chapter import CHAPTER, draw_mirage, has_chapter
from snellen.papers.paper import describe_method
from snellen.report.components import Fold
from snellen.report.drawing import draw
from snellen.report.evidence.evidence import Evidence
from snellen.report.page import render
from snellen.report.sections.headline import headline
from snellen.report.sections.tests import OWN, sections
from snellen.report.words import numbers as wording
from snellen.stats import Estimate
from strategies import items
from walking import cells, find, walk

PARTS = (
    "test-mirage-rate", "mirage-said", "test-mirage-bias-seeds-6", "test-mirage-score", "mirage-guessing",
    "mirage-naming", "mirage-grounding", "mirage-reading",
)  # fmt: skip
SEEN = "The image shows a large fracture of the left femur."
SILENT = "I don't see any image attached to your message. Please upload it."
HOSTILE = '</b></section><script>alert(1)</script>"><img src=x onerror=alert(1)> {{ 7*7 }}'


def sees(request):
    """A model that always claims to have seen something."""
    return f"{SEEN} <diagnosis>melanoma</diagnosis> Answer: A"


def fails(request):
    raise ModelError("The line is down.")


def build(results, store):
    evidence = Evidence(results, store)
    return CHAPTER.build(evidence, sections(evidence), CHAPTER.choose(evidence))


@pytest.fixture(scope="module")
def parts(mirage):
    """The parts of the chapter."""
    return build(*mirage)


def test_chapter_has_every_part_in_order(mirage_text, checked):
    """Every part that was asked is there, in the order of the chapter, and the page around it is sound."""
    ids = checked(mirage_text)
    assert [each for each in ids if each in PARTS] == list(PARTS)


def test_chapter_begins_with_its_answer(parts):
    """First how many responses describe or diagnose images never sent, then what was asked, with links."""
    rate, bias, paper, asked = parts[:4]
    assert rate.words.startswith("Of the responses, 100% (91 to 100) of mirage’s, ")
    assert rate.words.endswith(" and 0% (0 to 9) of grounded’s describe an image never sent.")
    assert "diagnose an image never sent" in bias.words
    assert "<b>mirage</b>" in paper.words
    assert "test-mirage-rate" in [each.to for each in asked.links]
    assert "Not asked" not in asked.words


def test_every_number_of_its_tests_is_in_the_chapter(mirage, parts):
    """Value, interval and method of every number of rate, bias and score stand there, the means over all as well."""
    shown = {}
    for each in (cell for table in walk(parts) if hasattr(table, "rows") for cell in cells(table)):
        shown.setdefault(each.how, set()).add(f"{each.words} {each.note if each.shade is not None else ''}".rstrip())
    rows = [row for row in mirage[0].rows() if row["parser"] != "double-brackets"]
    told = [row for row in rows if row["test"].partition(":")[0] in ("mirage-rate", "mirage-bias")]
    means = [row for row in rows if row["measure"] == "mean_mirage_score"]
    assert {(row["model"] == "all models", row["benchmark"] == "all benchmarks") for row in means} == {
        (True, False),
        (False, True),
    }
    scores = [row for row in rows if row["measure"].startswith("mirage_score")]
    for row in (*told, *means, *scores):
        printed = wording.with_interval(Estimate(row["value"], row["low"], row["high"], 1, ""), row["kind"])
        assert any(each.endswith(printed) for each in shown[describe_method(row)]), row


def test_limits_are_drawn_and_long_tables_folded(parts):
    """The plots of rate and bias show 10%, and no table outside a fold has more than twelve rows."""
    for name in ("Asked about an image", "What does it diagnose"):
        plot = next(each for each in find(parts, name).parts if getattr(each, "look", "") == "drawn")
        assert all('class="reference"' in row.cells[0].drawing for row in plot.rows)
        assert f'x1="{3 + 0.1 * 94:.2f}%"' in plot.rows[0].cells[0].drawing

    def unfolded(parts):
        for each in parts:
            if not isinstance(each, Fold):
                yield each
                yield from unfolded(getattr(each, "parts", ()))

    assert all(len(each.rows) <= 12 or each.folded for each in unfolded(parts) if hasattr(each, "rows"))


def test_tests_told_here_have_no_section_besides(mirage_text):
    """Rate, bias and score are told in the chapter; the others keep their section, and both have their verdicts."""
    rest = mirage_text[mirage_text.index('id="looks"') : mirage_text.index('id="mirage"')]
    assert 'id="test-mirage-rate"' not in rest
    assert 'id="test-mirage-score"' not in rest
    assert 'href="#test-mirage-rate"' in rest
    assert 'id="test-guess-mode"' in rest
    verdicts = mirage_text[mirage_text.index('id="verdicts"') :].partition("</section>")[0]
    assert [name in verdicts for name in ("#test-mirage-rate", "#test-guess-mode", "#test-mirage-score")] == [
        True,
        True,
        False,
    ]
    assert OWN.replace("'", "&#39;") in verdicts


OWN_QUESTIONS = {"mirage-questions", "mirage-diagnoses"}


def mentions(parts, names):
    """Which of the names stand in a title or caption of some parts, or are the benchmark of a row."""
    shown = [each for each in walk(parts) if "rules of" not in str(getattr(each, "title", ""))]
    told = " ".join(str(getattr(each, name, "")) for each in shown for name in ("title", "caption", "name"))
    there = {row.benchmark for each in shown for row in getattr(each, "rows", ())}
    return {name for name in names if name in told or name in there}


def test_questions_without_options_are_in_no_group(mirage):
    """No group is made of replies to open questions."""
    from snellen.report.sections.benchmark import draw_groups

    evidence = Evidence(*mirage)
    assert evidence.own_questions == OWN_QUESTIONS
    assert mentions([*draw_groups(evidence)], {*evidence.benchmarks, *OWN_QUESTIONS}) == set(evidence.benchmarks)


def test_questions_without_options_are_in_no_comparison_of_parsers(mirage):
    """No comparison or difference of the parsers of choices is made of replies to open questions."""
    from snellen.report.sections.parsers import choose_differences, draw_parsers

    evidence = Evidence(*mirage)
    assert {address.benchmark for address in evidence.with_options} == set(evidence.benchmarks)
    differences = choose_differences(evidence)
    compared = draw_parsers(evidence, {}, differences).parts
    assert mentions(compared, {*evidence.benchmarks, *OWN_QUESTIONS}) == set(evidence.benchmarks)
    assert {address.benchmark for each in differences for address, _ in each.examples} <= set(evidence.benchmarks)


def test_rules_of_open_questions_are_counted_by_what_they_found(mirage):
    """Every reply to an open question is counted under one rule of its own parser, by what the reply does."""
    from snellen.report.sections.parsers import LABELLED, choose_examples, draw_rules

    evidence = Evidence(*mirage)
    folds = [each for each in draw_rules(evidence, choose_examples(evidence)) if "“missing-image”" in each.title]
    for name in evidence.own_questions:
        table = next(each for each in folds if each.title.endswith(f" on {name}")).parts[0]
        assert {row.heading for row in table.rows if row.heading} <= set(LABELLED)
        *rules, every = ([int(cell.words.replace(",", "")) for cell in row.cells[1:]] for row in table.rows)
        asked = [address for address in evidence.anchors if address.benchmark == name]
        assert [sum(column) for column in zip(*rules, strict=True)] == every
        assert sum(every) == sum(len(evidence.grades(address)) for address in asked)


def test_responses_to_open_questions_say_what_they_do(mirage_text, packed):
    """A response has a label, not an outcome of choosing, and no option."""
    rows = [row for row in packed(mirage_text).rows if "mirage-questions" in row["link"]]
    assert rows
    assert {row["kind"] for row in rows} <= {"missing", "hedges", "describes", "generic", "refuses", "empty"}
    assert {(row["choice"], row["moved"], len(row["options"])) for row in rows} == {(-1, 0, 0)}


def test_equal_results_make_an_equal_chapter(mirage, parts):
    """Drawn again, the chapter is the same to the letter."""
    assert draw(build(*mirage)) == draw(parts)


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
    """A study of one such test shows that part, hides those of the others, and says which were not asked."""
    benchmarks = None if test.startswith(("mirage-rate", "mirage-bias")) else [Benchmark("b", items(12))]
    results, store = mirages([test], benchmarks=benchmarks, one=sees)
    text = render(results, store)
    ids = set(checked(text))
    assert there <= ids
    assert not away & ids
    assert "Not asked: " in text


def test_beside_the_standard_exam(mirages, checked):
    """With ordinary tests beside it, the ordinary parts are about the benchmark and the chapter about the rest."""
    benchmark = Benchmark("b", items(12))
    tests = ["image-needed", "rationale", "option-order", "mirage-rate:none", "mirage-bias:seeds=2"]
    results, store = mirages(tests, benchmarks=[benchmark], one=sees, two=lambda request: SILENT)
    text = render(results, store)
    assert {"typical", "looks", "mirage", "test-mirage-rate-none"} <= set(checked(text))
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
    assert "could not be drawn" not in text
    assert "No response came." in text
    assert "no response came</span>" in text


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


def test_study_without_these_tests_has_no_chapter(usual, usual_text):
    """The chapter belongs to its tests: without them, nothing of it is drawn."""
    evidence = Evidence(*usual)
    assert not has_chapter(usual[0])
    assert draw_mirage(evidence, sections(evidence), {}) is None
    assert 'id="mirage"' not in usual_text


def test_headline_says_who_describes_images_never_sent(mirages):
    """Who passes, and who describes or diagnoses them; names only of up to three."""
    said = {"sees": sees, "silent": lambda request: SILENT}
    one = headline(Evidence(*mirages(["mirage-rate:none"], **said)))
    assert one.found == "One of two models passes the test “Describes images never sent?”: silent"
    assert one.meaning == "Describes images that were never sent: sees"
    three = headline(Evidence(*mirages(["mirage-bias:seeds=20"], a=sees, b=sees, c=sees, **said)))
    assert three.found.startswith("One of five models passes the test ")
    assert three.meaning == "Diagnoses without an image: a, b, c and 1 more"
    two = headline(Evidence(*mirages(["mirage-rate:none"], other=sees, **said)))
    assert two.meaning == "Describes images that were never sent: other and sees"


def test_tables_of_the_page_have_the_tests(mirage_text):
    """Both questions in plain words with what the numbers are about; no test looks left out among the verdicts."""
    head = mirage_text[mirage_text.index('<table class="first">') :].partition("</thead>")[0]
    for words in ("<small>no image, questions of its own, worst prompt, n 40", "Score kept without the image"):
        assert words in head
    assert "seeds 6, 30 responses to these 5 questions alone; lower is better" in head  # five requests, six times each
    assert "not examined" not in mirage_text[: mirage_text.index('id="looks"')]


def test_agreement_of_the_parser_is_told_where_it_was_measured(tmp_path, monkeypatch):
    """The sentence holds both kappas with their intervals, n and what they are of; unmeasured, nothing is said."""
    monkeypatch.setattr(wording, "files", lambda package: tmp_path)
    assert wording.missing_image_agreement() == ""
    record = '[{"n": 1240, "kappa": [0.853, 0.8, 0.9], "flagged_kappa": [0.91, 0.86, 0.95], "of": "hard replies"}]'
    (tmp_path / "agreement.json").write_text(record)
    assert wording.missing_image_agreement() == (
        "Agreement with our labels, which a language model gave: κ 0.85 (0.80 to 0.90) over its six labels and κ "
        "0.91 (0.86 to 0.95) on responses "
        "that admit a missing image or voice doubt, on 1,240 hard replies."
    )
