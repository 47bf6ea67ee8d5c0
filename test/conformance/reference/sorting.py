# sorting.py - sorts by ranks, and what they find
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from values import OPS, Result, moved, op


def ranks(x, descending):
    """Integers in the order of the elements; NaN last."""
    if np.iscomplexobj(x):  # by the real part, then the imaginary one, each with NaN behind: NumPy's own order
        order = np.argsort(x.ravel(), kind="stable")
        ranks = np.empty(x.size, np.int64)
        level = 0
        flat = x.ravel()
        for place, at in enumerate(order):
            if place:
                a, b = flat[order[place - 1]], flat[at]
                same = all(p == q or (p != p and q != q) for p, q in ((a.real, b.real), (a.imag, b.imag)))
                # Where a part is NaN, NumPy compares the other one, and equal ones stay in order.
                level += not same
            ranks[at] = level
        ranks = ranks.reshape(x.shape)
        return -ranks if descending else ranks
    values = x.astype(np.int64) if x.dtype == np.bool_ else x
    ranks = np.unique(np.where(values != values, 0, values), return_inverse=True)[1].reshape(x.shape).astype(np.int64)
    ranks = -ranks if descending else ranks
    return np.where(values != values, x.size + 1, ranks)


def order(keys, axis, descending):
    """Stable, by the first key, then the second and so on."""
    return np.lexsort([ranks(key, descending) for key in reversed(keys)], axis=axis)


@moved("sort")
def _(c):
    return np.take_along_axis(c.x[0], order(c.x[:1], c.a["axis"], c.a["descending"]), c.a["axis"])


@op("argsort")
def _(c):
    return [Result(order(c.x[:1], c.a["axis"], c.a["descending"]).astype(np.int64), "i64")]


@op("sort_keys")
def _(c):
    places = order(c.x[:c.a["keys"]], c.a["axis"], c.a["descending"])
    return [Result(np.take_along_axis(x, places, c.a["axis"]), dtype) for x, dtype in zip(c.x, c.dtypes)]


@op("lexsort")
def _(c):
    return [Result(order(c.x[::-1], c.a["axis"], False).astype(np.int64), "i64")]


@moved("take")
def _(c):
    axis, mode = c.a["axis"], c.a.get("mode")
    if not mode:
        return np.take(c.x[0], c.x[1], axis=axis)
    places, size = c.x[1] * 2 - 3, c.x[0].shape[axis]
    taken = np.take(c.x[0], places, axis=axis, mode="wrap" if mode == "wrap" else "clip")
    return np.where((places >= 0) & (places < size), taken, taken.dtype.type(0)) if mode == "drop" else taken


@moved("take_along_axis")
def _(c):
    return np.take_along_axis(c.x[0], c.x[1], c.a["axis"])


def padded(values, size, fill):
    values = np.asarray(values)[:size]
    return np.concatenate([values, np.full(size - len(values), fill, values.dtype)])


@op("flatnonzero")
def _(c):
    return [Result(padded(np.flatnonzero(c.x[0]), c.a["size"], c.a["fill"]), "i64")]


@op("nonzero")
def _(c):
    return [Result(padded(places, c.a["size"], c.a["fill"]), "i64") for places in np.nonzero(c.x[0])]


@op("argwhere")
def _(c):
    return [Result(np.stack([padded(places, c.a["size"], c.a["fill"]) for places in np.nonzero(c.x[0])], 1), "i64")]


def unique(names):
    def compute(c):
        size, dtype = c.a["size"], c.dtypes[0]
        values, indices, inverse, counts = np.unique(c.x[0], True, True, True, equal_nan=False)
        found = {"values": Result(padded(values, size, values[0]), dtype),
                 "indices": Result(padded(indices, size, indices[0]), "i64"),
                 "inverse": Result(inverse.reshape(c.x[0].shape), "i64"),
                 "counts": Result(padded(counts, size, 0), "i64")}
        return [found[name] for name in names]
    return compute


OPS["unique_values"] = unique(["values"])
OPS["unique_counts"] = unique(["values", "counts"])
OPS["unique_inverse"] = unique(["values", "inverse"])
OPS["unique_all"] = unique(["values", "indices", "inverse", "counts"])


@op("unique")
def _(c):
    axis, size, x = c.a["axis"], c.a["size"], c.x[0]
    if axis is None:
        return OPS["unique_all"](c)
    values, indices, inverse, counts = np.unique(x, True, True, True, axis=axis)
    more = [values] + [np.take(values, [0], axis)] * max(size - len(counts), 0)
    values = np.take(np.concatenate(more, axis), np.arange(size), axis)
    return [Result(values, c.dtypes[0]), Result(padded(indices, size, indices[0]), "i64"),
            Result(inverse.reshape(-1), "i64"), Result(padded(counts, size, 0), "i64")]
