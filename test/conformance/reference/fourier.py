# fourier.py - Fourier transforms by their definition, in long double
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from values import LONG, MANTISSA, NUMPY, OPS, Result, near, op, rounded

PI = LONG("3.14159265358979323846264338327950288")
OPPOSITE = {"backward": "forward", "forward": "backward", "ortho": "ortho"}


def fitted(x, n, axis):
    """Cropped, or with zeros behind."""
    x = np.take(x, range(min(n, x.shape[axis])), axis=axis)
    widths = [(0, 0)] * x.ndim
    widths[axis] = (0, n - x.shape[axis])
    return np.pad(x, widths)


def scale(n, norm, inverse):
    if norm == "ortho":
        return 1 / np.sqrt(LONG(n))
    return 1 / LONG(n) if inverse == (norm == "backward") else LONG(1)


def dft(x, n, axis, norm, inverse):
    x = np.moveaxis(fitted(x, n, axis), axis, -1)
    k = np.arange(n)
    angles = 2 * PI * (np.outer(k, k) % n).astype(LONG) / n
    c, s = np.cos(angles), np.sin(angles) * (1 if inverse else -1)
    re, im = np.real(x), np.imag(x)
    values = (re @ c - im @ s) + 1j * (re @ s + im @ c)
    return np.moveaxis(values * scale(n, norm, inverse), -1, axis)


def rfft(x, n, axis, norm, inverse=False):
    return np.take(dft(x, n, axis, norm, inverse), range(n // 2 + 1), axis=axis)


def irfft(x, n, axis, norm, inverse=True):
    x = np.moveaxis(fitted(x, n // 2 + 1, axis), axis, -1).copy()
    x[..., 0] = np.real(x[..., 0])
    if n % 2 == 0:
        x[..., -1] = np.real(x[..., -1])
    x = np.concatenate([x, np.conj(x[..., 1:n - n // 2])[..., ::-1]], axis=-1)
    return np.real(np.moveaxis(dft(x, n, -1, norm, inverse), -1, axis))


def whole(name, x, lengths, axes, norm):
    """Of the last axis `n` is the length of the real signal."""
    axes = [axis % x.ndim for axis in axes]
    sizes = [x.shape[axis] for axis in axes]
    if name in ("irfft", "hfft", "irfft2", "irfftn"):
        sizes[-1] = 2 * (sizes[-1] - 1)
    lengths = lengths or sizes
    last = lengths[-1], axes[-1], norm
    if name in ("fft", "fft2", "fftn", "ifft", "ifft2", "ifftn"):
        for n, axis in list(zip(lengths, axes))[::-1]:
            x = dft(x, n, axis, norm, name[0] == "i")
        return x
    if name == "hfft":
        return irfft(np.conj(x), *last[:2], OPPOSITE[norm])
    if name == "ihfft":
        return np.conj(rfft(x, *last[:2], OPPOSITE[norm]))
    if name.startswith("r"):
        x = rfft(x, *last)
    for n, axis in zip(lengths[:-1], axes[:-1]):
        x = dft(x, n, axis, norm, name[0] == "i")
    return irfft(x, *last) if name.startswith("i") else x


def sizeOfErrors(values, axes):
    """The root of the mean square of the results, which rounding errors are relative to."""
    axes = tuple(axis % values.ndim for axis in axes)
    return np.sqrt(np.mean(np.abs(values) ** 2, axis=axes, keepdims=True)) if values.size else LONG(1)


def transform(name):
    def compute(c):
        x = c.x[0].astype(np.clongdouble if c.x[0].dtype.kind == "c" else LONG)
        kind = c.a.get("kind", "rfft" if name == "dft" else name)
        values = whole(kind, x, c.a["lengths"], c.a["axes"], c.a["norm"])
        part = "long" if c.dtypes[0] == "long" else "f64" if c.dtypes[0] in ("f64", "c128") else "f32"
        isParts = name != "dft" or "kind" not in c.a
        results = [np.real(values), np.imag(values)] if isParts and values.dtype.kind == "c" else [values]
        if part == "long":
            return [Result(each, part) for each in results]
        size = np.maximum(np.abs(values), sizeOfErrors(values, c.a["axes"]))
        tolerance = np.broadcast_to(c.ulps * size * LONG(2) ** -MANTISSA[part], values.shape)
        dtype = {"f32": "c64", "f64": "c128"}[part] if results[0].dtype.kind == "c" else part
        return [Result(each.astype(NUMPY[dtype]), dtype, tolerance) for each in results]
    return compute


for _name in ("dft", "fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "ifft2", "rfft2", "irfft2", "fftn",
              "ifftn", "rfftn", "irfftn"):
    OPS[_name] = transform(_name)


def frequencies(places):
    def compute(c):
        n, d = c.a["n"], c.a["d"]
        return [Result(rounded(places(n) * (1.0 / (n * d)), c.dtype), c.dtype)]
    return compute


OPS["fftfreq"] = frequencies(lambda n: np.where(np.arange(n) < (n + 1) // 2, np.arange(n), np.arange(n) - n))
OPS["rfftfreq"] = frequencies(lambda n: np.arange(n // 2 + 1))


def shift(sign):
    def compute(c):
        axes = c.a.get("axes", list(range(c.x[0].ndim)))
        return [Result(np.roll(c.x[0], [sign * (c.x[0].shape[axis] // 2) for axis in axes], axes), c.dtypes[0])]
    return compute


OPS["fftshift"], OPS["ifftshift"] = shift(1), shift(-1)


def cosines(isInverse):
    def compute(c):
        axis, norm, lengths = c.a["axes"][0], c.a["norm"], c.a["lengths"]
        n = lengths[0] if lengths else c.x[0].shape[axis]
        x = np.moveaxis(fitted(c.long(), n, axis % c.x[0].ndim), axis, -1)
        k = np.arange(n)
        second = 2 * np.cos(PI * (np.outer(k, 2 * k + 1) % (4 * n)).astype(LONG) / (2 * n))
        third = second.T * np.where(k == 0, LONG(0.5), LONG(1))
        if norm == "ortho":
            second = second * np.where(k == 0, 1 / np.sqrt(LONG(4 * n)), 1 / np.sqrt(LONG(2 * n)))[:, None]
            third = second.T
        matrix = second if (c.a["type"] == 2) != isInverse else third
        if norm != "ortho" and isInverse == (norm == "backward"):
            matrix = matrix / (2 * n)
        values = np.moveaxis(x @ matrix.T, -1, axis)
        sums = np.broadcast_to(np.sum(np.abs(x), axis=-1, keepdims=True), x.shape)
        size = np.moveaxis(sums, -1, axis) * np.max(np.abs(matrix))
        dtype = c.dtypes[0] if c.dtypes[0] in ("bf16", "f16", "f32", "f64", "long") else "f32"
        return [near(values, dtype, c.ulps, size, step="f32" if dtype in ("bf16", "f16") else None)]
    return compute


OPS["dct"], OPS["idct"] = cosines(False), cosines(True)


@op("fftconvolve")
def _(c):
    """The definition, over each pair of places; the tolerance is relative to the sum of all products."""
    kind = np.clongdouble if c.x[0].dtype.kind == "c" else LONG
    x, y = c.x[0].astype(kind), c.x[1].astype(kind)
    axes = c.a["axes"]
    shape = [max(a, b) for a, b in zip(x.shape, y.shape)]
    for axis in axes:
        shape[axis] = x.shape[axis] + y.shape[axis] - 1
    values, size = np.zeros(shape, kind), np.sum(np.abs(x)) * np.sum(np.abs(y))
    for place in np.ndindex(*[y.shape[axis] for axis in axes]):
        to, of = [slice(None)] * x.ndim, [slice(None)] * x.ndim
        for axis, i in zip(axes, place):
            to[axis], of[axis] = slice(i, i + x.shape[axis]), slice(i, i + 1)
        values[tuple(to)] += x * y[tuple(of)]
    kept = [slice(None)] * x.ndim
    for axis in axes:
        small, large = sorted((x.shape[axis], y.shape[axis]))
        first, count = {"full": (0, small + large - 1), "same": ((small - 1) // 2, large),
                        "valid": (small - 1, large - small + 1)}[c.a["mode"]]
        kept[axis] = slice(first, first + count)
    values = values[tuple(kept)]
    if c.dtypes[0] == "long":
        parts = [np.real(values), np.imag(values)] if kind is np.clongdouble else [values]
        return [Result(part, "long") for part in parts]
    dtype = {"c64": "f32", "c128": "f64"}.get(c.dtypes[0], c.dtypes[0])
    dtype = dtype if dtype in ("bf16", "f16", "f32", "f64") else "f32"
    parts = [np.real(values), np.imag(values)] if kind is np.clongdouble else [values]
    return [near(part, dtype, c.ulps, np.full(values.shape, size), step="f32" if MANTISSA[dtype] < 24 else None)
            for part in parts]
