"""The lenient parser against a table of replies, each with what a careful person reads."""

from __future__ import annotations

from reading.choice import replies
from snellen.items import LETTERS
from snellen.reading import read_choice

CHOSEN = [
    row
    for table in (
        replies.PLAIN,
        replies.MARKED,
        replies.STATED,
        replies.WORDED,
        replies.YES_NO,
        replies.MANY,
        replies.ABROAD,
        replies.REASONED,
    )
    for row in table
    if len(row[2]) == 1
]
NOT_CHOSEN = [
    row
    for table in (
        replies.PLAIN,
        replies.MARKED,
        replies.YES_NO,
        replies.UNREAD,
        replies.SILENT,
        replies.MANY_UNREAD,
        replies.ABROAD_UNREAD,
        replies.REASONED_UNREAD,
    )
    for row in table
    if len(row[2]) > 1
]


def test_reads_the_option_a_person_would_read():
    """The option chosen and the rule that read it are those of the table."""
    for reply, options, letter, rule in CHOSEN:
        reading = read_choice(reply, replies.item(options))
        assert (LETTERS.index(letter), rule) == (reading.choice, reading.rule), (reply, options)


def test_reads_nothing_where_a_person_would_read_nothing():
    """A reply without an answer is not given one, and the rule says why there is none."""
    for reply, options, rule, outcome in NOT_CHOSEN:
        reading = read_choice(reply, replies.item(options))
        assert (None, outcome, rule) == (reading.choice, str(reading.silence), reading.rule), (reply, options)
