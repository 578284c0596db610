"""Tables one can count by hand."""

from dataclasses import replace

import numpy as np

from snellen.reading.claims.columns import Rationales
from snellen.reading.columns import NOTHING
from snellen.reading.outcomes import Outcome
from snellen.scoring.findings import findings
from snellen.stress import stress_test
from snellen.stress.table import Grades, Table, code
from strategies import items

SIGNS = {
    "+": Outcome.CORRECT,
    "-": Outcome.WRONG,
    "o": Outcome.ABSTAINED,
    "x": Outcome.REFUSED,
    "?": Outcome.UNPARSED,
    "t": Outcome.TRUNCATED,
}
"""An outcome as a sign; any other sign is no reply."""


def grades(replies):
    """Grades from (item, replicate, outcome, option)."""
    columns = list(zip(*replies, strict=True)) or [(), (), (), ()]
    answered = [outcome in (Outcome.CORRECT, Outcome.WRONG) for outcome in columns[2]]
    chosen = [option if said else NOTHING for option, said in zip(columns[3], answered, strict=True)]
    return Grades(
        ordinal=np.array(columns[0], dtype=np.int64),
        replicate=np.array(columns[1], dtype=np.int64),
        outcome=np.array([code(outcome) for outcome in columns[2]], dtype=np.uint8),
        chosen=np.array(chosen, dtype=np.int64),
        response=np.arange(len(replies)),
        rule=np.zeros(len(replies), dtype=np.uint16),
    )


def table(**arms):
    """A table of five items from lists of (item, replicate, outcome, option) by arm."""
    return Table("m", "b", items(5), {name: grades(replies) for name, replies in arms.items()})


def rated(count, *, options=5, clusters=None):
    """Items of which raters say that they need the image: `rating=needs` keeps them all."""
    made = [replace(item, metadata={"needs": 3}) for item in items(count, options=options, images=False)]
    named = clusters or [""] * count
    return tuple(replace(item, cluster=cluster) for item, cluster in zip(made, named, strict=True))


def sheet(arms, asked=None, *, wanted=0):
    """A table from a line of signs for each arm, an item a sign; several lines are several runs.

    A right reply chooses the right option, a wrong one the next.
    """
    runs = {arm: [lines] if isinstance(lines, str) else list(lines) for arm, lines in arms.items()}
    asked = asked or rated(max(len(line) for lines in runs.values() for line in lines))
    made = {}
    for arm, lines in runs.items():
        replies = [
            (at, run, SIGNS[sign], (asked[at].answer + (sign == "-")) % len(asked[at].options))
            for run, line in enumerate(lines)
            for at, sign in enumerate(line)
            if sign in SIGNS
        ]
        made[arm] = replace(grades(sorted(replies)), due=np.full(len(asked), wanted // len(asked)))
    return Table("m", "b", asked, made)


def noticing(found, arm, places):
    """The table in which the replies of an arm at these places say that there is no image."""
    count = len(found.arms[arm])
    never, none = np.zeros(count, dtype=bool), np.zeros(count, dtype=np.int64)
    said = Rationales(none, np.isin(np.arange(count), places), never, never, ~never, none, never, never)
    return replace(found, arms={**found.arms, arm: found.arms[arm].having(said)})


def numbers(test, found):
    """The estimates of a test on a table, by arm and name."""
    [finding] = findings([stress_test(test) if isinstance(test, str) else test], found)
    return {(each.arm, each.name): each.estimate for each in finding.measures}


def verdict(test, found, *others):
    """What a test concludes from a table, its p-values corrected together with those of other tests."""
    named = [stress_test(each) if isinstance(each, str) else each for each in (test, *others)]
    return findings(named, found)[0].verdict


def with_one_artefact(name):
    """A test's name with a setting that asks one artefact by one prompt, not five by three: the rules are the same."""
    settings = {"pooled-artefacts": "noise,prompts=own", "dose-response": "noise", "weak-artefacts": "noise,crop"}
    settings["strong-artefacts"] = settings["weak-artefacts"]
    return f"{name}:{settings[name]}" if name in settings else name
