"""The demonstration: simulated raters of known accuracy vote through the ballots, and what was planted comes out."""

from collections import Counter

import pytest

from snellen.errors import StoreError
from snellen.store import Store
from snellen.store.files import FILE
from snellen.tools.review.ballots import Ballots
from snellen.tools.review.demo import LEVELS, MODELS, RATERS, SETTLER, demo

pytestmark = pytest.mark.usefixtures("no_groups")


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    return demo(tmp_path_factory.mktemp("demo"))


def by_hand(pairs):
    """Cohen's κ of two raters, from the counts of their answers."""
    n, counts = len(pairs), Counter(pairs)
    agree = sum(count for (one, two), count in counts.items() if one == two) / n
    first, second = (Counter(pair[place] for pair in pairs) for place in (0, 1))
    chance = sum(first[label] * second[label] for label in first) / n**2
    return (agree - chance) / (1 - chance)


def test_what_was_planted_comes_out(shown):
    """κ, settled verdicts, the share of correct responses and the landscape: the planted value is in each interval."""
    assert len(shown.held) == 3 + 2 * len(LEVELS)
    for each in shown.held:
        assert each.found.low <= each.planted <= each.found.high, each.sentence
        assert each.sentence in shown.sentences
    assert [planted for planted, _ in shown.medians.values()] == [found for _, found in shown.medians.values()]
    assert len(shown.medians) == 20


def test_the_kappa_is_that_of_the_votes_counted_by_hand(shown):
    """Two raters read every case, and whoever settles has read those alone on which they differ."""
    with Ballots.open(shown.folder) as ballots:
        cases = [case for case in ballots.read("verdict") if {vote.rater for vote in case.votes} >= set(RATERS[:2])]
    said = [{vote.rater: vote.value["verdict"] for vote in case.votes} for case in cases]
    pairs = [(each[RATERS[0]], each[RATERS[1]]) for each in said]
    assert len(pairs) == 120
    assert shown.held[0].found.value == pytest.approx(by_hand(pairs))
    assert [SETTLER in each for each in said] == [one != two for one, two in pairs]
    assert {case.subject.model for case in cases} == set(MODELS)


def test_no_case_of_organisms_tells_whose_it_is(shown):
    """Neither an organism, nor the benchmark, the condition, the item or a rater stands in what is shown."""
    names = (*MODELS, "organism", "nearsighted", "phantoms", "pathway", "image-removed", *RATERS, SETTLER)
    with Ballots.open(shown.folder) as ballots:
        cases = [case for task in ballots.reviews() for case in ballots.read(task)]
    assert len({case.task for case in cases}) == 3
    for case in cases:
        assert [name for name in (*names, case.subject.item_id) if name in case.shown.json] == []


def test_a_person_can_vote_and_a_second_time_only_tells(shown):
    """Some cases are left, by a link that counts; calling it again votes no more, and finds the same."""
    with Ballots.open(shown.folder) as ballots:
        you = ballots.rater(shown.token)
        case = ballots.next_case(you)
        assert shown.left == ballots.progress(you).left > 0
        value = {"verdict": "correct"} if case.task == "verdict" else {"patterns": []}
        assert ballots.cast(you, case.id, value, nonce="mine")
        votes = [vote for task in ballots.reviews() for each in ballots.read(task) for vote in each.votes]
    again = demo(shown.folder)
    assert again.held == shown.held
    assert again.left == shown.left - 1
    with Ballots.open(shown.folder) as ballots:
        assert votes == [vote for task in ballots.reviews() for each in ballots.read(task) for vote in each.votes]


def test_a_folder_with_another_study_is_left_alone(tmp_path):
    """The demonstration mixes with nothing."""
    with Store.open(tmp_path, write=True) as store:
        store.studies.add({"models": []}, name="mine")
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(StoreError, match="holds another study"):
        demo(tmp_path)
    assert (tmp_path / FILE).read_bytes() == before
