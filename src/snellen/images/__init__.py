"""Images: files, bytes or drawings that an item shows. Only this package uses image codecs."""

from snellen.images.image import (
    MAX_PIXELS,
    USUAL_SIDE,
    EncodedImage,
    Encoder,
    Image,
    Pixels,
    Stored,
    Unreadable,
    check,
    decode,
    encode,
    preview,
    shrink,
)
from snellen.images.opening import images_in, stands_for_several
from snellen.images.pictures import PicturesSent

__all__ = [
    "MAX_PIXELS", "USUAL_SIDE", "EncodedImage", "Encoder", "Image", "PicturesSent", "Pixels", "Stored", "Unreadable",
    "check", "decode", "encode", "formats", "image", "images_in", "letters", "opening", "preview", "roles", "sent_size",
    "shrink", "stands_for_several", "stored", "windows",
]  # fmt: skip
