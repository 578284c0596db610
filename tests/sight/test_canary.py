"""Canary: what replies to fresh letters show about the way that images take."""

import asyncio
from dataclasses import replace
from random import Random

import pytest

from snellen.models.base import Response, receipt
from snellen.models.fake import FunctionModel
from snellen.prompts import Settings
from snellen.sight.canary import GIANT, JPEG, LETTER, LUCK, PNG, Arrival, Canary, Chart, Fault, by_guessing
from snellen.sight.witness import show_charts
from snellen.store import Store

PNG_CHART = Chart("CDHKN", LETTER, 448, PNG, input_tokens=266)
JPEG_CHART = Chart("ORSVZ", LETTER, 448, JPEG, input_tokens=266)
LARGE = Chart("KNORC", LETTER, 1120, PNG, input_tokens=1610)
GIANTS = Chart("HZ", GIANT, 448, PNG, input_tokens=266)
CLOSE = Chart("RV", LETTER, 160, PNG, input_tokens=46)
ALONE = Chart("", 0, 0, "", input_tokens=10)


def read(*charts):
    return tuple(replace(chart, right=len(chart.letters)) for chart in charts)


def counting(tokens, *charts):
    return tuple(replace(chart, input_tokens=tokens) for chart in charts)


def refused(*charts):
    return tuple(replace(chart, error="400: no images") for chart in charts)


def silent(*charts):
    return tuple(replace(chart, says_none=True) for chart in charts)


UNREAD = (PNG_CHART, JPEG_CHART, LARGE, GIANTS)
SMALL = (PNG_CHART, JPEG_CHART, LARGE)


@pytest.mark.parametrize(
    ("charts", "status", "faults"),
    [
        (read(*SMALL), "confirmed", ()),
        ((*read(PNG_CHART, JPEG_CHART), LARGE, ALONE, *read(GIANTS)), "confirmed", ()),
        ((*UNREAD, ALONE), "unknown", ()),
        (counting(None, *UNREAD, ALONE), "unknown", ()),
        (counting(10, *UNREAD, ALONE), "contradicted", (Fault.DROPPED,)),
        ((*counting(3, *UNREAD), ALONE), "contradicted", (Fault.EMPTIED,)),
        ((*counting(14, *UNREAD), ALONE), "contradicted", (Fault.PLACEHOLDER,)),
        ((*counting(50, *UNREAD), ALONE), "contradicted", (Fault.PLACEHOLDER,)),
        ((*counting(586, *UNREAD), ALONE), "unknown", ()),
        (counting(None, *silent(*UNREAD), ALONE), "contradicted", (Fault.DROPPED,)),
        (counting(None, *silent(PNG_CHART), *UNREAD[1:], ALONE), "unknown", ()),
        ((*silent(*UNREAD), ALONE), "unknown", ()),
        ((*SMALL, *read(GIANTS, CLOSE, CLOSE, CLOSE), ALONE), "unknown", ()),
        (counting(None, *SMALL, *read(GIANTS, CLOSE, CLOSE, CLOSE), ALONE), "contradicted", (Fault.SHRUNK,)),
        ((*counting(14, *SMALL, *read(GIANTS, CLOSE, CLOSE, CLOSE)), ALONE), "contradicted", (Fault.SHRUNK,)),
        (counting(None, *SMALL, *read(GIANTS, CLOSE, CLOSE), CLOSE, ALONE), "unknown", ()),
        ((*refused(*SMALL), ALONE), "contradicted", (Fault.REJECTED,)),
        ((*refused(*SMALL), *refused(ALONE)), "unknown", ()),
        ((*read(PNG_CHART, LARGE), JPEG_CHART, JPEG_CHART, ALONE), "contradicted", (Fault.NO_JPEG,)),
        ((*read(PNG_CHART, LARGE), *refused(JPEG_CHART, JPEG_CHART), ALONE), "contradicted", (Fault.NO_JPEG,)),
        ((*read(JPEG_CHART, JPEG_CHART), PNG_CHART, LARGE, ALONE), "contradicted", (Fault.NO_PNG,)),
        ((*read(PNG_CHART, LARGE), JPEG_CHART, ALONE), "confirmed", ()),
        ((*read(PNG_CHART, LARGE), *(replace(JPEG_CHART, right=2),) * 2, ALONE), "confirmed", ()),
        ((*read(PNG_CHART, JPEG_CHART), *counting(10, LARGE), ALONE), "contradicted", (Fault.SOME,)),
        (counting(None, *read(PNG_CHART, JPEG_CHART), *silent(LARGE), ALONE), "contradicted", (Fault.SOME,)),
        ((*read(PNG_CHART, JPEG_CHART), *silent(LARGE), ALONE), "confirmed", ()),
        (counting(10, *read(PNG_CHART, JPEG_CHART), LARGE, ALONE), "confirmed", ()),
        (counting(0, *UNREAD, ALONE), "unknown", ()),
    ],
)
def test_what_the_replies_show(charts, status, faults):
    """Each way of losing images has its name; what a weak or blind model does over an honest server has none."""
    found = Canary(charts)
    assert (found.status, found.faults) == (status, faults)
    assert found.sentences


def test_an_earlier_charts_letters_are_a_cache():
    """All five letters of an earlier chart, or four of them twice, are no chance; four of them once may be."""
    all_five, four = (replace(JPEG_CHART, repeats="CDHKN", repeated=count) for count in (5, 4))
    known = read(PNG_CHART)
    assert Canary((*known, all_five, LARGE, ALONE)).faults == (Fault.CACHED,)
    assert Canary((*known, four, replace(LARGE, repeats="CDHKN", repeated=4), ALONE)).faults == (Fault.CACHED,)
    assert Canary((*known, four, LARGE, ALONE)).faults == ()


def test_guessing_confirms_nothing_and_stops_nobody():
    """A model that names letters at random is never stopped, and confirmed no more often than LUCK allows."""
    draw = Random(21)
    tried = 2000
    guessed = [
        Canary((*(replace(chart, right=sum(draw.random() < 0.1 for _ in chart.letters)) for chart in UNREAD), ALONE))
        for _ in range(tried)
    ]
    assert all(each.status is not Arrival.CONTRADICTED for each in guessed)
    # at most tried × LUCK = 0.2 are expected; 4 or more have a probability below 1 in 10,000
    assert sum(each.status is Arrival.CONFIRMED for each in guessed) < 4


def test_the_chance_of_guessing_is_that_of_simulated_guesses():
    """The binomial tail agrees with counting, within four standard errors."""
    draw = Random(3)
    n = 20_000
    share = sum(sum(draw.random() < 0.1 for _ in range(15)) >= 4 for _ in range(n)) / n
    p = by_guessing(4, 15)
    assert abs(share - p) < 4 * (p * (1 - p) / n) ** 0.5
    assert by_guessing(8, 15) < LUCK < by_guessing(7, 15)


def test_a_canary_is_stored_whole(tmp_path):
    """What was read comes back equal, run by run; a store of an earlier version holds none."""
    shown = [Canary((*read(*SMALL), ALONE)), Canary((*refused(PNG_CHART), ALONE), accepted=True)]
    with Store.open(tmp_path, write=True) as store:
        model = store.studies.add_model("openai/m", "")
        for each in shown:
            store.studies.add_canary(model, each.record())
        assert [Canary.from_record(each) for each in store.studies.canaries(model)] == shown
        store.connections.main.execute("DROP TABLE canaries")
        assert store.studies.canaries(model) == []


class Repeating(FunctionModel):
    """Says the same word to the token limit; it reads the letters only where it may say more than `needs` tokens."""

    def __init__(self, needs):
        super().__init__(self._say)
        self.limits = []
        self._needs = needs

    def _say(self, request):
        self.limits.append(request.settings.max_tokens)
        words = " ".join(["the"] * 50)
        sent = tuple(receipt(image) for image in request.images)
        return Response(words, finish="length" if self.limits[-1] <= self._needs else "stop", sent=sent)


@pytest.mark.parametrize(
    ("settings", "needs", "limits"),
    [
        (Settings(max_tokens=300), 9e9, [300]),
        (Settings(max_tokens=8), 9e9, [64]),
        (Settings(), 9e9, [512, 4096]),
        (Settings(reasoning_effort="high"), 9e9, [20_000]),
        (Settings(), 1000, [512, *[4096] * 5]),
        (Settings(max_tokens=300), 0, [300] * 5),
    ],
)
def test_a_model_that_repeats_itself_does_not_hold_up_a_run(settings, needs, limits):
    """Each response has a limit; one that reaches the last limit ends the charts and speaks against nothing."""
    model = Repeating(needs)
    shown = asyncio.run(show_charts(model, settings, draw=Random(1)))
    assert model.limits == limits
    assert (shown.status, shown.faults) == ("unknown", ())
    assert any("cut off at the token limit" in each for each in shown.sentences) == (needs > 10_000)
    assert Canary.from_record(shown.record()) == shown
