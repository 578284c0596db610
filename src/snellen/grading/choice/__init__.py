"""Choices: which option a response gives as its answer."""
