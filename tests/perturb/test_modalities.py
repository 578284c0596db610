"""Modalities by what they are called."""

from snellen.perturb.topics import modalities_of


def test_a_modality_has_many_names():
    """In six languages, as an abbreviation or a DICOM code; what is none is none."""
    called = {
        "mri": ("MRI", "MR", "risonanza magnetica", "IRM", "MRT", "磁共振成像", "Resonancia magnética", "T1 mri"),
        "ct": ("CT", "TAC", "TDM", "Computertomographie", "胸部CT", "computed tomography"),
        "x-ray": ("X-ray", "xray", "Röntgenbild", "radiografia", "radiographie", "CR", "X线", "chest x ray"),
        "ultrasound": ("US", "ecografia", "échographie", "Ultraschall", "超声"),
    }
    found = {kind: [sorted(modalities_of(name)) for name in names] for kind, names in called.items()}
    assert found == {kind: [[kind]] * len(names) for kind, names in called.items()}
    for text in ("scan", "tell us more", "image", "", "octopus", "contact"):
        assert modalities_of(text) == frozenset(), text
