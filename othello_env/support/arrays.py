"""Read arrays from an untrusted ``.npz`` file. No array is unpacked beyond its expected size."""

from __future__ import annotations

import math
import re
import zipfile
import zlib
from typing import IO, Any

import numpy as np
import numpy.typing as npt

__all__ = ["DAMAGE", "Member", "open_archive"]

DAMAGE = (EOFError, NotImplementedError, OSError, RuntimeError, ValueError, zipfile.BadZipFile, zlib.error)
"""The errors that reading a damaged file can raise."""

_LONGEST_DIRECTORY = 100_000  # bytes; the directory of a zip file with three arrays has about 200
_LONGEST_HEADER = 1000  # bytes
_HEADER = re.compile(
    r"\{'descr': '([<>|]?[a-zA-Z]\d{1,9})', 'fortran_order': False, "
    r"'shape': \(((?:\d{1,18}, ?)*(?:\d{1,18})?)\), \} *\n"
)


def open_archive(file: IO[bytes]) -> zipfile.ZipFile:
    """Check that the directory of a zip file (its list of contents) is short, and open the file.

    Raises:
        ValueError: the file is not a zip file, its directory is too long, or its last bytes are not as NumPy writes
            them.
        zipfile.BadZipFile: the zip file is damaged.
    """
    size = file.seek(0, 2)
    # A zip file ends with a record of 22 bytes. In a zip64 file, another record of 20 bytes stands before this record.
    file.seek(max(0, size - 42))
    end = file.read()
    length = int.from_bytes(end[-10:-6], "little")
    if end[-22:-18] != b"PK\x05\x06" or end[-42:-38] == b"PK\x06\x07" or length > _LONGEST_DIRECTORY:
        raise ValueError("it is not a zip file of a few arrays")
    return zipfile.ZipFile(file)


class Member:
    """An array in an archive. The array stays packed until `read` is called.

    Attributes:
        dtype: the array's dtype.
        shape: the array's shape.

    Raises:
        ValueError: the member is not an array, or it is packed in a way that numpy does not use.
    """

    def __init__(self, archive: zipfile.ZipFile, name: str) -> None:
        info = archive.getinfo(f"{name}.npy")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ValueError(f"its array {name} is packed by a method that .npz files do not use")
        self._name = name
        self._file = archive.open(info)
        start = self._file.read(10)
        length = int.from_bytes(start[8:], "little")
        if start[:8] != b"\x93NUMPY\x01\x00" or length > _LONGEST_HEADER:
            raise ValueError(f"its array {name} does not begin like an array of numpy")
        header = _HEADER.fullmatch(self._file.read(length).decode("latin1"))
        if header is None:
            raise ValueError(f"its array {name} holds no numbers or text in C order")
        try:
            self.dtype = np.dtype(header[1])
        except TypeError:
            raise ValueError(f"its array {name} has no dtype {header[1]!r}") from None
        self.shape = tuple(int(number) for number in header[2].replace(",", " ").split())

    def read(self) -> npt.NDArray[Any]:
        """Unpack the array. The caller must check its dtype and shape first.

        Raises:
            ValueError: the array's length does not fit its shape.
            zipfile.BadZipFile: the array's checksum is wrong.
        """
        expected = math.prod(self.shape) * self.dtype.itemsize
        data = self._file.read(expected + 1)
        if len(data) != expected:
            raise ValueError(f"its array {self._name} does not have the {expected} bytes of its shape {self.shape}")
        return np.frombuffer(data, self.dtype).reshape(self.shape)
