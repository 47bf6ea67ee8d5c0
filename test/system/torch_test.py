#!/usr/bin/env python3
"""PyTorch reads Tenon's elements and Tenon PyTorch's, where they are, by DLPack.

    torch_test.py LIBRARY: what programs/numpy_exchange.cpp is built to

PyTorch is in the benchmarks' venv, where './dev setup torch' puts it: run by another Python it goes on there. 77 if it
is not there.

Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import gc
import os
import pathlib
import struct
import sys
import weakref

try:
    import torch
except ImportError:
    python = pathlib.Path(__file__).resolve().parents[2] / ".venv-bench/bin/python"
    if python.exists() and "TENON_TORCH_TEST" not in os.environ:
        os.execve(python, [str(python), *sys.argv], {**os.environ, "TENON_TORCH_TEST": "again"})
    print("PyTorch is not there: './dev setup torch' installs it")
    sys.exit(77)

from exchange import Tensor, imported, tenon

DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bfloat16", "float16", "float32",
          "float64", "complex64", "complex128")
# Tensors of PyTorch have no negative steps.
LAYOUTS = {
    "dense": lambda t: t, "transposed": lambda t: t.T, "repeated": lambda t: t[0].expand(2, 4), "empty": lambda t: t[0:0],
    "scalar": lambda t: t[1, 2],
}


def table(dtype):
    return torch.arange(12).to(getattr(torch, dtype)).reshape(3, 4)


def equal(a, b):
    # Not every integer has a comparison.
    return a.shape == b.shape and a.dtype == b.dtype and a.tolist() == b.tolist()


def check_to_torch():
    for dtype in DTYPES:
        for layout, view in LAYOUTS.items():
            array = tenon.exchange_make(layout.encode(), dtype.encode())
            data = tenon.exchange_data(array)
            got = torch.from_dlpack(Tensor(array, versioned=False))
            shared = torch.from_dlpack(Tensor(array))
            copy = torch.from_dlpack(Tensor(array, copy=True))
            tenon.exchange_free(array)
            for tensor in (got, shared, copy):
                assert equal(tensor, view(table(dtype))), (dtype, layout, tensor)
            assert shared.numel() == 0 or shared.data_ptr() == data, "not copied"
            assert got.numel() == 0 or got.data_ptr() != data, "who cannot be told that it may not write has a copy"
            assert copy.numel() == 0 or copy.data_ptr() != data


def check_from_torch():
    for dtype in DTYPES:
        for layout, view in LAYOUTS.items():
            for versioned in (True, False):
                tensor = view(table(dtype))
                got = imported(tensor, versioned)
                assert tensor.numel() == 0 or tenon.exchange_data(got) == tensor.data_ptr(), (dtype, layout)
                assert tenon.exchange_sum(got) == sum(complex(x).real for x in tensor.flatten().tolist()), (dtype, layout)
                tenon.exchange_free(got)


class Watched(bytearray):
    """Elements whose end is seen."""


def check_lifetime():
    elements = Watched(struct.pack("5d", *range(5)))
    seen = weakref.ref(elements)
    got = imported(torch.frombuffer(elements, dtype=torch.float64))
    del elements
    gc.collect()
    assert seen() is not None and tenon.exchange_sum(got) == 10, "the elements are kept"
    tenon.exchange_free(got)
    gc.collect()
    assert seen() is None, "the deleter was called"


def check_refused():
    tensor = torch.arange(3.0, requires_grad=True)
    try:
        imported(tensor)
    except BufferError:
        return
    raise AssertionError("PyTorch does not hand out what it differentiates")


for check in (check_to_torch, check_from_torch, check_lifetime, check_refused):
    check()
    print(check.__name__)
