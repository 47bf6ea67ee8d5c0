# spectral.py - short-time transforms, filters and periodic windows, by their definition
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from edits import bessel
from fourier import PI, dft, irfft
from values import LONG, MANTISSA, NUMPY, Result, near, op


def window_of(c):
    """n_fft factors: those of the second input between zeros, or ones."""
    n = c.a["n_fft"]
    if len(c.x) == 1:
        return np.ones(n, LONG)
    window = np.real(c.x[1]).astype(LONG)
    before = (n - len(window)) // 2
    return np.pad(window, (before, n - len(window) - before))


def wide(x):
    return x.astype(np.clongdouble if x.dtype.kind == "c" else LONG)


def spectra(c, values, size):
    """A complex result as its parts, allowed `ulps` of the size of what was added up."""
    kind = c.dtypes[0]
    parts = [np.real(values), np.imag(values)]
    if kind == "long":
        return [Result(part, kind) for part in parts]
    part = "f64" if kind in ("f64", "c128") else "f32"
    tolerance = np.broadcast_to(c.ulps * size * LONG(2) ** -MANTISSA[part], values.shape)
    return [Result(each.astype(NUMPY[part]), part, tolerance) for each in parts]


@op("stft")
def _(c):
    n, hop = c.a["n_fft"], c.a["hop"]
    x, window = wide(c.x[0]), window_of(c)
    if c.a["center"]:
        x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(n // 2, n // 2)], mode=c.a["pad_mode"])
    count = 1 + (x.shape[-1] - n) // hop
    frames = np.stack([x[..., i * hop:i * hop + n] * window for i in range(count)], axis=-2)
    values = dft(frames, n, -1, "ortho" if c.a["normalized"] else "backward", False)
    if c.a["onesided"]:
        values = values[..., :n // 2 + 1]
    return spectra(c, np.swapaxes(values, -1, -2), np.max(np.sum(np.abs(frames), axis=-1)))


@op("istft")
def _(c):
    n, hop = c.a["n_fft"], c.a["hop"]
    x, window = np.swapaxes(wide(c.x[0]), -1, -2), window_of(c)
    norm = "ortho" if c.a["normalized"] else "backward"
    frames = irfft(x, n, x.ndim - 1, norm) if c.a["onesided"] else dft(x.astype(np.clongdouble), n, -1, norm, True)
    count = x.shape[-2]
    total = (count - 1) * hop + n
    values, sizes = np.zeros(x.shape[:-2] + (total,), frames.dtype), np.zeros(total, LONG)
    for i in range(count):
        values[..., i * hop:i * hop + n] += frames[..., i, :] * window
        sizes[i * hop:i * hop + n] += window * window
    start = n // 2 if c.a["center"] else 0
    length = c.a.get("length", total - 2 * start)
    values, sizes = values[..., start:start + length], sizes[start:start + length]
    values = values / sizes
    values = np.pad(values, [(0, 0)] * (values.ndim - 1) + [(0, length - values.shape[-1])])
    size = np.max(np.sum(np.abs(x), axis=-1)) / np.min(sizes)
    if values.dtype.kind == "c":
        return spectra(c, values, size)
    return spectra(c, values, size)[:1]


def filtered(b, a, x, state):
    """Direct form II transposed along the first axis: the results and the last state."""
    order = max(len(a), len(b)) - 1
    b, a = np.pad(b, (0, order + 1 - len(b))), np.pad(a, (0, order + 1 - len(a)))
    state, y = list(state), []
    for sample in x:
        state.append(np.zeros_like(sample))
        y.append((b[0] * sample) + state[0])
        state = [state[i + 1] + b[i + 1] * sample - a[i + 1] * y[-1] for i in range(order)]
    return y, state


@op("lfilter")
def _(c):
    b, a, x = (wide(each) for each in c.x[:3])
    axis = c.a["axis"]
    order, x = max(len(a), len(b)) - 1, np.moveaxis(x, axis, 0)
    shape = (order,) + x.shape[1:]
    given = np.moveaxis(wide(c.x[3]), axis, 0) if len(c.x) > 3 else np.zeros(1, LONG)
    kind = np.clongdouble if c.x[0].dtype.kind == "c" else LONG
    state = np.broadcast_to(given, shape).astype(kind)
    found = filtered(b / a[0], a / a[0], x, state)
    # What is added up, without signs.
    sizes = filtered(np.abs(b / a[0]), -np.abs(a / a[0]), np.abs(x), np.abs(state))
    results = []
    for part, size in zip(found, sizes):
        part = np.moveaxis(np.array(part, dtype=kind).reshape((len(part),) + x.shape[1:]), 0, axis)
        size = np.moveaxis(np.array(size, dtype=LONG).reshape((len(size),) + x.shape[1:]), 0, axis)
        dtype = {"c64": "f32", "c128": "f64"}.get(c.dtypes[0], c.dtypes[0])
        dtype = dtype if dtype in ("bf16", "f16", "f32", "f64", "long") else "f32"
        step = "f32" if dtype in ("bf16", "f16") else None
        for values in ([np.real(part), np.imag(part)] if kind is np.clongdouble else [part]):
            results.append(near(values, dtype, c.ulps, size, step=step))
    return results


WINDOWS = {
    "boxcar": lambda t: np.ones_like(t),
    "bartlett": lambda t: 1 - np.abs(t),
    "hann": lambda t: LONG("0.5") + LONG("0.5") * np.cos(PI * t),
    "hamming": lambda t: LONG("0.54") + LONG("0.46") * np.cos(PI * t),
    "blackman": lambda t: LONG("0.42") + LONG("0.5") * np.cos(PI * t) + LONG("0.08") * np.cos(2 * PI * t),
    "kaiser": lambda t: bessel(LONG(8.5) * np.sqrt(1 - t * t)) / bessel(LONG(8.5)),
}


@op("get_window")
def _(c):
    size = c.a["size"]
    count = size + 1 if c.a["fftbins"] and size > 1 else size
    t = np.linspace(LONG(-1), LONG(1), count, dtype=LONG) if count > 1 else np.zeros(count, LONG)
    return [near(WINDOWS[c.a["window"]](t)[:size], c.dtype, c.ulps, LONG(1))]
