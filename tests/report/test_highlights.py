import re
from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.claims.parser import Claim, read_claims
from snellen.grading.outcomes import Grade, Outcome
from snellen.items import Item
from snellen.report.evidence.evidence import Saying
from snellen.report.evidence.tags import Tagged
from snellen.report.page import _environment
from snellen.report.sections.what_it_sees import cut, marked
from snellen.runtime import visible
from snellen.store import Asked, Reply
from snellen.stress.taxonomy import Tag

CLAIMING = (
    "The chest X-ray shows a large effusion on the left. No fracture is visible.\n"
    "<b>The image demonstrates</b> a nodule. Therefore the answer is B."
)


HOSTILE = '<script>x</script></mark>{{ 7*7 }}"><img src=x onerror=alert(1)>&amp;\u202eback'


def said(text, reasoning="", question="What is it?"):
    reply = Reply(0, 0, 1, text, "stop", reasoning)
    asked = Asked(None, {}, "", "", ())
    return Saying(Item("1", question), asked, reply, Grade(Outcome.UNPARSED, None, "no-answer", "", "lenient"))


claims = st.tuples(st.integers(-5, 60), st.integers(-5, 60), st.booleans(), st.booleans()).map(lambda c: Claim(*c))


@given(st.text(max_size=50), st.lists(claims))
def test_pieces_are_the_text(text, found):
    """Whatever the claims, the pieces put together are the text, and none is empty."""
    pieces = cut(text, found)
    assert "".join(piece.text for piece in pieces) == text
    assert all(piece.text for piece in pieces)


def test_marked_pieces_are_the_claims():
    """What is marked is exactly what the parser of claims found, word for word."""
    found = [CLAIMING[claim.start : claim.end] for claim in read_claims(CLAIMING, "\nWhat is it?")]
    pieces = marked(said(CLAIMING)).text
    assert len(found) >= 2
    assert [piece.text for piece in pieces if piece.kind] == found


def test_thinking_and_reply_are_read_together_and_shown_apart():
    """Claims of the thinking are marked in the thinking, those of the reply in the reply, as they were counted."""
    thinking = "The scan shows a mass in the left lobe."
    both = marked(said("The ECG shows ST elevation. Answer: B", thinking))
    assert [piece.text for piece in both.reasoning if piece.kind] == [thinking]
    assert [piece.text for piece in both.text if piece.kind] == ["The ECG shows ST elevation."]
    assert "".join(piece.text for piece in both.text) == "The ECG shows ST elevation. Answer: B"


def test_kinds_are_told_apart():
    """A claim that something is absent, and one that the question had made, have their own marks."""
    pieces = cut("abcdef", [Claim(0, 2, absent=True, told=False), Claim(3, 5, absent=False, told=True)])
    assert [(piece.text, piece.kind) for piece in pieces] == [
        ("ab", "absent"), ("c", ""), ("de", "seen told"), ("f", ""),
    ]  # fmt: skip


def test_long_replies_are_cut_and_say_by_how_much():
    """Only the beginning is shown, with the number of characters that are left off."""
    found = marked(said("The image shows a mass. " * 300), limit=100)
    assert sum(len(piece.text) for piece in found.text) == 100
    assert found.text_cut == 300 * 24 - 100


@given(st.lists(claims))
def test_hostile_claims_stay_text(found):
    """Wherever a hostile reply is cut, the page holds its words, our marks, and no other element."""
    parts = _environment().get_template("parts.html.jinja").module
    shown = str(parts.pieces(cut(HOSTILE, found)))
    bare = re.sub(r'<mark class="(?:seen|absent)(?: told)?">|</mark>', "", shown)
    assert "<" not in bare
    assert ">" not in bare
    assert unescape(bare).strip() == visible(HOSTILE)


def test_hostile_tags_stay_text():
    """A tag of whatever name and meaning adds nothing but itself."""
    parts = _environment().get_template("parts.html.jinja").module
    harmless, hostile = (str(parts.tagged(Tagged(Tag(name, name, name), "judge"))) for name in ("name", HOSTILE))
    assert re.findall(r"<[^>]*?\b(\w+)", harmless) == re.findall(r"<[^>]*?\b(\w+)", hostile)
    assert "<script" not in hostile
    assert "◇" in hostile
