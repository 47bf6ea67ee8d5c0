# movement.py - elements at other places
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from values import Result, moved, op

moved("reshape")(lambda c: c.x[0].reshape(c.a["shape"]))
moved("broadcast_to")(lambda c: np.broadcast_to(c.x[0], c.a["shape"]))
moved("transpose")(lambda c: np.transpose(c.x[0], c.a["permutation"]))
moved("slice")(lambda c: c.x[0][tuple(slice(*at) for at in zip(c.a["starts"], c.a["stops"], c.a["steps"]))])
moved("concatenate")(lambda c: np.concatenate(c.x, axis=c.a["axis"]))


@moved("pad")
def _(c):
    x, a = c.x[0], c.a
    interior = a["interior"]
    inner = [n + max(n - 1, 0) * k for n, k in zip(x.shape, interior)]
    low, high = np.maximum(a["low"], 0), np.maximum(a["high"], 0)
    out = np.full([before + n + after for before, n, after in zip(low, inner, high)], c.x[1], x.dtype)
    out[tuple(slice(before, before + n, k + 1) for before, n, k in zip(low, inner, interior))] = x
    return out[tuple(slice(max(-before, 0), n - max(-after, 0))
                     for before, n, after in zip(a["low"], out.shape, a["high"]))]


@op("split")
def _(c):
    cuts = np.cumsum(c.a["sizes"])[:-1]
    return [Result(piece, c.dtypes[0]) for piece in np.split(c.x[0], cuts, axis=c.a["axis"])]


@op("dimension")
def _(c):
    return [Result(np.int64(c.x[0].shape[c.a["axis"]]), "i64")]
