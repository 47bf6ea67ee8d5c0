#!/usr/bin/env python3
# ===- io_goldens.py - small files made by NumPy and gzip -------------------------===
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes io_goldens.txt, a file to read and what it holds on each line:
#   kind name dtype dims hex(file) hex(row-major elements)
# kind is npy (read), npy-same (numpy.save's bytes, which writing must repeat)
# or idx.
#
#   python3 -m venv venv && venv/bin/pip install numpy ml_dtypes
#   venv/bin/python io_goldens.py io_goldens.txt
import gzip
import io
import math
import struct
import sys

import ml_dtypes
import numpy as np

DTYPES = {
    "bool": np.bool_, "u8": np.uint8, "i32": np.int32, "i64": np.int64, "u32": np.uint32, "bf16": ml_dtypes.bfloat16,
    "f32": np.float32, "f64": np.float64, "c64": np.complex64, "i8": np.int8, "i16": np.int16, "u16": np.uint16,
    "u64": np.uint64, "c128": np.complex128, "f16": np.float16, "f8e4m3fn": ml_dtypes.float8_e4m3fn,
    "f8e5m2": ml_dtypes.float8_e5m2,
}


def main(path):
    lines = []

    def add(kind, name, dtype, array, data):
        dims = ",".join(map(str, array.shape)) or "-"
        lines.append(" ".join((kind, name, dtype, dims, data.hex(), array.tobytes().hex() or "-")))

    def sample(dtype, shape):
        n = math.prod(shape)
        a = np.arange(n) * 37 % 251 - (0 if dtype == "bool" or dtype[0] == "u" else 100)
        if dtype == "bool":
            a = a % 3 == 0
        a = a.astype(DTYPES[dtype])
        return (a * (1 + 2j)).astype(DTYPES[dtype]).reshape(shape) if dtype[0] == "c" else a.reshape(shape)

    for dtype in DTYPES:
        for shape in ((), (5,), (2, 3), (2, 3, 2), (0, 3), (1,)):
            a = sample(dtype, shape)
            file = io.BytesIO()
            np.save(file, a)
            add("npy-same", "save", dtype, a, file.getvalue())
        a = np.asfortranarray(sample(dtype, (2, 3, 4)))
        file = io.BytesIO()
        np.save(file, a)
        assert b"'fortran_order': True" in file.getvalue()
        add("npy", "fortran", dtype, a, file.getvalue())
        if np.dtype(DTYPES[dtype]).itemsize > 1 and dtype != "bf16":
            swapped = io.BytesIO()
            a = sample(dtype, (2, 3))
            np.save(swapped, np.asfortranarray(a.astype(a.dtype.newbyteorder(">"))))
            assert b"'descr': '>" in swapped.getvalue()
            add("npy", "big-endian", dtype, a, swapped.getvalue())
        for version in ((2, 0), (3, 0)):
            a = sample(dtype, (3, 2))
            file = io.BytesIO()
            np.lib.format.write_array(file, a, version=version)
            add("npy", "version%d" % version[0], dtype, a, file.getvalue())

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
    with open(path, "w", newline="\n") as file:
        file.write("\n".join(lines) + "\n")


main(sys.argv[1])
