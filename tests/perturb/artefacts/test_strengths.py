"""The settings of the artefacts paper, and the path from none by weak to strong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.perturb.artefacts import KINDS, SETTINGS, strength

# Supplementary Data 3 of the paper, as the ledger has it: weak and strong
PUBLISHED = {
    ("noise", "OCT"): (0.10, 0.35),
    ("noise", "MRI"): (0.15, 0.40),
    ("noise", "X-ray"): (0.15, 0.40),
    ("motion-degrees", "OCT"): (30, 160),
    ("motion-degrees", "MRI"): (30, 120),
    ("motion-degrees", "X-ray"): (30, 120),
    ("motion-translation", "OCT"): (30, 120),
    ("motion-translation", "MRI"): (30, 100),
    ("motion-translation", "X-ray"): (15, 80),
    ("motion-movements", "OCT"): (8, 32),
    ("motion-movements", "MRI"): (8, 24),
    ("motion-movements", "X-ray"): (8, 16),
    ("bias-field", "OCT"): (0.7, 1.8),
    ("bias-field", "MRI"): (0.7, 1.8),
    ("bias-field", "X-ray"): (0.7, 1.5),
    **{("crop", kind): (0.8, 0.4) for kind in ("OCT", "MRI", "X-ray")},
    **{("rotation", kind): (30, 90) for kind in ("OCT", "MRI", "X-ray")},
}
parameters = st.sampled_from(sorted(SETTINGS))
kinds = st.sampled_from(KINDS)
severities = st.floats(0, 1)


@pytest.mark.parametrize(("parameter", "kind"), PUBLISHED)
def test_weak_and_strong_are_the_papers(parameter, kind):
    """Severity 0.5 has the paper's weak setting, severity 1 its strong one."""
    expected = PUBLISHED[parameter, kind]
    assert (strength(parameter, 0.5, kind=kind), strength(parameter, 1, kind=kind)) == expected


@given(parameter=parameters, kind=kinds, one=severities, two=severities, three=severities)
def test_parameters_never_turn_back(parameter, kind, one, two, three):
    """Along the path every parameter goes one way, between its settings."""
    low, middle, high = (strength(parameter, each, kind=kind) for each in sorted((one, two, three)))
    assert min(low, high) <= middle <= max(low, high)
    none, weak, strong = SETTINGS[parameter][kind]
    assert min(none, strong) <= weak <= max(none, strong)
    assert min(none, strong) <= middle <= max(none, strong)


@given(parameter=parameters, kind=kinds, share=severities)
def test_the_path_is_straight_between_settings(parameter, kind, share):
    """Half-way from none to weak in severity is half-way in the parameter; likewise from weak to strong."""
    none, weak, strong = SETTINGS[parameter][kind]
    assert strength(parameter, share / 2, kind=kind) == pytest.approx(none + share * (weak - none))
    assert strength(parameter, 0.5 + share / 2, kind=kind) == pytest.approx(weak + share * (strong - weak))


def test_every_kind_has_every_setting():
    """No artefact lacks a kind."""
    assert all(set(by_kind) == set(KINDS) for by_kind in SETTINGS.values())
