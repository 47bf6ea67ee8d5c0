#!/usr/bin/env python3
"""NumPy reads Tenon's elements and Tenon NumPy's, where they are, and each the other's archives.

    numpy_test.py LIBRARY: what programs/numpy_exchange.cpp is built to

Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import gc
import os
import tempfile
import weakref

import numpy as np

from exchange import Tensor, imported, tenon

DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
          "complex64", "complex128")
LAYOUTS = {
    "dense": lambda a: a, "transposed": lambda a: a.T, "flipped": lambda a: a[::-1, ::-2],
    "repeated": lambda a: np.broadcast_to(a[0], (2, 4)), "empty": lambda a: a[0:0], "scalar": lambda a: a[1, 2, ...],
}


def address(array):
    return array.__array_interface__["data"][0]


def check_to_numpy():
    for dtype in DTYPES:
        table = np.arange(12).astype(dtype).reshape(3, 4)
        for layout, view in LAYOUTS.items():
            array = tenon.exchange_make(layout.encode(), dtype.encode())
            data = tenon.exchange_data(array)
            expected = view(table)
            got = np.from_dlpack(Tensor(array))
            assert got.dtype == expected.dtype and got.shape == expected.shape, (dtype, layout, got)
            assert (got == expected).all(), (dtype, layout, got)
            assert not got.flags.writeable, "arrays do not change"
            assert got.size == 0 or address(got) == data, "not copied"
            copies = [np.from_dlpack(Tensor(array, copy=True)), np.from_dlpack(Tensor(array, versioned=False))]
            tenon.exchange_free(array)
            assert (got == expected).all(), "NumPy's array keeps the elements"
            for copy in copies:
                assert copy.size == 0 or address(copy) != data
                assert (copy == expected).all()
            assert copies[0].flags.writeable


def check_from_numpy():
    for dtype in DTYPES:
        for layout, view in LAYOUTS.items():
            for versioned in (True, False):
                array = view(np.arange(12).astype(dtype).reshape(3, 4))
                if not array.flags.writeable and not versioned:
                    continue  # NumPy does not say so to old consumers, but refuses
                array = array.copy(order="K") if layout == "scalar" else array
                got = imported(array, versioned)
                assert array.size == 0 or tenon.exchange_data(got) == address(array), (dtype, layout)
                assert tenon.exchange_sum(got) == array.real.astype("float64").sum(), (dtype, layout)
                tenon.exchange_free(got)


class Watched(np.ndarray):
    """One whose end is seen."""


def check_lifetime():
    array = np.arange(5.0).view(Watched)
    seen = weakref.ref(array)
    got = imported(array)
    del array
    gc.collect()
    assert seen() is not None and tenon.exchange_sum(got) == 10
    tenon.exchange_free(got)
    gc.collect()
    assert seen() is None, "the deleter was called"


def check_alignment():
    bytes_ = np.zeros(8 * 4 + 1, np.uint8)
    array = bytes_[1:].view(np.float64)
    array[:] = range(4)
    got = imported(array)
    assert tenon.exchange_data(got) != address(array) and tenon.exchange_sum(got) == 6
    tenon.exchange_free(got)


def check_archives():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "file.npz")
        for dtype in DTYPES:
            for compressed in (True, False):
                array = tenon.exchange_make(b"flipped", dtype.encode())
                tenon.exchange_save(array, path.encode(), compressed)
                expected = LAYOUTS["flipped"](np.arange(12).astype(dtype).reshape(3, 4))
                with np.load(path) as members:
                    assert sorted(members.files) == ["größe", "sum/of it"]
                    assert members["größe"].dtype == expected.dtype and (members["größe"] == expected).all()
                tenon.exchange_free(array)
                (np.savez_compressed if compressed else np.savez)(path, x=expected)
                loaded = tenon.exchange_load(path.encode())
                assert tenon.exchange_sum(loaded) == expected.real.astype("float64").sum()
                tenon.exchange_free(loaded)


for check in (check_to_numpy, check_from_numpy, check_lifetime, check_alignment, check_archives):
    check()
    print(check.__name__)
