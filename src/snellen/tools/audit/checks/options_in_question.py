"""Options in the question: the options are listed a second time in the question's text."""

from __future__ import annotations

from collections.abc import Iterator

from snellen.benchmarks.printed_options import find_printed
from snellen.items import LETTERS, Item
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.checks import Check
from snellen.tools.audit.finding import Checked, Flagged, Severity, list_finding, shorten_quote

NAME = "options-in-question"
MARK = "options_in_question"
"""Metadata field that a loader sets if it removed a list of options from the question."""
_OTHER_LIST = ("prints the options in another order", "prints more options than")
"""Words in a loader's reason to refuse a row because of the list in its question."""


def look(audited: Audited) -> Checked:
    """List the items whose question contains a list of options."""
    if not audited.choices and not audited.broken:
        return Checked(NAME, 0, cannot=("No item is a multiple-choice question, so no question can list options.",))
    listed: list[Flagged] = []
    wrong: list[Flagged] = []
    for item in audited.choices:
        for flagged, agrees in _find_lists(item):
            (listed if agrees else wrong).append(flagged)
    evidence = "Its question prints another list of options than it has; it could not be loaded."
    wrong += [
        Flagged(row.item_id, evidence) for row in audited.broken if any(each in row.reason for each in _OTHER_LIST)
    ]
    of_wrong = (
        f"{len(wrong):,} {'item has' if len(wrong) == 1 else 'items have'} a list of options in the question that is "
        "not the item's own: a letter means two things."
    )
    of_listed = (
        f"{len(listed):,} of {len(audited.choices):,} items list their options in the question as well. Prompts that "
        "add the options show them twice, and shuffled options contradict the list."
    )
    fix_wrong = "Take the list out of the question, or give options and key in its order."
    fix_listed = "Publish the question without the list; the options are there already."
    findings = (
        *list_finding(NAME, Severity.HIGH, of_wrong, fix_wrong, wrong, sure=0.9),
        *list_finding(NAME, Severity.LOW, of_listed, fix_listed, listed),
    )
    return Checked(NAME, len(audited.choices), findings)


def _find_lists(item: Item) -> Iterator[tuple[Flagged, bool]]:
    """Yield each list of options in the question, and whether it is the item's own."""
    count = len(item.options)
    letters = f"A to {LETTERS[count - 1]}" if count <= len(LETTERS) else f"{count} of them"
    again = f"Its question lists its {count} options again ({letters}), in their order"
    if item.metadata.get(MARK) is True:
        yield Flagged(item.id, f"{again}; loading took the list out."), True
    found = find_printed(item.question, [option.text for option in item.options]) if count <= len(LETTERS) else None
    if found is None:
        return
    quote = shorten_quote(item.question[found.start : found.end])
    if found.goes_on:
        yield Flagged(item.id, f"Its question lists more than its {count} options.", quote), False
    elif found.order == tuple(range(count)):
        yield Flagged(item.id, f"{again}.", quote), True
    else:
        order = ", ".join(f"{LETTERS[at]} is {LETTERS[place]}" for at, place in enumerate(found.order) if at != place)
        evidence = f"Its question lists its options in another order: its {order} of the options."
        yield Flagged(item.id, evidence, quote), False


CHECK = Check(NAME, "Does the question list its options a second time?", look)
