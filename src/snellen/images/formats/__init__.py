"""Files that hold more than one picture: DICOM, NIfTI, slides, stacks and films."""

__all__ = ["stacks"]
