import re
from collections import Counter

import pytest

from snellen import report
from snellen.grading import grade
from snellen.grading.outcomes import Outcome
from snellen.report.evidence.evidence import ArmAddress, Evidence
from snellen.report.sections.parsers import comparisons, differences, parsers
from snellen.scoring.results import score

PRINTED = {
    ("openai/gpt-5-mini", "original"): ("88.0%", "81.3, 94.7"),
    ("openai/gpt-5-mini", "image-blank"): ("79.5%", "69.7, 89.3"),
    ("anthropic/claude-sonnet-4-5", "original"): ("82.8%", "73.7, 91.9"),
    ("anthropic/claude-sonnet-4-5", "image-blank"): ("77.2%", "66.6, 87.7"),
}


@pytest.fixture
def two_parsers(imported, reply):
    """Replies of which half are in the strict form, read both ways."""
    strict = [reply(n, f"it/{n}, {'ABC'[n % 3]}") for n in range(6)]
    worded = [reply(n, f"Looking at it all, the answer is {'ABC'[n % 3]}.") for n in range(6, 9)]
    declined = [reply(n, "I'm sorry, but I can't provide medical advice.") for n in range(9, 11)]
    return imported([*strict, *worded, *declined])


def test_printed_table_of_paper_002_comes_out_to_the_digit(italian):
    """By the published parser, the table on the page is the printed one."""
    results, store = italian
    [found] = comparisons(Evidence(results, store))
    at = list(results.readings).index("strict-first-line")
    shown = {(each.model, each.arm): (each.cells[at].value, each.cells[at].interval) for each in found.scores}
    assert shown == PRINTED
    text = (results.folder / "report.html").read_text(encoding="utf-8")
    for value, interval in PRINTED.values():
        assert f'<b>{value}</b> <span class="between">[{interval}]</span></a> <span class="n">n 60 items' in text


def test_outcomes_beside_the_table_are_all_replies(italian):
    """What the lenient parser tells apart adds up to all replies of an arm."""
    [found] = comparisons(Evidence(*italian))
    assert [sum(each.outcomes.values()) for each in found.scores] == [600] * 4
    assert {each.replies for each in found.scores} == {600}


def test_outcomes_that_nobody_has_have_no_column(two_parsers):
    """Of eight outcomes two occur; the others are named once, but for one that nobody knows: how responses ended."""
    [found] = comparisons(Evidence(*two_parsers))
    assert [each.value for each in found.outcomes] == ["correct", "refused"]
    assert found.never == ("wrong", "says it cannot tell", "image too poor", "unparsed", "empty")
    text = report.write(*two_parsers).read_text(encoding="utf-8")
    assert f"No response is: {', '.join(found.never)}." in text
    assert '<th scope="col" class="figure">truncated</th>' not in text


def test_one_parser_is_compared_with_none(study):
    """Where replies were read in one way there is nothing to compare, and the section says how they were read."""
    results, store = study()
    assert comparisons(Evidence(results, store)) == []
    assert differences(Evidence(results, store)) == []
    assert "takes any response that clearly states one option" in report.write(results, store).read_text(
        encoding="utf-8"
    )


def test_changes_carry_what_each_parser_would_conclude(imported, reply):
    """The change under each parser stands beside that parser's own verdict."""
    rows = [reply(n, f"it/{n}, {'ABC'[n % 3]}") for n in range(40)]
    rows += [reply(n, "I do not see any image here.", arm="image-blank") for n in range(40)]
    results, store = imported(rows)
    results = score(store, parsers=("lenient", "strict-first-line"))
    [found] = comparisons(Evidence(results, store))
    change = next(each for each in found.changes if each.test == "blank-image")
    assert [cell[0].value for cell in change.cells] == ["−100.0 points"] * 2
    every = (*results.findings, *results.beside)
    by_parser = {each.parser: each.verdict for each in every if each.test.name == "blank-image"}
    assert [cell[1] for cell in change.cells] == [by_parser["lenient"], by_parser["strict-first-line"]]


def test_parsers_say_whose_form_they_are(two_parsers):
    """The study's own parser comes first and is marked; a published one names its paper."""
    found = parsers(Evidence(*two_parsers))
    assert [(each.name, each.counts) for each in found] == [("lenient", True), ("strict-first-line", False)]
    assert "the Italian paper" in found[1].words


def test_differences_are_counted_by_kind(two_parsers):
    """Every reply that two parsers read differently is counted once, under the kind it is of."""
    results, store = two_parsers
    found = {each.words: each.count for each in differences(Evidence(results, store))}
    expected = Counter()
    for (model, benchmark), table in results.readings["lenient"].items():
        for arm, lenient in table.arms.items():
            strict = results.readings["strict-first-line"][model, benchmark].arms[arm]
            unread = strict.is_(Outcome.UNPARSED)
            expected["one"] += int((unread & lenient.is_(Outcome.CORRECT, Outcome.WRONG)).sum())
            expected["declines"] += int((unread & lenient.is_(Outcome.REFUSED, Outcome.ABSTAINED)).sum())
    assert expected == {"one": 3, "declines": 2}
    assert found == {
        "“strict-first-line” reads no answer where “lenient” reads one": 3,
        "“strict-first-line” counts as wrong or unread what “lenient” reads as declining or as “cannot tell”": 2,
    }


def test_examples_are_what_both_parsers_said(two_parsers):
    """An example shows the reply, and for each parser the outcome, rule and evidence that it really gave."""
    for kind in differences(Evidence(*two_parsers)):
        assert len({example.saying.item.id for example in kind.examples}) == len(kind.examples) <= 3
        for example in kind.examples:
            saying = example.saying
            for read in (example.strict, example.plain):
                parser = read.grade.parser
                assert read.grade == grade(saying.reply.text, saying.reply.finish, saying.item, parser)
            assert example.strict.grade.parser == "strict-first-line"
            assert isinstance(example.address, ArmAddress)


def test_decimals_are_kept_to_this_section(two_parsers):
    """One decimal is printed where parsers are compared and nowhere else."""
    text = report.write(*two_parsers).read_text(encoding="utf-8")
    before = text[: text.index('<section id="parsers">')]
    assert re.search(r"<b>\d+\.\d%</b>", text)
    assert not re.search(r"<b>\d+\.\d%</b>", before)
