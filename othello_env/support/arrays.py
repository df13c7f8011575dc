"""Read arrays from an untrusted ``.npz`` file. No array is unpacked beyond its expected size."""

from __future__ import annotations

import math
import zipfile
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib import format as npy

__all__ = ["DAMAGE", "Member"]

DAMAGE = (EOFError, NotImplementedError, OSError, RuntimeError, ValueError, zipfile.BadZipFile, zlib.error)
"""The errors that reading a damaged file can raise."""


class Member:
    """An array in an archive. The array stays packed until `read` is called.

    Attributes:
        dtype: the array's dtype.
        shape: the array's shape.

    Raises:
        ValueError: the member is not an array, or it is packed in a way that NumPy does not use.
    """

    def __init__(self, archive: zipfile.ZipFile, name: str) -> None:
        info = archive.getinfo(f"{name}.npy")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ValueError(f"its array {name} is packed by a method that .npz files do not use")
        self._name = name
        self._file = archive.open(info)
        try:
            is_sound = npy.read_magic(self._file) == (1, 0)
            self.shape, is_fortran, self.dtype = npy.read_array_header_1_0(self._file, max_header_size=1000)
        except Exception:  # NumPy parses the header as Python code, which can fail in many ways
            is_sound = is_fortran = False
        if not is_sound:
            raise ValueError(f"its array {name} does not begin like an array of numpy")
        if is_fortran or self.dtype.hasobject or min(self.shape, default=0) < 0:
            raise ValueError(f"its array {name} holds no numbers or text in C order")

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
