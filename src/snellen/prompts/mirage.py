"""The prompts of "Mirage: The Illusion of Visual Understanding".

There is one per benchmark, and wordings that add little to the question. `{dataset}` is the place of the benchmark's
name, so that the same words can be sent without it.
"""

from __future__ import annotations

from snellen.prompts.prompt import Prompt

SOURCE = "Mirage, section 7.5"
_IN_BRACKETS = {"en": "[[{letter}]]"}
_ONE_LETTER = (
    "You MUST select exactly one answer. "
    "Format your final answer as: [[X]] where X is the letter of the correct option."
)


def _choice(name: str, dataset: str, words: str) -> Prompt:
    """Return a benchmark's prompt for questions with options."""
    return Prompt(
        name,
        "{question}\n\n{options}",
        system=f"{words} {_ONE_LETTER}",
        source=SOURCE,
        parser="double-brackets",
        dataset=dataset,
        replies=_IN_BRACKETS,
        room=False,
    )


BENCHMARK_PROMPTS = (
    Prompt(
        "mirage-vqa-rad",
        "{question}",
        system="You are an expert radiologist analyzing radiology images{dataset}. You are given a radiology image and "
        "a question about the image. Base your answer on the visual evidence in the image. IMPORTANT: Answer with ONLY "
        "one word or very short phrase (1–3 words maximum). For yes/no questions, answer ONLY ‘Yes’ or ‘No’. For other "
        "questions, give the shortest possible answer. Format your final answer as: [[your answer]].",
        source=SOURCE,
        parser="double-brackets",
        dataset="VQA-RAD",
        in_words=True,
        replies={"en": "[[{answer}]]"},
        room=False,
    ),
    _choice(
        "mirage-microvqa",
        "MicroVQA",
        "You are an expert in microscopy image analysis answering questions{dataset}. "
        "Answer the following multiple-choice question based on the microscopy image.",
    ),
    _choice(
        "mirage-medxpertqa-mm",
        "MedXpertQA-MM",
        "You are an expert medical professional answering questions{dataset}. "
        "Answer the following multiple-choice question based on the provided medical image.",
    ),
    _choice(
        "mirage-mmmu-pro",
        "MMMU-Pro",
        "You are an expert across multiple academic disciplines answering questions{dataset}. "
        "Answer the following multiple-choice question based on the provided image(s).",
    ),
    _choice(
        "mirage-video-mmmu",
        "Video-MMMU",
        "You are an expert in video understanding answering questions{dataset}. "
        "Answer the following multiple-choice question based on the video content.",
    ),
    _choice(
        "mirage-video-mme",
        "Video-MME",
        "You are an expert in video understanding answering questions{dataset}. "
        "Answer the following multiple-choice question about video content.",
    ),
)

MIRAGE = Prompt(
    "mirage",
    "{question}\n\n{options}",
    system="You are an expert medical professional answering questions{dataset}. "
    f"Answer the following multiple-choice question based on the provided medical image. {_ONE_LETTER}",
    source=f"{SOURCE}: the benchmark's own prompt where it prints one, else that of MedXpertQA-MM with another name",
    parser="double-brackets",
    replies=_IN_BRACKETS,
    room=False,
    kin={prompt.name.removeprefix("mirage-"): prompt for prompt in BENCHMARK_PROMPTS},
)

BARE = Prompt("bare", "{question}", source="Mirage, section 7.3")
VISUAL_EVIDENCE = Prompt(
    "visual-evidence",
    "{question}",
    system="You are given an image and a question about it. Base your statements on the visual evidence in the image.",
    source="ours, after Mirage, sections 2.1 and 7.5",
)
ATTACHMENT_COUNTED = Prompt(
    "attachment-counted", "number of image attachments: 1\n{question}", source="Mirage, section 7.4"
)
