# random_numbers.py - Threefry and what is made of its bits
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math

import numpy as np

from elementwise import erf_inv
from values import LONG, NUMPY, Result, near, op


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
    # JAX rounds x * x; 1 - x * x is then exact far from 0.
    return [near(np.sqrt(LONG(2)) * erf_inv(numbers, 1 - numbers * numbers), c.dtype, c.ulps)]
