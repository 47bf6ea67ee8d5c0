# recurrent.py - recurrent layers, a step at a time; products of two features; quantization
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The attributes of a recurrent layer are those of RecurrentCases.cpp: which inputs it has beside x, W and R."""
import numpy as np

from composites import close, sigmoid
from values import LONG, NUMPY, Result, op, rounded


def split(x, count):
    return np.split(x, count, axis=-1)


def rnn_step(c, W, R, b, P, x, h, s):
    h = np.tanh(x @ W.T + b[0] + h @ R.T + b[1])
    return h, s


def gru_step(c, W, R, b, P, x, h, s):
    (xz, xr, xn), (bz, br, bn), (Rz, Rr, Rn) = split(x @ W.T + b[0], 3), split(b[1], 3), np.split(R, 3)
    z, r = sigmoid(xz + h @ Rz.T + bz), sigmoid(xr + h @ Rr.T + br)
    n = np.tanh(xn + (r * (h @ Rn.T + bn) if c.a.get("linear_before_reset") else (r * h) @ Rn.T + bn))
    return (1 - z) * n + z * h, s


def lstm_step(c, W, R, b, P, x, h, s):
    i, o, f, g = split(x @ W.T + b[0] + h @ R.T + b[1], 4)
    Pi, Po, Pf = split(P, 3)
    i, f = sigmoid(i + Pi * s), sigmoid(f + Pf * s)
    s = f * s + i * np.tanh(g)
    return sigmoid(o + Po * s) * np.tanh(s), s


def layer(name, gates, step):
    @op(name)
    def _(c):
        x, W, R = c.long(0), c.long(1), c.long(2)
        isBatchFirst = c.a["layout"] == 1
        if isBatchFirst:
            x = np.swapaxes(x, 0, 1)
        (steps, batch, _), (directions, _, hidden) = x.shape, R.shape
        B = c.long(3) if c.a["hasB"] else np.zeros((directions, 2 * gates * hidden), LONG)
        start = c.long(4) if c.a["hasState"] else np.zeros((directions, batch, hidden), LONG)
        if c.a["hasState"] and isBatchFirst:
            start = np.swapaxes(start, 0, 1)
        lens = c.a.get("lens", [steps] * batch)
        Y = np.zeros((steps, directions, batch, hidden), LONG)
        ends = np.zeros((2, directions, batch, hidden), LONG)
        for d in range(directions):
            isReversed = d == 1 or c.a["direction"] == "reverse"
            # The cases give half of the state as c, and the first biases as peepholes.
            P = B[d, :3 * hidden] if c.a.get("hasP") else np.zeros(3 * hidden, LONG)
            for n in range(batch):
                h, s = start[d, n], start[d, n] / 2
                for t in (range(lens[n])[::-1] if isReversed else range(lens[n])):
                    h, s = step(c, W[d], R[d], np.split(B[d], 2), P, x[t, n], h, s)
                    Y[t, d, n] = h
                ends[:, d, n] = h, s
        results = [Y, ends[0]] + ([ends[1]] if name == "lstm" else [])
        if isBatchFirst:
            results = [np.transpose(Y, (2, 0, 1, 3))] + [np.swapaxes(end, 0, 1) for end in results[1:]]
        return [close(c, each, LONG(1))[0] for each in results]


layer("rnn", 1, rnn_step)
layer("gru", 3, gru_step)
layer("lstm", 4, lstm_step)


@op("bilinear")
def _(c):
    x1, x2, w = c.long(0), c.long(1), c.long(2)
    bias = c.long(3) if len(c.x) > 3 else LONG(0)
    values = np.einsum("...i,kij,...j->...k", x1, w, x2) + bias
    size = np.einsum("...i,kij,...j->...k", np.abs(x1), np.abs(w), np.abs(x2)) + np.abs(bias)
    dtype = c.dtypes[0] if c.dtypes[0] in ("bf16", "f16", "f32", "f64", "long") else "f32"
    return close(c, values, size, dtype)


def beside(c, i, x):
    """One for each place along the axis."""
    given = np.asarray(c.x[i])
    return given.reshape([-1 if axis == c.a["axis"] else 1 for axis in range(x.ndim)]) if given.ndim else given


@op("quantize_linear")
def _(c):
    dtype = c.a["to"]
    if "halves" in c.a:
        return [Result(np.rint(np.floor(c.x[0] * 8) + np.float32(0.5)).astype(np.int8), dtype)]
    x = c.x[0] if c.dtypes[0] in ("f64", "long") else c.x[0].astype(np.float32)
    steps = np.rint(x / beside(c, 1, x).astype(x.dtype))
    steps = np.where(np.isnan(steps), 0, steps)
    if len(c.x) > 2:
        steps = steps + beside(c, 2, x).astype(x.dtype)
    limits = np.iinfo(NUMPY[dtype])
    return [Result(np.clip(steps, limits.min, limits.max).astype(NUMPY[dtype]), dtype)]


@op("dequantize_linear")
def _(c):
    dtype = c.dtypes[1]
    x = c.x[0].astype(np.int64)
    if len(c.x) > 2:
        x = x - beside(c, 2, x)
    scale = beside(c, 1, x)
    return [Result(rounded(x.astype(scale.dtype) * scale, dtype), dtype)]
