"""How the responses were read: parsers compared by table, their differences with responses, each number as it is."""

import re
from collections import Counter

import pytest

from snellen.items import LETTERS
from snellen.reading import grade
from snellen.reading.outcomes import Outcome
from snellen.reading.parsers import parser_named
from snellen.report.components import Facts, Fold, Quotes, Table
from snellen.report.evidence.evidence import Evidence
from snellen.report.page import render
from snellen.report.sections.parsers import choose_differences, draw_parsers
from snellen.report.words.numbers import OUTCOME_WORDS
from snellen.scoring.results import score

PRINTED = {
    ("openai/gpt-5-mini", "as asked"): "88.0% (81.3 to 94.7)",
    ("openai/gpt-5-mini", "with blank images"): "79.5% (69.7 to 89.3)",
    ("anthropic/claude-sonnet-4-5", "as asked"): "82.8% (73.7 to 91.9)",
    ("anthropic/claude-sonnet-4-5", "with blank images"): "77.2% (66.6 to 87.7)",
}


@pytest.fixture(scope="module")
def two_parsers(imported, reply):
    """Responses of which half are in the strict form, read both ways."""
    strict = [reply(n, f"it/{n}, {'ABC'[n % 3]}") for n in range(6)]
    worded = [reply(n, f"Looking at it all, the answer is {'ABC'[n % 3]}.") for n in range(6, 9)]
    declined = [reply(n, "I'm sorry, but I can't provide medical advice.") for n in range(9, 11)]
    return imported([*strict, *worded, *declined])


@pytest.fixture(scope="module")
def text(two_parsers):
    """The page of that study."""
    return render(*two_parsers)


def parts(part):
    """A part and all that it holds."""
    yield part
    for each in getattr(part, "parts", ()):
        yield from parts(each)


def drawn(results, store):
    """The section's parts."""
    evidence = Evidence(results, store)
    return list(parts(draw_parsers(evidence, {}, choose_differences(evidence))))


def tables(found, begins):
    return [each for each in found if isinstance(each, Table) and str(each.caption).startswith(begins)]


def test_printed_table_of_paper_002_comes_out_to_the_digit(italian):
    """By the published parser, the table on the page is the printed one; its outcomes add up to all responses."""
    results, store = italian
    [table] = tables(drawn(results, store), "Accuracy by parser")
    at = list(results.readings).index("strict-first-line")
    assert {tuple(row.head.words.split(", ")): row.cells[at].words for row in table.rows} == PRINTED
    for row in table.rows:
        assert row.cells[at].n == "n 60"
        *outcomes, every = [int(each.words) for each in row.cells[len(results.readings) :]]
        assert sum(outcomes) == every == 600
    text = (results.folder / "report.html").read_text(encoding="utf-8")
    assert all(f">{number}</a>" in text for number in PRINTED.values())


def test_tables_of_parsers_have_what_occurs_with_one_decimal(two_parsers, text):
    """Outcomes of no response are named once; one decimal is printed here and nowhere else."""
    [table] = tables(drawn(*two_parsers), "Accuracy by parser")
    assert [each.words for each in table.columns[3:-1]] == ["right", "refuses"]
    never = "No response had these outcomes: wrong, says it cannot tell, image too poor, unparsed, empty."
    assert never in table.note
    assert never in text
    before, _, after = text.partition('id="parsers"')
    decimals = re.compile(r"\d+\.\d% \(\d+\.\d to")
    assert decimals.search(after)
    assert not decimals.search(before)


def test_one_parser_is_compared_with_none(usual):
    """If responses were read in one way there is nothing to compare, and the section says how they were read."""
    found = drawn(*usual)
    assert tables(found, "Accuracy by parser") == []
    assert not any(isinstance(each, Quotes) for each in found)
    [facts] = [each for each in found if isinstance(each, Facts)]
    (name, words), (claims, agreement) = facts.facts
    assert "the one that counts here" in name
    assert "takes any response that clearly states one option" in words
    assert "what responses say they see" in claims
    assert "precision" in agreement


def test_changes_carry_what_each_parser_would_conclude(imported, reply):
    """The change under each parser stands with that parser's own verdict."""
    rows = [reply(n, f"it/{n}, {'ABC'[n % 3]}") for n in range(40)]
    rows += [reply(n, "I do not see any image here.", arm="image-blank") for n in range(40)]
    results, store = imported(rows)
    results = score(store, parsers=("lenient", "strict-first-line"))
    [table] = tables(drawn(results, store), "Change in accuracy by parser")
    [row] = [each for each in table.rows if ", blank-image, " in each.head.words]
    every = (*results.findings, *results.beside)
    by_parser = {each.parser: each.verdict for each in every if each.test.name == "blank-image"}
    for cell, parser in zip(row.cells, ("lenient", "strict-first-line"), strict=True):
        change, verdict = cell.lines
        assert change.words.startswith("−100.0 points (")
        assert verdict.status is by_parser[parser].status


def test_parsers_say_whose_form_they_are(two_parsers):
    """The study's own parser comes first and is marked; a published one names its paper."""
    [facts] = [each for each in drawn(*two_parsers) if isinstance(each, Facts)]
    (own, _), (other, words), *_ = facts.facts
    assert (own, other) == (
        "<code>lenient</code> the one that counts here",
        "<code>strict-first-line</code>",
    )
    assert "the Italian paper" in words


def test_differences_are_counted_by_kind(two_parsers):
    """Every response that two parsers read differently is counted once, under the kind it is of."""
    results, store = two_parsers
    found = {each.words: each.number for each in choose_differences(Evidence(results, store))}
    expected = Counter()
    for (model, benchmark), table in results.readings["lenient"].items():
        for arm, lenient in table.arms.items():
            strict = results.readings["strict-first-line"][model, benchmark].arms[arm]
            unread = strict.is_(Outcome.UNPARSED)
            expected["one"] += int((unread & lenient.is_(Outcome.CORRECT, Outcome.WRONG)).sum())
            expected["declines"] += int((unread & lenient.is_(Outcome.REFUSED, Outcome.ABSTAINED)).sum())
    assert expected == {"one": 3, "declines": 2}
    assert found == {
        "“strict-first-line” reads no answer, and “lenient” reads one": 3,
        "“strict-first-line” counts as wrong or unread what “lenient” reads as declining or as “cannot tell”": 2,
    }
    titles = [each.title for each in drawn(results, store) if isinstance(each, Fold)]
    assert [each[:17] for each in titles if "“strict-first-line” " in each] == [
        "3 of 11 responses",
        "2 of 11 responses",
    ]


def test_examples_are_what_both_parsers_said(two_parsers, text, packed):
    """An example quotes the response, and for each parser the outcome, rule and words that it read; it links there."""
    evidence = Evidence(*two_parsers)
    rows = {row["link"]: row for row in packed(text).rows}
    quotes = [quote for each in drawn(*two_parsers) if isinstance(each, Quotes) for quote in each.quotes]
    examples = [example for each in choose_differences(evidence) for example in each.examples]
    assert len(quotes) == len(examples) == 5
    for quote, (address, place) in zip(quotes, examples, strict=True):
        saying = evidence.sayings(address, [place])[place]
        assert rows[quote.to]["text"] == quote.words == saying.reply.text
        for told, parser in zip(quote.note.split("<br>"), ("strict-first-line", "lenient"), strict=True):
            read = grade(saying.reply.text, saying.reply.finish, saying.item, parser)
            option = "" if read.choice is None else f", option {LETTERS[read.choice]}"
            assert told.startswith(f"<code>{parser}</code>: {OUTCOME_WORDS[read.outcome]}{option}, by the rule “")
            assert parser_named(parser).rule_words(read.rule) in told
