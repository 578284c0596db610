"""Delivery of images: evidence that images reached the model."""

__all__ = ["delivery", "tokens", "witness"]
