"""Prints composed functions, computed by their formulas in long double, and NumPy's statistics.

A line: the function | its operands, each a list of numbers in f64 | the result, of one list. The points are those where
a plain formula would lose what it has: tails, neighbours of zeros, large numbers.

Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import random

import numpy as np

LONG = np.longdouble
TAILS = [-700.0, -200.0, -88.0, -30.5, -12.0, -5.0, -1.0, -1e-3, -1e-12, 1e-12, 1e-3, 0.7, 1.0, 5.0, 12.0, 30.5,
         88.0, 700.0]
SMALL = [1e-300, 1e-20, 1e-8, 0.01, 0.3, 0.6931471805599453, 0.7, 1.0, 3.0, 40.0, 700.0]
SHARES = [1e-300, 1e-12, 0.01, 0.2500001, 0.4999, 0.5, 0.5 + 2.0**-50, 0.6, 0.7499, 0.99, 1 - 2.0**-52]


def text(values):
    return " ".join(repr(float(x)) for x in np.ravel(values))


def line(name, operands, result):
    print(" | ".join([name, *(text(x) for x in operands), text(result)]))


def of_points(name, points, function):
    with np.errstate(all="ignore"):
        line(name, [points], function(np.array(points, LONG)))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def gelu(x):
    return x * sigmoid(np.sqrt(8 / PI) * (x + LONG("0.044715") * x**3))


def logit(x):
    return np.where(np.abs(x - 0.5) < 0.25, 2 * np.arctanh(2 * x - 1), np.log(x) - np.log1p(-x))


def log1mexp(x):
    return np.where(x < 0.7, np.log(-np.expm1(-x)), np.log1p(-np.exp(-x)))


def sinc(x):
    y = PI * np.where(x == 0, LONG(1), x)
    return np.where(x == 0, LONG(1), np.sin(y) / y)


PI = LONG(4) * np.arctan(LONG(1))
of_points("sigmoid", TAILS, sigmoid)
of_points("softplus", TAILS, softplus)
of_points("log_sigmoid", TAILS, lambda x: -softplus(-x))
of_points("silu", TAILS, lambda x: x * sigmoid(x))
of_points("gelu", [-9.0, -5.0, -2.0, *TAILS[6:]], gelu)
of_points("mish", TAILS, lambda x: x * np.tanh(softplus(x)))
of_points("logit", SHARES, logit)
of_points("log1mexp", SMALL, log1mexp)
of_points("sinc", [0.0, 1e-200, 1e-8, 0.01, 0.159, 0.1592, 0.3, 0.75, 2.5, -0.1, -1.75], sinc)

random.seed(7)
for size in (1, 2, 5, 8, 33):
    x = [random.uniform(-3, 3) for _ in range(size)]
    weights = [random.uniform(0.1, 2) for _ in range(size)]
    shares = [0, 1, 0.5, 0.1, random.random(), random.random()]
    line("quantile", [x, shares], np.quantile(np.array(x), shares))
    line("median", [x], np.median(x))
    line("var", [x], np.var(np.array(x, LONG)))
    line("average", [x, weights], np.average(np.array(x, LONG), weights=np.array(weights, LONG)))
    line("histogram", [x], np.histogram(x, 4)[0])
    line("histogram_edges", [x], np.histogram(x, 4)[1])
    line("histogram_weighted", [x, weights], np.histogram(x, 3, (-2, 2.5), weights=weights)[0])
    line("histogram_density", [x], np.histogram(x, [-3, -1, 0.5, 3], density=True)[0])
    line("digitize_descending", [x, [2, 1, 0.5, -2]], np.digitize(x, [2, 1, 0.5, -2]))
