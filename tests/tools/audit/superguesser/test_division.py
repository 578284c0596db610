"""Which questions are learnt from, watched on and tested."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.errors import StudyError
from snellen.images import Image
from snellen.items import Item, Option
from snellen.tools.audit.audited import Audited, groups_of
from snellen.tools.audit.superguesser.superguesser import divide

SIDES = (Option("left"), Option("right"))


def item(name, patient="", **given):
    return Item(name, "Which side?", SIDES, 0, cluster=patient, **given)


patients = st.lists(st.integers(0, 12), min_size=6, max_size=40)


@given(patients, patients, st.integers(0, 3), st.booleans())
def test_no_patient_is_on_two_sides(training, tested, seed, in_folds):
    """Of learning, validation and test; and whatever is left out is counted."""
    of = Audited(
        "b",
        tuple(item(f"q{at}", f"p{who}") for at, who in enumerate(tested)),
        tuple(item(f"t{at}", f"p{who}") for at, who in enumerate(training)),
    )
    try:
        divisions = divide(of, folds=2 if in_folds else 0, seed=seed)
    except StudyError:
        return
    for each in divisions:
        sides = [{item.cluster for item in part} for part in (each.training, each.validation, each.tested)]
        assert [one & other for one, other in combinations(sides, 2)] == [set()] * 3
        others = len(of.training) + (len(of.items) - len(each.tested) if in_folds else 0)
        assert len(each.training) + len(each.validation) + each.shared == others
    assert sorted(item.id for each in divisions for item in each.tested) == sorted(item.id for item in of.items)


def test_no_image_is_on_two_sides():
    """Two patients whose questions show one image belong together."""
    image = Image(b"the same file")
    of = Audited("b", (item("q", "a", images=(image,)),), (item("t1", "b", images=(image,)), item("t2", "c")))
    (division,) = divide(of)
    assert ([each.id for each in division.training], division.shared) == (["t2"], 1)


def test_a_copy_in_another_folder_is_the_same_image(tmp_path):
    """Splits often have folders of their own; a file that is missing stops nothing."""
    for folder in ("train", "test"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "one.png").write_bytes(b"the same file")
    there, copy, missing = (Image(tmp_path / name) for name in ("test/one.png", "train/one.png", "train/none.png"))
    training = (item("t1", images=(copy,)), item("t2", images=(missing,)))
    (division,) = divide(Audited("b", (item("q", images=(there,)),), training))
    assert ([each.id for each in division.training], division.shared) == (["t2"], 1)


def test_an_item_is_not_learnt_from_and_tested_though_it_has_no_image():
    """A benchmark as the training split of its part: the part is left out; another item of the same id is not."""
    tested = (item("1"), item("2"))
    training = (item("1"), item("3"), Item("2", "Which lobe?", SIDES, 0))
    (division,) = divide(Audited("b", tested, training), validation_share=0)
    assert ([each.id for each in division.training], division.shared) == (["3", "2"], 1)


def test_validation_takes_whole_patients_up_to_its_share():
    """A tenth of the questions, in whole patients."""
    training = tuple(item(f"t{at}", f"p{at // 2}") for at in range(200))
    (division,) = divide(Audited("b", (item("q"),), training))
    assert len(division.validation) == 20
    assert len(set(groups_of(division.validation).tolist())) == 10


def test_the_order_of_the_items_changes_nothing():
    """Which side an item is on is decided by seed and id."""
    training = tuple(item(f"t{at}", f"p{at // 2}") for at in range(60))
    tested = tuple(item(f"q{at}") for at in range(20))
    one, other = (divide(Audited("b", tested[::way], training[::way]), folds=4) for way in (1, -1))
    sides = [
        [{item.id for item in part} for each in made for part in (each.training, each.validation, each.tested)]
        for made in (one, other)
    ]
    assert sides[0] == sides[1]


def test_so_many_questions_are_drawn_as_were_asked_for():
    """The others are counted."""
    training = tuple(item(f"t{at}") for at in range(50))
    (division,) = divide(Audited("b", (item("q"),), training), questions=20)
    assert (len(division.training) + len(division.validation), division.not_drawn) == (20, 30)


@pytest.mark.parametrize(
    ("of", "how", "says"),
    [
        (Audited("b", (item("q"),)), {}, "no training split.*--train.*--folds 5, which trains five times"),
        (Audited("b", (Item("q", "Why?", kind="open", answer="so"),)), {}, "no question with two or more options"),
        (Audited("b", (item("q", "a"),), (item("t", "a"),)), {}, "no question is left to learn from"),
        (Audited("b", (item("q", "a"), item("r", "a"))), {"folds": 2}, "1 patients or images are too few"),
    ],
)
def test_what_cannot_be_divided_is_said(of, how, says):
    """In a sentence with what to do."""
    with pytest.raises(StudyError, match=says):
        divide(of, **how)
