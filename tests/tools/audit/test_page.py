"""The page of an audit: the score, the items to mend and what was not checked stand on its first screen."""

import re
from dataclasses import replace

import pytest

from snellen.benchmarks import load
from snellen.items import Item, Option
from snellen.report.drawing import draw
from snellen.report.text import draw_text
from snellen.stats import wilson
from snellen.tools.audit.audit import Audit, audit
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.checks.super_guesser import NAME as GUESSER
from snellen.tools.audit.finding import Checked, Curve, Finding, Flagged, Number, Severity
from snellen.tools.audit.page import SHOWN, ItemAlbum, describe_score, draw_check, list_summary, render

ITEMS = tuple(Item(f"i{at}", "Which side?", (Option("Left"), Option("Right")), 0) for at in range(40))
ABOUT = {"created": "2026-11-16", "seed": 0}


def flag(names, evidence):
    return tuple(Flagged(name, evidence) for name in names)


def problem(check, severity, names, evidence, sentence="Left is right. It is odd."):
    return Finding(check, severity, sentence, "Shuffle.", flag(names, evidence))


def checked(check, *problems, **more):
    return Checked(check, more.pop("looked_at", 40), problems, **more)


GUESS = (Number("guesser_accuracy", "a model that never saw an image", wilson(26, 40), 0.5),)


def made(*done):
    return Audit(Audited("mine", ITEMS), done)


def first_screen(done):
    return render(done, ABOUT).partition('<details class="chapter"')[0]


def test_the_headline_is_the_score_possible_without_images():
    """One number, in the words of an exam's line; without a guesser the worst problem, without any what was checked."""
    said = (
        "Score possible without images: a guesser that reads only the text scores 65% (50 to 78); guessing scores 50%."
    )
    done = made(checked(GUESSER, numbers=GUESS))
    assert describe_score(done) == said
    assert f"<h1>{said}</h1>" in render(done, ABOUT)
    assert "The guesser is not shown to beat guessing." in first_screen(done)
    few = made(checked(GUESSER, looked_at=0, cannot=("There are too few.",)))
    assert describe_score(few) == "Score possible without images: not decided. There are too few."
    assert describe_score(made(checked("majority", problem("majority", Severity.LOW, "a", "x")))).startswith("Left is")
    assert describe_score(made(checked("majority"))) == "1 check found nothing."
    assert describe_score(made(checked("majority", looked_at=0))) == "Nothing could be checked."


def test_an_item_that_several_problems_name_is_listed_once():
    """The surest first, with each problem and its check, question, key and image; the rest is folded and counted."""
    high = problem("key-fits", Severity.HIGH, ["i1", "i2"], "It is odd.")._replace(sure=0.9)
    low = problem("wording", Severity.LOW, ["i2", *(f"i{at}" for at in range(3, 10))], "It goes.")._replace(sure=0.5)
    less = problem("wording", Severity.LOW, [f"i{at}" for at in range(10, 18)], "It goes.")._replace(sure=0.4)
    drawn = next(iter(load("phantoms:items=1"))).images
    seen = (replace(ITEMS[1], images=drawn), *(each for each in ITEMS if each.id != "i1"))
    checks = (checked("key-fits", high), checked("wording", low, less), checked("missing-images"))
    page = first_screen(Audit(Audited("mine", seen), checks))
    assert "17 of 40 items, the surest first." in page
    assert page.count("<code>i2</code>") == 1
    row = re.search(r"<code>i2</code>.*?</tr>", page, re.DOTALL)[0]
    assert all(
        words in row for words in ("high", "95% sure", "It is odd.", "key-fits", "It goes.", "wording", "Shuffle.")
    )
    assert "Which side? <b>Key:</b> A: Left" in row
    assert "<svg" in re.search(r"<code>i1</code>.*?</tr>", page, re.DOTALL)[0]
    assert f"{17 - SHOWN} more items" in page
    assert page.index("<code>i1</code>") < page.index("more items") < page.index("<code>i17</code>")


def test_problems_and_gaps_stand_on_the_first_screen():
    """Severity in words, what to do, the items; each check that was not made, or in part, with its reason."""
    done = made(
        checked("majority", problem("majority", Severity.MEDIUM, ["i1"], "It is common.")),
        checked("identifiers", cannot=("Pixels were not read here.",)),
        checked("answer-position", cannot=("One.", "Two.", "Three.", "Four.")),
        checked("wrong-keys", looked_at=0, cannot=("No answers are given.",)),
    )
    page = first_screen(done)
    assert "<b>Medium:</b> Left is right." in page
    assert "1 item. To do: Shuffle." in page
    assert "No item to mend was found; 1 problem of the whole set (up to 1 item). Of 4 checks, 3 could not be" in page
    said = draw_text([*list_summary(done)], 200)
    assert "tell who a patient is? checked in part\n    Pixels were not read here." in said
    assert "One. Two. And 2 more like that." in said
    assert "agree against the key? not checked\n    No answers are given." in said
    assert "--tests image-needed,text-needed" in said
    nothing = made(checked("majority"))
    assert "found, which does not prove that there is none. Of 1 check, none" in first_screen(nothing)
    assert "1 check found nothing that is wrong with the set as a whole." in first_screen(nothing)


@pytest.mark.parametrize(
    ("check", "result"),
    [
        (checked("majority", looked_at=12), "majority: nothing found in 12 items"),
        (checked("majority", looked_at=0, cannot=("Few.",)), "majority: not checked"),
        (checked("majority", problem("majority", Severity.LOW, ["i1"], "x")), "majority: low, 1 item"),
        (checked(GUESSER, numbers=GUESS), "super-guesser: 65% (50 to 78) right; nothing found in 40 items"),
    ],
)
def test_a_check_is_a_chapter_with_its_result(check, result):
    """Folded, under its question; it can be linked to by its name."""
    drawn = draw_check(made(check), check, ItemAlbum(made(check), quotes=True))
    assert (drawn.result, drawn.anchor, drawn.look, drawn.open) == (result, check.check, "chapter", False)


def test_a_check_has_its_numbers_points_notes_and_gaps():
    """Numbers beside what is expected; a curve as rows, at most twelve; quotes only if they may be shown."""
    curve = Curve("p", "items removed", "accuracy", tuple((float(at), wilson(at, 40)) for at in range(30)), 0.5)
    found = Finding("majority", Severity.HIGH, "Odd.", "Mend.", (Flagged("i1", "why", "the words", ("i2",) * 7),), 0.01)
    done = Checked("majority", 40, (found,), GUESS, ("Not all.",), ("A note.",), curves=(curve,))
    drawn = draw([draw_check(made(done), done, ItemAlbum(made(done), quotes=True))])
    assert "65% (50 to 78)" in drawn
    assert "n 40" in drawn
    assert "expected 50%" in drawn
    assert drawn.count("items removed") == 12
    for words in ("(corrected p = 0.01)", "To do: Mend.", "“the words”", "and 2 more", "A note.", "Not all."):
        assert words in drawn
    assert "the words”" not in draw([draw_check(made(done), done, ItemAlbum(made(done), quotes=False))])


def test_a_leaking_benchmark_is_seen_on_the_first_screen():
    """The phantoms whose context names the answer: the score, the cue, the items; no second score beside the first."""
    given = load("phantoms:items=120,leak=0.8", seed=0)
    done = audit(Audited("phantoms", tuple(given)), [GUESSER])
    said = draw_text([*list_summary(done)], 400)
    assert "Its strongest cue is what the context says of the options" in said
    assert re.search(r"High: The text alone gives away the answers of \d+ items\.", said)
    assert "A guesser that knows only" not in said
