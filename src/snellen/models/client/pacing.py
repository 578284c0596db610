"""Pacing: learn how fast a server accepts requests."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from math import inf, sqrt
from typing import NamedTuple

from snellen.errors import BusyError, OutageError, TransientError
from snellen.models.base import Usage
from snellen.models.image_tokens import rule_of
from snellen.models.request_tokens import input_tokens, output_tokens
from snellen.prompts import Request

START = 8
"""Requests in flight at first; an eighth of all waiting requests if that is more."""
MORE = 2
"""Increase of the number in flight with every answer, until a request is refused."""
SPREAD = 0.01
"""Seconds by which a request may start early to make up for a late one."""
LONGEST_WISH = 120.0
"""Longest wait, in seconds, that is granted to a server that asks for one."""
FIRST, DEEP, SLIGHT = 0.65, 0.3, 0.97
"""Factors for the rate after a refusal: for the first refusal, and the smallest and largest one later."""
UNDER, SLOW = 0.92, 0.97
"""Two shares of the rate that the server was measured to accept.

The first is the new rate after a refusal. At or below the second, a refusal must have another cause.
"""
GAIN, DOUBLING, STEEPEST = 0.001, 30, 0.1
"""The rate's gain per answer; it doubles with every 30 answers, up to a maximum."""
APART = 0.65
"""After a refusal, requests keep at least this share of the usual interval between answers."""
ENOUGH = 10
"""Requests needed to estimate a rate."""
SHORT, LONG = 40, 200
"""Sizes of a short and a long window of requests; older ones count less."""
FEW, MOST = 3, 0.65
"""Fewer refusals than this may be chance. If more than this share is refused, the server now accepts less."""
SURELY = 2.0
"""Standard deviations by which refusals must exceed the usual share to count."""
PROBE, RARER, RAREST = 4, 4, 512
"""Answers after which more requests are tried in flight. The number grows fourfold after a refusal, up to 512."""

DOUBTS = 2
"""Refusals in a row that lower a proven number in flight. Later ones lower the rate."""


class RequestSlot(NamedTuple):
    """A sent request: its time, the number in flight, and whether a higher rate had worked."""

    at: float
    level: int
    slow: bool
    tokens: float = 0.0
    """Tokens that it was expected to use."""


@dataclass
class RefusedShare:
    """How many of the latest requests were refused."""

    latest: int
    sent: float = 0.0
    refused: float = 0.0

    def add(self, *, refused: bool) -> None:
        """Count one more request; the counts are halved when the window is full."""
        if self.sent >= self.latest:
            self.sent, self.refused = self.sent / 2, self.refused / 2
        self.sent += 1
        self.refused += refused

    @property
    def known(self) -> float:
        """The share that was refused; 0 if that may be chance."""
        return self.refused / self.sent if self.refused >= FEW else 0.0

    @property
    def is_most(self) -> bool:
        """True if most requests were refused."""
        return self.sent >= 2 * ENOUGH and self.refused > MOST * self.sent

    def exceeds(self, share: float) -> bool:
        """Return whether significantly more than this share was refused."""
        return self.refused > share * self.sent + SURELY * sqrt(share * self.sent)


class Pace:
    """Limit on requests in flight and on their rate, learnt from answers and refusals.

    Before the first refusal, every answer allows two more requests in flight. A server may limit the number in flight
    or the rate, and refuses both in the same way. If more were in flight than it has proven to accept, the number is
    taken as the cause: the limit goes back, and more are tried from time to time. Otherwise the rate is the cause. The
    rate accepted between two refusals is measured, and requests are then sent slightly below it. The rate grows with
    each answer, slowly at first and faster the longer nothing is refused. Crowded servers refuse a share of requests at
    any rate. This share is measured at rates below the accepted one, and refusals count only if they are significantly
    more frequent.
    """

    def __init__(self) -> None:
        self.limit = START
        self.rate = inf
        """Requests per second."""
        self.in_flight = 0
        self.refusals = 0
        self._latency = 0.0
        self._not_before = 0.0
        self._cut_at = -inf
        self._full = False
        self._proven, self._doubts = 0, 0
        self._answers = 0
        self._calm, self._patience, self._step = 0, 1, 1
        self._measured_from: float | None = None
        self._taken, self._measured = 0, 0.0
        self._at_any_rate, self._since_cut = RefusedShare(LONG), RefusedShare(SHORT)

    def wait(self, now: float) -> float:
        """Return the seconds until the next request may start. Infinite if one has to end first."""
        self._full = self.in_flight >= self.limit
        return inf if self._full else max(0.0, self._not_before - now)

    def crowd(self, waiting: int) -> None:
        """Raise the limit if many requests are waiting and none was refused yet."""
        if not self.refusals:
            self.limit = max(self.limit, (self.in_flight + waiting) // 8)

    def on_sent(self, now: float, tokens: float = 0.0) -> RequestSlot:
        """Register a request that starts now."""
        self.in_flight += 1
        self._taken += 1
        if self.refusals:
            apart = max(1 / self.rate, APART * self._latency / self.limit)
            self._not_before = max(self._not_before, now - SPREAD) + apart
        return RequestSlot(now, self.in_flight, self.rate <= SLOW * self._measured, tokens)

    def on_answered(self, sent: RequestSlot, now: float, *, waiting: bool) -> None:
        """Register an answer; the limits grow only if requests are waiting."""
        self.in_flight -= 1
        self._count(sent, refused=False)
        latency = now - sent.at
        self._latency += (latency - self._latency) * (0.1 if self._latency else 1.0)
        self._answers += 1
        if self.refusals and sent.at <= self._cut_at:  # accepted with this many in flight: the cause was the rate
            self.limit = max(self.limit, sent.level)
        if not waiting:
            return
        if not self._full:
            self.rate *= 1 + min(STEEPEST, GAIN * 2 ** (self._answers / DOUBLING))
        elif not self.refusals:
            self.limit += MORE
        else:
            self._calm += 1
            if self._calm >= max(self._patience, self.limit):
                self._proven, self._doubts = self.limit, 0
                self.limit += self._step
                self._calm, self._patience, self._step = 0, max(PROBE, self._patience // 2), 2 * self._step

    def on_refused(self, sent: RequestSlot, now: float, wish: float | None) -> None:
        """Slow down after a refusal; requests sent before the last slowdown do not count."""
        self._taken -= 1
        self.refusals += 1
        self._count(sent, refused=True)
        if wish is not None:
            self._not_before = max(self._not_before, now + min(wish, LONGEST_WISH))
        beyond_usual = self._since_cut.exceeds(self._at_any_rate.known)
        if sent.at > self._cut_at and (self._since_cut.is_most or (not sent.slow and beyond_usual)):
            if sent.level > self._proven or self._doubtful(sent):
                self._fewer(sent.level - 1, now)
            elif self._measured_from is None or self._taken >= ENOUGH or self._since_cut.is_most:
                self._slower(now)
        self.in_flight -= 1

    def on_failed(self) -> None:
        """Register a failed request; it shows nothing about the limits."""
        self.in_flight -= 1

    def _doubtful(self, sent: RequestSlot) -> bool:
        """Return whether a proven number in flight may have been chance."""
        self._doubts += 1
        return self.rate == inf and START <= sent.level == self._proven and self._doubts <= DOUBTS

    def _count(self, sent: RequestSlot, *, refused: bool) -> None:
        if sent.at > self._cut_at:
            self._since_cut.add(refused=refused)
            if sent.slow:
                self._at_any_rate.add(refused=refused)

    def _fewer(self, limit: int, now: float) -> None:
        self._cut_at, self._since_cut = now, RefusedShare(SHORT)
        self.limit = self._proven = max(1, limit)
        self._calm, self._patience, self._step = 0, min(RAREST, RARER * self._patience), 1

    def _slower(self, now: float) -> None:
        self._patience = PROBE  # the number in flight is not the cause
        before = min(self.rate, self.in_flight / self._latency if self._latency else self.in_flight)
        if self._measured_from is None:
            self.rate = FIRST * before
        else:
            taken = self._taken / (now - self._measured_from)
            self.rate = min(SLIGHT, max(DEEP, UNDER * taken / before)) * before
            self._measured = 0.0 if self._since_cut.is_most else taken
        if self._since_cut.is_most:  # the server now accepts less, so refusals in the meantime were due to the rate
            self._at_any_rate = RefusedShare(LONG)
        self._cut_at, self._since_cut = now, RefusedShare(SHORT)
        self._measured_from, self._taken, self._answers = now, 0, 0


class Meter:
    """A limit per minute, spread evenly; estimates are corrected later.

    >>> requests = Meter(30)
    >>> requests.spend(1, now=100.0)
    >>> round(requests.wait(now=100.5), 1)
    1.5
    """

    def __init__(self, per_minute: float) -> None:
        self._seconds = 60.0 / per_minute
        self._next = -inf

    def wait(self, now: float) -> float:
        """Return the seconds until something may be spent."""
        return max(0.0, self._next - now)

    def spend(self, amount: float, now: float) -> None:
        """Spend an amount now."""
        self._next = max(self._next, now - min(SPREAD, self._seconds / 2)) + amount * self._seconds

    def correct(self, amount: float) -> None:
        """Correct an earlier amount by the difference."""
        self._next += amount * self._seconds


class TokenMeter(Meter):
    """Limit on tokens per minute: estimated before a request, corrected by the server's counts."""

    def __init__(self, per_minute: float, spec: str) -> None:
        super().__init__(per_minute)
        self._spec, self._rule = spec, rule_of(spec)
        self._estimated, self._counted = 0.0, 0.0

    def expect_tokens(self, request: Request) -> float:
        """Return the tokens that a request will probably use, judging by earlier ones."""
        return self._estimate(request) * (self._counted / self._estimated if self._estimated else 1.0)

    def settle(self, request: Request, expected: float, usage: Usage) -> None:
        """Replace the expected tokens of a request by the counted ones."""
        if usage.input_tokens is None:
            return
        counted = usage.input_tokens + (usage.output_tokens or 0)
        self._estimated += self._estimate(request)
        self._counted += counted
        self.correct(counted - expected)

    def _estimate(self, request: Request) -> float:
        """Return the mid-range estimate of the input tokens plus that of the output tokens."""
        ranges = (input_tokens(request, self._rule), output_tokens(self._spec, request.settings))
        return sum(each.low + each.high for each in ranges) / 2


class QueuedRequest(NamedTuple):
    """A queued request, and the tokens that it is expected to use."""

    tokens: float
    come: asyncio.Future[RequestSlot]


class Pacing:
    """Queue that sends requests at the server's pace. The name of the model decides how tokens are estimated."""

    def __init__(
        self, model: str = "", requests_per_minute: float | None = None, tokens_per_minute: float | None = None
    ) -> None:
        self.pace = Pace()
        self.requests = Meter(requests_per_minute) if requests_per_minute else None
        self.tokens = TokenMeter(tokens_per_minute, model) if tokens_per_minute else None
        self._line: deque[QueuedRequest] = deque()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None

    def enter(self, request: Request) -> RequestSlot | None:
        """Return a slot for a request that may start now; None if it must wait."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._begin(loop)
        if self._line or self._wait(now := loop.time()) > 0:
            return None
        return self._go(now, self.tokens.expect_tokens(request) if self.tokens else 0.0)

    async def line_up(self, request: Request) -> RequestSlot:
        """Wait in the queue until the request may start."""
        loop = asyncio.get_running_loop()
        turn = QueuedRequest(self.tokens.expect_tokens(request) if self.tokens else 0.0, loop.create_future())
        self._line.append(turn)
        self.pace.crowd(len(self._line))
        self._let_go(loop)
        try:
            return await turn.come
        except asyncio.CancelledError:
            if not turn.come.cancelled():  # its slot came at the moment of cancelling
                self.pace.on_failed()
            raise

    def on_answered(self, slot: RequestSlot, request: Request, usage: Usage) -> None:
        """Register the answer to a request."""
        if self.tokens:
            self.tokens.settle(request, slot.tokens, usage)
        loop = asyncio.get_running_loop()
        self.pace.on_answered(slot, loop.time(), waiting=bool(self._line))
        if self._line:
            self._let_go(loop)

    def on_failed(self, slot: RequestSlot, error: BaseException) -> None:
        """Register the failure of a request."""
        loop = asyncio.get_running_loop()
        if isinstance(error, TransientError) and _says_too_much(error):
            self.pace.on_refused(slot, loop.time(), error.retry_after)
            if self.tokens:
                self.tokens.correct(-slot.tokens)
        else:
            self.pace.on_failed()
        if self._line:
            self._let_go(loop)

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start anew in another event loop; queue and requests of the old one are gone."""
        self._loop, self._timer = loop, None
        self._line.clear()
        self.pace.in_flight = 0

    def _let_go(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start the queued requests that may start; set a timer for the next one."""
        now, wait = loop.time(), 0.0
        while self._line and (self._line[0].come.done() or (wait := self._wait(now)) <= 0):
            tokens, come = self._line.popleft()
            if not come.done():
                come.set_result(self._go(now, tokens))
        if self._line and wait < inf and self._timer is None:
            self._timer = loop.call_later(wait, self._resume, loop)

    def _resume(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = None
        self._let_go(loop)

    def _go(self, now: float, tokens: float) -> RequestSlot:
        if self.requests:
            self.requests.spend(1, now)
        if self.tokens:
            self.tokens.spend(tokens, now)
        return self.pace.on_sent(now, tokens)

    def _wait(self, now: float) -> float:
        wait = self.pace.wait(now)
        if self.requests:
            wait = max(wait, self.requests.wait(now))
        return max(wait, self.tokens.wait(now)) if self.tokens else wait


def _says_too_much(error: TransientError) -> bool:
    """Return whether a server refuses because of overload, and is not down."""
    return isinstance(error, BusyError) or (isinstance(error, OutageError) and error.retry_after is not None)
