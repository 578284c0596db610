"""The settings of the artefacts paper, and the path from none by weak to strong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rows import take_rows
from snellen.perturb.artefacts import KINDS, SETTINGS, strength

parameters = st.sampled_from(sorted(SETTINGS))
kinds = st.sampled_from(KINDS)
severities = st.floats(0, 1)


@take_rows("parameter, kind, weak, strong")
def test_weak_and_strong_are_the_papers(parameter, kind, weak, strong):
    """Severity 0.5 and 1 have the weak and the strong setting of its Supplementary Data 3, as the ledger has it."""
    assert (strength(parameter, 0.5, kind=kind), strength(parameter, 1, kind=kind)) == (weak, strong)


@given(parameter=parameters, kind=kinds, share=severities)
def test_the_path_is_straight_between_settings(parameter, kind, share):
    """Half-way from none to weak in severity is half-way in the parameter; likewise to strong, never turning back."""
    none, weak, strong = SETTINGS[parameter][kind]
    assert min(none, strong) <= weak <= max(none, strong)
    assert strength(parameter, share / 2, kind=kind) == pytest.approx(none + share * (weak - none))
    assert strength(parameter, 0.5 + share / 2, kind=kind) == pytest.approx(weak + share * (strong - weak))


def test_every_kind_has_every_setting():
    """No artefact lacks a kind."""
    assert all(set(by_kind) == set(KINDS) for by_kind in SETTINGS.values())
