"""Stress tests of the evidence protocol, one file each."""

__all__ = ["cues", "label_swaps", "rests_on_finding"]
