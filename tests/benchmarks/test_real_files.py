"""The real files of published benchmarks, where they are at hand."""

import gzip
import json
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pyarrow as arrow
import pytest
from pyarrow import parquet

from snellen.benchmarks import load, vqa_rad
from snellen.conditions import ImageSubstituted, Pool, vary
from snellen.errors import DataError, Inapplicable
from snellen.items import Option

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data"
REAL = SHARED / "vqa-rad"
PUBLISHED = SHARED / "medxpertqa-mm" / "medxpertqa_mm_input.jsonl.gz"
SPLIT = "vqa_rad_balanced_split_and_human_eval_inclusions.tsv"
without_vqa_rad = pytest.mark.skipif(
    not REAL.is_dir(), reason="the real VQA-RAD files are not at ../shared/data/vqa-rad"
)


@pytest.fixture(scope="module")
def real():
    """The real benchmark, split by split."""
    if not REAL.is_dir():
        pytest.skip("the real VQA-RAD files are not at ../shared/data/vqa-rad")
    return {split: vqa_rad.load(REAL, split=split) for split in vqa_rad.SPLITS}


def test_the_real_splits_are_whole(real):
    """Every published row loads: 450 and 1,798 that together are the 2,248 of the whole file."""
    sizes = {name: len(split) for name, split in real.items()}
    assert sizes == {"test": 450, "train": 1798, "authors-test": 451, "all": 2248}
    assert len(set(real["test"].by_id) & set(real["authors-test"].by_id)) == 75
    assert not any(split.broken for split in real.values())
    assert set(real["all"].by_id) == set(real["test"].by_id) | set(real["train"].by_id)


def test_the_real_splits_agree_with_the_whole_file(real):
    """A question reads the same in its split as in the whole file."""
    for split in ("test", "train"):
        assert [item for item in real[split] if item != real["all"].by_id[item.id]] == []


def test_the_real_choices_are_what_the_file_says(real):
    """All 1,193 answers yes or no and 44 questions between opposites are choices."""
    first = Counter(item.options[0].text for item in real["all"] if item.kind == "choice")
    assert (first.pop("Yes"), sum(first.values())) == (1193, 44)
    assert Counter(item.kind for item in real["test"]) == {"choice": 250, "open": 200}


def test_the_real_cases(real):
    """314 images of 313 patients, once the addresses that were counted up are put right."""
    assert len({item.metadata["image"] for item in real["all"]}) == 314
    assert len({item.cluster for item in real["all"]}) == 313
    assert Counter(item.category for item in real["all"]) == {"chest": 794, "abdomen": 739, "head": 715}


def test_the_real_oddities_are_named(real):
    """Odd rows are usable and named; the one closed test question answered "Maybe" is open."""
    odd = {name: dict(split.about["odd"]) for name, split in real.items()}
    assert {name: len(real[name].about["odd"]) for name in ("test", "train", "all")} == {
        "test": 3,
        "train": 29,
        "all": 40,
    }
    assert set(odd["authors-test"]) <= set(odd["all"])
    unsure = real["test"].by_id["vqa-rad/2127"]
    assert (unsure.kind, unsure.answer) == ("open", "Maybe")
    assert "vqa-rad/2127" in dict(real["test"].about["odd"])


def test_the_real_images_are_sent_as_they_are(real):
    """Every image of the test split is a whole JPEG that needs no re-encoding."""
    images = {item.images[0].source: item.images[0] for item in real["test"]}
    assert {image.encoded().media_type for image in images.values()} == {"image/jpeg"}


def test_no_mirage_question_is_taken_from_it(real):
    """None of ours is asked in VQA-RAD."""
    theirs = {item.question.casefold().strip() for item in real["all"]}
    assert not theirs & {item.question.casefold().strip() for item in load("mirage-questions")}


def shard(path, rows, group=2):
    """A Parquet file as the hub writes it: images as records of bytes and path, few rows a group."""
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(arrow.Table.from_pylist(rows), path, row_group_size=group)


@without_vqa_rad
def test_the_real_vqa_rad_keeps_its_open_questions():
    """All 2,248 questions load: 1,237 choices, 1,011 open ones."""
    assert Counter(item.kind for item in load(f"vqa-rad:{REAL},split=all")) == {"choice": 1237, "open": 1011}


@without_vqa_rad
def test_choices_made_of_the_real_vqa_rad_find_images_that_show_other_options():
    """Five options of one type each, body part and modality known: nearly all have a donor by the ledger's rule."""
    opened = [item for item in load(f"vqa-rad:{REAL},split=all") if item.kind == "open" and item.category == "head"]
    patients = defaultdict(lambda: defaultdict(set))
    for item in opened:
        patients[item.metadata["question_types"][0]][item.answer.casefold()].add(item.cluster)
    made = []
    for item in opened:
        known = patients[item.metadata["question_types"][0]]
        texts = [item.answer.casefold(), *(each for each in sorted(known) if each != item.answer.casefold())]
        texts = [each for each in texts if len(known[each]) > 1][:5]
        if len(texts) == 5 and texts[0] == item.answer.casefold():
            told = {**item.metadata, "modality": "MRI"}
            made.append(replace(item, kind="choice", options=tuple(map(Option, texts)), answer=0, metadata=told))
    pool, applied = Pool(made), 0
    for item in made:
        with suppress(Inapplicable):
            variant = vary(item, ImageSubstituted(), seed=0, pool=pool)
            lender = pool.by_id[variant.drawn["lent_by"]]
            assert lender.options[lender.answer].text == variant.item.options[variant.item.answer].text
            assert lender.cluster != item.cluster
            applied += 1
    assert len(made) > 60
    assert applied > 0.8 * len(made)


@without_vqa_rad
def test_the_mirage_split_is_of_closed_questions_to_the_letter(tmp_path):
    """Of a split that has all questions, the 1,297 whose answer_type is CLOSED and not the two with a blank behind."""
    for path in REAL.iterdir():
        if path.name != SPLIT:
            (tmp_path / path.name).symlink_to(path)
    with pytest.raises(DataError, match="Google Health publishes it"):
        load(f"vqa-rad:{tmp_path},split=mirage")
    rows = json.loads((REAL / "VQA_RAD Dataset Public.json").read_text())
    lines = ["QID_unique\tSPLIT_BALANCED\tINCLUDED_IN_HUMAN_EVAL", *(f"{row['qid']}\ttest\tTRUE" for row in rows)]
    (tmp_path / SPLIT).write_text("\n".join([*lines[:-1], lines[-1].replace("test", "train")]))
    asked = load(f"vqa-rad:{tmp_path},split=mirage").by_id
    closed = {f"vqa-rad/{row['qid']}" for row in rows[:-1] if row["answer_type"] == "CLOSED"}
    assert set(asked) == closed
    assert not {f"vqa-rad/{row['qid']}" for row in rows if row["answer_type"] == "CLOSED "} & set(asked)


@pytest.mark.skipif(not (REAL / SPLIT).is_file(), reason=f"{SPLIT} is not at ../shared/data/vqa-rad")
def test_the_mirage_split_is_the_papers():
    """The 430 questions of the paper, with its counts of 14 types."""
    asked = load(f"vqa-rad:{REAL},split=mirage")
    types = Counter(", ".join(item.metadata["question_types"]) for item in asked)
    assert (len(asked.items), len(load(f"vqa-rad:{REAL},split=balanced-test").items), len(types)) == (430, 735, 14)
    assert [types[each] for each in ("PRES", "SIZE", "ABN", "MODALITY")] == [201, 46, 43, 32]


@pytest.mark.skipif(not PUBLISHED.exists(), reason="the published file is not here")
def test_the_published_file_is_read_whole(tmp_path):
    """All 2,000 questions have five options, each of them printed in the question as well."""
    rows = [json.loads(line) | {"images": None} for line in gzip.decompress(PUBLISHED.read_bytes()).splitlines()]
    (tmp_path / "mm.jsonl").write_text("\n".join(map(json.dumps, rows)))
    items = load(f"medxpertqa:{tmp_path / 'mm.jsonl'}").items
    assert len(items) == 2000
    assert Counter(len(item.options) for item in items) == {5: 2000}
    assert all(item.metadata["options_in_question"] for item in items)
    hub = [
        row | {"options": {each["letter"]: each["content"] for each in row["options"]}, "label": row["label"][0]}
        for row in rows[:300]
    ]
    shard(tmp_path / "MM" / "test-00000-of-00001.parquet", hub, group=100)
    again = load(f"medxpertqa:{tmp_path}").items
    assert [(each.question, each.options, each.answer) for each in again] == [
        (each.question, each.options, each.answer) for each in items[:300]
    ]
