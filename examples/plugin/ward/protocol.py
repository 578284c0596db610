"""A protocol: a suite of tests under one name."""

from snellen.papers.protocol import Protocol, Suite


def ward(*, strict: bool = False) -> Suite:
    """What the ward asks every model; `strict` asks under the photograph too."""
    return Suite(("image-needed", "second-look", *(["screen-photo"] if strict else [])))


PROTOCOL = Protocol(ward)
