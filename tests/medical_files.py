"""DICOM files that tests write: small, of every kind, and with a patient's name in all the places where names stand."""

import numpy as np
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.uid import CTImageStorage, ExplicitVRLittleEndian, generate_uid

PATIENT = "Doe^Jane"
CT = {"Modality": "CT", "RescaleSlope": 1, "RescaleIntercept": -1024}
AXIAL = [1, 0, 0, 0, 1, 0]


def dataset(values, **tags):
    """A data set with these stored values: rows and columns, frames before them, colours after them."""
    values = np.asarray(values)
    colour = values.ndim in (3, 4) and values.shape[-1] == 3
    made = Dataset()
    made.file_meta = FileMetaDataset()
    made.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    made.file_meta.MediaStorageSOPClassUID = made.SOPClassUID = CTImageStorage
    made.file_meta.MediaStorageSOPInstanceUID = made.SOPInstanceUID = generate_uid()
    made.PatientName, made.PatientID, made.PatientBirthDate = PATIENT, "MRN-4711", "19500101"
    made.SeriesInstanceUID = "1.2.3"
    made.Rows, made.Columns = values.shape[-3:-1] if colour else values.shape[-2:]
    made.SamplesPerPixel, made.PhotometricInterpretation = (3, "RGB") if colour else (1, "MONOCHROME2")
    if colour:
        made.PlanarConfiguration = 0
    if values.ndim - colour > 2:
        made.NumberOfFrames = len(values)
    made.BitsAllocated = made.BitsStored = 8 * values.dtype.itemsize
    made.HighBit = made.BitsStored - 1
    made.PixelRepresentation = int(values.dtype.kind == "i")
    made.add_new(0x7FE00010, "OW", values.tobytes() + b"\0" * (values.nbytes % 2))
    for name, value in tags.items():
        setattr(made, name, value)
    return made


def dicom(path, values, **tags):
    """The path of a file with such a data set."""
    path.parent.mkdir(parents=True, exist_ok=True)
    dataset(values, **tags).save_as(path, enforce_file_format=True)
    return path


def table(entries, first=0, bits=16):
    """A look-up table as an item of a sequence."""
    item = Dataset()
    item.add_new(0x00283002, "US", [len(entries), first, bits])
    item.add_new(0x00283006, "US", list(entries))
    return item


def holding(**tags):
    """An item of a sequence with these tags."""
    item = Dataset()
    for name, value in tags.items():
        setattr(item, name, value)
    return item
