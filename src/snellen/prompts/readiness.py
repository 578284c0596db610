"""The prompts of "The Illusion of Readiness" (Readiness paper)."""

from __future__ import annotations

from snellen.prompts.prompt import REPORT, Prompt

READINESS_REPORT = Prompt(
    "readiness-report",
    "Below is INDICATION related to chest X-ray images.\nINDICATION: {indication}\n"
    "Write a report that contains only the FINDINGS and IMPRESSION sections based on the attached images and "
    "INDICATION. Provide only your generated report, without any additional explanation and special format. "
    "Your answer is for reference only and is not used for actual diagnosis.",
    system="You are a professional chest radiologist that reads chest X-ray image(s).",
    source="The Illusion of Readiness, Supplementary Note 5",
    replies={"en": "{answer}"},
    images="chest X-ray",
    tasks={"report": REPORT},
)
_IN_TAGS = "<answer>{letter}. {answer}</answer>"
READINESS = Prompt(
    "readiness",
    "You are a helpful medical assistant that answers multiple choice questions about the provided image. "
    "The following is a multiple choice question (with answers).\nQuestion: {question}\nOptions:\n{options}\n"
    "Provide answer with the index and content of the option, and place it within <answer></answer>",
    source="The Illusion of Readiness, Supplementary Note 5",
    parser="answer-tag",
    steps="readiness-cot",
    tasks={"report": READINESS_REPORT},
    replies={"en": _IN_TAGS},
    room=False,
)
READINESS_WITH_STEPS = Prompt(
    "readiness-cot",
    "You are a helpful medical assistant that answers multiple choice questions about the provided image. "
    "The following is a multiple choice question (with answers).\nQuestion: {question}\nOptions:\n{options}\n"
    "Let us think step by step, enclosing the thought process within <thinking> and </thinking>.\n"
    "Provide answer with the index and content of the option, and place it within <answer> and </answer>.",
    source="The Illusion of Readiness, Supplementary Note 5",
    parser="answer-tag",
    replies={"en": f"<thinking>{{rationale}}</thinking>\n{_IN_TAGS}"},
)
