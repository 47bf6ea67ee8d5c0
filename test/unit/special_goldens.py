"""Prints special_goldens.txt: incomplete gamma and beta functions, their derivatives, zeta and polygamma, by mpmath in
60 digits and more.

    python3 -m pip install mpmath
    python3 test/unit/special_goldens.py > test/unit/special_goldens.txt

A line: the function | its operands | the result, all as hexadecimal doubles. Where mpmath's own functions lose digits
or do not end, this file has its own: continued fractions, a sum, an integral. The text is in git because NumPy has none
of these functions, and MPFR lacks incomplete beta functions and all the derivatives.

Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import random

import mpmath as mp

mp.mp.dps = 60


def line(name, operands, result):
    if mp.mpf(10) ** -290 < abs(result) < mp.mpf(10) ** 300:
        print(" | ".join([name, " ".join(float(x).hex() for x in operands), float(result).hex()]))


def density(a, x):
    return mp.exp((a - 1) * mp.log(x) - x - mp.loggamma(a))


def tail(a, x, isUpper):
    """The integral of the density from x away from a, of a so large that it is nearly a normal one."""
    width = mp.sqrt(a) / 2
    points = [x + width * k * (1 if isUpper else -1) for k in range(48)]
    return abs(mp.quad(lambda t: density(a, t), points))


def gammas(a, x):
    a, x = mp.mpf(a), mp.mpf(x)
    if a < 1e4:
        return mp.gammainc(a, 0, x, regularized=True), mp.gammainc(a, x, regularized=True)
    if x < a:
        lower = tail(a, x, False)
        return lower, 1 - lower
    upper = tail(a, x, True)
    return 1 - upper, upper


def gamma_slope(a, x):
    """By a series of which both factors are differentiated."""
    a, x = mp.mpf(a), mp.mpf(x)
    term, slope, total, slopes, n = mp.mpf(1), mp.mpf(0), mp.mpf(1), mp.mpf(0), 0
    while abs(term) > mp.mpf(10) ** -mp.mp.dps * abs(total) or n < x:
        n += 1
        slope = (slope - term / (a + n)) * x / (a + n)
        term = term * x / (a + n)
        total += term
        slopes += slope
    whole = mp.exp(a * mp.log(x) - x - mp.loggamma(a + 1))
    return whole * (total * (mp.log(x) - mp.digamma(a + 1)) + slopes)


def beta_slopes(a, b, x):
    """By a and by b: a quotient of differences, or the integral of the density's from x away from the mean."""
    a, b, x = mp.mpf(a), mp.mpf(b), mp.mpf(x)
    if max(a, b) < 300:
        with mp.workdps(200):
            h = mp.mpf(10) ** -40
            value = lambda a, b: mp.betainc(a, b, 0, x, regularized=True)
            return ((value(a + a * h, b) - value(a - a * h, b)) / (2 * a * h),
                    (value(a, b + b * h) - value(a, b - b * h)) / (2 * b * h))
    mean = a / (a + b)
    width = mp.sqrt(mean * (1 - mean) / (a + b + 1)) / 2 * (-1 if x < mean else 1)
    points = [x + width * k for k in range(60) if 0 < x + width * k < 1]
    if len(points) < 60:
        points.append(mp.mpf(0 if x < mean else 1))
    scale = mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)
    density = lambda t: mp.exp((a - 1) * mp.log(t) + (b - 1) * mp.log1p(-t) - scale)
    byA, byB = mp.digamma(a + b) - mp.digamma(a), mp.digamma(a + b) - mp.digamma(b)
    return (-mp.quad(lambda t: density(t) * (mp.log(t) + byA), points),
            -mp.quad(lambda t: density(t) * (mp.log1p(-t) + byB), points))


def zeta(s, q):
    s, q, total = mp.mpf(s), mp.mpf(q), mp.mpf(0)
    while q < 60:
        total += q**-s if q > 0 else q ** -int(s)
        q += 1
    total += q ** (1 - s) / (s - 1) + q**-s / 2
    for j in range(1, 40):
        total += mp.bernoulli(2 * j) / mp.factorial(2 * j) * mp.rf(s, 2 * j - 1) * q ** (-s - 2 * j + 1)
    return total


random.seed(11)
for i in range(260):
    size = i % 4
    if size == 0:
        a = 10 ** random.uniform(4, 15)
        x = a + random.uniform(-9, 9) * a**0.5
    else:
        a = 10 ** (random.uniform(-12, 0) if size == 1 else random.uniform(-1, 3))
        x = a * 10 ** random.uniform(-0.5, 0.5) if i % 3 else 10 ** random.uniform(-5, 1.5)
    lower, upper = gammas(a, x)
    line("igamma", [a, x], lower)
    line("igammac", [a, x], upper)
    if 1e-4 < a < 200 and x < 60:
        mp.mp.dps = 120
        line("igamma_grad_a", [a, x], gamma_slope(a, x))
        mp.mp.dps = 60
for i in range(200):
    a, b = 10 ** random.uniform(-2, 4), 10 ** random.uniform(-2, 4)
    x = random.random()
    if i % 2:
        mean = a / (a + b)
        x = mean + random.uniform(-5, 5) * (mean * (1 - mean) / (a + b + 1)) ** 0.5
        x = min(max(x, mean / 9), 1 - (1 - mean) / 9)
    line("betainc", [a, b, x], mp.betainc(a, b, 0, x, regularized=True))
for i in range(160):
    s = 1 + 10 ** random.uniform(-4, 1.5) if i % 2 else float(random.randint(2, 30))
    q = 10 ** random.uniform(-2, 4) if i % 4 else random.uniform(-20, 0)
    line("zeta", [s, q], zeta(s, q))
    n = random.randint(1, 25)
    x = 10 ** random.uniform(-2, 3) if i % 4 else random.uniform(-20, 0)
    line("polygamma", [n, x], (-1) ** (n + 1) * mp.factorial(n) * zeta(n + 1, x))
random.seed(12)
for i in range(160):
    size = i % 4
    least, most = ((-2, 2.4), (-9, 1), (2.5, 6), (10, 13))[size]
    a, b = 10 ** random.uniform(least, most), 10 ** random.uniform(least, most)
    mean = a / (a + b)
    x = mean + random.uniform(-4, 4) * (mean * (1 - mean) / (a + b + 1)) ** 0.5
    x = min(max(x, mean / 9), 1 - (1 - mean) / 9) if size > 1 or i % 3 else random.random()
    byA, byB = beta_slopes(a, b, x)
    name = "betainc_grad_{}_of_huge" if size == 3 else "betainc_grad_{}"
    line(name.format("a"), [a, b, x], byA)
    line(name.format("b"), [a, b, x], byB)
