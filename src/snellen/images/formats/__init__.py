"""Files with more than one image: DICOM, NIfTI, slides, stacks and videos."""

__all__ = ["stacks"]
