#===- complex_goldens.py - values of functions of complex numbers, by mpmath -----===#
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Prints complex_goldens.txt:
#   python complex_goldens.py > complex_goldens.txt, with the package mpmath
# A line for each function and point: the function's name, the parts of the point and of the value, as hexadecimal
# doubles. Points lie in the upper half plane, from +0 on: the value at a conjugate is the conjugate of the value.
#
# Finite points: mpmath with 6,000 bits. A zero is 1e-1000 with its sign, so that each side of a branch cut has its own
# values. Infinities and NaN: as C99, Annex G, defines them; where it has no table, by its formula with real functions.
# Where C99 leaves the sign of a zero or an infinity open, the test compares sizes alone.
#
# The text is in git because the tests' Python has NumPy alone, whose complex functions lose the digits that are tested.
#===------------------------------------------------------------------------------===#
import itertools
import math
import random

from mpmath import mp, mpc, mpf
import mpmath

INF, NAN, PI = math.inf, math.nan, math.pi
mp.prec = 6000
TINY = mpf(10) ** -1000


FUNCTIONS = {
    "exp": mpmath.exp, "exp2": lambda z: mpmath.exp(z * mpmath.log(2)), "expm1": lambda z: mpmath.exp(z) - 1,
    "log": mpmath.log, "log1p": lambda z: mpmath.log(1 + z), "log2": lambda z: mpmath.log(z) / mpmath.log(2),
    "log10": lambda z: mpmath.log(z) / mpmath.log(10), "sqrt": mpmath.sqrt, "sin": mpmath.sin, "cos": mpmath.cos,
    "tan": mpmath.tan, "sinh": mpmath.sinh, "cosh": mpmath.cosh, "tanh": mpmath.tanh,
    # By logarithms: mpmath's own choose a side of a cut, whatever the point.
    "asinh": lambda z: mpmath.log(z + mpmath.sqrt(z * z + 1)) if z.real >= 0 else -mpmath.log(-z + mpmath.sqrt(z * z + 1)),
    "acosh": lambda z: mpmath.log(z + mpmath.sqrt(z + 1) * mpmath.sqrt(z - 1)),
    "atanh": lambda z: (mpmath.log(1 + z) - mpmath.log(1 - z)) / 2,
}
FUNCTIONS["asin"] = lambda z: mpc(0, -1) * FUNCTIONS["asinh"](mpc(0, 1) * z)
FUNCTIONS["acos"] = lambda z: mpmath.pi / 2 - FUNCTIONS["asin"](z)
FUNCTIONS["atan"] = lambda z: mpc(0, -1) * FUNCTIONS["atanh"](mpc(0, 1) * z)


def cut(part):
    """A part of a value as a double; what stands for a zero is one."""
    if abs(part) < mpf(2) ** -1075:
        return math.copysign(0.0, part)
    if abs(part) > mpf(2) ** 1025:
        return math.copysign(INF, part)
    try:
        return float(part)
    except OverflowError:
        return math.copysign(INF, part)


def point(part):
    return mpf(part) if part else TINY * int(math.copysign(1, part))


def finite(name, x, y):
    if name in ("exp", "exp2", "expm1") and abs(x) > 1e5:
        size = INF if x > 0 else 0.0
        angle = point(y) * (mpmath.log(2) if name == "exp2" else 1)
        re = math.copysign(size, mpmath.cos(angle))
        im = y if y == 0 else math.copysign(size, mpmath.sin(angle))
        return (re - 1 if name == "expm1" else re), im
    if name in ("sinh", "cosh") and abs(x) > 1e5 or name in ("sin", "cos") and abs(y) > 1e5:
        u, v = (x, y) if name in ("sinh", "cosh") else (-y, x)
        a = math.copysign(INF, mpmath.cos(point(v))) * (math.copysign(1, u) if name in ("sinh", "sin") else 1)
        b = v if v == 0 else math.copysign(INF, mpmath.sin(point(v)))
        b *= math.copysign(1, u) if name in ("cosh", "cos") else 1
        return {"sinh": (a, b), "cosh": (a, b), "sin": (b, -a), "cos": (a, b)}[name]
    if name == "tanh" and abs(x) > 1e5 or name == "tan" and abs(y) > 1e5:
        u, v = (x, y) if name == "tanh" else (-y, x)
        a, b = math.copysign(1, u), math.copysign(0.0, mpmath.sin(2 * point(v)))
        return (a, b) if name == "tanh" else (b, -a)
    if x == y == 0 and name in ("log", "log2", "log10"):
        return -INF, math.atan2(y, x) / {"log": 1, "log2": math.log(2), "log10": math.log(10)}[name]
    if x == y == 0 and name == "sqrt" or x == -1 and y == 0 and name == "log1p":
        return (0.0 if name == "sqrt" else -INF), y
    if abs(x) == 1 and y == 0 and name == "atanh" or x == 0 and y == 1 and name == "atan":
        return (math.copysign(INF, x), y) if name == "atanh" else (x, INF)
    value = FUNCTIONS[name](mpc(point(x), point(y)))
    return cut(value.real), cut(value.imag)


def times(a, b):
    return a * b if a == a and b == b and not (math.isinf(a) and b == 0 or a == 0 and math.isinf(b)) else NAN


def sin(y):
    return math.sin(y) if math.isfinite(y) else NAN


def cos(y):
    return math.cos(y) if math.isfinite(y) else NAN


def exp(x, y):
    size = INF if x > 700 else 0.0 if x == -INF else math.exp(x) if x == x else NAN
    if math.isinf(x) and not math.isfinite(y):
        return (size, 0.0) if x < 0 else (INF, NAN)
    return times(size, cos(y)), y if y == 0 else times(size, sin(y))


def sinh(x, y):
    if y == 0:
        return x, y
    if not math.isfinite(y) and (x == 0 or math.isinf(x)):
        return x, NAN
    if math.isinf(x):
        return times(x, cos(y)), times(INF, sin(y))
    return NAN, NAN


def cosh(x, y):
    if y == 0:
        return abs(x), math.copysign(1.0, x) * y
    if not math.isfinite(y):
        return (abs(x) if math.isinf(x) else NAN), (0.0 if x == 0 else NAN)
    if math.isinf(x):
        return times(INF, cos(y)), times(x, sin(y))
    return NAN, NAN


def tanh(x, y):
    if math.isinf(x):
        return math.copysign(1.0, x), (math.copysign(0.0, sin(2 * y)) if math.isfinite(2 * y) else 0.0)
    return x if x == 0 else NAN, y if y == 0 else NAN


def hypot(x, y):
    return INF if math.isinf(x) or math.isinf(y) else NAN if x != x or y != y else math.hypot(x, y)


def log(x, y):
    size = hypot(x, y)
    return (math.log(size) if size == size else NAN), (math.atan2(y, x))


def sqrt(x, y):
    if math.isinf(y):
        return INF, y
    if math.isinf(x):
        return (INF, math.copysign(0.0, y) if y == y else NAN) if x > 0 else (0.0 if y == y else NAN, math.copysign(INF, y))
    return NAN, NAN


def asinh(x, y):
    if x != x and y == 0:
        return NAN, y
    size, angle = hypot(x, y), math.atan2(abs(y), abs(x))
    return math.copysign(size, x), math.copysign(angle, y)


def acos(x, y):
    if x == 0 and y != y:
        return PI / 2, NAN
    return math.atan2(y, x), math.copysign(hypot(x, y), -y)


def atanh(x, y):
    if x == 0:
        return x, math.copysign(PI / 2, y) if y == y else NAN
    isInfinite = math.isinf(x) or math.isinf(y)
    return math.copysign(0.0, x) if isInfinite else NAN, math.copysign(PI / 2, y) if isInfinite and y == y else NAN


def turned(function):
    """function(i z) / i."""
    def inner(x, y):
        re, im = function(-y, x)
        return im, -re
    return inner


def acosh(x, y):
    if x == 0 and y != y:
        return NAN, PI / 2
    re, im = acos(x, y)
    return abs(im), math.copysign(re, y)


def scaled(function, factor):
    return lambda x, y: tuple(part * factor for part in function(x, y))


SPECIAL = {
    "exp": exp, "exp2": lambda x, y: exp(x, y * math.log(2)), "expm1": lambda x, y: (exp(x, y)[0] - 1, exp(x, y)[1]),
    "log": log, "log1p": lambda x, y: log(x + 1, y), "log2": scaled(log, 1 / math.log(2)),
    "log10": scaled(log, 1 / math.log(10)), "sqrt": sqrt, "sinh": sinh, "cosh": cosh, "tanh": tanh,
    "sin": turned(sinh), "cos": lambda x, y: cosh(-y, x), "tan": turned(tanh), "asinh": asinh, "acos": acos,
    "acosh": acosh, "atanh": atanh, "asin": turned(asinh), "atan": turned(atanh),
}


def points():
    up = [0.0, 5e-324, 1e-310, 1e-20, 0.5, 1.0, 2.0, 1e300, INF, NAN]
    across = [sign * x for x in up[:-1] for sign in (1, -1)] + [NAN]
    yield from itertools.product(across, up)
    random.seed(1)
    for _ in range(12):
        yield random.uniform(-3, 3), random.uniform(0, 3)
        yield random.choice([-1, 1]) * math.exp(random.uniform(-40, 6)), math.exp(random.uniform(-40, 6))
    for _ in range(8):  # about the unit circle, 1 and -1
        angle, radius = random.uniform(0, PI), 1 + random.uniform(-1, 1) * 10 ** random.uniform(-16, -2)
        yield radius * math.cos(angle), radius * math.sin(angle)
        yield random.choice([-1, 1]) * radius, 10 ** random.uniform(-20, -2)
        yield 10 ** random.uniform(-20, -2) * random.choice([-1, 1]), radius
    for x, y in [(0.6, 0.8), (0.8, 0.6), (-0.6, 0.8), (1e154, 1e154), (1e-160, 1e-160), (1.7e308, 1.7e308),
                 (709.5, 1e-5), (710.4, 1.0), (1400, 1e-300), (-1400, 3.0), (1.0, 710.2), (-0.3, 1.5), (-0.02, 0.2)]:
        yield x, y


def text(part):
    return "nan" if part != part else "inf" if part == INF else "-inf" if part == -INF else float(part).hex()


if __name__ == "__main__":
    for name in FUNCTIONS:
        for x, y in points():
            if name == "exp2" and 1e6 < abs(y) < INF:
                continue  # y log(2) is rounded before the sine of it is taken, as everywhere
            isFinite = math.isfinite(x) and math.isfinite(y)
            re, im = finite(name, x, y) if isFinite else SPECIAL[name](x, y)
            print(name, text(x), text(y), text(re), text(im))
