"""Reports of images: their sections, the findings they state, and the comparison of two reports by these findings."""
