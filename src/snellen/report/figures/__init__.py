"""Figures of the report as SVG: marks, panels, bars, forest plots and curves."""

__all__ = [
    "bars", "curves", "drawn", "dumbbells", "forests", "graph", "layout", "marks", "palette", "panels",
    "standalone",
]  # fmt: skip
