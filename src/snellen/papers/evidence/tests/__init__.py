"""Stress tests of the evidence protocol, one file each."""

__all__ = ["label_swaps", "rests_on_finding"]
