#!/usr/bin/env python3
"""NumPy reads Tenon's elements and Tenon NumPy's, where they are, and each the other's archives.

    numpy_test.py LIBRARY: what programs/numpy_exchange.cpp is built to

Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ctypes
import gc
import os
import sys
import tempfile
import weakref

import numpy as np

pointer, python = ctypes.c_void_p, ctypes.pythonapi
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_New.argtypes = [pointer, ctypes.c_char_p, pointer]
python.PyCapsule_GetPointer.restype = pointer
python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
python.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
# Names of capsules are not copied.
NEW = {True: b"dltensor_versioned", False: b"dltensor"}
USED = {True: b"used_dltensor_versioned", False: b"used_dltensor"}

tenon = ctypes.CDLL(sys.argv[1])
tenon.exchange_make.restype = pointer
tenon.exchange_make.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
tenon.exchange_import.restype = pointer
tenon.exchange_import.argtypes = [pointer, ctypes.c_bool, ctypes.c_char_p, ctypes.c_size_t]
tenon.exchange_export.restype = pointer
tenon.exchange_export.argtypes = [pointer, ctypes.c_bool, ctypes.c_bool]
tenon.exchange_data.restype = pointer
tenon.exchange_data.argtypes = [pointer]
tenon.exchange_sum.restype = ctypes.c_double
tenon.exchange_sum.argtypes = [pointer]
tenon.exchange_free.argtypes = [pointer]
tenon.exchange_save.argtypes = [pointer, ctypes.c_char_p, ctypes.c_bool]
tenon.exchange_load.restype = pointer
tenon.exchange_load.argtypes = [ctypes.c_char_p]

DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
          "complex64", "complex128")
LAYOUTS = {
    "dense": lambda a: a, "transposed": lambda a: a.T, "flipped": lambda a: a[::-1, ::-2],
    "repeated": lambda a: np.broadcast_to(a[0], (2, 4)), "empty": lambda a: a[0:0], "scalar": lambda a: a[1, 2, ...],
}


class Tensor:
    """An array of Tenon's, as NumPy asks for one."""

    def __init__(self, array, versioned=True, copy=False):
        self.array, self.versioned, self.copy = array, versioned, copy

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **how):
        tensor = tenon.exchange_export(self.array, self.versioned, self.copy)
        return python.PyCapsule_New(tensor, NEW[self.versioned], None)


def imported(array, versioned=True):
    """NumPy's array as Tenon's."""
    capsule = array.__dlpack__(max_version=(1, 0)) if versioned else array.__dlpack__()
    tensor = python.PyCapsule_GetPointer(capsule, NEW[versioned])
    python.PyCapsule_SetName(capsule, USED[versioned])
    why = ctypes.create_string_buffer(200)
    result = tenon.exchange_import(tensor, versioned, why, len(why))
    if not result:
        raise ValueError(why.value.decode())
    return result


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
