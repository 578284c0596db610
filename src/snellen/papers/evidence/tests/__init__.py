"""Stress tests of the evidence protocol, one file each."""

__all__ = ["cues", "label_swaps", "published_grounding", "report_shortcuts", "rests_on_finding"]
