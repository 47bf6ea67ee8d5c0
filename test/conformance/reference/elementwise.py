# elementwise.py - one element at a time
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math

import numpy as np

from values import FLOATS, LONG, NARROW, NUMPY, OPS, PARTS, Call, Result, near, op, rounded, ulp


def complex_of(real, imag):
    out = np.empty(real.shape, np.result_type(real.dtype, np.complex64))
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
    if c.dtypes[0] in PARTS:
        a, b = np.broadcast_arrays(a, b)
        values = complex_of(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real)
        return [Result(values, c.dtypes[0])]
    return c.exact(a * b)


@op("divide")
def _(c):
    a, b = c.x
    if c.dtypes[0] not in PARTS:
        return c.exact(a / b)
    # R. L. Smith's formula.
    a, b = np.broadcast_arrays(a, b)
    real = np.abs(b.imag) <= np.abs(b.real)
    large, small = np.where(real, b.real, b.imag), np.where(real, b.imag, b.real)
    first, second = np.where(real, a.real, a.imag), np.where(real, a.imag, a.real)
    ratio = np.where(large == 0, small, small / large)
    scale = large + small * ratio
    imag = (second - first * ratio) / scale
    return [Result(complex_of((first + second * ratio) / scale, np.where(real, imag, -imag)), c.dtypes[0])]


@op("fma")
def _(c):
    if c.dtypes[0][0] in "iu":
        return [Result(c.x[0] * c.x[1] + c.x[2], c.dtypes[0])]
    product = c.long(0) * c.long(1)
    scale = np.abs(product) * LONG(2) ** -11  # what is lost of the product of two doubles
    return [near(product + c.long(2), c.dtypes[0], 1, scale * LONG(2) ** -53, step="f32")]


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


@op("logical_or")
def _(c):
    return [Result(c.x[0] | c.x[1], "bool")]


@op("logical_not")
def _(c):
    return [Result(c.x[0] == 0, "bool")]


@op("right_shift")
def _(c):
    x, count = np.broadcast_arrays(*c.x)
    bits = 8 * x.dtype.itemsize
    inside = (count >= 0) & (count < bits)
    return [Result(np.where(inside, x >> np.where(inside, count, 0).astype(x.dtype), np.where(x < 0, -1, 0).astype(x.dtype)),
                   c.dtypes[0])]


@op("logical_xor")
def _(c):
    return [Result(c.x[0] ^ c.x[1], "bool")]


@op("left_shift")
def _(c):
    x, count = np.broadcast_arrays(*c.x)
    inside = (count >= 0) & (count < 8 * x.dtype.itemsize)
    return [Result(np.where(inside, x << np.where(inside, count, 0).astype(x.dtype), 0).astype(x.dtype), c.dtypes[0])]


OPS["bitwise_right_shift"], OPS["bitwise_left_shift"] = OPS["right_shift"], OPS["left_shift"]


for name, combine in {"bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor,
                      "bitwise_invert": np.bitwise_not}.items():
    OPS[name] = lambda c, combine=combine: [Result(combine(*c.x).astype(c.x[0].dtype), c.dtypes[0])]
for name, divide in {"floor_divide": np.floor_divide, "remainder": np.remainder, "fmod": np.fmod}.items():
    def divided(c, divide=divide):
        with np.errstate(all="ignore"):
            return c.exact(divide(*c.x))
    OPS[name] = divided


OPS["divmod"] = lambda c: OPS["floor_divide"](c) + OPS["remainder"](c)
for name, function in {"gcd": np.gcd, "lcm": np.lcm}.items():
    OPS[name] = lambda c, function=function: [Result(function(*c.x), c.dtypes[0])]


def erf_of(x):
    """2 / sqrt(pi) exp(-x^2) times the sum of 2^n x^(2n + 1) / (2n + 1)!!, whose terms have one sign; for |x| <= 4."""
    x = np.clip(x, -4, 4)
    term = total = x
    for n in range(1, 120):
        term = term * 2 * x * x / (2 * n + 1)
        total = total + term
    return total * np.exp(-x * x) * 2 / np.sqrt(LONG("3.14159265358979323846264338328"))


def erfc_of(x):
    """1 - erf below 2, there Laplace's continued fraction, from its 160th term back."""
    a = np.clip(x, 2, 120)
    tail = a
    for n in range(160, 0, -1):
        tail = a + LONG(n) / 2 / tail
    return np.where(x < 2, 1 - erf_of(x), np.exp(-a * a) / tail / np.sqrt(LONG("3.14159265358979323846264338328")))


@op("erf")
def _(c):
    x = c.long()
    return [near(np.where(np.abs(x) < 2, erf_of(x), np.copysign(1 - erfc_of(np.abs(x)), x)), c.dtypes[0], c.ulps)]


@op("erfc")
def _(c):
    x = c.long()
    return [near(np.where(x < -2, 2 - erfc_of(-x), erfc_of(x)), c.dtypes[0], c.ulps)]


@op("popcount")
def _(c):
    # NumPy counts the bits of |x|.
    return [Result(np.bitwise_count(c.x[0].view(f"u{c.x[0].dtype.itemsize}")).astype(c.x[0].dtype), c.dtypes[0])]


@op("clz")
def _(c):
    bits = 8 * c.x[0].dtype.itemsize
    count = [bits - (int(x) & (2**bits - 1)).bit_length() for x in c.x[0].ravel()]
    return [Result(np.array(count, c.x[0].dtype).reshape(c.x[0].shape), c.dtypes[0])]


for name, rounding in {"floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "round": np.rint}.items():
    def integral(c, rounding=rounding):
        x = c.x[0]
        if "times" in c.a:
            x = rounded(x * 4, c.dtypes[0]) if c.dtypes[0] in NARROW else x * x.dtype.type(4)
        return [Result(x if x.dtype.kind in "iu" else rounding(x), c.dtypes[0])]
    OPS[name] = integral


@op("sign")
def _(c):
    return [Result(np.sign(c.x[0]), c.dtypes[0])]


@op("copysign")
def _(c):
    return [Result(np.copysign(*c.x), c.dtypes[0])]


@op("nextafter")
def _(c):
    return [Result(np.nextafter(*c.x), c.dtypes[0])]


for name, ask in {"isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "signbit": np.signbit}.items():
    OPS[name] = lambda c, ask=ask: [Result(ask(c.x[0]), "bool")]


@op("square")
def _(c):
    return OPS["multiply"](Call([c.x[0], c.x[0]], c.dtypes * 2, c.a, c.dtype, c.ulps))


@op("positive")
def _(c):
    return [Result(c.x[0], c.dtypes[0])]


def inverse(c, x, dtype):
    """1 / x in the dtype of the quotient."""
    one = np.ones((), x.dtype)
    return OPS["divide"](Call([one, x], [dtype] * 2, {}, dtype, c.ulps))


@op("reciprocal")
def _(c):
    dtype = "f32" if c.x[0].dtype.kind in "iu" else c.dtypes[0]
    return inverse(c, c.x[0].astype(np.float32) if dtype != c.dtypes[0] else c.x[0], dtype)


@op("rsqrt")
def _(c):
    dtype = "f32" if c.x[0].dtype.kind in "iu" else c.dtypes[0]
    root = np.sqrt(c.x[0].astype(np.float32) if dtype != c.dtypes[0] else c.x[0])
    return inverse(c, rounded(root, dtype) if dtype in NARROW else root, dtype)


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


FUNCTIONS = {"exp": np.exp, "log": np.log, "log1p": np.log1p, "tanh": np.tanh, "cbrt": np.cbrt, "exp2": np.exp2,
             "expm1": np.expm1, "log2": np.log2, "log10": np.log10, "sin": np.sin, "cos": np.cos, "tan": np.tan,
             "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh,
             "asinh": np.arcsinh}
for name, function in FUNCTIONS.items():
    OPS[name] = lambda c, function=function: [near(function(c.long()), c.dtypes[0], c.ulps)]


for name, function in {"pow": np.power, "hypot": np.hypot, "logaddexp": np.logaddexp}.items():
    def of_two(c, function=function):
        with np.errstate(all="ignore"):
            return [near(function(c.long(0), c.long(1)), c.dtypes[0], c.ulps)]
    OPS[name] = of_two


@op("atanh")
def _(c):
    return [near(np.arctanh(c.long() * LONG(c.a.get("times", 1))), c.dtypes[0], c.ulps)]


@op("acosh")
def _(c):
    x = c.x[0]
    if "plus" in c.a:
        x = rounded(x + x.dtype.type(1), c.dtypes[0]) if c.dtypes[0] in NARROW else x + x.dtype.type(1)
    return [near(np.arccosh(x.astype(LONG)), c.dtypes[0], c.ulps)]


@op("atan2")
def _(c):
    return [near(np.arctan2(c.long(0), c.long(1)), c.dtypes[0], c.ulps)]


PAIRS = {part: pair for pair, part in PARTS.items()}


@op("real")
def _(c):
    return [Result(c.x[0].real, PARTS[c.dtypes[0]])]


@op("imag")
def _(c):
    return [Result(c.x[0].imag, PARTS[c.dtypes[0]])]


@op("conj")
def _(c):
    return [Result(complex_of(c.x[0].real, -c.x[0].imag), c.dtypes[0])]


@op("complex")
def _(c):
    a, b = np.broadcast_arrays(*c.x)
    if c.a.get("squared"):
        return [*c.exact(a * a - b * b), *c.exact(-b)]
    return [Result(complex_of(a, b), PAIRS[c.dtypes[0]])]


@op("angle")
def _(c):
    if c.dtypes[0] in PARTS:
        x = c.x[0]
        return [near(np.arctan2(x.imag.astype(LONG), x.real.astype(LONG)), PARTS[c.dtypes[0]], c.ulps)]
    return [near(np.arctan2(LONG(0), c.long()), c.dtypes[0], c.ulps)]


def near_in_plane(values, c):
    """As `near`, beside the size of a complex number."""
    part = PARTS[c.dtypes[0]]
    tolerance = np.broadcast_to(c.ulps * ulp(np.abs(values), part), values.shape)
    return [Result(values.astype(NUMPY[c.dtypes[0]]), c.dtypes[0], tolerance)]


@op("complex_function")
def _(c):
    names = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh",
             "atanh": "arctanh"}
    name = c.a["function"]
    return near_in_plane(getattr(np, names.get(name, name))(c.x[0].astype(np.clongdouble)), c)


@op("complex_pow")
def _(c):
    return near_in_plane(c.x[0].astype(np.clongdouble) ** c.x[1].astype(np.clongdouble), c)


def erf_inv(x, rest=None):
    """Newton's method on libm's erf and erfc, in double. rest: 1 - x * x, as it was rounded."""
    def one(y, rest):
        if math.isnan(y) or abs(y) > 1:
            return math.nan
        if abs(y) == 1:
            return math.copysign(math.inf, y)
        a = abs(y)
        if a < 1e-8:
            return y * math.sqrt(math.pi) / 2
        w = -math.log(rest)
        outside = rest / (1 + a)
        guess = math.sqrt(math.sqrt((4.33 + w / 2) ** 2 - w / 0.147 * -1) - (4.33 - w / 2)) if a > 0.5 else a * 0.9
        for _ in range(60):
            off = math.erf(guess) - a if a < 0.5 else outside - math.erfc(guess)
            step = off * math.sqrt(math.pi) / 2 * math.exp(min(guess * guess, 700))
            step = max(-0.5, min(0.5, step))
            guess -= step
            if abs(step) <= 1e-17 * abs(guess):
                break
        return math.copysign(guess, y)
    x = np.asarray(x, np.float64)
    rest = (1 - x) * (1 + x) if rest is None else np.asarray(rest, np.float64)
    flat = [one(float(a), float(b)) for a, b in zip(x.reshape(-1), rest.reshape(-1))]
    return np.array(flat, np.float64).reshape(x.shape).astype(LONG)


@op("erf_inv")
def _(c):
    return [near(erf_inv(c.x[0]), c.dtypes[0], c.ulps, step="f32")]


PI = LONG("3.14159265358979323846264338328")
# The numerators B(2k) / (2k (2k - 1)) of Stirling's series.
STIRLING = [LONG(a) / LONG(b) for a, b in
            ((1, 12), (-1, 360), (1, 1260), (-1, 1680), (1, 1188), (-691, 360360), (1, 156), (-3617, 122400))]


def lgamma_of(x):
    def of_positive(x):
        far, factors = x, np.zeros_like(x)
        for _ in range(40):
            low = far < 40
            factors = factors + np.where(low, np.log(np.where(low, far, 1)), 0)
            far = np.where(low, far + 1, far)
        series = sum(s / far ** (2 * k + 1) for k, s in enumerate(STIRLING))
        return (far - LONG(0.5)) * np.log(far) - far + np.log(2 * PI) / 2 + series - factors
    with np.errstate(all="ignore"):
        sine = np.abs(np.sin(PI * np.abs(x - np.rint(x))))
        values = np.where(x < 0, np.log(PI / sine) - of_positive(np.where(x < 0, 1 - x, 1)), of_positive(np.where(x < 0, 1, x)))
        return np.where(np.isinf(x) | ((x <= 0) & (x == np.rint(x))), LONG(np.inf), values)


def digamma_of(x):
    def of_positive(x):
        far, total = x, np.zeros_like(x)
        for _ in range(40):
            low = far < 40
            total = total - np.where(low, 1 / far, 0)
            far = np.where(low, far + 1, far)
        series = sum(s * (2 * k + 1) / far ** (2 * k + 2) for k, s in enumerate(STIRLING))
        return total + np.log(far) - 1 / (2 * far) - series
    with np.errstate(all="ignore"):
        r = x - np.rint(x)
        cotangent = PI * np.copysign(np.sin(PI * (LONG(0.5) - np.abs(r))) / np.sin(PI * np.abs(r)), r)
        values = np.where(x < 0, of_positive(np.where(x < 0, 1 - x, 1)) - cotangent, of_positive(np.where(x < 0, 1, x)))
        return np.where((x < 0) & (x == np.rint(x)), LONG(np.nan), values)


def trigamma_of(x):
    def of_positive(x):
        far, total = x, np.zeros_like(x)
        for _ in range(40):
            low = far < 40
            total = total + np.where(low, 1 / (far * far), 0)
            far = np.where(low, far + 1, far)
        series = sum(s * (2 * k + 1) * (2 * k + 2) / far ** (2 * k + 3) for k, s in enumerate(STIRLING))
        return total + 1 / far + 1 / (2 * far * far) + series
    with np.errstate(all="ignore"):
        sine = np.sin(PI * np.abs(x - np.rint(x)))
        return np.where(x < 0, (PI / sine) ** 2 - of_positive(np.where(x < 0, 1 - x, 1)), of_positive(np.where(x < 0, 1, x)))


def bessel_of(x, order):
    """exp(-|x|) I(order, x): the power series to 45, Hankel's beyond."""
    a = np.abs(x)
    near, far = np.minimum(a, 45), np.maximum(a, 45)
    term = (near / 2) ** order
    total = term
    for n in range(1, 160):
        term = term * (near / 2) ** 2 / (n * (n + order))
        total = total + term
    term = beyond = np.ones_like(far)
    for k in range(1, 30):
        term = term * -(4 * order * order - (2 * k - 1) ** 2) / (k * 8 * far)
        beyond = beyond + term
    values = np.where(a < 45, total * np.exp(-near), beyond / np.sqrt(2 * PI * far))
    return np.copysign(values, x) if order else values


for name, function in {"lgamma": lgamma_of, "digamma": digamma_of, "trigamma": trigamma_of}.items():
    def special(c, function=function):
        x = c.long()
        with np.errstate(all="ignore"):
            # Below 0 beside what it was reflected from.
            scale = np.where(x < 0, np.abs(function(np.where(x < 0, 1 - x, 1))), 0)
            scale = np.where(np.isfinite(scale), np.maximum(scale, 1), 0)
        return [near(function(x), c.dtypes[0], c.ulps, scale)]
    OPS[name] = special
for name, order in {"i0e": 0, "i1e": 1}.items():
    OPS[name] = lambda c, order=order: [near(bessel_of(c.long(), order), c.dtypes[0], c.ulps)]


# Derivatives: of tanh, erf, i0e, logaddexp and pow by the first, igamma by the second, betainc by the last.
SLOPES = {"sech_squared": lambda x: 1 / np.cosh(x) ** 2,
          "gaussian": lambda x: 2 / np.sqrt(PI) * np.exp(-x * x),
          "bessel_difference": lambda x: bessel_of(x, 1) - bessel_of(x, 0),
          "logistic_difference": lambda x, y: 1 / (1 + np.exp(y - x)),
          "power_slope": lambda x, y: y * x ** (y - 1),
          "gamma_density": lambda a, x: x ** (a - 1) * np.exp(-x - lgamma_of(a))}
for name, function in SLOPES.items():
    OPS[name] = lambda c, function=function: [near(function(*(c.long(i) for i in range(len(c.x)))), c.dtypes[0], c.ulps)]


@op("beta_density")
def _(c):
    a, b, given = c.long(0), c.long(1), c.x[2] * c.x[2].dtype.type(0.25)
    x = given.astype(LONG)
    values = x ** (a - 1) * (1 - x) ** (b - 1) * np.exp(lgamma_of(a + b) - lgamma_of(a) - lgamma_of(b))
    return [near(values, c.dtypes[0], c.ulps)]


def igamma_of(a, x, isSlope=False):
    """By the power series, for numbers about 1; with its derivative by a."""
    with np.errstate(all="ignore"):
        term = total = np.ones_like(a * x)
        slope = slopes = np.zeros_like(total)
        for n in range(1, 80):
            slope = (slope - term / (a + n)) * x / (a + n)
            term = term * x / (a + n)
            total, slopes = total + term, slopes + slope
        whole = np.exp(a * np.log(x) - x - lgamma_of(a + 1))
        return whole * (total * (np.log(x) - digamma_of(a + 1)) + slopes) if isSlope else whole * total


for name, function in {"igamma": igamma_of, "igammac": lambda a, x: 1 - igamma_of(a, x),
                       "igamma_grad_a": lambda a, x: igamma_of(a, x, True)}.items():
    def incomplete(c, function=function):
        a, x = (LONG(c.a["first"]), c.long()) if "first" in c.a else (c.long(0), c.long(1))
        return [near(function(a + LONG(0) * x, x + LONG(0) * a), c.dtypes[0], c.ulps)]
    OPS[name] = incomplete


def betainc_of(c):
    """By a series in x, for numbers about 1; with its derivatives by a and b."""
    x = c.x[-1] * c.x[-1].dtype.type(0.25)
    x = x.astype(LONG)
    a, b = (LONG(c.a["a"]), LONG(c.a["b"])) if "a" in c.a else (c.long(0), c.long(1))
    a, b, x = (v + LONG(0) * (a + b + x) for v in (a, b, x))
    term, slope = np.ones_like(x), np.zeros_like(x)
    total, byA, byB = 1 / a, -1 / a**2, np.zeros_like(x)
    for n in range(1, 400):
        slope = (slope * (n - b) - term) / n * x
        term = term * (n - b) / n * x
        total, byA, byB = total + term / (a + n), byA - term / (a + n) ** 2, byB + slope / (a + n)
    scale = np.exp(a * np.log(x) + lgamma_of(a + b) - lgamma_of(a) - lgamma_of(b))
    both = digamma_of(a + b)
    return (scale * total, scale * (total * (np.log(x) + both - digamma_of(a)) + byA),
            scale * (total * (both - digamma_of(b)) + byB))


for i, name in enumerate(("betainc", "betainc_grad_a", "betainc_grad_b")):
    OPS[name] = lambda c, i=i: [near(betainc_of(c)[i], c.dtypes[0], c.ulps)]


def zeta_of(s, q):
    """Euler's and Maclaurin's formula after 40 terms."""
    total, far = LONG(0), q + 40
    for k in range(40):
        total = total + (q + k) ** -s
    total = total + far ** (1 - s) / (s - 1) + far ** -s / 2
    factor = s
    for k, number in enumerate((LONG(1) / 6, LONG(-1) / 30, LONG(1) / 42, LONG(-1) / 30, LONG(5) / 66)):
        total = total + number / math.factorial(2 * k + 2) * factor * far ** (-s - 2 * k - 1)
        factor = factor * (s + 2 * k + 1) * (s + 2 * k + 2)
    return total


@op("zeta")
def _(c):
    if "first" in c.a:
        return [near(zeta_of(LONG(c.a["first"]), c.long()), c.dtypes[0], c.ulps)]
    s = c.x[0] + c.x[0].dtype.type(1)
    s = (rounded(s, c.dtypes[0]) if c.dtypes[0] in NARROW else s).astype(LONG)
    return [near(zeta_of(s, c.long(1)), c.dtypes[0], c.ulps)]


@op("polygamma")
def _(c):
    n = c.a["first"]
    sign = 1 if n % 2 else -1
    return [near(sign * math.factorial(n) * zeta_of(LONG(n + 1), c.long()), c.dtypes[0], c.ulps)]


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
    if to in PARTS and c.dtypes[0] in PARTS:
        return [Result(complex_of(rounded(x.real, PARTS[to]), rounded(x.imag, PARTS[to])), to)]
    if to in PARTS:
        real = x.astype(LONG) if x.dtype.kind in "iub" else x  # an integer is rounded once
        return [Result(complex_of(rounded(real, PARTS[to]), np.zeros(x.shape, NUMPY[PARTS[to]])), to)]
    if to in FLOATS:
        if x.dtype.kind in "iub":  # through long double, which holds every integer
            return [Result(rounded(x.astype(LONG), to), to)]
        return [Result(rounded(x, to), to)]
    if x.dtype.kind == "f":
        info = np.iinfo(NUMPY[to])
        wide = np.trunc(np.where(np.isnan(x), 0, x).astype(LONG))
        high, low = wide >= LONG(info.max), wide <= LONG(info.min)
        inside = np.where(high | low, 0, wide)
        # A long double to 64 bits exactly, then narrower.
        whole = np.uint64 if info.max > np.iinfo(np.int64).max else np.int64
        values = np.where(high, whole(info.max), np.where(low, whole(info.min), inside.astype(whole)))
        return [Result(values.astype(NUMPY[to]), to)]
    return [Result(x.astype(NUMPY[to]), to)]
