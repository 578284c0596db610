"""Inspect logs: one that Inspect AI wrote while asking an organism, and hand-made ones for the corners."""

import hashlib
import json
import sys
from base64 import b64encode
from dataclasses import replace
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.benchmarks.phantoms import load
from snellen.errors import BrokenRow, BrokenRowsError, DataError, MissingExtraError
from snellen.imports import inspect_file
from snellen.imports.answer import Answer
from snellen.imports.fields import Given
from snellen.imports.inspect_log import read_inspect_log
from snellen.imports.storing import stored_answers
from snellen.items import LETTERS, Benchmark
from snellen.models.base import Usage
from snellen.prompts import PROVIDER_DEFAULTS, Settings
from snellen.reading import grade
from snellen.scoring.results import score
from snellen.store import Store
from snellen.study import bring
from strategies import WORDS, picture

# --- A log that Inspect AI wrote -------------------------------------------------------------------------------------

NAMES = ("choices.eval", "choices.json", "blindfolded.eval", "shuffled_dataset.eval", "shuffled_by_solver.eval")


@pytest.fixture(scope="module")
def logged(inspect_logs):
    """The folder of the logs that Inspect wrote, and what it reads in each itself."""
    folder = inspect_logs / "tasks"
    return folder, json.loads((folder / "read.json").read_text())


def outcomes(answers):
    """What became of each reply."""
    return [grade(one.response.text, one.response.finish, one.item).outcome.value for one in answers if one.response]


@pytest.mark.parametrize("name", [*NAMES, "open.eval", "broken.eval"])
def test_every_sample_is_read_as_inspect_reads_it(logged, name):
    """Id, epoch, question, images, reply, tokens, time and model are those that Inspect finds in its own log."""
    folder, read = logged
    answers = {(one.item.id, one.replicate): one for one in read_inspect_log(folder / name)}
    assert answers.keys() == {(fact["id"], fact["epoch"]) for fact in read[name]}
    for fact in read[name]:
        answer = answers[fact["id"], fact["epoch"]]
        assert (answer.benchmark, answer.model) == ("phantoms", "openai/grounded")
        assert answer.item.question == fact["question"]
        assert [answer.system] == (fact["system"] or [""])
        if fact["error"]:
            continue
        output = fact["output"]
        assert [hashlib.sha256(image.source).hexdigest() for image in answer.item.images] == fact["images"]
        assert (answer.text, answer.response.text) == (fact["sent"], fact["said"])
        assert answer.response.usage == Usage(output["usage"]["input_tokens"], output["usage"]["output_tokens"])
        assert (answer.response.latency, answer.response.served_by) == (output["time"], "grounded")


def test_images_are_those_that_were_drawn(logged):
    """The bytes of every picture went through Inspect, the wire, the log and the import unchanged."""
    drawn = {item.id: item.images[0].encoded().data for item in load(items=8, leak=0, seed=2)}
    answers = list(read_inspect_log(logged[0] / "choices.eval"))
    assert [(one.item.id, one.item.images[0].source) for one in answers] == [*drawn.items()] * 2


def test_both_formats_say_the_same(logged):
    """The .eval and the .json log of one task hold the same questions in the same order."""
    packed, plain = (list(read_inspect_log(logged[0] / f"choices.{ending}")) for ending in ("eval", "json"))
    assert [one.item for one in packed] == [one.item for one in plain]
    assert [one.replicate for one in packed] == [1] * 8 + [2] * 8


def test_settings_and_metadata_come_along(logged):
    """What the task was configured with, and what the dataset knew of each question."""
    drawn = {item.id: item for item in load(items=8, leak=0, seed=2)}
    for answer in read_inspect_log(logged[0] / "choices.json"):
        assert answer.settings == Settings(temperature=0, max_tokens=300)
        item = drawn[answer.item.id]
        assert (answer.item.category, answer.item.cluster) == (item.category, item.cluster)
        assert answer.item.metadata == {"finding": item.metadata["finding"]}


@pytest.mark.parametrize("name", ["choices.eval", "choices.json", "shuffled_dataset.eval", "shuffled_by_solver.eval"])
def test_the_organism_comes_out_grounded(logged, name):
    """With its image it is right, in whatever order the choices stood."""
    found = outcomes(read_inspect_log(logged[0] / name))
    assert found == ["correct"] * (16 if name.startswith("choices") else 8)


def test_without_its_image_it_abstains(logged):
    """The arm comes from the task's metadata; the organism says that it sees nothing."""
    answers = list(read_inspect_log(logged[0] / "blindfolded.eval"))
    assert {one.arm for one in answers} == {"image-removed"}
    assert all(one.item.images == () for one in answers)
    assert outcomes(answers) == ["abstained"] * 8


def test_a_solver_that_shuffles_is_seen_through(logged):
    """The order shown and the reply given are those of the call, not those that the solver wrote into the sample."""
    folder, read = logged
    answers = {one.item.id: one for one in read_inspect_log(folder / "shuffled_by_solver.eval")}
    moved = 0
    for fact in read["shuffled_by_solver.eval"]:
        answer = answers[fact["id"]]
        assert fact["completion"] == f"ANSWER: {fact['target']}"
        assert answer.response.text != fact["completion"]
        shown = [option.text for option in answer.item.options]
        assert sorted(shown) == sorted(fact["choices"])
        assert "\n".join(f"{LETTERS[at]}) {text}" for at, text in enumerate(shown)) in answer.text
        assert shown[answer.item.answer] == fact["choices"][LETTERS.index(fact["target"])]
        moved += answer.item.letter != fact["target"]
    assert moved >= 4


def test_open_questions_and_cut_off_replies(logged):
    """Without choices the target is the reference; a reply that hit the limit says so."""
    answers = list(read_inspect_log(logged[0] / "open.eval"))
    assert {one.item.kind for one in answers} == {"open"}
    assert {one.response.finish for one in answers} >= {"length"}
    right = {item.id: item.options[item.answer].text for item in load(items=8, leak=0, seed=2)}
    assert {one.item.id: one.item.answer for one in answers} == right


def test_options_that_only_the_prompt_prints(logged, tmp_path):
    """A generate() task: the benchmark tells the options, the prompt their order; without it the prompt tells both."""
    known = load(items=8, leak=0, seed=2)
    bring([logged[0] / "printed.eval"], tmp_path / "held", format="inspect", benchmarks=[known], arm="options-shuffled")
    bring([logged[0] / "printed.eval"], tmp_path / "told", format="inspect")
    for folder, arm in (("held", "options-shuffled"), ("told", "original")):
        with Store.open(tmp_path / folder) as store:
            answers = list(stored_answers(store))
        assert {one.item.id: [option.text for option in one.item.options] for one in answers} == {
            item.id: [option.text for option in reversed(item.options)] for item in known
        }
        assert {one.arm for one in answers} == {arm}
        assert outcomes(answers) == ["correct"] * 8
        assert all(one.item.images for one in answers)
    other = Benchmark("phantoms", tuple(replace(item, question="Which side?") for item in known))
    with pytest.raises(BrokenRowsError, match="but the prompt asks"):
        bring([logged[0] / "printed.eval"], tmp_path / "other", format="inspect", benchmarks=[other])


def test_a_call_that_failed_is_an_answer_without_a_response(logged):
    """The server refused one image: that sample has its error and no reply, the others are whole."""
    answers = list(read_inspect_log(logged[0] / "broken.eval"))
    [failed] = [one for one in answers if one.response is None]
    assert failed.error.startswith("… ")
    assert "not a readable image (3 bytes)" in failed.error
    assert "sample 'phantoms/2/mri-000000', epoch 1" in failed.where
    assert failed.item.images == ()
    assert len(failed.item.metadata["images_missing"]) == 1
    assert len(answers) == 8


def test_an_unfinished_log_gives_what_is_there(logged, tmp_path):
    """A run that was killed has no header yet: its start says what was asked of whom."""
    with ZipFile(logged[0] / "choices.eval") as whole, ZipFile(tmp_path / "cut.eval", "w") as cut:
        names = [name for name in whole.namelist() if name.startswith("samples/")][:3]
        for name in ("_journal/start.json", *names):
            cut.writestr(name, inspect_file._bytes(whole, whole.getinfo(name)))
    answers = list(read_inspect_log(tmp_path / "cut.eval"))
    assert len(answers) == 3
    assert outcomes(answers) == ["correct"] * 3


# --- Hand-made logs --------------------------------------------------------------------------------------------------


def test_logs_become_a_study(logged, tmp_path):
    """Two tasks on one dataset are two arms of one benchmark: imported, scored, with the images that were sent."""
    for name in ("choices.eval", "blindfolded.eval"):
        bring([logged[0] / name], tmp_path, format="inspect")
    with Store.open(tmp_path) as store:
        results = score(store)
    found = {finding.test.name: finding for finding in results.findings}
    assert found["image-needed"].measure("original", "accuracy").estimate.value == 1
    assert found["image-needed"].measure("image-removed", "abstention_rate").estimate.value == 1
    assert results.tables["openai/grounded", "phantoms"].arms["original"].epochs == 2
    with Store.open(tmp_path) as store:
        sent = {answer.item.id: answer.item.images for answer in stored_answers(store) if answer.arm == "original"}
    drawn = {item.id: item.images[0].encoded().sha256 for item in load(items=8, leak=0, seed=2)}
    assert {item_id: image.encoded().sha256 for item_id, [image] in sent.items()} == drawn


def test_logs_under_the_wrong_arm_are_refused(logged, tmp_path):
    """What Inspect logged shows what was sent, whatever the arm is called."""
    with pytest.raises(
        DataError, match="16 of 16 requests under the condition 'image-removed' were sent with an image"
    ):
        bring([logged[0] / "choices.eval"], tmp_path / "a", format="inspect", arm="image-removed")
    bring([logged[0] / "choices.eval"], tmp_path / "b", format="inspect", arm="image-blank")
    with pytest.raises(DataError, match="8 of 8 requests under the condition 'original' were sent without the image"):
        bring([logged[0] / "blindfolded.eval"], tmp_path / "b", format="inspect", arm="original")


def uri(image):
    return f"data:image/png;base64,{b64encode(image.source).decode()}"


def user(*parts):
    """A user's message: texts, and images as records."""
    return {"role": "user", "content": [{"type": "text", "text": p} if isinstance(p, str) else p for p in parts]}


def output(content, *, stop="stop", **fields):
    message = {"role": "assistant", "content": content}
    return {"model": "m-1", "choices": [{"message": message, "stop_reason": stop}], **fields}


def sample(**fields):
    """A sample with two choices, the second right and chosen."""
    plain = {
        "id": "q1",
        "epoch": 1,
        "input": "Which side?",
        "choices": ["left", "right"],
        "target": "B",
        "messages": [user("Which side?\n\nA) left\nB) right"), {"role": "assistant", "content": "ANSWER: B"}],
        "output": output("ANSWER: B"),
        "metadata": {},
    }
    return {**plain, **fields}


def log(*samples, plan=None, status="success", **spec):
    about = {"task": "pkg/sides", "model": "openai/m", **spec}
    return {"version": 2, "status": status, "eval": about, "plan": plan or {}, "samples": list(samples)}


def as_json(folder, document):
    path = folder / "log.json"
    path.write_text(json.dumps(document))
    return path


def as_eval(folder, document, *, compression=ZIP_DEFLATED):
    """The same log as a zip, as older versions of Inspect pack it."""
    path = folder / "log.eval"
    with ZipFile(path, "w", compression) as archive:
        archive.writestr("_journal/start.json", json.dumps({name: document[name] for name in ("eval", "plan")}))
        for each in document["samples"]:
            archive.writestr(f"samples/{each['id']}_epoch_{each['epoch']}.json", json.dumps(each))
        archive.writestr("header.json", json.dumps({**document, "samples": None}))
    return path


def read_one(folder, document, **options):
    [answer] = read_inspect_log(as_json(folder, document), Given(**options))
    return answer


def refusal(folder, document):
    """Why the one sample of a log cannot be used."""
    [row] = read_inspect_log(as_json(folder, document))
    assert isinstance(row, BrokenRow)
    return row.reason


def test_a_plain_question(tmp_path):
    """A string is a question, a letter is the right option, the package's name is left out of the benchmark's."""
    answer = read_one(tmp_path, log(sample()))
    assert (answer.benchmark, answer.model, answer.arm, answer.replicate) == ("sides", "openai/m", "original", 1)
    assert [option.text for option in answer.item.options] == ["left", "right"]
    assert (answer.item.question, answer.item.letter, answer.response.text) == ("Which side?", "B", "ANSWER: B")
    assert (answer.settings, answer.error) == (PROVIDER_DEFAULTS, "")


@pytest.mark.parametrize("compression", [ZIP_STORED, ZIP_DEFLATED])
def test_older_zips_are_read(tmp_path, compression):
    """Deflated and stored logs say the same as the JSON does; ids may hold slashes."""
    document = log(*(sample(id=f"a/q{at}", epoch=epoch) for epoch in (2, 1) for at in range(3)))
    packed = list(read_inspect_log(as_eval(tmp_path, document, compression=compression)))
    plain = list(read_inspect_log(as_json(tmp_path, document)))
    assert [(one.item, one.replicate, one.response) for one in packed] == [
        (one.item, one.replicate, one.response) for one in plain
    ]
    assert [one.replicate for one in packed] == [1, 1, 1, 2, 2, 2]


def test_items_come_in_the_datasets_order(tmp_path):
    """Not in the order in which they were answered."""
    document = log(sample(id="b"), sample(id=10), sample(id="a"), dataset={"sample_ids": ["b", "a", 10]})
    for write in (as_json, as_eval):
        assert [one.item.id for one in read_inspect_log(write(tmp_path, document))] == ["b", "a", "10"]


def test_attachments_are_put_back(tmp_path):
    """Images and long texts stand under `attachments`, in the oldest logs in the transcript."""
    image, words = picture(7), "Which side? " * 20
    parts = [{"type": "image", "image": "attachment://aa"}, {"type": "text", "text": "attachment://bb"}]
    message = {"role": "user", "content": parts}
    kept = {"aa": uri(image), "bb": words}
    answer = read_one(tmp_path, log(sample(input=[message], messages=[message], attachments=kept)))
    assert (answer.item.question, answer.item.images, answer.text) == (words, (image,), words)
    older = json.loads(json.dumps(sample(input=[message], messages=[message])).replace("attachment://", "tc://"))
    answer = read_one(tmp_path, log({**older, "transcript": {"events": [], "content": kept}}))
    assert (answer.item.question, answer.item.images) == (words, (image,))


def test_images_that_cannot_be_had_are_noted_and_never_fetched(tmp_path):
    """Web addresses, files that are gone and bytes that were not logged leave a note; a file that is there is read."""
    there = tmp_path / "there.png"
    there.write_bytes(picture(3).source)
    named = ["https://127.0.0.1:1/x.png", "gone.png", "<base64-data-removed>", "there.png", str(there)]
    message = user(*({"type": "image", "image": name} for name in named), "Which side?")
    item = read_one(tmp_path, log(sample(input=[message], messages=[message]))).item
    assert [image.source for image in item.images] == [there, there]
    notes = item.metadata["images_missing"]
    assert [word in note for word, note in zip(("web address", "gone.png", "not contain it"), notes, strict=True)] == [
        True
    ] * 3


def test_a_log_cannot_reach_for_files_elsewhere(tmp_path):
    """A picture outside the log's folder stays where it is, however it is named."""
    inside = tmp_path / "logs"
    inside.mkdir()
    (tmp_path / "secret.png").write_bytes(picture(3).source)
    named = ["../secret.png", str(tmp_path / "secret.png"), f"file://{tmp_path / 'secret.png'}"]
    message = user(*({"type": "image", "image": name} for name in named), "Which side?")
    item = read_one(inside, log(sample(input=[message], messages=[message]))).item
    assert item.images == ()
    assert ["lies outside the folder" in note for note in item.metadata["images_missing"]] == [True] * 3


def test_images_are_those_that_were_sent(tmp_path):
    """A solver that takes the image away leaves it in the sample's input; the call had none."""
    given = user({"type": "image", "image": uri(picture())}, "Which side?")
    answer = read_one(tmp_path, log(sample(input=[given], messages=[user("Which side?")])))
    assert answer.item.images == ()


def test_numbers_that_are_none(tmp_path):
    """Inspect writes NaN and Infinity into its logs; they are read, and count as unknown."""
    odd = sample(output=output("ANSWER: B", time=float("nan")), metadata={"weight": float("inf")})
    document = log(odd, plan={"config": {"temperature": float("nan"), "top_p": 0.5}})
    for write in (as_json, as_eval):
        [answer] = read_inspect_log(write(tmp_path, document))
        assert (answer.response.latency, answer.settings) == (0.0, Settings(top_p=0.5))


def test_reasoning_refusals_and_reasons_to_stop(tmp_path):
    """Parts of a reply go where they belong."""
    thought = output([{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "B"}], stop="max_tokens")
    response = read_one(tmp_path, log(sample(output=thought))).response
    assert (response.text, response.reasoning, response.finish) == ("B", "hm", "length")
    refused = output([{"type": "text", "text": "No.", "refusal": True}])
    response = read_one(tmp_path, log(sample(output=refused))).response
    assert (response.text, response.finish) == ("No.", "refusal")
    filtered = output("Filtered.", stop="content_filter", error="policy")
    assert read_one(tmp_path, log(sample(output=filtered))).response.finish == "content_filter"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"error": {"message": "boom"}}, "boom"),
        ({"output": {"choices": []}}, "the log holds no response"),
        ({"output": {}, "limit": {"type": "token", "limit": 5}}, "ended by its token limit"),
        ({"output": output("", error="overloaded")}, "overloaded"),
        ({"invalidation": {"reason": "wrong image"}}, "invalidated in Inspect: wrong image"),
    ],
)
def test_a_failed_call_is_not_a_wrong_answer(tmp_path, fields, words):
    """No response, and the reason in words."""
    answer = read_one(tmp_path, log(sample(**fields), status="error"))
    assert answer.response is None
    assert words in answer.error


def test_the_arm_by_precedence(tmp_path):
    """Given; else the sample's; else the task's argument; else the log's metadata; else the original."""
    assert read_one(tmp_path, log(sample(), metadata={"arm": "a"})).arm == "a"
    assert read_one(tmp_path, log(sample(), metadata={"arm": "a"}, task_args={"arm": "b"})).arm == "b"
    named = read_one(tmp_path, log(sample(metadata={"arm": "c"}), task_args={"arm": "b"}))
    assert (named.arm, dict(named.item.metadata)) == ("c", {})
    assert read_one(tmp_path, log(sample(metadata={"arm": "c"})), arm="image-removed").arm == "image-removed"
    with pytest.raises(DataError, match="expected a plain name such as 'original'"):
        read_one(tmp_path, log(sample()), arm="a:b")


def test_a_letter_is_a_letter_even_where_an_option_reads_the_same(tmp_path):
    """Blood groups: the target A is the first choice, not the choice that reads A."""
    item = read_one(tmp_path, log(sample(choices=["B", "A"], target="A", messages=[]))).item
    assert item.answer == 0
    assert read_one(tmp_path, log(sample(target="right"))).item.answer == 1


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"target": ["A", "B"]}, "2 right answers"),
        ({"target": "E"}, "none of its options"),
        ({"target": None}, "its target is None"),
        ({"input": []}, "its question is empty"),
        ({"id": None}, "its id is None"),
        ({"choices": None, "target": ""}, "reference answer is empty"),
        ({"metadata": {"arm": ["x"]}}, "its condition is ['x']"),
        ({"metadata": {"category": {}}}, "its category is {}"),
        ({"choices": ["left", "right", "both"], "messages": [user("A) right\nB) both\nC) neither")]}, "cannot be read"),
    ],
)
def test_a_sample_that_cannot_be_used_is_named(tmp_path, fields, reason):
    """Its place and its reason are kept, and nothing is guessed."""
    assert reason in refusal(tmp_path, log(sample(**fields)))


def test_a_broken_sample_leaves_the_others(tmp_path):
    """It comes in its place, named with its file, id and epoch."""
    found = list(read_inspect_log(as_json(tmp_path, log(sample(id="x", target="E"), sample(), "nothing"))))
    assert [type(one) for one in found] == [Answer, BrokenRow, BrokenRow]
    assert [row.item_id for row in found[1:]] == ["x", "None"]
    assert found[1].where == "log.json, sample 'x', epoch 1"
    assert found[2].reason == "expected an object, got str"


# --- What the log says against its label ------------------------------------------------------------------------------


def pictured(item_id, *, sent, has=True, **fields):
    """A sample whose question has an image, or none, and whose call was sent it, or not."""
    image = {"type": "image", "image": uri(picture())}
    given, asked = user(*([image] if has else []), "Which side?"), user(*([image] if sent else []), "Which side?")
    return sample(id=item_id, input=[given], messages=[asked], **fields)


def brought(folder, *samples, arm):
    """Import a log under an arm."""
    return bring([as_json(folder, log(*samples))], folder / "out", format="inspect", arm=arm)


def test_a_log_that_contradicts_its_arm_is_refused(tmp_path):
    """Images under `image-removed`, kept in the log or not, and none under `original`; failed calls do not count."""
    unkept = sample(id="u", messages=[user({"type": "image", "image": "<base64-data-removed>"}, "Which side?")])
    blind = pictured("q2", sent=False)
    failed = pictured("q3", sent=True, error={"message": "boom"})
    with pytest.raises(DataError, match=r"2 of 3 requests under the condition 'image-removed' were sent with an image"):
        brought(tmp_path, pictured("q1", sent=True), blind, failed, unkept, arm="image-removed")
    with pytest.raises(
        DataError, match=r"1 of 2 requests under the condition 'original' .*'q2' \(log.json, sample 'q2', epoch 1\)"
    ):
        brought(tmp_path, pictured("q1", sent=True), blind, arm=None)


def test_a_log_that_bears_its_arm_out_is_imported(tmp_path):
    """With the images, without them, and where no question has any or nobody knows what was sent."""
    text = pictured("q4", sent=False, has=False)
    unknown = {**pictured("q5", sent=False), "messages": []}
    assert brought(tmp_path, pictured("q1", sent=True), text, unknown, arm="original").new == 3
    assert brought(tmp_path, pictured("q1", sent=False), text, arm="image-removed").new == 2


def test_how_a_reply_ended_is_what_the_log_says(tmp_path):
    """Inspect's `unknown`, and nothing at all, are not known; other words stay."""
    ends = {"stop": "stop", "max_tokens": "length", "tool_calls": "tool_calls", "unknown": "", None: ""}
    for word, finish in ends.items():
        assert read_one(tmp_path, log(sample(output=output("B", stop=word)))).response.finish == finish


def test_options_that_a_question_prints_are_shown_once(tmp_path):
    """They are taken out if they are as the model saw them; if a shuffle contradicts them, the sample is broken."""
    asked = sample(input=USUAL)
    assert read_one(tmp_path, log(asked)).item.question == "Which side?"
    moved = [user(f"{USUAL}\n\nA) right\nB) left")]
    assert "prints the options in another order" in refusal(tmp_path, log({**asked, "messages": moved}))


# --- The order of the choices ----------------------------------------------------------------------------------------

SHUFFLING = {"steps": [{"solver": "chain", "params": {"solvers": [{"params": {"shuffle": True}}]}}]}


@given(
    texts=st.lists(WORDS.map(str.strip), min_size=2, max_size=6, unique_by=str.casefold),
    style=st.sampled_from(["{}) {}", "{}. {}", "({}) {}", "**{}**: {}", "- {}: {}"]),
    data=st.data(),
)
def test_choices_are_taken_in_the_order_shown(tmp_path_factory, texts, style, data):
    """However a prompt letters them, the options stand as the model saw them and the right one stays right."""
    order = data.draw(st.permutations(range(len(texts))))
    right = data.draw(st.integers(0, len(texts) - 1))
    lines = "\n".join(style.format(LETTERS[place], texts[at]) for place, at in enumerate(order))
    asked = sample(choices=texts, target=LETTERS[right], messages=[user(f"Which one?\n{lines}\nAnswer by letter.")])
    item = read_one(tmp_path_factory.getbasetemp(), log(asked)).item
    assert [option.text for option in item.options] == [texts[at] for at in order]
    assert item.options[item.answer].text == texts[right]


def test_the_last_list_counts(tmp_path):
    """An example in the prompt may letter the same choices in another order, and a line may begin as a choice does."""
    shown = user("Example:\nA) left\nB) right\nAnswer: A\n\nNow:\nA) right\nB) left\n\nB) right-handed people may err")
    item = read_one(tmp_path, log(sample(messages=[shown]))).item
    assert ([option.text for option in item.options], item.letter) == (["right", "left"], "A")


def shuffled(shown, reply, *, own="ANSWER: B", call=None):
    """A sample after a shuffling solver: its own record, and the event of the call."""
    said = output(reply, time=0.25)
    event = {"event": "model", "input": [user(shown)], "output": said, "call": call}
    return sample(output=output(own, time=0.25), events=[{"event": "info"}, event])


MOVED, USUAL = "Which side?\nA) right\nB) left", "Which side?\nA) left\nB) right"


def test_a_shuffled_sample_is_read_from_its_call(tmp_path):
    """The sample says B in the dataset's order; the model was shown another order and said A."""
    answer = read_one(tmp_path, log(shuffled(MOVED, "Answer: A"), plan=SHUFFLING))
    assert ([option.text for option in answer.item.options], answer.response.text) == (["right", "left"], "Answer: A")
    assert outcomes([answer]) == ["correct"]


@pytest.mark.parametrize(
    "asked",
    [
        sample(),
        shuffled(USUAL, "Answer: B"),
        shuffled(MOVED, "ANSWER: B"),
        shuffled("Which side?", "Answer: A", call={"request": "Which side?", "response": "Answer: A"}),
        shuffled(USUAL, "Answer: B", call={"request": {"messages": [user(MOVED)]}, "response": "Answer: B"}),
        shuffled(USUAL, "Answer: B", call={"request": {"messages": [user(USUAL)]}, "response": "Answer: A"}),
    ],
    ids=["no event", "the usual order", "a rewritten reply", "no letters", "another call", "another reply"],
)
def test_a_shuffled_sample_is_refused_where_the_order_is_not_certain(tmp_path, asked):
    """Without shuffling the same sample is read; with it, words that may have been rewritten are not believed."""
    assert read_one(tmp_path, log(asked)).response is not None
    assert "does not say in which order" in refusal(tmp_path, log(asked, plan=SHUFFLING))


def test_the_wire_proves_the_usual_order(tmp_path):
    """A shuffle may leave everything in place; the call that was logged shows it, also where it stands in a pool."""
    call = {"request": {"messages": [user(USUAL)]}, "response": {"text": "Answer: B"}}
    assert read_one(tmp_path, log(shuffled(USUAL, "Answer: B", call=call), plan=SHUFFLING)).item.letter == "B"
    pooled = shuffled(USUAL, "Answer: B", call={"response": ["Answer: B"], "call_refs": [[1, 2]]})
    pooled["events_data"] = {"messages": [user("x"), user(USUAL)], "calls": [user("x"), user(USUAL)]}
    pooled["events"][1].update(input=[], input_refs=[[1, 2]])
    assert read_one(tmp_path, log(pooled, plan=SHUFFLING)).text == USUAL


def test_a_shuffled_sample_that_failed_is_a_failure(tmp_path):
    """It has no reply to misread."""
    assert read_one(tmp_path, log(sample(error={"message": "boom"}, output={}), plan=SHUFFLING)).error == "boom"


# --- Files that are not what they should be --------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["eval", "json"])
def test_a_truncated_file_is_refused(tmp_path, ending):
    """Half a log names itself and says what to do."""
    path = {"eval": as_eval, "json": as_json}[ending](tmp_path, log(sample()))
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(DataError, match=rf"^log\.{ending} (cannot be read|is not a complete) "):
        list(read_inspect_log(path))


@pytest.mark.parametrize("content", [b"", b"[1]", b"{}", b"\x00\xff", b"PK", b'{"a": "\xff"}', b"[" * 100_000])
def test_a_file_that_is_no_log_is_refused(tmp_path, content):
    """Whatever it holds."""
    path = tmp_path / "log.eval"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"log\.eval"):
        list(read_inspect_log(path))


def test_a_log_that_is_not_there_is_refused(tmp_path):
    """With the name of the file."""
    with pytest.raises(DataError, match=r"gone\.eval cannot be read"):
        list(read_inspect_log(tmp_path / "gone.eval"))


def test_a_log_without_samples_is_refused(tmp_path):
    """A run that was killed at once left nothing to import, and that is said."""
    with pytest.raises(DataError, match=r"holds no samples .*'started'"):
        list(read_inspect_log(as_json(tmp_path, log(status="started"))))


def test_zips_of_another_kind_are_refused(tmp_path):
    """A zip without a header, and Inspect's chunked layout."""
    for member, message in (("notes.txt", "neither header.json"), ("samples/q1_epoch_1/sample.json", "chunked layout")):
        with ZipFile(tmp_path / "log.eval", "w") as archive:
            archive.writestr(member, "{}")
        with pytest.raises(DataError, match=message):
            list(read_inspect_log(tmp_path / "log.eval"))


def zstandard_zip(path, frames, *, stated=None, crc=None):
    """A log whose one sample is packed in Zstandard frames, its size and checksum as stated in the directory."""
    import zlib

    import zstandard

    data = b"".join(frames)
    packed = b"".join(zstandard.ZstdCompressor().compress(frame) for frame in frames)
    with ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps(log()))
        archive.writestr("samples/q1_epoch_1.json", packed)
    raw = bytearray(path.read_bytes())
    at = raw.rindex(b"PK\x01\x02")
    raw[at + 10 : at + 12] = (93).to_bytes(2, "little")
    raw[at + 16 : at + 20] = (zlib.crc32(data) if crc is None else crc).to_bytes(4, "little")
    raw[at + 24 : at + 28] = (len(data) if stated is None else stated).to_bytes(4, "little")
    path.write_bytes(raw)
    return path


def test_zstandard_in_several_frames(tmp_path):
    """Inspect packs a very large sample in more than one frame."""
    whole = json.dumps(sample()).encode()
    path = zstandard_zip(tmp_path / "log.eval", [whole[:50], whole[50:]])
    assert [one.item.id for one in read_inspect_log(path)] == ["q1"]


@pytest.mark.parametrize("lie", [{"stated": 20}, {"stated": 10_000}, {"crc": 1}])
def test_a_sample_that_is_not_as_stated_is_refused(tmp_path, lie):
    """A member that holds more, less or other than it says is named and left out."""
    [row] = read_inspect_log(zstandard_zip(tmp_path / "log.eval", [json.dumps(sample()).encode()], **lie))
    assert row.item_id == "q1"
    assert row.reason.startswith("it is damaged")


def test_a_log_whose_packing_needs_a_package_says_which(tmp_path, monkeypatch):
    """With the line that installs it, instead of samples that all are left out."""
    path = zstandard_zip(tmp_path / "log.eval", [b"{}"])
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'snellen\[inspect-logs\]'"):
        list(read_inspect_log(path))


def test_a_damaged_sample_leaves_the_others(tmp_path):
    """One broken member of a zip is named; the rest is read."""
    path = as_eval(tmp_path, log(sample(id="q1"), sample(id="q2")), compression=ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(b'"Which side?"', b'"Which tide?"', 1))
    damaged, whole = read_inspect_log(path)
    assert "damaged" in damaged.reason
    assert whole.item.id == "q2"


def test_what_is_too_large_is_refused(tmp_path, monkeypatch):
    """A JSON log is not read beyond its limit."""
    monkeypatch.setattr(inspect_file, "LARGEST_JSON", 100)
    with pytest.raises(DataError, match=r"at most 100 are read of a \.json log"):
        list(read_inspect_log(as_json(tmp_path, log(sample()))))


def test_a_folder_of_logs_is_read_whole(tmp_path):
    """Every .eval and .json below it; a JSON file of another kind is left out, and that is said."""
    (tmp_path / "logs" / "deep").mkdir(parents=True)
    as_eval(tmp_path / "logs", log(sample(id="q1")))
    as_json(tmp_path / "logs" / "deep", log(sample(id="q2"), model="openai/other"))
    (tmp_path / "logs" / "read.json").write_text('{"a": 1}')
    brought = bring([tmp_path / "logs"], tmp_path / "out", format="inspect")
    assert set(brought.replies) == {("openai/m", "sides", "original"), ("openai/other", "sides", "original")}
    assert brought.notes == ("Left out, because not a log of Inspect AI: read.json.",)
