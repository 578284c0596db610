"""Acts: says that the image is missing, declines, describes, speaks of quality."""
