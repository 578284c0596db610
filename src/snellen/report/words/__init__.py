"""Words of a report: formatting of numbers, measures, conditions and terms."""

__all__ = ["arms", "numbers"]
