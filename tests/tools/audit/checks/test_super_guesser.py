"""The check `super-guesser`: sentences with their numbers, the items by which they stand, and nothing for nothing."""

from dataclasses import replace

import numpy as np
import pytest

import planted
from snellen.items import Item, Option
from snellen.stress.verdicts.possible_without import describe_possible
from snellen.tools.audit.audit import audit
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.checks.super_guesser import _describe_loss
from snellen.tools.audit.finding import Severity
from snellen.tools.audit.guesser import guess_answers

WORDS = [f"{start}{end}" for start in ("acu", "chro", "fo", "pat", "nodu") for end in ("te", "nic", "cal")]


def plain(count, seed=0):
    """Questions with four options; keys and texts are drawn at random."""
    rng = np.random.default_rng(seed)
    texts = [[" ".join(rng.choice(WORDS, size=2, replace=False)) + f" {at}" for at in "efgh"] for _ in range(count)]
    keys = rng.integers(4, size=count)
    return tuple(
        Item(f"i{number}", "Which fits best?", tuple(map(Option, rng.permutation(row))), int(key))
        for number, (row, key) in enumerate(zip(texts, keys, strict=True))
    )


def with_word(item):
    """The right option has a word that no other has."""
    options = list(item.options)
    options[item.answer] = Option(f"{options[item.answer].text} typically")
    return replace(item, options=tuple(options))


GIVEN_AWAY = tuple(with_word(item) if number % 2 else item for number, item in enumerate(plain(120)))


def test_what_is_guessed_stands_in_a_sentence_with_its_numbers():
    """The first finding says how many, of how many, with interval, chance and the best rule; the next names the cue."""
    given = Audited("given-away", GIVEN_AWAY)
    done = audit(given, ["super-guesser"])
    first, second = done.findings[:2]
    found = guess_answers(given)
    assert first.severity is Severity.HIGH
    possible = describe_possible("a guesser that reads only the text", found.accuracy, 0.25)
    assert possible.startswith("Score possible without images: a guesser that reads only the text scores ")
    assert first.sentence.startswith(f"{possible}; always the ")
    assert ", on 120 questions. Its strongest cue" in first.sentence
    assert second.sentence.startswith("An option with the word 'typically' is right in 60 of 60 items")
    assert "(15 expected)" in second.sentence
    decided = {flagged.item_id for flagged in second.items}
    assert len(decided & {f"i{number}" for number in range(1, 120, 2)}) > 45
    assert f"It decides {len(decided)} items." in second.sentence
    told = " ".join(flagged.evidence for finding in done.findings for flagged in finding.items)
    assert "typically" not in told  # what is published with an item is our words and figures


def test_every_item_has_its_columns():
    """What the guesser gives the key, and whether it is right, is there for each item."""
    checked = audit(Audited("given-away", GIVEN_AWAY), ["super-guesser"]).checked[0]
    assert set(checked.columns) == {"guess_probability", "guessed_right"}
    given, right = checked.columns["guess_probability"], checked.columns["guessed_right"]
    assert len(given) == len(right) == 120
    assert np.mean([given[f"i{number}"] for number in range(1, 120, 2)]) > 0.7
    assert np.mean([given[f"i{number}"] for number in range(0, 120, 2)]) == pytest.approx(0.25, abs=0.06)
    assert {number.name: number.expected for number in checked.numbers}["guesser_accuracy"] == 0.25


def test_a_clean_benchmark_has_no_finding_but_its_figures():
    """Nothing stands after correction; the p of everything that was tested is there."""
    done = audit(Audited("clean", plain(120, 4)), ["super-guesser"])
    assert done.findings == ()
    assert done.tested >= 5
    assert done.checked[0].numbers[0].estimate.low < 0.25 < done.checked[0].numbers[0].estimate.high


def test_yes_and_no_are_called_so():
    """Where all options are yes and no, the sentence says so."""
    pair = (Option("Yes"), Option("No"))
    items = tuple(Item(f"i{n}", f"Is there a {WORDS[n % 15]} sign?", pair, int(n % 15 < 7)) for n in range(90))
    assert ", on 90 yes/no questions." in audit(Audited("yes-no", items), ["super-guesser"]).findings[0].sentence


@pytest.mark.parametrize("items", [(), plain(12), tuple(replace(item, cluster="p") for item in plain(60))])
def test_what_cannot_be_said_is_said(items):
    """Without choices, with twelve items or one patient, there is a sentence and no finding."""
    checked = audit(Audited("little", items), ["super-guesser"]).checked[0]
    assert checked.findings == ()
    assert checked.columns == {}
    assert len(checked.cannot) == 1
    assert checked.cannot[0].endswith(".")


def test_a_cue_that_decides_nothing_is_of_low_severity():
    """By chance, an option that the context partly names is never right here: it is told, but no score gains by it."""
    done = audit(Audited("clean", planted.clean(5036, 300), seed=36), ["super-guesser"])
    [finding] = done.findings
    assert "is right in only 0 of 28 items" in finding.sentence
    assert finding.sentence.endswith("the guesser answers the same items right. It decides 0 items.")
    assert finding.severity is Severity.LOW


def test_a_loss_is_told_only_where_its_interval_shows_one():
    """Nothing "loses −1.7 points", and no interval of no width stands behind a loss of nothing."""
    groups = np.arange(40)
    said = [
        _describe_loss(np.array(lost, dtype=float), groups) for lost in ([0] * 40, [1, 0] * 20, [1, -1] * 19 + [-1, -1])
    ]
    assert said[0] == "Without such cues the guesser answers the same items right."
    assert said[1].startswith("Without such cues the guesser loses 50 points (95% CI ")
    assert said[2].startswith("Without such cues its accuracy changes by 5 points (95% CI −")
    assert "may be chance" in said[2]
