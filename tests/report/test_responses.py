import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.items import LETTERS
from snellen.models.base import Response, receipt
from snellen.models.fake import FakeModel
from snellen.reading.columns import NOTHING
from snellen.report.evidence.album import FULL, Album
from snellen.report.evidence.evidence import Evidence, row_anchor
from snellen.report.page import render
from snellen.report.sections import responses
from snellen.report.sections.parsers import choose_examples
from snellen.report.sections.responses import LIMITS, LONGEST_QUOTE, Texts, pack


def runs(results):
    """Every response of a study by model, benchmark, condition, item's place and run, with its outcome and rule."""
    return {
        (model, benchmark, arm, ordinal, run): grades.rules[rule]
        for (model, benchmark), table in results.tables.items()
        for arm, grades in table.arms.items()
        for (ordinal, run), rule in zip(grades.runs(), grades.rule.tolist(), strict=True)
    }


def held(record):
    """The same of what was packed."""
    columns = record["responses"]
    found = {}
    for item, group, run, rule in zip(*(columns[name] for name in ("item", "group", "run", "rule")), strict=True):
        about, of = record["items"][item], record["groups"][group]
        model, benchmark = record["models"][of["model"]], record["benchmarks"][of["benchmark"]]
        key = (model, benchmark, record["conditions"][of["condition"]]["name"], about["ordinal"], run)
        assert key not in found
        found[key] = record["rules"][rule]["rule"]
    return found


def test_everything_is_packed_where_there_is_room(study):
    """All responses of a small study are there, with the rules and outcomes of the tables."""
    results, store = study(epochs=2)
    found = pack(Evidence(results, store), {})
    assert held(found.record) == runs(results)
    assert (found.items, found.responses) == (found.of_items, found.of_responses) == (12, 144)
    columns = found.record["responses"]
    counts = [columns["kind"].count(at) for at in range(7)]
    tables = [grades for table in results.tables.values() for grades in table.arms.values()]
    assert counts == [sum(int((grades.outcome == at).sum()) for grades in tables) for at in range(7)]


@pytest.mark.parametrize("room", [1, 20, 30, 60])
def test_packed_item_has_all_its_responses(ready, monkeypatch, room):
    """Whatever the room, an item is there under every condition, of every model and run, or not at all."""
    results, store = ready
    monkeypatch.setattr(responses, "MOST_RESPONSES", room)
    monkeypatch.setattr(responses, "BATCH", 40)
    found = pack(Evidence(results, store), {})
    every = runs(results)
    items = {key[1::2] for key in held(found.record)}
    assert held(found.record) == {key: rule for key, rule in every.items() if key[1::2] in items}
    assert found.items == len({(benchmark, ordinal) for _, benchmark, _, ordinal, _ in held(found.record)})
    assert found.items < found.of_items == 40


def test_benchmarks_take_turns(ready, monkeypatch):
    """Where there is room for few items, no benchmark takes all of it."""
    results, store = ready
    per_item = len(runs(results)) // 40
    monkeypatch.setattr(responses, "MOST_RESPONSES", 8 * per_item)
    monkeypatch.setattr(responses, "BATCH", 1)
    found = pack(Evidence(results, store), {}).record
    counts = [sum(item["benchmark"] == at for item in found["items"]) for at in (0, 1)]
    assert abs(counts[0] - counts[1]) <= 1


def test_items_that_the_page_links_to_are_packed(ready, monkeypatch):
    """However little room there is, what a chapter or a rule's count leads to is there, and so is the typical item."""
    results, store = ready
    monkeypatch.setattr(responses, "MOST_RESPONSES", 0)
    evidence = Evidence(results, store)
    choose_examples(evidence)
    name = evidence.benchmarks[0]
    found = pack(evidence, {name: 7, evidence.benchmarks[1]: None})
    columns, record = found.record["responses"], found.record
    links = {
        f"reply-{record['groups'][group]['anchor']}-{record['items'][item]['ordinal']}-{run}"
        for item, group, run in zip(columns["item"], columns["group"], columns["run"], strict=True)
    }
    assert {row_anchor(evidence, *led) for led in evidence.led_to} <= links
    assert (0, 7) in {(item["benchmark"], item["ordinal"]) for item in record["items"]}
    assert found.items < found.of_items
    assert found.partly == len({(each.benchmark, evidence.grades(each).ordinal[at]) for each, at in evidence.led_to})


def test_no_response_is_read_twice(usual, monkeypatch):
    """However many parts of the page show a response, it is taken out of the store once."""
    results, store = usual
    read = []

    def replies(model, arm, items, own=store.responses.replies):
        for reply in own(model, arm, items):
            read.append((model, arm, reply.ordinal, reply.replicate))
            yield reply

    monkeypatch.setattr(store.responses, "replies", replies)
    render(results, store)
    assert len(read) == len(set(read)) == 72


def test_letters_are_those_that_the_model_saw(usual_text, packed):
    """Under another order of options, choice and answer are places in the list as it was shown."""
    rows = [row for row in packed(usual_text).rows if row["model"] == "fake/two"]
    for row in rows:
        assert LETTERS[row["choice"]] == "B"
        assert (row["choice"] == row["answer"]) == (row["kind"] == "correct")
        number = int(row["id"].removeprefix("set/"))
        assert row["options"][row["answer"]] == f"finding {number}{'xyz'[number % 3]}"
        listed = "\n".join(f"{LETTERS[at]}. {option}" for at, option in enumerate(row["options"]))
        assert listed in row["prompt"]
    orders = {(row["condition"], tuple(row["options"])) for row in rows}
    assert len({options for _, options in orders}) > 12
    assert {row["moved"] for row in rows} == {0, 1}


def test_letter_is_the_one_that_the_parser_names(usual):
    """What the table numbers like the original is the option that a reader of the response finds."""
    evidence = Evidence(*usual)
    found = pack(evidence, {}).record
    anchors = {anchor: address for address, anchor in evidence.anchors.items()}
    columns = found["responses"]
    chosen = {}
    for item, group, choice in zip(columns["item"], columns["group"], columns["choice"], strict=True):
        chosen[found["groups"][group]["anchor"], found["items"][item]["ordinal"]] = choice
    for anchor, address in anchors.items():
        for saying in evidence.sayings(address, range(12)).values():
            read = NOTHING if saying.grade.choice is None else saying.grade.choice
            assert chosen[anchor, saying.reply.ordinal] == read


def test_words_that_no_condition_changed_are_there_once(usual_text, packed):
    """Questions and options stand once per item; a condition adds what it changed, and equal prompts are one."""
    found = packed(usual_text).record
    [shuffled] = [at for at, each in enumerate(found["conditions"]) if each["name"] == "options-shuffled"]
    for item in found["items"]:
        for at, asked in item["asked"].items():
            assert set(asked) <= {"prompt", "images", *(("options", "answer") if int(at) == shuffled else ())}
    assert len(found["texts"]) == len(set(found["texts"]))


@given(st.text(max_size=30), st.integers(1, 20))
def test_texts_are_cut_and_what_is_left_off_is_counted(text, limit):
    """A text and what was left off it have the length of the whole; nothing hidden stays hidden."""
    texts = Texts(limit)
    at = texts.place(text)
    assert texts.place(text) == at
    left = texts.left_off.get(str(at), 0)
    assert left == max(0, len(text) - limit)
    assert not set(texts.shown[at]) & set("\u202e\u200b\x07\ud800")
    json.dumps(texts.shown).encode()


@pytest.mark.parametrize(("room", "limit"), [(10**9, LIMITS[0]), (0, LIMITS[-1])])
def test_long_texts_are_cut_so_that_linked_items_fit(usual, monkeypatch, room, limit):
    """The room for characters decides how much of a text is shown."""
    monkeypatch.setattr(responses, "MOST_CHARACTERS", room)
    assert pack(Evidence(*usual), {"bench": 3}).limit == limit


def test_long_response_says_what_its_answer_was_read_from(study, packed):
    """Of a response too long to be taken in at once the words that decided are quoted, of a short one they are not."""
    said = f"{'The lungs are clear. ' * 20}\nAnswer: A"
    models = (FakeModel(lambda request: said, name="fake/long"), FakeModel(lambda request: "Answer: B", name="fake/b"))
    rows = packed(render(*study(models=models))).rows
    quotes = {(row["model"], "Answer: A" in row["quote"], row["quote"] == "") for row in rows}
    assert quotes == {("fake/long", True, False), ("fake/b", False, True)}
    assert max(len(row["quote"]) for row in rows) <= LONGEST_QUOTE


def test_reasoning_and_the_end_are_kept(study, packed):
    """What the model thought is beside what it said, with the reason why it stopped."""

    def answer(request):
        return Response(
            "Answer: A", "length", reasoning="Because.", sent=tuple(receipt(image) for image in request.images)
        )

    found = packed(render(*study(models=(FakeModel(answer, name="fake/one"),))))
    assert {row["reasoning"] for row in found.rows} == {"Because."}
    assert found.record["ends"] == ["length"]


def test_images_without_room_leave_their_reason(usual, packed):
    """Past the album's limit an image of the browser is named with the reason why it is not there, and counted."""
    results, store = usual
    found = pack(Evidence(results, store), {})
    text = f'id="responses">{found.archive(Album(store, max_embedded=1500))}</script>'
    images = packed(text).record["images"]
    assert [image["problem"] for image in images].count(FULL) == packed(text).record["images_left_out"] > 0
    assert {bool(image["file"]) for image in images if image["problem"] == FULL} == {False}
    kept = {image["file"] for image in images if image["file"]}
    assert kept == {name for name in packed(text).files if name != "responses.json"}
    assert kept


def test_study_without_a_response_has_no_browser(study, packed):
    """Where nothing came, the page says so and offers nothing to open."""
    from snellen.errors import RejectedError

    def refuse(request):
        raise RejectedError("no")

    text = render(*study(models=(FakeModel(refuse, name="fake/none"),)))
    assert "All 0 responses to 0 items" in text
    assert 'id="browse"' not in text
    assert packed(text).rows == []
