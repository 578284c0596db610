"""How well two images are told to be the same: bits and correlations of different images and of changed copies.

    python research/audit_images/likeness.py FOLDER [FOLDER …]

Every image of the folders is compared with every other, and with copies of itself, by what the check `shared-images`
uses. Images that are the same pixels are left out.
"""

import json
import sys
from itertools import combinations
from pathlib import Path

import cv2
import numpy as np

from snellen import benchmarks
from snellen.images import Image
from snellen.tools.audit.looks import BITS, LEAST_CORRELATION, MOST_BITS, find_alike, likeness, look_of

ENDINGS = {".png", ".jpg", ".jpeg"}


def jpeg(pixels, quality):
    """Compressed and decoded again."""
    return cv2.imdecode(cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], cv2.IMREAD_GRAYSCALE)


def scaled(pixels, factor):
    """Larger or smaller."""
    return cv2.resize(pixels, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)


def gamma(pixels, power):
    """Brighter or darker in the middle tones."""
    return (255 * (pixels / 255) ** power).astype(np.uint8)


def cropped(pixels, share):
    """Cut off at all four edges."""
    height, width = pixels.shape
    top, left = int(height * share), int(width * share)
    return np.ascontiguousarray(pixels[top : height - top, left : width - left])


def cut_below(pixels, share):
    """Cut off at the bottom alone, as captions are."""
    return np.ascontiguousarray(pixels[: int(pixels.shape[0] * (1 - share))])


def marked(pixels):
    """With a line of text."""
    copy = pixels.copy()
    height, width = copy.shape
    cv2.putText(copy, "L 12345", (width // 10, height // 8), cv2.FONT_HERSHEY_SIMPLEX, max(0.5, width / 500), 255, 2)
    return copy


def turned(pixels, degrees):
    """Rotated about the middle."""
    height, width = pixels.shape
    return cv2.warpAffine(pixels, cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1), (width, height))


CHANGES = {
    "JPEG, quality 90": lambda a: jpeg(a, 90),
    "JPEG, quality 40": lambda a: jpeg(a, 40),
    "JPEG, quality 15": lambda a: jpeg(a, 15),
    "half the size": lambda a: scaled(a, 0.5),
    "200 × 200 pixels": lambda a: cv2.resize(a, (200, 200), interpolation=cv2.INTER_AREA),
    "30 grey levels brighter": lambda a: cv2.add(a, 30),
    "gamma 0.7": lambda a: gamma(a, 0.7),
    "gamma 1.5": lambda a: gamma(a, 1.5),
    "1% cut off each edge": lambda a: cropped(a, 0.01),
    "2% cut off each edge": lambda a: cropped(a, 0.02),
    "5% cut off each edge": lambda a: cropped(a, 0.05),
    "5% cut off the bottom": lambda a: cut_below(a, 0.05),
    "mirrored": lambda a: np.ascontiguousarray(a[:, ::-1]),
    "with a line of text": marked,
    "turned by 2°": lambda a: turned(a, 2),
    "inverted": lambda a: 255 - a,
}


def different(images, name):
    """Bits and correlations of pairs of different images, and how many are taken for the same."""
    looks = [look_of(pixels) for pixels in images]
    pairs = list(combinations(range(len(looks)), 2))
    hashes = np.array([look.hashes for look in looks])
    apart = np.array(
        [min((hashes[a] != hashes[b, 0]).sum(1).min(), (hashes[b] != hashes[a, 0]).sum(1).min()) for a, b in pairs]
    )
    hard = [likeness(looks[pairs[at][0]], looks[pairs[at][1]]).correlation for at in np.argsort(apart)[:1000]]
    same = [each for _, _, each in find_alike(looks) if each.same]
    return {
        "images": name,
        "n": len(looks),
        "pairs": len(pairs),
        "least bits": int(apart.min()),
        f"pairs within {MOST_BITS} bits": int((apart <= MOST_BITS).sum()),
        "highest correlation of the 1,000 nearest": round(max(hard), 3),
        "pairs taken for the same": len(same),
    }


def copies(images, name, change):
    """Of changed copies: bits, correlations, and the share that is found."""
    made = [(look_of(pixels), look_of(change(pixels))) for pixels in images]
    likenesses = [likeness(one, other) for one, other in made]
    apart, alike_by, _ = np.array(likenesses).T
    found = np.array([each.same for each in likenesses])
    return {
        "change": name,
        "n": len(made),
        "bits, median and 99%": [round(float(each)) for each in np.quantile(apart, [0.5, 0.99])],
        "correlation, median and 1%": [round(float(each), 2) for each in np.quantile(alike_by, [0.5, 0.01])],
        "found": round(float(found.mean()), 3),
    }


def grey(image):
    """Its pixels in grey."""
    pixels = image.pixels()
    return pixels if pixels.ndim == 2 else cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)


def distinct(images):
    """The images that differ in their pixels."""
    kept = {look_of(pixels).pixels: pixels for pixels in map(grey, images)}
    return list(kept.values())


def main(folders):
    """Print one line of JSON for each comparison."""
    files = [path for folder in folders for path in sorted(Path(folder).iterdir()) if path.suffix.casefold() in ENDINGS]
    real = distinct(map(Image, files))
    drawn = distinct(item.images[0] for item in benchmarks.load("phantoms:items=300"))
    print(f"threshold: {MOST_BITS} of {BITS} bits, correlation {LEAST_CORRELATION}")
    for images, name in ((real, "real radiology images"), (drawn, "phantoms")):
        print(json.dumps(different(images, name)))
    for name, change in CHANGES.items():
        print(json.dumps(copies(real[::3], name, change), ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
