# indexing.py - elements at places that arrays say, one after another
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""As the specification of StableHLO has gather and scatter: an element at a time."""
import numpy as np

from values import NARROW, Result, moved, op, rounded


def windows(c, shape, windowed):
    """Of each element of the windowed array its place, and that in x, or None."""
    a, indices = c.a, c.x[1].astype(object) + c.a.get("add", 0)
    offset = a["offset"]
    batch_axes = [d for d in range(len(windowed)) if d not in offset]
    window_axes = [d for d in range(len(shape)) if d not in a["collapsed"] and d not in a["batching"]]
    for place in np.ndindex(*windowed):
        batch = [place[d] for d in batch_axes]
        at = [0] * len(shape)
        for d, i in zip(a["batching"], a["indices_batching"]):
            at[d] = batch[i]
        inside = True
        for component, d in enumerate(a["map"]):
            start = indices[tuple(batch) + (component,)]
            if a["mode"] == "clip":
                start = min(max(start, 0), shape[d] - a["sizes"][d])
            elif a["mode"] == "error" and start < 0:
                start += shape[d]
            at[d] = start
        for d, o in zip(window_axes, offset):
            at[d] += place[o]
        inside = all(0 <= i < n for i, n in zip(at, shape))
        yield place, tuple(at) if inside else None


@moved("gather")
def _(c):
    x, a = c.x[0], c.a
    windowed = [0] * (c.x[1].ndim - 1 + len(a["offset"]))
    kept = [a["sizes"][d] for d in range(x.ndim) if d not in a["collapsed"] and d not in a["batching"]]
    batch = iter(c.x[1].shape[:-1])
    for d in range(len(windowed)):
        windowed[d] = kept[a["offset"].index(d)] if d in a["offset"] else next(batch)
    out = np.full(windowed, a.get("fill_value", 0), x.dtype)
    for place, at in windows(c, x.shape, windowed):
        if at is not None:
            out[place] = x[at]
    return out


def scattered(name, combine):
    @op(name)
    def _(c):
        out = np.array(c.x[0])
        for place, at in windows(c, out.shape, c.x[2].shape):
            if at is not None:
                with np.errstate(all="ignore"):
                    out[at] = combine(out[at], c.x[2][place])
        # Narrow floats are f32 until all updates are done.
        return [Result(rounded(out, c.dtypes[0]) if c.dtypes[0] in NARROW else out, c.dtypes[0])]


def multiplied(a, b):
    if not np.iscomplexobj(a):
        return a * b
    # NumPy's own may fuse.
    return type(a)(complex(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real))


def smaller(a, b):
    if a != a or b != b:
        return a if a != a else b
    if a == b:
        return a if np.signbit(np.asarray(a).astype(np.float64)) else b
    return min(a, b)


def larger(a, b):
    if a != a or b != b:
        return a if a != a else b
    if a == b:
        return b if np.signbit(np.asarray(a).astype(np.float64)) else a
    return max(a, b)


scattered("scatter", lambda a, b: b)
scattered("scatter_add", lambda a, b: a + b)
scattered("scatter_mul", multiplied)
scattered("scatter_min", smaller)
scattered("scatter_max", larger)


def part(shape, starts, added, sizes):
    starts = [min(max(int(s) + n, 0), dim - size) for s, n, dim, size in zip(starts, added, shape, sizes)]
    return tuple(slice(start, start + size) for start, size in zip(starts, sizes))


@moved("dynamic_slice")
def _(c):
    return c.x[0][part(c.x[0].shape, c.x[1:], c.a["add"], c.a["sizes"])]


@moved("dynamic_update_slice")
def _(c):
    out = np.array(c.x[0])
    out[part(out.shape, c.x[2:], c.a["add"], c.x[1].shape)] = c.x[1]
    return out
