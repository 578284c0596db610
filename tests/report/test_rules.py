import re
from collections import Counter

import pytest

from snellen.reading.parsers import parser_named
from snellen.report.evidence.evidence import Evidence
from snellen.report.page import render
from snellen.report.sections.parsers import ENDS, choose_examples, draw_rules

REPLIES = (
    "Answer: A",
    "Answer: A or B",
    "Answer: H",
    "Effusion",
    "I'm sorry, but I can't provide medical advice.",
    "",
    "I cannot see any image, so I cannot answer.",
    "B",
)


@pytest.fixture(scope="module")
def brought(imported, reply):
    """Responses of every kind under two conditions."""
    rows = [reply(n, REPLIES[n % len(REPLIES)], arm=arm) for n in range(24) for arm in ("original", "odd")]
    return imported(rows, new_conditions=["odd"])


def tables(results, store, shown=None):
    """The table of the rules of each parser; of a parser that is only compared, none."""
    found = draw_rules(Evidence(results, store), shown or {})
    return [part for fold in found if "lenient" in fold.title for part in fold.parts]


def rule_of(row):
    """The name of a rule as its row shows it."""
    return re.search(r"<code>([^<]+)</code>", row.head.words)[1]


def test_every_response_is_counted_under_one_rule(brought):
    """The counts of a condition add up to its responses, and each rule's to what the grades say."""
    results, store = brought
    [table] = tables(results, store)
    *rows, total = table.rows
    assert [each.words for each in table.columns[2:]] == ["as asked", "odd"]
    for at, arm in enumerate(("original", "odd"), start=1):
        grades = results.tables["some/model", "brought"].arms[arm]
        counts = Counter()
        for row in rows:
            counts[rule_of(row)] += int(row.cells[at].words)
        assert counts == grades.by_rule()
        assert counts.total() == int(total.cells[at].words) == 24


def test_responses_that_could_not_be_read_come_first(brought):
    """Rules that found no answer stand at the top, those that read one at the bottom."""
    table = tables(*brought)[0]
    under, heading = {}, ""
    for row in table.rows[:-1]:
        heading = row.heading or heading
        under.setdefault(heading, set()).add(rule_of(row))
    assert list(under) == [heading for heading in ENDS if heading in under]
    assert {"two-options", "letter-not-offered"} <= under["No answer could be read"]
    assert under["The response is empty"] == {"empty"}


def test_every_count_leads_to_a_response_that_the_rule_read(brought, packed):
    """The link of a rule's count under a condition goes to a response in the page which that rule read."""
    results, store = brought
    rows = {row["link"]: row for row in packed(render(results, store)).rows}
    evidence = Evidence(results, store)
    [table] = tables(results, store, choose_examples(evidence))
    linked = [(rule_of(row), cell.to) for row in table.rows[:-1] for cell in row.cells if cell.to]
    assert len(linked) >= 2 * len(REPLIES) - 4
    for rule, anchor in linked:
        assert (rows[anchor]["rule"]["rule"], rows[anchor]["rule"]["parser"]) == (rule, "lenient")


def test_examples_of_a_rule_are_its_own(brought):
    """The reply chosen for a rule, arm and end was decided by that rule and came to that end."""
    evidence = Evidence(*brought)
    for decided, (address, place) in choose_examples(evidence).items():
        saying = evidence.sayings(address, [place])[place]
        assert (saying.grade.rule, address.arm) == (decided.rule, decided.arm)
        assert saying.grade.outcome in ENDS[decided.end]


def test_rules_that_matter_have_words():
    """What one would want to count can be read without knowing the rules' names; an unknown rule keeps its name."""
    for parser, rule, words in (
        ("lenient", "bare-letter", "a letter and nothing else"),
        ("lenient", "two-options", "names two options"),
        ("lenient", "option-text", "an option's words but not its letter"),
        ("boxed", "letter-not-offered", "a letter that is not offered"),
        ("boxed", "content-filter", "held back by the provider's filter"),
        ("boxed", "nobody-declared-it", "nobody-declared-it"),
        ("missing-image", "missing: send-it", "asks for the image"),
    ):
        assert parser_named(parser).rule_words(rule) == words
    assert parser_named("boxed").words.startswith("A common form of answer in mathematics: a letter in a box")


def test_real_replies_are_read_by_rules_with_words(italian):
    """No rule that reads the replies of a real study is shown by its bare name."""
    shown = {rule_of(row) for table in tables(*italian) for row in table.rows[:-1]}
    assert shown
    assert all(parser_named("lenient").rule_words(rule) != rule for rule in shown)
