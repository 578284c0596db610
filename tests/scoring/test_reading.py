"""Responses that repeat are read once, and nothing else changes."""

import re

import pytest

from repeating import asked
from snellen.items import Item, Option
from snellen.reading.claims import parser as claims
from snellen.scoring import reading
from snellen.scoring.result_files import record_results
from snellen.scoring.results import score
from snellen.store import Store


def record(folder):
    """All numbers, verdicts and counts of a study."""
    with Store.open(folder) as store:
        return record_results(score(store, parsers=["lenient", "double-brackets"]))


@pytest.mark.parametrize("seed", range(3))
def test_reading_once_gives_the_same_results(tmp_path, monkeypatch, seed):
    """Refused, cut off, unreadable, failed and missing responses are counted as if each were read by itself."""
    asked(tmp_path, seed=seed)
    once = record(tmp_path)
    monkeypatch.setattr(reading, "LONGEST", -1)
    assert record(tmp_path) == once
    monkeypatch.setattr(reading, "LONGEST", 300)
    monkeypatch.setattr(reading, "MOST", 7)  # what is kept is let go of again and again
    assert record(tmp_path) == once
    rules = {rule for entry in once["accounting"] for rule in entry["rules"]["lenient"]}
    assert {"content-filter", "bare-letter"} <= rules
    assert any(entry["failed"] for entry in once["accounting"])


def test_who_watches_hears_of_every_response(tmp_path):
    """Up to the last one, and how many there are."""
    asked(tmp_path)
    heard = []
    with Store.open(tmp_path) as store:
        found = record_results(score(store, watch=lambda *said: heard.append(said)))
    of = sum(entry["replies"] for entry in found["accounting"])
    assert ("reading the responses", of, max(of, heard[0][2])) in heard


@pytest.mark.parametrize("dress", ["{}", "{}.", "({})", "**{}**", " {}\n"])
def test_a_letter_alone_claims_nothing_whatever_the_question(dress, monkeypatch):
    """The quick way comes to the same as the long one, for every letter."""
    questions = ("What is it?", "Which answer is right?", "¿Qué se ve o no se ve?", "no image o a e t", "")
    asking = [Item("1", question, options=(Option("a"), Option("Yes"))) for question in questions]
    texts = [dress.format(letter) for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"]
    quick = [claims.read_rationale(text, "", item) for text in texts for item in asking]
    monkeypatch.setattr(claims, "_LETTER_ALONE", re.compile("(?!)"))
    assert [claims.read_rationale(text, "", item) for text in texts for item in asking] == quick
