"""A text that names the right answer and no other option is found; denied and listed names are none."""

import pytest

import planted
from audit_planted import look
from snellen.items import Item, Option
from snellen.tools.audit.checks.answer_given_away import find_named_options

NAME = "answer-given-away"


def names(text, *options, question="What is the diagnosis?"):
    item = Item("1", question, tuple(map(Option, options)), 0, context=text)
    return {options[place]: mention.how for place, mention in find_named_options(item).items()}


CASES = [
    ("He has a pleural effusion.", ["Pleural effusion", "Pneumothorax"], {"Pleural effusion": "spelled out"}),
    ("Pleural effusions were drained.", ["Pleural effusion", "Mass"], {"Pleural effusion": "spelled out"}),
    ("A fractured rib was seen.", ["Rib fracture", "Fractured rib"], {"Fractured rib": "spelled out"}),
    ("Oedema of the lung.", ["Edema", "Mass"], {"Edema": "spelled out"}),
    ("There is no evidence of pneumonia.", ["Pneumonia", "Mass"], {}),
    ("Pneumonia was ruled out, but tuberculosis was not considered.", ["Sarcoidosis", "Mass"], {}),
    ("He was treated for CHF.", ["Congestive heart failure", "Mass"], {"Congestive heart failure": "abbreviated"}),
    ("He has no CHF.", ["Congestive heart failure", "Mass"], {}),
    ("Known congestive heart failure.", ["CHF", "COPD"], {"CHF": "written out"}),
    (
        "Aspiration pneumonia was feared.",
        ["Pneumonia", "Aspiration pneumonia"],
        {"Aspiration pneumonia": "spelled out"},
    ),
    ("The temperature is 37 C, see Figure A.", ["C", "Figure A", "Figure B"], {}),
    ("A rash is observed.", ["Observation", "Surgery"], {}),
    ("患者患有肺炎。", ["肺炎", "气胸"], {"肺炎": "spelled out"}),
]


@pytest.mark.parametrize(("text", "options", "expected"), CASES)
def test_options_are_named_or_not(text, options, expected):
    """Inflected, abbreviated and spelled in another way, but not denied and not as part of another option."""
    assert names(text, *options) == expected


def test_a_list_of_the_options_names_nothing():
    """What the question prints as its options is no mention."""
    question = "What is it?\nAnswer Choices: (A) Pneumonia (B) Lung abscess"
    assert names("", "Pneumonia", "Lung abscess", question=question) == {}


def test_spelled_out_answers_are_found():
    """Texts that name the answer in a twentieth of the items are found and listed, hardly any other."""
    flawed = planted.plant(planted.clean(8), 0.05, 8, planted.spelled_out)
    checked = look(NAME, flawed.items)
    (finding,) = checked.findings
    assert finding.p < 0.01
    listed = {each.item_id for each in finding.items}
    assert len(listed & flawed.ids) >= 0.9 * len(flawed.ids)
    assert len(listed - flawed.ids) <= 6
    assert set(checked.lists["answer-named"]) == listed


def test_names_that_fall_on_any_option_are_no_leak():
    """In a clean benchmark whose histories name diseases, the right one is not named more often than chance."""
    p = [finding.p for seed in range(2) for finding in look(NAME, planted.clean(seed)).findings]
    assert min(p, default=1.0) > 0.003


def test_questions_that_name_all_options_are_no_leak():
    """Left or right, mass or cyst: who names both gives nothing away."""
    items = [
        Item(str(n), f"Is finding {n} a mass or a cyst?", (Option("Mass"), Option("Cyst")), n % 2) for n in range(40)
    ]
    checked = look(NAME, items)
    assert not checked.findings
    assert "0 of 40 items" in checked.cannot[0]


def test_questions_for_what_does_not_fit_are_left_out():
    """Which is NOT a cause: what the text names is a wrong answer then."""
    item = Item("1", "Which is not a cause?", (Option("Smoking"), Option("Asbestos")), 0, context="He is smoking.")
    assert look(NAME, [item]).looked_at == 0


def test_open_questions_that_give_their_diagnosis_away():
    """A reference that the history names, or a diagnosis that it states; not one that is denied or asked for."""
    told = {
        "named": "Known torn medial meniscus of the right knee.",
        "stated": "Pain for weeks. He was diagnosed with gout elsewhere.",
        "denied": "The medial meniscus was not torn; no torn medial meniscus on MRI.",
        "asked": "Differential diagnosis: see below. Pain for weeks.",
    }
    items = [
        Item(name, "What is the diagnosis?", kind="open", answer="Torn medial meniscus", context=text)
        for name, text in told.items()
    ]
    checked = look(NAME, [*items, Item("bare", "Is it benign or malignant?", kind="open", answer="Malignant")])
    assert checked.lists == {"answer-named": ("named",), "diagnosis-stated": ("stated",)}
    assert [finding.severity.value for finding in checked.findings] == ["high", "medium"]
