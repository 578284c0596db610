"""The claims parser: what a reply says it sees, in sentences written for the purpose."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rows import read_table, take_rows
from snellen.items import Item, Option
from snellen.models.organisms.languages import LANGUAGES
from snellen.reading.claims.parser import firm_claims, read_claims, read_rationale
from snellen.reading.language.sentences import passages


def claimed(text, question=""):
    """The texts of a reply's claims."""
    return [text[claim.start : claim.end] for claim in read_claims(text, question)]


CLAIMS = read_table(__file__, "CLAIMS")


@pytest.mark.parametrize("text", CLAIMS)
def test_a_statement_that_something_is_seen_is_a_claim(text):
    """Whatever the language, a sentence that puts a finding into the picture is one claim."""
    assert len(read_claims(text)) == 1


NO_CLAIMS = read_table(__file__, "NO_CLAIMS")


@pytest.mark.parametrize("text", NO_CLAIMS)
def test_knowledge_and_blank_pictures_are_no_claims(text):
    """General knowledge, what would be seen, the vignette, and the lack of a picture claim nothing."""
    assert claimed(text) == []


FIRM = read_table(__file__, "FIRM")


@pytest.mark.parametrize("text", FIRM)
def test_a_firm_claim_names_the_picture_and_states_a_finding(text):
    """The picture shows, or someone sees, and what is seen is said outright."""
    assert [claim.firm for claim in read_claims(text)] == [True]


LOOSE = read_table(__file__, "LOOSE")


@pytest.mark.parametrize("text", LOOSE)
def test_what_a_picture_means_or_any_such_picture_shows_is_not_firm(text):
    """Conclusions, findings met in a disease, and pictures in which nothing is named may be claims, never firm ones."""
    assert not any(claim.firm for claim in read_claims(text))


SAID_OF_ANY = read_table(__file__, "SAID_OF_ANY")


@pytest.mark.parametrize("text", SAID_OF_ANY)
def test_what_is_said_of_any_picture_is_no_claim(text):
    """Which picture is meant, how well something shows in general, and what other diseases look like claim nothing."""
    assert claimed(text) == []


def test_firmness_of_a_list_is_that_of_what_opens_it():
    """Under a sentence or heading that names the picture items are firm; under a mere heading they are not."""
    lead = read_claims("The rhythm strip shows:\n- Chaotic waves\n- No complexes")
    heading = read_claims("**Image analysis:**\n- Dark fluid\n- Bright fat")
    mere = read_claims("**Key findings:**\n- Dark fluid\n- Bright fat")
    going_on = read_claims("The X-ray shows a fracture. There is no dislocation.")
    firm = [[claim.firm for claim in found] for found in (lead, heading, mere, going_on)]
    assert firm == [[True, True], [True, True], [False, False], [True, False]]


def test_a_line_about_an_option_is_not_firm():
    """What is said beside an option's letter weighs that option."""
    assert not any(claim.firm for claim in read_claims("A) Melanoma: the dermatoscopy image shows no pigment network."))


def test_a_description_put_into_somebodys_mouth_is_told():
    """'The CT described shows' claims to have read, not to have seen."""
    assert [claim.told for claim in read_claims("The CT described shows a mass.")] == [True]
    assert [claim.told for claim in read_claims("L'ECG descritto mostra un sopraslivellamento.")] == [True]


@take_rows("text, absent")
def test_what_is_not_there_is_marked_absent(text, absent):
    """A claim that something is missing is a claim, and says so; a detail that is missing does not turn it round."""
    [claim] = read_claims(text)
    assert absent == claim.absent


def test_items_of_a_list_of_findings_are_claims_without_their_signs():
    """Under a heading of findings each bullet is a claim; bullets under other headings are not."""
    reply = (
        "B\n\n**Clinical features:**\n- Fever\n- Cough\n\n"
        "**Key findings:**\n1. **Loss of R waves** in V1\n- Q waves\n\n"
        "**Other options:**\n- Pericarditis: diffuse changes\n"
    )
    assert claimed(reply) == ["Loss of R waves** in V1", "Q waves"]


def test_a_list_of_what_is_not_seen_is_absent():
    """A heading that says no makes its bullets absent."""
    reply = "The image shows a clear lung. There is no evidence of:\n- Effusion\n- Consolidation"
    assert [claim.absent for claim in read_claims(reply)][-3:] == [False, True, True]


def test_a_description_goes_on_only_after_the_picture_was_looked_at():
    """'There is' follows up what was seen; alone it speaks of the patient."""
    assert claimed("There is no family history.") == []
    assert len(claimed("The X-ray shows a fracture. There is no dislocation.")) == 2


def test_what_the_question_told_is_no_invention():
    """A claim that repeats the question, in its language or another, is told; one that adds to it is not."""
    question = "Si associano lesioni ipercheratosiche con chiazza di alopecia cicatriziale del cuoio capelluto."
    reply = (
        "L'immagine mostra lesioni ipercheratosiche e alopecia cicatriziale.\n"
        "The image shows hyperkeratotic plaques and scarring alopecia of the scalp.\n"
        "The image shows telangiectasia and ulceration."
    )
    assert [claim.told for claim in read_claims(reply, question)] == [True, True, False]
    assert not any(claim.told for claim in read_claims(reply))


def test_a_claim_despite_poor_sight_is_a_claim():
    """Whoever concedes that the picture is hardly visible and then describes it has claimed."""
    reply = "L'ECG mostrato (anche se l'immagine non è perfettamente visibile) presenta alterazioni inferiori."
    assert [reply] == claimed(reply)


SEEN = read_table(__file__, "SEEN")
UNSEEN = ["patient", "fever", "aspirin", "B", "paziente", "dolore", "123", "\n", ". ", ", ", "- ", "(", "药"]


@given(st.one_of(st.text(), st.lists(st.sampled_from(SEEN + UNSEEN)).map(" ".join)))
def test_spans_are_ordered_apart_and_within_the_text(text):
    """No text breaks the parser; spans lie within it, in order, never overlap and are not empty."""
    place = 0
    for claim in read_claims(text, "ECG fever"):
        assert place <= claim.start < claim.end <= len(text)
        assert text[claim.start : claim.end] == text[claim.start : claim.end].strip()
        place = claim.end


@given(st.one_of(st.text(), st.lists(st.sampled_from(SEEN + UNSEEN)).map(" ".join)), st.sampled_from(["", "ECG fever"]))
def test_firm_claims_are_the_firm_ones_not_told(text, question):
    """The short way to the claims that count finds those that the long way finds."""
    found = [(claim.start, claim.end) for claim in read_claims(text, question) if claim.firm and not claim.told]
    assert list(firm_claims(passages(text), question)) == found


@given(st.lists(st.sampled_from(UNSEEN)).map(" ".join))
def test_without_a_word_of_seeing_nothing_is_claimed(text):
    """Words of the vignette alone make no claim."""
    assert read_claims(text) == ()


@pytest.mark.parametrize("unit", ["ecg ", "image shows ", ". ", "si osserva ", "- a\n", "non è visibile ", "("])
def test_a_megabyte_of_anything_is_read_at_its_ends(unit):
    """Hostile replies are read in bounded time: only both ends, and no rule runs away."""
    text = unit * (1_000_000 // len(unit))
    for claim in read_claims(text):
        assert claim.end <= 8_000 or claim.start >= len(text) - 8_000


ITEM = Item(
    "1", "A man fell on his left wrist. What is the diagnosis?", context="The X-ray shows a displaced fracture."
)


def test_only_firm_claims_that_were_not_told_are_kept():
    """What a picture means, and what context or question told do not count."""
    reply = (
        "The X-ray shows a displaced fracture. The image shows a small bony fragment and soft tissue gas. "
        "There is no dislocation. The ECG is consistent with an infarct."
    )
    claims = read_rationale(reply, "", ITEM).claims
    assert claims == ("The image shows a small bony fragment and soft tissue gas.", "There is no dislocation.")


def test_thinking_is_read_like_the_reply():
    """A claim, a notice and doubt count wherever they stand."""
    read = read_rationale("B", "I see a mass in the scan. No image was provided. I am not sure.", ITEM)
    assert read == (("I see a mass in the scan.",), True, True, True)


@pytest.mark.parametrize("language", LANGUAGES)
def test_organisms_are_read_as_they_were_made(language):
    """Those who say that nothing is there notice and claim nothing; those who imagine make a firm claim."""
    replies = LANGUAGES[language].replies
    for text in (*replies.no_image, *replies.nothing_seen):
        assert read_rationale(text, "", ITEM)[:2] == ((), True)
    for text in (*replies.imagined, *replies.imagined_at_length):
        said = text.format(letter="B", finding={"en": "gas", "it": "gas", "zh": "气体"}[language])
        assert read_rationale(said, "", ITEM).claims


@take_rows("text, explains")
def test_a_bare_answer_explains_nothing(text, explains):
    """An answer with its option's words is still only an answer."""
    item = Item(id="1", question="Where?", options=(Option("Right lower zone"), Option("Left upper zone")))
    assert read_rationale(text, "", item).explains is explains


def claims(question, reply):
    """What a reply claims that the question had not told."""
    return read_rationale(reply, "", Item("1", question)).claims


STATED = read_table(__file__, "STATED")


@pytest.mark.parametrize(("question", "reply"), STATED)
def test_a_flat_statement_about_what_is_asked_is_a_claim(question, reply):
    """A definite subject, "there is" or "is present" say how it is in this case; a question tells no answer."""
    assert len(claims(question, reply)) == 1


GENERAL = read_table(__file__, "GENERAL")


@pytest.mark.parametrize(("question", "reply"), GENERAL)
def test_what_is_said_of_any_case_is_no_claim(question, reply):
    """Definitions, uses, places of organs, doubt, conditions, bare answers and diagnoses say nothing of this case."""
    assert claims(question, reply) == ()


FLAT = "The aorta is dilated."


def test_what_the_question_told_is_no_claim():
    """Only what it asks is not told."""
    assert claims("The aorta is dilated. What is the cause?", FLAT) == ()
    assert claims("Look at the aorta. Is it dilated?", FLAT) == (FLAT,)


def test_flat_statements_are_not_read_where_the_question_tells_of_a_case():
    """Of a patient whose history is told, much can be said without seeing anything; without a question, too."""
    history = (
        "A man of 64 with hypertension and diabetes is brought in with sudden tearing chest pain, a cold left arm, "
        "hoarseness and a diastolic murmur at the sternal border. Is the aorta dilated?"
    )
    assert claims(history, FLAT) == ()
    assert read_claims(FLAT) == ()
    assert claims(history, "The CT shows a dilated aorta.") != ()


def test_a_report_is_read_to_its_end_and_a_lecture_is_left():
    """Flat statements that follow one another all count; after sentences on other things they no longer do."""
    report = "The heart is enlarged. The lungs are clear. There is no pneumothorax. The bones are intact."
    lecture = "Hearts are pumps. Blood returns from the lungs. Valves open and close. The heart is enlarged."
    assert len(claims("What do you see?", report)) == 4
    assert claims("What do you see?", lecture) == ()
