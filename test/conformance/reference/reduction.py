# reduction.py - sums in the order of the contract, maxima, softmax
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math

import numpy as np

from values import LONG, NUMPY, OPS, Result, near, op, rounded


def sum_group(x, is_innermost):
    """Sums the middle axis of [outer, group, inner] by Tenon's tree."""
    kind = x.dtype.type
    length = x.shape[1]
    if length == 0:
        return np.zeros((x.shape[0], x.shape[2]), kind)
    blocks = []
    size = 4096 if is_innermost else 256
    for start in range(0, length, size):
        block = x[:, start:start + size]
        lanes = 16 if is_innermost else 1
        rest = -block.shape[1] % lanes
        if rest:
            block = np.concatenate([block, np.full((x.shape[0], rest, x.shape[2]), -0.0, kind)], 1)
        block = block.reshape(x.shape[0], block.shape[1] // lanes, lanes, x.shape[2])
        total = np.full((x.shape[0], lanes, x.shape[2]), -0.0, kind)
        for i in range(block.shape[1]):
            total = total + block[:, i]
        while total.shape[1] > 1:
            half = total.shape[1] // 2
            total = total[:, :half] + total[:, half:]
        blocks.append(total[:, 0])
    while len(blocks) > 1:
        blocks = [blocks[i] + blocks[i + 1] if i + 1 < len(blocks) else blocks[i] for i in range(0, len(blocks), 2)]
    return blocks[0]


def sum_tree(x, axes):
    """Floating sum over `axes`, kept: maximal runs of neighbouring axes, the innermost first. Axes of size 1 do not
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
    for group in reversed(groups):
        first, last = group[0], group[-1] + 1
        outer, inner = math.prod(x.shape[:first]), math.prod(x.shape[last:])
        flat = x.reshape(outer, math.prod(x.shape[first:last]), inner)
        kept = list(x.shape[:first]) + [1] * len(group) + list(x.shape[last:])
        x = sum_group(flat, last == x.ndim).reshape(kept)
    return x.reshape(shape)


def total(x, dtype, axes, keepdims):
    """The sum and its dtype, before the one rounding of bf16."""
    axes = tuple(axes)
    if x.dtype.kind in "biu":
        out = {"bool": "i32", "i8": "i32", "i16": "i32", "u8": "u32", "u16": "u32"}.get(dtype, dtype)
        return np.sum(x.astype(NUMPY[out]), axis=axes, keepdims=keepdims, dtype=NUMPY[out]), out
    if dtype == "long":
        return np.sum(x, axis=axes, keepdims=keepdims), dtype
    if not axes:
        return x, dtype
    out = sum_tree(x, axes)
    return (out if keepdims else out.reshape([n for i, n in enumerate(x.shape) if i not in axes])), dtype


@op("sum")
def _(c):
    values, dtype = total(c.x[0], c.dtypes[0], c.a["axes"], c.a["keepdims"])
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


@op("max")
def _(c):
    x, axes = c.x[0], tuple(c.a["axes"])
    values = np.max(x, axis=axes, keepdims=True)
    if x.dtype.kind == "f":
        positive = np.any((x == 0) & ~np.signbit(x), axis=axes, keepdims=True)
        values = np.where(values == 0, np.where(positive, x.dtype.type(0.0), x.dtype.type(-0.0)), values)
    kept = values.shape
    return [Result(values if c.a["keepdims"] else values.reshape([n for i, n in enumerate(kept) if i not in axes]),
                   c.dtypes[0])]


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
