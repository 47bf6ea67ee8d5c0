# ===- io_goldens.py - small files made by NumPy and gzip -------------------------===#
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Prints a file and the array that it holds on each line:
#   kind name dtype dims hex(file) hex(row-major elements)
# kind is npy (read), npy-same (numpy.save's bytes, which writing must repeat)
# or idx.
# ===------------------------------------------------------------------------------===#
import gzip
import io
import math
import struct

import numpy as np

DTYPES = {
    "bool": np.bool_, "u8": np.uint8, "i32": np.int32, "i64": np.int64, "u32": np.uint32, "f32": np.float32,
    "f64": np.float64, "c64": np.complex64, "i8": np.int8, "i16": np.int16, "u16": np.uint16, "u64": np.uint64,
    "c128": np.complex128, "f16": np.float16,
}
# NumPy lacks these types: their bits, and the type's name in a file of the package ml_dtypes.
BITS = {"bf16": (np.uint16, "<V2"), "f8e4m3fn": (np.uint8, "<V1"), "f8e5m2": (np.uint8, "<f1")}


def add(kind, name, dtype, array, data):
    dims = ",".join(map(str, array.shape)) or "-"
    print(kind, name, dtype, dims, data.hex(), array.tobytes().hex() or "-")


def sample(dtype, shape):
    a = np.arange(math.prod(shape)) * 37 % 251
    if dtype in BITS:
        words, _ = BITS[dtype]
        return (a * 257).astype(words).view(f"V{words().itemsize}").reshape(shape)
    if dtype == "bool":
        a = a % 3 == 0
    elif dtype[0] != "u":
        a = a - 100
    a = a.astype(DTYPES[dtype])
    return (a * (1 + 2j)).astype(DTYPES[dtype]).reshape(shape) if dtype[0] == "c" else a.reshape(shape)


def npy(dtype, array, version=None):
    """The file of an array, with ml_dtypes' name of the type."""
    file = io.BytesIO()
    np.lib.format.write_array(file, array, version=version)
    data = file.getvalue()
    if dtype in BITS:
        plain = f"'|V{array.itemsize}'".encode()
        assert plain in data
        data = data.replace(plain, f"'{BITS[dtype][1]}'".encode())
    return data


def main():
    for dtype in (*DTYPES, *BITS):
        for shape in ((), (5,), (2, 3), (2, 3, 2), (0, 3), (1,)):
            a = sample(dtype, shape)
            add("npy-same", "save", dtype, a, npy(dtype, a))
        a = np.asfortranarray(sample(dtype, (2, 3, 4)))
        data = npy(dtype, a)
        assert b"'fortran_order': True" in data
        add("npy", "fortran", dtype, a, data)
        if dtype in DTYPES and a.itemsize > 1:
            a = sample(dtype, (2, 3))
            data = npy(dtype, np.asfortranarray(a.astype(a.dtype.newbyteorder(">"))))
            assert b"'descr': '>" in data
            add("npy", "big-endian", dtype, a, data)
        for version in ((2, 0), (3, 0)):
            a = sample(dtype, (3, 2))
            add("npy", "version%d" % version[0], dtype, a, npy(dtype, a, version))

    codes = {"u8": 0x08, "i8": 0x09, "i16": 0x0B, "i32": 0x0C, "f32": 0x0D, "f64": 0x0E}
    for dtype, code in codes.items():
        for shape in ((7,), (2, 3), (2, 2, 3), (0, 28)):
            a = sample(dtype, shape)
            data = bytes((0, 0, code, len(shape))) + struct.pack(">%dI" % len(shape), *shape)
            data += a.astype(a.dtype.newbyteorder(">")).tobytes()
            add("idx", "plain", dtype, a, data)
            add("idx", "gzip", dtype, a, gzip.compress(data, mtime=0))
            half = len(data) // 2
            add("idx", "two-members", dtype, a, gzip.compress(data[:half], mtime=0) + gzip.compress(data[half:], mtime=0))


main()
