"""The words of a report: how numbers, measures, conditions and terms are written."""

__all__ = ["arms", "numbers"]
