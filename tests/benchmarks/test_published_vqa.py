"""Published benchmarks of questions about images: rows of their published shape, and real files where at hand."""

import csv
import gzip
import hashlib
import json
import os
import re
import zipfile
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as arrow
import pytest
from huggingface_hub import constants
from pyarrow import parquet

from snellen.benchmarks import load, published
from snellen.conditions import ImageSubstituted, Pool, vary
from snellen.errors import BrokenRowsError, DataError, ImageError, Inapplicable
from snellen.images import Image, Unreadable, encode
from snellen.items import Option

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data"
ONE, TWO = (encode(np.full((6, 8), shade, np.uint8)).data for shade in (40, 200))
PATIENT, STUDY, DAY = "GRDN0A1B2C", "1.2.826.0.1.3680043.8.498.77", "20190304"


def shard(path, rows, group=2):
    """A Parquet file as the hub writes it: images as records of bytes and path, few rows a group."""
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(arrow.Table.from_pylist(rows), path, row_group_size=group)


def picture(data, name="0.png"):
    return {"bytes": data, "path": name}


def images(folder, *names):
    for place, name in enumerate(names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes((ONE, TWO)[place % 2])


def table(path, rows):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def slake(folder, **changed):
    row = {
        "img_id": 1,
        "img_name": "xmlab1/source.jpg",
        "question": "Is the lung healthy?",
        "answer": "No",
        "q_lang": "en",
        "location": "Lung",
        "modality": "X-Ray",
        "answer_type": "CLOSED",
        "base_type": "vqa",
        "content_type": "Abnormality",
        "triple": ["vhead", "_", "_"],
        "qid": 11934,
    }
    rows = [
        row | changed,
        row | {"qid": 11935, "question": "What organ is shown?", "answer": "Lung", "answer_type": "OPEN"},
        row
        | {
            "qid": 11936,
            "question": "肺是健康的吗?",
            "answer": "不是",
            "q_lang": "zh",
            "img_name": "xmlab2/source.jpg",
        },
    ]
    (folder / "test.json").write_text(json.dumps(rows))
    images(folder / "imgs", "xmlab1/source.jpg", "xmlab2/source.jpg")
    return f"slake:{folder}"


def path_vqa(folder, **changed):
    rows = [
        {"image": picture(ONE), "question": "where are liver stem cells located?", "answer": "in the canals of hering"},
        {"image": picture(ONE), "question": "is the sinus open?", "answer": "no"} | changed,
        {"image": picture(TWO), "question": "what is present?", "answer": "cardiovascular"},
    ]
    shard(folder / "data" / "test-00000-of-00002.parquet", rows[:2])
    shard(folder / "data" / "test-00001-of-00002.parquet", rows[2:])
    return f"path-vqa:{folder}"


def vqa_rad_on_hub(folder, **changed):
    rows = [
        {"image": picture(ONE), "question": "is there evidence of an aortic aneurysm?", "answer": "yes"} | changed,
        {"image": picture(TWO), "question": "where is the opacity?", "answer": "right lower lobe"},
    ]
    shard(folder / "data" / "test-00000-of-00001-abc.parquet", rows)
    shard(folder / "data" / "train-00000-of-00001-abc.parquet", rows)
    return f"vqa-rad:{folder}"


def pmc_vqa(folder, **changed):
    row = {
        "Figure_path": "PMC1064097_F1.jpg",
        "Question": "What is the uptake pattern in the breast?",
        "Anwser": "Focal uptake pattern",
        "Choice A": " A:Diffuse uptake pattern",
        "Choice B": " B:Focal uptake pattern",
        "Choice C": " C:No uptake pattern",
        "Choice D": " D:Cannot determine from the information given",
        "Answer_label": "B",
    }
    table(folder / "test_clean.csv", [row | changed])
    with zipfile.ZipFile(folder / "images.zip", "w") as packed:
        packed.writestr("images/PMC1064097_F1.jpg", ONE)
    return f"pmc-vqa:{folder}"


def omnimedvqa(folder, **changed):
    row = {
        "dataset": "Chest CT Scan",
        "question_id": "Chest CT Scan_0001",
        "question_type": "Modality Recognition",
        "question": "What imaging technique was used?",
        "gt_answer": "x_ray.",
        "image_path": "Images/Chest CT Scan/1.png",
        "option_A": "MRI",
        "option_B": "X-ray",
        "option_C": "Ultrasound",
        "modality_type": "CT(Computed Tomography)",
    }
    odd = {**row, "question_id": "Chest CT Scan_0002", "modality": "CT"}
    del odd["modality_type"]
    for part, rows in (("Open-access", [row | changed, odd]), ("Restricted-access", [row])):
        (folder / "QA_information" / part).mkdir(parents=True, exist_ok=True)
        (folder / "QA_information" / part / "Chest CT Scan.json").write_text(json.dumps(rows))
    images(folder, "Images/Chest CT Scan/1.png")
    return f"omnimedvqa:{folder}"


def medxpertqa(folder, **changed):
    row = {
        "id": "MM-0",
        "question": "Which bone is broken?\nAnswer Choices: (A) Radius (B) Ulna",
        "options": {"A": "Radius", "B": "Ulna"},
        "label": "B",
        "images": ["MM-0-a.png", "MM-0-b.png"],
        "medical_task": "Diagnosis",
        "body_system": "Skeletal",
        "question_type": "Understanding",
    }
    shard(folder / "MM" / "test-00000-of-00001.parquet", [row | changed])
    with zipfile.ZipFile(folder / "images.zip", "w") as packed:
        packed.writestr("images/MM-0-a.png", ONE)
        packed.writestr("images/MM-0-b.png", TWO)
    return f"medxpertqa:{folder}"


def microvqa(folder, **changed):
    row = {
        "key_question": 5,
        "key_image": 3,
        "images_list": [picture(ONE), picture(TWO)],
        "question": "Which organelle is swollen?",
        "choices": ["Golgi", "Nucleus", "Mitochondrion"],
        "correct_index": 2,
        "correct_answer": "The mitochondrion, since its cristae are lost",
        "question_0": "What is swollen here?",
        "question_1": "Which is swollen?",
        "choices_1": ["Mitochondrion", "Nucleus"],
        "correct_index_1": 0,
        "task": 1,
        "task_str": "perception",
        "context_image_generation": "TEM of a fibroblast",
        "key_person": "someone",
        "image_caption": "a swollen mitochondrion",
    }
    again = row | {"key_question": 6, "correct_index": 0}
    shard(folder / "data" / "train-00000-of-00001.parquet", [row | changed, again])
    return f"microvqa:{folder}"


def rexvqa(folder, **changed):
    home = f"deid_png/{PATIENT}/{STUDY}/studies/{STUDY}"
    row = {
        "question": "Where is the opacity?",
        "options": ["A. Right lower lobe", "B. Left upper lobe", "C. Lingula", "D. None"],
        "correct_answer": "A",
        "correct_answer_explanation": "There is an opacity in the right lower lobe",
        "task_name": "location_assessment",
        "category": "Lung",
        "class": "opacity",
        "subcategory": "Consolidation",
        "study_id": STUDY,
        "StudyInstanceUid": STUDY,
        "PatientID": PATIENT,
        "PatientAge": "061Y",
        "PatientSex": "F",
        "StudyDate": DAY,
        "Indication": "cough",
        "Findings": "Right lower lobe opacity.",
        "Impression": "Pneumonia.",
        "ImagePath": [f"../{home}/1.png", f"../{home}/2.png"],
        "ImageModality": ["DX", "DX"],
        "ImageViewPosition": ["PA", "LATERAL"],
    }
    rows = {"q1": row | changed, f"{STUDY}_2": row | {"correct_answer": "B. Left upper lobe"}}
    (folder / "metadata").mkdir(exist_ok=True)
    (folder / "metadata" / "test_vqa_data.json").write_text(json.dumps(rows))
    images(folder / home, "1.png", "2.png")
    return f"rexvqa:{folder}"


MADE = {
    "slake": slake,
    "path-vqa": path_vqa,
    "vqa-rad": vqa_rad_on_hub,
    "pmc-vqa": pmc_vqa,
    "omnimedvqa": omnimedvqa,
    "medxpertqa": medxpertqa,
    "microvqa": microvqa,
    "rexvqa": rexvqa,
}


def contents(folder):
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("name", MADE)
def test_laws_of_all(tmp_path, name):
    """Files stay untouched, two loads are equal, ids are unique, images can be sent, and no key stands anywhere."""
    line = MADE[name](tmp_path)
    before = contents(tmp_path)
    first, second = load(line), load(line)
    assert first.items == second.items
    assert first.digest == second.digest
    assert contents(tmp_path) == before
    assert len({item.id for item in first}) == len(first.items)
    assert {item.kind for item in first} <= set(published()[name].kinds)
    assert first.name == published()[name].name
    assert (first.about["licence"], first.about["citation"]) == (published()[name].licence, published()[name].citation)
    for item in first:
        sent = [image.encoded() for image in item.images]
        assert {each.media_type for each in sent} == {"image/png"}
        assert {each.data for each in sent} <= {ONE, TWO}
        assert item.cluster or published()[name].clusters.startswith("none named")
        right = item.options[item.answer].text if item.options else item.answer
        names = [item.id, item.cluster, *(image.name for image in item.images)]
        assert not [each for each in names if right.casefold() in re.split(r"[^\w ]", each.casefold())]


@pytest.mark.parametrize("name", MADE)
def test_a_missing_split_and_missing_files_are_told(tmp_path, name):
    """A split that is none, a folder that is not there and an empty one are errors that say what was expected."""
    line = MADE[name](tmp_path)
    with pytest.raises(DataError, match="has no split 'dev-x'"):
        load(f"{line},split=dev-x")
    with pytest.raises(DataError, match="There is no folder or file"):
        load(f"{name}:{tmp_path / 'nowhere'}")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"[Ee]xpected"):
        load(f"{name}:{tmp_path / 'empty'}")


def test_slake(tmp_path):
    """Closed questions are choices in both languages, open ones are kept; images come from the folder or the ZIP."""
    closed, asked, chinese = load(slake(tmp_path)).items
    assert (closed.id, [each.text for each in closed.options], closed.answer) == ("slake/11934", ["Yes", "No"], 1)
    assert (closed.category, closed.cluster, closed.metadata["modality"]) == (
        "Abnormality",
        "xmlab1/source.jpg",
        "X-Ray",
    )
    assert (asked.kind, asked.answer, asked.cluster) == ("open", "Lung", closed.cluster)
    assert ([each.text for each in chinese.options], chinese.answer, chinese.language) == (["是", "否"], 1, "zh")
    assert [item.language for item in load(f"slake:{tmp_path},language=en")] == ["en", "en"]
    with pytest.raises(DataError, match="English and Chinese"):
        load(f"slake:{tmp_path},language=it")
    with zipfile.ZipFile(tmp_path / "imgs.zip", "w") as packed:
        for path in (tmp_path / "imgs").rglob("*.jpg"):
            packed.write(path, path.relative_to(tmp_path))
            path.unlink()
    packed = load(f"slake:{tmp_path}").items
    assert [item.images[0].encoded().data for item in packed] == [ONE, ONE, TWO]
    assert packed[0].images == packed[1].images
    with pytest.raises(BrokenRowsError, match="its answer_type is 'BOTH'"):
        load(slake(tmp_path, answer_type="BOTH"))


def test_path_vqa(tmp_path):
    """Yes or no is a choice, all else open; rows go on over shards; the same picture is one cluster and one image."""
    items = load(path_vqa(tmp_path)).items
    assert [(item.kind, item.answer) for item in items] == [
        ("open", "in the canals of hering"),
        ("choice", 1),
        ("open", "cardiovascular"),
    ]
    assert [item.id for item in items] == [f"path-vqa/test-{number}" for number in (1, 2, 3)]
    assert items[0].cluster == items[1].cluster != items[2].cluster
    assert items[0].images == items[1].images
    assert (
        load(path_vqa(tmp_path, answer=""), allow_broken=True).broken[0].where == "test-00000-of-00002.parquet, row 2"
    )


def test_path_vqa_in_the_lxmert_form(tmp_path):
    """An image with its questions is a row for each; of several answers the likeliest is the reference."""
    row = {
        "img_id": "test_0001",
        "sentf": {"pvqa": ["is it benign?", "what is shown?"]},
        "labelf": {"pvqa": [{"yes": 1}, {"kidney": 0.3, "renal cortex": 1}]},
    }
    (tmp_path / "test_vqa.json").write_text(json.dumps([row, {"img_id": "x", "sentf": {"pvqa": ["?"]}}]))
    images(tmp_path / "images" / "test", "test_0001.jpg")
    benchmark = load(f"path-vqa:{tmp_path}", allow_broken=True)
    first, second = benchmark.items
    assert (first.answer, second.answer, second.references) == (0, "renal cortex", ("renal cortex", "kidney"))
    assert first.cluster == second.cluster == "test_0001"
    assert [broken.where for broken in benchmark.broken] == ["test_vqa.json, row 2"]


def test_vqa_rad_on_the_hub(tmp_path):
    """The hub's copy has its splits; those that are told by ids need the published folder."""
    choice, asked = load(vqa_rad_on_hub(tmp_path)).items
    assert (choice.id, choice.answer, choice.kind) == ("vqa-rad/hub-test-1", 0, "choice")
    assert (asked.answer, asked.kind) == ("right lower lobe", "open")
    assert len(load(f"vqa-rad:{tmp_path},split=all").items) == 4
    with pytest.raises(DataError, match="of question ids"):
        load(f"vqa-rad:{tmp_path},split=mirage")


def test_pmc_vqa(tmp_path):
    """Letters come off the choices, the label is the key, and an answer that contradicts it is named."""
    (item,) = load(pmc_vqa(tmp_path)).items
    assert [each.text for each in item.options][:2] == ["Diffuse uptake pattern", "Focal uptake pattern"]
    assert (item.letter, item.cluster, item.images[0].encoded().data) == ("B", "PMC1064097_F1.jpg", ONE)
    assert load(f"pmc-vqa:{tmp_path}").about["odd"] == ()
    assert load(pmc_vqa(tmp_path, Answer_label="C")).about["odd"] == (
        ("pmc-vqa/test-clean-1", "its label is C, its answer reads 'Focal uptake pattern'"),
    )


def test_pmc_vqa_second_version(tmp_path):
    """Its columns were not seen: known ones are read, the caption is not, and others are refused."""
    pmc_vqa(tmp_path)
    row = {"index": 7, "Figure_path": "PMC1064097_F1.jpg", "Caption": "Focal uptake.", "Question": "Which pattern?"}
    row |= {"Choice A": "Diffuse", "Choice B": "Focal", "Choice C": "None", "Choice D": "Both", "Answer": "B"}
    table(tmp_path / "test_2.csv", [row])
    benchmark = load(f"pmc-vqa:{tmp_path},split=test-2")
    assert (benchmark.items[0].letter, benchmark.about["unverified"]) == ("B", True)
    assert "Focal uptake" not in repr(benchmark.items)
    table(tmp_path / "test_2.csv", [row | {"confidence": 1}])
    with pytest.raises(BrokenRowsError, match="'confidence', which the loader of PMC-VQA does not know"):
        load(f"pmc-vqa:{tmp_path},split=test-2")


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"gt_answer": "CT"}, "is none of its options"),
        ({"option_C": "x-ray!"}, "is more than one of its options"),
        ({"option_B": ""}, "it has no 'option_B'"),
        ({"rating": 3}, "'rating', which the loader of OmniMedVQA does not know"),
        ({"image_path": "Images/gone.png"}, "is not there"),
        ({"image_path": "../../etc/passwd"}, "outside the folder"),
    ],
)
def test_omnimedvqa(tmp_path, changed, reason):
    """The answer's spelling may differ in all but letters and digits; what fits no option, or two, is a broken row."""
    first, second = load(omnimedvqa(tmp_path)).items
    assert (first.letter, first.metadata["modality"]) == ("B", "CT(Computed Tomography)")
    assert (second.metadata["modality"], second.cluster) == ("CT", first.cluster)
    assert len(load(f"omnimedvqa:{tmp_path},split=restricted").items) == 1
    with pytest.raises(BrokenRowsError, match=re.escape(reason)):
        load(omnimedvqa(tmp_path, **changed))


def test_medxpertqa_as_on_the_hub(tmp_path):
    """Parquet below MM, names of images in a ZIP file that is not unpacked, and the list of options taken out."""
    (item,) = load(medxpertqa(tmp_path)).items
    assert (item.question, item.letter, item.category) == ("Which bone is broken?", "B", "Skeletal")
    assert [image.encoded().data for image in item.images] == [ONE, TWO]
    with pytest.raises(BrokenRowsError, match=r"MM-0-c\.png"):
        load(medxpertqa(tmp_path, images=["MM-0-c.png"]))
    (kept,) = load(f"medxpertqa:{tmp_path}", keep_unreadable=True).items
    assert isinstance(kept.images[0].source, Unreadable)


def test_microvqa(tmp_path):
    """All images in their order, the key by its index, versions with options of their own, and the first one open."""
    item, again = load(microvqa(tmp_path)).items
    assert (item.id, item.letter, item.category, len(item.images)) == ("microvqa/5", "C", "perception", 2)
    assert (item.cluster, again.letter) == (again.cluster, "A")
    worded = load(f"microvqa:{tmp_path},version=1").items[0]
    assert (worded.question, worded.letter, len(worded.options)) == ("Which is swollen?", "A", 2)
    asked = load(f"microvqa:{tmp_path},version=0").items[0]
    assert (asked.kind, asked.question) == ("open", "What is swollen here?")
    assert "someone" not in repr(item)
    with pytest.raises(BrokenRowsError, match="'choices_2'"):
        load(microvqa(tmp_path, question_2="Which?", correct_index_2=0) + ",version=2")
    with pytest.raises(DataError, match="no version '9'"):
        load(f"microvqa:{tmp_path},version=9")


def test_rexvqa(tmp_path):
    """Options lose their letters, images have their views as roles, and items of a patient are one cluster."""
    first, second = load(rexvqa(tmp_path)).items
    assert [each.text for each in first.options] == ["Right lower lobe", "Left upper lobe", "Lingula", "None"]
    assert (first.letter, second.letter, first.id) == ("A", "B", "rexvqa/q1")
    assert [image.role for image in first.images] == ["frontal", "lateral"]
    assert first.cluster == second.cluster
    with pytest.raises(BrokenRowsError, match="lettered B, A, C"):
        load(rexvqa(tmp_path, options=["B. x", "A. y", "C. z"]))


def test_rexvqa_tells_no_patient(tmp_path):
    """Patient, study, day, report and file names stand in no item, no error and no image that is missing."""
    rexvqa(tmp_path)
    lost = next(tmp_path.rglob("2.png"))
    lost.unlink()
    with pytest.raises(BrokenRowsError) as caught:
        load(f"rexvqa:{tmp_path}")
    kept = load(f"rexvqa:{tmp_path}", keep_unreadable=True)
    told = [str(caught.value), *map(repr, kept.items), *(image.name for item in kept for image in item.images)]
    told += [kept.items[0].images[0].fingerprint, *kept.by_id]
    for named in (PATIENT, STUDY, DAY, "061Y", "cough", "Pneumonia", "opacity in the right"):
        assert not [each for each in told if named in each], named


def test_pictures_in_parquet_are_read_when_asked(tmp_path, monkeypatch):
    """What is loaded holds no picture; a JPEG stays that JPEG; a file that changed since is not sent in its place."""
    import cv2

    noise = np.random.default_rng(0).integers(0, 255, (60, 60), np.uint8)
    jpeg = cv2.imencode(".jpg", noise)[1].tobytes()
    path = tmp_path / "data" / "test-00000-of-00001.parquet"
    rows = [{"image": picture(jpeg), "question": f"what is {number}?", "answer": "x"} for number in range(5)]
    shard(path, rows)
    items = load(f"path-vqa:{tmp_path}").items
    assert not [each for item in items for each in vars(item.images[0].source).values() if isinstance(each, bytes)]
    assert len({item.images[0].source for item in items}) == 1
    assert items[4].images[0].fingerprint == Image(jpeg).fingerprint
    sent = items[4].images[0].encoded()
    assert (sent.media_type, sent.data) == ("image/jpeg", Image(jpeg).encoded().data)
    shard(path, [row | {"image": picture(ONE)} for row in rows])
    os.utime(path, ns=(1, 1))
    with pytest.raises(ImageError, match="not what it was"):
        items[0].images[0].encoded()


def test_a_damaged_picture_breaks_its_row(tmp_path):
    """Also one that lies in a Parquet file; for an audit it is kept and says why."""
    line = path_vqa(tmp_path, image=picture(ONE[:-9]))
    with pytest.raises(BrokenRowsError, match="is cut off"):
        load(line)
    assert len(load(line, allow_broken=True).items) == 2
    kept = load(line, keep_unreadable=True).items
    assert [isinstance(item.images[0].source, Unreadable) for item in kept] == [False, True, False]


def test_an_audit_reads_every_picture(tmp_path):
    """A damaged one in a folder or in a ZIP file is kept and says why, however late pictures are read otherwise."""
    slake(tmp_path)
    (tmp_path / "imgs" / "xmlab2" / "source.jpg").write_bytes(TWO[:-9])
    pmc_vqa(tmp_path)
    with zipfile.ZipFile(tmp_path / "images.zip", "w") as packed:
        packed.writestr("images/PMC1064097_F1.jpg", ONE[:-9])
    for line, damaged in ((f"slake:{tmp_path}", [False, False, True]), (f"pmc-vqa:{tmp_path}", [True])):
        kept = load(line, keep_unreadable=True).items
        assert [isinstance(item.images[0].source, Unreadable) for item in kept] == damaged


def test_damaged_archives_and_tables_are_told(tmp_path):
    """A ZIP file that was cut off, one of another kind inside, and a Parquet file that is none."""
    pmc_vqa(tmp_path)
    whole = (tmp_path / "images.zip").read_bytes()
    (tmp_path / "images.zip").write_bytes(whole[:-30])
    with pytest.raises(DataError, match=r"images\.zip is not a whole ZIP file"):
        load(f"pmc-vqa:{tmp_path}")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "test.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(DataError, match=r"test\.parquet is not a whole Parquet file"):
        load(f"path-vqa:{tmp_path}")


def test_a_snapshot_of_the_hub_is_links(tmp_path, monkeypatch):
    """By its name on the hub or by `hf`: shards, tables and images that are links to files elsewhere in the cache."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:1")
    for number, (name, hub) in enumerate((("path-vqa", "flaviagiammarino/path-vqa"), ("slake", "BoKelvin/SLAKE"))):
        made = tmp_path / name
        made.mkdir()
        MADE[name](made)
        home = tmp_path / "cache" / f"datasets--{hub.replace('/', '--')}"
        (home / "refs").mkdir(parents=True)
        (home / "refs" / "main").write_text(str(number) * 40)
        for place, file in enumerate(sorted(path for path in made.rglob("*") if path.is_file())):
            blob = home / "blobs" / f"{place:040d}"
            blob.parent.mkdir(exist_ok=True)
            file.rename(blob)
            link = home / "snapshots" / (str(number) * 40) / file.relative_to(made)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(blob)
        by_name, by_hub = load(f"{name}:hf"), load(f"hf:{hub}")
        assert by_name.items == by_hub.items
        assert [item.images[0].encoded().data for item in by_hub] == [ONE, ONE, TWO]


def test_every_published_benchmark_stands_in_the_page():
    """The table of the docs has a row for each, with what its loader says of it."""
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "benchmarks.md").read_text()
    for name, about in published().items():
        splits = ", ".join(f"{split} {count:,}" if count else split for split, count in about.splits.items())
        access = f"{about.tier}, unverified" if about.unverified else about.tier
        cells = (f"`{name}`", f"{about.title}: {about.asks}", access, splits, ", ".join(about.kinds))
        row = f"| {' | '.join((*cells, about.clusters, about.licence))} |"
        assert f"\n{row}\n" in page, f"docs/how-to/benchmarks.md needs this row:\n{row}"


REAL = SHARED / "vqa-rad"
SPLIT = "vqa_rad_balanced_split_and_human_eval_inclusions.tsv"
without_vqa_rad = pytest.mark.skipif(
    not REAL.is_dir(), reason="the real VQA-RAD files are not at ../shared/data/vqa-rad"
)


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


def test_the_real_medxpertqa_in_parquet(tmp_path):
    """Real questions in a Parquet file of the hub's shape read as those of the published file."""
    file = SHARED / "medxpertqa-mm" / "medxpertqa_mm_input.jsonl.gz"
    if not file.exists():
        pytest.skip("the real MedXpertQA-MM file is not at ../shared/data/medxpertqa-mm")
    rows = [json.loads(line) | {"images": None} for line in gzip.decompress(file.read_bytes()).splitlines()[:300]]
    hub = [
        row | {"options": {each["letter"]: each["content"] for each in row["options"]}, "label": row["label"][0]}
        for row in rows
    ]
    shard(tmp_path / "MM" / "test-00000-of-00001.parquet", hub, group=100)
    (tmp_path / "mm.jsonl").write_text("\n".join(map(json.dumps, rows)))
    items = load(f"medxpertqa:{tmp_path}").items
    assert [(each.question, each.options, each.answer) for each in items] == [
        (each.question, each.options, each.answer) for each in load(f"medxpertqa:{tmp_path / 'mm.jsonl'}").items
    ]
