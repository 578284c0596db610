"""The wordings of "The Illusion of Readiness" (the Readiness paper)."""

from __future__ import annotations

from snellen.prompts.prompt import Prompt

READINESS = Prompt(
    "readiness",
    "You are a helpful medical assistant that answers multiple choice questions about the provided image. "
    "The following is a multiple choice question (with answers).\nQuestion: {question}\nOptions:\n{options}\n"
    "Provide answer with the index and content of the option, and place it within <answer></answer>",
    source="The Illusion of Readiness, Supplementary Note 5",
    parser="answer-tag",
    steps="readiness-cot",
)
READINESS_WITH_STEPS = Prompt(
    "readiness-cot",
    "You are a helpful medical assistant that answers multiple choice questions about the provided image. "
    "The following is a multiple choice question (with answers).\nQuestion: {question}\nOptions:\n{options}\n"
    "Let us think step by step, enclosing the thought process within <thinking> and </thinking>.\n"
    "Provide answer with the index and content of the option, and place it within <answer> and </answer>.",
    source="The Illusion of Readiness, Supplementary Note 5",
    parser="answer-tag",
)
