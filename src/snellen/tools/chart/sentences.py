"""What an eye chart has shown, in sentences with their numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import inf

from snellen.report.words.numbers import from_to, p_value, with_interval
from snellen.runtime import counted
from snellen.stats import Estimate
from snellen.tools.chart.result import Acuity, ChartResult, Trial

WIDE = 0.2
"""Width of an interval of a share whose reason is told."""
CHANGED = 1.26
"""One line of an eye chart, 0.1 in log10: changes below it are not told."""
OUTCOMES = {
    "refused": "refused",
    "no image": "answered with the words that there is no image",
    "cut off": "cut off at the token limit before every letter was named",
    "failed": "without a response",
}


def first_sentence(result: ChartResult) -> str:
    """The result in one sentence."""
    acuity = result.acuity
    if acuity is None or acuity.size is None or acuity.logmar is None:
        return f"No size can be told for {result.model}: {_begun_small(result.why)}"
    return (
        f"{result.model} reads letters down to {pixels(acuity.size).replace('(', '(95% CI ')} of the image as sent: "
        f"logMAR {in_logmar(acuity.logmar)}, n = {counted(acuity.size.n, 'letter')}."
    )


def further_sentences(result: ChartResult) -> tuple[str, ...]:
    """What else was found; contrasts, ground, invention, corners, shrinking, and what was not answered."""
    told = [
        *_others(result),
        *describe_invention(result),
        *describe_corners(result),
        *describe_shrinking(result),
        *_unanswered(result.trials),
    ]
    return tuple(told)


def why_unread(trials: Sequence[Trial], first: Acuity, why: str) -> str:
    """Why there is no number, in a sentence or two."""
    if not trials:
        return why or "No chart was asked."
    if not any(trial.outcome == "answered" for trial in trials):
        outcomes = Counter(trial.outcome for trial in trials).most_common()
        told = ", ".join(f"{OUTCOMES[outcome]}: {number}" for outcome, number in outcomes)
        failures = [trial.reply for trial in trials if trial.outcome == "failed"]
        reason = f" The last reason: {failures[-1]}" if failures else ""
        return f"No chart was read. {counted(len(trials), 'chart')} asked, {told}.{reason}"
    return f"{first.why} {why}".strip()


def pixels(size: Estimate) -> str:
    """A size with its 95% interval.

    >>> pixels(Estimate(8.49, 8.1, 9.0, 80, "x")), pixels(Estimate(8.49, 0.0, 9.0, 30, "x"))
    ('8.5 px (8.1 to 9.0)', '8.5 px (less than can be told to 9.0)')
    """
    return f"{size.value:.1f} px ({_end(size.low, 1)} to {_end(size.high, 1)})"


def times(ratio: Estimate) -> str:
    """A ratio with its 95% interval.

    >>> times(Estimate(2.04, 1.9, float("inf"), 80, "x"))
    '2.0 times (1.9 to more than can be told)'
    """
    return f"{ratio.value:.1f} times ({_end(ratio.low, 1)} to {_end(ratio.high, 1)})"


def _end(value: float, digits: int, *, least: float = 0.0) -> str:
    """An end of an interval, in words if it lies beyond the sizes shown."""
    if value in (least, inf):
        return "less than can be told" if value == least else "more than can be told"
    return f"{value:.{digits}f}"


def in_logmar(estimate: Estimate) -> str:
    """A logMAR with its 95% interval."""
    low, high = (_end(end, 2, least=-inf) for end in (estimate.low, estimate.high))
    return f"{estimate.value:.2f} ({low} to {high})".replace("-", "−")


def _others(result: ChartResult) -> Iterator[str]:
    """Series that differ by a line or more; the rest in one sentence."""
    alike: list[Acuity] = []
    for each in result.others:
        if each.series.name == "large":
            continue
        if each.size is None or each.change is None:
            yield f"{_begun(each.series.words)}: {_begun_small(each.why)}"
        elif 1 / CHANGED < each.change.value < CHANGED:
            alike.append(each)
        else:
            may = ", which may be chance" if each.change.low <= 1 <= each.change.high else ""
            yield (
                f"{_begun(each.series.words)} it reads down to {pixels(each.size)}, {times(each.change)} the size "
                f"in the first series{may} (n = {counted(each.size.n, 'letter')})."
            )
    if alike:
        sizes = [each.size for each in alike if each.size is not None]
        ends = " to ".join(dict.fromkeys(f"{end(each.value for each in sizes):.1f}" for end in (min, max)))
        words, n = "; ".join(each.series.words for each in alike), from_to([each.n for each in sizes])
        yield f"No difference of a line or more was seen in these series: {words} ({ends} px, n = {n} letters each)."


def describe_invention(result: ChartResult) -> Iterator[str]:
    """What it writes for letters that it cannot read, and why the interval of that share is wide."""
    invention = result.invention
    if invention is None or invention.invented is None:
        return
    share = invention.invented
    said = with_interval(share, "share")
    threshold = None if result.acuity is None else result.acuity.size
    letters = "letters that it did not read" + ("" if threshold is None else " below its threshold")
    points = [each for each in invention.points if threshold is None or each.size < threshold.value]
    declined, missing = sum(each.declined for each in points), sum(each.missing for each in points)
    does = (
        "It leaves out letters that it cannot read" if missing > declined else "It says so if it cannot read a letter"
    )
    told = [] if invention.from_size is None else [
        f"From {invention.from_size} px down it invents more than half of the letters."
    ]  # fmt: skip
    told.append(
        (f"{does}: it" if share.high < 0.5 else "It") + f" invented another letter for {said} of the {letters}."
    )
    told.append(f"These {counted(share.n, 'letter')} stand in {_replies(invention.replies)}.")
    if share.high - share.low > WIDE:
        told.append(
            "Letters of one reply are read or missed together and count as one cluster, which makes the interval wide."
        )
    yield " ".join(told)


def _replies(number: int) -> str:
    return f"{number:,} {'reply' if number == 1 else 'replies'}"


def describe_corners(result: ChartResult) -> Iterator[str]:
    """Which of the nine parts of the image it does not read."""
    if not result.corners:
        if result.acuity is not None and result.acuity.size is not None:
            yield "The corners were not asked, or no chart of them was answered."
        return
    n = result.corners[0].n
    blind = [corner for corner in result.corners if corner.blind]
    size = f"{result.corner_size} px"
    if blind:
        places = ", ".join(f"{corner.name} ({corner.right} of {n})" for corner in blind)
        yield (
            f"It is blind in {places} of the image, by letters of {size} (p "
            f"{p_value(max(corner.p for corner in blind))}, exact, corrected by Holm over nine parts)."
        )
    right, letters = sum(corner.right for corner in result.corners), n * len(result.corners)
    if not blind and right < letters / 2:
        yield (
            f"Whether a part of the image is blind cannot be told: {right} of {letters} letters of {size} were read "
            f"where they stand apart, {n} in each of nine parts, and in no part clearly fewer than in the others."
        )
    elif not blind:
        yield (
            f"No part of the image was found to be blind: {right} of {letters} letters of {size} were read, {n} in "
            "each of nine parts (exact tests, Holm)."
        )


def describe_shrinking(result: ChartResult) -> Iterator[str]:
    """Whether large images seem to be made smaller on their way."""
    found = result.shrinking
    if found is None:
        large = next((each for each in result.others if each.series.name == "large"), None)
        if large is not None:
            yield f"Whether images are shrunk cannot be told. {_begun(large.series.words)}: {_begun_small(large.why)}"
        return
    sides = f"in an image of {found.large_side} px letters must be {times(found.ratio)} as large as in one of "
    sides += f"{found.small_side} px"
    if found.shrunk and found.seen_side is not None:
        whole = found.large_side / found.small_side
        if found.ratio.low > whole:
            yield (
                f"It loses small letters in large images: {sides}. That is more than images brought to one size "
                f"explain ({whole:.1f} times at most), so that shrinking is not the only reason, or none."
            )
            return
        fixed = " as if every image were brought to one size" if found.ratio.low <= whole <= found.ratio.high else ""
        yield (
            f"Large images seem to be shrunk{fixed}: {sides}. At most about {found.seen_side.value:,.0f} of "
            f"{found.large_side:,} px of the side are left ({_end(found.seen_side.low, 0)} to "
            f"{_end(found.seen_side.high, 0)}), and fewer if small images are shrunk as well."
        )
    elif found.shrunk is None:
        yield f"Whether large images are shrunk stays open: {sides}."
    else:
        yield f"Images of up to {found.large_side} px do not seem to be shrunk: {sides}."


def _unanswered(trials: Sequence[Trial]) -> Iterator[str]:
    for outcome, words in OUTCOMES.items():
        number = sum(trial.outcome == outcome for trial in trials)
        if number:
            yield f"{_begun(words)}: {number} of {counted(len(trials), 'request')}."


def _begun(words: str) -> str:
    return words[:1].upper() + words[1:]


def _begun_small(words: str) -> str:
    """A sentence that goes on after a colon; names keep their letters."""
    first = words.split(" ", 1)[0]
    return words[:1].lower() + words[1:] if first.isalpha() and first.istitle() else words
