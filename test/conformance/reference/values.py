# values.py - arrays with a dtype and a tolerance, and the table of ops
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

LONG = np.longdouble
assert np.finfo(LONG).nmant >= 63, "expected an 80-bit long double"
NUMPY = {"bool": np.bool_, "u8": np.uint8, "i8": np.int8, "i16": np.int16, "u16": np.uint16, "i32": np.int32, "i64": np.int64, "u32": np.uint32, "u64": np.uint64, "bf16": np.float32,
         "f32": np.float32, "f64": np.float64, "c64": np.complex64, "c128": np.complex128, "long": LONG}
MANTISSA = {"bf16": 8, "f32": 24, "f64": 53}
PARTS = {"c64": "f32", "c128": "f64"}
FLOATS = ("bf16", "f32", "f64", "long")


class Result:
    """An array, its dtype, and the largest allowed difference (None: equal by bits)."""

    def __init__(self, values, dtype, tolerance=None):
        self.values, self.dtype, self.tolerance = np.asarray(values), dtype, tolerance


def round_bf16(x):
    """Nearest even, from any float, in one rounding."""
    x = np.asarray(x)
    narrow = x.astype(np.float32)
    if x.dtype != np.float32:
        # Round to odd first: the last bit of f32 remembers that something was cut off.
        bits = narrow.view(np.uint32).copy() if narrow.ndim else narrow.reshape(1).view(np.uint32).copy()
        wide = x.reshape(bits.shape)
        back = narrow.reshape(bits.shape).astype(x.dtype)
        with np.errstate(all="ignore"):
            away = np.abs(back) > np.abs(wide)
            inexact = (back != wide) & np.isfinite(wide)
        bits = np.where(inexact & away, bits - 1, bits)
        bits = np.where(inexact, bits | 1, bits)
        narrow = bits.astype(np.uint32).view(np.float32).reshape(x.shape)
    bits = np.ascontiguousarray(narrow).reshape(-1).view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32).reshape(x.shape)
    return np.where(np.isnan(narrow), np.float32(np.nan), rounded)


def rounded(x, dtype):
    """A float of any width as one of `dtype`."""
    with np.errstate(all="ignore"):
        return round_bf16(x) if dtype == "bf16" else np.asarray(x).astype(NUMPY[dtype])


def ulp(x, dtype):
    """The distance to the next number, of the magnitude of x."""
    bits = MANTISSA[dtype]
    low = {"bf16": -126, "f32": -126, "f64": -1022}[dtype]
    x = np.abs(np.asarray(x).astype(LONG))
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(np.where(np.isfinite(x), x, LONG(1)))
    exponent = np.maximum(exponent - 1, low)
    return np.ldexp(np.ones(x.shape, LONG), exponent - (bits - 1))


def near(values, dtype, ulps, scale=None, step=None):
    """A result computed in long double, allowed `ulps` of its own dtype (of `step`, if given, and half one of its own)."""
    if dtype == "long":
        return Result(values, dtype)
    scale = np.abs(values) if scale is None else np.maximum(np.abs(values), scale)
    result = rounded(values, dtype)
    if ulps == 0:
        return Result(result, dtype)
    tolerance = ulps * ulp(scale, dtype)
    if step and MANTISSA[step] > MANTISSA[dtype]:
        tolerance = ulp(values, dtype) + ulps * ulp(scale, step)
    return Result(result, dtype, np.broadcast_to(tolerance, result.shape))


class Call:
    def __init__(self, inputs, dtypes, attributes, dtype, ulps):
        self.x, self.dtypes, self.a, self.dtype, self.ulps = inputs, dtypes, attributes, dtype, ulps

    def long(self, i=0):
        return self.x[i].astype(LONG)

    def exact(self, values, dtype=None):
        """A float result of correctly rounded arithmetic in f32 (bf16), f32, f64 or long double."""
        dtype = dtype or self.dtypes[-1]
        return [Result(round_bf16(values) if dtype == "bf16" else values, dtype)]


OPS = {}


def op(name):
    def add(function):
        OPS[name] = function
        return function
    return add


def moved(name):
    """An op whose result has the dtype of its first input."""
    def add(function):
        OPS[name] = lambda c: [Result(function(c), c.dtypes[0])]
        return function
    return add
