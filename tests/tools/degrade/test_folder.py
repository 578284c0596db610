"""Degraded copies of a folder: the same on any worker, each file once, nothing beside the folder for them."""

import errno
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

import breaking_worker
from image_files import GREY, RGB, deep_png, jpeg, png
from medical_files import dicom
from snellen.benchmarks import load
from snellen.conditions import ImageDegraded, Pool, vary
from snellen.errors import DataError, StoreBusyError, StoreError, StudyError
from snellen.images import Image, decode, encode
from snellen.items import Item
from snellen.perturb.artefacts import ARTEFACTS
from snellen.tools.degrade import Task, artefact_named, degrade_folder
from snellen.tools.degrade.copies import SourceFile, copy_sources
from snellen.tools.degrade.manifest import Manifest

NOISE, CROP = ImageDegraded("noise"), ImageDegraded("crop", "strong")


def picture(seed, size=(40, 32)):
    return np.random.default_rng(seed).integers(0, 256, size, dtype=np.uint8)


@pytest.fixture
def folder(tmp_path):
    """Six pictures, two of them in sub-folders."""
    made = tmp_path / "images"
    for number, name in enumerate(("a.png", "a.jpg", "b.png", "sub/a.png", "sub/deep/c.png", "d.png")):
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        data = jpeg(picture(number)) if name.endswith("jpg") else png(picture(number))
        (made / name).write_bytes(data)
    return made


def task(folder, *artefacts, **given):
    return Task(folder, folder.parent / "out", artefacts or (NOISE, CROP), **given)


def lines(out):
    return [json.loads(line) for line in (out / "manifest.jsonl").read_text().splitlines()]


def rows(out):
    return lines(out)[1:]


def files(folder):
    """Every file below a folder with its hash."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def copies(out):
    return {name: sha256 for name, sha256 in files(out).items() if name != "manifest.jsonl"}


def unordered(rows):
    return sorted(rows, key=lambda row: (row["image"], row.get("artefact", "")))


def test_copies_lie_where_their_originals_do(folder):
    """Names and sub-folders are those of the originals, as PNG files; nothing else changes anywhere."""
    before = files(folder.parent)
    done = degrade_folder(task(folder), workers=1)
    names = ["a.png", "a.jpg.png", "b.png", "sub/a.png", "sub/deep/c.png", "d.png"]
    expected = {f"{artefact}/{name}" for artefact in ("noise-weak", "crop-strong") for name in names}
    assert set(copies(folder.parent / "out")) == expected
    assert all((folder.parent / "out" / name).read_bytes().startswith(b"\x89PNG") for name in expected)
    assert {name: files(folder.parent)[name] for name in before} == before
    assert (done.images, done.copies, done.there, done.left_out.total()) == (6, 12, 0, 0)


def test_copies_are_private(folder):
    """They are patients' images, and so is what the manifest says of them."""
    out = folder.parent / "new" / "out"
    degrade_folder(Task(folder, out, (NOISE,)), workers=1)
    modes = {(each.is_dir(), each.stat().st_mode & 0o777) for each in (out.parent, *out.parent.rglob("*"))}
    assert modes == {(True, 0o700), (False, 0o600)}


@pytest.mark.parametrize("named", ["../b.png", "/dev/null", 7, "a\0b"])
def test_a_copy_elsewhere_is_none(folder, named):
    """A manifest from elsewhere may name a file outside as a copy; the copy is made all the same."""
    out = folder.parent / "out"
    degrade_folder(task(folder, NOISE), workers=1)
    head, first, *rest = lines(out)
    (out / first["copy"]).unlink()
    outside = folder.parent / "b.png"
    outside.write_bytes(b"x" * (0 if named == "/dev/null" else first["bytes"]))
    forged = {**first, "copy": named, "bytes": outside.stat().st_size}
    (out / "manifest.jsonl").write_text("".join(json.dumps(each) + "\n" for each in (head, forged, *rest)))
    assert degrade_folder(task(folder, NOISE), workers=1).copies == 1
    assert (out / first["copy"]).is_file()


def test_the_manifest_tells_what_was_done(folder):
    """Sizes, hashes and distances are those of the files as they lie there."""
    out = folder.parent / "out"
    degrade_folder(task(folder, CROP, artefact_named("noise/blur,0.3"), seed=5, modality="brain MRI"), workers=1)
    head, *found = lines(out)
    assert (head["seed"], head["modality"], head["device"]) == (5, "MRI", "cpu")
    assert head["artefacts"] == ["degraded:crop,strong", "degraded:noise/blur,0.3"]
    for row in found:
        source, copy = (folder / row["image"]).read_bytes(), (out / row["copy"]).read_bytes()
        assert (hashlib.sha256(source).hexdigest(), len(source)) == (row["source_sha256"], row["source_bytes"])
        assert (hashlib.sha256(copy).hexdigest(), len(copy)) == (row["sha256"], row["bytes"])
        assert decode(copy, name="").shape == (row["height"], row["width"])
        assert [part["artefact"] for part in row["drawn"]] == row["artefact"][9:].partition(",")[0].split("/")
        if row["width"] == row["source_width"]:
            first, second = decode(source, name=""), decode(copy, name="")
            ssim = structural_similarity(
                first, second, gaussian_weights=True, sigma=1.5, use_sample_covariance=False, data_range=255
            )
            assert row["ssim"] == pytest.approx(ssim, abs=1e-4)
            assert row["psnr"] == pytest.approx(peak_signal_noise_ratio(first, second, data_range=255), abs=1e-3)


@pytest.mark.parametrize("name", ARTEFACTS)
@given(
    severity=st.sampled_from([0, 0.3, "weak", "strong"]),
    seed=st.integers(0, 2**40),
    modality=st.sampled_from(["", "brain MRI", "OCT"]),
    colour=st.booleans(),
    image=st.sampled_from(["a.png", "Ärzte/ü 1.png", "x/y/z.png"]),
)
@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_a_copy_is_the_image_under_the_condition(tmp_path, name, severity, seed, modality, colour, image):
    """To the byte what a model would be sent of an item with that id, whatever stands beside it in the batch."""
    root = tmp_path / f"{time.monotonic_ns()}"
    for each in (image, "other.png"):
        (root / "images" / each).parent.mkdir(parents=True, exist_ok=True)
        (root / "images" / each).write_bytes(png(RGB if colour else GREY))
    condition = ImageDegraded(name, severity)
    degrade_folder(Task(root / "images", root / "out", (condition,), modality, seed), workers=1)
    item = Item(id=image, question="?", answer="yes", kind="open", images=(Image(root / "images" / image),),
                metadata={"modality": modality})  # fmt: skip
    expected = vary(item, condition, seed=seed, pool=Pool(())).item.images[0].encoded()
    row = next(row for row in rows(root / "out") if row["image"] == image)
    assert (root / "out" / row["copy"]).read_bytes() == expected.data
    assert {"ssim": row["ssim"], "psnr": row["psnr"]} == expected.measured


def test_processes_make_the_same(folder):
    """Two processes write the same copies and the same lines as none."""
    every = tuple(ImageDegraded(name, "strong") for name in ARTEFACTS)
    degrade_folder(task(folder, *every), workers=1)
    seen = []
    other = Task(folder, folder.parent / "other", every)
    degrade_folder(other, workers=2, watch=seen.append)
    assert copies(other.out) == copies(folder.parent / "out")
    assert unordered(rows(other.out)) == unordered(rows(folder.parent / "out"))
    assert (seen[-1].done, seen[-1].total, seen[-1].left) == (6, 6, 0)


@given(st.randoms(use_true_random=False))
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_whatever_is_lost_is_made_again(folder, random):
    """However a run ended, the same command makes what is missing, and no line stands there twice."""
    out = folder.parent / "out"
    degrade_folder(task(folder), workers=1)
    whole, expected = copies(out), unordered(rows(out))
    manifest = (out / "manifest.jsonl").read_bytes()
    (out / "manifest.jsonl").write_bytes(manifest[: random.randrange(len(manifest) + 1)])
    for name in random.sample(sorted(whole), random.randrange(4)):
        (out / name).unlink() if random.random() < 0.5 else (out / name).write_bytes(b"half")
    (out / ".unfinished" / "half").write_bytes(b"half")
    degrade_folder(task(folder), workers=1)
    assert copies(out) == whole
    assert unordered(rows(out)) == expected
    assert degrade_folder(task(folder), workers=1).copies == 0


def test_what_changed_and_what_came(folder):
    """An image that is another by now gets another copy and one line; one that came gets its own."""
    out = folder.parent / "out"
    degrade_folder(task(folder), workers=1)
    (folder / "a.png").write_bytes(png(picture(99, (20, 20))))
    (folder / "new.png").write_bytes(png(picture(98)))
    done = degrade_folder(task(folder), workers=1)
    assert (done.images, done.there, done.copies) == (7, 5, 4)
    assert Counter(row["image"] for row in rows(out)) == dict.fromkeys(files(folder), 2)
    assert next(row["width"] for row in rows(out) if row["image"] == "a.png") == 20
    (folder / "a.png").write_bytes(b"damaged")
    assert degrade_folder(task(folder), workers=1).left_out.total() == 1
    assert {row["copy"] for row in rows(out) if "copy" in row} == set(copies(out))


def test_what_is_left_out_is_told(folder, tmp_path):
    """Damaged, gigantic and foreign files and links that climb out have a line with the reason; a mended one a copy."""
    (tmp_path / "secret.png").write_bytes(png())
    (folder / "out.png").symlink_to(tmp_path / "secret.png")
    (folder / "in.png").symlink_to(folder / "a.png")
    (folder / "elsewhere").symlink_to(tmp_path)
    (folder / "circle.png").symlink_to(folder / "circle.png")
    (folder / "cut.png").write_bytes(png()[:-9])
    (folder / "empty.png").write_bytes(b"")
    (folder / "Doe_Jane.pdf").write_bytes(b"%PDF")
    (folder / "Doe_Jane.dcm").write_bytes(b"no scan")
    (folder / "vast.png").write_bytes(png()[:16] + (60_000).to_bytes(4, "big") * 2 + png()[24:])
    os.mkfifo(folder / "pipe.png")
    (folder / ".hidden.png").write_bytes(b"x")
    out = folder.parent / "out"
    done = degrade_folder(task(folder), workers=1)
    reasons = {row["image"]: row["left_out"] for row in rows(out) if "left_out" in row}
    assert done.left_out.total() == len(reasons) == 9
    assert {name for name in reasons if not name.startswith(("file ", "scans/"))} == {
        "out.png", "circle.png", "cut.png", "empty.png", "vast.png", "pipe.png",
    }  # fmt: skip
    assert "leads out" in reasons["out.png"]
    assert "in.png" in {row["image"] for row in rows(out) if "copy" in row}
    told = (out / "manifest.jsonl").read_text()
    assert "Doe" not in told
    assert str(tmp_path) not in told
    (folder / "cut.png").write_bytes(png())
    again = degrade_folder(task(folder), workers=1)
    assert (again.copies, again.left_out.total()) == (2, 8)
    assert sum(row["image"] == "cut.png" for row in rows(out)) == 2


def test_scans_are_shown_and_not_named(folder):
    """A DICOM file of three frames has three copies; neither they nor the manifest say whose they are."""
    frames = np.stack([picture(number).astype(np.uint16) * 16 for number in range(3)])
    dicom(folder / "Doe_Jane" / "scan.dcm", frames, NumberOfFrames=3, PatientName="Doe^Jane")
    out = folder.parent / "out"
    done = degrade_folder(task(folder), workers=1)
    of_scan = [row for row in rows(out) if "pictures" in row]
    assert (done.images, done.copies, len(of_scan)) == (7, 18, 6)
    assert {row["pictures"] for row in of_scan} == {3}
    assert len({row["image"] for row in of_scan}) == 3
    assert not any("Doe" in text for text in (*copies(out), (out / "manifest.jsonl").read_text()))
    (out / of_scan[0]["copy"]).unlink()
    before = unordered(rows(out))
    assert degrade_folder(task(folder), workers=1).copies == 6
    assert unordered(rows(out)) == before


def test_deep_images_say_how_they_were_shown(tmp_path):
    """The rule by which 16 bits became 8 stands in the manifest."""
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "deep.png").write_bytes(deep_png(GREY.astype(np.uint16) * 16))
    degrade_folder(task(tmp_path / "images"), workers=1)
    assert all("bits" in row["rule"] for row in rows(tmp_path / "out"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"seed": 1}, "another seed"),
        ({"modality": "OCT"}, "another modality"),
        ({"artefacts": (CROP,)}, "another list of artefacts"),
        ({"folder": "sub"}, "of another folder"),
    ],
)
def test_other_settings_are_refused(folder, change, said):
    """One folder of copies has one seed, one kind of image, one list of artefacts and one origin."""
    degrade_folder(task(folder), workers=1)
    before = files(folder.parent)
    fields = {"artefacts": (NOISE, CROP), **change, "folder": folder / change.get("folder", "")}
    with pytest.raises(StudyError, match=said):
        degrade_folder(Task(out=folder.parent / "out", **fields), workers=1)
    assert files(folder.parent) == before


def test_bad_input_is_one_sentence(folder, tmp_path):
    """Copies among the originals, a folder in use, no image, an artefact that there is not, one named twice."""
    (tmp_path / "empty").mkdir()
    for out in (folder / "copies", folder, folder.parent):
        with pytest.raises(StudyError, match="Choose another --out"):
            degrade_folder(Task(folder, out, (NOISE,)))
    shutil.copytree(folder, tmp_path / "others")
    with pytest.raises(StudyError, match="contains files that are not copies"):
        degrade_folder(Task(folder, tmp_path / "others", (NOISE,)))
    with pytest.raises(DataError, match="holds no image: it is empty"):
        degrade_folder(Task(tmp_path / "empty", tmp_path / "none", (NOISE,)))
    with pytest.raises(StudyError, match="twice"):
        degrade_folder(task(folder, NOISE, ImageDegraded("noise", 0.5)))
    with pytest.raises(StudyError, match="which"):
        degrade_folder(task(folder, ImageDegraded("noise", which="first")))
    for line, said in (("fog", "no artefact 'fog'"), ("noise,7", "from 0 to 1"), ("noise+image-removed", "more than")):
        with pytest.raises(StudyError, match=said):
            artefact_named(line)


FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="there is no device that is always full")
def test_a_full_disk_is_one_sentence(folder, monkeypatch):
    """Whether it is full for the manifest or for a copy; the same command goes on once there is room."""
    asked = task(folder, NOISE)
    settle = Manifest.settle

    def filled(manifest, size_of):
        found = settle(manifest, size_of)
        manifest._file.close()
        manifest._file = FULL.open("ab")
        return found

    with monkeypatch.context() as full:
        full.setattr(Manifest, "settle", filled)
        with pytest.raises(StoreError, match=r"manifest\.jsonl cannot be written: No space.* run the same command"):
            degrade_folder(asked, workers=1)
    with monkeypatch.context() as full:
        full.setattr("snellen.tools.degrade.copies.open_private", no_room)
        with pytest.raises(StoreError, match=r"No copy can be written .*: No space left.* run the same command"):
            copy_sources(asked, [SourceFile("a.png", "a.png")])
    assert degrade_folder(asked, workers=1).there == 0
    assert not list((asked.out / ".unfinished").iterdir())


def no_room(path, data):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_nothing_is_written_through_a_link(folder, tmp_path):
    """A link in the folder of copies that leads elsewhere stops the run; one in the place of a copy is replaced."""
    (tmp_path / "elsewhere").mkdir()
    out = folder.parent / "out"
    degrade_folder(task(folder, NOISE), workers=1)
    (out / "noise-weak" / "b.png").unlink()
    (out / "noise-weak" / "b.png").symlink_to(tmp_path / "elsewhere" / "b.png")
    degrade_folder(task(folder, NOISE), workers=1)
    assert not (out / "noise-weak" / "b.png").is_symlink()
    shutil.rmtree(out / "noise-weak" / "sub")
    (out / "noise-weak" / "sub").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="leads out of it"):
        degrade_folder(task(folder, NOISE), workers=1)
    assert list((tmp_path / "elsewhere").iterdir()) == []
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").touch()
    (tmp_path / "planted").mkdir()
    (tmp_path / "planted" / ".unfinished").symlink_to(tmp_path / "kept")
    with pytest.raises(StudyError, match="leads out of it"):
        degrade_folder(Task(folder, tmp_path / "planted", (NOISE,)), workers=1)
    assert (tmp_path / "kept" / "file").exists()


def test_a_second_process_waits_for_the_first(folder):
    """Two runs into one folder at once would write every line twice."""
    with pytest.raises(StoreBusyError):
        degrade_folder(task(folder), workers=1, watch=lambda _: degrade_folder(task(folder), workers=1))


def test_a_worker_that_cannot_see_the_folders_says_so(folder):
    """On a cluster both folders must be shared."""
    with pytest.raises(StudyError, match="share"):
        copy_sources(task(folder), [SourceFile("a.png", "a.png")])


SLOW = """
import sys
from pathlib import Path
from snellen.conditions import ImageDegraded
from snellen.tools.degrade import Task, degrade_folder
if __name__ == "__main__":
    def watch(progress):
        print(progress.done, flush=True)
    task = Task(Path(sys.argv[1]), Path(sys.argv[2]), (ImageDegraded("noise"), ImageDegraded("crop", "strong")))
    degrade_folder(task, workers=int(sys.argv[3]), watch=watch)
"""


@pytest.mark.parametrize(("ended_by", "workers"), [(signal.SIGKILL, 1), (signal.SIGINT, 2)])
def test_a_run_that_is_ended_goes_on(folder, tmp_path, ended_by, workers):
    """After kill -9, and after Ctrl-C, the rest is made, with the copies and lines of a run that nobody stopped."""
    for number in range(40):
        (folder / f"more-{number}.png").write_bytes(encode(picture(number, (200, 200))).data)
    degrade_folder(Task(folder, tmp_path / "whole", (NOISE, CROP)), workers=1)
    (tmp_path / "slow.py").write_text(SLOW)
    command = [sys.executable, tmp_path / "slow.py", folder, tmp_path / "out", str(workers)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True) as run:
        run.stdout.readline()
        os.killpg(run.pid, ended_by)
        run.wait()
    assert len(rows(tmp_path / "out")) > 0 or ended_by is signal.SIGKILL
    degrade_folder(task(folder), workers=1)
    assert copies(tmp_path / "out") == copies(tmp_path / "whole")
    assert unordered(rows(tmp_path / "out")) == unordered(rows(tmp_path / "whole"))


def test_a_file_that_breaks_off_its_process_costs_itself_alone(folder, monkeypatch):
    """Where a codec ends the process, the others in flight are done again."""
    (folder / "poison.png").write_bytes(png())
    monkeypatch.setattr("snellen.tools.degrade.folder.copy_sources", breaking_worker.copied)
    done = degrade_folder(task(folder), workers=2)
    assert dict(done.left_out) == {"crashes the process that reads or degrades it": 1}
    assert (done.copies, done.examples.popitem()[1]) == (12, "poison.png")


def test_a_pool_that_is_broken_already_loses_no_batch(folder, monkeypatch):
    """Where it is seen as the next batch is handed out, that batch is done by the next processes."""

    class Once(ThreadPoolExecutor):
        made = 0

        def submit(self, *given):
            Once.made += 1
            if Once.made == 1:
                raise BrokenProcessPool
            return super().submit(*given)

    monkeypatch.setattr("snellen.tools.degrade.folder._pool", Once)
    assert degrade_folder(task(folder), workers=2).copies == 12


def test_processes_that_never_begin_are_no_file_to_blame(folder, monkeypatch):
    """As from a script that runs itself again in each of them: nothing is left out, and it is said what to do."""

    class Never(ThreadPoolExecutor):
        def submit(self, *_):
            broken = Future()
            broken.set_exception(BrokenProcessPool())
            return broken

    monkeypatch.setattr("snellen.tools.degrade.folder._pool", Never)
    with pytest.raises(StudyError, match="Processes cannot be started from this program"):
        degrade_folder(task(folder), workers=2)
    assert "left_out" not in (folder.parent / "out" / "manifest.jsonl").read_text()


def test_a_degraded_folder_is_a_benchmark(folder, tmp_path):
    """The table of the originals serves their copies, beside it or as the root of its images."""
    table = folder / "items.jsonl"
    asked = [{"id": name, "question": "?", "answer": "yes", "images": [name]} for name in ("a.jpg", "sub/a.png")]
    table.write_text("".join(f"{json.dumps(each)}\n" for each in asked))
    degrade_folder(task(folder), workers=1)
    root = tmp_path / "out" / "noise-weak"
    by_root = load(f"folder:{table},images_root={root}")
    shutil.copy(table, root)
    for benchmark in (by_root, load(f"folder:{root}")):
        for item in benchmark.items:
            assert item.images[0].encoded().data == (root / item.id.replace(".jpg", ".jpg.png")).read_bytes()


def test_two_copies_never_have_one_name(folder):
    """A picture beside another that is called like its copy is refused before anything is written."""
    (folder / "a.jpg.png").write_bytes(png(GREY))
    with pytest.raises(DataError, match=r"copies of a.jpg and a.jpg.png would have the same name"):
        degrade_folder(task(folder), workers=1)
    assert not (folder.parent / "out").exists()


ELSEWHERE = """
import sys
from pathlib import Path
from snellen import cluster
from snellen.tools.degrade import Task, degrade_folder
from snellen.conditions import ImageDegraded
from snellen.images.apart import Worker
if __name__ == "__main__":
    cluster.ANSWERS_WITHIN = 1
    degrade_folder(Task(Path("images"), Path("out"), (ImageDegraded("noise", "weak"),)), workers=2)
    for starts in (lambda: Worker()(Path("none.dcm"), 0), lambda: cluster._try("127.0.0.1:9")):
        try:
            starts()
        except Exception as error:
            print(error)
"""


def test_no_module_of_the_working_folder_takes_the_place_of_another(tmp_path):
    """A folder from elsewhere may hold a json.py: processes that we start there run nothing of it."""
    for name in ("json", "logging", "multiprocessing", "ray", "signal"):
        (tmp_path / f"{name}.py").write_text(f"open('ran-{name}', 'w')\nraise SystemExit")
    (tmp_path / "images").mkdir()
    for number in range(40):
        cv2.imwrite(str(tmp_path / "images" / f"{number}.png"), np.full((32, 32), number, np.uint8))
    script = tmp_path / "elsewhere" / "script.py"
    script.parent.mkdir()
    script.write_text(ELSEWHERE)
    done = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert [path.name for path in tmp_path.glob("ran-*")] == []
    assert len(list((tmp_path / "out").rglob("*.png"))) == 40
