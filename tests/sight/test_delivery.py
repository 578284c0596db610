"""Delivery: servers that lose images are found out, honest ones never are."""

import json
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

from snellen.cli.asking import conduct
from snellen.errors import RejectedError, UndeliveredError
from snellen.images import Image
from snellen.items import Benchmark, Item, Option
from snellen.models.base import Model, Usage, receipt
from snellen.models.fake import FunctionModel
from snellen.models.organisms import open_organism
from snellen.scoring.result_files import record_results
from snellen.sight import delivery
from snellen.sight.canary import Canary, Chart
from snellen.sight.delivery import FITTING, OVERRULED, Arrival, Delivery, same_model
from snellen.sight.tokens import TokenPair
from snellen.store import Bill
from snellen.study import Study, rescore
from strategies import items
from studied import results_of
from tables import sheet

pytestmark = pytest.mark.usefixtures("no_groups")


class Between(Model):
    """A server between us and an organism; `passing` is what it makes of a request before the organism sees it."""

    def __init__(self, passing, *, organism="grounded", counting=lambda usage: usage, name="openai/grounded"):
        self.name = name
        self._passing, self._counting, self._behind = passing, counting, open_organism(organism)

    async def answer(self, request):
        passed = self._passing(request) if request.images else request
        reply = await self._behind.answer(passed)
        sent = tuple(receipt(image) for image in request.images)
        return replace(reply, usage=self._counting(reply.usage), sent=sent, served_by=self.name)


def refuses(request):
    raise RejectedError("this model takes no images")


def drops(request):
    return replace(request, images=())


def drops_all(request):
    return replace(request, images=(), text="")


def puts_words(request):
    return replace(request, images=(), text=f"{request.text}\n[image omitted]")


def drops_some(request):
    return drops(request) if request.images[0].sha256[0] in "0123" else request


def honest(request):
    return request


def uncounted(usage):
    return Usage()


def words_alone(usage):
    return usage._replace(input_tokens=usage.input_tokens - usage.image_tokens, image_tokens=None)


def study(folder, *models, tests=("image-needed",), **more):
    """By default one that shows no letters and stops nobody, so that all there is are the responses."""
    how = {"canary": False, "accept_blind": True, **more}
    return Study(models=models, tests=tests, benchmarks=["phantoms:items=40"], limit=16, out=folder, **how)


def scored(*args, **more):
    """The results, without the time that a report takes."""
    made = study(*args, **more)
    made.ask(watch=lambda progress: None)
    return rescore(made.out)


def test_tokens_give_a_server_away_that_loses_images(tmp_path):
    """Dropped, emptied, replaced by words or lost in part: the count with and without the image contradicts it."""
    ways = {drops: "grounded", drops_all: "mirage", puts_words: "mirage", drops_some: "grounded"}
    models = [Between(way, organism=organism, name=f"openai/{way.__name__}") for way, organism in ways.items()]
    results = scored(tmp_path, *models)
    assert {each.model: (each.status, each.pairs) for each in results.delivery} == {
        model.name: (Arrival.CONTRADICTED, 16) for model in models
    }
    assert {finding.verdict.status for finding in results.findings} == {"withheld"}


def test_withheld_verdicts_are_said_everywhere(tmp_path):
    """Terminal apart, the table, the record and the report say that the images did not arrive."""
    results = study(tmp_path, Between(drops)).run(watch=lambda progress: None)
    assert {finding.verdict.status for finding in results.findings} == {"withheld"}
    assert results.lines == ()  # what it scores says nothing of a benchmark whose images it never got
    assert {row["delivery"] for row in results.rows()} == {"contradicted"}
    record = json.loads((tmp_path / "results.json").read_text())
    assert record["verdicts"][0]["sentence"].startswith("Images seem not to have reached the model.")
    assert record["delivery"][0]["status"] == "contradicted"
    assert "The images seem not to have reached grounded" in (tmp_path / "report.html").read_text()


def test_a_failure_that_may_be_the_servers_is_said_so(tmp_path, capsys):
    """A server that drops images and bills them cannot be told from a blind model: terminal and report say so."""

    class Bills(Between):
        async def answer(self, request):
            reply = await super().answer(request)
            tokens = 300 * len(request.images) + len(request.text) // 4
            return replace(reply, usage=Usage(tokens, 5), text="C D H K N" if "letters" in request.text else reply.text)

    models = [Bills(drops, organism="memoriser", name="openai/m"), open_organism("memoriser")]
    made = Study(models=models, tests=["image-needed"], benchmarks=["phantoms:items=40"], out=tmp_path)
    conduct(made, dry_run=False)
    said = "Nothing shows that images reached the model: a failed test may be due to the server, not the model."
    shown = capsys.readouterr().out
    assert [shown.count(words) for words in ("  FAIL  ", f"openai/m: {said}")] == [2, 1]
    assert f"<b>m on phantoms (items 40):</b> {said}" in unescape((tmp_path / "report.html").read_text())
    assert json.loads((tmp_path / "results.json").read_text())["delivery"][0]["doubt"] == said


def test_replies_that_deny_the_image_give_a_server_away_that_counts_nothing(tmp_path):
    """Without any count, the responses to questions with an image that say there is none are enough."""
    (found,) = scored(tmp_path, Between(drops, counting=uncounted)).delivery
    assert (found.status, found.pairs) == (Arrival.CONTRADICTED, 0)
    assert found.denied > 12
    assert found.sentences[0] == f"{found.denied} of 16 responses to questions sent with an image say there is none."


def test_only_responses_to_images_can_deny_them(tmp_path):
    """Who says of a question without an image that there is none is right."""
    mixed = [replace(item, images=item.images * (at % 2)) for at, item in enumerate(items(20))]
    model = FunctionModel(lambda request: "Answer: A" if request.images else "There is no image.", revision="1")
    asked = Study(models=[model], benchmarks=[Benchmark("b", tuple(mixed))], tests=["option-order"], out=tmp_path)
    (found,) = results_of(replace(asked, canary=False)).delivery
    assert (found.replies, found.denied, found.answered_with, found.answered_without) == (20, 0, 40, 40)


def test_a_model_that_takes_no_images_is_said_in_one_sentence_and_an_error(tmp_path, capsys):
    """When all requests with an image fail and those without succeed, the exit status is 1."""
    with pytest.raises(SystemExit, match="1"):
        conduct(study(tmp_path, Between(refuses)), dry_run=False)
    said = " ".join(capsys.readouterr().out.split())
    assert "All 16 requests with an image failed, while 16 without one were answered" in said


def test_an_honest_server_is_never_doubted(tmp_path):
    """Images that arrive and are counted are confirmed, unless the model reads no letters: then it is not known."""
    known = ("grounded", "blind", "refuser", "mirage", "rambler", "positional", "random")
    models = [Between(honest, organism=each, name=f"openai/{each}") for each in known]
    found = scored(tmp_path / "tokens", *models).delivery
    assert {each.model: each.status for each in found} == {model.name: Arrival.CONFIRMED for model in models}
    some = [model for model in models if model.name in ("openai/grounded", "openai/blind", "openai/refuser")]
    shown = scored(tmp_path / "letters", *some, canary=True, accept_blind=False).delivery
    assert {each.model: each.status for each in shown} == {
        "openai/grounded": Arrival.CONFIRMED,
        "openai/blind": Arrival.UNKNOWN,
        "openai/refuser": Arrival.UNKNOWN,
    }


def test_tokens_stop_a_run_after_a_few_questions(tmp_path):
    """No letters are shown: five pairs of the same words are enough to give the model up, and its verdict is withheld.

    A server that leaves images out of its count of tokens is not stopped if the model reads the letters.
    """
    made = study(tmp_path / "lost", Between(drops, organism="blind"), accept_blind=False, max_connections=1)
    progress = made.ask(watch=lambda progress: None)
    assert "input tokens with an image" in progress.silent["openai/grounded"]
    assert progress.done < 16
    assert {each.verdict.status for each in rescore(made.out).findings} == {"withheld"}
    uncounting = Between(honest, counting=words_alone)
    seen = study(tmp_path / "seen", uncounting, canary=True, accept_blind=False).ask(watch=lambda progress: None)
    assert (seen.done, seen.unusable) == (32, {})


def test_a_model_that_was_stopped_is_stopped_in_the_report_too(tmp_path):
    """Other models go on; of the one that was not asked, the results say why. Asked all the same, it is not judged."""
    models = (Between(drops, name="openai/lost"), Between(honest))
    progress = study(tmp_path, *models, canary=True, accept_blind=False).ask(watch=lambda progress: None)
    assert progress.silent["openai/lost"].startswith("images are dropped on the way.")
    results = rescore(tmp_path)
    assert {each.model: (each.status, each.answered_with) for each in results.delivery} == {
        "openai/lost": (Arrival.CONTRADICTED, 0),
        "openai/grounded": (Arrival.CONFIRMED, 16),
    }
    again = study(tmp_path, *models, canary=True).ask(watch=lambda progress: None)
    assert (again.done, again.silent) == (32, {})
    assert "asked nevertheless" in again.remarks["openai/lost"]
    results = rescore(tmp_path)
    verdicts = {each.model: each.verdict for each in results.findings}
    assert verdicts["openai/lost"].status == "withheld"
    assert verdicts["openai/grounded"].status != "withheld"
    record = json.loads(json.dumps(record_results(results), default=str))["delivery"][0]
    assert (record["canary"]["status"], record["canary"]["accepted"]) == ("contradicted", True)


def test_a_canary_counts_for_the_run_that_it_was_shown_before(tmp_path):
    """A run that was stopped says nothing about a later one, whose server was mended or whose letters were left out."""
    with pytest.raises(UndeliveredError, match="--accept-blind"):
        study(tmp_path, Between(drops), canary=True, accept_blind=False).ask(watch=lambda progress: None)
    assert [each.status for each in rescore(tmp_path).delivery] == [Arrival.CONTRADICTED]
    (found,) = scored(tmp_path, Between(honest)).delivery
    assert (found.status, found.canary) == (Arrival.CONFIRMED, None)


def test_a_server_that_leaves_images_out_of_its_count_is_believed_if_answers_speak_for_it(tmp_path):
    """A model that is better with the image has seen it, whatever the server counts; a blind one leaves it open.

    Where nothing is counted at all, nothing is claimed and verdicts stand.
    """
    results = scored(
        tmp_path,
        Between(honest, counting=words_alone, name="openai/sees"),
        Between(honest, counting=words_alone, organism="blind", name="openai/blind"),
        Between(honest, counting=uncounted, organism="blind", name="openai/uncounted"),
    )
    assert [each.status for each in results.delivery] == [Arrival.CONFIRMED, Arrival.CONTRADICTED, Arrival.UNKNOWN]
    assert [finding.verdict.status == "withheld" for finding in results.findings] == [False, True, False]


def test_letters_do_not_speak_for_images_that_are_lost_after_them(tmp_path):
    """A server that drops large images alone: the charts were in its count and the images of the run are not."""

    def drops_wide(request):
        return request if request.images[0].width <= 1120 else drops(request)

    grey = np.full((900, 1200), 90, np.uint8)
    wide = [
        Item(f"q{n}", f"Which of the two, case {n}?", (Option("left"), Option("right")), 0, (Image(grey),))
        for n in range(8)
    ]
    made = Study(
        models=[Between(drops_wide)], benchmarks=[Benchmark("wide", wide)], tests=["image-needed"], out=tmp_path
    )
    progress = made.ask(watch=lambda progress: None)
    assert "images are not in its count" in progress.unusable["openai/grounded"]
    (found,) = rescore(tmp_path).delivery
    assert (found.status, found.canary.status) == (Arrival.CONTRADICTED, Arrival.CONFIRMED)


def test_questions_without_images_have_no_delivery(tmp_path):
    """A test that sends no image keeps its verdict when images of a benchmark are lost."""
    sending = ["image-needed", "option-order", "dataset-name:image=kept"]
    without = ["mirage-rate", "guess-mode", "dataset-name", "option-order:image=removed"]
    results = scored(tmp_path, Between(drops, organism="mirage"), tests=[*sending, *without])
    assert [each.benchmark for each in results.delivery] == ["phantoms:items=40"]
    statuses = {finding.test.name: finding.verdict.status for finding in results.findings}
    assert {name for name, status in statuses.items() if status == "withheld"} == set(sending)


def test_another_model_than_the_one_asked_is_named(tmp_path, capsys):
    """The terminal and the report name the model that the server says it is."""
    model = Between(honest)
    answer = model.answer

    async def renamed(request):
        return replace(await answer(request), served_by="smollm2<b>" if request.images else "grounded-20250101")

    model.answer = renamed
    conduct(study(tmp_path, model), dry_run=False)
    assert "another model answered: 'smollm2<b>' (16 responses)." in " ".join(capsys.readouterr().out.split())
    assert "smollm2&lt;b&gt;" in (tmp_path / "report.html").read_text()


def test_names_of_versions_are_the_same_model():
    """A date or a build behind the name is a version; another word is another model."""
    same = [("o/gpt-4", "gpt-4-0613"), ("o/a/B-7b", "b-7B"), ("o/claude", "claude@20250101"), ("o/x", "x:latest")]
    other = [("o/gpt-4", "gpt-4.1"), ("o/gpt-4", "gpt-4-turbo"), ("o/x", "y"), ("o/gpt-5", "gpt-5-mini")]
    assert all(same_model(*each) for each in same)
    assert not any(same_model(*each) for each in other)


def charts(right, *tokens):
    """Three charts of which `right` letters each were read, and the tokens counted for each and for the words alone."""
    shown = (Chart("CDHKN", 64, 448, "image/png"), Chart("ORSVZ", 64, 448, "image/jpeg"))
    counts = tokens or (None,) * 4
    images = [replace(each, right=right, input_tokens=n) for each, n in zip((*shown, shown[0]), counts, strict=False)]
    return Canary((*images, Chart("", 0, 0, "", input_tokens=counts[-1])))


COUNTED = {"pairs": 28, "tokens_with": 1092, "tokens_without": 118}
LEFT_OUT = {**COUNTED, "tokens_with": 118, "uncounted": 28}
FLAT = {**COUNTED, "tokens_with": 148, "flat": 30}
MANY, FEW = {"replies": 28, "denied": 5}, {"replies": 100, "denied": 9}
READ, UNREAD = {"canary": charts(5)}, {"canary": charts(0)}
READ_COUNTED = {"canary": charts(5, 1092, 1092, 1092, 118)}
SEEN, UNLIKE = {"better": True}, {"noticed": True}
NAMED = {"mislabelled": "The names are wrong."}
REFUSED = {"failed_with": 9, "answered_without": 9}


CASES = [
    ("unknown", ()),
    ("unknown", (FEW,)),
    ("contradicted", (MANY,)),
    ("contradicted", (MANY, UNREAD)),
    # letters, better answers or contradictions noticed: images reach the model
    ("confirmed", (READ,)),
    ("confirmed", (READ, FEW)),
    ("unknown", (READ, MANY)),
    ("confirmed", (SEEN,)),
    ("unknown", (SEEN, MANY)),
    ("confirmed", (UNLIKE,)),
    ("unknown", (UNREAD,)),
    # the server counts the images of the questions
    ("confirmed", (COUNTED,)),
    ("unknown", (COUNTED, MANY)),
    ("unknown", (COUNTED, UNREAD)),
    ("unknown", (COUNTED, UNREAD, MANY)),
    ("confirmed", ({**COUNTED, "uncounted": 1},)),
    # both: whatever the responses say
    ("confirmed", (COUNTED, READ, MANY)),
    ("confirmed", (COUNTED, SEEN, MANY)),
    ("confirmed", (COUNTED, READ, {"replies": 28, "denied": 28})),
    # images that are not in the count, or count as a few words
    ("contradicted", (LEFT_OUT,)),
    ("contradicted", (LEFT_OUT, READ_COUNTED)),
    ("confirmed", (LEFT_OUT, READ)),
    ("unknown", (LEFT_OUT, READ, MANY)),
    ("confirmed", (LEFT_OUT, SEEN)),
    ("contradicted", ({**COUNTED, "uncounted": 2}, READ, SEEN)),
    ("contradicted", (FLAT,)),
    ("confirmed", (FLAT, READ)),
    # failures outrank all
    ("contradicted", (NAMED, COUNTED, READ, SEEN)),
    ("contradicted", (REFUSED, READ)),
    ("contradicted", (COUNTED, SEEN, {"canary": charts(0, 118, 118, 118, 118)})),
]


def test_all_signals_are_weighed_together():
    """Letters read and tokens counted outrank what responses say, which counts where nothing else speaks."""
    found = [Delivery("m", "b", **{name: each[name] for each in signals for name in each}) for _, signals in CASES]
    assert [each.status for each in found] == [status for status, _ in CASES]
    assert [each.doubt != "" for each in found] == [status == "unknown" for status, _ in CASES]


COUNT = "For the same words the server counted 1,092 input tokens with an image and 118 without (medians of 28 pairs)"
DENIED = "9 of 100 responses to questions sent with an image say there is none."
BETTER = "Answers are better with the image than without (McNemar's exact test, p < 0.001)."
SENTENCES = [
    ((), ["Nothing shows whether images arrived: no token counts"]),
    ((COUNTED,), [f"{COUNT}.", "This count is the only evidence that images arrived"]),
    (({**COUNTED, "uncounted": 1}, SEEN), [f"{COUNT}; 1 of 28 images are not in its count.", BETTER]),
    ((COUNTED, MANY), [f"{COUNT}.", "5 of 28 ", "The server counts the images, but no letters were shown"]),
    ((SEEN, FEW), [BETTER, DENIED]),
    ((COUNTED, SEEN, FEW), [f"{COUNT}.", BETTER, f"{DENIED}{OVERRULED}"]),
    ((SEEN, MANY), [BETTER, "5 of 28 ", "Images reach the model, but token counts cannot show"]),
    ((UNLIKE, FLAT), ["For the same words ", "Every image, large or small, added 30 tokens", "Images that contradict"]),
    ((NAMED, MANY), ["The names are wrong.", "5 of 28 "]),
]


@pytest.mark.parametrize(("signals", "expected"), SENTENCES)
def test_each_signal_has_its_sentence(signals, expected):
    """What speaks against delivery first, what it leaves open last, and no sentence more."""
    found = Delivery("m", "b", **{name: each[name] for each in signals for name in each}).sentences
    assert [s if start[-1] == "." else s[: len(start)] for s, start in zip(found, expected, strict=True)] == expected
    assert Delivery("m", "b", **COUNTED, **UNREAD).doubt.startswith("Nothing shows that images reached the model: ")
    assert Delivery("m", "b", **COUNTED, **MANY).doubt.startswith("5 of 28 responses to questions sent with an image")


def test_only_what_an_image_surely_changed_speaks_for_it():
    """The same words of the same run, both counted; a few more right answers are chance; one kind of image will do."""
    keys = (0, 0, 7), (0, 1, 7), (1, 0, 8), (2, 0, 9)
    words = [Bill(*key, (), tokens, None, "") for key, tokens in zip(keys, (100, 90, 0, None), strict=True)]
    shown = [Bill(*key, ("a",), 400, 30, "") for key in (*keys, (3, 0, 9))]
    assert list(delivery._pairs([*words, *shown], {"a": 64})) == [
        TokenPair(400, 100, (64,), 30),
        TokenPair(400, 90, (64,), 30),
    ]
    right, wrong = "+" * 30, "-" * 30
    arms = sheet({"right": [right, wrong], "wrong": wrong, "few": "+++" + wrong[3:]}).arms
    pairs = (arms["right"], arms["wrong"]), (arms["few"], arms["wrong"]), (arms["wrong"], arms["right"])
    assert [delivery._better(*each) for each in pairs] == [True, False, False]
    assert delivery._notices_contradictions(sheet({FITTING: right, "image-mismatched:donor=modality": right}))


def test_a_model_that_denies_its_images_gets_its_verdict(tmp_path):
    """All letters are read and all images counted: what the model says about them is its own error."""

    class Denies(Between):
        async def answer(self, request):
            found = await super().answer(request)
            return found if "letters" in request.text else replace(found, text="I see no image. Please upload it.")

    made = study(tmp_path, Denies(honest), canary=True, accept_blind=False)
    made.ask(watch=lambda progress: None)
    results = rescore(tmp_path)
    (found,) = results.delivery
    assert (found.status, found.denied) == (Arrival.CONFIRMED, 16)
    assert any(each.endswith("these responses are the model's own error.") for each in found.sentences)
    assert {finding.verdict.status for finding in results.findings}.isdisjoint({"withheld"})


def test_a_model_that_notices_wrong_images_was_sent_them(tmp_path):
    """No tokens are counted and nothing is asked without the image; only what was shown can tell."""
    models = ["organism/grounded", "organism/blind"]
    benchmarks = ["phantoms:task=pathway,items=100"]
    made = results_of(
        Study(models=models, benchmarks=benchmarks, tests=["mismatched-image"], out=tmp_path), canary=True
    )
    found = {each.model: (each.status, " ".join(each.sentences)) for each in made.delivery}
    assert found["organism/grounded"][0] is Arrival.CONFIRMED
    assert (
        "Images that contradict the words are distinguished from those that fit them" in found["organism/grounded"][1]
    )
    assert found["organism/blind"][0] is Arrival.UNKNOWN


@pytest.mark.parametrize("test", ["image-needed:effort=high", "image-needed:prompt=cot"])
def test_images_are_checked_in_whatever_words_and_at_whatever_effort(test, tmp_path):
    """Nothing is asked plainly: what denies the image, and what is better for it, is found all the same."""
    lost, arrived = Between(drops, counting=uncounted), Between(honest, counting=uncounted, name="openai/honest")
    first, second = scored(tmp_path, lost, arrived, tests=(test,)).delivery
    assert (first.status, first.replies) == (Arrival.CONTRADICTED, 16)
    assert (second.status, second.better, second.denied) == (Arrival.CONFIRMED, True, 0)
