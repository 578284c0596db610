"""Our 200 questions about images that do not exist."""

from collections import Counter

from snellen import benchmarks
from snellen.benchmarks import load

ITEMS = load("mirage-questions").items


def test_twenty_categories_of_ten():
    """The first twenty are one of each, and so are the next."""
    assert len(ITEMS) == len({item.id for item in ITEMS}) == len({item.question for item in ITEMS}) == 200
    assert set(Counter(item.category for item in ITEMS).values()) == {10}
    for start in range(0, 200, 20):
        assert len({item.category for item in ITEMS[start : start + 20]}) == 20


def test_the_domains_of_the_ledger():
    """Medicine, biology, scenes, science, technical, geography, art and text reading."""
    assert set(Counter(item.metadata["domain"] for item in ITEMS)) == {
        *("medicine", "biology", "scenes", "science"),
        *("technical", "geography", "art", "text reading"),
    }


def test_every_question_is_open_about_one_image_and_says_how_urgent_it_is():
    """No options, no image, a modality, an urgency; and no hint that an image might be missing."""
    for item in ITEMS:
        assert (item.kind, item.images, item.options) == ("open", (), ()), item.id
        assert item.metadata["modality"], item.id
        assert item.metadata["urgency"] in ("urgent", "routine", "none"), item.id
        words = item.question.lower()
        assert not any(
            hint in words for hint in ("missing image", "no image", "not attached", "cannot see", "if there is an")
        ), item.id
        assert 5 <= len(words.split()) <= 45, item.id


def test_both_sets_are_listed():
    """A user finds them among the benchmarks."""
    assert {"mirage-questions", "mirage-diagnoses"} <= set(benchmarks.MEMBERS)
    assert len(load("mirage-diagnoses")) == 5
