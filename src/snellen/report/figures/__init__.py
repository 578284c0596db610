"""Figures, drawn as SVG: marks, panels, bars, forests and curves."""
