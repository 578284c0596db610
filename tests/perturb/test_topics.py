"""Topics: parts of the body and kinds of finding in several languages; what shares none of them is unrelated."""

from rows import read_table
from snellen.perturb.topics import FINDINGS, PARTS, bearings, modalities_of, parts_of


def test_a_part_of_the_body_is_recognised():
    """By noun and adjective, in the languages of the questions."""
    for text, *parts in read_table(__file__, "OF_PARTS"):
        assert parts_of(text) == set(parts), text


def test_what_shares_a_part_a_finding_or_a_word_is_related():
    """A side is something in common too, be it the other one."""
    for one, other in read_table(__file__, "RELATED"):
        assert not bearings(one).isdisjoint(bearings(other)), (one, other)


def test_what_shares_nothing_is_not():
    """So that something is left to lend."""
    for one, other in read_table(__file__, "UNRELATED"):
        assert bearings(one).isdisjoint(bearings(other)), (one, other)


def test_the_lists_are_of_plain_small_letters():
    """Texts are compared without accents and capitals, and so must the lists be."""
    for words in (*PARTS.values(), *FINDINGS.values()):
        for word in words.split():
            assert word.strip("*").isascii()
            assert word.strip("*").islower()


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
