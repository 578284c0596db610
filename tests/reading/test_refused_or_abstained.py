"""One rule for every parser: a response that declines the task has refused, one that cannot tell has abstained."""

import pytest

from rows import read_table
from snellen.items import Item, Option
from snellen.reading import Outcome, grade

CHEST = Item(
    id="cxr/1",
    question="What does this chest X-ray show?",
    options=tuple(map(Option, ("Pneumonia", "Effusion", "Pneumothorax"))),
    answer=0,
)
BRAIN = Item(
    id="mri/1",
    question="Is this image normal?",
    options=(Option("brain tumor"), Option("normal")),
    answer=0,
    metadata={"normal": "normal"},
)
OPEN = Item(id="open/1", question="What does this chest X-ray show?", kind="open", answer="Pneumonia")
PARSERS = [(CHEST, "lenient"), (BRAIN, "lenient"), (BRAIN, "detection-as-published"), (OPEN, "missing-image")]

REFUSED = read_table(__file__, "REFUSED")
ABSTAINED = read_table(__file__, "ABSTAINED")


@pytest.mark.parametrize(
    ("text", "outcome"),
    [*((text, Outcome.REFUSED) for text in REFUSED), *((text, Outcome.ABSTAINED) for text in ABSTAINED)],
)
def test_every_parser_tells_them_apart_alike(text, outcome):
    """The same sentence has the same outcome, whatever was asked and whichever parser reads it."""
    assert [grade(text, "stop", item, parser).outcome for item, parser in PARSERS] == [outcome] * len(PARSERS)
