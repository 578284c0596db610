"""A parser of choices: the last words alone count."""

import re

from snellen import Item
from snellen.items import LETTERS
from snellen.reading import Outcome, Parser, Reading
from snellen.reading.parsers import Readable

FORM = re.compile(r"Answer: ([A-Z])\s*\Z")


def read(response: Readable, item: Item) -> Reading:
    """The option that the last words name."""
    found = FORM.search(response.text)
    if found and LETTERS.index(found[1]) < len(item.options):
        return Reading("last-words", choice=LETTERS.index(found[1]), evidence=found[0])
    return Reading("no-last-words", silence=Outcome.UNPARSED)


PARSER = Parser(
    name="last-words",
    source="As our journal club counts",
    about="the last words are “Answer:” and a letter. Everything else counts as not right.",
    read=read,
    rules={"last-words": "in its last words", "no-last-words": "no answer in its last words"},
    weighs=frozenset({"no-last-words"}),
)
