# creation.py - arrays from sizes and numbers
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from values import FLOATS, NARROW, NUMPY, OPS, Result, op, rounded


def full(dtype, shape, value):
    if dtype in NARROW:
        return [Result(rounded(np.full(shape, value, np.float64), dtype), dtype)]
    return [Result(np.full(shape, value, NUMPY[dtype]), dtype)]


OPS["full"] = lambda c: full(c.dtype, c.a["shape"], c.a["value"])
OPS["zeros"] = lambda c: full(c.dtype, c.a["shape"], 0)
OPS["ones"] = lambda c: full(c.dtype, c.a["shape"], 1)


OPS["full_like"] = lambda c: full(c.dtypes[0], c.x[0].shape, c.a["value"])
OPS["zeros_like"] = lambda c: full(c.dtypes[0], c.x[0].shape, 0)
OPS["ones_like"] = lambda c: full(c.dtypes[0], c.x[0].shape, 1)


@op("arange")
def _(c):
    kind = NUMPY[c.dtype]
    index = np.arange(c.a["length"])
    if c.dtype in FLOATS:
        # start + i * step in the dtype's arithmetic; narrow floats round at the end alone.
        start, step = (rounded(np.float64(c.a[key]), c.dtype) for key in ("start", "step"))
        return c.exact(start + index.astype(kind) * step, c.dtype)
    return [Result((c.a["start"] + index * c.a["step"]).astype(kind), c.dtype)]


@op("one_hot")
def _(c):
    values = c.x[0][..., None].astype(np.int64) == np.arange(c.a["classes"])
    return [Result(values.astype(NUMPY[c.a["dtype"]]), c.a["dtype"])]
