"""What a study costs before it is asked: the questions that each verdict needs, and where to save."""
