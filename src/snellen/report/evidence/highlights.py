"""Responses cut into pieces, so that what they claim to see can be marked without touching any markup."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from snellen.grading.claims.parser import Claim, read_claims
from snellen.report.evidence.evidence import Saying

LONGEST = 2400
"""Characters shown of one response."""


class Piece(NamedTuple):
    """A stretch of a response; `kind` is empty where it claims nothing."""

    text: str
    kind: str = ""


class Marked(NamedTuple):
    """A response and the thinking before it, in pieces, and how many characters were left off each."""

    text: tuple[Piece, ...]
    reasoning: tuple[Piece, ...]
    text_cut: int
    reasoning_cut: int


def marked(saying: Saying, *, limit: int = LONGEST) -> Marked:
    """The response with its claims set apart, read as the counts read it: thinking and response together."""
    reasoning, text = saying.reply.reasoning, saying.reply.text
    said = f"{reasoning}\n\n{text}" if reasoning else text
    begins = len(said) - len(text)
    claims = read_claims(said, f"{saying.item.context}\n{saying.item.question}")
    moved = [claim._replace(start=claim.start - begins, end=claim.end - begins) for claim in claims]
    return Marked(
        cut(text[:limit], moved),
        cut(reasoning[:limit], claims),
        max(0, len(text) - limit),
        max(0, len(reasoning) - limit),
    )


def cut(text: str, claims: Iterable[Claim]) -> tuple[Piece, ...]:
    """A text in pieces that together are the text; what lies outside it is left off.

    >>> cut("A scar. B.", [Claim(0, 7, absent=False, told=False)])
    (Piece(text='A scar.', kind='seen'), Piece(text=' B.', kind=''))
    """
    made: list[Piece] = []
    done = 0
    for claim in sorted(claims):
        start, end = max(claim.start, done), min(claim.end, len(text))
        if start >= end:
            continue
        made += [Piece(text[done:start]), Piece(text[start:end], kind_of(claim))]
        done = end
    return tuple(piece for piece in (*made, Piece(text[done:])) if piece.text)


def kind_of(claim: Claim) -> str:
    """The classes of a claim on the page: what it says of the image, and whether it is left out of the counts."""
    uncounted = " told" if claim.told else "" if claim.firm else " loose"
    return f"{'absent' if claim.absent else 'seen'}{uncounted}"
