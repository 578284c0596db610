"""Responses without an explicit answer: options named in sentences, and yes or no implied by findings."""

from __future__ import annotations

import re
from collections.abc import Sequence

from snellen.items import LETTERS, Item
from snellen.reading.choice.option_words import OptionWords, normal
from snellen.reading.choice.substance import make_reading, of_image, read_findings, read_substance
from snellen.reading.language.acts import answering as cues
from snellen.reading.language.acts.answering import asks_exception
from snellen.reading.language.acts.declining import read_silence
from snellen.reading.language.acts.finding import in_english, turns
from snellen.reading.language.sentences import sentences_of
from snellen.reading.outcomes import Outcome, Reading
from snellen.runtime import regex

_BEGINS = regex(r"(?:^|\n)[\s>•|(\[-]{0,8}$")
_SIGN = regex(r"(?P<against>[✗✘❌✖☒])|(?P<for>[✓✔✅☑])")
_REACH = 160
_EDGE = 36
"""Characters searched for judgements in words, at either end of the text about an option."""
_MOST = 60
_FEWEST = 3
"""A list counts only if it judges this many options in words."""


def judged_one_by_one(text: str, words: OptionWords, *, exception: bool) -> Reading | None:
    """Return the one option that a list approves while it rejects others.

    `exception`: the question asks which option is false. Then a single rejected option is the answer.
    """
    if len(set(_CAPITAL.findall(text))) < 2:
        return None
    labels = list(cues.LISTED_LABEL.finditer(text))[:_MOST]
    listed = [label for label in labels if _BEGINS.search(text, max(0, label.start() - 8), label.start())]
    if len(listed) >= _FEWEST:
        labels = listed
    if len({label.group(1) for label in labels}) < 2:
        return None
    pattern = _SIGN if _SIGN.search(text) else cues.VERDICT
    verdicts: dict[int, set[bool]] = {}
    for at, label in enumerate(labels):
        until = labels[at + 1].start() if at + 1 < len(labels) else len(text)
        said = _verdict(text[label.end() : min(until, label.end() + _REACH)].split("\n", 1)[0], pattern)
        place = LETTERS.index(label.group(1))
        if said is not None and place < words.size:
            verdicts.setdefault(place, set()).add(said)
    if pattern is cues.VERDICT and 2 * len(verdicts) <= words.size and len(text) > _SHORT_REPLY:
        return None
    return _decide(verdicts, exception=exception, ticked=pattern is _SIGN)


def _verdict(piece: str, pattern: re.Pattern[str]) -> bool | None:
    """Return whether a piece of text approves. None if it does not judge, or has ticks and crosses."""
    if pattern is cues.VERDICT and len(piece) > 2 * _EDGE:
        piece = f"{piece[:_EDGE]} | {piece[-_EDGE:].partition(' ')[2]}"
    said = {found.lastgroup for found in pattern.finditer(piece)}
    if said == {"against", "for"}:
        return None if pattern is _SIGN else False
    return said == {"for"} if said else None


def _decide(verdicts: dict[int, set[bool]], *, exception: bool, ticked: bool) -> Reading | None:
    chosen = [place for place, said in verdicts.items() if said == {True}]
    denied = [place for place, said in verdicts.items() if said == {False}]
    if len(chosen) + len(denied) < len(verdicts) or not (ticked or len(verdicts) >= _FEWEST):
        return None
    if len(chosen) == 1 and not (exception and len(denied) == 1):
        return Reading("marked-in-list", choice=chosen[0], evidence=LETTERS[chosen[0]])
    if exception and len(denied) == 1 and len(chosen) > 1:
        return Reading("marked-in-list", choice=denied[0], evidence=LETTERS[denied[0]])
    return None


_CUT_OFF = regex(r"(?:Option|Choice|Answer) [A-Z]")
_UPPER = regex("[A-Z]")
_CAPITAL = regex(f"(?<![{cues.LATIN}])[A-Z](?![A-Za-z])")
_LISTED = regex(r"\s{0,8}(?:[-•·]|\d{1,2}[.)]\s|(?:[Oo]p\w{2,7}\s)?[(\[]?[A-Z][)\].:]\s)")
_LABELLED = regex(r"\s{0,8}(?:[-•·]\s{0,3})?(?:[Oo]p\w{2,7}\s)?(?:[(\[][A-Z][)\]]|[A-Z][).:])\s")
_A_LIST = 3
_SHORT_REPLY = 240
_MOST_SENTENCES = 120
_OPENING, _CLOSING = 2, 3
_ENTRY = regex(r"\s{0,8}(?:[-•·]\s|\d{1,2}[.)]\s)")


def read_prose(text: str, low: str, item: Item, words: OptionWords, *, silent: bool) -> Reading | None:
    """Find the answer that a careful reader would find without an explicit answer.

    `silent`: the response also declines or cannot tell. Then only sentences with a cue ("most likely") count.
    """
    sentences = sentences_of(text)
    if len(sentences) > _MOST_SENTENCES:
        sentences = sentences[: _MOST_SENTENCES // 2] + sentences[-_MOST_SENTENCES // 2 :]
    if not silent:
        listed = judged_one_by_one(text, words, exception=asks_exception(item.question))
        substance = read_substance(sentences, item, words) or _substance(low, item, words)
        for read in (listed, _left_over(sentences, item, words), substance):
            if read is not None:
                return read
    elif words.polarity and len(text) <= _SHORT_REPLY:
        told = [part for sentence in sentences for part in turns(sentence) if read_silence(part.lower()) is None]
        return read_substance(told, item, words, outright=True)
    named = _option_words(of_image(sentences, item, words), words, silent=silent)
    if named is not None or silent:
        return named
    return read_findings(sentences, words) or _last_letter(sentences, words)


def _left_over(sentences: Sequence[str], item: Item, words: OptionWords) -> Reading | None:
    """Return the one option left if a sentence rules out all others: "B, C, D and E are incorrect"."""
    if words.size < 3 or not any(map(_CAPITAL.search, sentences)):
        return None
    exception = asks_exception(item.question)
    for sentence in sentences:
        found = cues.LETTER_SERIES.search(sentence)
        after = sentence[found.end() : found.end() + 60].lower() if found else ""
        denied = cues.DENIED.search(after) is not None
        if found is None or denied == exception or (exception and not cues.HOLDS.search(after)):
            continue
        left = set(range(words.size)) - {LETTERS.index(letter) for letter in _UPPER.findall(found.group())}
        if len(left) == 1:
            return make_reading("only-one-left", left.pop(), sentence)
    return None


def _substance(low: str, item: Item, words: OptionWords) -> Reading | None:
    """Read yes or no from the finding of a short response. The question must ask for this finding."""
    if not words.polarity or len(low) > _SHORT_REPLY:
        return None
    reply = low.strip()
    drawn = cues.YES_NO_DRAWN.search(reply)
    if (drawn is None and in_english(item.question)) or cues.ABSENCE_ASKED.search(item.question.lower()):
        return None
    if drawn:
        return make_reading("yes-no-sentence", words.polarity[cues.POLARITY[drawn.group(1)]], reply)
    negative = cues.NEGATIVE_FINDING.match(reply) or cues.ABSENT.search(reply)
    found = negative or cues.POSITIVE_FINDING.match(reply) or cues.PRESENT.search(reply)
    if found is None or not _shares_subject(reply, item.question):
        return None
    return make_reading("yes-no-sentence", words.polarity["no" if negative else "yes"], reply)


def _shares_subject(reply: str, question: str) -> bool:
    said, asked = normal(reply), normal(question)
    if not said.isascii() and any("\u4e00" <= letter <= "\u9fff" for letter in said):
        return any(
            said[place : place + 2] in asked for place in range(len(said) - 1) if " " not in said[place : place + 2]
        )
    known = {word.rstrip("s") for word in asked.split() if len(word) > 4 and word not in cues.NO_SUBJECT}
    return any(word.rstrip("s") in known for word in said.split())


def _option_words(sentences: Sequence[str], words: OptionWords, *, silent: bool) -> Reading | None:
    """Read the one option that is named without denial, or else in the conclusion."""
    if not words.names.keys:
        return None
    named = _spoken_for(sentences, words)
    cued = [(sentence, found) for sentence, found in named if found and cues.CUE.search(sentence.lower())]
    everywhere = set().union(*(found for _, found in named)) if named else set()
    short = sum(map(len, sentences)) <= _SHORT_REPLY
    if silent:
        everywhere = set().union(*(found for _, found in cued)) if cued else set()
        named = cued
    if len(everywhere) == 1:
        choice = everywhere.pop()
        if not short and len(words.keys[choice]) <= 3:
            return None
        speaking = [sentence for sentence, found in named if found]
        if not short and not _at_an_end(sentences, speaking):
            return None
        if all(words.offers_another(sentence, choice) for sentence in speaking):
            return Reading("two-options", silence=Outcome.UNPARSED, evidence=" ".join(speaking[-1].split())[:120])
        return make_reading("option-text", choice, speaking[0])
    if not everywhere:
        return None if silent else _across_sentences(sentences, words)
    if cued and len(cued[-1][1]) == 1 and cued[-1][0] in sentences[-3:]:
        return make_reading("option-text", next(iter(cued[-1][1])), cued[-1][0])
    evidence = next(sentence for sentence, found in reversed(named) if found)
    return Reading("two-options", silence=Outcome.UNPARSED, evidence=" ".join(evidence.split())[:120])


def _at_an_end(sentences: Sequence[str], speaking: Sequence[str]) -> bool:
    """Return whether a long response names its option at the beginning or end. Lists do not count."""
    ends = {*sentences[:_OPENING], *(sentence for sentence in sentences[-_CLOSING:] if not _ENTRY.match(sentence))}
    return not ends.isdisjoint(speaking)


def _spoken_for(sentences: Sequence[str], words: OptionWords) -> list[tuple[str, set[int]]]:
    """Return the options that each sentence asserts, or supposes if no sentence asserts one.

    Sentences of a list of options do not count.
    """
    listed = [sentence for sentence in sentences if _LABELLED.match(sentence)]
    if len(listed) >= _A_LIST:
        sentences = [sentence for sentence in sentences if not _LABELLED.match(sentence)]
    found = [(sentence, *words.spoken_for(sentence)) for sentence in sentences]
    if any(asserted for _, asserted, _ in found):
        return [(sentence, set(asserted)) for sentence, asserted, _ in found]
    return [(sentence, set(supposed)) for sentence, _, supposed in found]


def _across_sentences(sentences: Sequence[str], words: OptionWords) -> Reading | None:
    """Read an option whose text contains a full stop, from several sentences together."""
    whole = " ".join(sentences)[:2000]
    named = {place for place in words.find_named(whole) if len(sentences_of(words.texts[place])) > 1}
    return make_reading("option-text", named.pop(), whole) if len(named) == 1 and len(sentences) > 1 else None


def _last_letter(sentences: Sequence[str], words: OptionWords) -> Reading | None:
    """Read the letter with which a response concludes: its only one, or the one in its last two sentences."""
    short = sum(map(len, sentences)) <= _SHORT_REPLY
    mentioned = [(sentence, _letters(sentence, words, short=short)) for sentence in sentences]
    everywhere = set().union(*(letters for _, letters in mentioned)) if mentioned else set()
    if not everywhere:
        return None
    if len(mentioned) > 1 and _CUT_OFF.fullmatch(sentences[-1].strip()):
        return None
    ending = set().union(*(letters for _, letters in mentioned[-2:]))
    chosen = everywhere if len(everywhere) == 1 else ending
    evidence = next(sentence for sentence, letters in reversed(mentioned) if letters)
    if len(chosen) == 1:
        return make_reading("last-letter", chosen.pop(), evidence)
    return Reading("two-options", silence=Outcome.UNPARSED, evidence=" ".join(evidence.split())[:120])


def _letters(sentence: str, words: OptionWords, *, short: bool) -> set[int]:
    """Return the letters that a sentence asserts; in a long response only after a cue.

    Listed, denied and supposed letters do not count.
    """
    found = list(cues.LETTER_MENTION.finditer(sentence[:1000])) if _CAPITAL.search(sentence) else []
    if not found or _LISTED.match(sentence) or sentence.rstrip().endswith("?"):
        return set()
    low = cues.CONCESSION.sub("", sentence.lower())
    if (
        cues.DENIED.search(low)
        or cues.EXAMINED.search(low)
        or cues.IF.match(low)
        or (not short and cues.SUPPOSING.search(low))
    ):
        return set()
    if not short and not cues.CUE.search(low):
        found = [match for match in found if match.group(3)]
    places = {LETTERS.index(next(filter(None, match.groups()))) for match in found}
    return {place for place in places if place < words.size}
