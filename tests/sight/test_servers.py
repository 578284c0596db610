"""Servers that lose images on the way, over HTTP: each is stopped before the run, and what it does is named."""

import asyncio
import threading
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random

import cv2
import pytest

from snellen.cli.asking import conduct
from snellen.errors import RejectedError, TransientError, UndeliveredError
from snellen.images import EncodedImage, decode, encode
from snellen.images.letters import SLOAN
from snellen.models.base import Model, Usage, receipt
from snellen.models.openai import OpenAI
from snellen.models.organisms import open_organism
from snellen.sight.canary import Fault
from snellen.sight.witness import show_charts
from snellen.store import Store
from snellen.study import Study
from snellen.tools.serve import start

pytestmark = pytest.mark.usefixtures("no_groups")


class Lying(Model):
    """A model behind a server that does something to images; what it counts is what it hands on."""

    def __init__(self, name, passing, organism="grounded"):
        self.name, self._passing, self._behind = name, passing, open_organism(organism)

    async def answer(self, request):
        passed = self._passing(request) if request.images else request
        reply = await self._behind.answer(passed)
        return replace(reply, sent=tuple(receipt(image) for image in request.images))


def drops(request):
    return replace(request, images=())


def empties(request):
    return replace(request, images=(), text="", system="")


def puts_words(request):
    return replace(request, images=(), text=f"{request.text}\n[The user has attached an image to this message.]")


def shrinks(request):
    small = cv2.resize(decode(request.images[0].data, name="sent"), (32, 32), interpolation=cv2.INTER_AREA)
    return replace(request, images=(encode(small),))


class Caches:
    """Hands on the image of the request before."""

    def __init__(self):
        self._before: EncodedImage | None = None

    def __call__(self, request):
        before, self._before = self._before or request.images[0], request.images[0]
        return replace(request, images=(before,))


def takes_only(media_type, otherwise):
    def passing(request):
        return request if request.images[0].media_type == media_type else otherwise(request)

    return passing


def refuses(request):
    raise RejectedError("this format is not supported")


SERVERS = {
    "drops": (drops, Fault.DROPPED),
    "empties": (empties, Fault.EMPTIED),
    "placeholder": (puts_words, Fault.PLACEHOLDER),
    "shrinks": (shrinks, Fault.SHRUNK),
    "caches": (Caches(), Fault.CACHED),
    "rejects": (refuses, Fault.REJECTED),
    "png-alone": (takes_only("image/png", drops), Fault.NO_JPEG),
    "jpeg-alone": (takes_only("image/jpeg", drops), Fault.NO_PNG),
    "png-or-400": (takes_only("image/png", refuses), Fault.NO_JPEG),
    "jpeg-or-400": (takes_only("image/jpeg", refuses), Fault.NO_PNG),
}
INVENTED = ("drops", "empties", "placeholder")
"""What tokens alone show, of a model that invents letters and denies no image."""


@contextmanager
def serving(models):
    """The address of a server of these models, on a port of its own, until the end of the block."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    server = asyncio.run_coroutine_threadsafe(start(models=models), loop).result()
    try:
        yield server.url
    finally:
        asyncio.run_coroutine_threadsafe(server.close(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@pytest.fixture(scope="module")
def address():
    """One server with every way of losing images, before a model that sees and before one that invents."""
    models = {name: Lying(name, passing) for name, (passing, _) in SERVERS.items()}
    models |= {f"{name}-mirage": Lying(f"{name}-mirage", SERVERS[name][0], "mirage") for name in INVENTED}
    with serving({**models, "grounded": open_organism("grounded"), "blind": open_organism("blind")}) as url:
        yield url


@pytest.mark.parametrize("name", [*SERVERS, *(f"{name}-mirage" for name in INVENTED)])
def test_each_way_of_losing_images_is_caught_and_named(name, address):
    """The letters and the tokens of a few requests tell what the server does."""
    model = OpenAI(name, base_url=address, key="none")

    async def shown():
        try:
            return await show_charts(model)
        finally:
            await model.close()

    canary = asyncio.run(shown())
    assert canary.faults == (SERVERS[name.removesuffix("-mirage")][1],)
    assert len(canary.charts) <= 9


@pytest.mark.parametrize("counts", [True, False])
def test_honest_servers_are_never_stopped(counts):
    """Seeded letters, models that see, see badly or not at all, tokens counted or not; research/delivery has more."""

    class Honest(Lying):
        async def answer(self, request):
            reply = await super().answer(request)
            return reply if counts else replace(reply, usage=Usage())

    for organism in ("grounded", "blind", "refuser", "nearsighted-8"):
        for seed in range(3):
            model = Honest("m", lambda request: request, organism)
            shown = asyncio.run(show_charts(model, draw=Random(f"{organism} {seed}")))
            assert shown.faults == ()
            assert shown.read or organism != "grounded"


def test_a_model_that_reads_badly_is_not_taken_for_a_server_that_drops_images():
    """Half of the letters right over a server that leaves images out of its count: more charts decide."""

    class ReadsBadly(Lying):
        async def answer(self, request):
            reply = await super().answer(request)
            letters = (each if self.draw.random() < 0.5 else self.draw.choice(SLOAN) for each in reply.text)
            text = " ".join(letters) if request.images else reply.text
            return replace(reply, text=text, usage=Usage(len(request.text) // 4, 5))

    for seed in range(6):
        model = ReadsBadly("m", lambda request: request)
        model.draw = Random(seed)
        shown = asyncio.run(show_charts(model, draw=Random(f"badly {seed}")))
        assert (shown.read, shown.faults) == (True, ())
        assert len(shown.charts) <= 9


def models_at(address, *names):
    return [OpenAI(name, base_url=address, key="none") for name in names]


def test_a_run_is_stopped_before_it_begins(address, tmp_path, capsys):
    """Nothing of the study is asked; the error says what was seen and how to go on, and the letters are stored."""
    study = Study(models=models_at(address, "drops"), tests=["image-needed"], limit=8, out=tmp_path)
    with pytest.raises(UndeliveredError) as stopped:
        conduct(study, dry_run=False)
    said = str(stopped.value)
    assert "openai/drops was not asked: images are dropped on the way." in said
    assert all(words in said for words in ("0 of 15 letters read", "--no-canary", "--accept-blind", "snellen chart"))
    with Store.open(tmp_path) as store:
        assert store.responses.is_empty()
        assert len(store.studies.canaries(1)) == 1


def test_a_server_that_fails_on_images_is_said_to_take_none(tmp_path):
    """Status 500 to every image: a few requests tell, and the message says how to ask without images."""
    asked = []

    def fails(request):
        asked.append(request)
        raise TransientError("image input is not supported", status=500)

    with pytest.raises(UndeliveredError, match=r"Ask it without images: --text-only lying/words\."):
        Study(models=[Lying("lying/words", fails)], tests=["image-needed"], limit=8, out=tmp_path).run()
    assert len(asked) == 4, "two charts, each twice"


def test_the_others_go_on(address, tmp_path, capsys):
    """A model whose images are lost is left out with exit status 1; a blind one over an honest server is asked."""
    models = models_at(address, "grounded", "blind", "shrinks")
    with pytest.raises(SystemExit, match="1"):
        conduct(Study(models=models, tests=["image-needed"], limit=8, out=tmp_path), dry_run=False)
    said = capsys.readouterr()
    told = " ".join(said.err.split())
    assert "openai/shrinks is no longer asked: images are shrunk on the way." in told
    assert "openai/blind: nothing shows yet that images reach the model." in told
    shown = " ".join(said.out.split())
    assert "images confirmed for 1 of 3 models" in shown
    page = (Path(tmp_path) / "report.html").read_text()
    assert "The images seem not to have reached shrinks" in page
    assert "Letters of 64 px were read in images of 160 px, and not in images of 448 px and more." in page
