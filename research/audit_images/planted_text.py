"""How much text that was written into real images OCR reads, and what the check `burned-in-text` makes of it.

    python research/audit_images/planted_text.py FOLDER [IMAGES]

Needs the extra `ocr`. Nothing that OCR reads is printed: only counts.
"""

import json
import sys
from collections import Counter
from pathlib import Path
from time import perf_counter

import cv2

from snellen.images import Image
from snellen.models.ocr import reader
from snellen.tools.audit.checks.burned_in_text import LEAST_SCORE, kind_of

PLANTED = ("SMITH, JOHN", "MRN 00123456", "DOB 12/03/1961", "07-28-2005", "R", "PORTABLE")


def planted(pixels, text):
    """The image with a line of text on a dark field in its upper left corner, as devices print it."""
    copy = pixels.copy()
    scale = max(0.5, pixels.shape[1] / 900)
    thickness = max(1, round(scale * 1.6))
    (width, height), base = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, thickness)
    edge = max(4, pixels.shape[1] // 50)
    cv2.rectangle(copy, (0, 0), (width + 2 * edge, height + base + 2 * edge), (0,) * 3, -1)
    cv2.putText(copy, text, (edge, height + edge), cv2.FONT_HERSHEY_SIMPLEX, scale, (255,) * 3, thickness, cv2.LINE_AA)
    return copy


def bare(text):
    """A text without what OCR often loses."""
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def main(folder, images=20):
    """Print what was planted, how often it was read, and as what it counts."""
    read = reader()
    files = sorted(Path(folder).iterdir())
    chosen = files[:: max(1, len(files) // int(images))][: int(images)]
    seen, kinds, own = Counter(), {text: Counter() for text in PLANTED}, Counter()
    began = perf_counter()
    for place, file in enumerate(chosen):
        text = PLANTED[place % len(PLANTED)]
        lines = [each for each in read(planted(Image(file).pixels(), text)) if each.score >= LEAST_SCORE]
        hit = [line for line in lines if bare(text) == bare(line.text)]
        seen[text] += 1
        kinds[text].update([kind_of(hit[0].text).value] if hit else ["not read"])
        own.update({kind_of(line.text).value for line in lines if line not in hit})
    print(json.dumps({"images": len(chosen), "seconds each": round((perf_counter() - began) / len(chosen), 1)}))
    for text in PLANTED:
        print(json.dumps({"planted": text, "n": seen[text], "taken for": dict(kinds[text])}))
    print(json.dumps({"images whose own text has a line of this kind": dict(own)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
