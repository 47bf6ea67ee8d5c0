#!/usr/bin/env python3
# ===- text_goldens.py - what NumPy prints ------------------------------------===
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Prints arrays (as bytes, dims, strides) and the bytes of
# numpy.array2string for them. NumPy has no bf16: its layout runs over float32
# with digits made here from fractions.
#
# A case is one header line
#   dtype dims strides offset precision,threshold,edge,width,suppress hex*times
# (dims and strides by ',', '-' for none; offset in elements from the first
# byte; hex repeated that often), then the text's number of lines and the lines.
import math
import random
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy._core import arrayprint

assert tuple(int(n) for n in np.__version__.split(".")[:2]) >= (2, 3), np.__version__

NAMES = {
    "f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64, "u8": np.uint8, "u32": np.uint32,
    "bool": np.bool_, "c64": np.complex64, "bf16": np.float32, "i8": np.int8, "i16": np.int16, "u16": np.uint16,
    "u64": np.uint64, "c128": np.complex128, "f16": np.float16,
}


def bf16_value(bits):
    return Fraction(float(np.uint32(bits << 16).view(np.float32))) if bits < 0x7F80 else Fraction(2) ** 128


def bf16_shortest(value):
    """Digits and exponent of the shortest, then nearest, decimal that rounds to the bf16."""
    if value == 0:
        return "0", 0
    bits = int(np.float32(value).view(np.uint32)) >> 16
    exact = Fraction(value)
    low, high = (exact + bf16_value(bits - 1)) / 2, (exact + bf16_value(bits + 1)) / 2
    for n in range(1, 12):
        found = []
        text = "%.*e" % (n - 1, value)
        exponent = int(text.split("e")[1])
        step = Fraction(10) ** (exponent - n + 1)
        for units in range(math.floor(exact / step) - 1, math.floor(exact / step) + 3):
            c = units * step
            if low <= c <= high if bits % 2 == 0 else low < c < high:
                found.append((abs(c - exact), units % 2, units))
        if found:
            units = min(found)[2]
            digits = str(units)
            return digits.rstrip("0") or "0", exponent - n + len(digits)
    raise AssertionError(value)


def bf16_positional(x, precision=-1, min_digits=-1, unique=True, fractional=True, trim="k", sign=False, pad_left=-1,
                    pad_right=-1):
    magnitude = abs(float(x))
    digits, exponent = bf16_shortest(magnitude)
    fraction = len(digits) - 1 - exponent
    if fraction <= 0:
        text = "%d" % Fraction(magnitude) + "."
    else:
        text = "%.*f" % (fraction if precision < 0 else min(precision, fraction), Decimal(digits).scaleb(-fraction) if
                         precision < 0 or fraction <= precision else Decimal(magnitude))
        text = text.rstrip("0") if "." in text else text + "."
    if text.startswith("."):
        text = "0" + text
    if trim == "0" and text.endswith("."):
        text += "0"
    text = ("-" if np.signbit(x) else "+" if sign else "") + text
    left, right = text.split(".")
    return left.rjust(max(pad_left, 0)) + "." + right.ljust(max(pad_right, 0))


def bf16_scientific(x, precision=-1, min_digits=-1, unique=True, trim="k", sign=False, pad_left=-1, exp_digits=-1):
    magnitude = abs(float(x))
    digits, exponent = bf16_shortest(magnitude)
    if (0 <= precision < len(digits) - 1) or len(digits) - 1 < min_digits:
        text, tail = ("%.*e" % (precision, Decimal(magnitude))).lower().split("e")
        digits, exponent = text.replace(".", ""), int(tail)
    body = digits[1:].rstrip("0") if trim != "k" else digits[1:]
    point = "" if trim == "-" and not body else "."
    text = ("-" if np.signbit(x) else "+" if sign else "") + digits[0]
    tail = "%s%s" % ("-" if exponent < 0 else "+", str(abs(exponent)).rjust(max(exp_digits, 2), "0"))
    return text.rjust(max(pad_left, 0)) + point + body + "e" + tail


class Bf16Digits:
    """While entered, NumPy prints float32 with bf16's digits."""

    def __enter__(self):
        self.saved = arrayprint.dragon4_positional, arrayprint.dragon4_scientific
        arrayprint.dragon4_positional, arrayprint.dragon4_scientific = bf16_positional, bf16_scientific

    def __exit__(self, *_):
        arrayprint.dragon4_positional, arrayprint.dragon4_scientific = self.saved


DEFAULT = (8, 1000, 3, 75, 0)


def lines(text):
    return "%d\n%s\n" % (text.count("\n") + 1, text)


def case(out, dtype, base, view, options=DEFAULT, times=1):
    """base: the 1-D memory one period of which is stored; view: an array over base tiled `times`."""
    address = base.__array_interface__["data"][0] if times == 1 else view.base_address
    precision, threshold, edge, width, suppress = options
    kw = dict(precision=precision, threshold=threshold, edgeitems=edge, max_line_width=width, suppress_small=bool(suppress))
    array = view.array if times != 1 else view
    offset = (array.__array_interface__["data"][0] - address) // array.itemsize
    strides = [s // array.itemsize for s in array.strides]
    raw = base if times == 1 else view.period
    if dtype == "bf16":
        data = (raw.view(np.uint32) >> 16).astype("<u2").tobytes()
        with Bf16Digits():
            text = np.array2string(array, **kw)
    else:
        data = raw.tobytes()
        text = np.array2string(array, **kw)
    join = lambda v: ",".join(map(str, v)) or "-"
    out.append("%s %s %s %d %s %s*%d\n%s" % (dtype, join(array.shape), join(strides), offset, join(options),
                                             data.hex() or "-", times, lines(text)))


class Tiled:
    def __init__(self, period, shape, make=lambda a: a):
        size = math.prod(shape)
        self.period, self.times = period, -(-size // len(period))
        memory = np.tile(period, self.times)
        self.base_address = memory.__array_interface__["data"][0]
        self.array = make(memory[:size].reshape(shape))


def to_bf16(a):
    with np.errstate(all="ignore"):
        bits = np.asarray(a, np.float32).view(np.uint32)
    return np.where(np.isnan(np.asarray(a)), bits, (bits + np.uint32(0x7FFF) + (bits >> 16 & 1))).astype(np.uint32).__and__(
        np.uint32(0xFFFF0000)).view(np.float32)


def floats(rng, n, dtype):
    wide = dtype == "f64"
    style = rng.randrange(12)
    pick = {
        0: lambda: rng.gauss(0, 1),
        1: lambda: float(rng.randint(-20, 20)),
        2: lambda: rng.randint(-400, 400) / 4,
        3: lambda: 10.0 ** rng.uniform(-6, 9) * rng.choice((-1, 1)),
        4: lambda: 10.0 ** rng.uniform(-37, 37) if not wide else 10.0 ** rng.uniform(-300, 300),
        5: lambda: rng.choice((0.0, -0.0, 1.0, math.nan, math.inf, -math.inf, 0.5, -2.25)),
        6: lambda: rng.choice((math.nan, math.inf, -math.inf) if rng.random() < 0.5 else (math.nan, math.inf)),
        7: lambda: rng.choice((1e-4, 9.999e-5, 1e8, 99999999.0, 1e6, 999999.0, 1e3, 1000.0001, 1.0, 0.1)),
        8: lambda: 2.0 ** rng.randint(-140, 120),
        9: lambda: rng.random() * 1e-7,
        10: lambda: round(rng.uniform(-1000, 1000), rng.randint(0, 10)),
        11: lambda: rng.choice((0.0, 9.9999999e-1, 0.99999999999, 1234567.0, 12345.678, 5e-9, 4.9e-9, 0.000123)),
    }[style]
    a = np.array([pick() for _ in range(n)], np.float64)
    if rng.random() < 0.15 and n:
        a[rng.randrange(n)] = rng.choice((math.nan, math.inf, -math.inf, -0.0))
    with np.errstate(all="ignore"):
        if dtype == "f64":
            return a
        if dtype == "f16":
            return a.astype(np.float16)
        return to_bf16(a.astype(np.float32)) if dtype == "bf16" else a.astype(np.float32)


def any_bits(rng, n, dtype):
    """Floats of any bit pattern."""
    if dtype == "f16":
        return np.frombuffer(rng.randbytes(2 * n), np.float16).copy()
    size = 8 if dtype == "f64" else 4
    a = np.frombuffer(rng.randbytes(size * n), np.float64 if dtype == "f64" else np.float32).copy()
    return (a.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32) if dtype == "bf16" else a


def values(rng, n, dtype):
    if dtype in ("f32", "f64", "bf16", "f16"):
        return any_bits(rng, n, dtype) if rng.random() < 0.1 else floats(rng, n, dtype)
    if dtype in ("c64", "c128"):
        a = np.empty(n, NAMES[dtype])
        part = "f32" if dtype == "c64" else "f64"
        a.real, a.imag = floats(rng, n, part), floats(rng, n, part)
        return a
    if dtype == "bool":
        return np.array([rng.random() < 0.5 for _ in range(n)], np.bool_)
    info = np.iinfo(NAMES[dtype])
    small = rng.choice((3, 12, 150, 10**6, info.max))
    pick = lambda: rng.randint(max(info.min, -small - (small == info.max)), min(info.max, small))
    return np.array([pick() for _ in range(n)], NAMES[dtype])


def views(rng, base, shape):
    a = base.reshape(shape)
    for _ in range(rng.randrange(3)):
        op = rng.randrange(4)
        if op == 0:
            a = a.transpose(rng.sample(range(a.ndim), a.ndim))
        elif op == 1:
            a = a[tuple(slice(None, None, rng.choice((1, -1, 2, -2))) for _ in range(a.ndim))]
        elif op == 2 and a.ndim < 4 and a.size <= 20:
            a = np.broadcast_to(a, (rng.randint(1, 3),) + a.shape)
        elif op == 3 and a.ndim and a.shape[0]:
            a = a[rng.randrange(a.shape[0])] if a.ndim > 1 else a[rng.randrange(a.shape[0]):]
    return a


def main():
    rng = random.Random(20260101)
    out = []
    hand = [
        [1.0, 2.5], [1e8, 1.0], [99999999.0], [1e6], [999999.0], [123456.0, 0.5], [1e-4], [9.9e-5], [1.0, 1000.0],
        [1.0, 1000.5], [0.1, 0.2, 0.3], [1 / 3, 2 / 3], [math.nan], [math.inf, -math.inf], [math.nan, -1.0], [-0.0, 0.0],
        [math.nan, 1e10], [-math.inf, 1e-300], [1e100, 1.0, -1e-100], [5e-324], [1.7976931348623157e308], [3.4e38],
        [1.4e-45], [2.0**-44, 1.0], [9007199254740993.0], [16777217.0, 1.0], [0.30000000000000004, 1.0],
        [1.23456789012, 2.0], [0.999999999], [9.9999999999e9, 1.0], [0.1, 1.2345678e-7], [100.0, 0.001], [65504.0],
        [1e16], [1e15], [123456789012345.0], [2.5e-05], [1.0 + 2.0**-23], [1.0 - 2.0**-24], [300.0, 258.0, 1e5],
    ]
    for dtype in ("f32", "f64", "bf16", "f16"):
        for h in hand:
            with np.errstate(all="ignore"):
                a = np.array(h, NAMES[dtype])
            a = to_bf16(a) if dtype == "bf16" else a
            case(out, dtype, a, a)
            for i in range(len(a)):
                case(out, dtype, a[i:i + 1], a[i:i + 1].reshape(()))
    parts = (0.0, -0.0, 1.0, -2.5, math.nan, math.inf, -math.inf, 1e-5, 1e7)
    for re in parts:
        for im in parts:
            a = np.empty(1, np.complex64)
            a.real, a.imag = re, im
            case(out, "c64", a, a.reshape(()))
            case(out, "c64", a, a)
    for dtype in NAMES:
        for shape in ((0,), (0, 3), (3, 0), (2, 0, 4)):
            a = np.zeros(0, NAMES[dtype])
            case(out, dtype, a, a.reshape(shape))
        for _ in range(40):
            a = values(rng, 1, dtype)
            case(out, dtype, a, a.reshape(()), (rng.choice((8, 8, 3)), rng.choice((1000, 0)), 3, 75, 0))
        shapes = ((3,), (7,), (24,), (2, 3), (3, 2), (1, 1), (4, 5), (2, 2, 3), (1, 3, 2), (2, 1, 2, 2), (2, 2, 2, 2), (30,))
        for _ in range(170):
            shape = rng.choice(shapes)
            a = values(rng, math.prod(shape), dtype)
            case(out, dtype, a, views(rng, a, shape))
        for _ in range(100):
            shape = rng.choice(shapes)
            a = values(rng, math.prod(shape), dtype)
            options = (rng.choice((0, 1, 2, 3, 5, 8, 12, 17, 20)), rng.choice((0, 4, 10, 1000)), rng.choice((0, 1, 2, 3)),
                       rng.choice((1, 10, 20, 40, 75, 120)), rng.randrange(2))
            case(out, dtype, a, views(rng, a, shape), options)
        for shape in ((1000,), (1001,), (30, 40), (5, 300), (300, 5), (2, 3, 400), (11, 11, 11), (7, 6, 5, 8), (1001, 1)):
            for make in (lambda a: a, lambda a: a.T, lambda a: a[::-1, ...]):
                if shape == (1000,) and dtype not in ("f32", "i32") or len(shape) > 2 and rng.random() < 0.6:
                    continue
                tiled = Tiled(values(rng, 23, dtype), shape, make)
                case(out, dtype, None, tiled, times=tiled.times)
    data = "".join(out)
    sys.stdout.write("# text_goldens.py, NumPy %s\n%s" % (np.__version__, data))


main()
