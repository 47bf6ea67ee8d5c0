# composites.py - activations, functions of an element, statistics and searches that are composed
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from elementwise import erfc_of
from reduction import PRODUCT, extremum, total
from values import LONG, NARROW, NUMPY, OPS, Result, near, op, rounded

PI = LONG(4) * np.arctan(LONG(1))


def close(c, values, scale=None, dtype=None):
    """A float, computed in f32 where its dtype is narrower."""
    return [near(values, dtype or c.dtypes[0], c.ulps, scale, step="f32")]


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def unless_lowest(x, factor):
    """x times what goes to 0 faster than x to -inf."""
    return np.where(x == -np.inf, LONG(0), x * factor)


def exprel(x, number):
    return np.where(x > 0, x, number * np.expm1(np.minimum(x, 0)))


def softplus(x):
    return np.logaddexp(x, LONG(0))


def ramp(x):
    return np.where(x <= 0, LONG(0), np.where(x >= 6, LONG(6), x))


def soft_sign(x):
    return np.where(np.isinf(x), np.sign(x), x / (1 + np.abs(x)))


def gelu(x, exactly=False):
    if exactly:
        t = -x / np.sqrt(LONG(2))
        return unless_lowest(x, np.where(t < -2, 2 - erfc_of(-t), erfc_of(t)) / 2)
    return unless_lowest(x, sigmoid(np.sqrt(8 / PI) * (x + LONG("0.044715") * x**3)))


SELU = LONG("1.0507009873554804934193349852946"), LONG("1.6732632423543772848170429916717")
FUNCTIONS = {
    "sigmoid": sigmoid, "softplus": softplus, "log_sigmoid": lambda x: -softplus(-x),
    "log1mexp": lambda x: np.where(x < 0.7, np.log(-np.expm1(-x)), np.log1p(-np.exp(-x))),
    "silu": lambda x: unless_lowest(x, sigmoid(x)), "swish": lambda x: unless_lowest(x, sigmoid(x)),
    "mish": lambda x: unless_lowest(x, np.tanh(softplus(x))), "selu": lambda x: SELU[0] * exprel(x, SELU[1]),
    "relu6": ramp, "hard_tanh": lambda x: np.where(x > 1, LONG(1), np.where(x < -1, LONG(-1), x)),
    "hard_sigmoid": lambda x: ramp(x + 3) / 6, "hard_swish": lambda x: unless_lowest(x, ramp(x + 3) / 6),
    "hard_silu": lambda x: unless_lowest(x, ramp(x + 3) / 6), "soft_sign": soft_sign, "softsign": soft_sign,
    "deg2rad": lambda x: x * PI / 180, "rad2deg": lambda x: x * 180 / PI}
for name, function in FUNCTIONS.items():
    OPS[name] = lambda c, function=function: close(c, function(c.long()))
OPS["gelu"] = lambda c: close(c, gelu(c.long(), "exactly" in c.a))

OF_NUMBER = {"elu": exprel, "celu": lambda x, a: np.where(x > 0, x, a * np.expm1(np.minimum(x, 0) / a)),
             "leaky_relu": lambda x, a: np.where(x < 0, a * x, x)}
for name, function in OF_NUMBER.items():
    OPS[name] = lambda c, function=function: close(c, function(c.long(), LONG(c.a["number"])))


def times_log(log):
    def of(x, y):
        return np.where((x == 0) & ~np.isnan(y), LONG(0), x * log(y))
    return of


OF_TWO = {"xlogy": times_log(np.log), "xlog1py": times_log(np.log1p), "logaddexp2": np.logaddexp2,
          "heaviside": np.heaviside}
for name, function in OF_TWO.items():
    def of_two(c, name=name, function=function):
        x, y = np.broadcast_arrays(c.long(0), c.long(1))
        # A sum's logarithm may be far smaller than what it is of.
        scale = np.fmax(np.abs(x), np.abs(y)) if name == "logaddexp2" else None
        return close(c, function(x, y), scale if scale is None else np.where(np.isfinite(scale), scale, 0))
    OPS[name] = of_two


@op("logit")
def _(c):
    x = c.long() * LONG(c.a.get("times", 1))
    return close(c, np.log(x / (1 - x)))


@op("sinc")
def _(c):
    y = PI * c.long() * LONG(c.a.get("times", 1))
    return close(c, np.where(y == 0, LONG(1), np.sin(y) / np.where(y == 0, LONG(1), y)), np.ones(y.shape))


@op("nan_to_num")
def _(c):
    x, dtype = c.x[0], c.dtypes[0]
    if x.dtype.kind != "f":
        return [Result(x, dtype)]
    largest = NARROW[dtype][2] if dtype in NARROW else np.finfo(x.dtype).max
    values = np.nan_to_num(x, nan=c.a.get("nan", 0), posinf=c.a.get("posinf", largest),
                           neginf=c.a.get("neginf", -largest))
    return [Result(values, dtype)]


@op("ldexp")
def _(c):
    return close(c, np.ldexp(c.long(0), c.x[1].astype(np.int32)))


@op("frexp")
def _(c):
    mantissa, exponent = np.frexp(c.long())
    exponent = np.where(np.isfinite(mantissa), exponent, 0).astype(np.int32)
    return close(c, mantissa) + ([] if c.a.get("mantissa") else [Result(exponent, "i32")])


@op("lerp")
def _(c):
    start, end, weight = (c.long(i) for i in range(3))
    return close(c, start + weight * (end - start), (np.abs(start) + np.abs(end)) * (1 + np.abs(weight)))


def is_close(c):
    return np.isclose(c.long(0), c.long(1), rtol=c.a["rtol"], atol=c.a["atol"], equal_nan=c.a["equal_nan"])


OPS["isclose"] = lambda c: [Result(is_close(c), "bool")]
OPS["allclose"] = lambda c: [Result(np.all(is_close(c)), "bool")]


# Reductions.


def over(c):
    return {"axis": tuple(c.a["axes"]), "keepdims": c.a["keepdims"]}


def with_nan(c):
    x = c.long()
    return np.where(x > 1, LONG(np.nan), x) if c.a["nan"] else x


@op("logsumexp")
def _(c):
    x = c.long()
    largest = np.max(x, axis=tuple(c.a["axes"]), keepdims=True)
    shift = np.where(np.isinf(largest), LONG(0), x - np.where(np.isinf(largest), LONG(0), largest))
    rest = np.log(np.sum(np.exp(shift), **over(c)))
    largest = largest.reshape(rest.shape)
    return close(c, np.where(np.isinf(largest), largest, largest + rest), np.abs(largest) + np.abs(rest))


def variance(c):
    return np.nanvar(with_nan(c), ddof=c.a["correction"], **over(c))


OPS["var"] = OPS["nanvar"] = lambda c: close(c, variance(c))
OPS["std"] = OPS["nanstd"] = lambda c: close(c, np.sqrt(variance(c)))
OPS["nanmean"] = lambda c: close(c, np.nanmean(with_nan(c), **over(c)), np.nanmax(np.abs(with_nan(c))))


def without_nan(c, instead):
    return np.where(np.isnan(c.x[0]), c.x[0].dtype.type(instead), c.x[0]) if c.x[0].dtype.kind == "f" else c.x[0]


for name, reduction, neutral in (("nansum", None, 0), ("nanprod", PRODUCT, 1)):
    def of_numbers(c, reduction=reduction, neutral=neutral):
        values, dtype = total(without_nan(c, neutral), c.dtypes[0], c.a["axes"], c.a["keepdims"],
                              *([reduction] if reduction else []))
        return c.exact(values, dtype)
    OPS[name] = of_numbers

for name, extreme, sign, neutral in (("nanmax", np.max, False, -np.inf), ("nanmin", np.min, True, np.inf)):
    def of_those(c, extreme=extreme, sign=sign, neutral=neutral):
        x = c.x[0]
        c.x = [without_nan(c, neutral)]
        [result] = extremum(c, extreme, sign)
        if x.dtype.kind == "f":
            result.values = np.where(np.all(np.isnan(x), **over(c)), x.dtype.type(np.nan), result.values)
        return [result]
    OPS[name] = of_those


@op("ptp")
def _(c):
    [high], [low] = extremum(c, np.max, False), extremum(c, np.min, True)
    with np.errstate(all="ignore"):
        return c.exact(high.values - low.values)


OPS["count_nonzero"] = lambda c: [Result(np.count_nonzero(c.x[0], **over(c)), "i64")]


@op("argmin")
def _(c):
    return [Result(np.argmin(c.x[0], axis=c.a["axis"], keepdims=c.a["keepdims"]), "i64")]


@op("average")
def _(c):
    x, axes = c.long(0), tuple(c.a["axes"])
    values = np.average(x, axis=axes, weights=c.long(1))
    return close(c, values, np.max(np.abs(x)))


def norm(x, order, **over):
    size = np.abs(x)
    if order == 0:
        return np.sum((x != 0).astype(x.dtype), **over)
    if np.isinf(order):
        return (np.max if order > 0 else np.min)(size, **over)
    return np.sum(size**order, **over)**(1 / order)


OPS["vector_norm"] = lambda c: close(c, norm(c.long(), LONG(c.a["ord"]), **over(c)))


@op("matrix_norm")
def _(c):
    x, order = c.long(), c.a["ord"]
    if order == "frobenius":
        return close(c, np.sqrt(np.sum(x * x, axis=(-2, -1), keepdims=True)))
    sums = np.sum(np.abs(x), axis=-2 if order.endswith("one") else -1, keepdims=True)
    return close(c, (np.min if order.startswith("minus") else np.max)(sums, axis=(-2, -1), keepdims=True))


@op("norm")
def _(c):
    axes, order = c.a["axes"], LONG(c.a["ord"])
    if len(axes) == 2:
        return close(c, np.max(np.sum(np.abs(c.long()), axis=axes[0], keepdims=True), axis=axes[1], keepdims=True))
    return close(c, norm(c.long(), order, axis=tuple(axes), keepdims=True))


@op("diff")
def _(c):
    x, axis = c.x[0], c.a["axis"]
    for _ in range(c.a["n"]):
        x = np.diff(x, axis=axis)
        x = rounded(x, c.dtypes[0]) if c.dtypes[0] in NARROW else x
    return [Result(x, c.dtypes[0])]


def quantile(c, q):
    values = np.quantile(c.long(), np.asarray(q, LONG), **over(c))
    return close(c, values, np.max(np.abs(c.long())))


OPS["median"] = lambda c: close(c, np.median(c.long(), **over(c)))
OPS["quantile"] = OPS["percentile"] = lambda c: quantile(c, c.a["q"])


# Searches.


OPS["searchsorted"] = lambda c: [Result(np.searchsorted(np.sort(c.x[0]), c.x[1], c.a["side"]), "i64")]
OPS["digitize"] = lambda c: [
    Result(np.digitize(c.x[0].astype(np.float64), np.sort(c.x[1].astype(np.float64)), c.a["right"]), "i64")]
def wide(x):
    return x.astype(np.clongdouble if x.dtype.kind == "c" else LONG)


OPS["isin"] = lambda c: [Result(np.isin(wide(c.x[0]), wide(c.x[1]) * 2), "bool")]


@op("bincount")
def _(c):
    x, length = c.x[0].astype(np.int64), c.a["length"]
    inside = (x >= 0) & (x < length)
    if len(c.x) == 1:
        return [Result(np.bincount(x[inside], minlength=length), "i64")]
    weights = c.long(1)
    sums = np.array([np.sum(weights[x == i]) for i in range(length)])
    return close(c, sums, np.max(np.abs(weights)) * 8, c.dtypes[1])


@op("histogram2d")
def _(c):
    dtype = "f32" if c.x[0].dtype.kind in "biu" else c.dtypes[0]
    edges = [[-1.5, 0.5, 3], [-2, 0.25, 1.5]] if c.a.get("density") else [[-2, -1, 0, 1, 2], [-2, 0.5, 1.5]]
    x, y = ([LONG(value) for value in each.ravel()] for each in c.x)
    counts = np.zeros([len(edge) - 1 for edge in edges], np.int64)
    for point in zip(x, y):
        places = [len(edge) - 2 if at == edge[-1] else np.searchsorted(edge, at, side="right") - 1
                  for at, edge in zip(point, edges)]
        if all(0 <= place < size for place, size in zip(places, counts.shape)):
            counts[tuple(places)] += 1
    if c.a.get("density"):
        return close(c, counts / np.outer(*map(np.diff, edges)) / np.sum(counts), dtype=dtype)
    return [Result(counts, "i64"), *(Result(np.array(edge, NUMPY[dtype]), dtype) for edge in edges)]


@op("histogram")
def _(c):
    counts, edges = np.histogram(c.x[0].astype(LONG), 4, (c.a["low"], c.a["high"]))
    dtype = "f32" if c.x[0].dtype.kind in "biu" else c.dtypes[0]
    return [Result(counts, "i64"), Result(edges.astype(NUMPY[dtype]), dtype)]
