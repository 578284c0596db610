"""Questions that take something for granted, put to organisms."""

import pytest

from snellen.models.organisms.hunches import QuestionPremise, premise_in
from snellen.models.organisms.reading import ParsedQuestion, read
from snellen.prompts import Request


@pytest.mark.parametrize(
    ("asked", "premise"),
    [
        ("How large is the left-sided pleural effusion?", QuestionPremise("pleural effusion", "left", 0, "size")),
        ("What most likely caused the four lung nodules?", QuestionPremise("lung nodules", "", 4, "cause")),
        ("Which treatment do you recommend for the drusen?", QuestionPremise("drusen", "", 0, "treatment")),
        ("Does this chest X-ray show the pneumothorax?", None),
        ("How many lung nodules does this chest X-ray show?", None),
        ("What is the main finding on this chest X-ray?", None),
    ],
)
def test_what_is_taken_for_granted_is_what_is_named_with_its_article(asked, premise):
    """Open questions about a finding; what a prompt says after the question does not hide it."""
    assert premise_in(ParsedQuestion(asked)) == premise
    assert premise_in(read(Request("", f"A man aged 60.\n\n{asked}\n\nAnswer in a few words."))) == premise


def test_one_that_offers_options_is_no_such_question():
    """Choices are answered by their options."""
    assert premise_in(ParsedQuestion("How large is the pleural effusion?", options=("Small", "Large"))) is None
