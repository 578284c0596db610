"""Classes: which images of a sorted folder are asked about, and how what is broken in it is named."""

import os
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snellen import benchmarks
from snellen.benchmarks import classes
from snellen.benchmarks.detection import TASKS
from snellen.errors import BrokenRowsError, DataError, StudyError
from snellen.images import encode
from snellen.prompts import prompt_named
from snellen.testing import check_dataset

REAL = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "sample-images"
BRAINS = {"glioma": 7, "meningioma": 5, "pituitary": 9, "notumor": 30}


def png(number):
    """A small picture that no other number has."""
    return encode(np.array([[number % 256, number // 256], [3, 4]], np.uint8)).data


def write(root, **files):
    """A folder with files by path, `/` written as `__` and endings left out; a number is a picture."""
    for name, number in files.items():
        path = root / f"{name.replace('__', '/')}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(png(number))
    return root


def fill(root, counts):
    """A folder with so many different pictures in each class."""
    number = 0
    for label, count in counts.items():
        for at in range(count):
            write(root, **{f"{label}__{at:03d}": (number := number + 1)})
    return root


@pytest.fixture(scope="module")
def brains(tmp_path_factory):
    """A folder sorted as the paper's MRI set is."""
    return fill(tmp_path_factory.mktemp("mri") / "brains", BRAINS)


def reasons(root, **settings):
    """Which rows of a folder are broken, and why."""
    with pytest.raises(BrokenRowsError) as caught:
        classes.load(root, **settings)
    return {row.item_id: row.reason for row in caught.value.broken}


def labels(benchmark):
    """How many items each class has."""
    return Counter(item.metadata["class"] for item in benchmark)


# Items


def test_an_image_becomes_a_question(tmp_path):
    """Path, question, options, answer, image, modality and class arrive; the benchmark has the folder's name."""
    benchmark = classes.load(write(tmp_path / "mine", glioma__a=1, normal__b=2))
    assert (benchmark.name, len(benchmark)) == ("mine", 2)
    [item] = [each for each in benchmark if each.metadata["file"] == "glioma/a.png"]
    assert "glioma" not in item.id
    assert [option.text for option in item.options] == ["glioma", "normal"]
    assert (item.answer, item.kind, item.category, item.language) == (0, "choice", "MRI", "en")
    assert item.images[0].path == (tmp_path / "mine" / "glioma" / "a.png").resolve()
    assert dict(item.metadata) == {
        "task": "detection",
        "normal": "normal",
        "modality": "MRI",
        "body_part": "head",
        "class": "glioma",
        "file": "glioma/a.png",
    }
    assert [each.answer for each in benchmark if each.metadata["file"] == "normal/b.png"] == [1]


def test_a_line_gives_the_settings(brains):
    """The member is found by its name; settings of the line are read and stand in the benchmark's name."""
    benchmark = benchmarks.load(f"classes:{brains},modality=brain MRI,task=diagnosis,per_class=2,seed=4")
    assert benchmark.name == "brains:modality=brain MRI,task=diagnosis,per_class=2,seed=4"
    assert len(benchmark) == 8
    assert dict(benchmark.about) == {
        "task": "diagnosis",
        "modality": "MRI",
        "seed": 4,
        "per_class": 2,
        "images": "2 of 7 glioma, 2 of 5 meningioma, 2 of 30 notumor, 2 of 9 pituitary",
    }


def test_the_answer_key_is_not_in_the_request(brains):
    """All images of a folder are asked about in the same words, which hold no path."""
    prompt = prompt_named("detection")
    rendered = {prompt.render(item) for item in classes.load(brains)}
    assert len(rendered) == 1
    assert not any(".png" in text or "notumor" in text for text in rendered.pop())


# The draw


def test_a_detection_is_balanced_and_its_diseases_take_turns(brains):
    """So many normal, as many diseased, each disease as often as it can be."""
    assert labels(classes.load(brains, per_class=9)) == {"notumor": 9, "glioma": 3, "meningioma": 3, "pituitary": 3}
    assert labels(classes.load(brains, per_class=18)) == {"notumor": 18, "glioma": 7, "meningioma": 5, "pituitary": 6}


def test_the_rarest_answer_limits_all(brains):
    """Where one answer has fewer images than asked for, the others have no more; `all` takes every image as it is."""
    assert labels(classes.load(brains)) == {"notumor": 21, "glioma": 7, "meningioma": 5, "pituitary": 9}
    assert set(labels(classes.load(brains, task="diagnosis")).values()) == {5}
    assert labels(classes.load(brains, per_class="all")) == BRAINS
    assert labels(benchmarks.load(f"classes:{brains},per_class=all,task=diagnosis")) == BRAINS


@settings(max_examples=25, deadline=None)
@given(fewer=st.integers(1, 21), more=st.integers(0, 21), seed=st.integers(0, 2**40), task=st.sampled_from(TASKS))
def test_a_smaller_draw_is_the_beginning_of_a_larger_one(brains, fewer, more, seed, task):
    """Without replacement, and an image's place depends on the seed only."""
    few, many = (classes.load(brains, per_class=n, seed=seed, task=task).items for n in (fewer, fewer + more))
    assert few == many[: len(few)]
    assert len({item.id for item in many}) == len(many)
    answers = [item.answer for item in many]  # they alternate, so that a limit keeps them balanced
    assert answers == [at % (2 if task == "detection" else 4) for at in range(len(many))]


def test_another_class_does_not_change_the_draw(brains, tmp_path):
    """What is drawn of a class does not depend on the others."""
    few = fill(tmp_path / "brains", {"notumor": 30, "pituitary": 9})
    one, two = (classes.load(root, per_class=5, modality="MRI") for root in (brains, few))
    drawn = [[item.metadata["file"] for item in each if item.metadata["class"] == "notumor"] for each in (one, two)]
    assert drawn[0] == drawn[1]


def test_every_image_is_as_likely_as_the_others(brains):
    """Over many seeds each of 30 normal images is drawn about equally often."""
    tally = Counter(
        item.metadata["file"]
        for seed in range(150)
        for item in classes.load(brains, per_class=2, seed=seed)
        if item.answer == 1
    )
    assert len(tally) == 30
    assert max(tally.values()) < 25


# Patients


def test_a_sub_folder_of_a_class_is_a_patient(tmp_path):
    """Images of one sub-folder share a cluster, however deep they lie; without one each has its own."""
    root = write(tmp_path, glioma__p1__a=1, glioma__p1__late__b=2, glioma__p2__a=3, normal__p1__a=4, normal__b=5)
    found = {item.metadata["file"]: item.cluster for item in classes.load(root, per_class="all")}
    assert found == {
        "glioma/p1/a.png": "glioma/p1",
        "glioma/p1/late/b.png": "glioma/p1",
        "glioma/p2/a.png": "glioma/p2",
        "normal/p1/a.png": "normal/p1",
        "normal/b.png": "normal/b.png",
    }


def test_a_folder_of_all_images_is_no_patient(tmp_path):
    """`images` inside a class holds them all; the folder of masks beside it is left out and counted."""
    root = write(tmp_path, COVID__images__1=1, COVID__images__p__2=2, COVID__masks__1=3, Normal__images__1=4)
    benchmark = classes.load(root, per_class="all")
    assert {item.cluster for item in benchmark} == {"COVID/images/1.png", "COVID/p", "Normal/images/1.png"}
    assert benchmark.about["ignored, folders of masks"] == 1


def test_the_public_oct_sets_names_tell_the_patient(tmp_path):
    """CNV-1016042-1 and -2 are one patient's; a name with another class or without numbers tells nothing."""
    names = {"CNV-1016042-1": 1, "CNV-1016042-2": 2, "DME-1016042-2": 3, "CNV-7": 4}
    root = write(tmp_path, **{f"CNV__{name}": number for name, number in names.items()}, NORMAL__a=9)
    found = {item.metadata["file"]: item.cluster for item in classes.load(root, per_class="all")}
    assert found["CNV/CNV-1016042-1.png"] == found["CNV/CNV-1016042-2.png"] == "CNV/1016042"
    assert found["CNV/DME-1016042-2.png"] == "CNV/DME-1016042-2.png"
    assert found["CNV/CNV-7.png"] == "CNV/CNV-7.png"


def test_copies_of_a_picture_are_one_patients(tmp_path):
    """Two files with the same bytes under one answer are counted as one patient."""
    root = write(tmp_path, glioma__a=1, pituitary__b=1, glioma__c=2, normal__d=3)
    found = {item.metadata["file"]: item.cluster for item in classes.load(root, per_class="all")}
    assert found["glioma/a.png"] == found["pituitary/b.png"]
    assert found["glioma/c.png"] == "glioma/c.png"


def test_one_picture_under_two_answers_is_broken(tmp_path):
    """A picture that is said to be both normal and diseased, or of two diseases, has no answer."""
    root = write(tmp_path, glioma__a=1, glioma__b=2, normal__c=1, normal__d=3)
    (found,) = reasons(root).items()
    assert found == ("normal/c.png", "it is the same image as glioma/a.png, which has another answer")
    root = write(tmp_path / "more", glioma__a=1, pituitary__b=1, normal__d=3)
    assert len(classes.load(root, per_class="all")) == 3
    assert list(reasons(root, task="diagnosis")) == ["pituitary/b.png"]


# What else lies there


def test_what_is_no_image_is_counted(tmp_path):
    """Hidden files, files of other kinds and files beside the classes are passed over, and `about` says how many."""
    root = write(tmp_path, glioma__a=1, normal__b=2, normal__UPPER=3)
    (root / "normal" / "UPPER.png").rename(root / "normal" / "UPPER.JPG")
    for name in (".DS_Store", "README.md", "lost.png", "glioma/._a.png", "glioma/notes.txt", "glioma/png"):
        (root / name).write_bytes(b"x")
    for name in (".git", "__MACOSX/glioma", "normal/.thumbnails"):
        (root / name).mkdir(parents=True)
    benchmark = classes.load(root, per_class="all")
    assert {item.metadata["file"] for item in benchmark} == {"glioma/a.png", "normal/b.png", "normal/UPPER.JPG"}
    assert {name: n for name, n in benchmark.about.items() if name.startswith("ignored")} == {
        "ignored, hidden": 5,
        "ignored, no images": 2,
        "ignored, outside a class": 2,
    }


def test_a_damaged_image_is_a_broken_row(tmp_path):
    """It is named with its path and reason, and can be left out."""
    root = write(tmp_path, glioma__a=1, glioma__b=2, normal__c=3, normal__d=4)
    (root / "glioma" / "b.png").write_bytes(png(2)[:-5])
    (root / "normal" / "c.png").write_text("not a picture")
    found = reasons(root)
    assert "cut off" in found["glioma/b.png"]
    assert "not a readable image" in found["normal/c.png"]
    benchmark = classes.load(root, allow_broken=True)
    assert {item.metadata["file"] for item in benchmark} == {"glioma/a.png", "normal/d.png"}
    assert len(benchmark.broken) == 2


def test_only_images_that_are_asked_about_are_read(tmp_path):
    """A damaged file that was not drawn stops nothing: public sets have a hundred thousand files."""
    root = fill(tmp_path, {"glioma": 40, "normal": 40})
    drawn = {item.metadata["file"] for item in classes.load(root, per_class=3)}
    for label in ("glioma", "normal"):
        for path in (root / label).iterdir():
            if f"{label}/{path.name}" not in drawn:
                path.write_bytes(b"")
    assert {item.metadata["file"] for item in classes.load(root, per_class=3)} == drawn


def test_links_out_of_the_folder_are_refused(tmp_path):
    """Neither a file nor a folder outside is read, also of a class without another; a link to a file inside is."""
    outside = write(tmp_path / "outside", x=90, glioma__y=91)
    root = write(tmp_path / "mine", glioma__a=1, normal__b=2)
    (root / "glioma" / "inside.png").symlink_to(root / "glioma" / "a.png")
    assert len(classes.load(root, per_class="all")) == 3
    (root / "glioma" / "out.png").symlink_to(outside / "x.png")
    (root / "glioma" / "patient").symlink_to(outside / "glioma", target_is_directory=True)
    (root / "meningioma").symlink_to(outside / "glioma", target_is_directory=True)
    (root / "normal" / "gone.png").symlink_to(root / "nowhere.png")
    (root / "normal" / "round.png").symlink_to(root / "normal" / "round.png")
    (root / "circle").symlink_to(root / "circle")
    (root / "drusen").mkdir()
    (root / "drusen" / "alone.png").symlink_to(outside / "x.png")
    (tmp_path / "here").symlink_to(root, target_is_directory=True)
    found = reasons(root, per_class=1, modality="MRI")
    assert found == reasons(tmp_path / "here", per_class=1, modality="MRI")
    assert set(found) == {
        "glioma/out.png",
        "glioma/patient",
        "drusen/alone.png",
        "meningioma",
        "circle",
        "normal/gone.png",
        "normal/round.png",
    }
    assert found["glioma/out.png"] == "it is a link that leads to no file inside the folder"
    assert "link to a folder" in found["meningioma"]


def test_a_file_whose_name_is_no_text_is_broken(tmp_path):
    """Such a name cannot be an id; the rest of the folder is read."""
    root = write(tmp_path, glioma__a=1, normal__b=2, normal__c=3)
    try:
        (root / "normal" / "b.png").rename(os.fsdecode(os.fsencode(root) + b"/normal/\xff.png"))
    except OSError:
        pytest.skip("this file system takes no such name")
    assert reasons(root, per_class="all") == {"normal/?.png": "its file name is not valid text; rename it"}
    benchmark = classes.load(root, per_class="all", allow_broken=True)
    assert {item.metadata["file"] for item in benchmark} == {"glioma/a.png", "normal/c.png"}
    assert orjson.dumps(([*map(list, benchmark.broken)], dict(benchmark.about)))


# What cannot be


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"task": "triage"}, "Expected task to be one of detection, diagnosis, got 'triage'"),
        ({"per_class": 0}, "per_class to be 1 or more, or all; got 0"),
        ({"per_class": "some"}, "'some'"),
        ({"per_class": 1.5}, "1.5"),
        ({"seed": -1}, "seed of 0 or more, got -1"),
        ({"seed": "x"}, "'x'"),
        ({"abnormal": "healthy"}, "got abnormal='healthy', which means normal"),
    ],
)
def test_settings_that_make_no_sense_are_refused(brains, chosen, said):
    """A setting out of range is named in the error."""
    with pytest.raises(StudyError, match=said):
        classes.load(brains, **chosen)


@pytest.mark.parametrize(
    ("line", "usage"),
    [
        ("classes", "Write classes:PATH"),
        ("classes:{},color=red", r"no setting 'color'\. Settings: path, allow_broken, keep_unreadable, modality, task"),
        ("classes:{},more", r"'more' sets nothing.* Settings: path, allow_broken, keep_unreadable, modality, task"),
    ],
)
def test_a_line_that_cannot_be_read_says_what_is_expected(brains, line, usage):
    """A missing path, an unknown setting or a second path is a StudyError with the usage."""
    with pytest.raises(StudyError, match=usage):
        benchmarks.load(line.format(brains))


def test_a_number_can_name_the_normal_class(tmp_path):
    """A line reads 0 as a number; a folder may be called so."""
    root = write(tmp_path / "grades", **{"0__a": 1, "2__b": 2, "3__c": 3})
    benchmark = benchmarks.load(f"classes:{root},normal=0,modality=fundus,per_class=all")
    assert {item.metadata["file"]: item.options[item.answer].text for item in benchmark} == {
        "0/a.png": "normal",
        "2/b.png": "diabetic retinopathy",
        "3/c.png": "diabetic retinopathy",
    }


def test_a_folder_without_images_is_named(tmp_path):
    """An empty class is an error and not a class of none; so is a folder that is not there, or not a folder."""
    root = write(tmp_path / "mine", glioma__a=1, normal__b=2)
    (root / "scans").mkdir()
    (root / "scans" / "1.dcm").write_bytes(b"x")
    with pytest.raises(DataError, match=r"'scans' holds no image; expected files that end in \.bmp"):
        classes.load(root)
    for path in (tmp_path / "nowhere", root / "glioma" / "a.png"):
        with pytest.raises(DataError, match="cannot be read"):
            classes.load(path)
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    for path in (tmp_path / "circle", "a\0b"):
        with pytest.raises(DataError, match=r"not a usable path|cannot be read"):
            classes.load(path)
    with pytest.raises(DataError, match="there are none"):
        classes.load(root / "glioma")


def test_real_images_can_be_sorted(tmp_path):
    """Real PNG and JPEG files of several sizes and colours load from a folder of classes."""
    if not REAL.is_dir():
        pytest.skip("the real images are not at hand")
    for name in ("mri_t1_mni152_axial.png", "mr_small.png", "fundus_retina.jpg"):
        (tmp_path / "normal").mkdir(exist_ok=True)
        shutil.copy(REAL / name, tmp_path / "normal" / name)
    for name in ("ct_693.png", "cr_chest_RG1.png", "histology_ihc.jpg"):
        (tmp_path / "tumour").mkdir(exist_ok=True)
        shutil.copy(REAL / name, tmp_path / "tumour" / name)
    benchmark = classes.load(tmp_path, modality="MRI")
    check_dataset(benchmark, classes.load(tmp_path, modality="MRI"))
    assert len(benchmark) == 6
