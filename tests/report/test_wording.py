import math
import re
from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from snellen.report.words.numbers import (
    UNITS,
    claims_parser_agreement,
    end,
    excerpt,
    figure,
    make_printable,
    p_value,
    shorten_text,
    tenths,
    visible,
    with_interval,
)
from snellen.stats import Estimate
from snellen.stress.base import Unit


@given(st.text())
def test_nothing_stays_hidden(text):
    """What is printed holds no control but line feed and tab, and no character that turns or splits a line."""
    shown = visible(text)
    assert not [c for c in shown if (ord(c) < 32 and c not in "\n\t") or 0x7F <= ord(c) <= 0x9F]
    assert not set(shown) & set(
        "\u200b\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
    )
    assert visible(shown) == shown


@given(st.text(st.characters(whitelist_categories=("Lu", "Ll", "Nd", "Po", "Sm"))))
def test_ordinary_text_is_left_alone(text):
    """Letters, digits and signs of any script are printed as they are."""
    assert visible(text) == text


def test_only_text_is_made_visible():
    """Markup of ours and numbers pass; nothing is printed for None."""
    from markupsafe import Markup

    assert make_printable(Markup("<b>\u202e</b>")) == "<b>\u202e</b>"
    assert (make_printable(None), make_printable(7), make_printable("\x00")) == ("", 7, "⟨U+0000⟩")


def test_numbers_have_the_decimals_that_they_need():
    """0% and 100% are exactly none and all; points have a sign, variances are printed as roots, NaN as a dash."""
    assert [figure(v, "share") for v in (0.0, 0.001, 0.5, 0.999, 1.0)] == ["0%", "0.1%", "50%", "99.9%", "100%"]
    assert (figure(199 / 200, "share"), end(0.9991, "share"), end(0.0009, "share")) == ("99.5%", "99.9", "0.1")
    assert (figure(-199 / 200, "points"), end(-0.9991, "points"), end(-1.0, "points")) == (
        "−99.5 points", "−99.9", "−100",
    )  # fmt: skip
    assert figure(1 - 1e-12, "share") == "100%", "what arithmetic alone takes away is nothing"
    assert [figure(v, "points") for v in (0.01, -0.2, 0.0)] == ["+1 point", "−20 points", "0 points"]
    assert {figure(math.nan, kind) for kind in ("share", "points", "number")} == {"–"}
    assert end(math.inf, "share") == "–"
    assert (end(1e-9, "variance"), end(0.0, "variance"), figure(1e-9, "variance")) == ("<0.1", "0.0", "<0.1 points")
    assert (figure(0.0009, "variance"), end(0.0016, "variance"), end(math.nan, "variance")) == (
        "3.0 points",
        "4.0",
        "–",
    )
    assert [tenths(v, "points") for v in (0.0004, -0.0004, -0.1, 0.1)] == ["0.0", "0.0", "−10.0", "+10.0"]
    assert (tenths(1.0, "share"), tenths(math.inf, "share")) == ("100.0%", "–")


def test_ends_that_are_not_known_are_words():
    """No sign stands for an end that the data cannot bound; if nothing is known, that is said once."""
    inf, nan = math.inf, math.nan
    ends = ((0.4, 0.6), (0.4, inf), (-inf, 0.6), (nan, 0.6), (-inf, inf), (nan, nan))
    assert [with_interval(Estimate(0.5, *each, 9, "fieller"), "ratio") for each in ends] == [
        "50% (40 to 60)", "50% (40 or more)", "50% (60 or less)", "50% (60 or less)",
        "50% (interval not known)", "50% (interval not known)",
    ]  # fmt: skip
    assert with_interval(Estimate(nan, nan, nan, 9, "fieller"), "ratio") == "not known"


def test_one_notation_over_the_page(usual_text, ready_text, mirage_text, degraded_text):
    """Intervals are "40 to 60" in parentheses, p-values "p = 0.031" or "p < 0.001"; no end is a sign."""
    for page in (usual_text, ready_text, mirage_text, degraded_text):
        text = unescape(re.sub(r"<[^>]*>", " ", page[page.index("<main>") : page.index('id="responses"')]))
        assert not re.findall(r".{40}(?:∞|95% CI [−\d]).{20}", text)
        assert not re.findall(r"\bp (?:[<=≤] )?[\d.]+e-\d+", text)
        assert set(re.findall(r"\bp ([^\w\s]) ?[\d.]+", text)) <= {"=", "<", "≤"}


def test_every_unit_can_be_printed():
    """Each unit has words for its axis, and a number of it a print."""
    for unit in Unit:
        assert UNITS[unit]
        assert figure(0.5, unit) not in ("", "–")


def test_p_values_are_bounded():
    """None is 0; a p that more draws could make smaller says so, rounded up so that the bound holds."""
    assert p_value(1e-12) == "< 0.001"
    assert p_value(1 / 10_001, at_floor=True) == "< 0.001"
    assert p_value(7 / 2001, at_floor=True) == "≤ 0.0035"
    assert p_value(1.0, at_floor=True) == "≤ 1"


@given(st.text(), st.integers(min_value=2, max_value=50))
def test_shortened_fits(text, limit):
    """A shortened text is one line of at most so many characters."""
    short = shorten_text(text, limit)
    assert len(short) <= limit
    assert "\n" not in short


@given(st.text(max_size=900), st.text(max_size=20))
def test_excerpt_shows_the_beginning_and_the_evidence(text, before):
    """However long a reply, its beginning is there, and so is the place where its answer was read."""
    evidence = "IT0001, C"
    whole = f"{text}{before}{evidence}{text}"
    shown = excerpt(whole, evidence)
    assert shown.startswith(whole[:360])
    assert evidence in shown
    assert len(shown) < 700


def test_excerpt_without_evidence_shows_the_end():
    """Where nothing was read, the end of the reply is shown, as answers stand there."""
    assert excerpt("a" * 1000 + "the end", "").endswith("the end")
    assert excerpt("short", "") == "short"


def test_agreement_of_the_claims_parser_is_a_sentence():
    """The page says in a whole sentence how far the parser of claims can be trusted."""
    said = claims_parser_agreement()
    begins = "Agreement with labels that a language model gave by reading (95% Wilson intervals): precision 0."
    assert said.startswith(begins)
    assert not set(said) & set("[]")
