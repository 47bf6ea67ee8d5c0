# cumulative.py - running sums and their kin in the order of the contract
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from values import LONG, NUMPY, OPS, Result, near


def running(x, axis, combine):
    """In index order inside of blocks of 4,096, after what the blocks before them make."""
    x = np.moveaxis(x, axis, 0)
    out = np.empty_like(x)
    before = None
    for start in range(0, len(x), 4096):
        block = combine.accumulate(x[start:start + 4096], axis=0, dtype=x.dtype)
        last = block[-1]
        out[start:start + 4096] = block if before is None else combine(before, block)
        before = last if before is None else combine(before, last)
    return np.moveaxis(out, 0, axis)


def wide(combine):
    def compute(c):
        dtype = {"bool": "i32", "i8": "i32", "i16": "i32", "u8": "u32", "u16": "u32"}.get(c.dtypes[0], c.dtypes[0])
        return c.exact(running(c.x[0].astype(NUMPY[dtype]), c.a["axis"], combine), dtype)
    return compute


OPS["cumulative_sum"] = wide(np.add)
OPS["cumulative_prod"] = wide(np.multiply)


def extremum(combine, sign):
    """`sign` says which of two zeros wins."""
    def compute(c):
        x, axis = c.x[0], c.a["axis"]
        values = combine.accumulate(x, axis=axis)
        if x.dtype.kind == "f":
            wins = np.logical_or.accumulate((x == 0) & (np.signbit(x) == sign), axis=axis)
            values = np.where(values == 0, np.where(wins == sign, x.dtype.type(-0.0), x.dtype.type(0.0)), values)
        return [Result(values, c.dtypes[0])]
    return compute


OPS["cumulative_max"] = extremum(np.maximum, False)
OPS["cumulative_min"] = extremum(np.minimum, True)


def logsumexp(c):
    """Each step's error is of its result, and of what was there before."""
    values = np.logaddexp.accumulate(c.long(), axis=c.a["axis"])
    if c.dtypes[0] == "long":
        return [Result(values, "long")]
    size = np.maximum.accumulate(np.maximum(np.abs(c.long()), np.where(np.isfinite(values), np.abs(values), 1)), axis=c.a["axis"])
    steps = np.sqrt(LONG(c.x[0].shape[c.a["axis"]] + 1))
    return [near(values, c.dtypes[0], c.ulps * steps, np.where(np.isfinite(size), size, 1), "f32")]


OPS["cumulative_logsumexp"] = logsumexp


def recurrence(c):
    """Of the sum of all running products: of each element the product of the others of each that it is part of."""
    x = np.moveaxis(c.long(), c.a["axis"], 0)
    slopes, sizes = np.zeros_like(x), np.zeros_like(x)
    for j in range(len(x)):
        others = x.copy()
        others[j] = 1
        products = np.multiply.accumulate(others, axis=0)[j:]
        slopes[j], sizes[j] = products.sum(axis=0), np.abs(products).sum(axis=0)
    values, size = np.moveaxis(slopes, 0, c.a["axis"]), np.moveaxis(sizes, 0, c.a["axis"])
    return [near(values, c.dtypes[0], 4 + x.shape[0] if c.dtypes[0] != "long" else 0, size, "f32")]


OPS["linear_recurrence"] = recurrence
