# edits.py - parts put in and taken out, polynomials, windows
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The attributes are those that differ between the cases of EditCases.cpp."""
import numpy as np

from composites import PI, close
from cumulative import running
from shaping import computed, each, floating, made
from sorting import padded
from values import LONG, NUMPY, OPS, Result, moved, near, op

moved("fliplr")(lambda c: np.fliplr(c.x[0]))
moved("flipud")(lambda c: np.flipud(c.x[0]))
moved("rollaxis")(lambda c: np.rollaxis(c.x[0], c.a["axis"], c.a["start"]))
moved("dstack")(lambda c: np.dstack(c.x))
moved("column_stack")(lambda c: np.column_stack(c.x))
for name in ("array_split", "hsplit", "vsplit", "dsplit"):
    OPS[name] = lambda c: [Result(part, c.dtypes[0]) for part in np.array_split(c.x[0], c.a["sections"], c.a["axis"])]

moved("diagflat")(lambda c: np.diagflat(c.x[0], 1))
made("tri", lambda: np.tri(3, 4, 1))


def places(name, function):
    OPS[name] = lambda c: [Result(part, "i64") for part in function()]


places("tril_indices", lambda: np.tril_indices(3, 1, 4))
places("triu_indices", lambda: np.triu_indices(3, 1, 4))
places("tril_indices_from", lambda: np.tril_indices(3, 1, 4))
places("triu_indices_from", lambda: np.triu_indices(3, 1, 4))
places("diag_indices", lambda: np.diag_indices(3, 3))
places("diag_indices_from", lambda: np.diag_indices(3, 3))


@op("ix_")
def _(c):
    if len(c.x) == 1:
        return [Result(np.array([[0], [2]]), "i64"), Result(c.x[0].reshape(1, 2), "i32")]
    return each(c, [c.x[0].reshape(3, 1), c.x[1].reshape(1, 2)])


moved("append")(lambda c: np.append(*c.x, c.a["axis"]))
moved("insert")(lambda c: np.insert(c.x[0], c.a["at"], c.x[1], 1))
moved("delete")(lambda c: np.delete(c.x[0], [1, -1, 1], 1))
moved("resize")(lambda c: np.resize(c.x[0], (4, 2)))
moved("trim_zeros")(lambda c: np.where([True, False, True], c.x[0], c.x[0][::-1]))


@moved("fill_diagonal")
def _(c):
    out = np.array(c.x[0])
    np.fill_diagonal(out, c.x[1], c.a["wrap"])
    return out


@moved("put")
def _(c):
    out = np.array(c.x[0])
    places = [1, 4, -1] if c.a["mode"] == "error" else [1, 9, -1]
    if c.a["mode"] == "drop":
        out.flat[1] = c.x[1][0]
        return out
    np.put(out, places, c.x[1], "raise" if c.a["mode"] == "error" else c.a["mode"])
    return out


@moved("place")
def _(c):
    out = np.array(c.x[0])
    np.place(out, c.x[1], c.x[2])
    return out


OPS["extract"] = lambda c: [Result(padded(np.extract(*c.x), 4, 1), c.dtypes[1])]

bounds = lambda *x: max(1, *[np.max(np.abs(part)) for part in x])
computed("ediff1d", lambda x, end: np.ediff1d(x, end), lambda x, end: 2 * bounds(x, end), step="f32")
floating("unwrap", lambda x: np.unwrap(x * 8), lambda x: 64 * bounds(x))


def of_roots(x, combine=np.subtract):
    p, zero = np.ones(1, x.dtype), np.zeros(1, x.dtype)
    for root in x:
        p = combine(np.append(p, zero), np.append(zero, root * p))
    return p


computed("polyadd", np.polyadd)
computed("polysub", np.polysub, np.polyadd)
computed("polymul", np.convolve, step="f32")
computed("polyder", lambda p: np.polyder(p, 2))
computed("poly", of_roots, lambda x: of_roots(x, np.add), step="f32")


@op("polyint")
def _(c):
    x = [x.astype(np.clongdouble if x.dtype.kind == "c" else LONG) for x in c.x]
    values = np.polyint(x[0], 2, x[1])
    if c.dtypes[0] == "c64":
        return [Result(values.astype(np.complex64), "c64", np.full(values.shape, 1e-5))]
    return close(c, values)


@op("vander")
def _(c):
    dtype = {"u8": "u32", "i8": "i32", "u16": "u32", "i16": "i32"}.get(c.dtypes[0], c.dtypes[0])
    x = c.x[0].astype(NUMPY[dtype])
    factors = np.stack([np.ones_like(x), x, x, x], 1)
    return c.exact(running(factors, 1, np.multiply)[:, ::-1], dtype)


def bessel(x, order=0):
    """The power series of I0 or I1."""
    term = total = (x / 2) ** order
    for k in range(1, 60):
        term = term * (x / 2) ** 2 / (k * (k + order))
        total = total + term
    return total


OPS["i0"] = lambda c: close(c, bessel(c.long()))
OPS["i1"] = lambda c: close(c, bessel(c.long(), 1))


def window(name, function):
    @op(name)
    def _(c):
        t = (np.arange(7).astype(LONG) - 3) / 3
        return [near(function(t), c.dtype, c.ulps, LONG(1))]


window("bartlett", lambda t: 1 - np.abs(t))
window("hanning", lambda t: LONG("0.5") + LONG("0.5") * np.cos(PI * t))
window("hamming", lambda t: LONG("0.54") + LONG("0.46") * np.cos(PI * t))
window("blackman", lambda t: LONG("0.42") + LONG("0.5") * np.cos(PI * t) + LONG("0.08") * np.cos(2 * PI * t))
window("kaiser", lambda t: bessel(LONG(8.5) * np.sqrt(1 - t * t)) / bessel(LONG(8.5)))
