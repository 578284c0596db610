"""The checks of an audit: one file a member; each has a `CHECK` that says what it asks and how it looks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from snellen.errors import PluginError
from snellen.plugins import Members, find, made, names
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
    """One thing an audit looks for. `look` never raises for what a benchmark lacks: it says what it cannot say."""

    name: str
    asks: str
    """Its question, in a benchmark builder's words: "Are some questions asked twice?"."""
    look: Callable[[Audited], Checked]
    on_demand: bool = False
    """Whether it runs only when it is named, since it takes long or needs an extra."""


def check_named(name: str) -> Check:
    """The check of this name, ours or a plug-in's."""
    found = find("checks", MEMBERS, name)
    if not isinstance(found, Check):
        raise PluginError(f"The plug-in {name!r} of the checks gave {found!r}. Expected a Check.")
    if found.name != name:
        raise PluginError(f"The check {name!r} of a plug-in calls itself {found.name!r}. Expected one name.")
    return found


def run_check(check: Check, audited: Audited) -> Checked:
    """What a check finds; one of a plug-in that fails is named."""
    if check.name in MEMBERS:
        return check.look(audited)
    failure = f"The check {check.name!r} failed"
    checked = made(check.look, audited, failure=failure)
    if not isinstance(checked, Checked) or checked.check != check.name:
        raise PluginError(f"{failure}: expected a Checked of its own name, got {checked!s:.80}.")
    return checked


def check_names() -> list[str]:
    """The names of all checks, ours first."""
    return names("checks", MEMBERS)
