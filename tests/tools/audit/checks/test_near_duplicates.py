"""Items that say the same about the same image are found."""

from dataclasses import replace
from itertools import combinations, pairwise
from string import ascii_letters

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import planted
from audit_planted import flagged, look
from snellen.items import Item, Option
from snellen.tools.audit import duplicates
from snellen.tools.audit.duplicates import near_duplicates
from strategies import picture

NAME = "near-duplicates"
OPTIONS = (Option("Mass"), Option("Cyst"), Option("Stone"))
RUNS = st.lists(st.lists(st.sampled_from("abcde"), max_size=6), min_size=1, max_size=3)


def shingles(runs):
    ends = [f"<{min(place, 2)}>" for place in range(len(runs))]
    return {pair for end, run in zip(ends, runs, strict=True) if run for pair in pairwise([end, *run, end])}


def brute(texts, blocks, near):
    """Every pair of a block, compared."""
    sets = [shingles(each) for each in texts]
    return {
        (one, other)
        for one, other in combinations(range(len(texts)), 2)
        if blocks[one] == blocks[other]
        and sets[one] | sets[other]
        and len(sets[one] & sets[other]) >= near * len(sets[one] | sets[other]) - 1e-12
    }


@given(st.lists(st.tuples(RUNS, st.integers(0, 1)), max_size=25), st.sampled_from([0.5, 0.7, 0.8, 1.0]))
@settings(max_examples=60, deadline=None)
def test_all_near_duplicates_are_found(texts, near):
    """The same pairs are found as by comparing every pair."""
    runs, blocks = [each for each, _ in texts], [block for _, block in texts]
    found, method = near_duplicates(runs, blocks, near=near)
    assert method == "exact"
    assert {(one, other) for one, other, _ in found} == brute(runs, blocks, near)


def test_all_are_found_among_longer_texts():
    """Of 300 texts with words as frequent as in a language, the same pairs are found as by brute force."""
    rng = np.random.default_rng(0)
    texts = [[[f"w{int(word)}" for word in rng.zipf(1.5, size=30)]] for _ in range(200)]
    for place in range(100):
        copy = list(texts[place][0])
        copy[int(rng.integers(30))] = "other"
        texts.append([copy])
    found, _ = near_duplicates(texts)
    assert {(one, other) for one, other, _ in found} == brute(texts, [0] * 300, 0.8)
    assert len(found) > 80


def test_minhash_finds_the_same_where_too_many_are_alike(monkeypatch):
    """Where templates make every pair a candidate, MinHash finds what brute force does; without it, that is said."""
    texts = [duplicates.wording(item).parts for item in planted.duplicated(planted.clean(1, 300), 0.2, 1).items]
    expected, method = near_duplicates(texts)
    assert method == "exact"
    monkeypatch.setattr(duplicates, "_MOST_CANDIDATES", 100)
    found, method = near_duplicates(texts)
    assert method == "minhash"
    assert found == expected
    monkeypatch.setattr(duplicates, "_by_minhash", lambda table: None)
    assert near_duplicates(texts)[1] == "part"
    checked = look(NAME, planted.clean(1, 300))
    assert "pip install 'snellen[audit]'" in checked.cannot[0]


def test_copies_are_found():
    """Copies in another case, order of options or with a word more are listed, both of each pair, and nothing else."""
    flawed = planted.duplicated(planted.clean(6), 0.1, 6)
    checked = look(NAME, flawed.items)
    assert flagged(checked) == flawed.ids
    assert [finding.p for finding in checked.findings] == [None, None]


def test_the_same_text_about_another_image_is_no_duplicate():
    """It is counted in a note."""
    items = [Item(str(n), "Is it a mass?", OPTIONS, 0, images=(picture(n),)) for n in range(4)]
    checked = look(NAME, items)
    assert not checked.findings
    assert any("4 items ask word for word" in note for note in checked.notes)
    (finding,) = look(NAME, [*items, replace(items[0], id="again", answer=1)]).findings
    assert {each.item_id: each.with_items for each in finding.items} == {"0": ("again",), "again": ("0",)}


def test_an_item_of_training_is_a_leak():
    """An item about the same image that stands in training is severe."""
    item = Item("test", "Is it a mass or a cyst?", OPTIONS, 0, images=(picture(1),))
    other = replace(item, id="other", images=(picture(2),))
    (finding,) = look(NAME, [item, other], training=(replace(item, id="train"),)).findings
    assert finding.severity == "high"
    assert [(each.item_id, each.with_items) for each in finding.items] == [("test", ("train",))]


def test_variants_are_no_duplicates():
    """Questions that differ in a number, a side, a letter or a denial ask for something else."""
    stem = "What does the film of the patient with cough and fever that came on a week ago show in the {} lung below"
    pairs = [("left", "right"), ("A", "B"), ("3", "4"), ("normal", "abnormal")]
    for one, other in pairs:
        items = [Item(word, stem.format(word), OPTIONS, 0) for word in (one, other)]
        checked = look(NAME, items)
        assert not checked.findings, (one, other)
        assert any("taken for variants" in note for note in checked.notes)
    assert look(NAME, [Item("1", stem.format("whole"), OPTIONS), Item("2", stem.format("entire"), OPTIONS)]).findings


def case(name, history, *, patient, task="diagnosis", **fields):
    """An open question about a patient, with an image of its own."""
    metadata = {"task": task}
    question = f"What is the {task}?"
    image = picture(ord(name))
    return Item(name, question, kind="open", answer="x", images=(image,), context=history, cluster=patient,
                metadata=metadata, **fields)  # fmt: skip


def test_patients_with_nearly_the_same_history_are_listed():
    """Whatever their images and an age that differs; two questions on one patient are no copies."""
    fall = "A man of 45 years fell on the outstretched hand while running for the bus and felt pain at once."
    other = "A woman twisted her knee at football; it swelled within the hour and has been locking ever since then."
    items = [
        case("a", fall, patient="1"),
        case("b", fall.replace("45", "46"), patient="2"),
        case("c", other, patient="3"),
        replace(case("d", other, patient="3", task="treatment"), images=case("c", other, patient="3").images),
    ]
    checked = look(NAME, items)
    assert flagged(checked) == {"a", "b"}
    assert checked.lists == {"repeated-histories": ("b",)}


def test_a_text_before_most_questions_is_no_history():
    """An instruction stands before all of them."""
    told = "You are an orthopaedic surgeon who reads the image and then answers the question below in one line."
    assert not look(NAME, [case(name, told, patient=name) for name in ascii_letters]).findings
