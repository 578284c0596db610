"""Images that are missing, damaged, blank or tiny are found, and nothing is said where there are none."""

import io
import json
import struct
import zlib

import numpy as np
import PIL.Image
import pytest

from snellen.benchmarks import load
from snellen.errors import BrokenRowsError
from snellen.images import Image, Unreadable, encode
from snellen.items import Item, Option
from snellen.tools.audit.audited import Audited, prepare_benchmark
from snellen.tools.audit.checks.missing_images import CHECK

SIDES = (Option("Left"), Option("Right"))
FILM = np.random.default_rng(0).integers(0, 255, (64, 80), dtype=np.uint8)


def item(name, *images, question="Which side is it on?", **fields):
    return Item(name, question, SIDES, 0, images=tuple(images), **fields)


def flagged(*items):
    """The ids of each finding by the first word that tells them apart."""
    checked = CHECK.look(Audited("b", items))
    return [sorted(each.item_id for each in finding.items) for finding in checked.findings]


def encoded(pixels, kind, **options):
    buffer = io.BytesIO()
    PIL.Image.fromarray(pixels).save(buffer, kind, **options)
    return buffer.getvalue()


def png_of(side, pixels):
    """A PNG file that says it is `side` × `side` pixels, whatever its pixels are; its checksums are right."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def test_damaged_images_are_a_finding_and_never_a_crash(tmp_path):
    """Images that are missing, cut off, corrupt, gigantic or outside are kept for an audit, and each is named."""
    good = encode(FILM).data
    broken_pixels = bytearray(encoded(FILM, "JPEG", quality=90))
    files = {
        "good": good,
        "cut": good[:-30],
        "corrupt": good[:60] + bytes(20) + good[80:],
        "bomb": png_of(60_000, zlib.compress(b"\0")),
        "text": b"this is no image at all",
        "empty": b"",
        "cut_jpeg": bytes(broken_pixels[:-200]),
    }
    rows = []
    for name, data in files.items():
        (tmp_path / f"{name}.png").write_bytes(data)
        rows.append({"id": name, "image": f"{name}.png"})
    rows += [
        {"id": "gone", "image": "gone.png"},
        {"id": "climbs", "image": "../../etc/passwd"},
        {"id": "null", "image": "a\0b.png"},
    ]
    rows += [{"id": "uri", "image": "data:image/png;base64,AAAA"}, {"id": "deep", "image": "x" * 5000 + ".png"}]
    asked = {"question": "Which side?", "options": ["Left", "Right"], "answer": "A"}
    (tmp_path / "items.jsonl").write_text("\n".join(json.dumps({**asked, **row}) for row in rows))
    with pytest.raises(BrokenRowsError):
        load(tmp_path)
    kept = load(tmp_path, keep_unreadable=True)
    assert len(kept) == len(rows)
    assert kept.broken == ()
    (finding,) = CHECK.look(prepare_benchmark(kept)).findings
    assert sorted(each.item_id for each in finding.items) == sorted(row["id"] for row in rows if row["id"] != "good")
    evidence = {each.item_id: each.evidence for each in finding.items}
    assert "60000 × 60000" in evidence["bomb"]
    assert "outside the folder" in evidence["climbs"]
    assert "gone.png" not in evidence["gone"]
    assert "11 of 12 items" in finding.sentence


def test_a_whole_file_whose_pixels_cannot_be_decoded_is_unreadable():
    """A PNG file with right checksums and broken pixels passes the loader; the audit decodes it and tells."""
    assert flagged(item("good", Image(FILM)), item("bad", Image(png_of(64, b"no zlib")))) == [["bad"]]


def test_deep_and_coloured_images_are_read():
    """16-bit grey, CMYK and palettes are images like any other."""
    deep = io.BytesIO()
    PIL.Image.fromarray(FILM.astype(np.uint16) * 257).save(deep, "PNG")
    colours = np.stack([FILM, FILM[::-1], FILM.T[:64, :64].repeat(2, 1)[:, :80]], axis=-1)
    cmyk = io.BytesIO()
    PIL.Image.fromarray(colours).convert("CMYK").save(cmyk, "JPEG")
    palette = io.BytesIO()
    PIL.Image.fromarray(colours).quantize(16).save(palette, "PNG")
    items = [item(str(n), Image(each.getvalue())) for n, each in enumerate((deep, cmyk, palette))]
    assert flagged(*items) == []


def test_blank_and_tiny_images_are_found():
    """One shade, one shade with a speck, one colour, and a few pixels; a dark film with a little bone is neither."""
    speck = np.full((300, 300), 255, np.uint8)
    speck[0, 0] = 0
    bone = np.zeros((300, 300), np.uint8)
    bone[100:130, 100:130] = 200
    items = (
        item("white", Image(np.full((64, 64), 255, np.uint8))),
        item("speck", Image(speck)),
        item("red", Image(np.tile(np.uint8([200, 0, 0]), (64, 64, 1)))),
        item("bone", Image(bone)),
        item("tiny", Image(FILM[:8, :8])),
    )
    assert flagged(*items) == [["red", "speck", "white"], ["tiny"]]


def test_words_about_an_image_that_is_not_given():
    """An item that speaks of an image and has none is found only where other items have images."""
    spoken = item("spoken", question="What does this chest X-ray show?")
    history = item("history", question="A chest X-ray showed an effusion. Which side is drained first?")
    assert flagged(item("good", Image(FILM)), spoken, history) == [["spoken"]]
    checked = CHECK.look(Audited("text", (spoken, history)))
    assert checked.findings == ()
    assert len(checked.cannot) == 1


def test_a_benchmark_without_its_images_gets_one_sentence():
    """Where every image is missing, that is told once, not once an item."""
    items = tuple(
        item(str(n), Image(Unreadable(f"{n}.png", f"image '{n}.png' is not there, or not a file"))) for n in range(50)
    )
    checked = CHECK.look(Audited("text", items))
    assert checked.findings == ()
    assert len(checked.cannot) == 1
    assert "50 of 50" in checked.cannot[0]
    assert ".png" not in checked.cannot[0]


def test_talk_of_an_image():
    """Some questions mean an image that is there to be seen; others tell a history, or ask about imaging."""
    spoken = (
        "Radiographs are shown in Figures A and B.", "<image 1> What is it?", "Look at the image below.",
        "What is the finding in the image?", "The attached CT was taken.", "These scans were taken a year apart.",
        "What does this chest X-ray show?",
    )  # fmt: skip
    others = (
        "CT scan shows a mass.", "An MRI is performed.", "Which image modality comes first?",
        "Results are shown to the patient.", "He figures a way out.", "Which imaging study is best?",
        "A chest X-ray shows an effusion.",
    )  # fmt: skip
    asked = [item(text, question=text) for text in (*spoken, *others)]
    assert flagged(item("good", Image(FILM)), *asked) == [sorted(spoken)]


def test_an_identifier_in_a_file_name_is_masked():
    """The name of a missing file is quoted without what could identify somebody."""
    gone = Image(Unreadable("films/MRN 12345678.png", "image 'films/MRN 12345678.png' is not there, or not a file"))
    checked = CHECK.look(Audited("b", (item("1", gone), item("2", Image(FILM)))))
    assert "12345678" not in repr(checked)


def test_a_case_without_the_image_of_its_task_is_found():
    """By its task, also where nothing has an image; without a task, if nearly all others have one."""
    lacking = Item("1", "What is it?", kind="open", answer="x", metadata={"task": "diagnosis"})
    note = Item("2", "Which side?", SIDES, 0, metadata={"task": "note"})
    assert flagged(lacking, note) == [["1"]]
    some = [item(str(number), Image(FILM)) for number in range(4)]
    assert flagged(*some, item("bare")) == [["bare"]]
    assert flagged(*some[:2], item("bare"), item("too")) == []
