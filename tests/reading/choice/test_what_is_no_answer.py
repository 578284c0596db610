"""Words, letters and signs that look like an answer and are none, each beside a response where they are one."""

import pytest

from snellen.items import LETTERS, Item, Option
from snellen.reading import read_choice

SETS = {
    "rays": ("Alpha rays", "Beta rays", "Gamma rays", "Neutrons", "Protons", "Muons", "Pions", "Kaons", "Quarks"),
    "numbers": ("8.12", "9.40", "10.36", "11.02"),
    "prices": ("$5.00", "$9.00", "$12.00", "$20.00"),
    "beams": ("W360*49", "W280*39", "W360*39", "5*10^(-3) mm"),
    "chest": ("Pneumonia", "Effusion", "Left effusion", "Pneumothorax", "Normal study"),
    "yes-no": ("Yes", "No"),
    "cases": (
        "Case A: 1 year; Case B: 2 years",
        "Case A: 3 years; Case B: 4 years",
        "Case A: 5 years; Case B: 6 years",
    ),
}
OTHER_SENSES = [
    ("Rational Choice Theory: C is a constant of this model.", "rays", None),
    ("Rational Choice Theory: people weigh costs.\n\nThe correct answer is D.", "rays", "D"),
    ("Call Option: $5\nPut Option: $4\n\nThe correct answer is B.", "prices", "B"),
    ("The frequency response of this filter is H(s) = 1/(s+1).", "rays", None),
    ("The answer is H(s).", "rays", None),
    ("My response is H (kaons).", "rays", "H"),
    ("The response variable is D.", "rays", None),
    ("My choice here is D.", "rays", "D"),
]
FORMULAS = [
    ("The answer is C^2.", "rays", None),
    ("The answer is C2.", "rays", None),
    ("Therefore, $I_1 = 3$ and $I_2 = 4$.", "rays", None),
    ("Answer: C10.36", "numbers", "C"),
    ("The answer is B$9.00", "prices", "B"),
    ("The most economical section is:\n\n**C. W360*39**", "beams", "C"),
    ("The strain comes to 5*10^(-3) mm.", "beams", "D"),
    ("We get \\boxed{10.4}\n\nThe closest option is C.", "numbers", "C"),
    ("We get \\boxed{31.5}", "rays", None),
]
SEVERAL = [
    ("b. C / d. B", "rays", None),
    ("b. C\nd. B\nf. H", "rays", None),
    ("1. C\n2. B\n3. A", "rays", None),
    ("1. Answer: A\n2. Answer: B", "rays", None),
    ("The correct option is E.\n\nAnswer: EI", "rays", None),
    ("The pneumonia is likely.\n\nAnswer: B or C", "chest", None),
    ("Answer: C. Case A: 5 years; Case B: 6 years", "cases", "C"),
    ("The correct choice is:\n\nEffusion\n\nAnswer: D", "chest", None),
]
INTRODUCED = [
    ("The correct answer given the options is:\n\nC", "rays", "C"),
    ("The best answer from the choices provided is C.", "rays", "C"),
    ("The answer options are: A, B, C and D.", "rays", None),
    ("The point on the curve aligns with:\n\n**C**\n\nIt is the nearest one.", "rays", "C"),
    ("Each one:\nA. Alpha rays\n- too heavy\nB. Beta rays\n- too light", "rays", None),
]
TAKEN_BACK = [
    ("Option (C) 10.36, which seems incorrect", "numbers", None),
    ("The result matches option (C) 10.36, which does not fit.", "numbers", None),
    ("Option (C) 10.36, which seems right", "numbers", "C"),
    ("If this were solid, A would be correct.", "chest", None),
    ("If this were solid, A would be correct. It is not, so B.", "chest", "B"),
    ("No entiendo la imagen.", "yes-no", None),
    ("No, la imagen es normal.", "yes-no", "B"),
]
ANALYSED = [
    ("Statement A is correct. Statement B is correct. Statement C is false.\n\nAnswer: C", "numbers", "C"),
    ("B) Effusion: no blunting, and the answer cannot be B.\nThe answer is A.\n\nAnswer: D", "chest", "D"),
    (
        "The upper zones are clear. The heart is not large. A pneumonia was treated in spring, it is said. "
        "The vessels are thin. The ribs are whole. The stomach bubble lies where it should. The film is straight. "
        "Nothing else stands out to me in the lower zones.",
        "chest",
        None,
    ),
]


@pytest.mark.parametrize(
    ("reply", "options", "letter"),
    [*OTHER_SENSES, *FORMULAS, *SEVERAL, *INTRODUCED, *TAKEN_BACK, *ANALYSED],
)
def test_reads_the_answer_and_what_only_looks_like_one(reply, options, letter):
    """A letter, a noun of answering or an option's words count only where they give the answer."""
    asked = "Which one is shown in the image (imagen)?"
    item = Item(id="x/1", question=asked, options=tuple(map(Option, SETS[options])))
    reading = read_choice(reply, item)
    assert (None if reading.choice is None else LETTERS[reading.choice]) == letter, reading
