"""Guard: a proxy that asks again without the image, and says whether the reply moved."""
