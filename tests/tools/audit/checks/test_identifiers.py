"""Identifiers are found by rules and told masked; what only looks like one in a vignette is none."""

import numpy as np

from snellen.images import Image, Unreadable
from snellen.items import Item, Option
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.checks.identifiers import CHECK
from snellen.tools.audit.identifying import identifiers_in, identifiers_in_name, identifying_words, without_identifiers

SIDES = (Option("Left"), Option("Right"))

IDENTIFYING = {
    "Seen by Dr. Miller in the clinic.": ("name", "Miller"),
    "Patient name: Maria Gonzalez, referred for MRI.": ("name", "Gonzalez"),
    "DOB: 12/03/1961": ("birth", "1961"),
    "MRN 00482913 was scanned.": ("record", "00482913"),
    "Accession number A1234567.": ("record", "A1234567"),
    "Call 555-123-4567 for results.": ("contact", "123"),
    "Write to j.miller@example.org.": ("contact", "miller"),
    "SSN is listed as 123-45-6789.": ("security", "6789"),
    "The scan of 12 March 2021 shows a nodule.": ("date", "2021"),
    "He lives at 42 Elm Street.": ("address", "Elm"),
    "Treated at Massachusetts General Hospital.": ("institution", "Massachusetts"),
    "A 93-year-old woman fell.": ("age", "93"),
}
HARMLESS = (
    "A 26-year-old man falls from a ladder.",
    "Blood pressure is 120/80 mm Hg; sodium 135-145 mEq/L.",
    "She presents to the Emergency Department at the University Hospital.",
    "A Bennett fracture and a Salter-Harris type II fracture are seen.",
    "Serology for anti-John Cunningham (JC) virus antibodies",
    "Wilson disease, Marfan syndrome and Down syndrome",
    "Incidence from April 1st to June 1st was 3.",
    "The lesion measures 1.5 x 2.3 x 3.1 cm at T12-L1.",
    "Grade 3/5 strength in C5-6, 2 years after surgery in March.",
    "Is this an AP or a PA film?",
)


def test_each_kind_of_identifier_is_found():
    """Every kind is found, by its right name."""
    for text, (kind, _) in IDENTIFYING.items():
        assert kind in [each.kind.value for each in identifiers_in(text)], text


def test_the_words_of_vignettes_are_no_identifiers():
    """Ages, eponyms, measures, departments and days without a year identify nobody."""
    for text in HARMLESS:
        assert [each.kind.value for each in identifiers_in(text)] == [], text


def test_names_of_files_may_identify():
    """By a name, a date or a number; running numbers, hashes and names of benchmarks identify nobody."""
    for name in (
        "Smith_John_001.png",
        "SMITH^JOHN",
        "scan-19610312-4.jpg",
        "mrn12345678.png",
        "john.smith@example.org",
    ):
        assert list(identifiers_in_name(name)), name
    for name in ("synpic39086.jpg", "vqa-rad/1482", "MM-0-a.jpeg", "3f2a9c7714b0de55", "case_0012", "CXR10_IM-0002-10"):
        assert list(identifiers_in_name(name)) == [], name


def test_no_identifier_reaches_a_finding():
    """Whatever is found is masked in sentence, evidence, quote and id."""
    items = [Item(str(n), text, SIDES, 0) for n, text in enumerate(IDENTIFYING)]
    items.append(Item("Smith_John_7", "Which side?", SIDES, 0))
    items.append(Item("x", "Which side?", SIDES, 0, images=(Image(Unreadable("a/Doe_Jane_19700131.png", "is gone")),)))
    printed = repr(CHECK.look(Audited("b", tuple(items))))
    for secret in [*(secret for _, secret in IDENTIFYING.values()), "Smith", "John", "Doe", "Jane", "19700131"]:
        assert secret not in printed, secret


def test_where_it_was_found_is_told():
    """A finding counts the items and says in which part of them."""
    items = tuple(
        Item(f"q{n}", "Which side did Dr. Miller see?" if n < 2 else "Which side?", SIDES, 0) for n in range(5)
    )
    (finding,) = CHECK.look(Audited("b", items)).findings
    assert finding.sentence == "2 of 5 items hold what looks like names of persons (2 in the question)."
    assert [each.item_id for each in finding.items] == ["q0", "q1"]
    (one,) = CHECK.look(Audited("b", items[1:])).findings
    assert one.sentence.startswith("1 of 4 items holds what looks like names of persons")
    assert finding.items[0].quote == "•••••• (6 characters)"


def test_masking_leaves_the_rest():
    """A text keeps all but its identifiers."""
    assert without_identifiers("On 12/03/2021 a nodule was seen.") == "On ••/••/•••• a nodule was seen."


def test_items_of_two_splits_with_one_id_are_two_items():
    """Each is counted and listed."""
    given = Item("7", "Dr. Miller asks: which side?", SIDES, 0)
    [found] = CHECK.look(Audited("mine", (given,), (given,))).findings
    assert found.sentence.startswith("2 of 2 items")
    assert len(found.items) == 2


def test_other_languages_are_not_said_to_hold_nothing():
    """Rules know English words alone."""
    given = Item("7", "Il paziente Mario Rossi: quale lato?", SIDES, 0, language="it")
    assert CHECK.look(Audited("mine", (given,))).cannot[0].startswith("1 item is not in English")
    assert not CHECK.look(Audited("mine", (Item("8", "Which side?", SIDES, 0),))).cannot


def test_pixels_are_not_said_to_hold_nothing():
    """Where items have images, the check says that it read no pixels, and which check does."""
    shown = Item("8", "Which side?", SIDES, 0, images=(Image(np.zeros((4, 4), np.uint8)),))
    [words] = CHECK.look(Audited("mine", (shown, Item("9", "Which side?", SIDES, 0)))).cannot
    assert words == "Pixels were not read here: 1 of 2 items have images. --also burned-in-text reads them."


def test_reports_and_other_columns_are_looked_through():
    """However deep they stand, and whatever a column of names holds; quotes of other checks are masked by them."""
    told = {"report": "Read by Dr. Miller.", "visits": [{"note": "Seen on 12/03/2021"}], "patient_name": "xy"}
    given = Item("7", "What is it?", kind="open", answer="cyst", metadata=told)
    found = CHECK.look(Audited("mine", (given,))).findings
    assert [each.sentence.partition("(")[2] for each in found] == [
        "1 in the report, 1 in the patient_name).",
        "1 in the note).",
    ]
    assert "Miller" not in repr(found)
    assert "miller" in identifying_words([given])
