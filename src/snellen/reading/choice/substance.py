"""Answers implied by findings, for options such as yes and no or left and right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snellen.items import Item
from snellen.reading.choice.letters import EDGES
from snellen.reading.choice.option_words import OptionWords, normal
from snellen.reading.language.acts import finding as yes_no
from snellen.reading.language.acts.answering import YES_OR_NO, YES_WORDS
from snellen.reading.language.acts.declining import may_withhold, withholds
from snellen.reading.language.acts.finding import ClosedQuestion, Directness
from snellen.reading.outcomes import Reading

_MOST_SENTENCES = 12
_LONGEST = 1200
"""A longer response is an essay that also discusses other findings."""
_SHORT = 240
"""Longest response that is read in a language other than English, for which our word lists are shorter."""


def read_substance(
    sentences: Sequence[str], item: Item, words: OptionWords, *, outright: bool = False
) -> Reading | None:
    """Read the option that a response implies without naming it. None if it implies none or both.

    `outright`: only statements that name the finding of a yes-no question count.

    >>> from snellen.reading.choice.option_words import option_words
    >>> from snellen.items import Option
    >>> item = Item("1", "Is the heart enlarged?", options=(Option("Yes"), Option("No")))
    >>> read_substance(["The heart is of normal size."], item, option_words(item.options)).choice
    1
    """
    if len(sentences) > _MOST_SENTENCES or sum(map(len, sentences)) > _LONGEST:
        return None
    if words.polarity:
        about = yes_no.read_question(item.question)
        if about is None or (sum(map(len, sentences)) > _SHORT and not yes_no.in_english(item.question)):
            return None
        return _read_sentences(sentences, about, words.polarity, outright=outright)
    if outright:
        return None
    sides = yes_no.sides_offered(words.keys)
    if sides is not None:
        return _on_side(sentences, item, sides)
    found = yes_no.poles(words.keys, item.question)
    if found is not None:
        about, yes, no = found
        said, led = _read_sentences(sentences, about, {"yes": yes, "no": no}), _opens_with_yes(sentences, about, item)
        if said is None and led is not None:
            after = " ".join(sentences[:2]).lower().partition(",")[2]
            return taken_back(after, item, words) or make_reading("yes-no", yes if led else no, sentences[0])
        return said
    return _of_kind(sentences, words)


def _opens_with_yes(sentences: Sequence[str], about: ClosedQuestion, item: Item) -> bool | None:
    """Return True if a response opens with yes, False if with no.

    The options are a disease and its absence. None if it opens with neither, or the question asks for another thing.
    """
    found = YES_OR_NO.match(sentences[0].lstrip(EDGES)) if sentences else None
    if found is None or sentences[0].lstrip(EDGES)[found.end() :][:1] not in ("", ".", ",", "!"):
        return None
    wanted = yes_no.read_question(item.question)
    if wanted is None or wanted.absent or not wanted.things or wanted.things[-1] != about.things[-1]:
        return None
    return normal(found.group()) in YES_WORDS


def of_image(sentences: Sequence[str], item: Item, words: OptionWords) -> Sequence[str]:
    """Return the sentences that may describe this image.

    Advice and general statements are removed only if the options can refer to nothing but the image.
    """
    if sum(map(len, sentences)) > _SHORT:
        sentences = [sentence for sentence in sentences if not yes_no.advises(sentence)]
    found = yes_no.poles(words.keys, item.question)
    if found is None and not (
        yes_no.sides_offered(words.keys) or yes_no.kinds_offered(words.keys) or yes_no.findings_offered(words.keys)
    ):
        return sentences
    about = None if found is None else found[0]
    return [sentence for sentence in sentences if not yes_no.speaks_in_general(sentence, about)]


def is_contradicted(sentences: Sequence[str], item: Item, words: OptionWords, choice: int) -> bool:
    """Return whether sentences after a yes or no state the opposite: "No. The lesion is calcified."."""
    about = yes_no.read_question(item.question) if words.polarity else None
    read = None if about is None else _read_sentences(sentences, about, words.polarity, outright=True)
    return read is not None and read.choice != choice


def taken_back(after: str, item: Item, words: OptionWords) -> Reading | None:
    """Return the reason why sentences after a yes or no take it back, or None.

    None too if they go on to state a finding, or if the question asks about the model's ability.
    """
    first, _, second = after.partition(". ")
    if yes_no.hedges(first):
        return None
    withheld = [
        withholds(first, item.question) if may_withhold(first) else None,
        withholds(second, item.question) if may_withhold(second) and yes_no.of_myself(second) else None,
    ]
    why = withheld[0] or withheld[1]
    if why is None or yes_no.asks_ability(item.question):
        return None
    told = [part for part in yes_no.turns(first) if withheld[0] is None or withholds(part, item.question) is None]
    if second and withheld[1] is None:
        told.append(second)
    about = yes_no.read_question(item.question) if words.polarity else None
    stated = about is not None and told and _read_sentences(told, about, words.polarity, outright=True) is not None
    return None if stated else why


def read_findings(sentences: Sequence[str], words: OptionWords) -> Reading | None:
    """Read the one option whose finding the response calls present."""
    offered = yes_no.findings_offered(words.keys)
    if offered is None or len(sentences) > _MOST_SENTENCES or sum(map(len, sentences)) > _LONGEST:
        return None
    found = {finding: sentence for sentence in sentences for finding in yes_no.finding_named(sentence, offered)}
    if len(found) > 1:
        found.pop("normal", None)
    if len(found) != 1:
        return None
    ((finding, sentence),) = found.items()
    return make_reading("option-text", offered.index(finding), sentence)


def _read_sentences(
    sentences: Sequence[str], about: ClosedQuestion, polarity: Mapping[str, int], *, outright: bool = False
) -> Reading | None:
    """Read yes or no: first from sentences that name the finding, then from those that imply it."""
    heeded = [(sentence, yes_no.read_verdict(sentence, about)) for sentence in sentences]
    if all(verdict is None for _, verdict in heeded):
        return None
    following = [*sentences[1:], ""]
    if yes_no.explains(sentences[0], about):
        heeded = [(sentence, verdict) for sentence, verdict in heeded[1:] if yes_no.of_this(sentence)]
        following = [*(sentence for sentence, _ in heeded[1:]), ""]
    said: dict[Directness, dict[bool, str]] = {}
    silent = False
    for (sentence, verdict), after in zip(heeded, following, strict=False):
        if verdict is not None and yes_no.is_general(sentence, after):
            verdict = None
        if verdict is not None:
            said.setdefault(verdict[1], {}).setdefault(verdict[0], sentence)
        silent = silent or verdict is None
    for how in (Directness.DIRECTLY,) if outright else Directness:
        if how is Directness.OF_A_PART and (silent or len(sentences) == 1):
            return None
        verdicts = said.get(how, {})
        if len(verdicts) > 1:
            return None
        for there, sentence in verdicts.items():
            return make_reading("yes-no-sentence", polarity["yes" if there != about.absent else "no"], sentence)
    return None


def _of_kind(sentences: Sequence[str], words: OptionWords) -> Reading | None:
    """Read the option whose kind of image, plane or projection the response names."""
    offered = yes_no.kinds_offered(words.keys)
    if offered is None:
        return None
    found = {kind: sentence for sentence in sentences if (kind := yes_no.kind_named(sentence, offered)) in offered}
    if len(found) != 1:
        return None
    ((kind, sentence),) = found.items()
    return make_reading("option-text", offered.index(kind), sentence)


def _on_side(sentences: Sequence[str], item: Item, offered: Sequence[str]) -> Reading | None:
    """Read the side on which the response sees what the question asks for."""
    found = {
        side: sentence for sentence in sentences if (side := yes_no.side_named(sentence, item.question)) is not None
    }
    if not found and "neither" in offered:
        sound = [sentence for sentence in sentences if yes_no.finding_named(sentence, ("normal",))]
        found = {"neither": sound[0]} if sound else {}
    if len(found) != 1:
        return None
    ((side, sentence),) = found.items()
    if side != "both" and side not in offered:
        side = "one"
    return make_reading("option-text", offered.index(side), sentence) if side in offered else None


def make_reading(rule: str, choice: int, sentence: str) -> Reading:
    """Make a reading with a sentence as evidence."""
    return Reading(rule, choice=choice, evidence=" ".join(sentence.split())[:120])
