# ===- interchange_goldens.py - archives of arrays made by NumPy and by hand -------===
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Prints interchange_goldens.txt, a file and the arrays that it holds on each line:
#   kind label hex(file) { name dtype dims hex(row-major elements) }
# kind is npz (read), npz-same (numpy.savez's bytes, which writing must repeat),
# safetensors (read) or safetensors-same (the bytes of the Python package safetensors, which writing must repeat).
#
#   python interchange_goldens.py > interchange_goldens.txt
#
# The text is in git because Python's zipfile decides numpy.savez's bytes: save_npz repeats those of newer Pythons, which
# write the sizes of ZIP64; Debian 12's Python 3.11.2 leaves them out.
# ===------------------------------------------------------------------------------===#
import io
import json
import math
import struct
import zipfile

import numpy as np

DTYPES = {
    "bool": np.bool_, "u8": np.uint8, "i32": np.int32, "i64": np.int64, "u32": np.uint32, "f32": np.float32,
    "f64": np.float64, "c64": np.complex64, "i8": np.int8, "i16": np.int16, "u16": np.uint16, "u64": np.uint64,
    "c128": np.complex128, "f16": np.float16,
}
SAFE = {
    "bool": "BOOL", "u8": "U8", "i32": "I32", "i64": "I64", "u32": "U32", "f32": "F32", "f64": "F64", "c64": "C64",
    "i8": "I8", "i16": "I16", "u16": "U16", "u64": "U64", "f16": "F16",
    # NumPy has no such types: bits.
    "bf16": "BF16", "f8e4m3fn": "F8_E4M3", "f8e5m2": "F8_E5M2",
}
BITS = {"bf16": np.uint16, "f8e4m3fn": np.uint8, "f8e5m2": np.uint8}


def sample(dtype, shape, start=0):
    n = math.prod(shape)
    a = (np.arange(n) + start) * 37 % 251 - (0 if dtype == "bool" or dtype[0] == "u" or dtype in BITS else 100)
    if dtype == "bool":
        a = a % 3 == 0
    a = a.astype(BITS.get(dtype) or DTYPES[dtype])
    return (a * (1 + 2j)).astype(DTYPES[dtype]).reshape(shape) if dtype[0] == "c" else a.reshape(shape)


class Pipe(io.RawIOBase):
    """Cannot go back: sizes follow their members."""

    def __init__(self):
        self.bytes = b""

    def writable(self):
        return True

    def write(self, data):
        self.bytes += bytes(data)
        return len(data)


def safetensors(tensors, metadata=None, spaces=None):
    """tensors: name -> (dtype, array), in the order of their data."""
    header, data = {}, b""
    if metadata is not None:
        header["__metadata__"] = metadata
    for name, (dtype, array) in tensors.items():
        end = len(data) + array.nbytes
        header[name] = {"dtype": SAFE[dtype], "shape": list(array.shape), "data_offsets": [len(data), end]}
        data += array.tobytes()
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8 if spaces is None else spaces)
    return struct.pack("<Q", len(text)) + text + data


def main():
    def add(kind, label, file, arrays):
        words = [kind, label, file.hex()]
        for name, (dtype, array) in arrays.items():
            words += [name, dtype, ",".join(map(str, array.shape)) or "-", array.tobytes().hex() or "-"]
        print(*words)

    def saved(save, arrays):
        file = io.BytesIO()
        save(file, **{name: array for name, (_, array) in arrays.items()})
        return file.getvalue()

    every = {f"a_{dtype}": (dtype, sample(dtype, (2, 3))) for dtype in sorted(DTYPES)}
    shapes = {f"s{i}": ("f32", sample("f32", shape)) for i, shape in enumerate(((), (1,), (5,), (0, 3), (2, 3, 2), (2, 1, 3, 2)))}
    for label, arrays in (("dtypes", every), ("shapes", shapes), ("none", {}), ("utf8", {"größe": every["a_f32"]})):
        add("npz-same", label, saved(np.savez, arrays), arrays)
        add("npz", label + "-compressed", saved(np.savez_compressed, arrays), arrays)

    one = {"layer/w": ("f64", sample("f64", (3, 4)))}
    w = one["layer/w"][1]
    fortran = {"layer/w": ("f64", np.asfortranarray(w))}
    add("npz", "fortran", saved(np.savez, fortran), one)
    add("npz", "big-endian", saved(np.savez_compressed, {"layer/w": ("f64", w.astype(">f8"))}), one)
    # As other programs write them: without 64 bits, with a comment, in a pipe.
    npy = io.BytesIO()
    np.save(npy, w)
    for label, method in (("stored", zipfile.ZIP_STORED), ("deflated", zipfile.ZIP_DEFLATED)):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", method) as archive:
            archive.writestr("layer/w.npy", npy.getvalue())
            archive.comment = b"a comment"
        add("npz", "narrow-" + label, file.getvalue(), one)
        pipe = Pipe()
        with zipfile.ZipFile(pipe, "w", method) as archive:
            with archive.open("layer/w.npy", "w") as member:
                member.write(npy.getvalue())
        add("npz", "pipe-" + label, pipe.bytes, one)

    by_size = sorted(SAFE, key=lambda dtype: (-sample(dtype, ()).itemsize, f"a_{dtype}"))
    tensors = {f"a_{dtype}": (dtype, sample(dtype, (2, 3))) for dtype in by_size}
    add("safetensors-same", "dtypes", safetensors(tensors), tensors)
    add("safetensors-same", "shapes", safetensors(shapes), shapes)
    add("safetensors-same", "none", safetensors({}), {})
    metadata = {"format": "pt", "quote\"": "line\nü"}
    add("safetensors-same", "metadata", safetensors(shapes, metadata), shapes)
    # A header of an odd size, and narrow before wide: nothing is aligned.
    add("safetensors", "unaligned", safetensors(dict(reversed(tensors.items())), spaces=1), tensors)


main()
