"""Stress tests of the evidence protocol, one file each."""

__all__ = ["rests_on_finding"]
