# reference.py - what every op means, in NumPy.
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Computes the expected results of the conformance matrix.

usage: reference.py CASES INPUTS RESULTS VALUES

CASES has a JSON object a line: id, op, column, dtype, attributes, mapped, ulp, inputs (dtype, dims, offset into
INPUTS). RESULTS gets `case ID COUNT` and COUNT lines `DTYPE FORM RANK DIMS... OFFSET TOLERANCE`: values lie in
VALUES at OFFSET, as i64 (FORM i), f64 (f) or pairs of f64 (c); TOLERANCE is the offset of an absolute tolerance per
element (f64), or -1: equal by bits. A case that fails here gets `error ID MESSAGE`.

Nothing here is read from Tenon. Exactly rounded ops and the tree of a sum are computed in the dtype itself; others in
80-bit long double and rounded once. Derivatives are central differences in long double, extrapolated once. bf16 is
held in f32, rounded after each op.
"""
import json
import math
import sys

import numpy as np

LONG = np.longdouble
assert np.finfo(LONG).nmant >= 63, "expected an 80-bit long double"
NUMPY = {"bool": np.bool_, "u8": np.uint8, "i32": np.int32, "i64": np.int64, "u32": np.uint32, "bf16": np.float32,
         "f32": np.float32, "f64": np.float64, "c64": np.complex64, "long": LONG}
MANTISSA = {"bf16": 8, "f32": 24, "f64": 53}
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


# ---------------------------------------------------------------------------------------------------------------------
# Elementwise
# ---------------------------------------------------------------------------------------------------------------------


def complex_of(real, imag):
    out = np.empty(real.shape, np.complex64)
    out.real, out.imag = real, imag
    return out


@op("add")
def _(c):
    if c.dtypes[0] == "bool":
        return [Result(c.x[0] | c.x[1], "bool")]
    return c.exact(c.x[0] + c.x[1])


@op("subtract")
def _(c):
    return c.exact(c.x[0] - c.x[1])


@op("multiply")
def _(c):
    a, b = c.x
    if c.dtypes[0] == "bool":
        return [Result(a & b, "bool")]
    if c.dtypes[0] == "c64":
        a, b = np.broadcast_arrays(a, b)
        return [Result(complex_of(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real), "c64")]
    return c.exact(a * b)


@op("divide")
def _(c):
    return c.exact(c.x[0] / c.x[1])


def maximum(a, b):
    """IEEE 754-2019 maximum."""
    a, b = np.broadcast_arrays(a, b)
    if a.dtype.kind != "f":
        return np.maximum(a, b)
    out = np.where(a > b, a, np.where(b > a, b, np.where(np.signbit(a), b, a)))
    return np.where(np.isnan(a) | np.isnan(b), a.dtype.type(np.nan), out)


def minimum(a, b):
    return -maximum(-a, -b) if np.asarray(a).dtype.kind == "f" else np.minimum(a, b)


@op("maximum")
def _(c):
    return [Result(maximum(*c.x), c.dtypes[0])]


@op("minimum")
def _(c):
    return [Result(minimum(*c.x), c.dtypes[0])]


@op("relu")
def _(c):
    return [Result(maximum(c.x[0], c.x[0].dtype.type(0)), c.dtypes[0])]


@op("clip")
def _(c):
    x, kind = c.x[0], c.x[0].dtype.type
    lo = c.x[1] if len(c.x) > 1 else c.a.get("lo")
    hi = c.x[2] if len(c.x) > 2 else c.a.get("hi")
    if lo is not None:
        x = maximum(x, np.asarray(lo, kind))
    if hi is not None:
        x = minimum(x, np.asarray(hi, kind))
    return [Result(x, c.dtypes[0])]


@op("logical_and")
def _(c):
    return [Result(c.x[0] & c.x[1], "bool")]


@op("right_shift")
def _(c):
    x, count = np.broadcast_arrays(*c.x)
    bits = 8 * x.dtype.itemsize
    inside = (count >= 0) & (count < bits)
    return [Result(np.where(inside, x >> np.where(inside, count, 0).astype(x.dtype), np.where(x < 0, -1, 0).astype(x.dtype)),
                   c.dtypes[0])]


for name, compare in {"less_equal": np.less_equal, "equal": np.equal, "less": np.less, "greater": np.greater,
                      "greater_equal": np.greater_equal, "not_equal": np.not_equal}.items():
    OPS[name] = lambda c, compare=compare: [Result(compare(*c.x), "bool")]


@op("negative")
def _(c):
    return [Result(-c.x[0], c.dtypes[0])]


@op("abs")
def _(c):
    return [Result(np.abs(c.x[0]), c.dtypes[0])]


@op("sqrt")
def _(c):
    return c.exact(np.sqrt(c.x[0]))


for name, function in {"exp": np.exp, "log": np.log, "tanh": np.tanh, "cbrt": np.cbrt}.items():
    OPS[name] = lambda c, function=function: [near(function(c.long()), c.dtypes[0], c.ulps)]


def erf_inv(x):
    """Newton's method on libm's erf and erfc, in double."""
    def one(y):
        if math.isnan(y) or abs(y) > 1:
            return math.nan
        if abs(y) == 1:
            return math.copysign(math.inf, y)
        a = abs(y)
        if a < 1e-8:
            return y * math.sqrt(math.pi) / 2
        w = -math.log((1 - a) * (1 + a))
        guess = math.sqrt(math.sqrt((4.33 + w / 2) ** 2 - w / 0.147 * -1) - (4.33 - w / 2)) if a > 0.5 else a * 0.9
        for _ in range(60):
            off = math.erf(guess) - a if a < 0.5 else (1 - a) - math.erfc(guess)
            step = off * math.sqrt(math.pi) / 2 * math.exp(min(guess * guess, 700))
            step = max(-0.5, min(0.5, step))
            guess -= step
            if abs(step) <= 1e-17 * abs(guess):
                break
        return math.copysign(guess, y)
    flat = [one(float(v)) for v in np.asarray(x).reshape(-1)]
    return np.array(flat, np.float64).reshape(np.shape(x)).astype(LONG)


@op("erf_inv")
def _(c):
    return [near(erf_inv(c.x[0]), c.dtypes[0], c.ulps, step="f32")]


@op("where")
def _(c):
    return [Result(np.where(c.x[0] != 0, c.x[1], c.x[2]), c.dtypes[1])]


@op("astype")
def _(c):
    x, to = c.x[0], c.a["dtype"]
    if c.dtypes[0] == "long":  # a derivative: conversions between floats are the identity
        return [Result(x if to in FLOATS else rounded(np.trunc(x), "f64"), "long")]
    if to == c.dtypes[0]:
        return [Result(x, to)]
    if to == "bool":
        return [Result(x != 0, to)]
    if to == "c64":
        return [Result(complex_of(rounded(x, "f32"), np.zeros(x.shape, np.float32)), to)]
    if to in FLOATS:
        if x.dtype.kind in "iub":  # through long double, which holds every integer
            return [Result(rounded(x.astype(LONG), to), to)]
        return [Result(rounded(x, to), to)]
    if x.dtype.kind == "f":
        info = np.iinfo(NUMPY[to])
        wide = np.trunc(np.where(np.isnan(x), 0, x).astype(LONG))
        high, low = wide >= LONG(info.max), wide <= LONG(info.min)
        inside = np.where(high | low, 0, wide)
        # A long double to i64 exactly, then narrower.
        values = np.where(high, info.max, np.where(low, info.min, inside.astype(np.int64)))
        return [Result(values.astype(NUMPY[to]), to)]
    return [Result(x.astype(NUMPY[to]), to)]


# ---------------------------------------------------------------------------------------------------------------------
# Reductions
# ---------------------------------------------------------------------------------------------------------------------


def sum_group(x, is_innermost):
    """Sums the middle axis of [outer, group, inner] by Tenon's tree."""
    kind = x.dtype.type
    length = x.shape[1]
    if length == 0:
        return np.zeros((x.shape[0], x.shape[2]), kind)
    blocks = []
    for start in range(0, length, 4096):
        block = x[:, start:start + 4096]
        lanes = 16 if is_innermost else 1
        rest = -block.shape[1] % lanes
        if rest:
            block = np.concatenate([block, np.full((x.shape[0], rest, x.shape[2]), -0.0, kind)], 1)
        block = block.reshape(x.shape[0], block.shape[1] // lanes, lanes, x.shape[2])
        total = np.full((x.shape[0], lanes, x.shape[2]), -0.0, kind)
        for i in range(block.shape[1]):
            total = total + block[:, i]
        while total.shape[1] > 1:
            half = total.shape[1] // 2
            total = total[:, :half] + total[:, half:]
        blocks.append(total[:, 0])
    while len(blocks) > 1:
        blocks = [blocks[i] + blocks[i + 1] if i + 1 < len(blocks) else blocks[i] for i in range(0, len(blocks), 2)]
    return blocks[0]


def sum_tree(x, axes):
    """Floating sum over `axes`, kept: maximal runs of neighbouring axes, the innermost first."""
    axes = sorted(axis % x.ndim for axis in axes)
    shape = [1 if i in axes else n for i, n in enumerate(x.shape)]
    groups = []
    for axis in axes:
        if groups and groups[-1][-1] + 1 == axis:
            groups[-1].append(axis)
        else:
            groups.append([axis])
    for group in reversed(groups):
        first, last = group[0], group[-1] + 1
        outer, inner = math.prod(x.shape[:first]), math.prod(x.shape[last:])
        flat = x.reshape(outer, math.prod(x.shape[first:last]), inner)
        kept = list(x.shape[:first]) + [1] * len(group) + list(x.shape[last:])
        x = sum_group(flat, last == x.ndim).reshape(kept)
    return x.reshape(shape)


def total(x, dtype, axes, keepdims):
    """The sum and its dtype, before the one rounding of bf16."""
    axes = tuple(axes)
    if x.dtype.kind in "biu":
        out = {"bool": "i32", "u8": "u32"}.get(dtype, dtype)
        return np.sum(x.astype(NUMPY[out]), axis=axes, keepdims=keepdims, dtype=NUMPY[out]), out
    if dtype == "long":
        return np.sum(x, axis=axes, keepdims=keepdims), dtype
    if not axes:
        return x, dtype
    out = sum_tree(x, axes)
    return (out if keepdims else out.reshape([n for i, n in enumerate(x.shape) if i not in axes])), dtype


@op("sum")
def _(c):
    values, dtype = total(c.x[0], c.dtypes[0], c.a["axes"], c.a["keepdims"])
    return c.exact(values, dtype)


@op("mean")
def _(c):
    x, dtype, axes = c.x[0], c.dtypes[0], c.a["axes"]
    count = math.prod(x.shape[axis] for axis in axes)
    values, _ = total(x, dtype, axes, c.a["keepdims"])
    if dtype == "long":
        return [Result(values / LONG(count), dtype)]
    values = rounded(values, dtype)
    return [near((values.astype(LONG) / LONG(count)), dtype, c.ulps)]


@op("max")
def _(c):
    x, axes = c.x[0], tuple(c.a["axes"])
    values = np.max(x, axis=axes, keepdims=True)
    if x.dtype.kind == "f":
        positive = np.any((x == 0) & ~np.signbit(x), axis=axes, keepdims=True)
        values = np.where(values == 0, np.where(positive, x.dtype.type(0.0), x.dtype.type(-0.0)), values)
    kept = values.shape
    return [Result(values if c.a["keepdims"] else values.reshape([n for i, n in enumerate(kept) if i not in axes]),
                   c.dtypes[0])]


@op("argmax")
def _(c):
    if c.a["axis"] is None:
        values = np.argmax(c.x[0].reshape(-1))
        return [Result(np.asarray(values).reshape([1] * c.x[0].ndim if c.a["keepdims"] else []), "i64")]
    return [Result(np.argmax(c.x[0], axis=c.a["axis"], keepdims=c.a["keepdims"]), "i64")]


def shifted(c):
    x = c.long()
    if x.size == 0:
        return x, x, x
    largest = np.max(x, axis=c.a["axis"], keepdims=True)
    return x, largest, x - largest


@op("softmax")
def _(c):
    _, _, shift = shifted(c)
    weights = np.exp(shift)
    return [near(weights / np.sum(weights, axis=c.a["axis"], keepdims=True), c.dtypes[0], c.ulps)]


@op("log_softmax")
def _(c):
    x, largest, shift = shifted(c)
    rest = np.log(np.sum(np.exp(shift), axis=c.a["axis"], keepdims=True))
    return [near(shift - rest, c.dtypes[0], c.ulps, np.abs(x) + np.abs(largest) + np.abs(rest))]


# ---------------------------------------------------------------------------------------------------------------------
# Movement, creation
# ---------------------------------------------------------------------------------------------------------------------


def moved(name):
    def add(function):
        OPS[name] = lambda c: [Result(function(c), c.dtypes[0])]
        return function
    return add


moved("reshape")(lambda c: c.x[0].reshape(c.a["shape"]))
moved("broadcast_to")(lambda c: np.broadcast_to(c.x[0], c.a["shape"]))
moved("transpose")(lambda c: np.transpose(c.x[0], c.a["permutation"]))
moved("slice")(lambda c: c.x[0][tuple(slice(*at) for at in zip(c.a["starts"], c.a["stops"], c.a["steps"]))])
moved("concatenate")(lambda c: np.concatenate(c.x, axis=c.a["axis"]))


@moved("pad")
def _(c):
    x, a = c.x[0], c.a
    interior = a["interior"]
    inner = [n + max(n - 1, 0) * k for n, k in zip(x.shape, interior)]
    out = np.full([low + n + high for low, n, high in zip(a["low"], inner, a["high"])], c.x[1], x.dtype)
    out[tuple(slice(low, low + n, k + 1) for low, n, k in zip(a["low"], inner, interior))] = x
    return out


@op("split")
def _(c):
    cuts = np.cumsum(c.a["sizes"])[:-1]
    return [Result(piece, c.dtypes[0]) for piece in np.split(c.x[0], cuts, axis=c.a["axis"])]


def full(dtype, shape, value):
    return [Result(np.full(shape, value, NUMPY[dtype]), dtype)]


OPS["full"] = lambda c: full(c.dtype, c.a["shape"], c.a["value"])
OPS["zeros"] = lambda c: full(c.dtype, c.a["shape"], 0)
OPS["ones"] = lambda c: full(c.dtype, c.a["shape"], 1)


@op("arange")
def _(c):
    kind = NUMPY[c.dtype]
    index = np.arange(c.a["length"])
    if c.dtype in FLOATS:
        # start + i * step in the dtype's arithmetic; bf16 rounds at the end alone.
        start, step = (rounded(np.float64(c.a[key]), c.dtype) for key in ("start", "step"))
        return c.exact(start + index.astype(kind) * step, c.dtype)
    return [Result((c.a["start"] + index * c.a["step"]).astype(kind), c.dtype)]


@op("dimension")
def _(c):
    return [Result(np.int64(c.x[0].shape[c.a["axis"]]), "i64")]


@op("one_hot")
def _(c):
    values = c.x[0][..., None].astype(np.int64) == np.arange(c.a["classes"])
    return [Result(values.astype(NUMPY[c.a["dtype"]]), c.a["dtype"])]


OPS["optimization_barrier"] = lambda c: [Result(x, dtype) for x, dtype in zip(c.x, c.dtypes)]
OPS["print"] = lambda c: [Result(c.x[0], c.dtypes[0])]

# ---------------------------------------------------------------------------------------------------------------------
# Contraction, random numbers
# ---------------------------------------------------------------------------------------------------------------------


@op("matmul")
def _(c):
    a, b = c.x
    if a.dtype.kind in "iu":
        return [Result(np.matmul(a, b), c.dtypes[0])]
    if c.dtypes[0] == "c64":
        values = np.matmul(a.astype(np.complex128), b.astype(np.complex128))
        scale = np.matmul(np.abs(a).astype(LONG), np.abs(b).astype(LONG))
        return [Result(values.astype(np.complex64), "c64", c.ulps * ulp(scale, "f32"))]
    a, b = a.astype(LONG), b.astype(LONG)
    return [near(np.matmul(a, b), c.dtypes[0], c.ulps, np.matmul(np.abs(a), np.abs(b)), step="f32")]


def threefry(key, high, low):
    """Threefry-2x32, 20 rounds. Source: Salmon et al., SC 2011."""
    def rotate(x, by):
        return (x << np.uint32(by)) | (x >> np.uint32(32 - by))
    k0, k1 = np.uint32(key[0]), np.uint32(key[1])
    keys = [k0, k1, k0 ^ k1 ^ np.uint32(0x1BD11BDA)]
    with np.errstate(all="ignore"):
        x0, x1 = high + keys[0], low + keys[1]
        for i in range(5):
            for by in ((13, 15, 26, 6), (17, 29, 16, 24))[i % 2]:
                x0 = x0 + x1
                x1 = rotate(x1, by) ^ x0
            x0 = x0 + keys[(i + 1) % 3]
            x1 = x1 + keys[(i + 2) % 3] + np.uint32(i + 1)
    return x0, x1


def random_words(keys, shape):
    """Both words, [..., shape, 2]: JAX's counters with jax_threefry_partitionable=True."""
    index = np.arange(math.prod(shape), dtype=np.uint64)
    out = []
    for key in keys.reshape(-1, 2):
        pair = threefry(key, (index >> np.uint64(32)).astype(np.uint32), index.astype(np.uint32))
        out.append(np.stack(pair, -1).reshape(list(shape) + [2]))
    return np.array(out, np.uint32).reshape(list(keys.shape[:-1]) + list(shape) + [2])


def random_bits(keys, shape):
    words = random_words(keys, shape)
    return words[..., 0] ^ words[..., 1]


@op("bits")
def _(c):
    words = random_words(c.x[0], c.a["shape"])
    return [Result(words if c.a["words"] == 2 else words[..., 0] ^ words[..., 1], "u32")]


def uniform(key, shape, dtype, low, high):
    kind = NUMPY[dtype]
    if dtype == "f32":
        unit = ((random_bits(key, shape) >> np.uint32(9)) | np.uint32(0x3F800000)).view(np.float32) - kind(1)
    else:
        words = random_words(key, shape).astype(np.uint64)
        mantissa = (words[..., 0] << np.uint64(32) | words[..., 1]) >> np.uint64(12)
        unit = (mantissa | np.uint64(0x3FF0000000000000)).view(np.float64) - kind(1)
    low, high = kind(low), kind(high)
    return np.maximum(low, unit * (high - low) + low)


@op("random.uniform")
def _(c):
    return [Result(uniform(c.x[0], c.a["shape"], c.dtype, c.a["low"], c.a["high"]), c.dtype)]


@op("random.normal")
def _(c):
    kind = NUMPY[c.dtype]
    numbers = uniform(c.x[0], c.a["shape"], c.dtype, np.nextafter(kind(-1), kind(0)), 1)
    return [near(np.sqrt(LONG(2)) * erf_inv(numbers), c.dtype, c.ulps)]


# ---------------------------------------------------------------------------------------------------------------------
# Control flow: the functions of ControlCases.cpp
# ---------------------------------------------------------------------------------------------------------------------


def arithmetic(c, number=0):
    """x + y and x * y in the dtype of an input."""
    dtype = c.dtypes[number]

    def apply(name):
        return lambda x, y: OPS[name](Call([x, y], [dtype, dtype], {}, dtype, 0))[0].values
    return apply("add"), apply("multiply")


@op("call")
def _(c):
    add, multiply = arithmetic(c)
    return [Result(add(multiply(c.x[0], c.x[1]), c.x[0]), c.dtypes[0])]


@op("cond")
def _(c):
    add, multiply = arithmetic(c, 1)
    return [Result((multiply if c.x[0] else add)(c.x[1], c.x[2]), c.dtypes[1])]


@op("scan")
def _(c):
    add, multiply = arithmetic(c)
    carry, out = c.x[0], []
    rows = c.x[1][::-1] if c.a["reverse"] else c.x[1]
    for row in rows:
        carry = add(multiply(carry, row), c.x[2])
        out.append(add(carry, row))
    if c.a["reverse"]:
        out.reverse()
    return [Result(carry, c.dtypes[0]), Result(np.array(out, c.x[1].dtype).reshape(c.x[1].shape), c.dtypes[0])]


@op("while_loop")
def _(c):
    add, multiply = arithmetic(c)
    x, count = c.x[0], 0
    while count < c.a["rounds"]:
        x, count = add(multiply(x, c.x[1]), x), count + 1
    return [Result(x, c.dtypes[0]), Result(np.int32(count), "i32")]


# ---------------------------------------------------------------------------------------------------------------------
# Random programs (Programs.cpp): steps over a growing list of values, the last one is the result.
# ---------------------------------------------------------------------------------------------------------------------


@op("program")
def _(c):
    values = list(c.x)
    for step in c.a["steps"]:
        name, args = step[0], [values[i] for i in step[1:]]
        call = Call(args, [c.dtypes[0]] * len(args), {"axes": [1], "keepdims": True, "axis": 1}, c.dtype, 0)
        values.append(OPS[name](call)[0].values)
    return [Result(values[-1], c.dtypes[0])]


# ---------------------------------------------------------------------------------------------------------------------
# Columns
# ---------------------------------------------------------------------------------------------------------------------


def loss(name, inputs, dtypes, attributes, dtype):
    """What grad differentiates: see `loss` in Columns.cpp."""
    outs = OPS[name](Call(inputs, dtypes, attributes, dtype, 0))
    value = LONG(0)
    for number, out in enumerate(outs):
        y = np.asarray(out.values).astype(LONG)
        value = value + (number + 1) * np.sum(y * (y * LONG(0.5) + 1))
    return value


def gradient(name, inputs, dtypes, attributes, dtype):
    """Central differences, extrapolated once (error h^4)."""
    h = LONG(1) / 1024
    out = []
    for number, x in enumerate(inputs):
        if dtypes[number] != "long":
            out.append(None)
            continue
        slope = np.zeros(x.shape, LONG)
        for index in np.ndindex(x.shape):
            def at(step):
                moved_inputs = list(inputs)
                moved_inputs[number] = x.copy()
                moved_inputs[number][index] += step
                return loss(name, moved_inputs, dtypes, attributes, dtype)
            near_slope = (at(h) - at(-h)) / (2 * h)
            far_slope = (at(2 * h) - at(-2 * h)) / (4 * h)
            slope[index] = (4 * near_slope - far_slope) / 3
        out.append(slope)
    return out


def gradient_gradient(name, inputs, dtypes, attributes, dtype):
    """Of the sum of x * gradient(x): gradient + H x."""
    k = LONG(1) / 1024

    def along(t):
        moved_inputs = [np.asarray(x * (1 + t)) if tag == "long" else x for x, tag in zip(inputs, dtypes)]
        return gradient(name, moved_inputs, dtypes, attributes, dtype)
    here, a, b, c, d = along(LONG(0)), along(k), along(-k), along(2 * k), along(-2 * k)
    out = []
    for i in range(len(inputs)):
        if here[i] is None:
            out.append(None)
        else:
            out.append(here[i] + (8 * (a[i] - b[i]) - (c[i] - d[i])) / (12 * k))
    return out


# What is allowed from a finite difference, in units of the largest derivative, per order.
SLACK = {"bf16": 2.0**-4, "f32": 2.0**-17, "f64": 1e-8}


def one(case, inputs, dtypes):
    name, column = case["op"], case["column"]
    attributes, dtype = case["attributes"], case["dtype"]
    if column in ("f", "vmap"):
        return OPS[name](Call(inputs, dtypes, attributes, dtype, case["ulp"]))
    wide = [x.astype(LONG) if tag in FLOATS else x for x, tag in zip(inputs, dtypes)]
    tags = ["long" if tag in FLOATS else tag for tag in dtypes]
    compute = gradient_gradient if column == "grad.grad" else gradient
    results = []
    for x, tag, slope in zip(inputs, dtypes, compute(name, wide, tags, attributes, dtype)):
        if slope is None:
            results.append(Result(np.zeros(x.shape, np.float32), "f32"))
            continue
        scale = max(1.0, float(np.max(np.abs(slope), initial=0))) * (4 if column == "grad.grad" else 1)
        # A conversion to a narrower float on the way decides.
        slack = max(SLACK[tag], SLACK.get(attributes.get("dtype"), 0))
        results.append(Result(rounded(slope, tag), tag, np.full(x.shape, slack * scale)))
    return results


def run(case, inputs):
    dtypes = [at["dtype"] for at in case["inputs"]]
    if not case["column"].startswith("vmap"):
        return one(case, inputs, dtypes)
    examples = []
    for number in range(case["batch"]):
        example = [x[number] if mapped else x for x, mapped in zip(inputs, case["mapped"])]
        examples.append(one(case, [np.asarray(x) for x in example], dtypes))
    results = []
    for parts in zip(*examples):
        tolerance = None
        if parts[0].tolerance is not None:
            tolerance = np.stack([np.broadcast_to(part.tolerance, part.values.shape) for part in parts])
        results.append(Result(np.stack([part.values for part in parts]), parts[0].dtype, tolerance))
    return results


def read(data, at):
    count = math.prod(at["dims"])
    if at["dtype"] == "bf16":
        bits = np.frombuffer(data, np.uint16, count, at["offset"]).astype(np.uint32) << np.uint32(16)
        return bits.astype(np.uint32).view(np.float32).reshape(at["dims"])
    return np.frombuffer(data, NUMPY[at["dtype"]], count, at["offset"]).reshape(at["dims"])


def main(cases, inputs, results, values):
    data = open(inputs, "rb").read()
    offset = 0
    with open(results, "w") as listing, open(values, "wb") as out:
        def write(array):
            nonlocal offset
            block = np.ascontiguousarray(array).tobytes()
            out.write(block)
            offset += len(block)
            return offset - len(block)
        for line in open(cases):
            case = json.loads(line)
            try:
                with np.errstate(all="ignore"):
                    answers = run(case, [read(data, at) for at in case["inputs"]])
            except Exception as error:  # reported by the test of this case
                listing.write(f"error {case['id']} {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}\n")
                continue
            listing.write(f"case {case['id']} {len(answers)}\n")
            for answer in answers:
                array = answer.values
                form, kind = {"f": ("f", np.float64), "c": ("c", np.complex128)}.get(array.dtype.kind, ("i", np.int64))
                with np.errstate(all="ignore"):
                    at = write(array.astype(kind))
                tolerance = -1
                if answer.tolerance is not None:
                    tolerance = write(np.broadcast_to(answer.tolerance, array.shape).astype(np.float64))
                dims = " ".join(str(n) for n in array.shape)
                listing.write(f"{answer.dtype} {form} {array.ndim} {dims} {at} {tolerance}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
