# reduction.py - sums in the order of the contract, maxima, softmax
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math

import numpy as np

from values import LONG, NUMPY, OPS, Result, near, op, rounded


def group(x, is_innermost, combine, neutral, nothing):
    """Combines the middle axis of [outer, group, inner] by Tenon's tree."""
    kind = x.dtype.type
    length = x.shape[1]
    if length == 0:
        return np.full((x.shape[0], x.shape[2]), nothing, kind)
    blocks = []
    size = 4096 if is_innermost else 256
    for start in range(0, length, size):
        block = x[:, start:start + size]
        lanes = 16 if is_innermost else 1
        rest = -block.shape[1] % lanes
        if rest:
            block = np.concatenate([block, np.full((x.shape[0], rest, x.shape[2]), neutral, kind)], 1)
        block = block.reshape(x.shape[0], block.shape[1] // lanes, lanes, x.shape[2])
        total = np.full((x.shape[0], lanes, x.shape[2]), neutral, kind)
        for i in range(block.shape[1]):
            total = combine(total, block[:, i])
        while total.shape[1] > 1:
            half = total.shape[1] // 2
            total = combine(total[:, :half], total[:, half:])
        blocks.append(total[:, 0])
    while len(blocks) > 1:
        blocks = [combine(*blocks[i:i + 2]) if i + 1 < len(blocks) else blocks[i] for i in range(0, len(blocks), 2)]
    return blocks[0]


# What floats are combined with, what accumulators start at, and the result over no elements.
SUM = (np.add, -0.0, 0.0)
PRODUCT = (np.multiply, 1.0, 1.0)


def tree(x, axes, reduction):
    """Floating sum or product over `axes`, kept: maximal runs of neighbouring axes, the innermost first. Axes of size 1 do not
    count."""
    axes = sorted(axis % x.ndim for axis in axes)
    shape = [1 if i in axes else n for i, n in enumerate(x.shape)]
    counted = [i for i, n in enumerate(x.shape) if n != 1]
    axes = [counted.index(axis) for axis in axes if axis in counted]
    x = x.reshape([x.shape[i] for i in counted])
    groups = []
    for axis in axes:
        if groups and groups[-1][-1] + 1 == axis:
            groups[-1].append(axis)
        else:
            groups.append([axis])
    for run in reversed(groups):
        first, last = run[0], run[-1] + 1
        outer, inner = math.prod(x.shape[:first]), math.prod(x.shape[last:])
        flat = x.reshape(outer, math.prod(x.shape[first:last]), inner)
        kept = list(x.shape[:first]) + [1] * len(run) + list(x.shape[last:])
        x = group(flat, last == x.ndim, *reduction).reshape(kept)
    return x.reshape(shape)


def total(x, dtype, axes, keepdims, reduction=SUM):
    """The sum or product and its dtype, before the one rounding of narrow floats."""
    combine = reduction[0].reduce
    axes = tuple(axes)
    if x.dtype.kind in "biu":
        out = {"bool": "i32", "i8": "i32", "i16": "i32", "u8": "u32", "u16": "u32"}.get(dtype, dtype)
        return combine(x.astype(NUMPY[out]), axis=axes, keepdims=keepdims, dtype=NUMPY[out]), out
    if dtype == "long":
        return combine(x, axis=axes, keepdims=keepdims), dtype
    if not axes:
        return x, dtype
    out = tree(x, axes, reduction)
    return (out if keepdims else out.reshape([n for i, n in enumerate(x.shape) if i not in axes])), dtype


@op("sum")
def _(c):
    values, dtype = total(c.x[0], c.dtypes[0], c.a["axes"], c.a["keepdims"])
    return c.exact(values, dtype)


@op("mapped_reduction")
def _(c):
    x, dtype = c.x[0], c.dtypes[0]
    if c.a["function"] != "sum":
        extreme = np.max if c.a["function"] == "max" else np.min
        return [Result(np.broadcast_to(extreme(x, 0), x.shape), dtype)]
    values, dtype = total(x, dtype, [0], True)
    return c.exact(np.broadcast_to(values, x.shape), dtype)


@op("prod")
def _(c):
    values, dtype = total(c.x[0], c.dtypes[0], c.a["axes"], c.a["keepdims"], PRODUCT)
    return c.exact(values, dtype)


@op("mean")
def _(c):
    x, dtype, axes = c.x[0], c.dtypes[0], c.a["axes"]
    count = math.prod(x.shape[axis] for axis in axes)
    values, _ = total(x, dtype, axes, c.a["keepdims"])
    if dtype == "long":
        return [Result(values / LONG(count), dtype)]
    values = rounded(values, dtype)
    return [near((values.astype(LONG) / LONG(count)), dtype, c.ulps)]


def extremum(c, extreme, sign):
    """`sign` says which of two zeros wins: the one whose sign bit is that."""
    x, axes = c.x[0], tuple(c.a["axes"])
    values = extreme(x, axis=axes, keepdims=True)
    if x.dtype.kind == "f":
        wins = np.any((x == 0) & (np.signbit(x) == sign), axis=axes, keepdims=True)
        values = np.where(values == 0, np.where(wins == sign, x.dtype.type(-0.0), x.dtype.type(0.0)), values)
    kept = values.shape
    return [Result(values if c.a["keepdims"] else values.reshape([n for i, n in enumerate(kept) if i not in axes]),
                   c.dtypes[0])]


OPS["max"] = lambda c: extremum(c, np.max, False)
OPS["min"] = lambda c: extremum(c, np.min, True)


for name, quantifier in {"any": np.any, "all": np.all}.items():
    OPS[name] = lambda c, quantifier=quantifier: [
        Result(quantifier(c.x[0] != 0, axis=tuple(c.a["axes"]), keepdims=c.a["keepdims"]), "bool")]


@op("argmax")
def _(c):
    if c.a["axis"] is None:
        values = np.argmax(c.x[0].reshape(-1))
        return [Result(np.asarray(values).reshape([1] * c.x[0].ndim if c.a["keepdims"] else []), "i64")]
    return [Result(np.argmax(c.x[0], axis=c.a["axis"], keepdims=c.a["keepdims"]), "i64")]


def shifted(c):
    x = c.long()
    if x.size == 0:
        return x, x, x
    largest = np.max(x, axis=c.a["axis"], keepdims=True)
    return x, largest, x - largest


@op("softmax")
def _(c):
    _, _, shift = shifted(c)
    weights = np.exp(shift)
    return [near(weights / np.sum(weights, axis=c.a["axis"], keepdims=True), c.dtypes[0], c.ulps)]


@op("log_softmax")
def _(c):
    x, largest, shift = shifted(c)
    rest = np.log(np.sum(np.exp(shift), axis=c.a["axis"], keepdims=True))
    return [near(shift - rest, c.dtypes[0], c.ulps, np.abs(x) + np.abs(largest) + np.abs(rest))]


def rows(c):
    """x less its mean, the deviation, what x is made of beside it, and the shape of the parameters beside x."""
    x, axes = c.long(0), tuple(c.a["axes"])
    mean = np.mean(x, axis=axes, keepdims=True)
    distance = x - mean
    deviation = np.sqrt(np.mean(distance * distance, axis=axes, keepdims=True) + LONG(c.a["epsilon"]))
    shape = [n if axis in axes else 1 for axis, n in enumerate(x.shape)]
    return distance, deviation, np.abs(x) + np.abs(mean), shape


@op("layer_norm")
def _(c):
    distance, deviation, size, shape = rows(c)
    scale, offset = c.long(1).reshape(shape), c.long(2).reshape(shape)
    return [near(distance / deviation * scale + offset, c.dtypes[0], c.ulps,
                 size / deviation * np.abs(scale) + np.abs(offset))]


@op("layer_norm_gradient")
def _(c):
    distance, deviation, size, shape = rows(c)
    axes = tuple(c.a["axes"])
    scaled = c.long(1).reshape(shape) * c.long(2)

    def mean(values):
        return np.mean(values, axis=axes, keepdims=True)
    normalized, size = distance / deviation, size / deviation
    return [near((scaled - mean(scaled) - normalized * mean(scaled * normalized)) / deviation, c.dtypes[0], c.ulps,
                 (np.abs(scaled) + mean(np.abs(scaled)) + size * mean(np.abs(scaled) * size)) / deviation)]
