# contraction.py - sums of products
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from values import LONG, NUMPY, PARTS, Result, near, op, ulp


def dot_general(a, b, axes1, axes2, batch1, batch2):
    """By np.einsum over numbered labels."""
    of_b = [100 + i for i in range(b.ndim)]
    for i, j in zip(axes1 + batch1, axes2 + batch2):
        of_b[j] = i
    free = [i for i in range(a.ndim) if i not in axes1 + batch1]
    labels = {label: number for number, label in enumerate(sorted(set(range(a.ndim)) | set(of_b)))}
    numbers = lambda all: [labels[label] for label in all]
    out = batch1 + free + [label for label in of_b if label >= 100]
    return np.einsum(a, numbers(range(a.ndim)), b, numbers(of_b), numbers(out))


@op("dot_general")
def _(c):
    a, b = c.x
    axes = [c.a[name] for name in ("axes1", "axes2", "batch1", "batch2")]
    dtype = c.a.get("dtype", c.dtypes[0])
    if a.dtype.kind in "biu":
        return [Result(dot_general(a.astype(NUMPY[dtype]), b.astype(NUMPY[dtype]), *axes), dtype)]
    if dtype in PARTS:
        values = dot_general(a.astype(np.clongdouble), b.astype(np.clongdouble), *axes)
        scale = dot_general(np.abs(a).astype(LONG), np.abs(b).astype(LONG), *axes)
        return [Result(values.astype(NUMPY[dtype]), dtype, c.ulps * ulp(scale, PARTS[dtype]))]
    a, b = a.astype(LONG), b.astype(LONG)
    scale = dot_general(np.abs(a), np.abs(b), *axes)
    return [near(dot_general(a, b, *axes), dtype, c.ulps, scale, step="f32")]
