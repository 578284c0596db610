"""Images: what an item shows, as a file, as bytes or as a drawing; and the one door to the codecs."""

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
    shrunk,
)
from snellen.images.opening import images_in, stands_for_several
from snellen.images.pictures import PicturesSent

__all__ = [
    "MAX_PIXELS", "USUAL_SIDE", "EncodedImage", "Encoder", "Image", "PicturesSent", "Pixels", "Stored", "Unreadable",
    "check", "decode", "encode", "formats", "image", "images_in", "letters", "opening", "preview", "roles",
    "sent_size", "shrunk", "stands_for_several", "stored", "windows",
]  # fmt: skip
