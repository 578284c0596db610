"""Items that need the image: by a list, by ratings, by the screen."""

import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest

from snellen.benchmarks import phantoms
from snellen.errors import StudyError
from snellen.items import Benchmark, Item
from snellen.models.fake import FakeModel
from snellen.stress.image_dependence.subset import Subset
from snellen.study import Study
from strategies import items as plain

ITEMS = plain(6)
FORMATS = {
    "ids.txt": "q001\n\n  q004  \r\n",
    "ids.json": '["q001", "q004"]',
    "rows.json": '[{"id": "q001"}, {"id": "q004", "why": "clear"}]',
    "ids.jsonl": '"q001"\n"q004"\n',
    "rows.jsonl": '{"id": "q001"}\n\n{"why": "clear", "id": "q004"}\n',
    "rows.csv": '\ufeffwhy,id\r\n"two\nlines",q001\r\nclear,q004\r\n',
}


def kept(found):
    """The places of the items kept."""
    return np.flatnonzero(found.kept).tolist()


def select(among, **settings):
    """The items that these settings choose."""
    return Subset(**settings).select_items(tuple(among))


def rated(*values, field="needs_image"):
    """Items with these ratings; None has no rating."""
    return [
        replace(item, metadata={"organ": "lung"} if value is None else {field: value})
        for item, value in zip(plain(len(values)), values, strict=True)
    ]


@pytest.mark.parametrize("name", FORMATS)
def test_a_list_is_read_in_each_format(tmp_path, name):
    """Lines, JSON, JSON lines and tables name the same two items, and the source says which file it was."""
    path = tmp_path / name
    path.write_bytes(FORMATS[name].encode())
    found = select(ITEMS, items=str(path))
    assert kept(found) == [1, 4]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert found.source == f"the list {name} (sha256 {digest[:8]})"


@pytest.mark.parametrize(
    ("data", "places", "said"),
    [
        ("[7]", [5], ""),
        ('["q001", "other/1", "other/2"]', [1], "; 2 of its 3 ids match no item"),
        (json.dumps([f"other/{at}" for at in range(9)]), [],
         "; 9 of its 9 ids match no item, such as 'other/0', 'other/1', 'other/2', …; the benchmark's ids are '7', "),
    ],
)  # fmt: skip
def test_a_list_may_cover_other_benchmarks_too(tmp_path, data, places, said):
    """Numbers are ids; ids that no item has are counted, not refused, and a few of both show if that was meant."""
    path = tmp_path / "ids.json"
    path.write_text(data)
    found = select([*ITEMS[:5], replace(ITEMS[5], id="7")], items=str(path))
    assert (kept(found), said in found.source) == (places, True), found.source


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.json", b"{"),
        ("a.json", b'{"id": "q001"}'),
        ("a.json", b"[true]"),
        ("a.json", b'[{"item": "q001"}]'),
        ("a.jsonl", b"q001"),
        ("a.csv", b"item\nq001\n"),
        ("a.csv", b"id\n" + b"x" * 200_000),
        ("a.txt", b"\xff\xfe\x00"),
    ],
)
def test_a_broken_list_is_refused(tmp_path, name, data):
    """What is no list of ids is an error that says what was expected; so is one that is not there."""
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(StudyError, match=r"cannot be read.*Expected an id on each line"):
        select(ITEMS, items=str(path))
    subset = Subset(items=str(path))
    path.unlink()
    with pytest.raises(StudyError, match=r"cannot be read.*Give a file with one item id per line"):
        subset.select_items(tuple(ITEMS))


def test_a_list_and_a_rating_cannot_both_choose():
    """Which of the two is meant is not guessed."""
    with pytest.raises(StudyError, match="got both"):
        Subset(items="needed.txt", rating="needs_image")


@pytest.mark.parametrize(
    ("values", "least", "places", "source"),
    [
        ((3, 2.9, "3.5", None, float("nan"), True, 1), 3, [0, 2], "needs_image at least 3; 3 of 7 items not rated"),
        (([1, 3, 3], [3, 1, 1], [2, 3], [None, 3]), 2.5, [0, 2, 3], "needs_image at least 2.5, median of the raters"),
        ((None, None), 3, [], "no item has numbers in 'needs_image'; its fields are organ"),
        (("high", ["low"]), 3, [], "no item has numbers in 'needs_image'; its fields are needs_image"),
    ],
)
def test_ratings_are_compared_with_the_least_that_is_enough(values, least, places, source):
    """A number, or one in words, at or above the limit; of several raters the median; what is not rated is not kept.

    Where nobody rated, the fields that there are show whether that was meant.
    """
    found = select(rated(*values), rating="needs_image", at_least=least)
    assert (kept(found), found.source) == (places, f"ratings: {source}")


@pytest.mark.parametrize("way", ["list", "rating", "screen"])
def test_only_choices_can_need_an_image(tmp_path, way):
    """An open question is kept in no way of choosing; stored items, which are without pictures, are."""
    opened = Item(id="open", question="What is it?", answer="a mass", kind="open", images=ITEMS[0].images)
    items = [replace(item, metadata={"n": 3}) for item in (ITEMS[0], replace(ITEMS[1], images=()), opened)]
    path = tmp_path / "ids.txt"
    path.write_text("\n".join(item.id for item in items))
    settings = {"list": {"items": str(path)}, "rating": {"rating": "n"}, "screen": {}}[way]
    assert kept(select(items, **settings)) == [0, 1]


@pytest.mark.parametrize("language", ["en", "it", "zh"])
def test_the_screen_parts_leaked_items_from_the_others(language):
    """Nearly all phantoms whose text gives the answer away go, nearly all others stay."""
    items = phantoms.load(items=120, leak=0.5, language=language).items
    leaked = np.array([item.metadata["leaked"] for item in items])
    found = select(items)
    assert found.kept[leaked].mean() < 0.03
    assert found.kept[~leaked].mean() > 0.9
    assert found.source == (
        "screen: at most 60 words, and a guesser trained on the other items gives no option more than 1.5 times chance"
    )


def test_the_screen_does_not_ask_whether_a_guess_is_right():
    """Items whose text names an option go, be it the right one, as in four of five, or the wrong one."""
    hints = np.random.default_rng(0).choice([0, 0, 0, 0, 1, -1], 240)
    shift = np.where(hints < 0, 0, hints)
    items = [
        replace(item, context="" if hint < 0 else f"They saw {item.options[(item.answer + off) % 5].text}.")
        for item, hint, off in zip(plain(240), hints, shift, strict=True)
    ]
    found = select(items).kept
    assert [found[hints == 0].mean(), found[hints == 1].mean(), found[hints < 0].mean()] == [0, 0, 1]


def told(words, **changes):
    """Plain items, the first with so many words in its context and four in its question."""
    return [replace(ITEMS[0], question="What does it show?", context=words, **changes), *ITEMS[1:]]


@pytest.mark.parametrize(
    ("context", "short"),
    [("word " * 6, True), ("word " * 7, False), ("字" * 12, True), ("字" * 13, False), ("— … " * 9 + "字字X光", True)],
)
def test_the_screen_counts_words(context, short):
    """Context and question count together; two Chinese characters are a word, a dash is none."""
    assert select(told(context), words=10).kept[0] == short


def test_the_screen_can_be_set():
    """The source says what was set; who may be sure of nothing keeps nothing, and a coin's limit is three quarters."""
    found = select(ITEMS, words=40, sure=0.9)
    assert not found.kept.any()
    assert "at most 40 words" in found.source
    assert "0.9 times chance" in found.source
    items = [replace(item, options=item.options[:2], answer=0, question="Which?", context="") for item in plain(60)]
    assert not select(items, sure=5.0).kept.any()


def planned(setting, *benchmarks, test="visual-necessity", limit=None):
    """The plan of a study with these settings, of a model that must not be asked."""
    model = FakeModel(lambda request: pytest.fail("it was asked"))
    return Study(models=[model], benchmarks=list(benchmarks), tests=[f"{test}:{setting}"], limit=limit).plan()


@pytest.mark.parametrize("test", ["visual-necessity", "image-used", "robustness", "grounded-reading"])
def test_a_list_that_matches_nothing_is_refused_before_anything_is_asked(tmp_path, test):
    """The message names ids as they are and as they came; one benchmark that it does match is enough."""
    (tmp_path / "ids.txt").write_text("1\n2\n3\n4\n")
    listed, asked = f"items={tmp_path / 'ids.txt'}", Benchmark("b", ITEMS)
    with pytest.raises(StudyError) as refused:
        planned(listed, asked, test=test)
    assert "selects none of the items asked from 'b'" in str(refused.value)
    assert "expected ids such as 'q000', 'q001', 'q002', …, got '1', '2', '3', … in ids.txt" in str(refused.value)
    other = Benchmark("c", tuple(replace(item, id=str(at)) for at, item in enumerate(ITEMS)))
    assert planned(listed, asked, other, test=test).tests[0].name == f"{test}:{listed}"


@pytest.mark.parametrize(
    ("setting", "metadata", "images", "said"),
    [
        ("rating=need", {"needs": 3}, True, "expected a field with numbers, got 'need'; the fields are 'needs'"),
        ("rating=needs", {"needs": "much"}, True, "expected a field with numbers, got 'needs'"),
        ("rating=needs", {"needs": [1, 2]}, True, "expected ratings of at least 3 in 'needs', got 1 to 2"),
        ("rating=needs", {"needs": 5}, False, "expected items with an image, got 6 without one, such as 'q000'"),
    ],
    ids=["no such field", "no numbers", "too low", "no image"],
)
def test_a_rating_that_chooses_nothing_is_refused_before_anything_is_asked(setting, metadata, images, said):
    """With what was expected and what came."""
    text_only = plain(6, images=images)
    rated = tuple(replace(item, id=f"q00{at}", metadata=metadata) for at, item in enumerate(text_only))
    with pytest.raises(StudyError) as refused:
        planned(setting, Benchmark("b", rated), *([] if images else [Benchmark("c", rated)]))
    assert said in str(refused.value)


def test_what_a_limit_leaves_out_is_not_chosen(tmp_path):
    """A list of items that are not among those asked measures nothing."""
    listed, asked = f"items={tmp_path / 'ids.txt'}", Benchmark("b", ITEMS)
    first = planned("words=60", asked, limit=2).benchmarks[0].items[:2]
    left_out = next(item.id for item in ITEMS if item not in first)
    (tmp_path / "ids.txt").write_text(f"{left_out}\n")
    with pytest.raises(StudyError, match="of the items asked from"):
        planned(listed, asked, limit=2)
    assert planned(listed, asked)
