"""The checks of an audit, one file per member, each with a `CHECK`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from snellen.errors import PluginError
from snellen.plugins import Members, create_member, find, names
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.finding import Checked

__all__ = ["Check", "check_named", "check_names"]

MEMBERS: Members = {
    "super-guesser": "snellen.tools.audit.checks.super_guesser:CHECK",
    "pruning": "snellen.tools.audit.checks.pruning:CHECK",
    "answer-position": "snellen.tools.audit.checks.answer_position:CHECK",
    "option-length": "snellen.tools.audit.checks.option_length:CHECK",
    "majority": "snellen.tools.audit.checks.majority:CHECK",
    "near-duplicates": "snellen.tools.audit.checks.near_duplicates:CHECK",
    "contradictory-keys": "snellen.tools.audit.checks.contradictory_keys:CHECK",
    "answer-given-away": "snellen.tools.audit.checks.answer_given_away:CHECK",
    "option-labels": "snellen.tools.audit.checks.option_labels:CHECK",
    "key-fits": "snellen.tools.audit.checks.key_fits:CHECK",
    "wording": "snellen.tools.audit.checks.wording:CHECK",
    "needs-no-image": "snellen.tools.audit.checks.needs_no_image:CHECK",
    "doubts-of-a-judge": "snellen.tools.audit.checks.doubts_of_a_judge:CHECK",
    "overlapping-options": "snellen.tools.audit.checks.overlapping_options:CHECK",
    "options-in-question": "snellen.tools.audit.checks.options_in_question:CHECK",
    "unusable-rows": "snellen.tools.audit.checks.unusable_rows:CHECK",
    "missing-images": "snellen.tools.audit.checks.missing_images:CHECK",
    "shared-images": "snellen.tools.audit.checks.shared_images:CHECK",
    "identifiers": "snellen.tools.audit.checks.identifiers:CHECK",
    "identifiers-by-model": "snellen.tools.audit.checks.identifiers_by_model:CHECK",
    "burned-in-text": "snellen.tools.audit.checks.burned_in_text:CHECK",
    "wrong-keys": "snellen.tools.audit.checks.wrong_keys:CHECK",
    "dead-items": "snellen.tools.audit.checks.dead_items:CHECK",
}


@dataclass(frozen=True)
class Check:
    """A check of an audit: its name, its question, and the function that runs it.

    `look` raises no error if the benchmark lacks something; the result says what could not be checked.
    """

    name: str
    asks: str
    """The check's question, such as "Are some questions asked twice?"."""
    look: Callable[[Audited], Checked]
    on_demand: bool = False
    """Whether the check runs only if it is named, since it is slow or needs an extra."""


def check_named(name: str) -> Check:
    """Return the check of this name, built in or from a plug-in. Raise PluginError if a plug-in's is invalid."""
    found = find("checks", MEMBERS, name)
    if not isinstance(found, Check):
        raise PluginError(f"The plug-in {name!r} of the checks gave {found!r}. Expected a Check.")
    if found.name != name:
        raise PluginError(
            f"A plug-in registers the check {name!r}, but the check's name is {found.name!r}. Use one name."
        )
    return found


def run_check(check: Check, audited: Audited) -> Checked:
    """Run a check and return its result. Raise PluginError, with the check's name, if a plug-in's check fails."""
    if check.name in MEMBERS:
        return check.look(audited)
    failure = f"The check {check.name!r} failed"
    checked = create_member(check.look, audited, failure=failure)
    if not isinstance(checked, Checked) or checked.check != check.name:
        raise PluginError(f"{failure}: expected a Checked of its own name, got {checked!s:.80}.")
    return checked


def check_names() -> list[str]:
    """Return the names of all checks, built-in ones first."""
    return names("checks", MEMBERS)
