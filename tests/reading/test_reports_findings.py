"""What is read out of a report: findings, present or absent, sure or not, with side and severity."""

from functools import partial

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from snellen.benchmarks.phantoms.catalogue import MODALITIES
from snellen.benchmarks.phantoms.diseases import DISEASES
from snellen.benchmarks.phantoms.phantom import Phantom
from snellen.reading.language.patterns import word_set
from snellen.reading.language.words.radiology import ABOVE, BECOMES, FINDINGS, ILL, SOUND, STRUCTURES, UNSIDED, WHOLE
from snellen.reading.reports.findings import LONGEST_SENTENCE, readable, statements_of
from steps import lines_run

ONE_EACH = {
    "-cardiomegaly": (
        "The heart is not enlarged.|No cardiomegaly.|no cardiac enlargement|heart size is normal|"
        "The cardiac silhouette is of normal size.|normal cardiac silhouette|Cardiothoracic ratio is normal.|"
        "Heart: normal.|Heart is within normal size limits.|No enlargement of the heart.|Cardiac size is unremarkable|"
        "The size of the heart is normal.|There is no evidence of cardiomegaly.|Cardiomegaly is absent.|"
        "Cardiac shadow does not appear enlarged.|The heart isn't enlarged|Heart normal in size|Heart size: normal|"
        "Views of the chest show normal size and configuration of the cardiac silhouette."
    ),
    "-pneumothorax": (
        "No pneumothorax.|Pneumothorax is not seen.|pneumothorax is absent|There is no air in the pleural space.|"
        "without pneumothorax|negative for pneumothorax|no signs of a pneumothorax|I see no pneumothorax.|"
        "Pneumothorax: none.|Pneumothorax: absent|free of pneumothorax|Pneumothorax not identified.|"
        "Pneumothorax has been ruled out.|There is no right or left pneumothorax|The pneumothorax has resolved|"
        "The previously seen pneumothorax is no longer visible.|Nothing to suggest pneumothorax."
    ),
    "-pleural effusion": (
        "No pleural fluid.|Costophrenic angles are sharp.|The costophrenic angles are clear.|pleural spaces are clear|"
        "No effusion on either side.|No fluid in the pleural space.|No blunting of the costophrenic angles.|"
        "No large pleural effusions"
    ),
    "-lung opacity": (
        "Lungs are clear.|The lungs are clear bilaterally.|Clear lungs.|Both lungs are clear.|No focal opacity.|"
        "No infiltrate.|no airspace disease|lung fields are clear|The lungs are free of infiltrates.|Lungs: clear.|"
        "The lungs are without focal airspace disease.|There are no pulmonary infiltrates|The lungs are otherwise clear"
    ),
    "-abnormality": (
        "No acute cardiopulmonary abnormality.|No acute disease.|Normal chest.|Normal chest radiograph.|Negative.|"
        "Negative chest x-XXXX.|No acute cardiopulmonary process.|No active disease.|No acute findings.|"
        "Unremarkable study|No acute abnormality of the heart or lungs.|Acute cardiopulmonary disease is not seen.|"
        "Nothing acute.|Negative for acute abnormality"
    ),
    "-bone disease": (
        "Bony structures are intact.|No acute bony abnormality.|Osseous structures are unremarkable.|The bones are "
        "normal.|No acute osseous findings.|The XXXX are intact.|Visualized bones show no abnormality"
    ),
    "-mediastinal widening": (
        "The mediastinum is unremarkable.|Mediastinal contours are normal.|No mediastinal widening.|"
        "The mediastinum is not widened.|mediastinum within normal limits"
    ),
    "-vascular congestion": (
        "Pulmonary vascularity is normal.|Normal pulmonary vasculature.|No vascular congestion.|"
        "pulmonary vascularity is not increased"
    ),
    "-tracheal deviation": "The trachea is midline.|No tracheal deviation.|The trachea is not deviated.",
    "+cardiomegaly": (
        "The heart is enlarged.|Enlarged heart.|Cardiomegaly.|Enlargement of the cardiac silhouette.|"
        "The heart is increased in size.|There is cardiac enlargement.|prominent cardiac silhouette|"
        "The heart appears large.|Stable cardiomegaly"
    ),
    "+cardiomegaly mild": (
        "Mild cardiomegaly.|The heart is mildly enlarged.|Slight enlargement of the heart.|Minimal cardiomegaly"
    ),
    "+cardiomegaly? mild": "Borderline cardiomegaly.|Heart size is at the upper limits of normal.|Heart is top normal",
    "+pleural effusion left mild": (
        "Small left pleural effusion.|Tiny left-sided effusion.|trace left pleural effusion|"
        "There is a small amount of fluid in the left pleural space.|A small pleural effusion is present on the left.|"
        "Pleural effusion: small, left"
    ),
    "+pleural effusion left right": (
        "Bilateral pleural effusions.|Pleural effusions on both sides.|Right and left pleural effusions|"
        "Left effusion. Right effusion."
    ),
    "+tortuous aorta": "Tortuous aorta.|The aorta is tortuous.|Tortuosity of the thoracic aorta.|unfolded aorta",
    "+hyperinflation": "The lungs are hyperexpanded.|hyperinflated lungs|Flattening of the diaphragms.",
    "+low lung volume": "Low lung volumes.|Lung volumes are low.|The lungs are hypoinflated|poor inspiratory effort",
    "+degenerative change": "Degenerative changes of the spine.|Thoracic spondylosis.|There are osteophytes.",
    "+pneumonia?": (
        "Possible pneumonia.|Pneumonia cannot be excluded.|Cannot exclude pneumonia.|Findings may represent pneumonia.|"
        "Pneumonia is suspected.|Findings suspicious for pneumonia|question of pneumonia|Pneumonia is not excluded."
    ),
    "-pneumonia?": "Pneumonia is unlikely.",
    "+atelectasis left right": "Bibasilar atelectasis.|Atelectasis at both bases|left and right basal atelectasis",
    "+vascular calcification": "Calcified aorta.|The aorta is calcified.|calcification of the aortic arch",
    "+raised diaphragm right": "Elevated right hemidiaphragm.|Elevation of the right hemidiaphragm.",
    "+consolidation right": "RLL consolidation.|Middle lobe consolidation.|Right middle lobe consolidation",
    "+consolidation left": "Lingular consolidation.|Consolidation of the left upper lobe",
    "+hydrocephalus": "The ventricles are enlarged.|Hydrocephalus.",
    "-hydrocephalus": "The ventricles are not enlarged.|No hydrocephalus.|The ventricles are midline and non-dilated.",
}
"""Sentences that state one finding, by what they state: presence, name, sides, severity."""

SEVERAL = {
    "No pneumothorax, pleural effusion or focal airspace disease.": "-pneumothorax|-pleural effusion|-lung opacity",
    "No focal consolidation, pleural effusion, pneumothorax.": "-consolidation|-pleural effusion|-pneumothorax",
    "Neither effusion nor pneumothorax is seen.": "-pleural effusion|-pneumothorax",
    "No acute, displaced rib fractures.": "-rib fracture",
    "Left lower lobe opacity and right effusion.": "+lung opacity left|+pleural effusion right",
    "Opacity in the left lower lobe and effusion on the right.": "+lung opacity left|+pleural effusion right",
    "Left effusion and atelectasis.": "+pleural effusion left|+atelectasis left",
    "Effusion and atelectasis on the left.": "+pleural effusion left|+atelectasis left",
    "Left effusion and cardiomegaly.": "+pleural effusion left|+cardiomegaly",
    "Right pneumothorax, the left lung is clear.": "+pneumothorax right|-lung opacity left",
    "Small left and large right effusions.": "+pleural effusion left right severe",
    "Small left effusion. Large right effusion.": "+pleural effusion left mild|+pleural effusion right severe",
    "Opacities, left greater than right.": "+lung opacity left right",
    "Right base opacity may represent pneumonia.": "+lung opacity right|+pneumonia? right",
    "Right base opacity, atelectasis versus scarring.": "+lung opacity right|+atelectasis?|+scarring?",
    "Cardiomegaly with left infiltrate versus atelectasis.": "+cardiomegaly|+lung opacity? left|+atelectasis? left",
    "Scarring or atelectasis at the right base.": "+scarring? right|+atelectasis? right",
    "No effusion and the heart is enlarged.": "-pleural effusion|+cardiomegaly",
    "No effusion and heart size is normal.": "-pleural effusion|-cardiomegaly",
    "No effusion, mild cardiomegaly.": "-pleural effusion|+cardiomegaly mild",
    "No effusion but mild cardiomegaly.": "-pleural effusion|+cardiomegaly mild",
    "Cardiomegaly without edema or effusion.": "+cardiomegaly|-pulmonary edema|-pleural effusion",
    "No acute disease with chronic scarring.": "-abnormality|+scarring",
    "There is no focal opacity to suggest pneumonia.": "-lung opacity|-pneumonia",
    "Heart size and pulmonary vascularity are within normal limits.": "-cardiomegaly|-vascular congestion",
    "Heart size, mediastinal contour, and vascularity are normal.": "-cardiomegaly|-mediastinal widening|"
    "-vascular congestion",
    "Normal heart size and mediastinal contours, lungs clear.": "-cardiomegaly|-mediastinal widening|-lung opacity",
    "Enlarged heart and lungs are clear.": "+cardiomegaly|-lung opacity",
    "Heart size is mildly enlarged, vascularity within normal limits.": "+cardiomegaly mild|-vascular congestion",
    "The cardiomediastinal silhouette is normal.": "-cardiomegaly|-mediastinal widening",
    "Well-expanded and clear lungs.": "-low lung volume|-lung opacity",
    "Lungs are hyperexpanded but clear.": "+hyperinflation|-lung opacity",
    "The lungs and pleural spaces show no acute abnormality.": "-lung opacity|-pleural effusion",
    "The lungs are clear without focal consolidation, effusion, or pneumothorax.": "-lung opacity|-consolidation|"
    "-pleural effusion|-pneumothorax",
    "Cardiomegaly is not significantly changed.": "+cardiomegaly",
    "No change in the left effusion.": "+pleural effusion left",
    "The left effusion has nearly resolved.": "+pleural effusion left",
    "Left PICC has been removed.": "-central line left",
    "There are no XXXX of a pleural effusion.": "-pleural effusion",
    "The heart, pulmonary XXXX and mediastinum are within normal limits.": "-cardiomegaly|"
    "-mediastinal widening",
    "Recommend CT to exclude a mass.": "",
    "Right nodule, CT recommended to exclude malignancy.": "+lung nodule right",
    "Bony overlap could obscure a small nodule.": "",
    "PA and lateral views of the chest were obtained.": "",
    "The mediastinum is stable.": "",
    "Median sternotomy wires are intact.": "+sternotomy",
    "Right heart border is obscured.": "",
    "Left chest wall pacemaker with leads over the right atrium and right ventricle.": "+pacemaker left",
    "Calcified granuloma in the right lung. No edema.": "+calcified granuloma right|-pulmonary edema",
    "Right calcified nodule.": "+calcified granuloma right",
    "Mild dextroscoliosis and moderate kyphosis.": "+scoliosis mild|+kyphosis moderate",
    "Moderate hiatal hernia, surgical clips in the right upper quadrant.": "+hiatal hernia moderate|"
    "+surgical clip right",
    "Old rib fractures on the left.": "+rib fracture left",
    "Pneumothorax and pleural fluid are not seen.": "-pneumothorax|-pleural effusion",
    "Effusions, pneumothorax, and consolidation are absent.": "-pleural effusion|-pneumothorax|-consolidation",
    "Small left effusion, pneumothorax is not seen.": "+pleural effusion left mild|-pneumothorax",
    "Pneumothorax: none, effusion: small left.": "-pneumothorax|+pleural effusion left mild",
    "FINDINGS: Small left effusion.\n\nIMPRESSION: Effusion.": "+pleural effusion left mild",
    "FINDINGS: Opacity.\n\nIMPRESSION: Left opacity.": "+lung opacity left",
    "INDICATION: Pneumonia.\nFINDINGS: Lungs are clear.": "-lung opacity",
    "<td>Lungs</td><td>clear</td>": "-lung opacity",
    "No pleural effusion.No pneumothorax.": "-pleural effusion|-pneumothorax",
    "1. No effusion. 2. Cardiomegaly.": "-pleural effusion|+cardiomegaly",
    "No pericardial effusion.": "-pericardial effusion",
    "Opacity which may be compatible with pneumonia.": "+lung opacity|+pneumonia?",
    "Abnormal opacity at the right base.": "+lung opacity right",
    "Bony structures of the thorax are intact.": "-bone disease",
    "No acute pulmonary disease.": "-lung opacity",
    "Chronic pulmonary findings.": "",
    "There is a nodule that is not calcified.": "+lung nodule",
    "The right lung is clear. The left lung is clear.": "-lung opacity",
    "The lungs are clear. The left lung is clear.": "-lung opacity",
    "Opacities in the left upper lobe are atelectasis or scarring.": "+lung opacity left|+atelectasis?|+scarring?",
    "No acute bony changes.": "-bone disease",
    "Aortic ectasia/tortuosity.": "+tortuous aorta",
    "Left pneumothorax has increased in size and is now moderate.": "+pneumothorax left moderate",
    "Effusion on the left but not on the right.": "+pleural effusion left",
    "Blunting of the left costophrenic angle, consistent with a small effusion.": "+costophrenic blunting left|"
    "+pleural effusion left mild",
    "Haemothorax, oedema and tumours.": "+pleural effusion|+pulmonary edema|+mass",
    "No evidence of:\n- Pneumothorax\n- Effusion\n\nThere is:\n- Cardiomegaly": "-pneumothorax|-pleural effusion|"
    "+cardiomegaly",
    "There is no evidence of the following:\n\n* Pneumothorax\n* Free air\nThe heart is enlarged.": "-pneumothorax|"
    "-free abdominal air|+cardiomegaly",
    "Pertinent negatives:\n1. Pneumothorax\n2. Lungs are clear": "-pneumothorax|-lung opacity",
    "Not present: pneumothorax, effusion.": "-pneumothorax|-pleural effusion",
    "Negative findings: no pneumothorax, lungs clear.": "-pneumothorax|-lung opacity",
    "Pneumothorax – none. Effusion - none; nodule - right upper lobe.": "-pneumothorax|-pleural effusion|"
    "+lung nodule right",
    "No consolidation – lungs are clear.": "-consolidation|-lung opacity",
    "The right hemidiaphragm is elevated relative to the left.": "+raised diaphragm right",
    "Compared with the right lung, the left lung is hazy.": "+lung opacity left",
    "Trachea is deviated to the left by a right effusion.": "+tracheal deviation|+pleural effusion right",
    "No effusion, but the right base is excluded from the image.": "-pleural effusion",
    "Not only is there a left effusion, but there is also consolidation.": "+pleural effusion left|+consolidation",
    "The pneumothorax has not completely resolved.": "+pneumothorax",
    "No worsening of the right pneumothorax.": "+pneumothorax right",
    "No increase in the size of the left effusion. No increase in interstitial markings.": "+pleural effusion left|"
    "-interstitial disease",
    "Left opacity is unlikely to represent pneumonia.": "+lung opacity left|-pneumonia?",
    "Effusions cannot be excluded given the blunted costophrenic angles.": "+pleural effusion?|+costophrenic blunting",
    "If a small effusion is suspected, a decubitus view may be helpful.": "",
    "Is there a pneumothorax? No.": "",
    "Collection along the right cerebral convexity.": "",
    "No abnormal enhancement or mass.": "-mass",
    "Mass in the left temporal lobe with edema.": "+mass left|+brain edema",
    "The macula has no edema or hemorrhage.": "-intraretinal cyst|-retinal hemorrhage",
    "The lungs show no edema or hemorrhage. The brain was not imaged.": "-pulmonary edema|-hemorrhage",
    "No intraretinal or subretinal fluid.": "-intraretinal cyst|-subretinal fluid",
    "Optic disc edema.": "+optic disc edema",
}  # fmt: skip
"""Texts and all that they state."""


def written(text):
    """The statements of a text, each as "+name? sides severity"."""
    return [
        " ".join([f"{'+' if said.present else '-'}{said.finding}{'' if said.sure else '?'}", *sorted(said.sides)])
        + (f" {said.severity}" if said.severity else "")
        for said in statements_of(text)
    ]


def test_many_wordings_state_one_finding():
    """A finding has one name, whatever it is called."""
    pairs = [(text, [expected]) for expected, texts in ONE_EACH.items() for text in texts.split("|")]
    assert [(text, written(text)) for text, _ in pairs] == pairs


def test_a_text_states_several_findings():
    """Lists, clauses, sides and doubts belong to what they are said of."""
    pairs = [(text, expected.split("|") if expected else []) for text, expected in SEVERAL.items()]
    assert [(text, written(text)) for text, _ in pairs] == pairs


def test_evidence_is_the_sentence():
    """Each statement keeps the sentence that says so."""
    assert [said.evidence for said in statements_of("Heart is big. Small effusion.")] == [
        "Heart is big.",
        "Small effusion.",
    ]


NAMES = {
    "lung nodules": "lung nodule", "tumour": "mass", "infarct": "infarction", "haemorrhage": "hemorrhage",
    "white matter lesions": "white matter lesion", "intraretinal cysts": "intraretinal cyst",
    "retinal haemorrhages": "retinal hemorrhage", "hard exudates": "hard exudate",
    "cotton-wool spots": "cotton wool spot", "branch vein occlusion": "retinal vein occlusion",
}  # fmt: skip


def test_the_findings_of_phantoms_are_found():
    """The report of each phantom states its finding with its side; that of a normal one states nothing present."""
    missed = []
    for modality in MODALITIES:
        for name, disease in DISEASES[modality.code].items():
            phantom = Phantom("", "", side="left", size="large", count=2, location="left frontal lobe")
            told = {said.finding: said for said in statements_of(disease.of(phantom).report) if said.present}
            expected = NAMES.get(name, name)
            right = not told if name == "normal" else expected in told
            sided = name != "normal" and "{side}" in disease.report and expected not in UNSIDED
            if not right or (sided and told[expected].sides != {"left"}):
                missed.append((name, sorted(told)))
    assert missed == []


def test_words_of_the_tables_fit_together():
    """Every finding that a part or a kind leads to has a place in the tree, and every name of a part exists."""
    parts = {name for names in STRUCTURES for name in names.split("+")}
    assert parts == set(SOUND)
    assert {part for part, _ in BECOMES} <= parts
    assert {quality for _, quality in BECOMES} <= set(ILL)
    known = {*FINDINGS, *ABOVE.values(), *SOUND.values(), *BECOMES.values(), WHOLE}
    assert known >= set(ABOVE)
    assert known >= UNSIDED
    assert set(BECOMES.values()) <= set(FINDINGS)


def test_why_a_text_cannot_be_compared():
    """Each reason has one word, and a report has none."""
    assert {
        text: readable(text)
        for text in (
            "",
            " \n\x00.",
            "Heart size normal. Lungs clear.",
            "No hay derrame pleural. Los pulmones están bien ventilados y el corazón es de tamaño normal.",
            "Il cuore è nei limiti. Non si osserva versamento pleurico e non ci sono addensamenti nei polmoni.",
            "Das Herz ist nicht vergrößert. Es zeigt sich kein Erguss und keine Pneumonie.",
            "心影不大，双肺清晰，未见胸腔积液。",
            "Сердце не увеличено, лёгкие чистые.",
            "I am sorry, but I cannot help with that.",
            "Comparison to the prior study.",
        )
    } == {
        "": "empty",
        " \n\x00.": "empty",
        "Heart size normal. Lungs clear.": "",
        "No hay derrame pleural. Los pulmones están bien ventilados y el corazón es de tamaño normal.": (
            "other-language"
        ),
        "Il cuore è nei limiti. Non si osserva versamento pleurico e non ci sono addensamenti nei polmoni.": (
            "other-language"
        ),
        "Das Herz ist nicht vergrößert. Es zeigt sich kein Erguss und keine Pneumonie.": "other-language",
        "心影不大，双肺清晰，未见胸腔积液。": "other-language",
        "Сердце не увеличено, лёгкие чистые.": "other-language",
        "I am sorry, but I cannot help with that.": "nothing-found",
        "Comparison to the prior study.": "nothing-found",
    }
    assert readable("Lungs are clear. " * 1_667) == "too-long"
    assert readable("Lungs are clear. " * 1_666) == ""


@pytest.mark.parametrize(
    "sentence",
    [
        "The left lung is clear {}. ",
        "no effusion {}, ",
        "left opacity and {} right mass or ",
        "heart {} and lungs, ",
        "{}",
    ],
)
def test_twice_the_words_take_twice_the_work(sentence):
    """The work grows with the length of the text, also where it has no full stop; sentences are new each time."""

    def work(first, count):
        text = "".join(sentence.format(number) for number in range(first, first + count))
        return lines_run(partial(statements_of, text))

    work(0, 100)
    assert work(10_000, 400) < 2.5 * work(20_000, 200) + 2_000


def test_twenty_thousand_words_are_read_whole():
    """What stands in the middle of an endless text is found, be it one sentence or thousands."""
    for filler in ("Nothing to say here. ", "and so on "):
        told = statements_of(filler * 3_300 + ". Small left effusion. " + filler * 3_300)
        assert "pleural effusion" in {said.finding for said in told}
    assert statements_of("clear" * 10 * LONGEST_SENTENCE) == ()


@settings(deadline=None)
@given(st.text(max_size=400))
@example("\ud800 no effusion")
@example("&#99999999999999; no , and : / versus not ? (((")
@example("no " * 300)
def test_any_text_can_be_read(text):
    """No text raises, and what is stated is one of the names that we know."""
    known = {*FINDINGS, *ABOVE.values(), *SOUND.values()}
    assert {said.finding for said in statements_of(text)} <= known
    assert readable(text) in {"", "empty", "other-language", "nothing-found", "too-long"}


PIECES = sorted(
    word_set(
        "no not and or , ; : . without left right bilateral small large heart lungs lung is are clear normal enlarged "
        "effusion pneumothorax opacity possible may represent versus with but abnormality intact resolved unlikely "
        "borderline aorta tortuous calcified nodule recommend removed hemidiaphragm elevated lobe"
    )
)


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14))
def test_mirroring_changes_nothing_but_sides(words):
    """With left and right exchanged, the same findings are stated on the other side."""
    other = {"left": "right", "right": "left"}
    mirrored = statements_of(" ".join(other.get(word, word) for word in words))
    expected = {
        (said.finding, said.present, said.sure, frozenset(other[side] for side in said.sides), said.severity)
        for said in statements_of(" ".join(words))
    }
    assert {said[:5] for said in mirrored} == expected


NAMED = (
    "pleural effusion",
    "pneumothorax",
    "consolidation",
    "cardiomegaly",
    "lung nodule",
    "fracture",
    "hiatal hernia",
)


@given(
    st.sampled_from(NAMED), st.sampled_from(["no {}", "{} is not seen", "without {}", "{} has resolved", "{}: none"])
)
def test_a_negation_turns_presence_over(name, negation):
    """A finding that is named is present; with a negation it is absent."""
    (present,) = statements_of(f"There is a {name}.")
    (absent,) = statements_of(negation.format(name))
    assert (present.finding, present.present) == (name, True)
    assert (absent.finding, absent.present) == (name, False)
