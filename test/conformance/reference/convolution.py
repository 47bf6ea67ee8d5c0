# convolution.py - convolutions and reductions of windows, a tap at a time
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import itertools

import numpy as np

from values import LONG, NUMPY, PARTS, Result, near, op, rounded, ulp


def gathered(x, axes, windows, strides, low, x_dilation, dilation):
    """For each combination of taps: x at the windows' places along `axes`, and which of them lie on elements.

    Yields (tap, elements, mask over the windows' axes); elements outside are those at place 0."""
    for tap in itertools.product(*(range(size) for size, _ in windows)):
        elements, mask = x, np.ones((), bool)
        for i, axis in enumerate(axes):
            count = windows[i][1]
            places = np.arange(count) * strides[i] - low[i] + tap[i] * dilation[i]
            inside = (places >= 0) & (places % x_dilation[i] == 0) & (places // x_dilation[i] < x.shape[axis])
            if x.shape[axis] == 0:
                elements = np.zeros(elements.shape[:axis] + (count,) + elements.shape[axis + 1:], x.dtype)
            else:
                elements = np.take(elements, np.where(inside, places // x_dilation[i], 0), axis)
            mask = np.multiply.outer(mask, inside)
        yield tap, elements, mask


def counts(sizes, window, strides, low, high, x_dilation, dilation):
    """(size, number of windows) of each axis."""
    result = []
    for i, size in enumerate(sizes):
        padded = max((size - 1) * x_dilation[i] + 1 if size else 0, 0) + low[i] + high[i]
        result.append((window[i], (padded - (window[i] - 1) * dilation[i] - 1) // strides[i] + 1))
    return result


def convolved(x, kernel, a):
    """x [batch, spatial..., channels], kernel [spatial..., in, channels]."""
    spatial = x.ndim - 2
    lists = [a[name] for name in ("strides", "low", "high", "x_dilation", "dilation")]
    strides, low, high, x_dilation, dilation = lists
    windows = counts(x.shape[1:-1], kernel.shape[:spatial], *lists)
    groups = a["groups"]
    out = kernel.shape[-1]
    y = np.zeros((x.shape[0], *(count for _, count in windows), out), x.dtype)
    for tap, elements, mask in gathered(x, range(1, spatial + 1), windows, strides, low, x_dilation, dilation):
        elements = np.where(mask[None, ..., None], elements, 0)
        for g in range(groups):
            ins = slice(g * kernel.shape[-2], (g + 1) * kernel.shape[-2])
            outs = slice(g * (out // groups), (g + 1) * (out // groups))
            y[..., outs] += elements[..., ins] @ kernel[tap][:, outs]
    return y


def sums(c, function):
    """`function` of both operands, with the tolerance of a sum of products."""
    a, b = c.x
    if a.dtype.kind in "iu":
        return [Result(function(a.astype(np.int64), b.astype(np.int64)).astype(a.dtype), c.dtypes[0])]
    if c.dtypes[0] in PARTS:
        values = function(a.astype(np.clongdouble), b.astype(np.clongdouble))
        scale = function(np.abs(a).astype(LONG), np.abs(b).astype(LONG))
        return [Result(values.astype(NUMPY[c.dtypes[0]]), c.dtypes[0], c.ulps * ulp(scale, PARTS[c.dtypes[0]]))]
    a, b = a.astype(LONG), b.astype(LONG)
    return [near(function(a, b), c.dtypes[0], c.ulps, function(np.abs(a), np.abs(b)), step="f32")]


@op("convolution", "conv_general", "conv1d", "conv2d", "conv3d")
def _(c):
    return sums(c, lambda x, kernel: convolved(x, kernel, c.a))


@op("conv_transpose1d", "conv_transpose2d", "conv_transpose3d")
def _(c):
    def transposed(x, kernel):
        spatial = tuple(range(x.ndim - 2))
        return convolved(x, np.swapaxes(np.flip(kernel, spatial), -1, -2), c.a)

    return sums(c, transposed)


def correlated(a, b, mode):
    """NumPy's correlate in any number of dimensions, by its definition."""
    full = np.zeros([n + m - 1 for n, m in zip(a.shape, b.shape)], np.result_type(a, b))
    for places in np.ndindex(*b.shape):
        at = tuple(slice(m - 1 - p, m - 1 - p + n) for p, n, m in zip(places, a.shape, b.shape))
        full[at] += a * np.conj(b[places])
    parts = []
    for n, m in zip(a.shape, b.shape):
        reach = min(n, m) - 1
        start = reach // 2 if n >= m else reach - reach // 2
        parts.append({"full": slice(None), "same": slice(start, start + max(n, m)),
                      "valid": slice(reach, reach + abs(n - m) + 1)}[mode])
    return full[tuple(parts)]


def convolved_arrays(a, b, mode):
    """NumPy's convolve in any number of dimensions."""
    full = np.zeros([n + m - 1 for n, m in zip(a.shape, b.shape)], np.result_type(a, b))
    for places in np.ndindex(*b.shape):
        full[tuple(slice(p, p + n) for p, n in zip(places, a.shape))] += a * b[places]
    parts = []
    for n, m in zip(a.shape, b.shape):
        reach = min(n, m) - 1
        parts.append({"full": slice(None), "same": slice(reach // 2, reach // 2 + max(n, m)),
                      "valid": slice(reach, reach + abs(n - m) + 1)}[mode])
    return full[tuple(parts)]


@op("convolve")
def _(c):
    return sums(c, lambda a, b: convolved_arrays(a, b, c.a["mode"]))


@op("correlate")
def _(c):
    return sums(c, lambda a, b: correlated(a, b, c.a["mode"]))


def reduced(x, a, dtype, function, start):
    lists = [a[name] for name in ("strides", "low", "high", "x_dilation", "dilation")]
    strides, low, _, x_dilation, dilation = lists
    windows = counts(x.shape, a["window"], *lists)
    y = np.full([count for _, count in windows], start, x.dtype)
    seen = np.zeros(y.shape, bool)
    with np.errstate(all="ignore"):
        for _, elements, mask in gathered(x, range(x.ndim), windows, strides, low, x_dilation, dilation):
            y = np.where(mask, np.where(seen, function(y, elements), elements), y)
            seen = seen | mask
    return y


@op("window_sum")
def _(c):
    x = c.x[0]
    if x.dtype.kind in "iu":
        return [Result(reduced(x, c.a, c.dtypes[0], np.add, 0), c.dtypes[0])]
    if c.dtypes[0] in PARTS:
        wide = x.astype(np.clongdouble)
        scale = reduced(np.abs(wide), c.a, None, np.add, 0)
        return [Result(reduced(wide, c.a, None, np.add, 0).astype(NUMPY[c.dtypes[0]]), c.dtypes[0],
                       c.ulps * ulp(scale, PARTS[c.dtypes[0]]))]
    wide = x.astype(LONG)
    with np.errstate(all="ignore"):
        scale = reduced(np.abs(np.where(np.isfinite(wide), wide, 0)), c.a, None, np.add, 0)
    return [near(reduced(wide, c.a, None, np.add, 0), c.dtypes[0], c.ulps, scale, step="f32")]


def least(dtype, sign):
    if NUMPY[dtype] in (np.float32, np.float64):
        return sign * np.inf
    info = np.iinfo(NUMPY[dtype])
    return info.max if sign > 0 else info.min


def extreme(function, sign):
    def of(x, y):
        # -0 is below +0.
        with np.errstate(all="ignore"):
            picked = function(x, y)
            if x.dtype.kind == "f":
                zeros = (x == 0) & (y == 0)
                negative = (np.signbit(x) | np.signbit(y)) if sign > 0 else (np.signbit(x) & np.signbit(y))
                picked = np.where(zeros, np.where(negative, -0.0, 0.0), picked).astype(x.dtype)
        return picked

    return of


@op("window_max")
def _(c):
    dtype = c.dtypes[0]
    start = -np.inf if dtype == "long" else least(dtype, -1)
    return [Result(reduced(c.x[0], c.a, dtype, extreme(np.maximum, -1), start), dtype)]


@op("window_min")
def _(c):
    dtype = c.dtypes[0]
    start = np.inf if dtype == "long" else least(dtype, 1)
    return [Result(reduced(c.x[0], c.a, dtype, extreme(np.minimum, 1), start), dtype)]


@op("window_argmax")
def _(c):
    """Of windows of 2 (or, of one channel, 3) elements along axis 1, padded by 1: places along that axis."""
    x = c.x[0]
    window = 3 if x.shape[2] == 1 else 2
    places = np.zeros((x.shape[0], x.shape[1] + 3 - window, x.shape[2]), np.int64)
    for i in np.ndindex(*places.shape):
        best = None
        for at in range(i[1] - 1, i[1] - 1 + window):
            if not 0 <= at < x.shape[1]:
                continue
            value, kept = x[i[0], at, i[2]], None if best is None else x[i[0], best, i[2]]
            if best is None or value > kept or (value != value and kept == kept):
                best = at
        places[i] = best
    return [Result(places, "i64")]
