"""Items with many images: what a server that does not take so many is told, and what they cost."""

from several_images import clips
from snellen.asking.bill import bill
from snellen.asking.run import run
from snellen.errors import RejectedError
from snellen.items import Benchmark
from snellen.models.fake import FakeModel
from snellen.models.prices import Price
from snellen.store import Store
from snellen.study import Study


def planned(reply, tests, frames=5):
    """A study of four videos."""
    whole = Benchmark("b", tuple(clips(4, frames)))
    return Study(models=[FakeModel(reply)], benchmarks=[whole], tests=tests).plan()


def one_image_at_most(request):
    """As vLLM answers unless it is told otherwise."""
    if len(request.images) > 1:
        raise RejectedError("it answered 400: At most 1 image(s) may be provided in one request.", status=400)
    return "Answer: A"


def test_a_server_that_takes_fewer_images_is_not_said_to_take_none(tmp_path):
    """The remark says that it may be their number, and what to do; what the server said is there."""
    with Store.open(tmp_path, write=True) as store:
        progress = run(planned(one_image_at_most, ["image-needed"]), store)
    assert "accepts no images, or not 5 in one request. Send fewer images" in progress.remarks["fake/function"]
    assert "At most 1 image(s)" in progress.errors["fake/function"]


def test_every_frame_is_paid_for():
    """Videos of ten frames cost about twice what those of five cost."""
    five, ten = (
        bill(planned("A", ["video-used"], frames), {"fake/function": Price(1, 1)})[0].images for frames in (5, 10)
    )
    assert 1.5 * five.low < ten.low < 2 * five.low
