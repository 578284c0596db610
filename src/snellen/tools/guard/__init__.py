"""Guard: a proxy that asks again without the image and reports whether the response changed."""

__all__ = ["calibrate", "calibration_page", "log", "proxy", "report", "signal", "stand_ins", "upstream"]
