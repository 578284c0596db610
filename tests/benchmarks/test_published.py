"""Published benchmarks: small files of their shape give the items beside them, and what is wrong is named."""

import hashlib
import json
import os
import re
import zipfile
from pathlib import Path

import cv2
import numpy as np
import pytest
from huggingface_hub import constants

from benchmarks.published_files import NAMES, describe, png, told, write_benchmark
from snellen.benchmarks import list_published, load
from snellen.benchmarks.pictures import Pictures
from snellen.benchmarks.published import files_of, parquet_of
from snellen.conditions import ImageMismatched, OptionsShuffled, Pool, ReportForImage, vary
from snellen.errors import BrokenRowsError, DataError, ImageError, Inapplicable, StudyError
from snellen.images import Image, Unreadable
from snellen.prompts import MIRAGE, prompt_named
from snellen.reading import grade
from snellen.reading.outcomes import Outcome
from snellen.testing import check_dataset

ABOUT = list_published()
IN_FOLDERS = ("kermany-oct", "brain-mri")
"""Image sets without a table: a file that is gone is missed by nobody."""

WITHOUT_NAMES = ("rexvqa", "mediconfusion")
"""Sets whose missing files are not named: a path may tell the patient."""


def line_of(name, folder, settings="", changes=()):
    """The line that loads a benchmark's files, some of them changed, with settings."""
    return ",".join(filter(None, (write_benchmark(name, folder, changes), settings)))


def contents(folder):
    """The hash of each file of a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def table_of(name):
    """A table that the first load reads: its path, and the place of its first row."""
    for path, content in told(name)["files"].items():
        rows = content if isinstance(content, list) else content if path.endswith("vqa_data.json") else []
        if rows:
            return path, 0 if isinstance(rows, list) else next(iter(rows))
    return None


def reasons_of(line):
    """Why rows of a benchmark are broken, each with its row."""
    with pytest.raises(BrokenRowsError) as caught:
        load(line)
    return caught.value.broken


def test_every_published_benchmark_has_small_files():
    """What is declared is tested."""
    assert {*ABOUT, "openi"} == {name.partition("@")[0] for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_files_load_as_their_items(tmp_path, name):
    """The items are those beside the files; the files stay untouched, and no key stands in a name or an id."""
    for at, each in enumerate(told(name)["loads"]):
        folder = tmp_path / str(at)
        line = line_of(name, folder, each["settings"], each.get("changes", ()))
        before = contents(folder)
        benchmark = load(line)
        found = [describe(item) for item in benchmark]
        if "changes" in each:  # what does not change is not told again
            found = [{key: item.get(key) for key in wanted} for item, wanted in zip(found, each["items"], strict=True)]
        assert found == each["items"]
        assert json.loads(json.dumps(dict(benchmark.about))).items() >= each["about"].items()
        check_dataset(benchmark, load(line))
        assert contents(folder) == before
        for item in benchmark:
            right = item.options[item.answer].text if isinstance(item.answer, int) else item.answer or item.question
            words = [item.id, *(image.name for image in item.images if name not in (*IN_FOLDERS, "ddr"))]
            assert not [word for word in words if right.casefold() in re.split(r"[^\w ]", word.casefold())]
        if about := ABOUT.get(name):
            assert {item.kind for item in benchmark} <= {*about.kinds}
            assert benchmark.name.partition(":")[0] == about.name
            assert (benchmark.about["licence"], benchmark.about["citation"]) == (about.licence, about.citation)
            assert benchmark.about.get("unverified", False) == (about.unverified or "test-2" in each["settings"])
            assert all(item.cluster for item in benchmark) or about.clusters.startswith(("none named", "questions"))


@pytest.mark.parametrize("name", NAMES)
def test_what_is_wrong_with_its_files_is_named(tmp_path, name):
    """A row that cannot be used is named with its file, and a file or a setting that cannot be, too."""
    files = {Path(path).name for path in told(name)["files"]}
    for at, each in enumerate(told(name)["broken"]):
        broken = reasons_of(line_of(name, tmp_path / str(at), each["settings"], each["changes"]))
        assert len(broken) == len(each["says"])
        for row, says in zip(broken, each["says"], strict=True):
            assert says in row.reason
            assert any(file in row.where for file in (*files, *(Path(path).name for path, *_ in each["changes"])))
    for at, each in enumerate(told(name)["refused"]):
        line = line_of(name, tmp_path / f"refused {at}", each["settings"], each["changes"])
        with pytest.raises(DataError, match=re.escape(each["says"])):
            load(line)


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_split_and_missing_files_are_told(tmp_path, name):
    """A split that is none, a folder that is not there and an empty one are errors that say what was expected."""
    if name in ABOUT:
        with pytest.raises(DataError, match="has no split 'dev-x'"):
            load(line_of(name, tmp_path / "files", "split=dev-x"))
        with pytest.raises(DataError, match="There is no folder or file"):
            load(f"{name}:{tmp_path / 'nowhere'}")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"[Ee]xpected"):
        load(f"{name.partition('@')[0]}:{tmp_path / 'empty'}")


@pytest.mark.parametrize("name", sorted(ABOUT))
def test_a_column_that_is_missing_or_unknown_is_named(tmp_path, name):
    """What a benchmark declares to need is needed; where nobody saw its files, another column is refused."""
    about, table = ABOUT[name], table_of(name)
    settings = told(name)["loads"][0]["settings"]
    for column in about.needs if table else ():
        path, row = table
        first, *_ = reasons_of(line_of(name, tmp_path, settings, [[path, row, {column: "GONE"}]]))
        assert Path(path).name in first.where
        assert f"'{column}'" in first.reason
    if about.unverified and table:
        line = line_of(name, tmp_path, settings, [[*table, {"mood": "good"}]])
        with pytest.raises(DataError, match=f"'mood', unknown to the loader of {re.escape(about.title)}"):
            load(line)


@pytest.mark.parametrize("name", [each for each in NAMES if each not in (*IN_FOLDERS, "openi")])
def test_images_that_are_missing_are_named_and_kept_for_an_audit(tmp_path, name):
    """No question goes out without its image; an audit has an item in its place that says so."""
    pictures = [path for path in told(name)["files"] if path.endswith((".png", ".jpg"))]
    named = []
    for at, each in enumerate(told(name)["loads"] if pictures else ()):
        line = line_of(name, tmp_path / str(at), each["settings"], [[path, None, None] for path in pictures])
        try:
            load(line)
        except BrokenRowsError as error:
            reasons = " ".join(row.reason for row in error.broken).casefold()
            named += [path for path in pictures if Path(path).stem.casefold() in reasons or name in WITHOUT_NAMES]
            if name != "jama-challenge":  # its file names no image
                sources = [image.source for item in load(line, keep_unreadable=True) for image in item.images]
                assert any(isinstance(source, Unreadable) for source in sources)
    assert bool(named) == bool(pictures)


def test_prompts_that_they_name_exist_and_names_are_those_of_the_mirage_paper():
    """Each is known under its own name; some have a prompt in the Mirage paper, found by that name."""
    assert {name for name, about in ABOUT.items() if about.name != name} == {"medxpertqa"}
    assert all(prompt_named(about.prompt) for about in ABOUT.values() if about.prompt)
    asked_otherwise = {name for name, about in ABOUT.items() if MIRAGE.for_benchmark(about.name) is not MIRAGE}
    assert asked_otherwise == {name for name, about in ABOUT.items() if about.prompt.startswith("mirage")}


def test_every_published_benchmark_stands_in_the_page():
    """The table of the docs has a row for each, with what its loader says of it."""
    page = (Path(__file__).parents[2] / "docs" / "reference" / "published-benchmarks.md").read_text()
    for name, about in ABOUT.items():
        splits = ", ".join(f"{split} {count:,}" if count else split for split, count in about.splits.items())
        access = f"{about.tier}, unverified" if about.unverified else about.tier
        cells = (f"`{name}`", f"{about.title}: {about.asks}", access, splits, ", ".join(about.kinds))
        row = f"| {' | '.join((*cells, about.clusters, about.licence))} |"
        assert f"\n{row}\n" in page, f"docs/reference/published-benchmarks.md needs this row:\n{row}"


# Images where they lie


def test_rexvqa_tells_no_patient(tmp_path):
    """Patient, study, day, report and file names stand in no item, no error and no image that is missing."""
    line = line_of("rexvqa", tmp_path)
    next(tmp_path.rglob("2.png")).unlink()
    with pytest.raises(BrokenRowsError) as caught:
        load(line)
    kept = load(line, keep_unreadable=True)
    said = [str(caught.value), *map(repr, kept.items), *(image.name for item in kept for image in item.images)]
    said += [kept.items[0].images[0].fingerprint, *kept.by_id]
    row = told("rexvqa")["files"]["metadata/test_vqa_data.json"]["q1"]
    for named in (*(row[name] for name in ("PatientID", "study_id", "StudyDate", "PatientAge")), "cough", "Pneumonia"):
        assert not [each for each in said if named in each], named


def test_pictures_in_parquet_are_read_when_asked(tmp_path):
    """What is loaded holds no picture; a JPEG stays that JPEG; a file that changed since is not sent in its place."""
    jpeg = cv2.imencode(".jpg", np.random.default_rng(0).integers(0, 255, (60, 60), np.uint8))[1].tobytes()
    path = "data/test-00000-of-00002.parquet"
    rows = [{"image": {"bytes": jpeg, "path": "0.png"}, "question": f"what is {n}?", "answer": "x"} for n in range(5)]
    items = load(line_of("path-vqa", tmp_path, "", [[path, None, rows]])).items[:5]
    assert not [each for item in items for each in vars(item.images[0].source).values() if isinstance(each, bytes)]
    assert len({item.images[0].source for item in items}) == 1
    assert items[4].images[0].fingerprint == Image(jpeg).fingerprint
    sent = items[4].images[0].encoded()
    assert (sent.media_type, sent.data) == ("image/jpeg", Image(jpeg).encoded().data)
    line_of("path-vqa", tmp_path, "", [[path, None, [row | {"image": {"picture": 1}} for row in rows]]])
    os.utime(tmp_path / path, ns=(1, 1))
    with pytest.raises(ImageError, match="has changed since"):
        items[0].images[0].encoded()


def test_images_lie_in_a_folder_or_in_a_zip_and_an_audit_reads_each(tmp_path):
    """SLAKE's are found in either; a damaged one in a folder, a ZIP or a Parquet file is kept and says why."""
    folder, packed, damaged = ("imgs/xmlab1/source.jpg", "imgs/xmlab2/source.jpg"), tmp_path / "zip", {"cut": 1}
    inside = {"xmlab1/source.jpg": 1, "xmlab2/source.jpg": 2}
    line = line_of("slake", packed, "", [*([path, None, None] for path in folder), ["imgs.zip", None, inside]])
    assert [item.images[0].encoded().data for item in load(line)] == [png(1), png(1), png(2)]
    shard = "data/test-00000-of-00002.parquet"
    for name, change, kept in (
        ("slake", [folder[1], None, damaged], [False, False, True]),
        ("pmc-vqa", ["images.zip", None, {"images/PMC1064097_F1.jpg": damaged}], [True]),
        ("path-vqa", [shard, 1, {"image": {"picture": damaged}}], [False, True, False]),
    ):
        found = load(line_of(name, tmp_path / name, "", [change]), keep_unreadable=True)
        assert [isinstance(item.images[0].source, Unreadable) for item in found] == kept
    whole = (tmp_path / "pmc-vqa" / "images.zip").read_bytes()
    (tmp_path / "pmc-vqa" / "images.zip").write_bytes(whole[:-30])
    with pytest.raises(DataError, match=r"images\.zip is not a complete ZIP file"):
        load(f"pmc-vqa:{tmp_path / 'pmc-vqa'}")
    (tmp_path / "path-vqa" / shard).write_bytes(b"PAR1 and no more")
    with pytest.raises(DataError, match=r"is not a complete Parquet file"):
        load(f"path-vqa:{tmp_path / 'path-vqa'}")


def test_a_snapshot_of_the_hub_is_links(tmp_path, monkeypatch):
    """By its name on the hub or by `hf`: shards, tables and images that are links to files elsewhere in the cache."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:1")
    for number, name in enumerate(("path-vqa", "slake")):
        made, hub = tmp_path / name, ABOUT[name].hub
        write_benchmark(name, made)
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
        assert [item.images[0].encoded().data for item in by_hub] == [png(1), png(1), png(2)]


def test_two_pictures_of_one_name_in_a_zip_are_told_apart_by_their_folders(tmp_path):
    """The folder may be left out only where all pictures lie in the same."""
    with zipfile.ZipFile(tmp_path / "images.zip", "w") as packed:
        for name in ("train/1.png", "test/1.png"):
            packed.writestr(name, b"")
    pictures = Pictures(tmp_path, zips=("images.zip",))
    assert pictures.find("test/1.png").source.name == "test/1.png"
    with pytest.raises(ImageError):
        pictures.find("1.png")


def test_a_file_of_another_split_or_without_its_shards_is_refused(tmp_path):
    """A file's name may tell its split; two of three shards are not the split."""
    for name in ("train.json", "test.json", "mine.json", "test-00000-of-00003.parquet", "test-00002-of-00003.parquet"):
        (tmp_path / name).touch()
    with pytest.raises(DataError, match="does not match the split 'test'"):
        files_of(tmp_path / "train.json", "test.json", what="the split 'test'")
    for name in ("test.json", "mine.json"):
        assert files_of(tmp_path / name, "test.json", what="the split 'test'") == [tmp_path / name]
    with pytest.raises(DataError, match="shard 1 of 'test' is missing"):
        parquet_of(tmp_path, "test")
    (tmp_path / "test-00001-of-00003.parquet").touch()
    assert len(parquet_of(tmp_path, "test")) == 3


@pytest.mark.parametrize("damage", [lambda data: data[:-40], lambda data: data[:60] + b"\x5a" * 90 + data[150:]])
def test_openi_needs_a_whole_archive_and_its_own_images(tmp_path, damage):
    """A damaged archive, a link that leads elsewhere and a path that cannot be are refused; a lost image is kept."""
    line = line_of("openi", tmp_path / "openi")
    image = tmp_path / "openi" / "NLMCXR_png" / "CXR1_IM-0.png"
    image.rename(tmp_path / "other.png")
    kept = load(line, keep_unreadable=True).items[0]
    assert isinstance(kept.images[0].source, Unreadable)
    image.symlink_to(tmp_path / "other.png")
    with pytest.raises(DataError, match="outside"):
        load(line)
    archive = tmp_path / "openi" / "NLMCXR_reports.tgz"
    archive.write_bytes(damage(archive.read_bytes()))
    with pytest.raises(DataError, match=r"NLMCXR_reports\.tgz cannot be read"):
        load(line)
    for path in ("a\0b", "a" * 5000):
        with pytest.raises(DataError, match="cannot be read"):
            load(f"openi:{path}")


# What is made of the items


def test_options_that_an_image_prints_stay_in_place(tmp_path):
    """MMMU-Pro's questions that are printed in the image cannot be shuffled."""
    [item] = load(line_of("mmmu-pro", tmp_path, "split=vision"))
    with pytest.raises(Inapplicable, match="printed in the image"):
        OptionsShuffled().draw(item, np.random.default_rng(0), Pool((item,)))


def test_columns_that_were_added_to_a_published_file_are_read_by_a_map(tmp_path):
    """Under our names they count by themselves; under others a map names them, and no other field."""
    line = line_of("nejm-image-challenge", tmp_path)
    plain, mapped = load(line), load(f"{line},map=category:specialty/body_part:specialty")
    assert [(item.category, item.metadata.get("modality")) for item in plain] == [("", None), ("", "CT")]
    assert [(item.category, item.metadata["body_part"]) for item in mapped] == [("", ""), ("eye", "eye")]
    assert mapped.name == plain.name
    with pytest.raises(StudyError, match="no column 'kind'; its columns are"):
        load(f"{line},map=modality:kind")
    with pytest.raises(StudyError, match="finds 'answer' itself"):
        load(f"{line},map=answer:specialty")


def test_the_region_of_a_case_is_its_body_part_and_its_report_is_read(tmp_path):
    """So task VIII finds images of other regions, and text-only models get the report; neither needs a modality."""
    case = {"task": "IV", "question": "Diagnosis?", "history": "Her knee hurts.", "answers": ["ACL tear", "torn ACL"]}
    rows = [{**case, "case": f"c{at}", "region": part, "image": f"{at}.png", "report": "A tear."}
            for at, part in enumerate(("knee", "shoulder"))]  # fmt: skip
    changes = [["cases.json", None, rows], ["0.png", None, 2], ["1.png", None, 3], ["task_III.json", None, None]]
    knee, shoulder = load(line_of("bones-and-joints", tmp_path, "", changes)).items
    other, control = (vary(knee, ImageMismatched(donor), seed=0, pool=Pool([knee, shoulder])).item
                      for donor in ("anatomy", "none"))  # fmt: skip
    assert other.images == shoulder.images
    assert other.references == ("The image does not fit the text: it shows shoulder.",)
    assert control.references == ("Image and text fit: no contradiction is to be named.",)
    outcomes = [grade("Diagnosis: gout.", "stop", item, "match").outcome for item in (other, control)]
    assert outcomes == [Outcome.WRONG, Outcome.CORRECT]
    given = vary(knee, ReportForImage(), seed=0, pool=Pool([])).item
    assert (given.images, given.context.endswith("Radiology report:\nA tear.")) == ((), True)


def test_a_table_of_your_own_may_say_the_quality_of_its_images(tmp_path):
    """Where cannot be graded an image its answer may be missing; anywhere else it may not."""
    row = {"question": "Tumour?", "options": ["yes", "no"], "image": "a.png", "quality": "Ungradable"}
    (tmp_path / "a.png").write_bytes(png(1))
    (tmp_path / "items.jsonl").write_text(json.dumps(row))
    [item] = load(tmp_path)
    assert (item.answer, item.ungradable) == (None, True)
    with pytest.raises(Inapplicable, match="cannot be graded"):
        OptionsShuffled().draw(item, np.random.default_rng(0), Pool((item,)))
    (tmp_path / "items.jsonl").write_text(json.dumps({**row, "quality": "low"}))
    assert reasons_of(str(tmp_path))[0].reason.startswith("it has no 'answer' or 'target'")
