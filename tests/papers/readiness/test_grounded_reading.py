"""The grounded reading: numbers by hand, and what neither silence nor looking away can raise."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixing import BLIND, EVERYWHERE, MOVED, SEEN, SINGERS, STEPS, SWAPPED, WITH_IMAGE, WITHOUT, Change, Chorus, Half
from snellen.papers.readiness.tests.grounded_reading import (
    COLUMNS,
    HONESTY,
    SIGHT,
    STEADINESS,
    estimates,
    grounded_reading,
)
from snellen.reading.columns import NEW_OPTION
from snellen.reading.outcomes import Outcome
from snellen.stress.base import Status
from snellen.stress.image_dependence.subset import Subset
from snellen.stress.measures import credit_guesses, right
from snellen.stress.table import code
from tables import noticing, numbers, rated, sheet, verdict

TEST = grounded_reading(rating="needs")
TOLERANCE = 1e-9


def reading(found, test=TEST):
    """The values of the reading by name."""
    return {name: estimate.value for (_, name), estimate in numbers(test, found).items()}


def swapped(found, stuck):
    """The table with swapped images, of which so many items stick to the old answer and the others choose the next."""
    grades = found.arms[SWAPPED]
    old = np.array([item.answer for item in found.items])[grades.ordinal]
    chosen = np.where(grades.ordinal < stuck, old, (old + 1) % 5)
    return replace(found, arms={**found.arms, SWAPPED: replace(grades, chosen=chosen)})


@pytest.mark.parametrize(
    ("lines", "stuck", "sight"),
    [
        # 3 right, 2 wrong and 5 silent, which count as guesses: 0.8 − (0.3 + 0.1)
        (("++++++++--", "+++--oooox"), None, 0.4),
        # worse than luck without the image is luck; and so it is with it
        (("++++++++--", "----------"), None, 0.6),
        (("----------", "----------"), None, 0),
        (("+++-------", "++++++----"), None, 0),
        # all right as asked and none without the image, but so many say the same of another image
        (("+" * 20, "-" * 20, "+" * 20), 0, 0.8),
        (("+" * 20, "-" * 20, "+" * 20), 10, 0.5),
        (("+" * 20, "-" * 20, "+" * 20), 20, 0),
        # silence about a swapped image counts as a guess, not as following it
        (("+" * 20, "-" * 20, "o" * 20), None, 0.8),
        (("+" * 20, "-" * 20, "+" * 10 + "x" * 10), 10, 1 - 0.6),
        # sight is no more than what the image adds where it was swapped, however much it adds elsewhere
        (("+" * 10 + "-" * 10 + "+" * 40, "+" * 20 + "-" * 40, "+" * 20 + " " * 40), 0, 0),
    ],
)
def test_sight_is_what_the_image_adds(lines, stuck, sight):
    """As asked, without the image, and with another one, to which so many items stick."""
    found = sheet(dict(zip((SEEN, BLIND, SWAPPED), lines, strict=False)))
    assert reading(found if stuck is None else swapped(found, stuck))[SIGHT] == pytest.approx(sight)


def test_few_swapped_images_say_nothing_and_the_method_says_so():
    """Nineteen do not count."""
    lines = {SEEN: "+" * 20, BLIND: "-" * 20, SWAPPED: "+" * 19 + " "}
    found = swapped(sheet(lines), 20)
    assert reading(found)[SIGHT] == pytest.approx(0.8)
    assert numbers(TEST, found)["reading", SIGHT].method.endswith("; fewer than 20 images swapped")
    assert "images swapped" not in numbers(TEST, sheet({**lines, SWAPPED: "+" * 20}))["reading", SIGHT].method


def test_honesty_is_silence_where_it_is_due_less_silence_where_it_is_not():
    """Silent in 7 of 10 without the image, in 2 of 10 with it."""
    found = reading(sheet({SEEN: "++++++--ox", BLIND: "---ooooxxx"}))
    assert found[HONESTY] == pytest.approx(0.5)
    assert found["honesty_product"] == pytest.approx(0.7 * 0.8)
    assert reading(sheet({SEEN: "oo", BLIND: "+-"}))[HONESTY] == 0
    # a reply that notices counts, whatever it chooses
    found = noticing(sheet({SEEN: "++++", BLIND: "+-o-"}), BLIND, [0, 1])
    assert reading(found)[HONESTY] == pytest.approx(0.75)


def test_steadiness_is_what_stays_right_above_luck():
    """Right in 8 of 10 as asked, and of these in 6 when reordered."""
    found = reading(sheet({SEEN: "++++++++--", MOVED: "++++++--++"}))
    assert found[STEADINESS] == pytest.approx((0.6 - 0.2) / 0.8)
    assert "steadiness_corrected" not in found
    assert reading(sheet({SEEN: "+---------", MOVED: "+---------"}))[STEADINESS] == 0


def test_several_runs_tell_how_much_of_the_change_is_its_own():
    """Half of the items are right in one run of two: reordering takes no more than running again does."""
    runs = {SEEN: ["++++----", "----++++"], MOVED: ["++++----", "----++++"]}
    found = reading(sheet({SEEN: ["++++++", "+++---"], MOVED: ["+++++-", "+++---"]}))
    assert found[STEADINESS] == pytest.approx(((5 + 3) / 12 - 0.2) / 0.8)
    assert found["steadiness_corrected"] == pytest.approx((0.75 * 1 - 0.2) / 0.8)
    assert reading(sheet(runs))["steadiness_corrected"] == pytest.approx((0.5 - 0.2) / 0.8)


def test_only_items_that_need_the_image_count_but_for_one_number():
    """The last five need none."""
    asked = (*rated(10)[:5], *(replace(item, metadata={"needs": 1}) for item in rated(10)[5:]))
    found = reading(sheet({SEEN: "+++++-----", BLIND: "---------+", MOVED: "+++++-----"}, asked))
    assert found[SIGHT] == pytest.approx(0.8)
    assert found[STEADINESS] == pytest.approx(1)
    assert found["sight_gain_all_items"] == pytest.approx(0.5 - 0.2)


def test_what_was_not_asked_is_not_nought():
    """Each number needs its arms; without the question as asked there is none."""
    assert reading(sheet({SEEN: "++"})) == {}
    assert reading(sheet({BLIND: "++", MOVED: "++"})) == {}
    assert reading(sheet({SEEN: "++", MOVED: "++"})).keys() == {STEADINESS}
    assert reading(sheet({SEEN: "++", BLIND: "++"})).keys() == {
        SIGHT, HONESTY, "sight_gain_all_items", "honesty_product",
    }  # fmt: skip


def test_the_reading_is_told_side_by_side_and_not_judged():
    """Three numbers in one sentence, or that there are none."""
    found = verdict(TEST, sheet({SEEN: "+" * 10, BLIND: "o" * 10, MOVED: "+" * 10}))
    assert found.status is Status.REPORTED
    assert "sight 80 points" in found.sentence
    assert "honesty 100 points" in found.sentence
    assert verdict(TEST, sheet({BLIND: "++"})).status is Status.INCONCLUSIVE


def test_every_number_lies_within_its_interval():
    """Also where all items agree."""
    lines = {SEEN: "+" * 10, BLIND: "o" * 10, MOVED: "+" * 10}
    for estimate in numbers(TEST, sheet(lines)).values():
        assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
        assert estimate.low < estimate.high
        assert estimate.n == 10


@given(
    lines=st.integers(4, 30).flatmap(
        lambda n: st.fixed_dictionaries(
            {arm: st.text("+-ox", min_size=n, max_size=n) for arm in (SEEN, BLIND, MOVED, SWAPPED)}
        )
    ),
    fewer=st.integers(0, 30),
)
@settings(max_examples=15, deadline=None)
def test_no_interval_reaches_beyond_what_is_possible(lines, fewer):
    """Who scores all with the image gains 1 − luck at most: with 5 options 80 points, with 2 of them 50."""
    asked = rated(len(lines[SEEN]))
    asked = (
        *(replace(item, options=item.options[:2], answer=item.answer % 2) for item in asked[:fewer]),
        *asked[fewer:],
    )
    luck = np.mean([1 / len(item.options) for item in asked])
    found = numbers(TEST, sheet(lines, asked))
    for (_, name), estimate in found.items():
        least, most = (-(1 - luck), 1 - luck) if name == "sight_gain_all_items" else (0, 1)
        most = 1 - luck if name == SIGHT else most
        assert least - TOLERANCE <= estimate.low <= estimate.value <= estimate.high <= most + TOLERANCE


def test_a_loss_of_sight_over_all_items_may_be_larger_than_seen():
    """Better without the image: the interval is not cut off at what happened to be seen."""
    found = numbers(TEST, sheet({SEEN: "++++----------------", BLIND: "++++++++------------"}))
    all_items = found["reading", "sight_gain_all_items"]
    assert -0.8 <= all_items.low < all_items.value < 0


# What cannot be raised ------------------------------------------------------------------------------------------------

NAMES = st.sampled_from(SINGERS)
MIXTURES = st.lists(st.builds(Half, NAMES, NAMES), min_size=1, max_size=3)
SHARES = st.integers(1, STEPS)
COINS = st.booleans()
FEWER = settings(max_examples=8)


@pytest.fixture(scope="module")
def chorus(no_groups, tmp_path_factory):
    """All organisms on the same phantoms."""
    return Chorus(tmp_path_factory.mktemp("chorus"))


PHANTOMS = grounded_reading()


def raised(chorus, parts, change):
    """By how much a change raises each number, out of exact shares."""
    before, after = (reading(chorus.mixed(parts, each), PHANTOMS) for each in (None, change))
    return {name: after[name] - before[name] for name in (SIGHT, HONESTY, STEADINESS)}


def text_excess(chorus, parts):
    """By how much the text alone does better than luck, on all items or on those whose image was swapped."""
    table = chorus.mixed(parts)
    kept = Subset().select_items(table.items).kept
    there = kept & np.isfinite(right(table, SWAPPED))
    excess = credit_guesses(table, BLIND) - table.chance
    return max(0.0, excess[kept].mean(), excess[there].mean())


@FEWER
@given(parts=MIXTURES, share=SHARES, together=COINS)
def test_refusing_everywhere_raises_nothing(chorus, parts, share, together):
    """Exact, whoever the model is and whether the arms of a run fall silent together or each by itself."""
    assert max(raised(chorus, parts, Change("refuse", EVERYWHERE, share, together)).values()) <= TOLERANCE


@FEWER
@given(parts=MIXTURES, share=SHARES, together=COINS)
def test_refusing_only_with_the_image_raises_nothing(chorus, parts, share, together):
    """Exact: silence about an image that is there is never to the good."""
    assert max(raised(chorus, parts, Change("refuse", WITH_IMAGE, share, together)).values()) <= TOLERANCE


@FEWER
@given(parts=MIXTURES, share=SHARES, together=COINS)
def test_not_looking_raises_neither_sight_nor_honesty(chorus, parts, share, together):
    """Exact: what it says without the image, said with the image there, also where that is the better answer."""
    found = raised(chorus, parts, Change("ignore", WITH_IMAGE, share, together))
    assert max(found[SIGHT], found[HONESTY]) <= TOLERANCE


@FEWER
@given(parts=MIXTURES, share=SHARES, together=COINS)
def test_not_looking_makes_no_steadier_than_the_text_alone(chorus, parts, share, together):
    """Steadiness is not raised beyond what the words alone score above luck: on items that need the image, nought."""
    table, moved = chorus.mixed(parts), [chorus.voices[part.blind, WITHOUT[MOVED]].outcome for part in parts]
    kept = Subset().select_items(table.items).kept
    luck = table.chance[kept].mean()
    text = max(right(table, BLIND)[kept].mean(), np.mean([each[kept] == code(Outcome.CORRECT) for each in moved]))
    before = reading(table, PHANTOMS)[STEADINESS]
    after = reading(chorus.mixed(parts, Change("ignore", WITH_IMAGE, share, together)), PHANTOMS)[STEADINESS]
    assert after <= max(before, (text - luck) / (1 - luck)) + TOLERANCE


@FEWER
@given(parts=MIXTURES, share=SHARES, together=COINS)
def test_refusing_only_without_the_image_uncovers_at_most_what_the_text_gave(chorus, parts, share, together):
    """Sight rises by no more than the text scored above luck; steadiness not at all. Honesty rises, as it should."""
    change = Change("refuse", (BLIND,), share, together)
    found = raised(chorus, parts, change)
    assert found[SIGHT] <= share / STEPS * text_excess(chorus, parts) + TOLERANCE
    assert found[STEADINESS] <= TOLERANCE
    assert found[HONESTY] >= -TOLERANCE


@pytest.mark.parametrize("name", ["blind", "memoriser", "refuser"])
def test_one_who_never_looks_cannot_seem_to_see_by_refusing_without_the_image(chorus, name):
    """The swapped images give it away: sight is nought, for the memoriser too, who knows every answer."""
    for change in (None, Change("refuse", (BLIND,), STEPS)):
        assert reading(chorus.mixed([Half(name, name)], change), PHANTOMS)[SIGHT] <= TOLERANCE


def test_one_who_guesses_seems_to_see_no_more_than_luck_has_it(chorus):
    """Sight is at most what guesses with the image are above chance: beyond four standard errors once in 30,000 times.

    Whatever it draws from, each item is a draw of its own, so that the error is that of sums of coins.
    """
    for change in (None, Change("refuse", (BLIND,), STEPS)):
        table = chorus.mixed([Half("random", "random")], change)
        chance = table.chance[Subset().select_items(table.items).kept]
        error = np.sqrt((chance * (1 - chance)).sum()) / len(chance)
        assert reading(table, PHANTOMS)[SIGHT] < 4 * error < 0.3


@pytest.mark.parametrize("name", ["grounded", "mirage", "positional", "rambler"])
def test_one_who_looks_is_seen_to(chorus, name):
    """Nearly all that lies above luck is sight; only the positional one does not hold it."""
    found = reading(chorus.mixed([Half(name, name)]), PHANTOMS)
    assert found[SIGHT] > 0.6
    assert (found[STEADINESS] > 0.9) is (name != "positional")
    assert (found[HONESTY] > 0.9) is (name != "mirage")


def test_the_plainer_numbers_can_be_raised():
    """Why they are not the reading: half silence everywhere raises the product, and looking away in most runs the
    corrected steadiness, of a model that is neither honest nor steady.
    """
    loud, half = sheet({SEEN: "++++", BLIND: "----"}), sheet({SEEN: "++oo", BLIND: "--oo"})
    assert reading(loud)["honesty_product"] == 0
    assert reading(half)["honesty_product"] == pytest.approx(0.25)
    assert reading(half)[HONESTY] == 0
    always = {SEEN: ["+" * 10] * 10, MOVED: ["-" * 10] * 10}
    mostly = {SEEN: ["+" * 10] + ["++--------"] * 9, MOVED: ["-" * 10] + ["++--------"] * 9}
    assert reading(sheet(always))["steadiness_corrected"] == 0
    assert reading(sheet(mostly))["steadiness_corrected"] > 0.03
    assert reading(sheet(mostly))[STEADINESS] == 0


def test_an_option_that_the_original_lacks_is_no_sticking():
    """A choice that is none of the original's options is not the old answer."""
    found = sheet({SEEN: "+" * 20, BLIND: "-" * 20, SWAPPED: "-" * 20})
    grades = found.arms[SWAPPED]
    other = replace(grades, chosen=np.full(len(grades), NEW_OPTION))
    assert reading(replace(found, arms={**found.arms, SWAPPED: other}))[SIGHT] == pytest.approx(0.8)


def drawn_columns(rng, n, seen, blind, luck):
    """Independent items, right with the image and without it so often, of options that luck hits so often."""
    values = np.full((n, len(COLUMNS)), np.nan)
    for name, share in (("seen", seen), ("blind", blind)):
        values[:, COLUMNS.index(name)] = rng.random(n) < share
    values[:, COLUMNS.index("luck")] = luck
    return values


@pytest.mark.parametrize(
    ("n", "seen", "blind", "luck"),
    [(40, 0.9, 0.3, 0.25), (40, 1.0, 0.25, 0.25), (60, 0.97, 0.02, 0.5), (40, 0.25, 0.25, 0.25), (100, 0.6, 0.4, 0.2)],
)
def test_the_interval_of_sight_covers_the_truth_and_stays_possible(n, seen, blind, luck):
    """Of 40 simulated studies at least as many hold the truth as 95% intervals do, less three standard errors.

    Also at the ceiling, where a model sees all and guesses without the image, and at the floor. None is without width.
    """
    truth, repeats = max(0.0, max(seen, luck) - max(blind, luck)), 40
    rng = np.random.default_rng(7)
    found = [estimates(drawn_columns(rng, n, seen, blind, luck))[0] for _ in range(repeats)]
    held = sum(each.low - TOLERANCE <= truth <= each.high + TOLERANCE for each in found)
    assert held >= 0.95 * repeats - 3 * (0.05 * 0.95 * repeats) ** 0.5
    for each in found:
        assert 0 <= each.low < each.high <= 1 - luck
        assert each.low <= each.value <= each.high


def test_a_number_far_below_its_floor_has_an_interval_with_a_width():
    """None of 60 is right with the image and all are without: 0, and not surely 0 to the last digit."""
    found = numbers(TEST, sheet({SEEN: "-" * 60, BLIND: "+" * 60, MOVED: "-" * 60}))
    for name in (SIGHT, STEADINESS):
        assert found["reading", name].value == found["reading", name].low == 0
        assert 0 < found["reading", name].high < 0.1


def test_sight_knows_its_ceiling():
    """With five options it is at most 80 of 100, and the sentence says so; the others can be all."""
    made = grounded_reading(rating="needs")
    table = sheet({SEEN: "+" * 10, BLIND: "o" * 10, MOVED: "+" * 10})
    ceilings = {each.name: each.ceiling for each in made.measure(table)}
    assert ceilings[SIGHT] == pytest.approx(0.8)
    assert (ceilings[HONESTY], ceilings[STEADINESS]) == (None, None)
    assert "sight 80 points (95% CI " in verdict(TEST, table).numbers
    assert ") of at most 80, honesty 100 points" in verdict(TEST, table).numbers
