"""The named readers of replies to a question whose image was never sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from snellen.grading.missing_image.embedded import read_admission_embedded
from snellen.grading.missing_image.reader import Admission, Admitted, read_admission
from snellen.models.base import FILTERED

AdmissionReader = Callable[[str, str], Admitted]
"""A reply and its question in, what the reply does out."""

ADMISSION_READERS: Mapping[str, AdmissionReader] = MappingProxyType(
    {
        "missing-image": read_admission,
        "missing-image-embedded": read_admission_embedded,
    }
)
"""The second needs the extra `embeddings`, which is loaded when it first reads."""


def read_reply(text: str, finish: str, question: str, reader: str) -> Admitted:
    """What a reply does, by the reader of that name; one that the provider's filter stopped refuses.

    >>> read_reply("The image shows", "content_filter", "", "missing-image").label.value
    'refuses'
    """
    if finish.lower() in FILTERED:
        return Admitted(Admission.REFUSES, "content-filter", "")
    return ADMISSION_READERS[reader](text, question)
