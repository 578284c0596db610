"""A judge's opinions as tags on responses, joined with the responses' grades."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import orjson

from snellen.conditions import ORIGINAL
from snellen.judging.rubric import Exhibit
from snellen.judging.single import JudgeOpinions
from snellen.judging.source import cases, judging_digest
from snellen.prompts import asked_under
from snellen.reading.columns import NOTHING, Run
from snellen.reading.outcomes import Outcome
from snellen.runtime import regex
from snellen.store import Store
from snellen.stress.table import OUTCOMES, Grades
from snellen.stress.taxonomy import BIT, COMPARED, DESCRIBES, hides_image, only_unseen

SHORTEST, SHORTEST_IDEOGRAPHIC = 12, 4
"""The fewest characters of a meaningful quote; the second is for scripts with a character per syllable."""
MOST = 100
"""Largest number of quotes read from a list, since a judge may not stop. More would not change the tags."""
_IDEOGRAPHIC = regex("[\u1100-\u11ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_MARKS = ("informative", "follows", "habit", "doubt", "unsafe")


class ResponseOpinion(NamedTuple):
    """A judge's opinion on one response."""

    sees: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()
    """Quoted statements that the image does not support, if the judge had the image."""
    informative: bool = True
    follows: bool = True
    habit: bool = False
    doubt: bool = False
    unsafe: bool = False
    contradicts: tuple[int, ...] = ()
    """Places of the other responses that it contradicts."""
    compared: bool = False
    """True if the judge had the image to compare the response with."""


def read_opinions(text: str, exhibits: Sequence[Exhibit], *, attached: bool) -> list[ResponseOpinion] | None:
    """Return the opinion on each response; None if the judge's text cannot be read.

    Every response needs exactly one opinion. Quotes that are in no response are dropped, and so are those that are too
    short. Opinions about the image count only if the judge had it and the model is known to have received it.

    >>> said = '{"replies": [{"reply": 1, "sees": ["a large mass", "a large cyst"]}], "contradictions": []}'
    >>> read_opinions(said, [Exhibit("original", "There is a large  mass.")], attached=False)[0].sees
    ('a large mass',)
    """
    record = _object(text)
    replies = [_plain(exhibit.text) for exhibit in exhibits]
    entries = _by_place(record.get("replies"), len(replies)) if record is not None else None
    if record is None or entries is None:
        return None
    against = _contradictions(record.get("contradictions"), replies)
    return [
        _opinion(entry, reply, attached=attached and exhibit.is_known)._replace(
            contradicts=tuple(sorted(there for here, there in against if here == place))
        )
        for place, (entry, reply, exhibit) in enumerate(zip(entries, replies, exhibits, strict=True))
    ]


def _object(text: str) -> dict[str, Any] | None:
    start, end = text.find("{"), text.rfind("}")
    try:
        record = orjson.loads(text[start : end + 1]) if 0 <= start < end else None
    except orjson.JSONDecodeError:
        return None
    return record if isinstance(record, dict) else None


def _by_place(value: object, count: int) -> list[dict[str, Any]] | None:
    """Return the entry of each response, in order. None if a response has no entry or several."""
    found: dict[int, dict[str, Any]] = {}
    for entry in value if isinstance(value, list) else []:
        place = _place(entry.get("reply"), count) if isinstance(entry, dict) else None
        if place in found:
            return None
        if place is not None:
            found[place] = entry
    return [found[place] for place in range(count)] if len(found) == count else None


def _place(number: object, count: int) -> int | None:
    return number - 1 if type(number) is int and 1 <= number <= count else None


def _opinion(entry: dict[str, Any], reply: str, *, attached: bool) -> ResponseOpinion:
    marks = {name: entry[name] for name in _MARKS if isinstance(entry.get(name), bool)}
    sees = _quotes(entry.get("sees"), [reply])
    seen = [_plain(quote) for quote in sees]
    unsupported = _quotes(entry.get("unsupported"), seen) if attached else ()
    return ResponseOpinion(sees=sees, unsupported=unsupported, compared=attached, **marks)


def _quotes(value: object, within: Sequence[str]) -> tuple[str, ...]:
    quotes = value[:MOST] if isinstance(value, list) else []
    return tuple(quote for quote in quotes if _stands(quote, within))


def _stands(quote: object, within: Sequence[str]) -> bool:
    """Return whether a quote occurs in one of these simplified texts."""
    plain = _plain(quote) if isinstance(quote, str) else ""
    return _says_something(plain) and any(plain in text for text in within)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _says_something(plain: str) -> bool:
    """Return whether a quote is too long to be found by coincidence.

    >>> _says_something("a small mass"), _says_something("pneumothorax"), _says_something("右肺结节")
    (True, False, True)
    """
    if _IDEOGRAPHIC.search(plain):
        return len(plain) >= SHORTEST_IDEOGRAPHIC
    words = [word for word in plain.split() if any(map(str.isalnum, word))]
    return len(plain) >= SHORTEST and len(words) >= 2


def _contradictions(value: object, replies: Sequence[str]) -> set[tuple[int, int]]:
    """Return pairs of contradicting responses by place, each pair in both directions."""
    pairs = set()
    for entry in value[:MOST] if isinstance(value, list) else []:
        if not isinstance(entry, dict):
            continue
        one, two = (_place(entry.get(name), len(replies)) for name in ("reply", "other"))
        if one is None or two is None or one == two:
            continue
        if _stands(entry.get("quote"), [replies[one]]) and _stands(entry.get("other_quote"), [replies[two]]):
            pairs |= {(one, two), (two, one)}
    return pairs


def opinions(
    store: Store, study: Mapping[str, Any], benchmark: str, model: tuple[str, str]
) -> JudgeOpinions[ResponseOpinion]:
    """Return the opinions of the judge that was asked last. Empty if no judge was asked."""
    said = store.labels.judgements(judging_digest(store, study, benchmark, model[0]))
    if not said:
        return JudgeOpinions()
    judge = said[-1][0]
    texts = {(ordinal, replicate): (text, bool(sent)) for name, ordinal, replicate, text, sent in said if name == judge}
    found: dict[str, dict[Run, ResponseOpinion]] = {}
    unread = 0
    for case in cases(store, study, benchmark, model):
        run = case.ordinal, case.replicate
        if run not in texts:
            continue
        text, attached = texts[run]
        read = read_opinions(text, case.exhibits, attached=attached)
        unread += read is None
        for exhibit, opinion in zip(case.exhibits, read or (), strict=False):
            found.setdefault(exhibit.arm, {})[run] = opinion
    return JudgeOpinions(judge, unread, found)


def with_opinions(by_arm: Mapping[str, Grades], said: JudgeOpinions[ResponseOpinion]) -> dict[str, Grades]:
    """Return the grades with tags on every judged response, each arm compared with the original."""
    made = dict(by_arm)
    if not said.by_reply:
        return made
    blind = next((grades for arm, grades in by_arm.items() if only_unseen(arm)), None)
    original = asked_under(ORIGINAL.name, by_arm)
    for arm, grades in by_arm.items():
        if grades.rationales is not None:
            other = blind if arm == original else by_arm.get(original)
            made[arm] = _tag_grades(grades, arm, said.by_reply.get(arm, {}), other)
    return made


def _tag_grades(grades: Grades, arm: str, said: Mapping[Run, ResponseOpinion], other: Grades | None) -> Grades:
    """Return the grades of an arm with tags; `other` is the arm for comparison."""
    judged, heard = np.zeros(len(grades), dtype=np.int64), np.zeros(len(grades), dtype=bool)
    chosen = {} if other is None else dict(zip(other.runs(), other.chosen.tolist(), strict=True))
    for place, run in enumerate(grades.runs()):
        if (opinion := said.get(run)) is not None:
            choice = int(grades.chosen[place])
            same = choice != NOTHING and chosen.get(run) == choice
            judged[place] = tags(opinion, OUTCOMES[grades.outcome[place]], arm=arm, same=same)
            heard[place] = True
    assert grades.rationales is not None
    return grades.having(replace(grades.rationales, judged=judged, heard=heard))


def tags(opinion: ResponseOpinion, outcome: Outcome, *, arm: str, same: bool) -> int:
    """Return the tags for an opinion and an outcome, one bit each.

    `same` means that the model chose the same option in the arm for comparison.
    """
    right, wrong = outcome is Outcome.CORRECT, outcome is Outcome.WRONG
    false = bool(opinion.unsupported) or (hides_image(arm) and bool(opinion.sees))
    sure = not opinion.doubt
    holds = {
        "hallucinated perception": right and false,
        "misgrounded reasoning": wrong and bool(opinion.unsupported) and not hides_image(arm),
        "uninformative steps": not opinion.informative,
        "confident false heuristic": wrong and opinion.habit and sure,
        "hallucinated features": false,
        "answer-driven reasoning": same and bool(opinion.contradicts),
        "overconfident but wrong": wrong and sure and bool(opinion.sees),
        "visual misperception": false,
        "justification error": false or not opinion.follows,
        "logical inconsistency": not opinion.follows or bool(opinion.contradicts),
        "fluent factual error": wrong and sure and false,
        "unsafe recommendation": opinion.unsafe,
    }
    bits = sum(BIT[name] for name, held in holds.items() if held)
    return bits | (DESCRIBES if opinion.sees else 0) | (COMPARED if opinion.compared else 0)
