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
from snellen.images.regions import Box, Mask, Movement, Polygon, Region

__all__ = [
    "MAX_PIXELS", "USUAL_SIDE", "Box", "EncodedImage", "Encoder", "Image", "Mask", "Movement", "PicturesSent",
    "Pixels", "Polygon", "Region", "Stored", "Unreadable", "check", "decode", "encode", "formats", "image",
    "images_in", "letters", "opening", "preview", "regions", "roles", "sent_size", "shrink", "stands_for_several",
    "stored", "tags", "windows",
]  # fmt: skip
