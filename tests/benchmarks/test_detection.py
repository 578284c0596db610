"""Detection: the paper's questions letter by letter, and the same words for other diseases and images."""

import pytest

from snellen.benchmarks.detection import FUNDUS, MRI, build_question, view_named
from snellen.benchmarks.sorted_images import means_normal, sorting
from snellen.errors import DataError, StudyError

PAPER = {
    "MRI": (
        ("glioma", "meningioma", "notumor", "pituitary"),
        "How can we identify the features of glioma, meningioma and pituitary in a brain MRI scan slice of a person? "
        "Imagine you are an educator tasked with helping a student identify the features of a brain MRI scan slice and "
        "whether or not the image shows signs of these brain tumor as described by those features.",
        ("brain tumor", "normal"),
    ),
    "OCT": (
        ("CNV", "DME", "DRUSEN", "NORMAL"),
        "How can we identify the features of choroidal neovascularization, Diabetic macular edema and early AMD in a "
        "Optical Coherence Tomography image of a person? Imagine you are an educator tasked with helping a student "
        "identify the features of an OCT image and whether or not the image shows signs of these retinal diseases as "
        "described by those features.",
        ("retinal diseases", "normal"),
    ),
    "X-ray": (
        ("BacterialPneumonia", "COVID-19", "Normal", "ViralPneumonia"),
        "How can we identify the features of COVID, bacterial pneumonia and viral pneumonia in a chest X-rays image of "
        "a person? Imagine you are an educator tasked with helping a student identify the features of a X-rays image "
        "and whether or not the image shows signs of these lung diseases as described by those features.",
        ("lung diseases", "normal"),
    ),
}


def answers(*labels, task="detection", **settings):
    """The sorting of classes by name."""
    return sorting(labels, task=task, **settings)


@pytest.mark.parametrize("name", PAPER)
def test_the_papers_own_classes_are_asked_about_in_its_own_words(name):
    """Question and options are those of Supplementary Data 5; the classes alone tell which images they are."""
    labels, question, options = PAPER[name]
    made = answers(*labels)
    assert (made.view.name, made.asked.question, made.asked.options) == (name, question, options)


@pytest.mark.parametrize("name", PAPER)
def test_a_diagnosis_asks_the_same_and_offers_every_disease(name):
    """The question is the same; the options are the diseases in the question's order and words, then normal."""
    labels, question, _ = PAPER[name]
    made = answers(*labels, task="diagnosis")
    assert made.asked.question == question
    assert len(made.asked.options) == 4
    assert made.asked.options[-1] == "normal"
    assert f"{made.asked.options[0]}, {made.asked.options[1]} and {made.asked.options[2]} in" in question


def test_a_class_gives_its_own_option():
    """Every class leads to the option that names it, whatever its folder's spelling."""
    made = answers("ViralPneumonia", "COVID-19", "healthy", "Pneumonia-Bacterial", task="diagnosis")
    assert {label: made.asked.options[at] for label, at in made.answers.items()} == {
        "COVID-19": "COVID",
        "Pneumonia-Bacterial": "bacterial pneumonia",
        "ViralPneumonia": "viral pneumonia",
        "healthy": "normal",
    }


def test_in_detection_all_diseases_give_one_option():
    """Option 0 is any disease, option 1 is normal; two folders that mean normal are both."""
    made = answers("normal", "a", "healthy", "b", modality="MRI")
    assert made.answers == {"a": 0, "b": 0, "normal": 1, "healthy": 1}


def test_a_single_disease_is_called_by_its_name():
    """The options and the question name the only disease there is."""
    made = answers("No_DR", "DR", modality="fundus")
    assert made.asked.options == ("diabetic retinopathy", "normal")
    assert made.asked.question.startswith(
        "How can we identify the features of diabetic retinopathy in a colour fundus photograph of a person? "
    )
    assert made.asked.question.endswith("shows signs of diabetic retinopathy as described by those features.")
    assert answers("no", "white_matterLesions", modality="MRI").asked.options[0] == "white matter Lesions"


@pytest.mark.parametrize("label", ["yes", "Abnormal", "diseased"])
def test_a_folder_that_names_no_disease_gets_the_modalitys_word(label):
    """Folders called yes and no are asked about as the paper asks: is there a brain tumor?"""
    made = answers("no", label, modality="MRI")
    assert made.asked.options == ("brain tumor", "normal")
    assert "features of brain tumor in" in made.asked.question


def test_disease_is_called_as_given():
    """A given word wins over the paper's and over the class's own name."""
    assert answers("glioma", "normal", abnormal="tumour").asked.options == ("tumour", "normal")
    made = answers("normal", "a", "b", modality="MRI", abnormal="lesion")
    assert made.asked.options == ("lesion", "normal")
    assert "signs of these lesion as" in made.asked.question


def test_other_images_are_asked_about_in_their_own_words():
    """A modality that the paper does not know stands in the question as it was given."""
    made = answers("normal", "cyst", "stone", modality="ultrasound", abnormal="kidney diseases")
    assert "of cyst and stone in an ultrasound image of a person?" in made.asked.question
    assert (made.view.name, made.view.body_part) == ("ultrasound", "")
    assert "signs of these diseases as" in answers("no", "a", "b", modality="CT", task="diagnosis").asked.question


def test_the_papers_words_are_for_the_papers_images():
    """A class is renamed only where its modality is the paper's: COVID in a CT is not in a chest X-ray."""
    assert answers("normal", "covid-19", modality="CT").asked.options[0] == "covid-19"
    assert answers("normal", "covid-19", modality="chest X-ray").asked.options[0] == "COVID"


def test_unknown_diseases_follow_the_known_ones():
    """The paper's diseases come in its order, others after them by name."""
    made = answers("ERM", "normal", "DRUSEN", "AMD", "CNV", modality="OCT", task="diagnosis")
    assert made.asked.options == ("choroidal neovascularization", "early AMD", "AMD", "ERM", "normal")


def test_names_that_mean_normal():
    """Such folders are normal without being told; a name that merely begins or ends alike is a disease."""
    names = ("Normal", "no_finding", "No Findings", "HEALTHY", "notumor", "Negative", "No")
    others = ("nodule", "abnormal", "not normal", "nonspecific", "", "early")
    assert list(filter(means_normal, (*names, *others))) == [*names]


@pytest.mark.parametrize("given", ["0", "GRADE_0"])
def test_normal_is_what_is_given(given):
    """A given name is the only normal one, even where another name says so."""
    made = answers("grade 0" if given != "0" else "0", "normal variant", "1", normal=given, modality="MRI")
    assert [label for label, at in made.answers.items() if at == 1] == ["grade 0" if given != "0" else "0"]


@pytest.mark.parametrize(
    ("labels", "settings", "said"),
    [
        (("a", "b"), {"modality": "MRI"}, "None of the sub-folders has a name that means normal: a, b."),
        (("a", "normal"), {"modality": "MRI", "normal": "c"}, "is called 'c': a, normal"),
        ((), {}, "there are none"),
        (("normal", "healthy"), {}, r"All classes are normal \(normal, healthy\)"),
        (("glioma", "glioma_tumor", "normal"), {}, "same words: glioma, glioma"),
    ],
)
def test_classes_that_cannot_be_sorted_are_named(labels, settings, said):
    """What is wrong with the folder is said with the names of its classes."""
    with pytest.raises(DataError, match=said):
        answers(*labels, **settings)


@pytest.mark.parametrize(
    ("labels", "settings", "said"),
    [
        (("a", "normal"), {}, r"not clear from the classes \(a\).*modality=MRI, modality=OCT"),
        (("glioma", "CNV", "normal"), {}, "modality of the images is not clear"),
        (("a", "b", "normal"), {"modality": "CT"}, "abnormal=WORDS"),
        (("yes", "no"), {"modality": "CT", "task": "diagnosis"}, "abnormal=WORDS"),
        (("a", "b", "normal"), {"modality": "MRI", "abnormal": "Normal"}, "got abnormal='Normal', which means normal"),
    ],
)
def test_what_nobody_can_know_is_asked_for(labels, settings, said):
    """Where names do not tell, the error says which setting does."""
    with pytest.raises(StudyError, match=said):
        answers(*labels, **settings)


@pytest.mark.parametrize(
    ("name", "known"),
    [("mri", "MRI"), ("Brain MRI", "MRI"), ("oct", "OCT"), ("x-ray", "X-ray"), ("CXR", "X-ray"), ("Fundus", "fundus")],
)
def test_modalities_have_several_names(name, known):
    """The paper's modalities are found however they are spelt."""
    assert view_named(name).name == known


def test_one_two_and_three_diseases_are_listed():
    """Commas between, "and" before the last."""
    said = [
        build_question("detection", view=MRI, diseases=["a", "b", "c"][:n], abnormal="x").question.split(" in a ")[0]
        for n in (1, 2, 3)
    ]
    assert [each.split("features of ")[1] for each in said] == ["a", "a and b", "a, b and c"]
    assert build_question("detection", view=FUNDUS, diseases=["a"], abnormal="x").options == ("x", "normal")
