"""Logs of lmms-eval, lm-eval, VLMEvalKit, promptfoo and HELM, in files of exactly the shape that the tools write.

The shapes of lmms-eval 0.7.3 and lm-eval 0.4.13 are those that the tools wrote when they asked `snellen serve`; the
others are as their sources and documentation have them.
"""

import json
import re
from base64 import b64encode

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.cli.import_ import show_imported
from snellen.errors import BrokenRowsError, DataError, StudyError
from snellen.imports.asked import marks_in
from snellen.imports.fields import fields_from
from snellen.imports.importing import sources
from snellen.imports.storing import stored_answers
from snellen.items import Benchmark, Item, Option
from snellen.models.base import ZERO_SHOT
from snellen.prompts import Settings
from snellen.scoring.results import score
from snellen.store import Store
from snellen.stress.table import OUTCOMES
from snellen.study import bring, publish
from strategies import picture

SIDES = ["left", "right", "both"]
ASKED = "Which side?\nA. left\nB. right\nC. both\nAnswer with a letter."


def answers(folder):
    """What an import stored."""
    with Store.open(folder) as store:
        return list(stored_answers(store))


def outcomes(folder, model="m", benchmark="task", arm="original"):
    """What became of every response, and of the calls that failed."""
    with Store.open(folder) as store:
        grades = score(store).tables[model, benchmark].arms[arm]
    return [OUTCOMES[code].value for code in grades.outcome], grades.failed


def lines(path, *records):
    path.write_text("\n".join(json.dumps(record) for record in records))
    return path


# --- lmms-eval


def lmms(doc_id=0, said="The answer is B.", **fields):
    """A line of a samples file."""
    counted = [{"input_tokens": 426, "output_tokens": 15, "reasoning_tokens": 0}]
    return {
        "doc_id": doc_id, "target": "B", "filtered_resps": said, "token_counts": counted, "doc_hash": "7423",
        "acc": 1.0, "input": ASKED, **fields,
    }  # fmt: skip


def lmms_file(folder, *records, model="m", date="20261117_152000", task="task"):
    results = {
        "results": {task: {"acc,none": 1.0}},
        "configs": {task: {"generation_kwargs": {"max_new_tokens": 64, "temperature": 0.0, "until": ["\n\n"]}}},
        "config": {"model": "openai_compatible", "model_args": f"model_version={model}", "gen_kwargs": ""},
        "date": date, "model_source": "openai_compatible", "model_name": model, "system_instruction": None,
    }  # fmt: skip
    folder.mkdir(exist_ok=True)
    (folder / f"{date}_results.json").write_text(json.dumps(results))
    return lines(folder / f"{date}_samples_{task}.jsonl", *records)


def test_lmms_eval_keeps_words_settings_and_tokens_and_knows_no_image(tmp_path):
    """Options come from the prompt's list, several runs are several replicates, and a failed call is no answer."""
    file = lmms_file(
        tmp_path / "m",
        lmms(),
        lmms(1, ["Answer: A", "Answer: B"]),
        lmms(2, "[LMMS_EVAL_REQUEST_FAILED after 1 retries] Error code: 404"),
        lmms(3, "I'm sorry, but I can't assist with that."),
        lmms(4, "Hmm."),
        lmms(5, "thought", resps=[["<think>B</think>Answer: C"]]),
    )
    brought = bring([tmp_path / "m"], tmp_path / "out", format="lmms-eval")
    stored = answers(tmp_path / "out")
    first = stored[0]
    assert [option.text for option in first.item.options] == SIDES
    assert (first.item.question, first.item.letter) == ("Which side?\nAnswer with a letter.", "B")
    assert (first.text, first.settings) == (ASKED, Settings(temperature=0, max_tokens=64))
    found, failed = outcomes(tmp_path / "out")
    assert found == ["correct", "wrong", "correct", "refused", "unparsed", "wrong"]
    assert [*failed.values()] == [1]
    [source] = sources([file], format="lmms-eval")
    assert {(one.image_sent, one.has_image) for one in source.read(lambda sentence: None)} == {(None, False)}
    assert next(iter(source.read(lambda sentence: None))).response.usage[:2] == (426, 15)
    assert any("6 questions have no options in the file" in note for note in brought.notes)


def test_a_response_that_never_left_its_thinking_is_truncated_where_no_file_says_how_it_ended(tmp_path):
    """What a model considers on the way is not its answer."""
    file = lmms_file(tmp_path / "m", lmms(0), lmms(1, "<think>The film is dark on the right, so B may be"))
    bring([file], tmp_path / "out", format="lmms-eval")
    assert outcomes(tmp_path / "out")[0] == ["correct", "truncated"]


def benchmark(*questions, image=True):
    """Questions with three options, the second right, and a picture each."""
    return Benchmark(
        "sides",
        tuple(
            Item(f"sides/{at}", question, tuple(map(Option, SIDES)), 1, (picture(at),) if image else ())
            for at, question in enumerate(questions)
        ),
    )


def test_a_benchmark_gives_images_and_key_and_the_prompt_the_order(tmp_path):
    """By id or by place, if it asks the same; another question, other options or another key are refused."""
    known = benchmark("Which side?", "Which lung?")
    turned = "Which lung?\nA. both\nB. right\nC. left"
    file = lmms_file(tmp_path / "m", lmms(), lmms(1, input=turned, target="right"))
    bring([file], tmp_path / "out", format="lmms-eval", benchmarks=[known])
    first, second = (one.item for one in answers(tmp_path / "out"))
    assert (first.id, len(first.images), second.id) == ("sides/0", 1, "sides/1")
    assert ([option.text for option in second.options], second.letter) == (["both", "right", "left"], "B")
    for fields, reason in (
        ({"input": ASKED.replace("side", "arm")}, "but the prompt asks"),
        ({"input": ASKED.replace("both", "neither")}, "does not list the benchmark's options"),
        ({"target": "A"}, "its answer is A in this file but B in the benchmark"),
        ({"doc_id": 7}, "has no item '7'"),
    ):
        wrong = lmms_file(tmp_path / "wrong", lmms(**fields))
        with pytest.raises(BrokenRowsError, match=reason):
            bring([wrong], tmp_path / "no", format="lmms-eval", benchmarks=[known])


def test_an_image_that_lmms_eval_should_have_removed_is_not_made_up(tmp_path):
    """Two runs are two conditions of one benchmark; under `image-removed` no image is shown as sent."""
    known = benchmark("Which side?")
    for name, arm in (("with", None), ("without", "image-removed")):
        file = lmms_file(tmp_path / name, lmms())
        bring([file], tmp_path / "out", format="lmms-eval", benchmarks=[known], arm=arm)
    assert {one.arm: len(one.item.images) for one in answers(tmp_path / "out")} == {"original": 1, "image-removed": 0}


def test_several_models_in_a_folder_and_a_file_without_its_results(tmp_path):
    """Each file has the model of the results beside it; without any, the model must be said."""
    for at, model in enumerate(("a/one", "b/two")):
        lmms_file(tmp_path / "logs", lmms(), model=model, date=f"2026111{at}_152000")
    brought = bring([tmp_path / "logs"], tmp_path / "out", format="lmms-eval")
    assert {model for model, _, _ in brought.replies} == {"a/one", "b/two"}
    alone = lines(tmp_path / "20261117_152000_samples_task.jsonl", lmms())
    with pytest.raises(DataError, match=r"20261117_152000_results\.json.*--model NAME"):
        bring([alone], tmp_path / "no", format="lmms-eval")
    assert set(bring([alone], tmp_path / "said", format="lmms-eval", model="m").replies) == {("m", "task", "original")}


def test_the_same_question_answered_twice_otherwise_is_refused(tmp_path):
    """lmms-eval adds to a file that is there: a second run under the same ids contradicts the first."""
    file = lmms_file(tmp_path / "m", lmms(), lmms(), lmms(said="Answer: A"))
    with pytest.raises(BrokenRowsError, match=r"1 of 3 rows are broken.*\n.*line 3.*different response"):
        bring([file], tmp_path / "out", format="lmms-eval")


# --- lm-eval


def lm(doc_id=0, **fields):
    """A line of a samples file of a generate_until task."""
    doc = {"qid": f"c{doc_id}", "Q": "Which side?", "choices": SIDES, "label": 1}
    messages = json.dumps([{"role": "system", "content": "Be brief."}, {"role": "user", "content": ASKED}])
    arguments = {"gen_args_0": {"arg_0": [messages], "arg_1": {"until": ["</s>"], "temperature": 0.0}}}
    return {
        "doc_id": doc_id, "doc": doc, "target": "B", "arguments": arguments, "resps": [["Answer: B", "Answer: A"]],
        "filtered_resps": ["B"], "filter": "letter", "metrics": ["exact_match"], "doc_hash": "6", "prompt_hash": "3",
        "target_hash": "5", "exact_match": 0.0, **fields,
    }  # fmt: skip


def likelihoods(*values, **fields):
    """A line of a multiple_choice task."""
    arguments = {f"gen_args_{at}": {"arg_0": "Which side?", "arg_1": f" {text}"} for at, text in enumerate(SIDES)}
    return lm(
        target="1", arguments=arguments, resps=[[[str(value), "False"]] for value in values], filter="none",
        filtered_resps=[[str(value), "False"] for value in values], **fields,
    )  # fmt: skip


def lm_file(folder, *records, task="task"):
    results = {"model_name": "m", "config": {"model": "hf", "model_sha": "abc"}, "configs": {}, "date": 1794899888.1}
    folder.mkdir(exist_ok=True)
    (folder / "results_2026-11-17T07-18-09.613711.json").write_text(json.dumps(results))
    return lines(folder / f"samples_{task}_2026-11-17T07-18-09.613711.jsonl", *records)


def test_lm_eval_logs_a_sample_once_for_each_filter_and_it_counts_once(tmp_path):
    """Two runs, logged under two filters, are two responses; words and settings are those of the request."""
    file = lm_file(tmp_path / "m", lm(), lm(filter="first"))
    brought = bring([file], tmp_path / "out", format="lm-eval", fields="question=Q")
    assert [(one.replicate, one.response.text) for one in answers(tmp_path / "out")] == [
        (1, "Answer: B"),
        (2, "Answer: A"),
    ]
    assert {(one.text, one.system, one.settings) for one in answers(tmp_path / "out")} == {
        (ASKED, "Be brief.", Settings(temperature=0))
    }
    assert {(one.item.question, one.item.letter, one.revision) for one in answers(tmp_path / "out")} == {
        ("Which side?", "B", "abc")
    }
    assert any(note.startswith("The field 'choices' was read as the options.") for note in brought.notes)


def test_the_likeliest_option_is_the_response(tmp_path, capsys):
    """It is said that nobody spoke; without numbers to compare the row is broken."""
    rows = [likelihoods(-0.5, -0.1, -2), likelihoods(-0.1, -0.5, -2, doc_id=1), likelihoods(-0.1, "nan", -2, doc_id=2)]
    file = lm_file(tmp_path / "m", *rows)
    brought = bring([file], tmp_path / "out", format="lm-eval", allow_broken=True)
    assert outcomes(tmp_path / "out")[0] == ["correct", "wrong"]
    assert {one.response.finish for one in answers(tmp_path / "out")} == {ZERO_SHOT}
    assert [row.reason[:33] for row in brought.broken] == ["one of its log-likelihoods is not"]
    show_imported(brought)
    assert "3 responses are the option with the largest log-likelihood" not in capsys.readouterr().out
    assert any(note.startswith("2 responses are the option with the largest") for note in brought.notes)


def test_a_key_that_contradicts_the_score_of_lm_eval_is_refused(tmp_path):
    """A target "1" may be a place or a text; where the row says which option was right, it must be that one."""
    counts = {f"gen_args_{at}": {"arg_0": "How many?", "arg_1": f" {at + 1}"} for at in range(3)}
    file = lm_file(tmp_path / "m", {**likelihoods(-1, -2, -3, acc=1.0), "arguments": counts})
    with pytest.raises(BrokenRowsError, match=r"lm-eval scored '1' as right .* its answer '1' was read as B"):
        bring([file], tmp_path / "no", format="lm-eval")
    file = lm_file(tmp_path / "m", {**likelihoods(-1, -2, -3, acc=0.0), "arguments": counts})
    bring([file], tmp_path / "out", format="lm-eval")
    assert outcomes(tmp_path / "out")[0] == ["wrong"]


def test_a_report_on_words_alone_does_not_speak_of_accuracy_with_the_image(tmp_path):
    """Nothing in these files tells of an image, and no condition is named after one."""
    bring([lm_file(tmp_path / "m", likelihoods(-0.5, -0.1, -2))], tmp_path / "out", format="lm-eval")
    publish(tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text()
    assert "<small>as asked, n 1; guessing scores 33%</small>" in page
    assert "<small>with the image" not in page


def test_a_row_without_any_response_is_told(tmp_path):
    """An empty list of responses is a row that cannot be used, not one that is passed over."""
    brought = bring(
        [lm_file(tmp_path / "m", lm(), lm(1, resps=[]))], tmp_path / "out", format="lm-eval", allow_broken=True
    )
    assert [row.reason for row in brought.broken] == ["its list of responses is empty"]


def test_the_log_likelihood_of_a_whole_text_is_no_response(tmp_path):
    """A task of perplexity asks nothing: its number must not be graded as an answer in words."""
    file = lm_file(tmp_path / "m", lm(arguments={"gen_args_0": {"arg_0": "A page."}}, resps=[["-123.4"]]))
    with pytest.raises(BrokenRowsError, match="log-likelihood of a whole text"):
        bring([file], tmp_path / "out", format="lm-eval")


def test_several_right_answers_that_stand_as_text_are_each_right(tmp_path):
    """lm-eval writes every target as text, also a list of them."""
    row = lm(doc={"question": "Which organ?"}, target="['liver', 'the liver']", resps=[["liver"]])
    bring([lm_file(tmp_path / "m", row)], tmp_path / "out", format="lm-eval")
    [one] = answers(tmp_path / "out")
    assert one.item.references == ("liver", "the liver")


def test_letters_to_choose_from_stand_for_the_options_of_the_record(tmp_path):
    """Tasks in the way of MMLU compare the letters; the benchmark's own order is found by the continuations."""
    arguments = {f"gen_args_{at}": {"arg_0": ASKED, "arg_1": f" {letter}"} for at, letter in enumerate("ABC")}
    turned = {f"gen_args_{at}": {"arg_0": "Which side?", "arg_1": text} for at, text in enumerate(SIDES[::-1])}
    file = lm_file(tmp_path / "m", {**likelihoods(-2, -1, -3), "arguments": arguments})
    bring([file], tmp_path / "out", format="lm-eval")
    assert [option.text for option in answers(tmp_path / "out")[0].item.options] == SIDES
    file = lm_file(tmp_path / "m", {**likelihoods(-2, -1, -3), "arguments": turned, "target": "1"})
    bring([file], tmp_path / "held", format="lm-eval", benchmarks=[benchmark("Which side?", image=False)])
    [one] = answers(tmp_path / "held")
    assert ([option.text for option in one.item.options], one.item.letter) == (SIDES[::-1], "B")


def test_a_text_run_on_questions_with_images_contradicts_the_original(tmp_path):
    """The requests of lm-eval hold no image, and the benchmark has one."""
    file = lm_file(tmp_path / "m", lm())
    with pytest.raises(DataError, match=r"2 of 2 requests .* without the image that belongs"):
        bring([file], tmp_path / "out", format="lm-eval", benchmarks=[benchmark("Which side?")])


# --- VLMEvalKit

HEAD = ["index", "question", "hint", "A", "B", "C", "D", "answer", "category", "image_path", "split", "prediction"]


def circular(index, answer, said, turn=0):
    texts = SIDES[turn:] + SIDES[:turn]
    return [index + turn * 1_000_000, "Which side?", "A film.", *texts, None, answer, "chest", "1.jpg", "dev", said]


def workbook(path, *rows, head=HEAD):
    book = openpyxl.Workbook()
    for row in (head, *rows):
        book.active.append(row)
    path.parent.mkdir(exist_ok=True)
    book.save(path)
    return path


def tsv(path, *rows, head=HEAD):
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join("\t".join("" if cell is None else str(cell) for cell in row) for row in (head, *rows)))
    return path


@pytest.mark.parametrize("write", [workbook, tsv])
def test_circular_rows_are_the_condition_of_option_order(tmp_path, write):
    """The first turn is options-shuffled, the next a condition of its own, both of the same question."""
    rows = [
        circular(7, "B", "B"), circular(7, "A", "A", 1), circular(7, "C", "A", 2), circular(8, "B", "The answer is B"),
        circular(8, "A", "Failed to obtain answer via API.", 1),
    ]  # fmt: skip
    file = write(tmp_path / "gpt_4" / f"gpt_4_MMBench_DEV{'.xlsx' if write is workbook else '.tsv'}", *rows)
    bring([tmp_path / "gpt_4"], tmp_path / "out", format="vlmevalkit")
    with Store.open(tmp_path / "out") as store:
        results = score(store)
    tests = {finding.test.name: finding for finding in results.findings}
    assert tests.keys() == {"option-order", "comparison:options-rotated-2"}
    assert tests["option-order"].measure("options-shuffled", "changed_rate").estimate.value == 0
    assert tests["comparison:options-rotated-2"].measure("options-rotated-2", "accuracy").estimate.value == 0
    table = results.tables["gpt_4", "MMBench_DEV"]
    assert {item.id for item in table.items} == {"7", "8"}
    assert [*table.arms["options-shuffled"].failed] == ["ModelError: Failed to obtain answer via API."]
    [source] = sources([file], format="vlmevalkit")
    first = next(iter(source.read(lambda sentence: None)))
    assert (first.item.context, first.image_sent, first.has_image) == ("A film.", None, True)


def test_a_row_that_only_looks_circular_is_refused_or_a_question_of_its_own(tmp_path):
    """Other options under a circular index are refused; a large index without its question is an id."""
    other = circular(7, "A", "A", 1)
    other[3] = "neither"
    file = tsv(tmp_path / "m" / "m_d.tsv", circular(7, "B", "B"), other)
    with pytest.raises(BrokenRowsError, match="question 7 with rotated options"):
        bring([file], tmp_path / "no", format="vlmevalkit")
    file = tsv(tmp_path / "m" / "m_d.tsv", circular(2_000_007, "B", "B"))
    bring([file], tmp_path / "out", format="vlmevalkit")
    assert [(one.item.id, one.arm) for one in answers(tmp_path / "out")] == [("2000007", "original")]


def test_an_empty_option_before_others_is_refused(tmp_path):
    """Left out, it would give every later option the letter before its own: D's text would be the key C."""
    row = [1, "Which side?", None, "left", None, "right", "both", "C", "chest", "1.jpg", "dev", "C"]
    with pytest.raises(BrokenRowsError, match="its option B is empty, but option D is not"):
        bring([tsv(tmp_path / "m" / "m_task.tsv", row)], tmp_path / "out", format="vlmevalkit")


def test_a_circular_row_with_another_right_answer_is_refused(tmp_path):
    """All orders of a question have one right option; a letter that did not turn with the options names another."""
    rows = circular(1, "B", "B"), circular(1, "B", "A", turn=1)
    with pytest.raises(BrokenRowsError, match="its correct answer is 'both', not 'right'"):
        bring([tsv(tmp_path / "m" / "m_task.tsv", *rows)], tmp_path / "out", format="vlmevalkit")


def test_the_name_of_a_prediction_file_says_model_and_dataset(tmp_path):
    """By the folder it lies in, or by what is said; otherwise it is asked for, as is a column that is missing."""
    file = tsv(tmp_path / "x" / "a_b_c.tsv", circular(1, "B", "B"))
    with pytest.raises(DataError, match="--model NAME --as BENCHMARK"):
        bring([file], tmp_path / "no", format="vlmevalkit")
    for how in ({"name": "b_c"}, {"model": "a"}):
        assert set(bring([file], tmp_path / str(how), format="vlmevalkit", **how).replies) == {("a", "b_c", "original")}
    bare = tsv(tmp_path / "a" / "a_d.tsv", [1, "B"], head=["index", "answer"])
    with pytest.raises(DataError, match="has no column 'prediction'"):
        bring([bare], tmp_path / "no", format="vlmevalkit")


# --- promptfoo


def foo(test=0, output="Answer: B", *, image=None, **fields):
    """A record of a results file."""
    parts = [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}] if image else []
    raw = json.dumps([{"role": "user", "content": [*parts, {"type": "text", "text": ASKED}]}])
    return {
        "id": f"r{test}", "promptIdx": 0, "testIdx": test, "promptId": "p", "success": True, "failureReason": 0,
        "testCase": {"vars": {}, "assert": []}, "provider": {"id": "openai:chat:m", "label": "m"}, "score": 1,
        "prompt": {"raw": raw if image is not None else ASKED, "label": "{{question}}"}, "latencyMs": 800,
        "vars": {"question": f"Which side of {test}?", "choices": SIDES, "gold": "B"},
        "response": {"output": output, "tokenUsage": {"prompt": 40, "completion": 5}, "finishReason": "stop"}, **fields,
    }  # fmt: skip


def foo_file(folder, *records):
    folder.mkdir(exist_ok=True)
    providers = [{"id": "openai:chat:m", "label": "m", "config": {"temperature": 0, "max_tokens": 64}}]
    whole = {
        "evalId": "eval-1", "results": {"version": 3, "timestamp": "2026-11-17T07:00:00Z", "results": list(records)},
        "config": {"description": "task", "providers": providers}, "shareableUrl": None,
    }  # fmt: skip
    path = folder / "out.json"
    path.write_text(json.dumps(whole, indent=2))
    return path


def test_promptfoo_a_failed_assertion_is_no_failed_call(tmp_path):
    """A refusal, a response that cannot be read, one that was cut off and a call that failed stay four things."""
    ended = {"output": "Let me think about", "finishReason": "length"}
    file = foo_file(
        tmp_path / "m",
        foo(0),
        foo(1, "Answer: A", success=False, failureReason=1, error="Expected output to equal B"),
        foo(2, None, success=False, failureReason=2, error="503: overloaded", response={"error": "503: overloaded"}),
        foo(3, response={"output": "No.", "isRefusal": True}),
        foo(4, "Hmm."),
        foo(5, response=ended),
        foo(0, "Answer: C"),
    )
    bring([file], tmp_path / "out", format="promptfoo")
    found, failed = outcomes(tmp_path / "out")
    assert found == ["correct", "wrong", "wrong", "refused", "unparsed", "truncated"]
    assert failed == {"ModelError: 503: overloaded": 1}
    stored = answers(tmp_path / "out")
    assert sorted(one.replicate for one in stored if one.item.id == "test-0") == [1, 2]
    assert {one.settings for one in stored} == {Settings(temperature=0, max_tokens=64)}


def test_promptfoo_messages_show_whether_an_image_was_sent(tmp_path):
    """Each labelled prompt is a condition, held against what its messages hold; unlabelled ones are refused."""

    def asked(image, label, at):
        record = foo(0, image=image, promptIdx=at)
        return {**record, "prompt": {**record["prompt"], "label": label}}

    good = foo_file(tmp_path / "m", asked(True, "original", 0), asked(False, "image-removed", 1))
    assert len(bring([good], tmp_path / "out", format="promptfoo").replies) == 2
    bad = foo_file(tmp_path / "m", asked(True, "original", 0), asked(True, "image-removed", 1))
    with pytest.raises(DataError, match="1 of 1 requests under the condition 'image-removed' were sent with an image"):
        bring([bad], tmp_path / "no", format="promptfoo")
    nameless = foo_file(tmp_path / "m", asked(True, ASKED, 0), asked(True, ASKED, 1))
    with pytest.raises(BrokenRowsError, match="2 prompts, and this one has no label"):
        bring([nameless], tmp_path / "no", format="promptfoo")


def test_promptfoo_numbers_a_prompt_anew_for_each_provider(tmp_path):
    """One prompt and two providers are two columns of its results and one way of asking."""
    other = {"provider": {"id": "openai:chat:n", "label": "n"}, "promptIdx": 1}
    brought = bring([foo_file(tmp_path / "m", foo(), foo(**other))], tmp_path / "out", format="promptfoo")
    assert list(brought.replies) == [("m", "task", "original"), ("n", "task", "original")]


def test_promptfoo_an_expected_value_is_filled_in_and_a_pattern_is_no_answer(tmp_path):
    """The file keeps assertions as they were written, with the names of variables in them."""

    def expecting(test, kind, value):
        asked = {"question": f"Which organ of {test}?", "organ": "liver"}
        return foo(test, "liver", vars=asked, testCase={"assert": [{"type": kind, "value": value}]})

    rows = expecting(0, "icontains", "{{organ}}"), expecting(1, "regex", "^liver")
    brought = bring([foo_file(tmp_path / "m", *rows)], tmp_path / "out", format="promptfoo", allow_broken=True)
    assert [one.item.answer for one in answers(tmp_path / "out")] == ["liver"]
    assert [row.reason[:16] for row in brought.broken] == ["it has no answer"]


# --- HELM


def state(number=0, said=" B", *, image=None, **fields):
    """A request state of a run in which the options were lettered."""
    media = [{"content_type": "text/plain", "text": ASKED}]
    if image is not None:
        media.append({"content_type": "image/png", "location": image})
    request = {"model": "a/m", "prompt": ASKED, "temperature": 0.0, "max_tokens": 5, "num_completions": 1}
    return {
        "instance": {
            "id": f"id{number}", "split": "test", "input": {"text": "Which side?"},
            "references": [{"output": {"text": text}, "tags": ["correct"] * (text == "right")} for text in SIDES],
        },
        "reference_index": None, "request_mode": None, "train_trial_index": 0, "num_train_instances": 0,
        "output_mapping": dict(zip("ABC", SIDES, strict=True)), "prompt_truncated": False,
        "request": {**request, "multimodal_prompt": {"media_objects": media}} if image is not None else request,
        "result": {"success": True, "cached": False, "request_time": 0.5, "completions": [
            {"text": said, "logprob": 0, "tokens": [], "finish_reason": {"reason": "endoftext"}}]}, **fields,
    }  # fmt: skip


def helm_run(folder, *states, method="multiple_choice_joint"):
    folder.mkdir(exist_ok=True, parents=True)
    spec = {
        "name": "task:subject=x,model=a_m", "scenario_spec": {"class_name": "S", "args": {}},
        "adapter_spec": {"method": method, "model": "a/m"},
    }  # fmt: skip
    (folder / "run_spec.json").write_text(json.dumps(spec))
    (folder / "scenario_state.json").write_text(
        json.dumps({"adapter_spec": spec["adapter_spec"], "request_states": list(states)}, indent=2)
    )
    return folder


def test_helm_runs_are_read_with_their_requests(tmp_path):
    """Options as they were lettered, four ways in which there is no answer, a perturbation as a condition."""
    cut = {"text": "Let me", "finish_reason": {"reason": "length"}}
    folder = helm_run(
        tmp_path / "runs" / "task",
        state(0),
        state(1, result={"success": False, "error": "Timed out", "completions": []}),
        state(2, "I'm sorry, but I can't assist with that."),
        state(3, "Hmm."),
        state(4, result={"success": True, "completions": [cut, {"text": "A"}]}),
    )
    bring([tmp_path / "runs"], tmp_path / "out", format="helm")
    found, failed = outcomes(tmp_path / "out", model="a/m")
    assert found == ["correct", "refused", "unparsed", "truncated", "wrong"]
    assert [*failed] == ["ModelError: Timed out"]
    [source] = sources([folder], format="helm")
    first = next(iter(source.read(lambda sentence: None)))
    assert (first.image_sent, first.response.finish, first.settings.max_tokens) == (False, "stop", 5)
    turned = state(0)
    turned["instance"]["perturbation"] = {"name": "misspelled"}
    helm_run(tmp_path / "runs" / "other", turned)
    with pytest.raises(StudyError, match=r"There is no condition 'misspelled'.*--new-condition"):
        bring([tmp_path / "runs" / "other"], tmp_path / "no", format="helm")


def test_an_option_that_reads_like_the_letter_of_another_is_told_by_its_place(tmp_path):
    """HELM names the right answer by its text, which may be a letter: "B" stands under A here."""
    references = [{"output": {"text": text}, "tags": ["correct"] * (text == "B")} for text in "AB"]
    mixed = state(output_mapping={"A": "B", "B": "A"})
    mixed["instance"]["references"] = references
    mixed["request"]["prompt"] = "Which panel?\nA. B\nB. A\nAnswer:"
    bring([helm_run(tmp_path / "task", mixed)], tmp_path / "out", format="helm")
    assert answers(tmp_path / "out")[0].item.letter == "A"


def test_helm_says_whether_an_image_was_sent(tmp_path):
    """It is read where it lies beside the run; an image under image-removed is refused."""
    folder = helm_run(tmp_path / "task", state(0, image="a.png"), state(1, image="/elsewhere/b.png"))
    (folder / "a.png").write_bytes(picture(3).source)
    bring([folder], tmp_path / "out", format="helm")
    assert [len(one.item.images) for one in answers(tmp_path / "out")] == [1, 0]
    with pytest.raises(DataError, match="2 of 2 requests under the condition 'image-removed' were sent with an image"):
        bring([folder], tmp_path / "no", format="helm", arm="image-removed")
    alone = helm_run(tmp_path / "alone", state(0), method="multiple_choice_separate_original")
    with pytest.raises(BrokenRowsError, match="one request for each option"):
        bring([alone], tmp_path / "no", format="helm")


# --- All of them

WRITE = {
    "lmms-eval": lambda folder: lmms_file(folder, lmms()),
    "lm-eval": lambda folder: lm_file(folder, lm()),
    "vlmevalkit": lambda folder: tsv(folder / f"{folder.name}_d.tsv", circular(1, "B", "B")),
    "promptfoo": lambda folder: foo_file(folder, foo()),
    "helm": lambda folder: helm_run(folder, state()) / "scenario_state.json",
    "jsonl": lambda folder: lines(folder / "a.jsonl", {"model": "m", "item_id": "1", "response": "B"}),
    "inspect": lambda folder: lines(folder / "a.json", {"eval": {"task": "t"}, "plan": {}, "samples": []}),
}


@pytest.mark.parametrize("written", WRITE)
def test_a_file_of_another_format_is_named_as_what_it_is(tmp_path, written):
    """Whatever format is asked for, the error names the right one, for a file and for its folder."""
    (tmp_path / "m").mkdir()
    file = WRITE[written](tmp_path / "m")
    for asked in WRITE.keys() - {written}:
        with pytest.raises(DataError, match=rf"(?s)looks like .*--from {written}\."):
            sources([file], format=asked)
        with pytest.raises(DataError, match=rf"does not contain .*{written}"):
            sources([tmp_path / "m"], format=asked)
    assert len(sources([tmp_path / "m"], format=written)) == 1
    notes = []
    assert len(sources([file], note=notes.append)) == len(sources([tmp_path / "m"], note=notes.append)) == 1
    assert sum(note.endswith(f"(--from {written}).") for note in notes) == 2


def test_a_format_that_cannot_be_told_is_asked_for(tmp_path):
    """Nothing is recognised, two formats are, or there is no such file."""
    strange = lines(tmp_path / "strange.jsonl", {"a": 1})
    both = [WRITE[name](tmp_path) for name in ("jsonl", "lm-eval")]
    for files, said in (
        ([strange], r"strange\.jsonl is not recognised. Name it with --from: jsonl, inspect"),
        (both, "several formats. Import one at a time: --from jsonl or lm-eval"),
        ([tmp_path / "none.eval"], "There is no file"),
    ):
        with pytest.raises(DataError, match=said):
            sources(files)


def test_options_with_letters_of_their_own_must_stand_in_their_order(tmp_path):
    """The response "B" means the option that was shown as B, which the file lists first here."""
    options = [{"label": "B", "text": "right"}, {"label": "A", "text": "left"}]
    row = {"model": "m", "item_id": "1", "question": "Which?", "options": options, "answer": "A", "response": "B"}
    with pytest.raises(BrokenRowsError, match=r"the letters of its options are out of order \(B, A\)"):
        bring([lines(tmp_path / "rows.jsonl", row)], tmp_path / "out", format="jsonl")
    row["options"] = options[::-1]
    bring([lines(tmp_path / "rows.jsonl", row)], tmp_path / "out", format="jsonl")
    assert answers(tmp_path / "out")[0].item.letter == "A"


def test_fields_are_said_as_pairs():
    """A name that is none of ours, or a pair that is none, is refused with the names there are."""
    assert fields_from("question=Q,options=opts, answer = label") == {
        "question": "Q",
        "options": "opts",
        "answer": "label",
    }
    for wrong in ("question", "quiz=Q", "question=", "answer=a,answer=b"):
        with pytest.raises(StudyError, match="--map"):
            fields_from(wrong)


def test_a_field_that_was_said_and_is_not_there_is_named(tmp_path):
    """With the fields that there are."""
    with pytest.raises(BrokenRowsError, match=r"it has no field 'Question' .*its fields are \['Q', 'choices'"):
        bring([lm_file(tmp_path / "m", lm())], tmp_path / "out", format="lm-eval", fields="question=Question")


def test_a_record_nested_without_end_is_refused(tmp_path):
    """It could be read, and neither printed nor written again."""
    deep = "x"
    for _ in range(300):
        deep = [deep]
    for name, file in (
        ("promptfoo", foo_file(tmp_path / "foo", foo(vars={"question": deep}))),
        ("lm-eval", lm_file(tmp_path / "lm", lm(), lm(1, doc={"Q": deep}))),
    ):
        with pytest.raises(DataError, match="it is nested more than 200 levels deep"):
            bring([file], tmp_path / "no", format=name)
    row = '{"model": "m", "item_id": "1", "response": "B", "question": "Which?", "answer": "B", "options": %s}'
    (tmp_path / "rows.jsonl").write_text(row % ("[" * 1000 + "]" * 1000))
    (tmp_path / "rows.csv").write_text(
        "model,item_id,response,question,answer,options\nm,1,B,?,B," + "[" * 900 + "]" * 900
    )
    for file in ("rows.jsonl", "rows.csv"):
        with pytest.raises(DataError, match="it is nested more than 200 levels deep"):
            bring([tmp_path / file], tmp_path / "no", format="jsonl")


def test_a_message_of_no_known_role_is_no_question(tmp_path):
    """Whatever its role is, a text or not."""
    odd = [{"role": ["user"], "content": "?"}, {"role": "user", "content": ASKED}]
    asked = foo(prompt={"raw": json.dumps(odd), "label": "x"})
    arguments = {"gen_args_0": {"arg_0": [json.dumps(odd)], "arg_1": {}}}
    for name, file in (
        ("promptfoo", foo_file(tmp_path / "foo", asked)),
        ("lm-eval", lm_file(tmp_path / "lm", lm(arguments=arguments))),
    ):
        bring([file], tmp_path / name, format=name)
        assert {one.text for one in answers(tmp_path / name)} == {ASKED}


def test_damaged_files_are_refused_by_name(tmp_path):
    """Half a file of each format, and one of other bytes."""
    for name in ("promptfoo", "helm", "lmms-eval", "lm-eval"):
        folder = tmp_path / name
        folder.mkdir()
        file = WRITE[name](folder)
        for content in (file.read_bytes()[: file.stat().st_size // 2], b"\x00\xff", b"<html></html>"):
            file.write_bytes(content)
            with pytest.raises(DataError, match=file.name):
                bring([file], tmp_path / "no", format=name, allow_broken=True)
    broken = workbook(tmp_path / "m" / "m_d.xlsx", circular(1, "B", "B"))
    broken.write_bytes(broken.read_bytes()[:900])
    with pytest.raises(DataError, match=r"m_d\.xlsx cannot be read"):
        bring([broken], tmp_path / "no", format="vlmevalkit")


def test_images_in_the_variables_of_a_test_are_kept(tmp_path):
    """A data URI is the image; under `image-removed` it is not shown as sent."""
    uri = f"data:image/png;base64,{b64encode(picture(5).source).decode()}"
    record = foo(0)
    record["vars"]["image"] = uri
    file = foo_file(tmp_path / "m", record)
    for name, arm, count in (("a", None, 1), ("b", "image-removed", 0)):
        bring([file], tmp_path / name, format="promptfoo", arm=arm)
        assert [len(one.item.images) for one in answers(tmp_path / name)] == [count]


MARKED = re.compile(r"(?<!\S)[(\[]?\**([A-Z])\**[)\].:][)*\]]*(?=\s)")


@given(st.text("ABxZ ([*)].:\n\u3000", max_size=30))
def test_letters_of_options_are_found_as_one_pattern_finds_them(text):
    """They are sought by the letter, and what stands before it is looked at then; a pattern says the same at once."""
    assert marks_in(text) == [(found[1], *found.span()) for found in MARKED.finditer(text)]
