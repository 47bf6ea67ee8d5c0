# images.py - functions of images and other grids
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops over elements, from the formulas of ONNX's Resize and RoiAlign, PyTorch's grid_sample and affine_grid, JAX's
and TensorFlow's kernels. Positions are fractions, so they are exact. Attributes are the options by name."""
import itertools
import math
from fractions import Fraction

import numpy as np

from values import FLOATS, LONG, NUMPY, OPS, PARTS, Result, moved, near, op, ulp

HALF = Fraction(1, 2)


#===----------------------------------------------------------------------===#
# image_resize
#===----------------------------------------------------------------------===#

def position(i, n, m, coordinates, given):
    """Of element i of m, on an axis of n elements; `given`: the scale, if there is one."""
    scale = Fraction(given) if given else Fraction(m, n)
    if coordinates == "align_corners":
        return Fraction(i * (n - 1), m - 1) if m > 1 else Fraction(0)
    if coordinates == "asymmetric":
        return i / scale
    if coordinates == "pytorch_half_pixel" and m == 1:
        return Fraction(0)
    if coordinates == "tf_half_pixel_for_nn":
        return (i + HALF) / scale
    offset = Fraction(n, 2) * (1 - m / (scale * n)) if coordinates == "half_pixel_symmetric" else 0
    return offset + (i + HALF) / scale - HALF


def cubic(x, b, c):
    """The family of D. Mitchell and A. Netravali; Keys' kernels have b = 0 and the slope -c at 1."""
    if x < 1:
        return ((12 - 9 * b - 6 * c) * x**3 + (-18 + 12 * b + 6 * c) * x**2 + 6 - 2 * b) / 6
    return ((-b - 6 * c) * x**3 + (6 * b + 30 * c) * x**2 + (-12 * b - 48 * c) * x + 8 * b + 24 * c) / 6 if x < 2 else 0 * x


def lanczos(x, radius):
    return np.sinc(x) * np.sinc(x / radius) if x < radius else 0 * x


KERNELS = {"linear": (1, lambda x, a: max(1 - x, 0 * x)), "cubic": (2, lambda x, a: cubic(x, LONG(0), LONG(-a))),
           "mitchell": (2, lambda x, a: cubic(x, LONG(1) / 3, LONG(1) / 3)),
           "gaussian": (1.5, lambda x, a: np.exp(-2 * x * x) if x < 1.5 else 0 * x),
           "lanczos3": (3, lambda x, a: lanczos(x, 3)), "lanczos5": (5, lambda x, a: lanczos(x, 5))}


def weights(n, m, a, given=None):
    """[m, n]: what each element of the result takes of each element."""
    method, coordinates = a.get("method", "nearest"), a.get("coordinates", "half_pixel")
    scale = Fraction(given) if given else Fraction(m, n)
    outside = a.get("exclude_outside", a.get("antialias") or method in ("lanczos3", "lanczos5", "gaussian", "mitchell"))
    out = np.zeros((m, n), LONG)
    for i in range(m):
        at = position(i, n, m, coordinates, given)
        if method == "nearest":
            low, rest = math.floor(at), at - math.floor(at)
            upper = {"floor": False, "ceil": rest > 0, "round_prefer_floor": rest > HALF,
                     "round_prefer_ceil": rest >= HALF}[a.get("rounding", "round_prefer_ceil")]
            out[i, min(max(low + upper, 0), n - 1)] = 1
        elif method in ("area", "average"):
            start, stop = Fraction(i * n, m), Fraction((i + 1) * n, m)
            for j in range(n):
                share = min(stop, j + 1) - max(start, j)
                if share > 0:
                    out[i, j] = LONG(share.numerator) / share.denominator if method == "area" else 1
            out[i] /= out[i].sum()
        else:
            radius, kernel = KERNELS[method]
            wide = max(1 / scale, Fraction(1)) if a.get("antialias") else Fraction(1)
            reach = Fraction(radius) * wide
            total = LONG(0)
            for j in range(math.ceil(at - reach), math.floor(at + reach) + 1):
                distance = abs(j - at) / wide
                weight = kernel(LONG(distance.numerator) / distance.denominator, a.get("cubic_coefficient", -0.75))
                if outside and not 0 <= j < n:
                    continue
                out[i, min(max(j, 0), n - 1)] += weight
                total += weight
            if total == 0:
                out[i, min(max(math.floor(at), 0), n - 1)] = 1
            else:
                out[i] /= total
    return np.where(np.abs(out) < 1e-17, LONG(0), out)


def mixed(x, axis, matrix):
    """An element with weight 0 does not count, whatever it is."""
    if x.dtype.kind == "c":
        out = mixed(x.real, axis, matrix).astype(x.dtype)
        out.imag = mixed(x.imag, axis, matrix)
        return out
    rows = np.moveaxis(x, axis, 0)
    out = np.zeros((matrix.shape[0],) + rows.shape[1:], rows.dtype)
    for i, row in enumerate(matrix):
        for j in np.flatnonzero(row):
            out[i] = out[i] + row[j] * rows[j]
    return np.moveaxis(out, 0, axis)


@op("image_resize")
def _(c):
    x, dtype, a = c.x[0], c.dtypes[0], c.a
    axes = a.get("axes", list(range(1, x.ndim - 1)))
    given = a.get("scales", [None] * len(axes))
    sizes = a.get("sizes") or [math.floor(Fraction(s) * x.shape[axis]) for axis, s in zip(axes, given)]
    given = [None if s is None or Fraction(s) * x.shape[axis] == m else s for axis, s, m in zip(axes, given, sizes)]
    matrices = [weights(x.shape[axis], m, a, s) for axis, m, s in zip(axes, sizes, given)]
    isMoved = a.get("method", "nearest") == "nearest"
    wide = x if isMoved else x.astype(np.clongdouble if dtype in PARTS else LONG)
    # Weights have errors of their own: they are relative to 1, or to a share of the largest element.
    parts = [wide.real, wide.imag] if dtype in PARTS else [wide]
    scale = np.max([np.where(np.isfinite(part), np.abs(part), 0) for part in parts], 0) if not isMoved else None
    least = np.max(scale, initial=0) / 4 if not isMoved and np.all(np.isfinite(wide)) else 0
    for axis, matrix in zip(axes, matrices):
        if isMoved:
            wide = np.take(wide, np.argmax(matrix, axis=1), axis)
        else:
            wide, scale = mixed(wide, axis, matrix), mixed(scale, axis, np.abs(matrix))
    if isMoved:
        return [Result(wide, dtype)]
    scale = np.maximum(scale, least)
    if dtype in FLOATS:
        return [near(wide, dtype, c.ulps, scale, step="f32")]
    if dtype in PARTS:
        return [Result(wide.astype(NUMPY[dtype]), dtype, c.ulps * ulp(scale, PARTS[dtype]))]
    info = np.iinfo(NUMPY[dtype])
    return [Result(np.clip(np.rint(wide), info.min, info.max).astype(NUMPY[dtype]), dtype)]


#===----------------------------------------------------------------------===#
# grid_sample, affine_grid
#===----------------------------------------------------------------------===#

def base(u, shape, aligned):
    """The grid that gridAt of ImageCases.cpp makes."""
    spatial = u.shape[-1]
    place = np.arange(math.prod(u.shape), dtype=LONG).reshape(u.shape)
    out = np.empty(u.shape, LONG)
    for k in range(spatial):
        n = shape[spatial - k]
        p = place[..., k] % (n + 3) - 2 + LONG(0.5) + u[..., k]
        out[..., k] = 2 * p / (n - 1) - 1 if aligned else (2 * p + 1) / n - 1
    return out


def reflect(p, n, aligned):
    """Back and forth between the borders."""
    low, high = (LONG(0), LONG(n - 1)) if aligned else (LONG(-0.5), LONG(n - 0.5))
    if high == low:
        return LONG(0)
    while not low <= p <= high:
        p = 2 * low - p if p < low else 2 * high - p
    return min(max(p, LONG(0)), LONG(n - 1))


def padded(p, n, padding, aligned):
    if padding == "border":
        return min(max(p, LONG(0)), LONG(n - 1))
    return reflect(p, n, aligned) if padding == "reflection" else p


def taps(g, n, a):
    """(index, weight) of the elements at a coordinate in [-1, 1]; an index outside counts as zero."""
    mode, padding, aligned = a.get("mode", "bilinear"), a.get("padding", "zeros"), a.get("align_corners", False)
    p = (g + 1) / 2 * (n - 1) if aligned else ((g + 1) * n - 1) / 2
    if mode == "bicubic":
        low = np.floor(p)
        return [(int(padded(low + k, n, padding, aligned)), cubic(abs(p - low - k), LONG(0), LONG(0.75)))
                for k in (-1, 0, 1, 2)]
    p = padded(p, n, padding, aligned)
    if mode == "nearest":
        return [(int(np.rint(p)), LONG(1))]
    low = np.floor(p)
    return [(int(low), 1 - (p - low)), (int(low) + 1, p - low)]


@op("grid_sample")
def _(c):
    a = c.a
    x = np.moveaxis(c.x[0], 1, -1) if a.get("channels_first") else c.x[0]
    grid, spatial = base(c.x[1].astype(LONG), x.shape, a.get("align_corners")), x.ndim - 2
    values = np.zeros(grid.shape[:-1] + x.shape[-1:], LONG)
    scale = np.zeros(values.shape, LONG)
    for at in np.ndindex(grid.shape[:-1]):
        axes = [taps(grid[at][spatial - 1 - k], x.shape[k + 1], a) for k in range(spatial)]
        for chosen in itertools.product(*axes):
            index, weight = [i for i, _ in chosen], math.prod(w for _, w in chosen)
            if all(0 <= i < n for i, n in zip(index, x.shape[1:])):
                element = x[(at[0], *index)].astype(LONG)
                values[at] += weight * element
                # Positions have an error that moves the value along its slope.
                scale[at] += np.abs(element) * 4
    if a.get("channels_first"):
        values, scale = np.moveaxis(values, -1, 1), np.moveaxis(scale, -1, 1)
    return [near(values, c.dtypes[0], c.ulps, scale, step="f32")]


@op("affine_grid")
def _(c):
    theta, a = c.x[0].astype(LONG), c.a
    spatial, sizes = theta.shape[1], a["sizes"]
    out = np.zeros((theta.shape[0], *sizes, spatial), LONG)
    for at in np.ndindex(out.shape[:-1]):
        places = []
        for i, n in zip(at[1:], sizes):
            corner = 2 * LONG(i) / (n - 1) - 1 if n > 1 else LONG(0)
            places.append(corner if a.get("align_corners") else (2 * LONG(i) + 1) / n - 1)
        out[at] = theta[at[0]] @ np.array(places[::-1] + [LONG(1)])
    return [near(out, c.dtypes[0], c.ulps, np.full(out.shape, np.abs(theta).max() * 3), step="f32")]


#===----------------------------------------------------------------------===#
# roi_align
#===----------------------------------------------------------------------===#

def corners(p, n):
    """The elements of a sample along one axis, as in torchvision; none outside."""
    if p < -1 or p > n:
        return []
    p = max(p, LONG(0))
    low = int(p)
    if low >= n - 1:
        return [(n - 1, LONG(1))]
    return [(low, 1 - (p - low)), (low + 1, p - low)]


@op("roi_align")
def _(c):
    a = c.a
    x = np.moveaxis(c.x[0], 1, -1) if a.get("channels_first") else c.x[0]
    boxes = np.array(a["rois"], LONG)
    if len(c.x) > 1:
        boxes = boxes + c.x[1].astype(LONG) * LONG(0.0625)
    rows, columns = a["sizes"]
    ratio, aligned, isMax = a.get("sampling_ratio", 0), a.get("aligned", True), a.get("pooling") == "max"
    values = np.zeros((len(boxes), rows, columns, x.shape[-1]), LONG)
    scale = np.full(values.shape, 4 * np.abs(x.astype(LONG)).max())
    for k, box in enumerate(boxes * LONG(a.get("spatial_scale", 1))):
        x1, y1, x2, y2 = box - LONG(0.5) if aligned else box
        width, height = (x2 - x1, y2 - y1) if aligned else (max(x2 - x1, LONG(1)), max(y2 - y1, LONG(1)))
        ny = ratio or max(int(np.ceil(height / rows)), 0)
        nx = ratio or max(int(np.ceil(width / columns)), 0)
        for row, column in itertools.product(range(rows), range(columns)):
            samples = []
            for iy, ix in itertools.product(range(ny), range(nx)):
                py = y1 + (row + (iy + LONG(0.5)) / ny) * height / rows
                px = x1 + (column + (ix + LONG(0.5)) / nx) * width / columns
                sample = np.zeros(x.shape[-1], LONG)
                for (i, wy), (j, wx) in itertools.product(corners(py, x.shape[1]), corners(px, x.shape[2])):
                    sample += wy * wx * x[a["batch"][k], i, j].astype(LONG)
                samples.append(sample)
            if samples:
                values[k, row, column] = np.max(samples, 0) if isMax else np.mean(samples, 0)
    if a.get("channels_first"):
        values, scale = np.moveaxis(values, -1, 1), np.moveaxis(scale, -1, 1)
    return [near(values, c.dtypes[0], c.ulps, scale, step="f32")]


#===----------------------------------------------------------------------===#
# Channels as blocks
#===----------------------------------------------------------------------===#

def blocked(x, r, isCrd):
    """depth_to_space of channels-last x."""
    *batch, height, width, deep = x.shape
    channels = deep // (r * r)
    out = np.zeros((*batch, height * r, width * r, channels), x.dtype)
    for row, column, channel in itertools.product(range(r), range(r), range(channels)):
        source = channel * r * r + row * r + column if isCrd else (row * r + column) * channels + channel
        out[..., row::r, column::r, channel] = x[..., source]
    return out


def gathered(x, r, isCrd):
    """space_to_depth of channels-last x."""
    *batch, height, width, channels = x.shape
    out = np.zeros((*batch, height // r, width // r, channels * r * r), x.dtype)
    for row, column, channel in itertools.product(range(r), range(r), range(channels)):
        source = channel * r * r + row * r + column if isCrd else (row * r + column) * channels + channel
        out[..., source] = x[..., row::r, column::r, channel]
    return out


def formatted(function):
    def of(c):
        first = c.a.get("channels_first")
        x = np.moveaxis(c.x[0], -3, -1) if first else c.x[0]
        out = function(x, c.a["size"], c.a.get("crd", False))
        return np.moveaxis(out, -1, -3) if first else out
    return of


moved("depth_to_space")(formatted(blocked))
moved("space_to_depth")(formatted(gathered))
moved("pixel_shuffle")(formatted(lambda x, r, _: blocked(x, r, True)))
moved("pixel_unshuffle")(formatted(lambda x, r, _: gathered(x, r, True)))
