# pooling.py - functions over windows, by loops
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The attributes are those of PoolingCases.cpp: one number per axis of `axes`."""
import numpy as np

from values import FLOATS, LONG, NUMPY, OPS, PARTS, Result, moved, near, op, ulp


def ends_of(size, a, i):
    """The padding of an axis."""
    window, stride, dilation = a["window"][i], a["strides"][i], a.get("dilation", [1] * 8)[i]
    if a["padding"] != "same":
        return a["padding"][i]
    count = -(-size // stride)
    total = max((count - 1) * stride + (window - 1) * dilation + 1 - size, 0)
    return total // 2, total - total // 2


def places_of(size, a, i):
    """For each window the places of its elements, some of them outside of the axis."""
    window, stride, dilation = a["window"][i], a["strides"][i], a.get("dilation", [1] * 8)[i]
    low, high = ends_of(size, a, i)
    reach = (window - 1) * dilation
    if a.get("ceil"):
        count = -(-(size + low + high - reach - 1) // stride) + 1
        if (count - 1) * stride >= size + low:
            count -= 1
    else:
        count = (size + low + high - reach - 1) // stride + 1
    return [[j * stride - low + k * dilation for k in range(window)] for j in range(count)]


def each_window(x, a, function):
    """function(elements [n, ...], their places [n], number of the window) of each window, the axes in their old order."""
    axes = a["axes"]
    gaps = a.get("x_dilation", [1] * len(axes))
    sizes = [x.shape[axis] for axis in axes]
    places = [places_of((size - 1) * gap + 1, a, i) for i, (size, gap) in enumerate(zip(sizes, gaps))]
    first = np.moveaxis(x, axes, range(len(axes)))
    flat = first.reshape((-1,) + first.shape[len(axes):])
    counts = [len(each) for each in places]
    results = []
    for number in np.ndindex(*counts):
        inside = [[at // gap for at in each[j] if at % gap == 0 and 0 <= at // gap < size]
                  for each, j, size, gap in zip(places, number, sizes, gaps)]
        grid = np.meshgrid(*[np.array(each, int) for each in inside], indexing="ij")
        at = np.ravel_multi_index([each.ravel() for each in grid], sizes) if grid[0].size else np.zeros(0, int)
        results.append(function(flat[at], at, number))
    stacked = np.stack(results).reshape(tuple(counts) + flat.shape[1:])
    return np.moveaxis(stacked, range(len(axes)), axes)


def summed(c, x, weigh=lambda number: 1):
    """Sums of windows, each divided by weigh(number): in long double, and the scale of what was added up."""
    total = each_window(x.astype(LONG), c.a, lambda e, at, number: e.sum(0) / weigh(number))
    scale = each_window(np.abs(x.astype(LONG)), c.a, lambda e, at, number: e.sum(0) / weigh(number))
    return near(total, c.dtypes[0], c.ulps, scale, step="f32")


def lowest(dtype):
    return -np.inf if dtype in FLOATS else np.iinfo(NUMPY[dtype]).min


def highest(dtype):
    return np.inf if dtype in FLOATS else np.iinfo(NUMPY[dtype]).max


@op("reduce_window")
def _(c):
    x, dtype, kind = c.x[0], c.dtypes[0], c.a["reduction"]
    if kind == "max":
        return [Result(each_window(x, c.a, lambda e, at, n: e.max(0, initial=lowest(dtype))), dtype)]
    if kind == "min":
        return [Result(each_window(x, c.a, lambda e, at, n: e.min(0, initial=highest(dtype))), dtype)]
    if dtype not in FLOATS:
        of = np.sum if kind == "sum" else np.prod
        return [Result(each_window(x, c.a, lambda e, at, n: of(e, 0, dtype=x.dtype)), dtype)]
    if kind == "sum":
        return [summed(c, x)]
    return [near(each_window(x.astype(LONG), c.a, lambda e, at, n: e.prod(0)), dtype, c.ulps, step="f32")]


def max_pool(c):
    return Result(each_window(c.x[0], c.a, lambda e, at, n: e.max(0)), c.dtypes[0])


def max_places(c):
    """argmax takes the first NaN."""
    return Result(each_window(c.x[0], c.a, lambda e, at, n: at[e.argmax(0)]), "i64")


def avg_pool(c):
    def count(number):
        product = 1
        for i, axis in enumerate(c.a["axes"]):
            size = c.x[0].shape[axis]
            low, high = ends_of(size, c.a, i)
            begin = number[i] * c.a["strides"][i] - low
            end = min(begin + c.a["window"][i], size + high)
            product *= end - begin if c.a["counts"] else min(end, size) - max(begin, 0)
        return product
    return [summed(c, c.x[0], count)]


def max_unpool(c):
    axes, sizes = c.a["axes"], c.a["sizes"]
    x, indices = c.x[0], np.array(c.a["indices"])
    result = np.zeros([sizes[axes.index(i)] if i in axes else n for i, n in enumerate(x.shape)], x.dtype)
    for place in np.ndindex(*x.shape):
        to = np.unravel_index(indices[place], sizes)
        result[tuple(to[axes.index(i)] if i in axes else j for i, j in enumerate(place))] = x[place]
    return [Result(result, c.dtypes[0])]


def adaptive(c, function):
    """function(elements [n, ...]) of the windows of each output."""
    axes, sizes = c.a["axes"], c.a["sizes"]
    first = np.moveaxis(c.x[0], axes, range(len(axes)))
    results = []
    for number in np.ndindex(*sizes):
        part = first[tuple(slice(i * n // m, -(-(i + 1) * n // m)) for i, n, m in zip(number, first.shape, sizes))]
        results.append(function(part.reshape((-1,) + part.shape[len(axes):])))
    return np.moveaxis(np.stack(results).reshape(tuple(sizes) + first.shape[len(axes):]), range(len(axes)), axes)


def adaptive_avg(c):
    scale = adaptive(c, lambda e: np.abs(e.astype(LONG)).mean(0))
    return [near(adaptive(c, lambda e: e.astype(LONG).mean(0)), c.dtypes[0], c.ulps, scale, step="f32")]


OPS["window_mean"] = avg_pool
for n in (1, 2, 3):
    OPS[f"max_pool{n}d"] = lambda c: [max_pool(c)]
    OPS[f"max_pool{n}d_with_indices"] = lambda c: [max_pool(c), max_places(c)]
    OPS[f"avg_pool{n}d"] = avg_pool
    OPS[f"max_unpool{n}d"] = max_unpool
    OPS[f"adaptive_avg_pool{n}d"] = adaptive_avg
    OPS[f"adaptive_max_pool{n}d"] = lambda c: [Result(adaptive(c, lambda e: e.max(0)), c.dtypes[0])]


@op("local_response_norm")
def _(c):
    x, size = np.moveaxis(c.x[0].astype(LONG), c.a["axis"], 0), c.a["size"]
    result = np.empty_like(x)
    for i in range(len(x)):
        part = x[max(i - size // 2, 0):i + (size - 1) // 2 + 1]
        mean = (part**2).sum(0) / size
        result[i] = x[i] / (c.a["k"] + LONG(c.a["alpha"]) * mean) ** LONG(c.a["beta"])
    return [near(np.moveaxis(result, 0, c.a["axis"]), c.dtypes[0], c.ulps, step="f32")]


moved("sliding_window_view")(lambda c: np.lib.stride_tricks.sliding_window_view(c.x[0], c.a["window"], c.a["axes"]))


def columns(c, sizes):
    """For each element of each window: window, element, row, column."""
    both = [places_of(size, c.a, i) for i, size in enumerate(sizes)]
    for number, (j, i) in enumerate(np.ndindex(len(both[0]), len(both[1]))):
        for element, (row, column) in enumerate((r, q) for r in both[0][j] for q in both[1][i]):
            if 0 <= row < sizes[0] and 0 <= column < sizes[1]:
                yield number, element, row, column


@op("unfold")
def _(c):
    last = c.a["last"]
    x = c.x[0] if last else np.moveaxis(c.x[0], -3, -1)
    *batch, height, width, channels = x.shape
    area = c.a["window"][0] * c.a["window"][1]
    count = len(places_of(height, c.a, 0)) * len(places_of(width, c.a, 1))
    result = np.zeros((*batch, count, area, channels), x.dtype)
    for number, element, row, column in columns(c, (height, width)):
        result[..., number, element, :] = x[..., row, column, :]
    if last:
        return [Result(result.reshape(*batch, count, area * channels), c.dtypes[0])]
    return [Result(np.moveaxis(result, -3, -1).swapaxes(-3, -2).reshape(*batch, channels * area, count), c.dtypes[0])]


@op("fold")
def _(c):
    last, sizes, dtype = c.a["last"], c.a["sizes"], c.dtypes[0]
    area = c.a["window"][0] * c.a["window"][1]
    given = c.x[0] if last else c.x[0].swapaxes(-1, -2)

    def added(x):
        *batch, count, elements = x.shape
        channels = elements // area
        x = x.reshape(*batch, count, area, channels) if last else \
            x.reshape(*batch, count, channels, area).swapaxes(-1, -2)
        result = np.zeros((*batch, *sizes, channels), x.dtype)
        for number, element, row, column in columns(c, sizes):
            result[..., row, column, :] += x[..., number, element, :]
        return result if last else np.moveaxis(result, -1, -3)
    if dtype in FLOATS:
        wide = given.astype(LONG)
        return [near(added(wide), dtype, c.ulps, added(np.abs(wide)), step="f32")]
    if dtype in PARTS:
        scale = added(np.abs(given.astype(np.clongdouble)).astype(LONG))
        return [Result(added(given.astype(np.clongdouble)).astype(NUMPY[dtype]), dtype, c.ulps * ulp(scale, PARTS[dtype]))]
    return [Result(added(given), dtype)]


@op("select_and_scatter")
def _(c):
    """Each window adds its element of the second input at its first extreme element."""
    x, source = c.x
    is_long = c.dtypes[1] in FLOATS
    wide = source.astype(LONG) if is_long else source
    total, size = np.zeros(x.size, wide.dtype), np.zeros(x.size, wide.dtype)

    def add(elements, places, number):
        if len(places):
            nan = np.isnan(elements) if elements.dtype.kind == "f" else np.zeros(len(elements), bool)
            best = np.argmax(nan) if nan.any() else (np.argmin if c.a["select"] == "min" else np.argmax)(elements)
            with np.errstate(all="ignore"):
                total[places[best]] += wide[number]
                size[places[best]] += np.abs(wide[number])
        return np.zeros(())
    each_window(x, c.a, add)
    if not is_long:
        return [Result(total.reshape(x.shape), c.dtypes[1])]
    return [near(total.reshape(x.shape), c.dtypes[1], c.ulps, size.reshape(x.shape), step="f32")]
