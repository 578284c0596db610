"""Show letters to a model, watch image delivery, and stop models that get no images."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from random import Random, SystemRandom

from snellen.errors import ModelError, UnusableModelError
from snellen.images import EncodedImage, Image
from snellen.images.letters import SLOAN, LetterChart, PlacedLetter
from snellen.models.base import CUT_OFF, Model, Response, check_sent
from snellen.prompts import PROVIDER_DEFAULTS, Request, Settings
from snellen.prompts.letters import LETTERS_QUESTION
from snellen.reading.letters import LettersRead, read_letters
from snellen.sight.canary import (
    CLOSE,
    ENOUGH_CLOSE,
    GIANT,
    JPEG,
    LARGE,
    LETTER,
    LUCK,
    PNG,
    QUOTED,
    SIDE,
    Arrival,
    Canary,
    Chart,
    Fault,
)
from snellen.sight.tokens import ENOUGH, PLACEHOLDER, TokenPair, describe_counts, flat
from snellen.store import Store

SHORT, LONG, THINKING = 512, 4096, 20_000
"""Token limits of a response: the first, the second if the first truncates, and one for studies with reasoning."""
FEWEST = 64
"""The lowest token limit for a chart: a study's limit may suffice for one letter but not for five."""
LETTERS, FEW = 5, 2
"""Number of letters on a chart, and on a chart that they nearly fill."""
DOUBT = 0.05
"""More charts are shown if the probability of guessing the letters is LUCK to this."""


async def show_charts(
    model: Model, settings: Settings = PROVIDER_DEFAULTS, *, draw: Random | None = None
) -> Canary | None:
    """Show random letters to a model; return None if every request fails.

    A model that reads all of three charts is shown no more charts, and neither is one whose response is truncated. At
    most nine charts are shown, one after the other. UnusableModelError if no request can succeed, such as with a wrong
    key.
    """
    showing = Showing(model, settings, draw or SystemRandom())
    with suppress(_CutOffError):
        await showing.show_all()
    canary = Canary(tuple(showing.asked))
    return None if all(chart.error for chart in canary.charts) else canary


class _CutOffError(Exception):
    """A response was truncated before all letters were read."""


class Showing:
    """One canary in progress; the results of earlier charts decide which chart comes next."""

    def __init__(self, model: Model, settings: Settings, draw: Random) -> None:
        self._model = model
        effort = settings.reasoning_effort
        limits = [THINKING] if (effort or "none") != "none" else [SHORT, LONG]
        if settings.max_tokens is not None:
            limits = [max(FEWEST, settings.max_tokens)]
        self._settings = [Settings(reasoning_effort=effort, max_tokens=limit) for limit in limits]
        self._draw = draw
        self.asked: list[Chart] = []

    async def show_all(self) -> None:
        """Show charts until it is clear what happens to images."""
        if (first := await self._show()).error:
            await self._show_none()
            if self.asked[-1].error:
                return
        second = await self._show(media_type=JPEG)
        if first.error and second.error:
            return
        third = await self._show(side=LARGE)
        if first.read and second.read and third.read:
            if first.input_tokens and not Canary(tuple(self.asked)).counts_by_size:
                await self._show_none()
            return
        if not first.error:
            await self._show_none()
        await self._one_format_more()
        if LUCK <= Canary(tuple(self.asked)).luck < DOUBT:
            for media_type in (PNG, JPEG, PNG):
                await self._show(media_type=media_type)
            return
        giant = await self._show(size=GIANT)
        if giant.read and not any(chart.read for chart in (first, second, third)):
            for _ in range(ENOUGH_CLOSE):
                if not (await self._show(side=CLOSE)).read:
                    break

    async def _one_format_more(self) -> None:
        """Show more charts of both file formats if only one was read."""
        charts = {kind: [each for each in self.asked if each.side and each.media_type == kind] for kind in (PNG, JPEG)}
        read = {kind: any(each.read for each in of) for kind, of in charts.items()}
        if read[PNG] != read[JPEG]:
            for kind, of in charts.items():
                if len(of) < 2 or (read[kind] and sum(each.read for each in of) < 2):
                    await self._show(media_type=kind)

    async def _show(self, *, size: int = LETTER, side: int = SIDE, media_type: str = PNG) -> Chart:
        count = LETTERS if size == LETTER and side >= SIDE else FEW
        letters = fresh(self._draw, count, [chart.letters for chart in self.asked])
        image = draw_chart(self._draw, letters, size=size, side=side, media_type=media_type)
        return await self._ask(Chart(letters, size, side, media_type), image)

    async def _show_none(self) -> None:
        await self._ask(Chart("", 0, 0, ""))

    async def _ask(self, chart: Chart, *images: EncodedImage) -> Chart:
        try:
            response = await self._answer(images)
            if response.is_empty:
                raise ModelError("The response is empty.")
        except UnusableModelError:
            raise
        except ModelError as error:
            done = replace(chart, error=str(error)[:QUOTED])
        else:
            done = record_response(chart, response, self.asked)
        self.asked.append(done)
        if done.cut_off:
            raise _CutOffError
        return done

    async def _answer(self, images: tuple[EncodedImage, ...]) -> Response:
        """Return the response; if it is truncated, ask again with a higher token limit."""
        while True:
            request = Request(self._model.name, LETTERS_QUESTION, "", images, self._settings[0], self._model.revision)
            response = await self._model.answer(request)
            check_sent(request, response)
            if response.finish.lower() not in CUT_OFF or len(self._settings) == 1:
                return response
            del self._settings[0]


def record_response(chart: Chart, response: Response, earlier: Sequence[Chart]) -> Chart:
    """Return a chart with its response, compared with the charts shown before it."""
    own = read_letters(response.text, [chart.letters])
    others = {each.letters: _right(read_letters(response.text, [each.letters])) for each in earlier if each.letters}
    repeats = max(others, key=others.__getitem__, default="")
    repeated = others.get(repeats, 0)
    if repeated <= _right(own) or repeated < 0.8 * len(repeats):
        repeats, repeated = "", 0
    done = replace(
        chart,
        right=_right(own) if chart.side else 0,
        repeats=repeats,
        repeated=repeated,
        says_none=own.said_no_image,
        input_tokens=response.usage.input_tokens,
        image_tokens=response.usage.image_tokens,
        reply=response.text[:QUOTED],
    )
    return replace(done, cut_off=response.finish.lower() in CUT_OFF and not done.read)


def _right(read: LettersRead) -> int:
    """Count correct letters; 0 if the response names too many letters."""
    return read.right if len(read.named) <= read.n + 2 else 0


def fresh(draw: Random, count: int, earlier: Sequence[str]) -> str:
    """Draw different letters. At most one is in the same position as in an earlier chart."""
    while True:
        letters = "".join(draw.sample(SLOAN, count))
        if all(sum(a == b for a, b in zip(letters, row, strict=False)) < 2 for row in earlier):
            return letters


def draw_chart(draw: Random, letters: str, *, size: int, side: int, media_type: str = PNG) -> EncodedImage:
    """Draw one row of black letters on a white background, at a random position."""
    gap = min(size, (side - len(letters) * size) // (len(letters) + 1))
    width = len(letters) * (size + gap) - gap
    left, top = draw.randint(gap, side - width - gap), draw.randint(gap, side - size - gap)
    placed = tuple(PlacedLetter(letter, left + at * (size + gap), top, size) for at, letter in enumerate(letters))
    chart = LetterChart(side, side, placed)
    if media_type == PNG:
        return Image(chart).encoded()
    import cv2

    _, data = cv2.imencode(".jpg", chart.draw(), [cv2.IMWRITE_JPEG_QUALITY, 95])
    return EncodedImage(data.tobytes(), JPEG, side, side)


MOST = 100
"""After this many pairs without evidence against delivery, no more pairs are compared."""


@dataclass
class Counts:
    """Input tokens of a model for each text, with and without an image."""

    with_image: dict[int, TokenPair] = field(default_factory=dict)
    alone: dict[int, int] = field(default_factory=dict)
    pairs: list[TokenPair] = field(default_factory=list)
    settled: bool = False
    """True if images are in the count or enough pairs were seen. Then no more pairs are compared."""

    def add(self, request: Request, response: Response) -> None:
        """Add the token counts of one response."""
        tokens = response.usage.input_tokens
        if self.settled or tokens is None:
            return
        words = hash((request.system, request.text, request.replicate))
        if request.images:
            pixels = tuple(image.width * image.height for image in request.images)
            self.with_image.setdefault(words, TokenPair(tokens, 0, pixels, response.usage.image_tokens))
        elif tokens:  # a server that counts 0 tokens for a text does not count tokens
            self.alone.setdefault(words, tokens)
        if words in self.with_image and words in self.alone:
            self.pairs.append(self.with_image.pop(words)._replace(without=self.alone[words]))
            added = {pair.added for pair in self.pairs}
            counted = any(pair.counted for pair in self.pairs)
            self.settled = (counted and (len(added) > 1 or max(added) >= PLACEHOLDER)) or len(self.pairs) > MOST

    def describe_doubt(self, read: Canary | None) -> str:
        """Describe the token counts if they show that images did not arrive; else return "".

        If the model read the letters of the canary `read`, counts are evidence only if they grew with its images.
        """
        if self.settled or len(self.pairs) < ENOUGH:
            return ""
        if not any(pair.counted for pair in self.pairs) and (read is None or read.counts_images):
            return f"{describe_counts(self.pairs)}: images are not in its count."
        if (same := flat(self.pairs)) is not None and (read is None or read.counts_by_size):
            return f"{describe_counts(self.pairs)}: every image, large or small, has {same} tokens, like a placeholder."
        return ""


class ImageWitness:
    """Show letters to each model before its first image, then watch token counts.

    A model whose images do not arrive is stopped, unless `accept_blind`. The letters that a model reads are stored.
    """

    def __init__(
        self,
        store: Store,
        *,
        canary: bool = True,
        accept_blind: bool = False,
        settings: Settings = PROVIDER_DEFAULTS,
    ) -> None:
        self._store = store
        self._canary, self._accept_blind = canary, accept_blind
        self._settings = settings
        self._read: dict[str, Canary] = {}
        self._counts: defaultdict[str, Counts] = defaultdict(Counts)
        self.remarks: dict[str, str] = {}
        """Warnings about models that are asked, by model."""
        self.stopped: dict[str, str] = {}
        """Reasons why models were not asked, by model."""

    async def check_model(self, model: Model, number: int) -> str:
        """Show the letters to a model; return the reason not to ask it, or ""."""
        if not self._canary or model.text_only or not model.reads_letters:
            return ""
        shown = await show_charts(model, self._settings)
        if shown is None:
            return ""
        self._store.studies.add_canary(number, replace(shown, accepted=self._accept_blind).record())
        return self._judge(model, shown)

    def _judge(self, model: Model, shown: Canary) -> str:
        if shown.read:
            self._read[model.name] = shown
        said = " ".join(shown.sentences)
        if shown.status is Arrival.UNKNOWN and model.address:
            self.remarks[model.name] = f"nothing shows yet that images reach the model. {said}"
        if shown.status is not Arrival.CONTRADICTED:
            return ""
        faults = "; ".join(shown.faults)
        if self._accept_blind:
            self.remarks[model.name] = f"{faults}. {said} The model is asked nevertheless; no verdict is given."
            return ""
        instead = f"Ask it without images: --text-only {model.name}. " if Fault.REJECTED in shown.faults else ""
        self.stopped[model.name] = f"{faults}. {said} {instead}{how_to_go_on(model.name)}"
        return self.stopped[model.name]

    def on_response(self, model: Model, request: Request, response: Response) -> str:
        """Compare the server's token counts; return the reason to stop asking the model, or ""."""
        if self._accept_blind:
            return ""
        counts = self._counts[model.name]
        counts.add(request, response)
        against = counts.describe_doubt(self._read.get(model.name))
        return f"images seem not to reach the model. {against} {how_to_go_on(model.name)}" if against else ""


def how_to_go_on(model: str) -> str:
    """Describe what the user can do about a stopped model."""
    return (
        f"Check the server and any gateway before it; `snellen chart --model {model}` shows what the model reads. "
        "--accept-blind asks it nevertheless, without a verdict; --no-canary omits the letters before a run."
    )
