import re
from html import unescape

from hypothesis import example, given
from hypothesis import strategies as st

from snellen.items import Item
from snellen.reading.claims.parser import SeenClaim, read_claims
from snellen.reading.outcomes import Grade, Outcome
from snellen.report.components import rich
from snellen.report.evidence.evidence import Saying
from snellen.report.sections.what_it_sees import mark_claims, mark_text
from snellen.runtime import visible
from snellen.store import StoredItem, StoredResponse

CLAIMING = (
    "The chest X-ray shows a large effusion on the left. No fracture is visible.\n"
    "<b>The image demonstrates</b> a nodule. Therefore the answer is B."
)


HOSTILE = '<script>x</script></mark>{{ 7*7 }}"><img src=x onerror=alert(1)>&amp;\u202eback'


def said(text, reasoning="", question="What is it?"):
    reply = StoredResponse(0, 0, 1, text, "stop", reasoning)
    asked = StoredItem(None, {}, "", "", ())
    return Saying(Item("1", question), asked, reply, Grade(Outcome.UNPARSED, None, "no-answer", "", "lenient"))


claims = st.tuples(st.integers(-5, 60), st.integers(-5, 60), st.booleans(), st.booleans()).map(lambda c: SeenClaim(*c))


def marks(html):
    """What is marked, each with its kind."""
    return [(kind, unescape(words)) for kind, words in re.findall(r'<mark class="([^"]+)">(.*?)</mark>', html, re.S)]


@given(st.text(st.characters(blacklist_categories=("Cs",)), max_size=50), st.lists(claims))
@example("\r\n", [])
@example("\r\n", [SeenClaim(0, 1, absent=False, told=False)])
def test_marked_text_is_the_text(text, found):
    """Whatever the claims, the words that a reader sees are the text's own, and no mark is empty."""
    shown = str(mark_text(text, found))
    bare = re.sub(r'<mark class="(?:seen|absent)(?: told| loose)?">|</mark>', "", shown)
    assert not set(bare) & set("<>")
    assert as_lines(unescape(bare)) == as_lines("".join(map(visible, text)))
    assert all(words for _, words in marks(shown))


def as_lines(shown):
    r"""A shown text with one sign for the end of a line: of \r\n, a mark may end between the two."""
    return shown.replace(f"{visible(chr(13))}\n", "\n")


def test_marks_are_the_claims():
    """What is marked is exactly what the parser of claims found, word for word."""
    found = [CLAIMING[claim.start : claim.end] for claim in read_claims(CLAIMING, "\nWhat is it?")]
    assert len(found) >= 2
    assert [words for _, words in marks(mark_claims(said(CLAIMING)))] == found


def test_thinking_and_reply_are_read_together_and_shown_apart():
    """Claims of the thinking are marked in the folded thinking, those of the reply in the reply."""
    thinking = "The scan shows a mass in the left lobe."
    folded, _, shown = mark_claims(said("The ECG shows ST elevation. Answer: B", thinking)).partition("</details>")
    assert [words for _, words in marks(folded)] == [thinking]
    assert shown == '<mark class="seen">The ECG shows ST elevation.</mark> Answer: B'


def test_kinds_are_told_apart_and_long_replies_are_cut():
    """Absent claims and those of the question have their own marks; how much is left off is said."""
    found = [SeenClaim(0, 2, absent=True, told=False), SeenClaim(3, 5, absent=False, told=True)]
    assert mark_text("abcdef", found) == '<mark class="absent">ab</mark>c<mark class="seen told">de</mark>f'
    shown = mark_claims(said("The image shows a mass. " * 300), limit=100).striptags()
    assert shown.endswith(f"{300 * 24 - 100:,} more characters are in responses.sqlite.")
    assert shown.startswith(("The image shows a mass. " * 5)[:100].strip())


@given(st.lists(claims))
def test_hostile_claims_stay_text(found):
    """Wherever a hostile reply is cut, the page holds its words, our marks, and no other element."""
    bare = re.sub(r'<mark class="(?:seen|absent)(?: told| loose)?">|</mark>', "", str(mark_text(HOSTILE, found)))
    assert not set(bare) & set("<>")
    assert unescape(bare) == visible(HOSTILE)


def test_hostile_words_in_our_sentences_stay_text():
    """What fills a place of a sentence of ours adds no element and no link, and hides nothing."""
    shown = rich("**{}** and `{name}`", HOSTILE, name="[x](#y) **z**")
    assert set(re.findall(r"</?(\w+)", shown)) == {"b", "code"}
    assert "\u202e" not in shown
