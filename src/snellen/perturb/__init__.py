"""Kernels: pure functions of pixels or words, which conditions put to use."""
