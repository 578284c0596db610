"""Pacing: requests go as fast as a server takes them, which is found out while asking."""

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
"""Requests in flight at first, or an eighth of those that want to go, if that is more."""
MORE = 2
"""So many more may be in flight with every answer, until one is refused."""
SPREAD = 0.01
"""Seconds that a request may go sooner to make up for one that went late."""
LONGEST_WISH = 120.0
"""Seconds; a server that wishes for a longer wait is asked again after this one."""
FIRST, DEEP, SLIGHT = 0.65, 0.3, 0.97
"""The share of a rate that is left when the server refuses it: at first, later at least, and at most."""
UNDER, SLOW = 0.92, 0.97
"""The share of the rate that the server was seen to take at which it is asked on, and up to which a refusal has another
reason."""
GAIN, DOUBLING, STEEPEST = 0.001, 30, 0.1
"""How much of itself the rate gains with an answer; twice as much with every 30 answers, and so much at most."""
APART = 0.65
"""Requests go apart by this share of the time in which as many come back, once one was refused."""
ENOUGH = 10
"""So many requests tell a rate."""
SHORT, LONG = 40, 200
"""Of more requests than these, the earlier ones count less: for what happens now, and for what always happens."""
FEW, MOST = 3, 0.65
"""So many refusals at a rate that the server took before are not chance; above this share, it now takes less."""
SURELY = 2.0
"""Standard deviations by which refusals must exceed those that come at any rate before they count."""
PROBE, RARER, RAREST = 4, 4, 512
"""More in flight are tried after so many answers; after four times as many where that was refused, up to 512."""

DOUBTS = 2
"""So often in a row a number in flight that had proven itself is doubted, before the rate is."""


class Slot(NamedTuple):
    """A request that went: when, how many were in flight with it, and whether the server had taken a higher rate."""

    at: float
    level: int
    slow: bool
    tokens: float = 0.0
    """Those that it was expected to cost."""


@dataclass
class RefusedShare:
    """How many of the latest requests were refused."""

    latest: int
    sent: float = 0.0
    refused: float = 0.0

    def add(self, *, refused: bool) -> None:
        """Count one more; of many, the earlier ones count less."""
        if self.sent >= self.latest:
            self.sent, self.refused = self.sent / 2, self.refused / 2
        self.sent += 1
        self.refused += refused

    @property
    def known(self) -> float:
        """The share that was refused; 0 where that may have been chance."""
        return self.refused / self.sent if self.refused >= FEW else 0.0

    @property
    def is_most(self) -> bool:
        """Whether most were refused."""
        return self.sent >= 2 * ENOUGH and self.refused > MOST * self.sent

    def exceeds(self, share: float) -> bool:
        """Whether surely more than that share were refused."""
        return self.refused > share * self.sent + SURELY * sqrt(share * self.sent)


class Pace:
    """How many requests may be in flight, and how soon one may go after another; learnt from answers and refusals.

    Before the first refusal every answer allows two more in flight. A server may limit the requests in flight or the
    requests per second, and refuses both alike. If more were in flight than it has proven to take, the number is taken
    to be the reason: as many as before are allowed, and more are tried now and then. Else it is the rate. Between two
    refusals a server that limits its rate takes just that: it is measured, and asked a little below. The rate grows
    with each answer, little at first and more the longer nothing is refused.

    Some servers refuse a share of the requests at any rate, because they are crowded with others. They refuse as many
    where the rate is below the one that they were measured to take. That share is learnt there, and refusals count only
    where there are surely more of them.
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
        """Seconds until the next request may go; infinite where another one has to come back first."""
        self._full = self.in_flight >= self.limit
        return inf if self._full else max(0.0, self._not_before - now)

    def crowd(self, waiting: int) -> None:
        """So many want to go."""
        if not self.refusals:
            self.limit = max(self.limit, (self.in_flight + waiting) // 8)

    def sent(self, now: float, tokens: float = 0.0) -> Slot:
        """One goes."""
        self.in_flight += 1
        self._taken += 1
        if self.refusals:
            apart = max(1 / self.rate, APART * self._latency / self.limit)
            self._not_before = max(self._not_before, now - SPREAD) + apart
        return Slot(now, self.in_flight, self.rate <= SLOW * self._measured, tokens)

    def answered(self, sent: Slot, now: float, *, waiting: bool) -> None:
        """One is answered; more are allowed only where others are waiting to go."""
        self.in_flight -= 1
        self._count(sent, refused=False)
        latency = now - sent.at
        self._latency += (latency - self._latency) * (0.1 if self._latency else 1.0)
        self._answers += 1
        if self.refusals and sent.at <= self._cut_at:  # with so many in flight it was taken: not the number was refused
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

    def refused(self, sent: Slot, now: float, wish: float | None) -> None:
        """The server said that this is too much, and perhaps when to come back; what went before a cut is no news."""
        self._taken -= 1
        self.refusals += 1
        self._count(sent, refused=True)
        if wish is not None:
            self._not_before = max(self._not_before, now + min(wish, LONGEST_WISH))
        if sent.at > self._cut_at and (self._since_cut.is_most or (not sent.slow and self._is_beyond_usual)):
            if sent.level > self._proven or self._doubtful(sent):
                self._fewer(sent.level - 1, now)
            elif self._measured_from is None or self._taken >= ENOUGH or self._since_cut.is_most:
                self._slower(now)
        self.in_flight -= 1

    def failed(self) -> None:
        """One came to nothing, which says nothing of how many the server takes."""
        self.in_flight -= 1

    def _doubtful(self, sent: Slot) -> bool:
        """Whether a number that has proven itself may have been luck: of many, some answers are always on their way."""
        self._doubts += 1
        return self.rate == inf and START <= sent.level == self._proven and self._doubts <= DOUBTS

    @property
    def _is_beyond_usual(self) -> bool:
        return self._since_cut.exceeds(self._at_any_rate.known)

    def _count(self, sent: Slot, *, refused: bool) -> None:
        if sent.at > self._cut_at:
            self._since_cut.add(refused=refused)
            if sent.slow:
                self._at_any_rate.add(refused=refused)

    def _fewer(self, limit: int, now: float) -> None:
        self._cut_at, self._since_cut = now, RefusedShare(SHORT)
        self.limit = self._proven = max(1, limit)
        self._calm, self._patience, self._step = 0, min(RAREST, RARER * self._patience), 1

    def _slower(self, now: float) -> None:
        self._patience = PROBE  # the number is not the reason
        before = min(self.rate, self.in_flight / self._latency if self._latency else self.in_flight)
        if self._measured_from is None:
            self.rate = FIRST * before
        else:
            taken = self._taken / (now - self._measured_from)
            self.rate = min(SLIGHT, max(DEEP, UNDER * taken / before)) * before
            self._measured = 0.0 if self._since_cut.is_most else taken
        if self._since_cut.is_most:  # it takes less than before: what was refused in the meantime was the rate's
            self._at_any_rate = RefusedShare(LONG)
        self._cut_at, self._since_cut = now, RefusedShare(SHORT)
        self._measured_from, self._taken, self._answers = now, 0, 0


class Meter:
    """So much per minute and no more, evenly spread; an estimate is put right later.

    >>> requests = Meter(30)
    >>> requests.spend(1, now=100.0)
    >>> round(requests.wait(now=100.5), 1)
    1.5
    """

    def __init__(self, per_minute: float) -> None:
        self._seconds = 60.0 / per_minute
        self._next = -inf

    def wait(self, now: float) -> float:
        """Seconds until something may be spent."""
        return max(0.0, self._next - now)

    def spend(self, amount: float, now: float) -> None:
        """So much is spent now."""
        self._next = max(self._next, now - min(SPREAD, self._seconds / 2)) + amount * self._seconds

    def correct(self, amount: float) -> None:
        """It was so much more than was said before, or less."""
        self._next += amount * self._seconds


class TokenMeter(Meter):
    """Tokens per minute: estimated before a request goes, and put right by what its server counts."""

    def __init__(self, per_minute: float, spec: str) -> None:
        super().__init__(per_minute)
        self._spec, self._rule = spec, rule_of(spec)
        self._estimated, self._counted = 0.0, 0.0

    def expected(self, request: Request) -> float:
        """Tokens that a request is expected to cost, by what those before it did."""
        return self._estimate(request) * (self._counted / self._estimated if self._estimated else 1.0)

    def settle(self, request: Request, expected: float, usage: Usage) -> None:
        """What a response counts takes the place of what was expected."""
        if usage.input_tokens is None:
            return
        counted = usage.input_tokens + (usage.output_tokens or 0)
        self._estimated += self._estimate(request)
        self._counted += counted
        self.correct(counted - expected)

    def _estimate(self, request: Request) -> float:
        """The middle of what a request may be read as and its response may have."""
        ranges = (input_tokens(request, self._rule), output_tokens(self._spec, request.settings))
        return sum(each.low + each.high for each in ranges) / 2


class Turn(NamedTuple):
    """A request in line, and the tokens that it is expected to cost."""

    tokens: float
    come: asyncio.Future[Slot]


class Pacing:
    """The line in front of a model, which lets requests go as fast as its server takes them.

    No more go than so many requests and tokens per minute; `model` says how tokens are estimated.
    """

    def __init__(
        self, model: str = "", requests_per_minute: float | None = None, tokens_per_minute: float | None = None
    ) -> None:
        self.pace = Pace()
        self.requests = Meter(requests_per_minute) if requests_per_minute else None
        self.tokens = TokenMeter(tokens_per_minute, model) if tokens_per_minute else None
        self._line: deque[Turn] = deque()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None

    def enter(self, request: Request) -> Slot | None:
        """The place of a request that may go at once; None if it has to line up."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._begin(loop)
        if self._line or self._wait(now := loop.time()) > 0:
            return None
        return self._go(now, self.tokens.expected(request) if self.tokens else 0.0)

    async def line_up(self, request: Request) -> Slot:
        """Wait in line until one more may go."""
        loop = asyncio.get_running_loop()
        turn = Turn(self.tokens.expected(request) if self.tokens else 0.0, loop.create_future())
        self._line.append(turn)
        self.pace.crowd(len(self._line))
        self._let_go(loop)
        try:
            return await turn.come
        except asyncio.CancelledError:
            if not turn.come.cancelled():  # it had come in the very moment
                self.pace.failed()
            raise

    def answered(self, slot: Slot, request: Request, usage: Usage) -> None:
        """The request was answered."""
        if self.tokens:
            self.tokens.settle(request, slot.tokens, usage)
        loop = asyncio.get_running_loop()
        self.pace.answered(slot, loop.time(), waiting=bool(self._line))
        if self._line:
            self._let_go(loop)

    def failed(self, slot: Slot, error: BaseException) -> None:
        """The request came to nothing."""
        loop = asyncio.get_running_loop()
        if isinstance(error, TransientError) and _says_too_much(error):
            self.pace.refused(slot, loop.time(), error.retry_after)
            if self.tokens:
                self.tokens.correct(-slot.tokens)
        else:
            self.pace.failed()
        if self._line:
            self._let_go(loop)

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Nothing is in line or in flight in an event loop that has ended."""
        self._loop, self._timer = loop, None
        self._line.clear()
        self.pace.in_flight = 0

    def _let_go(self, loop: asyncio.AbstractEventLoop) -> None:
        """Let those go who may; come back when the next one may."""
        now, wait = loop.time(), 0.0
        while self._line and (self._line[0].come.done() or (wait := self._wait(now)) <= 0):
            tokens, come = self._line.popleft()
            if not come.done():
                come.set_result(self._go(now, tokens))
        if self._line and wait < inf and self._timer is None:
            self._timer = loop.call_later(wait, self._again, loop)

    def _again(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = None
        self._let_go(loop)

    def _go(self, now: float, tokens: float) -> Slot:
        if self.requests:
            self.requests.spend(1, now)
        if self.tokens:
            self.tokens.spend(tokens, now)
        return self.pace.sent(now, tokens)

    def _wait(self, now: float) -> float:
        wait = self.pace.wait(now)
        if self.requests:
            wait = max(wait, self.requests.wait(now))
        return max(wait, self.tokens.wait(now)) if self.tokens else wait


def _says_too_much(error: TransientError) -> bool:
    """Whether a server refuses because it is asked too much, and not because it is down."""
    return isinstance(error, BusyError) or (isinstance(error, OutageError) and error.retry_after is not None)
