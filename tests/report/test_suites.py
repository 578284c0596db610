"""What holds of the page of every suite: it is sound, its headings are in order, and nothing lacks words."""

import re
from itertools import pairwise

import pytest

from snellen.reading.parsers import parser_named
from snellen.report.words.glossary import BY_PATIENT, METHOD_WORDS, method_words

every_suite = pytest.mark.parametrize("suite", ["usual", "ready", "mirage", "degraded"])


@every_suite
def test_the_page_is_sound(request, suite, checked):
    """Every element is closed, no id stands twice, every link leads somewhere, and every chapter could be drawn."""
    text = request.getfixturevalue(f"{suite}_text")
    checked(text)
    assert "could not be drawn" not in text


@every_suite
def test_headings_are_in_order(request, suite, parsed):
    """No level of headings is skipped on the way down."""
    page = parsed(request.getfixturevalue(f"{suite}_text"))
    levels = [int(tag[1]) for tag, _, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


@every_suite
def test_every_measure_method_parser_and_rule_has_words(request, suite):
    """No number is shown under its bare name, and no method, parser or rule is left unexplained."""
    results, _ = request.getfixturevalue(suite)
    assert not [m for each in results.every_finding for m in each.measures if "_" in m.kind.words]
    for row in results.rows():
        assert method_words(row["method"]).removesuffix(BY_PATIENT) in METHOD_WORDS.values(), row
    assert all(parser_named(each).words for each in results.readings)
    readings = {} if suite == "mirage" else results.readings  # rules on missing images are words already
    for parser, tables in readings.items():
        rules = {rule for table in tables.values() for grades in table.arms.values() for rule in grades.rules}
        assert all(parser_named(parser).rule_words(rule) != rule for rule in rules)
