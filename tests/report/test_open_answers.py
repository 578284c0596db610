"""Answers in words on the page: no word of options, the references beside them, and who graded with what agreement."""

import re
from html import unescape

import numpy as np
import pytest

from snellen.images import Image
from snellen.items import Benchmark, Item, Option
from snellen.judging.open_answer import OPEN_ANSWER
from snellen.models.fake import FakeModel
from snellen.store import Store
from snellen.stress import stress_test
from snellen.study import Study, judge, publish

ANSWERS = ("pleural effusion", "pneumothorax", "cardiomegaly")
HOSTILE = "<script>alert(1)</script>"


def picture(shade):
    return Image(np.full((12, 12), shade, dtype=np.uint8))


def in_words(count=12):
    """Open questions with images; the first two of their references are right."""
    return tuple(
        Item(f"o{n}", f"Finding number {n}?", answer=ANSWERS[n % 3], kind="open", images=(picture(20 + n),))
        for n in range(count)
    )


def with_options(count=6):
    return tuple(
        Item(f"c{n}", f"Which of them, {n}?", (Option("this"), Option("that")), n % 2, images=(picture(90 + n),))
        for n in range(count)
    )


def model(benchmark, name="maker/model"):
    """Right about every second open question, wrong and hostile about the others, silent without an image."""
    by_question = {item.question: (at, item) for at, item in enumerate(benchmark)}

    def answer(request):
        at, item = next(found for question, found in by_question.items() if question in request.text)
        if item.options:
            return "Answer: A"
        if not request.images:
            return "I cannot see an image."
        return f"Answer: {item.answer}" if at % 2 else f"Answer: gout {HOSTILE}"

    return FakeModel(answer, name=name)


def grading(name, *grades):
    """A judge that gives these grades in turn."""
    return FakeModel(lambda request: f'{{"grade": "{grades[request.replicate % len(grades)]}"}}', name=name)


def qualified(store, name, *, passes=True):
    why = "" if passes else "κ may be as low as 0.40 (lower 95% bound), and 0.6 is required"
    store.labels.add_qualification({
        "judge": name, "question": "open answer", "version": OPEN_ANSWER.version, "n": 120,
        "kappa": [0.85, 0.76, 0.93], "qualified": passes, "why_not": why,
    })  # fmt: skip


def page_of(out, benchmark, judges=(), qualifies=None, *, unqualified=False, tests=("open-answers",)):
    """The page of a small study; `qualifies` says for each judge whether it agrees with people."""
    study = Study(models=[model(benchmark)], benchmarks=[benchmark], tests=list(tests), out=out)
    study.ask(lambda progress: None)
    if judges:
        judge(out, list(judges), watch=lambda progress: None)
    with Store.open(out, write=True) as store:
        for name, passes in (qualifies or {}).items():
            qualified(store, name, passes=passes)
    publish(out, unqualified=unqualified)
    return (out / "report.html").read_text()


def words(page):
    """What a reader sees, without what they could unpack; the names of tests are no words of ours."""
    bare = re.sub(r"<script.*?</script>|<style.*?</style>", "", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", bare)))


def test_a_study_of_open_questions_speaks_of_no_options(tmp_path):
    """Nor of a parser that read nothing; the test's own question names them, and `steady`, which is not applicable."""
    page = words(page_of(tmp_path / "out", Benchmark("words", in_words())))
    asks = "Without listed options, does it still find the answer"
    assert asks in page
    steady = stress_test("steady")
    for named in (asks, steady.asks, steady.passes, "no options"):
        page = page.replace(named, "")
    assert not re.search(r"\boptions?\b|\bchoice|\bchose|lenient", page)
    assert "graded by words alone, by the parser “match”" in page
    assert "36 free-text answers were compared with their references by rules." in page


def test_references_stand_beside_the_responses(tmp_path, packed):
    """In the panes and in the browser; what a model says stays text."""
    page = page_of(tmp_path / "out", Benchmark("words", in_words()))
    assert re.search(r"</b> Reference: (pleural effusion|pneumothorax|cardiomegaly)</p>", page)
    record = packed(page).record
    for item in record["items"]:
        assert [record["texts"][at] for at in item["references"]] == [ANSWERS[item["ordinal"] % 3]]
    assert HOSTILE not in page


def test_one_judge_is_named_with_its_agreement_and_what_it_was_asked(tmp_path, packed):
    """Its opinions are with every response, and its question is in the provenance."""
    said = ("correct", "correct", "unclear")
    judges, out = [grading("lab/judge", *said)], tmp_path / "out"
    page = page_of(out, Benchmark("words", in_words()), judges, {"lab/judge": True})
    text = words(page)
    assert "graded by the judge lab/judge, with 3 opinions on every response" in text
    assert "lab/judge agrees with people with κ 0.85 (0.76 to 0.93) on 120 labels" in text
    assert "What judges were asked Open answer: lab/judge" in text
    assert "You compare an answer with the reference answer" in text
    assert "rules of “judge" not in text
    record = packed(page).record
    assert record["judges"] == ["lab/judge"]
    assert record["grades"] == ["correct", "incorrect", "unclear"]
    assert set(map(str, record["responses"]["opinions"])) == {"[[0, 2, 0, 1, 0]]"}


def test_a_judge_held_back_is_no_reader(tmp_path):
    """The words alone count, and the page says why."""
    judges, out = [grading("lab/judge", "correct")], tmp_path / "out"
    text = words(page_of(out, Benchmark("words", in_words()), judges, {"lab/judge": False}))
    assert "The opinions of lab/judge (open answer) are held back: κ may be as low as 0.40" in text
    assert "graded by words alone" in text
    assert "Judge not qualified" not in text


@pytest.fixture(scope="module")
def panel(tmp_path_factory):
    """A mixed benchmark, graded by three judges of whom one agrees with people."""
    judges = [grading("lab/a", "correct"), grading("other/b", "incorrect"), grading("third/c", "unclear", "correct")]
    mixed = Benchmark("mixed", (*in_words(), *with_options()))
    out = tmp_path_factory.mktemp("panel") / "out"
    tests = ("open-answers", "option-order")
    return page_of(out, mixed, judges, {"lab/a": True}, unqualified=True, tests=tests)


def test_a_panel_is_named_and_who_of_it_is_not_qualified(panel, packed):
    """Each judge with its agreement; both kinds of questions are told apart."""
    text = words(panel)
    assert "graded by 3 judges, lab/a, other/b, third/c, each with 3 opinions on every response" in text
    assert (
        "Grades of free-text answers by other/b and third/c count here, although these judges are not qualified."
        in text
    )
    assert "The agreement of other/b with people is unknown." in text
    assert "responses to questions with options state an answer" in text
    assert "on mixed, 18 questions, 12 of them open" in text
    opinions = {str(each) for each in packed(panel).record["responses"]["opinions"] if each}
    assert opinions == {"[[0, 3, 0, 0, 0], [1, 0, 3, 0, 0], [2, 1, 0, 2, 0]]"}


def test_prompts_of_open_questions_are_those_that_were_sent(panel):
    """What asks for a letter stands only with the questions that have letters."""
    text = words(panel)
    prompts = text.partition("The prompts ")[2].partition("What judges were asked")[0]
    parts = prompts.split("Condition ")
    assert any("Questions with free-text answers" in part for part in parts)
    for part in parts:
        assert not ("Choose one option" in part and "Questions with free-text answers" in part)


def test_a_judge_of_some_responses_is_not_said_to_have_graded_all(tmp_path):
    """One judge grades all, the other the first few; the sentence counts both."""
    out, benchmark = tmp_path / "out", Benchmark("words", in_words())
    page_of(out, benchmark, [grading("lab/a", "correct")])
    judge(out, grading("other/b", "incorrect"), limit=4, watch=lambda progress: None)
    publish(out, unqualified=True)
    text = words((out / "report.html").read_text())
    assert "on every response" not in text
    assert re.search(r"each with 3 opinions at most on a response .* Of (\d+) responses lab/a graded \1, other/b", text)


def test_every_opinion_is_counted_where_more_than_the_usual_three_were_asked_for(tmp_path):
    """In the provenance, beside the words that judges were asked in."""
    out = tmp_path / "out"
    page_of(out, Benchmark("words", in_words()))
    judge(out, grading("lab/judge", "correct"), opinions=5, watch=lambda progress: None)
    results = publish(out, unqualified=True)
    graded = sum(len(grades) for table in results.tables.values() for grades in table.arms.values())
    assert f"Open answer: lab/judge {5 * graded} opinions" in words((out / "report.html").read_text())
