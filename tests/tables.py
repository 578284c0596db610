"""Tables one can count by hand."""

import numpy as np

from snellen.grading.verdicts import Outcome
from snellen.stress.table import NOTHING, Grades, Table, code
from strategies import items


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
