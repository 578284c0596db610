"""Sight: whether images reached the model at all."""

__all__ = ["delivery", "tokens", "witness"]
