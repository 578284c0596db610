"""Super-guesser: questions that a text-only guesser answers right, and the cues that it uses."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from snellen.reading.invented.parser import mask_characters
from snellen.runtime import counted
from snellen.stats import mean, proportion
from snellen.stress.conclusions import interval, percent, points_of
from snellen.stress.image_dependence.cues import CueKind
from snellen.stress.verdicts.possible_without import describe_possible
from snellen.tools.audit.audited import Audited, Floats, Ints
from snellen.tools.audit.checks import Check
from snellen.tools.audit.finding import Checked, Finding, Flagged, Number, Severity
from snellen.tools.audit.guesser import Guessed, GuesserCue, TooLittle, guess_answers
from snellen.tools.audit.identifying import identifying_words

NAME = "super-guesser"
SURE = 1.5
"""An item is listed if the guesser is right and its probability is over this many times chance."""
_QUOTED = re.compile(r"(?<=')[^']+(?=')")
MUCH = 0.05
"""The problem is severe if the lower end of the accuracy's 95% CI is this far above chance."""

_SUBJECT = {
    CueKind.CONTEXT: "An option ",
    CueKind.QUESTION: "An option ",
    CueKind.WORD: "An option with ",
    CueKind.PAIR: "An option with ",
}
_FIXES = {
    CueKind.CONTEXT: "Take what states the answer out of the context, or drop these items.",
    CueKind.POSITION: "Shuffle the options of every item.",
    CueKind.LENGTH: "Write wrong options as long and as detailed as the right one.",
    CueKind.NUMBER: "Draw the wrong numbers from both sides of the right one, at random.",
    CueKind.QUESTION: "Reword the question or the options, so that they share no telling words.",
    CueKind.ODD_ONE_OUT: "Write all options of an item in one form.",
    CueKind.WORD: "Use these words in right and in wrong options alike, or drop these items.",
    CueKind.PAIR: "Ask each kind of question as often with one answer as with the other.",
}


def look(audited: Audited) -> Checked:
    """Let the guesser answer all items. The columns of the result hold its probability for each item."""
    found = guess_answers(audited)
    if isinstance(found, TooLittle):
        return Checked(NAME, 0, cannot=(found.why,), notes=found.notes)
    words = identifying_words((*audited.items, *audited.training))
    ids = [item.id for item in found.items]
    return Checked(
        NAME,
        len(ids),
        findings=(_finding(found, words), *(_cue(cue, found, words) for cue in found.cues)),
        numbers=tuple(_numbers(found)),
        cannot=found.cannot,
        notes=(
            f"The guesser is a conditional logit over cues of the text. It learnt from {found.learnt_from}.",
            "The interval of its score is a 95% CI over patients and images.",
            *found.notes,
            "A stronger guesser, or one that knows medicine, may answer more: this accuracy is a lower bound.",
        ),
        columns={
            "guess_probability": dict(zip(ids, found.probability.tolist(), strict=True)),
            "guessed_right": dict(zip(ids, found.hit.tolist(), strict=True)),
        },
    )


def _finding(found: Guessed, identifying: frozenset[str]) -> Finding:
    chance = float(found.chance.mean())
    rule = max(found.baselines, key=lambda name: float(found.baselines[name].mean()))
    scored = describe_possible("a guesser that reads only the text", found.accuracy, chance)
    by_rule = percent(float(found.baselines[rule].mean()))
    words = {tuple(sorted(option.text.strip().casefold() for option in item.options)) for item in found.items}
    questions = "yes/no questions" if words == {("no", "yes")} else "questions"
    sentence = f"{scored}; {rule} scores {by_rule}, on {len(found.items):,} {questions}."
    if found.cues and found.cues[0].without is not None:
        sentence += f" Its strongest cue is {found.cues[0].kind} ({_mask_cue(found.cues[0].name, identifying)})."
    severity = Severity.HIGH if found.accuracy.low > chance + MUCH else Severity.MEDIUM
    fix = (
        "Report this accuracy with every score. Fix the cues named below, or use only the items that are left after "
        "pruning."
    )
    return Finding(NAME, severity, sentence, fix, tuple(_flag_guessed(found)), found.p)


def _flag_guessed(found: Guessed) -> Iterator[Flagged]:
    """List the items that the guesser answers right with confidence, the surest first."""
    times = found.probability / found.chance
    for place in np.argsort(-times, kind="stable"):
        if found.hit[place] > 0.5 and times[place] > SURE:
            given, chance = found.probability[place], found.chance[place]
            evidence = f"The guesser gives the right option a probability of {given:.2f}; chance is {chance:.2f}."
            yield Flagged(found.items[place].id, evidence, score=float(given))


def _cue(cue: GuesserCue, found: Guessed, identifying: frozenset[str]) -> Finding:
    alone = proportion(cue.alone, found.groups)
    names = [_mask_cue(each, identifying) for each in cue.names]
    name = _SUBJECT.get(cue.kind, "") + _mask_cue(cue.name, identifying)
    only = "only " if cue.right < cue.expected else ""
    parts = [
        f"{name[0].upper()}{name[1:]} is right in {only}{cue.right:.0f} of {cue.sets_apart:,} items in which "
        f"this cue distinguishes options ({cue.expected:.0f} expected)."
    ]
    if len(cue.names) > 1:
        parts.append(f"Next come {' and '.join(names[1:])}.")
    chance = float(found.chance.mean())
    parts.append(
        f"A guesser that knows only {cue.kind} answers {percent(alone.value)} right "
        f"({interval(alone.low, alone.high, 0)}; chance {percent(chance)})."
    )
    decided = tuple(_flag_by_cue(cue, found))
    if cue.without is not None:
        parts.append(_describe_loss(found.hit - cue.without, found.groups))
    parts.append(f"It decides {counted(len(decided), 'item')}.")
    severity = Severity.MEDIUM if decided else Severity.LOW
    return Finding(NAME, severity, " ".join(parts), _FIXES[cue.kind], decided, cue.p)


def _describe_loss(lost: Floats, groups: Ints) -> str:
    """Describe the accuracy that the guesser loses without a kind of cue, with its interval."""
    if not lost.any():
        return "Without such cues the guesser answers the same items right."
    estimate = mean(lost, groups)
    if estimate.low > 0:
        return f"Without such cues the guesser loses {points_of(estimate)}."
    return (
        f"Without such cues its accuracy changes by {points_of(mean(-lost, groups))}, which may be chance: other cues "
        "may give the same hint."
    )


def _mask_cue(cue: str, identifying: frozenset[str]) -> str:
    """Return the name of a cue with identifying words masked."""

    def mask(quoted: re.Match[str]) -> str:
        return quoted[0] if identifying.isdisjoint(quoted[0].split()) else mask_characters(quoted[0])

    return _QUOTED.sub(mask, cue)


def _flag_by_cue(cue: GuesserCue, found: Guessed) -> Iterator[Flagged]:
    """List the items that the guesser answers right from this kind of cue alone."""
    decided = cue.points & (cue.alone > 0.5) & (found.hit > 0.5)
    for place in np.argsort(-found.probability, kind="stable"):
        if decided[place]:
            evidence = f"It is guessed right by {cue.kind} alone."
            yield Flagged(found.items[place].id, evidence, score=float(found.probability[place]))


def _numbers(found: Guessed) -> Iterator[Number]:
    chance = float(found.chance.mean())
    yield Number("guesser_accuracy", "a model that never saw an image", found.accuracy, chance)
    given = mean(found.probability, found.groups)
    yield Number("guess_probability", "what it gives the right option, on average", given, chance)
    for name, rule in found.baselines.items():
        yield Number(f"{name.replace(' ', '_')}_accuracy", name, proportion(rule, found.groups), chance)
    for cue in found.cues:
        alone = proportion(cue.alone, found.groups)
        yield Number(f"guesser_by_{cue.kind.name.lower()}", f"by {cue.kind} alone", alone, chance)


CHECK = Check(NAME, "How many questions can be answered without looking at the image?", look)
