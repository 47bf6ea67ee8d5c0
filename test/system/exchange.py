"""Arrays of Tenon's in Python, by DLPack: what programs/numpy_exchange.cpp is built to, called through ctypes.

Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ctypes
import sys

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


class Tensor:
    """An array of Tenon's, as others ask for one."""

    def __init__(self, array, versioned=True, copy=False):
        self.array, self.versioned, self.copy = array, versioned, copy

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **how):
        tensor = tenon.exchange_export(self.array, self.versioned, self.copy)
        return python.PyCapsule_New(tensor, NEW[self.versioned], None)


def imported(array, versioned=True):
    """Another library's array as Tenon's."""
    capsule = array.__dlpack__(max_version=(1, 0)) if versioned else array.__dlpack__()
    tensor = python.PyCapsule_GetPointer(capsule, NEW[versioned])
    python.PyCapsule_SetName(capsule, USED[versioned])
    why = ctypes.create_string_buffer(200)
    result = tenon.exchange_import(tensor, versioned, why, len(why))
    if not result:
        raise ValueError(why.value.decode())
    return result
