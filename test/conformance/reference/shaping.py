# shaping.py - functions of shape and movement, made of other ops
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The attributes are those that differ between the cases of ShapingCases.cpp."""
import functools

import numpy as np

from values import FLOATS, LONG, NUMPY, OPS, PARTS, Result, moved, near, op, rounded, ulp

moved("expand_dims")(lambda c: np.expand_dims(c.x[0], tuple(c.a["axes"])))
moved("squeeze")(lambda c: np.squeeze(c.x[0], tuple(c.a["axes"])))
moved("flip")(lambda c: np.flip(c.x[0], tuple(c.a["axes"])))
moved("moveaxis")(lambda c: np.moveaxis(c.x[0], (0, -1), (2, 0)))
moved("swapaxes")(lambda c: np.swapaxes(c.x[0], 0, -1))
moved("permute_dims")(lambda c: np.permute_dims(c.x[0], (1, 2, 0)))
moved("matrix_transpose")(lambda c: np.matrix_transpose(c.x[0]))
moved("rot90")(lambda c: np.rot90(c.x[0], c.a["k"]))
moved("diagonal")(lambda c: np.diagonal(c.x[0], c.a["offset"]))
moved("ravel")(lambda c: np.ravel(c.x[0]))
moved("flatten")(lambda c: c.x[0].flatten())
moved("atleast_1d")(lambda c: np.atleast_1d(c.x[0]))
moved("atleast_2d")(lambda c: np.atleast_2d(c.x[0]))
moved("atleast_3d")(lambda c: np.atleast_3d(c.x[0]))
moved("concat")(lambda c: np.concat(c.x))
moved("stack")(lambda c: np.stack(c.x, -1))
moved("vstack")(lambda c: np.vstack(c.x))
moved("hstack")(lambda c: np.hstack(c.x))
moved("roll")(lambda c: np.roll(c.x[0], (1, -1), (0, 1)))
moved("repeat")(lambda c: np.repeat(c.x[0], c.a["counts"], c.a["axis"]))
moved("tile")(lambda c: np.tile(c.x[0], (2, 1, 2)))
moved("pad_mode")(lambda c: np.pad(c.x[0], [(1, 0), (0, 2)], c.a["mode"]))
moved("empty_like")(lambda c: np.zeros_like(c.x[0]))
moved("asarray")(lambda c: c.x[0])
moved("tril")(lambda c: np.tril(c.x[0], 1))
moved("triu")(lambda c: np.triu(c.x[0], -1))
moved("diag")(lambda c: np.diag(c.x[0], -1))
moved("compress")(lambda c: np.compress([True, False, True], c.x[0], 1))


def each(c, arrays):
    return [Result(array, dtype) for array, dtype in zip(arrays, c.dtypes)]


OPS["broadcast_arrays"] = lambda c: each(c, np.broadcast_arrays(*c.x))
OPS["meshgrid"] = lambda c: each(c, np.meshgrid(*c.x))
OPS["unstack"] = lambda c: [Result(part, c.dtypes[0]) for part in np.unstack(c.x[0], axis=1)]
OPS["select"] = lambda c: [Result(np.select([x.astype(bool) for x in c.x[:2]], c.x[2:], c.x[2].dtype.type(0)), c.dtypes[2])]
OPS["choose"] = lambda c: [Result(np.choose(c.x[0].astype(np.int32), c.x[1:]), c.dtypes[1])]
OPS["unravel_index"] = lambda c: [Result(part, "i64") for part in np.divmod(c.x[0].astype(np.int64), 3)]
OPS["ravel_multi_index"] = lambda c: [Result(c.x[0].astype(np.int64) * 8 + c.x[1].astype(np.int64), "i64")]


def made(name, function):
    OPS[name] = lambda c: [Result(function().astype(NUMPY[c.dtype]), c.dtype)]


made("empty", lambda: np.zeros((2, 3)))
made("eye", lambda: np.eye(3, 4, 1))
made("identity", lambda: np.identity(3))
made("iota", lambda: np.arange(7))
made("indices", lambda: np.indices((2, 3)))


def spaced(c, function):
    """Of bounds of the dtype; computed in it, or in f32 where it is narrow."""
    dtype = c.dtypes[0] if c.dtypes else c.dtype
    bounds = [x.astype(LONG) for x in c.x] or [LONG(-1), LONG(2)]
    values = function(*bounds)
    scale = np.maximum(np.max(np.abs(values)), max(np.max(np.abs(x)) for x in bounds))
    return [near(values, dtype, c.ulps, scale, step="f32")]


OPS["linspace"] = lambda c: spaced(c, lambda a, b: np.linspace(a, b, 7, endpoint=c.a["endpoint"]))
OPS["logspace"] = lambda c: spaced(c, lambda a, b: LONG(2) ** np.linspace(a, b, 5))
OPS["geomspace"] = lambda c: spaced(c, lambda a, b: np.exp(np.linspace(np.log(a), np.log(b), 5)))


def arithmetic(c, function, scale=None, step=None):
    """Integers in their own dtype, floats in long double; `scale` bounds what was added up. An attribute `dtype` is a
    wider dtype, that of the result."""
    dtype = c.a.get("dtype", c.dtypes[0])
    if dtype in FLOATS:
        x = [x.astype(LONG) for x in c.x]
        return [near(function(*x), dtype, c.ulps, (scale or function)(*[np.abs(each) for each in x]), step=step)]
    if dtype in PARTS:
        values = function(*[x.astype(np.clongdouble) for x in c.x])
        scales = (scale or function)(*[np.abs(x).astype(LONG) for x in c.x])
        return [Result(values.astype(NUMPY[dtype]), dtype, c.ulps * ulp(scales, PARTS[dtype]))]
    return [Result(np.asarray(function(*[x.astype(NUMPY[dtype]) for x in c.x])).astype(NUMPY[dtype]), dtype)]


def computed(name, function, scale=None, step=None):
    OPS[name] = lambda c: arithmetic(c, function, scale, step)


def crossed(a, b, combine=np.subtract):
    a, b = np.broadcast_arrays(a, b)
    return combine(a[..., [1, 2, 0]] * b[..., [2, 0, 1]], a[..., [2, 0, 1]] * b[..., [1, 2, 0]])


computed("matmul", np.matmul, step="f32")
OPS["einsum"] = lambda c: arithmetic(c, lambda *x: np.einsum(c.a["equation"], *x), step="f32")
computed("multi_dot", lambda *x: functools.reduce(np.matmul, x), step="f32")
computed("matvec", lambda a, b: np.einsum("...ij,...j->...i", a, b), step="f32")
computed("vecmat", lambda a, b: np.einsum("...i,...ij->...j", np.conj(a) if a.dtype.kind == "c" else a, b), step="f32")
computed("tensordot", lambda a, b: np.tensordot(a, b, ((2, 1), (0, 1))), step="f32")
computed("vecdot", lambda a, b: np.sum((np.conj(a) if a.dtype.kind == "c" else a) * b, -1), step="f32")
computed("outer", np.outer)
computed("inner", np.inner, step="f32")
computed("dot", np.dot, step="f32")
computed("kron", np.kron)
computed("cross", crossed, lambda a, b: crossed(a, b, np.add))


@op("trace")
def _(c):
    total = np.diagonal(c.x[0], 1)
    if c.dtypes[0] in FLOATS or c.dtypes[0] in PARTS:
        return arithmetic(c, lambda x: np.sum(np.diagonal(x, 1)))
    dtype = {"bool": "i32", "u8": "u32"}.get(c.dtypes[0], c.dtypes[0])
    return [Result(np.sum(total.astype(NUMPY[dtype]), dtype=NUMPY[dtype]), dtype)]


@moved("put_along_axis")
def _(c):
    out = np.array(c.x[0])
    values = np.broadcast_to(c.x[2], c.x[1].shape)
    for row, column in np.ndindex(*c.x[1].shape):  # in their order: NumPy does not say which one stays
        out[row, c.x[1][row, column]] = values[row, column]
    return out


def segments(name, start, combine):
    @op(name)
    def _(c):
        data, ids = c.x
        dtype = c.dtypes[0]
        out = np.full((5,) + data.shape[1:], start(data), data.dtype)
        for part, number in zip(data, ids):
            if 0 <= number < 5:
                out[number] = rounded(combine(out[number], part), dtype) if dtype in FLOATS else combine(out[number], part)
        tolerance = None
        if dtype in PARTS:
            tolerance = np.full(out.shape, 1e-4)
        return [Result(out, dtype, tolerance)]


def lowest(x):
    return -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min if x.dtype.kind in "iu" else False


def highest(x):
    return np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).max if x.dtype.kind in "iu" else True


segments("segment_sum", lambda x: 0, np.add)
segments("segment_prod", lambda x: 1, np.multiply)
segments("segment_max", lowest, np.maximum)
segments("segment_min", highest, np.minimum)


@op("polyval")
def _(c):
    if c.dtypes[0] in FLOATS or c.dtypes[0] in PARTS:
        return arithmetic(c, np.polyval)
    with np.errstate(all="ignore"):
        return [Result(c.x[0][0] * c.x[1] * c.x[1] + c.x[0][1] * c.x[1] + c.x[0][2], c.dtypes[0])]


def floating(name, function, scale):
    """A float's function whose steps are rounded to its dtype; `scale` bounds them."""
    @op(name)
    def _(c):
        x = [x.astype(LONG) for x in c.x]
        values = function(*x)
        scales = [scale(*x)] * (len(values) if isinstance(values, list) else 1)
        values = values if isinstance(values, list) else [values]
        return [near(value, c.dtypes[0], c.ulps, np.broadcast_to(size, np.shape(value))) for value, size in zip(values, scales)]


def interpolated(x, heights):
    points = np.array([-0.625, 0.1875, 0.8125], LONG)
    at = np.clip(np.searchsorted(points, x, side="right") - 1, 0, 1)
    inside = heights[at] + (x - points[at]) * (heights[at + 1] - heights[at]) / (points[at + 1] - points[at])
    return np.where(x < points[0], heights[0], np.where(x >= points[2], heights[2], inside))


def covariances(x):
    centered = x - np.mean(x, -1, keepdims=True)
    return centered @ centered.T / (x.shape[1] - 1)


def correlations(x):
    all = covariances(x)
    return all / np.sqrt(np.outer(np.diag(all), np.diag(all)))


largest = lambda *x: max(1, *[np.max(np.abs(each)) ** 2 for each in x])
floating("interp", interpolated, largest)
floating("gradient", lambda x: list(np.gradient(x, LONG(0.5))), largest)
floating("trapezoid", lambda y, x: np.sum((x[1:] - x[:-1]) * (y[..., 1:] + y[..., :-1]) / 2, -1), largest)
@op("cumulative_trapezoid")
def _(c):
    y, x = c.long(0), c.long(1)
    values = np.cumsum((x[1:] - x[:-1]) * (y[..., 1:] + y[..., :-1]) / 2, -1)
    if "initial" in c.a:
        values = np.concatenate([np.full((*values.shape[:-1], 1), c.a["initial"], LONG), values], -1)
    return [near(values, c.dtypes[0], c.ulps, np.broadcast_to(largest(y, x), values.shape))]


floating("cov", covariances, largest)
floating("corrcoef", correlations, lambda x: 1)
floating("global_norm", lambda a, b: np.sqrt(np.sum(a * a) + np.sum(b * b)), largest)
floating("clip_by_norm", lambda x: x * (LONG(0.75) / np.sqrt(np.sum(x * x))), lambda x: 1)
