"""The chapter of a report on where in the image answers come from."""
