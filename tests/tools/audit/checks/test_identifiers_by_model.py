"""A language model's names and dates are kept only where they are written as such; the model is an extra."""

import re

from parts import require
from snellen.errors import MissingExtraError
from snellen.items import Item, Option
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.checks import identifiers_by_model
from snellen.tools.audit.checks.identifiers_by_model import CHECK, Span, look_with, recogniser

SIDES = (Option("Left"), Option("Right"))


def item(name, question, **fields):
    return Item(name, question, SIDES, 0, **fields)


def stand_in(text):
    """Takes every run of words with capitals for a person, and whatever has a number for a date, as the model does."""
    for found in re.finditer(r"[A-Z][a-z]+(?: [A-Z][a-z]+)*", text):
        yield Span("PERSON", *found.span())
    for found in re.finditer(r"\d+[- ]\w+(?: \d{4})?", text):
        yield Span("DATE_TIME", *found.span())


def test_only_what_is_written_as_a_name_is_kept():
    """Two words with capitals that stand nowhere without; eponyms, headings and ages are none; names are masked."""
    items = (
        item("name", "The film of Karolina Nowak shows the lung."),
        item("eponym", "Signs of Vogt Koyanagi syndrome are seen."),
        item("heading", "Pelvic Incidence is given."),
        item("small", "The pelvic incidence is 50 degrees in this 26-year-old man."),
        item("date", "The film of 12 March 2021 is compared."),
    )
    checked = look_with(stand_in, Audited("b", items))
    assert {each.item_id for finding in checked.findings for each in finding.items} == {"name", "date"}
    assert "Nowak" not in repr(checked)
    assert checked.findings[0].items[0].quote == "•••••••• ••••• (14 characters)"


def test_texts_are_read_once_and_in_english_only():
    """Two items of the same words cost one reading; other languages are counted as not read."""
    read, told = [], []
    items = (item("1", "Which side?"), item("2", "Which side?"), item("3", "Quale lato?", language="it"))
    audited = Audited("b", items, progress=lambda *given: told.append(given))
    checked = look_with(lambda text: read.append(text) or (), audited)
    assert len(read) == 1
    assert told == [("identifiers-by-model", 1, 1)]
    assert checked.looked_at == 2
    assert checked.cannot == ("1 items are not in English, and the model reads English alone.",)


def test_without_the_extra_the_install_line_is_given(monkeypatch):
    """The check says what to install instead of failing."""

    def missing():
        raise MissingExtraError("presidio_analyzer", "audit-names")

    monkeypatch.setattr(identifiers_by_model, "recogniser", missing)
    (sentence,) = CHECK.look(Audited("b", ())).cannot
    assert "pip install 'snellen[audit-names]'" in sentence


def test_the_model_finds_a_name():
    """The model itself finds a plain name, and leaves the age of a vignette alone."""
    require("presidio_analyzer")
    items = (
        item("name", "This is the chest film of John Smith."),
        item("age", "A 26-year-old man falls from a ladder."),
    )
    checked = look_with(recogniser(), Audited("b", items))
    assert [each.item_id for finding in checked.findings for each in finding.items] == ["name"]
