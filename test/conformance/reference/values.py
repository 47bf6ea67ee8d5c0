# values.py - arrays with a dtype and a tolerance, and the table of ops
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

LONG = np.longdouble
assert np.finfo(LONG).nmant >= 63, "expected an 80-bit long double"
# Narrow floats are held as float32, which holds their numbers.
NUMPY = {"bool": np.bool_, "u8": np.uint8, "i8": np.int8, "i16": np.int16, "u16": np.uint16, "i32": np.int32,
         "i64": np.int64, "u32": np.uint32, "u64": np.uint64, "bf16": np.float32, "f16": np.float32,
         "f8e4m3fn": np.float32, "f8e5m2": np.float32, "f32": np.float32, "f64": np.float64, "c64": np.complex64,
         "c128": np.complex128, "long": LONG}
# Of narrow floats: bits, the smallest exponent of a normal number, and the largest number.
NARROW = {"bf16": (8, -126, 2.0**127 * (2 - 2.0**-7)), "f16": (11, -14, 65504.0), "f8e4m3fn": (4, -6, 448.0),
          "f8e5m2": (3, -14, 57344.0)}
MANTISSA = {"f8e5m2": 3, "f8e4m3fn": 4, "bf16": 8, "f16": 11, "f32": 24, "f64": 53}
PARTS = {"c64": "f32", "c128": "f64"}
FLOATS = ("bf16", "f16", "f8e4m3fn", "f8e5m2", "f32", "f64", "long")


class Result:
    """An array, its dtype, and the largest allowed difference (None: equal by bits)."""

    def __init__(self, values, dtype, tolerance=None):
        self.values, self.dtype, self.tolerance = np.asarray(values), dtype, tolerance


def round_narrow(x, dtype):
    """Nearest even, from any float, in one rounding: to multiples of the last bit's value, exactly."""
    bits, lowest, largest = NARROW[dtype]
    x = np.asarray(x)
    wide = x.astype(LONG)
    finite = np.where(np.isfinite(wide), wide, LONG(0))
    _, exponent = np.frexp(finite)
    exponent = np.maximum(exponent - 1, lowest) - (bits - 1)
    result = np.ldexp(np.rint(np.ldexp(finite, -exponent)), exponent)
    past = np.where(dtype == "f8e4m3fn", LONG(np.nan), LONG(np.inf))
    result = np.where(np.isfinite(wide) & (np.abs(result) <= largest), result, np.copysign(past, wide))
    return np.where(np.isnan(wide), np.float32(np.nan), result.astype(np.float32)).astype(np.float32)


def rounded(x, dtype):
    """A float of any width as one of `dtype`."""
    with np.errstate(all="ignore"):
        return round_narrow(x, dtype) if dtype in NARROW else np.asarray(x).astype(NUMPY[dtype])


def ulp(x, dtype):
    """The distance to the next number, of the magnitude of x."""
    bits = MANTISSA[dtype]
    low = {"f8e5m2": -14, "f8e4m3fn": -6, "bf16": -126, "f16": -14, "f32": -126, "f64": -1022}[dtype]
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
    """`held`: the inputs that stay where they are while a difference moves `inputs`."""

    def __init__(self, inputs, dtypes, attributes, dtype, ulps, held=None):
        self.x, self.dtypes, self.a, self.dtype, self.ulps = inputs, dtypes, attributes, dtype, ulps
        self.held = inputs if held is None else held

    def long(self, i=0):
        return self.x[i].astype(LONG)

    def exact(self, values, dtype=None):
        """A float result of correctly rounded arithmetic in f32 (narrow floats too), f64 or long double."""
        dtype = dtype or self.dtypes[-1]
        return [Result(rounded(values, dtype) if dtype in NARROW else values, dtype)]


OPS = {}


def op(*names):
    def add(function):
        OPS.update(dict.fromkeys(names, function))
        return function
    return add


def moved(name):
    """An op whose result has the dtype of its first input."""
    def add(function):
        OPS[name] = lambda c: [Result(function(c), c.dtypes[0])]
        return function
    return add
