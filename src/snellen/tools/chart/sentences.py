"""The results of an eye chart in sentences with numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import inf

from snellen.report.words.numbers import begun, from_to, p_value, with_interval
from snellen.runtime import counted
from snellen.stats import Estimate
from snellen.tools.chart.result import Acuity, ChartResult, Trial

SURE = 0.1
"""If the invented share is surely below this, a sentence says what the model does instead."""
WIDE = 0.2
"""Width of a share's interval above which a sentence explains it."""
CHANGED = 1.26
"""One line of an eye chart (0.1 logMAR) as a ratio; smaller changes are not described one by one."""
OUTCOMES = {
    "refused": "refused",
    "no image": "said that there is no image",
    "cut off": "cut off at the token limit before every letter was named",
    "failed": "without a response",
}


def first_sentence(result: ChartResult) -> str:
    """Return the main result in one sentence."""
    acuity = result.acuity
    if acuity is None or acuity.size is None or acuity.logmar is None:
        return f"No size can be given for {result.model}: {_begun_small(result.why)}"
    return (
        f"{result.model} reads letters down to {pixels(acuity.size).replace('(', '(95% CI ')} of the image as sent: "
        f"logMAR {in_logmar(acuity.logmar)}, n = {counted(acuity.size.n, 'letter')}."
    )


def further_sentences(result: ChartResult) -> tuple[str, ...]:
    """List the further results: other series, invented letters, parts, shrinking, unanswered requests."""
    parts = (_describe_other_series, describe_invention, describe_corners, describe_shrinking)
    return (*(sentence for describe in parts for sentence in describe(result)), *_count_unanswered(result.trials))


def why_unread(trials: Sequence[Trial], first: Acuity, why: str) -> str:
    """Explain in one or two sentences why there is no threshold."""
    if not trials:
        return why or "No chart was asked."
    if not any(trial.outcome == "answered" for trial in trials):
        outcomes = Counter(trial.outcome for trial in trials).most_common()
        counts = ", ".join(f"{OUTCOMES[outcome]}: {number}" for outcome, number in outcomes)
        failures = [trial.reply for trial in trials if trial.outcome == "failed"]
        reason = f" The last error: {failures[-1]}" if failures else ""
        return f"No chart was read. Of {counted(len(trials), 'chart')}: {counts}.{reason}"
    return f"{first.why} {why}".strip()


def pixels(size: Estimate) -> str:
    """Format a size with its 95% interval.

    >>> pixels(Estimate(8.49, 8.1, 9.0, 80, "x")), pixels(Estimate(8.49, 0.0, 9.0, 30, "x"))
    ('8.5 px (8.1 to 9.0)', '8.5 px (up to 9.0)')
    """
    return f"{size.value:.1f} px ({_interval(size.low, size.high, 1)})"


def times(ratio: Estimate) -> str:
    """Format a ratio with its 95% interval.

    >>> times(Estimate(2.04, 1.9, float("inf"), 80, "x"))
    '2.0 times (1.9 or more)'
    """
    return f"{ratio.value:.1f} times ({_interval(ratio.low, ratio.high, 1)})"


def _interval(low: float, high: float, digits: int, *, least: float = 0.0) -> str:
    """Format an interval; an end beyond the sizes shown is left open."""
    if low == least:
        return f"up to {high:.{digits}f}" if high < inf else "open at both ends"
    return f"{low:.{digits}f} to {high:.{digits}f}" if high < inf else f"{low:.{digits}f} or more"


def in_logmar(estimate: Estimate) -> str:
    """Format a logMAR with its 95% interval."""
    ends = _interval(estimate.low, estimate.high, 2, least=-inf)
    return f"{estimate.value:.2f} ({ends})".replace("-", "−")


def _describe_other_series(result: ChartResult) -> Iterator[str]:
    """Describe each series that differs clearly, and the rest in one sentence."""
    alike: list[Acuity] = []
    for each in result.others:
        if each.series.name == "large":
            continue
        if each.size is None or each.change is None:
            yield f"{begun(each.series.words)}: {_begun_small(each.why)}"
        elif 1 / CHANGED < each.change.value < CHANGED:
            alike.append(each)
        else:
            may = ", which may be chance" if each.change.low <= 1 <= each.change.high else ""
            yield (
                f"{begun(each.series.words)}: it reads down to {pixels(each.size)}, {times(each.change)} the "
                f"size for dark letters on a light ground{may} (n = {counted(each.size.n, 'letter')})."
            )
    if alike:
        sizes = [each.size for each in alike if each.size is not None]
        ends = " to ".join(dict.fromkeys(f"{end(each.value for each in sizes):.1f}" for end in (min, max)))
        words, n = "; ".join(each.series.words for each in alike), from_to([each.n for each in sizes])
        yield f"No difference of one chart line (0.1 logMAR) or more in: {words} ({ends} px, n = {n} letters each)."


def describe_invention(result: ChartResult) -> Iterator[str]:
    """Describe how often the model names another letter for one that it cannot read."""
    invention = result.invention
    if invention is None or invention.invented is None:
        return
    share = invention.invented
    percent = with_interval(share, "share")
    threshold = None if result.acuity is None else result.acuity.size
    letters = "letters that it did not read" + ("" if threshold is None else " below its threshold")
    points = [each for each in invention.points if threshold is None or each.size < threshold.value]
    declined, missing = sum(each.declined for each in points), sum(each.missing for each in points)
    does = (
        "It leaves out letters that it cannot read" if missing > declined else "It says so if it cannot read a letter"
    )
    sentences = [] if invention.from_size is None else [
        f"From {invention.from_size} px down it invents more than half of the letters."
    ]  # fmt: skip
    sentences.append(
        (f"{does}: it" if share.high < SURE else "It") + f" invented another letter for {percent} of the {letters}."
    )
    sentences.append(f"These {counted(share.n, 'letter')} come from {counted(invention.replies, 'response')}.")
    if share.high - share.low > WIDE:
        sentences.append("The letters of one response count as one cluster, which makes the interval wide.")
    yield " ".join(sentences)


def describe_corners(result: ChartResult) -> Iterator[str]:
    """Describe in which of the nine parts of the image the model reads no letters."""
    if not result.corners:
        if result.acuity is not None and result.acuity.size is not None:
            yield "No chart with letters in the corners was asked and answered."
        return
    n = result.corners[0].n
    blind = [corner for corner in result.corners if corner.blind]
    size = f"{result.corner_size} px"
    if blind:
        places = ", ".join(f"{corner.name} ({corner.right} of {n})" for corner in blind)
        yield (
            f"It does not read letters of {size} in {places} of the image (p "
            f"{p_value(max(corner.p for corner in blind))}, exact tests, corrected by Holm over nine parts)."
        )
    right, letters = sum(corner.right for corner in result.corners), n * len(result.corners)
    if not blind and right < letters / 2:
        yield (
            f"A blind part of the image cannot be detected: only {right} of {letters} letters of {size} were read "
            f"({n} in each of nine parts), and no part is clearly worse than the others."
        )
    elif not blind:
        yield (
            f"No part of the image was found to be blind: {right} of {letters} letters of {size} were read, {n} in "
            "each of nine parts (exact tests, Holm)."
        )


def describe_shrinking(result: ChartResult) -> Iterator[str]:
    """Describe whether large images seem to be shrunk before the model sees them."""
    found = result.shrinking
    if found is None:
        large = next((each for each in result.others if each.series.name == "large"), None)
        if large is not None:
            yield f"It is unknown if images are shrunk. {begun(large.series.words)}: {_begun_small(large.why)}"
        return
    sides = f"in an image of {found.large_side} px letters must be {times(found.ratio)} as large as in one of "
    sides += f"{found.small_side} px"
    if found.shrunk and found.seen_side is not None:
        whole = found.large_side / found.small_side
        if found.ratio.low > whole:
            yield (
                f"It loses small letters in large images: {sides}. Scaling all images to one size would explain a "
                f"factor of at most {whole:.1f}, so there must be another reason."
            )
            return
        fixed = " as if every image were scaled to one size" if found.ratio.low <= whole <= found.ratio.high else ""
        ends = _interval(found.seen_side.low, found.seen_side.high, 0)
        yield (
            f"Large images seem to be shrunk{fixed}: {sides}. At most about {found.seen_side.value:,.0f} of "
            f"{found.large_side:,} px of the side are left ({ends}), and fewer if small images are shrunk as well."
        )
    elif found.shrunk is None:
        yield f"It is not decided whether large images are shrunk: {sides}."
    else:
        yield f"Images of up to {found.large_side} px do not seem to be shrunk: {sides}."


def _count_unanswered(trials: Sequence[Trial]) -> Iterator[str]:
    for outcome, words in OUTCOMES.items():
        number = sum(trial.outcome == outcome for trial in trials)
        if number:
            yield f"{begun(words)}: {number} of {counted(len(trials), 'request')}."


def _begun_small(words: str) -> str:
    """Start a sentence in lower case, to follow a colon; names are unchanged."""
    first = words.split(" ", 1)[0]
    return words[:1].lower() + words[1:] if first.isalpha() and first.istitle() else words
