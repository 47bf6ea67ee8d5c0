# reduction_options.py - reductions with dtype, initial and where
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

import composites, reduction
from composites import close
from reduction import PRODUCT, SUM, total
from values import LONG, NUMPY, OPS, Result, near, rounded


def mask_of(c):
    """All but the elements 1, 4, 7, ... of the last axis."""
    x = c.x[0]
    return np.broadcast_to(np.arange(x.shape[-1]) % 3 != 1 if c.a.get("where") else True, x.shape)


def over(c):
    return {"axis": tuple(c.a["axes"]), "keepdims": c.a["keepdims"]}


def by_name(name):
    """The function takes the cases with options, the one that the table has all others."""
    def add(function):
        before = OPS[name]
        OPS[name] = lambda c: function(c) if c.a.get("named") else before(c)
        return function
    return add


def totals(name, tree, neutral):
    @by_name(name)
    def _(c):
        dtype = c.dtypes[0]
        x = np.where(mask_of(c), c.x[0], c.x[0].dtype.type(neutral))
        if "dtype" in c.a and dtype != "long":
            dtype = c.a["dtype"]
            x = x.astype(NUMPY[dtype])
        values, last = total(x, dtype, c.a["axes"], c.a["keepdims"], tree)
        if "initial" in c.a:
            values = tree[0](values, values.dtype.type(c.a["initial"]))
        if x.dtype.kind in "biu" and "dtype" in c.a:
            last = dtype
            values = values.astype(NUMPY[last])
        return c.exact(values, last)


totals("sum", SUM, 0)
totals("prod", PRODUCT, 1)


def extrema(name, extreme, sign):
    @by_name(name)
    def _(c):
        x = c.x[0]
        initial = x.dtype.type(c.a["initial"])
        return [Result(extreme(x, initial=initial, where=mask_of(c), **over(c)), c.dtypes[0])]


extrema("max", np.max, False)
extrema("min", np.min, True)
by_name("any")(lambda c: [Result(np.any(c.x[0] != 0, where=mask_of(c), **over(c)), "bool")])
by_name("all")(lambda c: [Result(np.all(c.x[0] != 0, where=mask_of(c), **over(c)), "bool")])


@by_name("mean")
def _(c):
    mask, x, dtype = mask_of(c), c.x[0], c.dtypes[0]
    if "dtype" in c.a and dtype != "long":
        dtype = c.a["dtype"]
        x = x.astype(NUMPY[dtype])
    values, _ = total(np.where(mask, x, x.dtype.type(0)), dtype, c.a["axes"], c.a["keepdims"])
    count = np.sum(mask, **over(c)).astype(LONG)
    if dtype == "long":
        return [Result(values / count, dtype)]
    return [near(values.astype(LONG) / count, dtype, c.ulps)]


def spreads(name, root):
    @by_name(name)
    def _(c):
        values = root(np.var(c.long(), ddof=c.a["correction"], where=mask_of(c), **over(c)))
        if "dtype" in c.a and c.dtypes[0] != "long":
            return [near(values, c.a["dtype"], c.ulps)]
        return close(c, values)


spreads("var", lambda x: x)
spreads("std", np.sqrt)
