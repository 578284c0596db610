"""Guard: a proxy that asks again without the image, and says whether the reply moved."""

__all__ = ["calibrate", "calibration_page", "log", "proxy", "report", "signal", "stand_ins", "upstream"]
