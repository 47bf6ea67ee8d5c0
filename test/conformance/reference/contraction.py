# contraction.py - matrix products
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from values import LONG, NUMPY, PARTS, Result, near, op, ulp


@op("matmul")
def _(c):
    a, b = c.x
    if a.dtype.kind in "iu":
        return [Result(np.matmul(a, b), c.dtypes[0])]
    if c.dtypes[0] in PARTS:
        values = np.matmul(a.astype(np.clongdouble), b.astype(np.clongdouble))
        scale = np.matmul(np.abs(a).astype(LONG), np.abs(b).astype(LONG))
        return [Result(values.astype(NUMPY[c.dtypes[0]]), c.dtypes[0], c.ulps * ulp(scale, PARTS[c.dtypes[0]]))]
    a, b = a.astype(LONG), b.astype(LONG)
    return [near(np.matmul(a, b), c.dtypes[0], c.ulps, np.matmul(np.abs(a), np.abs(b)), step="f32")]
