"""Sight: whether images reached the model at all."""
