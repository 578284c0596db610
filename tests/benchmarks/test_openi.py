"""Open-I: reports and images of a folder as they are published, and what is left out of it is counted."""

import io
import tarfile

import numpy as np
import pytest
from PIL import Image as Pillow

from snellen.benchmarks import load
from snellen.errors import DataError


def xml(number, *, findings="Clear lungs.", impression="Normal chest.", images=1):
    shown = "".join(f'<parentImage id="CXR{number}_IM-{each}"/>' for each in range(images))
    parts = {"INDICATION": "Cough", "FINDINGS": findings, "IMPRESSION": impression}
    told = "".join(f'<AbstractText Label="{name}">{text}</AbstractText>' for name, text in parts.items())
    return f'<eCitation><uId id="CXR{number}"/><Abstract>{told}</Abstract>{shown}</eCitation>'.encode()


@pytest.fixture
def folder(tmp_path):
    with tarfile.open(tmp_path / "NLMCXR_reports.tgz", "w:gz") as archive:
        for number, content in {
            2: xml(2, impression=""),
            1: xml(1, images=2),
            3: xml(3, findings="", impression=""),
            4: xml(4, images=0),
        }.items():
            member = tarfile.TarInfo(f"ecgen-radiology/{number}.xml")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    shown = tmp_path / "NLMCXR_png"
    shown.mkdir()
    for at, name in enumerate(("CXR1_IM-0", "CXR1_IM-1", "CXR2_IM-0")):
        Pillow.fromarray(np.full((8, 8), 40 * at, np.uint8)).save(shown / f"{name}.png")
    return tmp_path


def test_reports_are_read_with_their_images_and_the_rest_is_counted(folder):
    benchmark = load(f"openi:{folder}")
    first, second = benchmark.items
    assert (first.id, first.kind, first.context, len(first.images)) == ("openi/CXR1", "report", "Cough", 2)
    assert first.answer == "FINDINGS: Clear lungs.\n\nIMPRESSION: Normal chest."
    assert second.answer == "FINDINGS: Clear lungs."
    assert benchmark.about == {"without_report": 1, "without_image": 1}


def test_images_that_are_not_there_are_no_silent_matter(folder):
    for image in (folder / "NLMCXR_png").iterdir():
        image.unlink()
    with pytest.raises(DataError, match="images=none"):
        load(f"openi:{folder}")
    alone = load(f"openi:{folder},images=none")
    assert [len(item.images) for item in alone] == [0, 0, 0]


def test_a_broken_report_is_named(folder):
    (folder / "NLMCXR_reports.tgz").unlink()
    (folder / "1.xml").write_bytes(xml(1))
    (folder / "2.xml").write_bytes(b"<eCitation><Abstract>")
    with pytest.raises(DataError, match=r"2\.xml"):
        load(f"openi:{folder}")
    assert len(load(f"openi:{folder}", allow_broken=True)) == 1


def test_an_image_name_that_climbs_out_is_not_followed(folder):
    (folder / "NLMCXR_reports.tgz").unlink()
    content = xml(1, images=0).replace(b"</eCitation>", b'<parentImage id="../../etc/passwd"/></eCitation>')
    (folder / "1.xml").write_bytes(content)
    with pytest.raises(DataError, match="no items"):
        load(f"openi:{folder}")


def unpacked(folder, **contents):
    (folder / "NLMCXR_reports.tgz").unlink()
    for name, content in contents.items():
        (folder / f"{name}.xml").write_bytes(content)


@pytest.mark.parametrize("encoding", ["no-such-code", "utf-7", "base64"])
def test_a_report_in_an_unknown_encoding_is_a_broken_row(folder, encoding):
    unpacked(folder, one=f'<?xml version="1.0" encoding="{encoding}"?>'.encode() + xml(1), two=xml(2))
    with pytest.raises(DataError, match=r"one\.xml"):
        load(f"openi:{folder}")
    assert len(load(f"openi:{folder}", allow_broken=True)) == 1


def test_an_image_that_is_a_link_to_elsewhere_is_refused(folder, tmp_path_factory):
    outside = tmp_path_factory.mktemp("elsewhere") / "other.png"
    image = folder / "NLMCXR_png" / "CXR1_IM-0.png"
    outside.write_bytes(image.read_bytes())
    image.unlink()
    image.symlink_to(outside)
    with pytest.raises(DataError, match="outside"):
        load(f"openi:{folder}")


@pytest.mark.parametrize("damage", [lambda data: data[:-40], lambda data: data[:60] + b"\x5a" * 90 + data[150:]])
def test_a_damaged_archive_is_refused_by_name(folder, damage):
    archive = folder / "NLMCXR_reports.tgz"
    archive.write_bytes(damage(archive.read_bytes()))
    with pytest.raises(DataError, match=r"NLMCXR_reports\.tgz cannot be read"):
        load(f"openi:{folder}")


def test_a_report_is_read_whole_whatever_stands_within_it(folder):
    unpacked(
        folder,
        one=xml(1, findings="No effusion. <b>Pneumothorax.</b> Big heart."),
        two=xml(2, findings='A mass.</AbstractText><AbstractText Label="FINDINGS">A cyst.'),
    )
    told = [item.answer.split("\n")[0] for item in load(f"openi:{folder}")]
    assert told == ["FINDINGS: No effusion. Pneumothorax. Big heart.", "FINDINGS: A mass. A cyst."]


@pytest.mark.parametrize("path", ["a\0b", "a" * 5000])
def test_a_path_that_cannot_be_is_refused(path):
    with pytest.raises(DataError, match="cannot be read"):
        load(f"openi:{path}")
