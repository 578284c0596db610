import re

from snellen import report
from snellen.report.evidence.evidence import Evidence
from snellen.report.sections.rules import ENDS, examples, rule_tables
from snellen.report.words.glossary import parser_words, rule_words

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


def brought(imported, reply):
    rows = [reply(n, REPLIES[n % len(REPLIES)], arm=arm) for n in range(24) for arm in ("original", "odd")]
    return imported(rows, new_conditions=["odd"])


def test_every_reply_is_counted_under_one_rule(imported, reply):
    """The counts of an arm add up to its replies, and each rule's to what the grades say."""
    results, store = brought(imported, reply)
    [table] = [each for each in rule_tables(Evidence(results, store), {}) if each.parser == "lenient"]
    lines = [line for _, lines in table.blocks for line in lines]
    assert table.arms == ("original", "odd")
    for column, arm in enumerate(table.arms):
        grades = results.tables["some/model", "brought"].arms[arm]
        assert sum(line.cells[column][0] for line in lines) == table.replies[column] == len(grades) == 24
        for rule, count in grades.by_rule().items():
            assert sum(line.cells[column][0] for line in lines if line.rule == rule) == count


def test_unreadable_replies_come_first(imported, reply):
    """Rules that found no answer stand at the top, those that read one at the bottom."""
    table = rule_tables(Evidence(*brought(imported, reply)), {})[0]
    headings = [heading for heading, _ in table.blocks]
    assert headings == [heading for heading in ENDS if heading in headings]
    assert headings[0] == "No answer could be read"
    assert {"two-options", "letter-not-offered"} <= {line.rule for line in table.blocks[0][1]}
    assert {line.rule for line in dict(table.blocks)["The response is empty"]} == {"empty"}


def test_every_count_leads_to_a_reply_that_the_rule_read(imported, reply, packed):
    """The link of a rule's count under an arm goes to a response in the page which that rule read."""
    text = report.write(*brought(imported, reply)).read_text(encoding="utf-8")
    section = text[text.index('<table class="plain rules">') : text.index('id="cite"')]
    rules = re.findall(r'<th scope="row">[^<]*<code>([^<]+)</code></th>(.*?)</tr>', section)
    linked = [(rule, anchor) for rule, cells in rules for anchor in re.findall(r'href="#(reply-[^"]+)"', cells)]
    assert len(linked) >= 2 * len(REPLIES) - 2
    rows = {row["link"]: row for row in packed(text).rows}
    for rule, anchor in linked:
        assert (rows[anchor]["rule"]["rule"], rows[anchor]["rule"]["parser"]) == (rule, "lenient")


def test_examples_of_a_rule_are_its_own(imported, reply):
    """The reply chosen for a rule, arm and end was decided by that rule and came to that end."""
    evidence = Evidence(*brought(imported, reply))
    for decided, (address, place) in examples(evidence).items():
        saying = evidence.sayings(address, [place])[place]
        assert (saying.grade.rule, address.arm) == (decided.rule, decided.arm)
        assert saying.grade.outcome in ENDS[decided.end]


def test_rules_that_matter_have_words():
    """What one would want to count can be read without knowing the rules' names; an unknown rule keeps its name."""
    assert rule_words("lenient", "two-options") == "names two options"
    assert rule_words("lenient", "option-text") == "an option's words but not its letter"
    assert rule_words("boxed", "letter-not-offered") == "a letter that is not offered"
    assert rule_words("boxed", "content-filter") == "held back by the provider's filter"
    assert rule_words("boxed", "nobody-declared-it") == "nobody-declared-it"
    assert parser_words("boxed").startswith("A common form of answer in mathematics: a letter in a box")


def test_real_replies_are_read_by_rules_with_words(italian):
    """No rule that reads the replies of a real study is shown by its bare name."""
    tables = rule_tables(Evidence(*italian), {})
    shown = {line.rule for table in tables for _, lines in table.blocks for line in lines}
    assert shown
    assert all(rule_words("lenient", rule) != rule for rule in shown)
