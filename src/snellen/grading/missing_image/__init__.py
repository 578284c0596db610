"""Missing images: does a reply to a question about an image that was never sent admit that there is none?

Every word becomes a letter for the role it plays (`roles`, and a word list a language), ways of denying, declining,
doubting and describing are patterns of roles (`shapes`), each sentence gets a kind (`kinds`), and the label follows
from the kinds by precedence (`parser`).
"""

from __future__ import annotations

from snellen.grading.missing_image.parser import Admission, Admitted, read_admission

__all__ = ["Admission", "Admitted", "read_admission"]
