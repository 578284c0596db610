"""The organisms' turns of phrase: how a choice, an abstention, a refusal or a description is put."""

from __future__ import annotations

from collections.abc import Sequence

from snellen.models.organisms.reading import Question

NO_IMAGE = (
    "I don't see an image attached to this question, so I cannot tell. Please provide the image.",
    "No image was provided. I would need to see it before I could answer this question.",
    "There is no image here for me to look at, and without it I cannot determine the answer.",
    "I'm unable to answer this, as I cannot see any image in your message. Could you upload it?",
)
NOTHING_SEEN = (
    "The image appears to be blank: it shows nothing that I could go by, so I cannot determine the answer.",
    "I cannot tell from this image, since there is nothing visible in it.",
    "I cannot determine the answer: I see no anatomy in the image that was provided.",
)
ANOTHER_IMAGE = (
    "The question asks about another kind of image ({asked}) than I was given ({shown}). I cannot tell from it.",
    "This does not match: the image I see is of another kind ({shown}, not {asked}), so I cannot determine the answer.",
)
REFUSALS = (
    "I'm sorry, but I can't assist with interpreting medical images. Please consult a qualified clinician.",
    "I'm not able to provide a medical diagnosis. A doctor or radiologist should review this.",
    "I apologize, but I can't help with that. Medical questions should be put to a healthcare professional.",
    "As an AI, I can't give medical advice or interpret scans. Please see a licensed physician.",
)
LOOKED = (
    "Looking at the image, what I see fits option {letter} best.",
    "The appearance in the image is that of option {letter}.",
    "From the image, I would choose option {letter}.",
)
GUESSED = (
    "Given the presentation, option {letter} is the most likely.",
    "From what is described, option {letter} fits best.",
    "In a case like this, I would expect option {letter}.",
)
IMAGINED = (
    "The image clearly shows {finding}, with well-defined margins. This is consistent with option {letter}.",
    "On the image provided, there is evidence of {finding}, which supports option {letter}.",
    "Careful review of the image demonstrates {finding}. The findings point to option {letter}.",
)
DESCRIBED = (
    "The image shows {finding}.",
    "There is {finding} on this image.",
    "The main finding is {finding}.",
)
IMAGINED_AT_LENGTH = (
    "The image clearly shows {finding}, with well-defined margins and no sign of an acute complication.",
    "On careful review, the image demonstrates {finding}. The remaining structures appear unremarkable.",
    "There is clear evidence of {finding} on the image provided, of moderate extent.",
)
SUPPOSED = (
    "Most likely {finding}, going by the presentation.",
    "In a case like this, {finding} would be the usual explanation.",
)


def wording(choices: Sequence[str], key: bytes) -> str:
    """One of several wordings; the same request always gets the same."""
    return choices[int.from_bytes(key[-4:], "big") % len(choices)]


def choosing(question: Question, index: int, rationale: str) -> str:
    r"""A rationale and the choice, in the form the prompt asked for.

    >>> choosing(Question("Which?", "", ("Cyst", "Drusen"), "AB", "<answer>"), 1, "It looks so.")
    'It looks so.\n\n<answer>B. Drusen</answer>'
    """
    letter = question.letters[index]
    if question.style == "letter":
        return letter
    return f"{rationale.replace('{letter}', letter)}\n\n{_final(question.style, letter, question.options[index])}"


def stating(question: Question, statement: str, answer: str) -> str:
    """A statement in free words; where the prompt wants a marked answer, the answer follows it so marked."""
    if question.style in ("line", "letter"):
        return statement
    return f"{statement}\n\n{_final(question.style, '', answer)}"


def _final(style: str, letter: str, text: str) -> str:
    if style == "brackets":
        return f"[[{letter or text}]]"
    if style == "boxed":
        return f"\\boxed{{{letter or text}}}"
    if style.startswith("<"):
        return f"{style}{letter}{'. ' if letter else ''}{text}</{style[1:]}"
    return f"Answer: {letter}"
