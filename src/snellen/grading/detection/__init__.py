"""Detection: what a reply says of an image that is either normal or not, and whether it could be read at all.

Every word becomes a letter for the role it plays (`roles`, and word lists), sentences are told apart by the part of the
reply they stand in (`sentences`) and by whether they speak of this image (`manner`). What is named and what is denied
(`stances`) makes the conclusion (`conclusions`), what is said to be seen (`reasoning`) is held against it.
"""

from __future__ import annotations

from snellen.grading.detection.parser import Detection, Seen, read_detection

__all__ = ["Detection", "Seen", "read_detection"]
