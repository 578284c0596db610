"""Exams and image sets as published: rows of their shape become items, and what is wrong with them is named."""

import csv
import json

import numpy as np
import openpyxl
import pyarrow
import pyarrow.parquet
import pytest

from films import film
from snellen import benchmarks
from snellen.benchmarks.mmmu import PRINTED
from snellen.conditions import ImageMismatched, OptionsShuffled, Pool, ReportForImage, vary
from snellen.errors import BrokenRowsError, DataError, Inapplicable, StudyError
from snellen.images import encode
from snellen.plugins import find
from snellen.prompts import MIRAGE, prompt_named
from snellen.reading import grade
from snellen.reading.outcomes import Outcome
from snellen.testing import check_dataset

MINE = (
    *("mmmu", "mmmu-pro", "video-mme", "video-mmmu", "europemedqa", "nejm-image-challenge", "jama-challenge"),
    *("bones-and-joints", "mediconfusion", "ddr", "kermany-oct", "brain-mri", "covid-cxr"),
)


def png(number):
    """A small picture that no other number has."""
    return encode(np.array([[number % 256, number // 256], [3, 4]], np.uint8)).data


def picture(path, number):
    """A file with a small picture."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(png(number))


def shards(path, rows):
    """A Parquet file of rows, where there is none yet."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)


def table(path, rows):
    """A CSV file of rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(dict.fromkeys(name for row in rows for name in row)))
        writer.writeheader()
        writer.writerows(rows)


def load(name, path, **settings):
    """The benchmark as its loader gives it."""
    return find("datasets", benchmarks.MEMBERS, name)(path, **settings)


def reasons(name, path, **settings):
    """Why the rows of a benchmark are broken."""
    with pytest.raises(BrokenRowsError) as caught:
        load(name, path, **settings)
    return [row.reason for row in caught.value.broken]


def test_prompts_that_they_name_exist_and_names_are_those_of_the_mirage_paper():
    """Each is known under its own name; three have a prompt in the Mirage paper, found by that name."""
    known = benchmarks.published()
    assert [known[name].name for name in MINE] == list(MINE)
    assert all(prompt_named(known[name].prompt) for name in MINE if known[name].prompt)
    asked_otherwise = {name for name in MINE if MIRAGE.for_benchmark(name) is not MIRAGE}
    assert asked_otherwise == {"mmmu-pro", "video-mme", "video-mmmu"}


# MMMU and MMMU-Pro

STANDARD = {
    "id": "test_Clinical_Medicine_7",
    "question": "<image 1> What does it show?",
    "options": "['Effusion', \"Hodgkin's\", 'Neither']",
    "explanation": "",
    "image_1": {"bytes": png(1), "path": "a.png"},
    "image_2": None,
    "img_type": "['CT']",
    "answer": "B",
    "topic_difficulty": "Easy",
}


def test_mmmu_reads_choices_open_questions_and_subjects(tmp_path):
    """Options written as a Python list, an open question with several answers, and medical subjects alone."""
    choice = {**STANDARD, "id": "validation_Clinical_Medicine_7", "question_type": "multiple-choice"}
    free = {**choice, "id": "validation_Math_2", "options": "[]", "answer": "['5', '5.0']", "question_type": "open"}
    shards(tmp_path / "Clinical_Medicine" / "validation-00000-of-00001.parquet", [choice])
    shards(tmp_path / "Math" / "validation-00000-of-00001.parquet", [free])
    both = load("mmmu", tmp_path)
    check_dataset(both, benchmarks.load(f"mmmu:{tmp_path}"))
    item, other = both.items
    assert (item.answer, item.options[1].text, item.category) == (1, "Hodgkin's", "Clinical Medicine")
    assert (other.kind, other.references) == ("open", ("5", "5.0"))
    assert [each.id for each in load("mmmu", tmp_path, subjects="medical")] == [item.id]
    with pytest.raises(DataError, match="no subject 'surgery'"):
        load("mmmu", tmp_path, subjects="surgery")
    with pytest.raises(DataError, match="no split 'test'"):
        load("mmmu", tmp_path, split="test")


def test_mmmu_pro_names_what_is_wrong_with_a_row(tmp_path):
    """A key that is none of the options, an image that is spoken of and not there, and options that are no list."""
    rows = [
        {**STANDARD, "answer": "J"},
        {**STANDARD, "question": "Compare <image 1> and <image 2>."},
        {**STANDARD, "options": "Effusion, or not"},
    ]
    shards(tmp_path / "standard (10 options)" / "test-00000-of-00001.parquet", rows)
    assert [reason[:40] for reason in reasons("mmmu-pro", tmp_path)] == [
        "its answer 'J' is none of its options; e",
        "it speaks of <image 2>, and its column '",
        "its options look like JSON and are not: ",
    ]


def test_a_question_printed_in_an_image_has_letters_for_options_that_stay_in_place(tmp_path):
    """The image holds the question: a fixed sentence is asked, and options that it prints cannot be shuffled."""
    row = {
        "id": "test_Pharmacy_1",
        "image": {"bytes": png(2), "path": None},
        "options": "['Aspirin', 'Heparin', 'Insulin']",
        "answer": "C",
        "subject": "Pharmacy",
    }
    shards(tmp_path / "vision" / "test-00000-of-00001.parquet", [row])
    [item] = load("mmmu-pro", tmp_path, split="vision")
    assert (item.question, [each.text for each in item.options], item.letter) == (PRINTED, list("ABC"), "C")
    assert item.metadata["printed_options"] == ["Aspirin", "Heparin", "Insulin"]
    with pytest.raises(Inapplicable, match="printed in the image"):
        OptionsShuffled().draw(item, np.random.default_rng(0), Pool((item,)))


# Videos


def test_questions_about_one_video_share_its_frames(tmp_path):
    """Video-MME finds a video by its id, takes the letters off its options, and keeps its questions together."""
    row = {
        "video_id": "001",
        "duration": "short",
        "domain": "Knowledge",
        "videoID": "fFjv93ACGo8",
        "question_id": "001-1",
        "question": "What is shown first?",
        "options": ["A. Apples.", "B. Candles."],
        "answer": "B",
    }
    rows = [row, {**row, "question_id": "001-2", "duration": "long"}]
    shards(tmp_path / "videomme" / "test-00000-of-00001.parquet", rows)
    assert "expected data/fFjv93ACGo8.mp4" in reasons("video-mme", tmp_path)[0]
    (tmp_path / "data").mkdir()
    film(tmp_path / "data" / "fFjv93ACGo8.mp4")
    first, second = load("video-mme", tmp_path, frames=3)
    assert [image.role[:12] for image in first.images] == ["frame 1 of 3", "frame 2 of 3", "frame 3 of 3"]
    assert (first.cluster, [each.text for each in first.options], first.answer) == (
        second.cluster,
        ["Apples.", "Candles."],
        1,
    )
    assert [item.id for item in load("video-mme", tmp_path, split="long")] == ["001-2"]


def test_a_lecture_has_a_question_of_every_track(tmp_path):
    """Video-MMMU's tracks share their ids, so that an item's id names its track; without options it is open."""
    row = {"id": "dev_Pharmacy_3", "question": "Which dose?", "options": ["1 g", "2 g"], "answer": "A"}
    for track in ("Perception", "Comprehension"):
        shards(tmp_path / track / "test-00000-of-00001.parquet", [{**row, "question_type": "perception"}])
    free = {**row, "question": "What of <image 1>?", "options": None, "answer": "42"}
    shards(tmp_path / "Adaptation" / "test-00000-of-00001.parquet", [free])
    (tmp_path / "Medicine").mkdir()
    film(tmp_path / "Medicine" / "dev_Pharmacy_3.mp4")
    assert load("video-mmmu", tmp_path, split="adaptation").items[0].metadata["image_in_video"]
    film(tmp_path / "Medicine" / "dev_Pharmacy_3_image.mp4")
    items = load("video-mmmu", tmp_path, frames=2).items
    assert [(item.id, item.kind, len(item.images)) for item in items] == [
        ("dev_Pharmacy_3/perception", "choice", 2),
        ("dev_Pharmacy_3/comprehension", "choice", 2),
        ("dev_Pharmacy_3/adaptation", "open", 3),
    ]
    assert {item.cluster for item in items} == {"dev_Pharmacy_3"}
    assert items[2].images[2].role == "the image that the question shows"
    shards(tmp_path / "Perception" / "test-00000-of-00001.parquet", [{**row, "hint": "the second"}])
    assert "'hint', which the loader of Video-MMMU does not know" in reasons("video-mmmu", tmp_path)[0]


# Exams and challenges


def test_the_italian_exam_is_read_from_its_sheet(tmp_path):
    """Images are found in any case or by the question's id; questions that were taken back are broken rows."""
    book = openpyxl.Workbook()
    book.active.title = "Other"
    sheet = book.create_sheet("SSM_Q_ITA")
    header = ["questionID", "question_text", *(f"option_{letter}" for letter in "abcde"), "correct_option"]
    sheet.append([*header, "picture_link", "domain", "nullified"])
    options = ["Infarto", "Fibrillazione", "Blocco", "Normale", "Nessuna"]
    sheet.append(["IT0006", "Che cosa mostra?", *options, "A", "IT0006.PNG", "Cardiology", None])
    sheet.append(["IT0007", "E questa?", *options, "e", "it7.png", "Cardiology", None])
    sheet.append(["IT0008", "Quale farmaco?", *options, "B", None, "Pharmacology", None])
    sheet.append(["IT0009", "Quale dose?", *options, "B", None, "Pharmacology", True])
    book.save(tmp_path / "EuropeMedQA_Dataset.xlsx")
    picture(tmp_path / "images" / "it0006.png", 1)
    picture(tmp_path / "images" / "image_IT0007.png", 2)
    assert reasons("europemedqa", tmp_path) == ["its examiners took the question back, so that no answer counts"]
    items = load("europemedqa", tmp_path, allow_broken=True).items
    assert [(item.id, item.letter, len(item.images), item.language) for item in items] == [
        ("IT0006", "A", 1, "it"),
        ("IT0007", "E", 1, "it"),
        ("IT0008", "B", 0, "it"),
    ]
    assert len(load("europemedqa", tmp_path, split="images")) == 2


def test_a_picture_of_the_week_is_found_by_its_date(tmp_path):
    """NEJM's question has its options, its key and the readers' votes; a picture that is missing is named."""
    row = {
        "image_id": 1,
        "date": "apr-01-2010",
        "question": "What is the diagnosis?",
        "relevant_context": "no",
        **{f"option_{letter}": text for letter, text in zip("ABC", ("Measles", "Scabies", "Rubella"), strict=True)},
        **{f"option_{letter}_votes": f"{share}%" for letter, share in zip("ABC", (12, 62, 26), strict=True)},
        "option_most_voted": "B",
        "correct_answer": "B",
        "total_number_votes": "96521",
        "brier_score": 0.037,
    }
    (tmp_path / "image_challenge_dataset_20231223.json").write_text(json.dumps([row, {**row, "image_id": 2}]))
    picture(tmp_path / "images" / "IC20100401.png", 1)
    first, _ = load("nejm-image-challenge", tmp_path)
    assert (first.letter, first.metadata["votes"]) == ("B", {"A": 0.12, "B": 0.62, "C": 0.26})
    (tmp_path / "images" / "IC20100401.png").unlink()
    assert "'images/IC20100401.jpg' is not there" in reasons("nejm-image-challenge", tmp_path)[0]


def test_columns_that_were_added_to_a_published_file_are_read_by_a_map(tmp_path):
    """Under our names they count by themselves; under others a map names them, and no other field."""
    rows = [
        {"image_id": at, "question": "What is it?", "option_A": "x", "option_B": "y", "correct_answer": "A"}
        | {"specialty": "eye", "modality": "CT"}
        for at in (1, 2)
    ]
    (tmp_path / "image_challenge_dataset.json").write_text(json.dumps(rows))
    for at in (1, 2):
        picture(tmp_path / "images" / f"{at:04}.png", at)
    line = f"nejm-image-challenge:{tmp_path}"
    plain, mapped = benchmarks.load(line), benchmarks.load(f"{line},map=category:specialty/body_part:specialty")
    assert {(item.category, item.metadata["modality"]) for item in plain} == {("", "CT")}
    assert {(item.category, item.metadata["body_part"]) for item in mapped} == {("eye", "eye")}
    assert mapped.name == plain.name
    with pytest.raises(StudyError, match="no column 'kind'; its columns are"):
        benchmarks.load(f"{line},map=modality:kind")
    with pytest.raises(StudyError, match="reads 'answer' itself"):
        benchmarks.load(f"{line},map=answer:specialty")


def test_a_case_without_its_image_is_no_question_about_text(tmp_path):
    """JAMA's file names no images: they are found by the article's number, or the row is broken; keys must agree."""
    row = {
        "id": 0,
        "link": "https://example.org/journals/fullarticle/2822206",
        "question": "A man has papules. What would you do next?",
        **dict(zip(("opa", "opb", "opc", "opd"), ("A. Biopsy", "B. Wait", "C. Steroids", "D. Surgery"), strict=True)),
        "answer_idx": "A",
        "answer": "Biopsy",
        "field": "Dermatology",
    }
    other = {**row, "link": "https://example.org/journals/fullarticle/17", "answer": "Wait"}
    (tmp_path / "jama_raw.json").write_text(json.dumps([row, other]))
    assert [reason[:48] for reason in reasons("jama-challenge", tmp_path)] == [
        "none of the images is called 2822206; put it bes",
        "its answer_idx A means 'Biopsy', and its answer ",
    ]
    for name, number in {"2822206.png": 1, "2822206_2.png": 2, "28222061.png": 3}.items():
        picture(tmp_path / "images" / name, number)
    [item] = load("jama-challenge", tmp_path, allow_broken=True)
    assert (item.options[0].text, len(item.images)) == ("Biopsy", 2)
    [item] = load("jama-challenge", tmp_path, allow_broken=True, images="none")
    assert item.images == ()


def test_tasks_of_the_pathway_are_told_by_row_or_file(tmp_path):
    """Bones & Joints: a choice and a diagnosis in words with its history; a column nobody described is refused."""
    choice = {"id": "1", "question": "Which tear?", "A": "ACL", "B": "PCL", "answer": "A", "image": "a.png"}
    (tmp_path / "task_III.json").write_text(json.dumps([choice]))
    case = {"task": "IV", "case": "c1", "question": "Diagnosis?", "history": "A fall.", "answer": "ACL tear"}
    (tmp_path / "cases.json").write_text(json.dumps([{**case, "image": "a.png", "region": "knee"}]))
    picture(tmp_path / "a.png", 1)
    diagnosis, tear = load("bones-and-joints", tmp_path).items
    assert (diagnosis.id, diagnosis.kind, diagnosis.cluster, diagnosis.category) == (
        "diagnosis/c1",
        "open",
        "c1",
        "knee",
    )
    assert diagnosis.context == "History: A fall."
    assert (tear.id, tear.letter) == ("image/1", "A")
    assert [item.id for item in load("bones-and-joints", tmp_path, split="image")] == ["image/1"]
    (tmp_path / "cases.json").write_text(json.dumps([case, {**case, "mood": "good"}]))
    assert [reason[:30] for reason in reasons("bones-and-joints", tmp_path)] == [
        "its task shows an image, and i",
        "it has the columns 'mood', whi",
    ]


def test_the_region_of_a_case_is_its_body_part_and_its_report_is_read(tmp_path):
    """So task VIII finds images of other regions, and text-only models get the report; neither needs a modality."""
    case = {"task": "IV", "question": "Diagnosis?", "history": "Her knee hurts.", "answers": ["ACL tear", "torn ACL"]}
    rows = [{**case, "case": f"c{at}", "region": part, "image": f"{at}.png", "report": "A tear."}
            for at, part in enumerate(("knee", "shoulder"))]  # fmt: skip
    (tmp_path / "cases.json").write_text(json.dumps(rows))
    for at in range(2):
        picture(tmp_path / f"{at}.png", at)
    knee, shoulder = load("bones-and-joints", tmp_path).items
    other, control = (vary(knee, ImageMismatched(donor), seed=0, pool=Pool([knee, shoulder])).item
                      for donor in ("anatomy", "none"))  # fmt: skip
    assert other.images == shoulder.images
    assert other.references == ("The image does not fit the text: it shows shoulder.",)
    assert control.references == ("Image and text fit: no contradiction is to be named.",)
    outcomes = [grade("Diagnosis: gout.", "stop", item, "match").outcome for item in (other, control)]
    assert outcomes == [Outcome.WRONG, Outcome.CORRECT]
    told = vary(knee, ReportForImage(), seed=0, pool=Pool([])).item
    assert (told.images, told.context.endswith("Radiology report:\nA tear.")) == ((), True)


# Pairs of images


def test_each_image_of_a_pair_has_the_other_for_its_substitute(tmp_path):
    """MediConfusion: the same question twice, the other image shows the other option, shared images one cluster."""
    row = {
        "": 0,
        "id": 10001,
        "im_1_local": 20192,
        "im_2_local": 20053,
        "category_1": "['Cerebral', 'Vascular']",
        "category_2": "['Cerebral']",
        "question": "What does the angiogram show?",
        "option_A": "An ending artery",
        "option_B": "A pseudoaneurysm",
        "im_1_correct": "B",
        "im_2_correct": "A",
    }
    shared = {**row, "id": 10002, "im_1_local": 20053, "im_2_local": 7, "im_1_correct": "A", "im_2_correct": "B"}
    alike = {**row, "id": 10003, "im_1_local": 8, "im_2_local": 9, "im_1_correct": "A", "im_2_correct": "A"}
    for number in (20192, 20053, 7, 8, 9):
        picture(tmp_path / "data" / "images" / f"{number}.png", number)
    table(tmp_path / "data" / "dataset.csv", [row, shared])
    items = load("mediconfusion", tmp_path).items
    first, second = items[:2]
    assert (first.letter, second.letter, first.question == second.question) == ("B", "A", True)
    assert first.substitutes[0].images == second.images
    assert first.substitutes[0].shows == "An ending artery"
    assert first.substitutes[0].lent_by == second.id
    assert len({item.cluster for item in items}) == 1
    table(tmp_path / "data" / "dataset.csv", [row, alike])
    assert set(reasons("mediconfusion", tmp_path)) == {
        "one option is right for both of its images, expected one for each"
    }


# Image sets


def test_photographs_stand_in_groups_by_quality(tmp_path):
    """DDR: grades become classes as in the artefacts paper; what nobody can grade has no right option."""
    grades = {"a": 0, "b": 1, "c": 2, "d": 4, "e": 5, "f": 0, "g": 3}
    folder = tmp_path / "DR_grading"
    for number, name in enumerate(grades):
        picture(folder / "test" / f"{name}.png", number)
    (folder / "test.txt").write_text("".join(f"{name}.png {grade}\n" for name, grade in grades.items()))
    with pytest.raises(DataError, match=r"no 'quality.csv' beside the grades"):
        load("ddr", tmp_path, groups="real-artefacts")
    said = dict(zip("abcdfg", ("high", "low", "high", "low", "ungradable", "high"), strict=True))
    table(folder / "quality.csv", [{"image": f"{name}.png", "quality": each} for name, each in said.items()])
    found = load("ddr", tmp_path, groups="real-artefacts", per_class="all").items
    truth = {item.metadata["file"]: (item.metadata["quality"], item.answer) for item in found}
    high, low, unreadable = ("high", 1), ("low", 1), ("ungradable", None)
    assert truth == {f"test/{name}.png": each for name, each in {
        "a": high, "b": low, "c": ("high", 0), "d": ("low", 0), "e": unreadable, "f": unreadable, "g": ("high", 0),
    }.items()}  # fmt: skip
    assert {len(item.options) for item in found} == {2}
    assert not any(name in item.id for item in found for name in ("diabetic", "normal", ".png"))
    assert {item.metadata["quality"] for item in load("ddr", tmp_path)} == {"high", "low"}
    (folder / "test.txt").write_text("a.png 0\nb.png 7\nc.png 2\nd.png 4\ne.png 5\n")
    table(folder / "quality.csv", [{"image": "e.png", "quality": "high"}])
    assert sorted(reason[:20] for reason in reasons("ddr", tmp_path)) == [
        "expected a file's na",
        "its grade 5 means un",
    ]


def test_a_table_of_your_own_may_say_the_quality_of_its_images(tmp_path):
    """Where nobody can grade an image its answer may be missing; anywhere else it may not."""
    row = {"question": "Tumour?", "options": ["yes", "no"], "image": "a.png", "quality": "Ungradable"}
    picture(tmp_path / "a.png", 1)
    (tmp_path / "items.jsonl").write_text(json.dumps(row))
    [item] = benchmarks.load(tmp_path)
    assert (item.answer, item.ungradable) == (None, True)
    with pytest.raises(Inapplicable, match="nobody can grade"):
        OptionsShuffled().draw(item, np.random.default_rng(0), Pool((item,)))
    (tmp_path / "items.jsonl").write_text(json.dumps({**row, "quality": "low"}))
    assert reasons("folder", tmp_path)[0].startswith("it has no 'answer' or 'target'")


def test_folders_of_oct_and_mri_are_found_and_asked_about_in_the_papers_words(tmp_path):
    """The split's folder is found, the patient is told by the file's name, and a detection is balanced."""
    for at, name in enumerate(("CNV/CNV-17-1", "CNV/CNV-17-2", "DRUSEN/DRUSEN-3-1", "NORMAL/NORMAL-4-1")):
        picture(tmp_path / "OCT2017" / "test" / f"{name}.png", at)
    scans = load("kermany-oct", tmp_path, per_class="all").items
    assert {item.cluster for item in scans} == {"CNV/17", "DRUSEN/3", "NORMAL/4"}
    assert {tuple(each.text for each in item.options) for item in scans} == {("retinal diseases", "normal")}
    for at, name in enumerate(("glioma/a", "notumor/b", "meningioma/c", "pituitary/d")):
        picture(tmp_path / "Testing" / f"{name}.png", at)
    slices = load("brain-mri", tmp_path, task="diagnosis")
    assert sorted(item.options[item.answer].text for item in slices) == ["glioma", "meningioma", "normal", "pituitary"]
    assert slices.about["licence"].startswith("CC0")


def test_chest_x_rays_are_sorted_by_their_findings(tmp_path):
    """COVID CXR: frontal X-rays of four classes with each image's licence; what is left out is counted."""
    finding = {
        "a": "Pneumonia/Viral/COVID-19",
        "b": "Pneumonia/Bacterial/Streptococcus",
        "c": "No Finding",
        "d": "Tuberculosis",
        "e": "No Finding",
        "f": "No Finding",
    }
    rows = [
        {
            "patientid": at // 2,
            "finding": each,
            "view": "L" if name == "e" else "PA",
            "modality": "CT" if name == "f" else "X-ray",
            "folder": "images",
            "filename": f"{name}.png",
            "license": "CC BY 4.0",
            "": "",
        }
        for at, (name, each) in enumerate(finding.items())
    ]
    table(tmp_path / "metadata.csv", rows)
    for at, name in enumerate("abc"):
        picture(tmp_path / "images" / f"{name}.png", at)
    found = load("covid-cxr", tmp_path, per_class="all")
    assert {item.metadata["file"]: item.letter for item in found} == {
        "images/a.png": "A",
        "images/b.png": "A",
        "images/c.png": "B",
    }
    assert {item.metadata["licence"] for item in found} == {"CC BY 4.0"}
    assert {name: count for name, count in found.about.items() if name.startswith("ignored")} == {
        "ignored, another finding, or none known": 1,
        "ignored, no X-ray": 1,
        "ignored, not frontal": 1,
    }
    assert len({item.cluster for item in found}) == 2
