# random_numbers.py - Threefry and what is made of its bits
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math
from fractions import Fraction

import numpy as np

from elementwise import erf_inv
from values import LONG, MANTISSA, NARROW, NUMPY, Result, near, op, rounded

# Bits of the words that integers are made of.
WORD_BITS = {"i8": 32, "i32": 32, "u32": 32, "i64": 64, "u64": 64}


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


def unit(key, shape, dtype):
    """[0, 1): as many bits as a mantissa has."""
    bits = random_bits(key, shape)
    if dtype == "f64":
        words = random_words(key, shape).astype(np.uint64)
        return ((words[..., 0] << np.uint64(32) | words[..., 1]) >> np.uint64(12)).astype(np.float64) * 2.0**-52
    used, kept = {"f32": (32, 23), "f16": (16, 10), "bf16": (8, 7)}[dtype]
    return ((bits & np.uint32(2**used - 1)) >> np.uint32(used - kept)).astype(np.float32) * np.float32(2.0**-kept)


def uniform(key, shape, dtype, low, high):
    """Narrow floats are rounded at each step; XLA's code on CPUs rounds a product and sum of wider ones once."""
    low, high = rounded(low, dtype), rounded(high, dtype)
    span, numbers = rounded(high - low, dtype), unit(key, shape, dtype)
    if dtype in NARROW:
        return np.maximum(low, rounded(rounded(numbers * span, dtype) + low, dtype))
    exact = [Fraction(float(x)) * Fraction(float(span)) + Fraction(float(low)) for x in numbers.reshape(-1)]
    return np.array([nearest(x, dtype) for x in exact], NUMPY[dtype]).reshape(numbers.shape)


def nearest(x, dtype):
    """A fraction, rounded once to f32 or f64."""
    if dtype == "f64":
        return float(x)
    middle = np.float32(float(x))
    near = [np.nextafter(middle, np.float32(-np.inf)), middle, np.nextafter(middle, np.float32(np.inf))]
    return min(near, key=lambda y: (abs(Fraction(float(y)) - x), int(np.float32(y).view(np.uint32)) & 1))


@op("random.uniform")
def _(c):
    return [Result(uniform(c.x[0], c.a["shape"], c.dtype, c.a["low"], c.a["high"]), c.dtype)]


@op("random.normal")
def _(c):
    epsilon = 2.0 ** (1 - MANTISSA[c.dtype])
    numbers = uniform(c.x[0], c.a["shape"], c.dtype, epsilon / 2 - 1, 1)
    # JAX rounds x * x; 1 - x * x is then exact far from 0.
    inverse = erf_inv(numbers, 1 - numbers * numbers)
    if c.dtype in NARROW:
        product = rounded(rounded(inverse, c.dtype) * rounded(np.sqrt(LONG(2)), c.dtype), c.dtype)
        return [near(product.astype(LONG), c.dtype, 2)]
    return [near(np.sqrt(LONG(2)) * inverse, c.dtype, c.ulps)]


@op("random.exponential")
def _(c):
    numbers = unit(c.x[0], c.a["shape"], c.dtype)
    return [near(-np.log1p(-numbers.astype(LONG)), c.dtype, c.ulps)]


@op("random.bernoulli")
def _(c):
    return [Result(unit(c.x[0], c.a["shape"], c.dtype) < rounded(c.x[1], c.dtype), "bool")]


@op("random.randint")
def _(c):
    bits = WORD_BITS[c.dtype]
    low, high = (int(bound) for bound in c.a["bounds"])
    keys = random_words(c.x[0], [2])
    words = []
    for key in keys:
        pair = random_words(key, c.a["shape"]).astype(object)
        words.append(pair[..., 0] * 2**32 + pair[..., 1] if bits == 64 else pair[..., 0] ^ pair[..., 1])
    span = high - low
    multiplier = (2 ** (bits // 2) % span) ** 2 % 2**bits % span
    offset = (words[0] % span * multiplier % 2**bits + words[1] % span) % 2**bits % span
    return [Result((low + offset).astype(NUMPY[c.dtype]), c.dtype)]
