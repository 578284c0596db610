"""Figures, drawn as SVG: marks, panels, bars, forests and curves."""

__all__ = [
    "bars", "curves", "drawn", "dumbbells", "forests", "graph", "layout", "marks", "palette", "panels",
    "standalone",
]  # fmt: skip
