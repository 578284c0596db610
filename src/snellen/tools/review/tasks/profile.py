"""Profile task: rate a question's reasoning and visual complexity on ten axes."""

from __future__ import annotations

from snellen.tools.review.task import Field, FieldChoice, ReviewTask


def _axis(name: str, asks: str, label: str, *anchors: str) -> Field:
    levels = tuple(FieldChoice(str(level), str(level), anchor) for level, anchor in enumerate(anchors, start=1))
    return Field(name, f"{label}: {asks}", "scale", levels)


REASONING = (
    _axis("reasoning_steps", "How many thinking steps are needed?", "Reasoning steps",
          "One step (e.g., identify organ)", "Combine findings", "Differential diagnosis or staged inference"),
    _axis("clinical_context", "Does the task require clinical background or patient context?", "Clinical context",
          "None", "Some (e.g., complaint)", "Full scenario (history, labs, etc.)"),
    _axis("time_sequence", "Does the task depend on change over time (e.g., prior scans, progression)?",
          "Time / sequence information", "No", "Sometimes", "Always or essential"),
    _axis("uncertainty", "Does the task involve ambiguity?", "Uncertainty handling",
          "No", "Sometimes vague", "Requires hedging or considering multiple possibilities"),
    _axis("decision_impact", "Does the outcome affect clinical decisions?", "Decision impact",
          "No impact (descriptive / trivia)", "Some impact (e.g., triage, follow-up)",
          "High impact (diagnosis or treatment guiding)"),
)  # fmt: skip
"""The five reasoning axes, from Table 9 of "The Illusion of Readiness"."""
VISUAL = (
    _axis("text_alone", "Could the task be answered without the image?", "Text-alone solvable",
          "Yes", "Maybe", "No, image essential"),
    _axis("visual_detail", "How carefully must the image be examined?", "Visual detail needed",
          "Glance is enough", "Moderate inspection", "Expert-level detail (e.g., subtle lesion, boundary)"),
    _axis("spatial", "Is spatial localization important?", "Spatial understanding",
          "Not needed", "Side or region matters", "Exact location critical"),
    _axis("image_quality", "Would small variations in the image alter the answer?", "Image-quality sensitivity",
          "No", "Somewhat", "Yes, subtle differences matter"),
    _axis("comparison", "Does the task require comparing across views or timepoints?",
          "Multi-view / temporal comparison",
          "No comparison needed", "Sometimes referenced", "Critical comparison across views or timepoints"),
)  # fmt: skip
"""The five visual axes, from Table 10 of the same paper."""
ESSENTIAL = "text_alone"
"""The axis that rates whether a question needs its image; 3 means that the image is essential."""

PROFILE = ReviewTask(
    name="profile",
    title="What does this question ask for?",
    asks="To answer this question accurately and confidently, how much reasoning is required, and how essential is the "
    "image?",
    fields=(*REASONING, *VISUAL),
    raters=3,
    settles=False,
    each=40,
    source="The Illusion of Readiness, Tables 9 and 10",
)
