"""What is read out of a report: findings, present or absent, sure or not, with side and severity."""

from functools import partial

from hypothesis import example, given, settings
from hypothesis import strategies as st

from rows import read_table, take_rows
from snellen.benchmarks.phantoms.catalogue import MODALITIES
from snellen.benchmarks.phantoms.diseases import DISEASES
from snellen.benchmarks.phantoms.phantom import Phantom
from snellen.reading.language.patterns import word_set
from snellen.reading.language.words.radiology import ABOVE, BECOMES, FINDINGS, ILL, SOUND, STRUCTURES, UNSIDED, WHOLE
from snellen.reading.reports.findings import LONGEST_SENTENCE, readable, statements_of
from steps import lines_run

ONE_EACH = read_table(__file__, "ONE_EACH")
"""Sentences that state one finding, by what they state: presence, name, sides, severity."""

SEVERAL = read_table(__file__, "SEVERAL")
"""Texts and all that they state."""


def written(text):
    """The statements of a text, each as "+name? sides severity"."""
    return [
        " ".join([f"{'+' if said.present else '-'}{said.finding}{'' if said.sure else '?'}", *sorted(said.sides)])
        + (f" {said.severity}" if said.severity else "")
        for said in statements_of(text)
    ]


def test_many_wordings_state_one_finding():
    """A finding has one name, whatever it is called."""
    pairs = [(text, [expected]) for expected, texts in ONE_EACH.items() for text in texts.split("|")]
    assert [(text, written(text)) for text, _ in pairs] == pairs


def test_a_text_states_several_findings():
    """Lists, clauses, sides and doubts belong to what they are said of."""
    pairs = [(text, expected.split("|") if expected else []) for text, expected in SEVERAL.items()]
    assert [(text, written(text)) for text, _ in pairs] == pairs


def test_evidence_is_the_sentence():
    """Each statement keeps the sentence that says so."""
    assert [said.evidence for said in statements_of("Heart is big. Small effusion.")] == [
        "Heart is big.",
        "Small effusion.",
    ]


NAMES = read_table(__file__, "NAMES")


def test_the_findings_of_phantoms_are_found():
    """The report of each phantom states its finding with its side; that of a normal one states nothing present."""
    missed = []
    for modality in MODALITIES:
        for name, disease in DISEASES[modality.code].items():
            phantom = Phantom("", "", side="left", size="large", count=2, location="left frontal lobe")
            told = {said.finding: said for said in statements_of(disease.fill_words(phantom).report) if said.present}
            expected = NAMES.get(name, name)
            right = not told if name == "normal" else expected in told
            sided = name != "normal" and "{side}" in disease.report and expected not in UNSIDED
            if not right or (sided and told[expected].sides != {"left"}):
                missed.append((name, sorted(told)))
    assert missed == []


def test_words_of_the_tables_fit_together():
    """Every finding that a part or a kind leads to has a place in the tree, and every name of a part exists."""
    parts = {name for names in STRUCTURES for name in names.split("+")}
    assert parts == set(SOUND)
    assert {part for part, _ in BECOMES} <= parts
    assert {quality for _, quality in BECOMES} <= set(ILL)
    known = {*FINDINGS, *ABOVE.values(), *SOUND.values(), *BECOMES.values(), WHOLE}
    assert known >= set(ABOVE)
    assert known >= UNSIDED
    assert set(BECOMES.values()) <= set(FINDINGS)


REASONS = read_table(__file__, "REASONS")


def test_why_a_text_cannot_be_compared():
    """Each reason has one word, and a report has none."""
    assert {text: readable(text) for text in REASONS} == REASONS
    assert readable("Lungs are clear. " * 1_667) == "too-long"
    assert readable("Lungs are clear. " * 1_666) == ""


@take_rows("sentence")
def test_twice_the_words_take_twice_the_work(sentence):
    """The work grows with the length of the text, also where it has no full stop; sentences are new each time."""

    def work(first, count):
        text = "".join(sentence.format(number) for number in range(first, first + count))
        return lines_run(partial(statements_of, text))

    work(0, 100)
    assert work(10_000, 400) < 2.5 * work(20_000, 200) + 2_000


def test_twenty_thousand_words_are_read_whole():
    """What stands in the middle of an endless text is found, be it one sentence or thousands."""
    for filler in ("Nothing to say here. ", "and so on "):
        told = statements_of(filler * 3_300 + ". Small left effusion. " + filler * 3_300)
        assert "pleural effusion" in {said.finding for said in told}
    assert statements_of("clear" * 10 * LONGEST_SENTENCE) == ()


@settings(deadline=None)
@given(st.text(max_size=400))
@example("\ud800 no effusion")
@example("&#99999999999999; no , and : / versus not ? (((")
@example("no " * 300)
def test_any_text_can_be_read(text):
    """No text raises, and what is stated is one of the names that we know."""
    known = {*FINDINGS, *ABOVE.values(), *SOUND.values()}
    assert {said.finding for said in statements_of(text)} <= known
    assert readable(text) in {"", "empty", "other-language", "nothing-found", "too-long"}


PIECES = sorted(
    word_set(
        "no not and or , ; : . without left right bilateral small large heart lungs lung is are clear normal enlarged "
        "effusion pneumothorax opacity possible may represent versus with but abnormality intact resolved unlikely "
        "borderline aorta tortuous calcified nodule recommend removed hemidiaphragm elevated lobe"
    )
)


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14))
def test_mirroring_changes_nothing_but_sides(words):
    """With left and right exchanged, the same findings are stated on the other side."""
    other = {"left": "right", "right": "left"}
    mirrored = statements_of(" ".join(other.get(word, word) for word in words))
    expected = {
        (said.finding, said.present, said.sure, frozenset(other[side] for side in said.sides), said.severity)
        for said in statements_of(" ".join(words))
    }
    assert {said[:5] for said in mirrored} == expected


NAMED = read_table(__file__, "NAMED")


@given(
    st.sampled_from(NAMED), st.sampled_from(["no {}", "{} is not seen", "without {}", "{} has resolved", "{}: none"])
)
def test_a_negation_turns_presence_over(name, negation):
    """A finding that is named is present; with a negation it is absent."""
    (present,) = statements_of(f"There is a {name}.")
    (absent,) = statements_of(negation.format(name))
    assert (present.finding, present.present) == (name, True)
    assert (absent.finding, absent.present) == (name, False)
