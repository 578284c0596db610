"""Images: what an item shows, as a file, as bytes or as a drawing; and the one door to the codecs."""

from snellen.images.image import MAX_PIXELS as MAX_PIXELS
from snellen.images.image import USUAL_SIDE as USUAL_SIDE
from snellen.images.image import EncodedImage as EncodedImage
from snellen.images.image import Encoder as Encoder
from snellen.images.image import Image as Image
from snellen.images.image import Pixels as Pixels
from snellen.images.image import Stored as Stored
from snellen.images.image import Unreadable as Unreadable
from snellen.images.image import check as check
from snellen.images.image import decode as decode
from snellen.images.image import encode as encode
from snellen.images.image import preview as preview
from snellen.images.image import shrunk as shrunk
from snellen.images.opening import images_in as images_in
from snellen.images.opening import stands_for_several as stands_for_several
from snellen.images.pictures import PicturesSent as PicturesSent
