"""Scans in a study: rows name files and settings, the model sees pictures, and no patient is named anywhere."""

import json
from dataclasses import replace

import nibabel
import numpy as np
import pytest

from medical_files import AXIAL, CT, PATIENT, dicom
from snellen.benchmarks import load
from snellen.benchmarks.folder import save
from snellen.benchmarks.gallery import Gallery
from snellen.conditions import Pool
from snellen.errors import BrokenRowsError, ImageError
from snellen.images import decode
from snellen.images.roles import series_in
from snellen.items import Item
from snellen.models.fake import FakeModel
from snellen.study import Study
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.checks.identifiers import CHECK

VALUES = np.linspace(0, 3000, 32 * 32).reshape(32, 32).astype(np.int16)
FILE = "DOE_JANE_19500101"


@pytest.fixture
def folder(tmp_path):
    """Rows on a CT scan, on it under another window, on a series, on a volume and on an ultrasound picture."""
    home = tmp_path / "ward"
    dicom(home / f"{FILE}.dcm", VALUES, **CT)
    dicom(home / "us.dcm", VALUES.astype(np.uint8), Modality="US")
    for place in range(4):
        where = {"ImagePositionPatient": [0, 0, -place], "ImageOrientationPatient": AXIAL}
        dicom(home / FILE / f"{place}", VALUES + place, **CT, **where)
    nibabel.save(nibabel.Nifti1Image(VALUES.reshape(8, 8, 16), np.eye(4)), home / f"{FILE}.nii.gz")
    shown = [f"{FILE}.dcm", f"{FILE}.dcm#window=lung", f"{FILE}#slices=2", f"{FILE}.nii.gz#plane=coronal", "us.dcm"]
    rows = [
        {
            "id": str(k),
            "question": f"What is seen in case {k}?",
            "options": ["mass", "normal"],
            "answer": "mass",
            "image": each,
        }
        for k, each in enumerate(shown)
    ]
    (home / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return home


def test_a_row_names_a_file_and_what_of_it_is_shown(folder):
    """One picture, the same under another window, two slices of four, five of a volume: each with its role."""
    items = list(load(str(folder)))
    assert [[image.role for image in item.images] for item in items] == [
        [""],
        [""],
        ["axial slice 2 of 4", "axial slice 4 of 4"],
        [f"coronal slice {k} of 8" for k in (1, 3, 5, 6, 8)],
        [""],
    ]
    assert [item.images[0].source.window for item in items[:2]] == ["", "lung"]


def test_a_study_sends_pictures_and_names_nobody(folder, tmp_path):
    """The CT scans are asked under two more windows, the others left out; no request or file has the name."""
    requests = []

    def reply(request):
        requests.append(request)
        return "Answer: A"

    how = {"models": [FakeModel(reply)], "tests": ["comparison:window:lung,window:bone"], "out": tmp_path / "out"}
    Study(benchmarks=[str(folder)], **how).run()
    asked = [len(request.images) for request in requests]
    assert sorted(asked) == [1] * 6 + [2] * 3 + [5]  # what is under the lung window already is not asked again
    pictures = {decode(image.data, name="sent").tobytes() for request in requests for image in request.images}
    assert len(pictures) == len({image.sha256 for request in requests for image in request.images})
    written = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    held = [path.name for path in written for word in (FILE, PATIENT, "MRN-4711") if word.encode() in path.read_bytes()]
    assert held == []
    assert not any(word in repr(request) for request in requests for word in (FILE, PATIENT))


def test_text_that_may_be_burned_in_is_told_before_anything_is_sent(folder, tmp_path):
    """The question for consent says how many scans are suspect; so does an audit, for the item."""
    heard = []
    model = FakeModel(lambda request: "Answer: A", name="far/model")
    model.at = "https://api.example.org/v1"
    study = Study(models=[model], benchmarks=[str(folder)], tests=["image-needed"], out=tmp_path / "out")
    study.ask(consent=lambda question: heard.append(question) or True)
    assert "1 scan of them may have a name or a date burned into the pixels" in heard[0]
    findings = CHECK.look(Audited("ward", tuple(load(str(folder))))).findings
    (burned,) = (each for each in findings if "burned" in each.sentence)
    assert [each.item_id for each in burned.items] == ["4"]


def test_a_broken_scan_is_a_broken_row(folder):
    """A file that is cut off is told with its row, as other images are."""
    path = folder / f"{FILE}.dcm"
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(BrokenRowsError, match=r"2 of 5 rows are broken(?s:.*)is cut off"):
        load(str(folder))


def test_a_row_that_is_refused_does_not_tell_the_file(folder, tmp_path):
    """Scans and videos that are missing, damaged, wrongly set or linked from elsewhere are refused without a name."""
    dicom(tmp_path / "elsewhere.dcm", VALUES, **CT)
    (folder / f"{FILE}_linked").mkdir()
    (folder / f"{FILE}_linked" / "1").symlink_to(tmp_path / "elsewhere.dcm")
    (folder / f"{FILE}.mp4").write_bytes(b"")
    (folder / FILE / f"{FILE}.pdf").write_bytes(b"%PDF")
    rows = {
        f"{FILE}_gone.dcm": "the file or folder that its row names is not there",
        f"../{FILE}.dcm#window=lung": "lies outside the folder",
        f"{FILE}.dcm#windows=lung": "has no setting 'windows'",
        f"{FILE}.mp4": "is not a readable video",
        f"{FILE}.mp4#frames=0": "got frames=0",
        f"{FILE}_linked": "a link to a file outside the folder",
        FILE: "5 of 5 .by file name. of a DICOM series is not a DICOM file",
    }
    for shown, told in rows.items():
        with pytest.raises(ImageError, match=told) as refused:
            Gallery(folder).find_all(shown)
        (kept,) = Gallery(folder, keep_unreadable=True).find_all(shown)
        assert FILE not in str(refused.value) + kept.name


def test_a_scan_shown_in_another_way_is_no_other_patient_s(folder):
    """Other slices or planes of the same series or volume are never lent as those of another patient."""
    shown = [f"{FILE}#slices=1", f"{FILE}#slices=2", f"{FILE}.nii.gz", f"{FILE}.nii.gz#plane=coronal"]
    made = [Item(str(k), f"What is in {k}?", images=Gallery(folder).find_all(each)) for k, each in enumerate(shown)]
    lent = {item.id: {each.lent_by for each in Pool(made).other_series(item)} for item in made}
    assert lent == {"0": {"2", "3"}, "1": {"2", "3"}, "2": {"0", "1"}, "3": {"0", "1"}}


def test_saved_items_keep_the_roles_of_their_images(folder, tmp_path):
    """A series that was written as pictures is still a series, whatever its row calls it."""
    images = [replace(image, role=f"frontal (PA) {image.role}") for image in Gallery(folder).find_all(FILE)]
    save([Item("1", "What is seen?", answer="mass", images=tuple(images), kind="open")], tmp_path / "saved")
    (item,) = load(str(tmp_path / "saved"))
    assert [image.role for image in item.images] == [f"frontal (PA) axial slice {n} of 4" for n in (1, 2, 3, 4)]
    assert series_in(item.images) == [range(4)]
