"""Topics: parts of the body and kinds of finding in several languages; what shares none of them is unrelated."""

from rows import read_table
from snellen.perturb.topics import FINDINGS, PARTS, bearings, parts_of

OF_PARTS = (
    ("Pulmonary embolism", {"chest"}), ("cardiomegaly", {"chest"}), ("Versamento pleurico", {"chest"}),
    ("derrame pleural", {"chest"}), ("épanchement pleural", {"chest"}), ("Lungenödem", {"chest"}),
    ("肺结节", {"chest"}),
    ("Intracranial mass", {"brain"}), ("Idrocefalo", {"brain"}), ("脑积水", {"brain"}),
    ("Subretinal fluid", {"eye"}), ("Foro maculare", {"eye"}), ("视网膜出血", {"eye"}), ("OCT", {"eye"}),
    ("Left kidney", {"abdomen"}), ("Cholecystitis", {"abdomen"}), ("Leberzirrhose", {"abdomen"}),
    ("Distal radius", {"arm"}), ("Meniscal tear", {"leg"}), ("Lumbar vertebra", {"spine"}), ("Melanoma", {"skin"}),
    ("Corticosteroids", set()), ("Cephalosporin", set()), ("Unknown", set()),
)  # fmt: skip


def test_a_part_of_the_body_is_recognised():
    """By noun and adjective, in the languages of the questions."""
    for text, parts in OF_PARTS:
        assert parts_of(text) == parts, text


RELATED = read_table(__file__, "RELATED")


def test_what_shares_a_part_a_finding_or_a_word_is_related():
    """A side is something in common too, be it the other one."""
    for one, other in RELATED:
        assert not bearings(one).isdisjoint(bearings(other)), (one, other)


UNRELATED = (
    ("Pleural effusion", "Macular hole"), ("Brain tumour", "Pneumothorax"), ("Left lower lobe", "Drusen"),
    ("Renal calculus", "Cerebral infarct"), ("Versamento pleurico", "Drusen"), ("Knee", "Asthma"),
    ("气胸", "视网膜出血"),
)  # fmt: skip


def test_what_shares_nothing_is_not():
    """So that something is left to lend."""
    for one, other in UNRELATED:
        assert bearings(one).isdisjoint(bearings(other)), (one, other)


def test_the_lists_are_of_plain_small_letters():
    """Texts are compared without accents and capitals, and so must the lists be."""
    for words in (*PARTS.values(), *FINDINGS.values()):
        for word in words.split():
            assert word.strip("*").isascii()
            assert word.strip("*").islower()
