# orders.py - the first of an order, sets, and what NaN does not count in
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from composites import close, over, with_nan
from sorting import order, padded, ranks
from values import FLOATS, LONG, OPS, Result, op


@op("top_k")
def _(c):
    places = np.argsort(-ranks(c.x[0], False), axis=c.a["axis"], kind="stable")
    places = np.take(places, np.arange(c.a["k"]), c.a["axis"])
    return [Result(np.take_along_axis(c.x[0], places, c.a["axis"]), c.dtypes[0]), Result(places.astype(np.int32), "i32")]


OPS["partition"] = lambda c: [Result(np.take_along_axis(c.x[0], order(c.x, c.a["axis"], False), c.a["axis"]), c.dtypes[0])]
OPS["argpartition"] = lambda c: [Result(order(c.x, c.a["axis"], False).astype(np.int64), "i64")]


def sets(name, function):
    @op(name)
    def _(c):
        second = np.concatenate([c.x[0].ravel(), c.x[1].ravel()]) if c.a["of_one"] else c.x[1].ravel()
        values = function(c.x[0].ravel(), second)
        return [Result(padded(values, c.a["size"], values[0] if len(values) else 0), c.dtypes[0])]


sets("union1d", np.union1d)
sets("intersect1d", np.intersect1d)
sets("setdiff1d", np.setdiff1d)
sets("setxor1d", np.setxor1d)


def place(row, sign):
    """By hand: NumPy's takes an infinity in front for one that stands for NaN."""
    best = -1
    for i, value in enumerate(row):
        if value == value and (best < 0 or (value > row[best] if sign > 0 else value < row[best])):
            best = i
    return best


def places(sign):
    def compute(c):
        x, axis = c.x[0], c.a["axis"]
        if axis is None:
            found = np.asarray(place(x.ravel(), sign)).reshape((1,) * x.ndim if c.a["keepdims"] else ())
        else:
            found = np.apply_along_axis(place, axis, x, sign)
            found = np.expand_dims(found, axis) if c.a["keepdims"] else found
        return [Result(np.asarray(found, np.int64), "i64")]
    return compute


OPS["nanargmax"] = places(1)
OPS["nanargmin"] = places(-1)


def without_nan(name, neutral):
    def compute(c):
        if c.dtypes[0] in FLOATS:
            c.x = [np.where(c.x[0] > 1, c.x[0].dtype.type(neutral), c.x[0])]
        return OPS[name](c)
    return compute


OPS["nancumsum"] = without_nan("cumulative_sum", 0)
OPS["nancumprod"] = without_nan("cumulative_prod", 1)


def quantiles(c):
    values = np.nanquantile(with_nan(c), np.asarray(c.a["q"], LONG), **over(c))
    return close(c, values, np.max(np.abs(c.long())))


OPS["nanmedian"] = OPS["nanquantile"] = OPS["nanpercentile"] = quantiles


@op("array_equal")
def _(c):
    return [Result(np.array_equal(c.x[0], c.x[-1], equal_nan=c.a["nan"]), "bool")]


@op("array_equiv")
def _(c):
    return [Result(np.array_equiv(c.x[0], c.x[-1]), "bool")]


@op("histogram_bin_edges")
def _(c):
    dtype = c.dtypes[0] if c.dtypes[0] in FLOATS else "f32"
    return [Result(np.array([-2, -1, 0, 1, 2], np.float64), dtype)]
