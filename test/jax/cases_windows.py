"""Pooling and windows by JAX: case -> (shapes of the inputs, function). See jax_test.py.

Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def windows(x, window, strides=1, padding=0, dilation=1, fill=0.0):
    """All windows of x, made by gathers: [..., number of the window along each axis, elements of it along each axis]."""

    def each(value):
        return list(value) if isinstance(value, (tuple, list)) else [value] * x.ndim

    window, strides, padding, dilation = each(window), each(strides), each(padding), each(dilation)
    padding = [p if isinstance(p, tuple) else (p, p) for p in padding]
    x = jnp.pad(x, padding, constant_values=fill)
    rank = x.ndim
    for axis in range(rank):
        count = (x.shape[axis] - (window[axis] - 1) * dilation[axis] - 1) // strides[axis] + 1
        places = np.arange(count)[:, None] * strides[axis] + np.arange(window[axis]) * dilation[axis]
        x = jnp.moveaxis(jnp.take(x, places, axis), axis + 1, -1)
    return x


def reduced(x, window, function, **options):
    return function(windows(x, window, **options), tuple(range(x.ndim, 2 * x.ndim)))


def mixed(function, fill):
    return lambda x: reduced(x, (2, 3), function, strides=(1, 2), padding=((1, 0), (1, 1)), dilation=(2, 1), fill=fill)


def max_pool(x, window, strides, padding=((0, 0), (0, 0))):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, *window, 1), (1, *strides, 1), ((0, 0), *padding, (0, 0)))


def sum_pool(x, window, strides, padding="VALID"):
    if not isinstance(padding, str):
        padding = ((0, 0), *padding, (0, 0))
    return lax.reduce_window(x, 0.0, lax.add, (1, *window, 1), (1, *strides, 1), padding)


def unpooled(x):
    pooled = max_pool(x, (2, 2), (2, 2))
    largest = jnp.repeat(jnp.repeat(pooled, 2, 1), 2, 2)
    return jnp.where(x == largest, largest**2, 0)


def adaptive(x, sizes, function):
    for axis, size in enumerate(sizes, 1):
        n = x.shape[axis]
        parts = [lax.slice_in_dim(x, i * n // size, -(-(i + 1) * n // size), axis=axis) for i in range(size)]
        x = jnp.stack([function(part, axis) for part in parts], axis)
    return x


def local_response_norm(x):
    squares = jnp.pad(x**2, ((0, 0), (0, 0), (1, 1)))
    mean = sum(squares[..., i:i + x.shape[-1]] for i in range(3)) / 3
    return x / (2 + 0.5 * mean) ** 0.75


def unfold(x, window, strides, padding, dilation=(1, 1)):
    options = {"strides": (1, *strides, 1), "padding": (0, *padding, 0), "dilation": (1, *dilation, 1)}
    w = windows(x, (1, *window, 1), **options)  # [batch, rows, columns, channels, 1, height, width, 1]
    w = jnp.moveaxis(w.squeeze((4, 7)), 3, -1)
    return w.reshape(w.shape[0], w.shape[1] * w.shape[2], -1)


def fold(x):
    zero = jnp.zeros((2, 5, 6, 2))
    return jax.vjp(lambda image: unfold(image, (3, 3), (2, 1), (1, 1)), zero)[1](x)[0]


MEAN_2D = ((1, 3, 3, 1), (1, 1, 1, 1))
CASES = {
    "reduce_window sum": ([(5, 6)], mixed(jnp.sum, 0.0)),
    "reduce_window max": ([(5, 6)], mixed(jnp.max, -jnp.inf)),
    "reduce_window min": ([(5, 6)], mixed(jnp.min, jnp.inf)),
    "reduce_window prod": ([(5, 6)], mixed(jnp.prod, 1.0)),
    "reduce_window x_dilation": ([(4, 5)], lambda x: lax.reduce_window(
        x, 0.0, lax.add, (3, 3), (1, 1), "VALID", base_dilation=(2, 1))),
    "reduce_window function": ([(5, 6)], lambda x: reduced(x, 3, jax.nn.logsumexp)),
    "max_pool1d": ([(2, 8, 3)], lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 1), (1, 2, 1), "VALID")),
    "max_pool2d": ([(2, 6, 7, 3)], lambda x: max_pool(x, (2, 2), (2, 2))),
    "max_pool2d overlapping": ([(2, 5, 6, 2)], lambda x: max_pool(x, (3, 3), (1, 1), ((1, 1), (1, 1)))),
    "max_pool2d dilation": ([(2, 5, 6, 2)], lambda x: reduced(x, (1, 2, 2, 1), jnp.max, dilation=(1, 2, 2, 1))),
    "max_pool3d": ([(1, 3, 4, 5, 2)], lambda x: lax.reduce_window(
        x, -jnp.inf, lax.max, (1, 1, 2, 2, 1), (1, 1, 2, 2, 1), "VALID")),
    "max_pool2d_with_indices": ([(2, 7, 6, 2)], lambda x: max_pool(x, (3, 3), (2, 2))),
    "max_unpool2d": ([(2, 4, 6, 2)], unpooled),
    "avg_pool1d": ([(2, 8, 3)], lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 3, 1), (1, 2, 1), "VALID") / 3),
    "avg_pool2d": ([(2, 6, 7, 3)], lambda x: sum_pool(x, (3, 3), (2, 2), ((1, 1), (1, 1))) / 9),
    "avg_pool2d counting x alone": ([(2, 5, 4, 2)], lambda x: sum_pool(x, (3, 3), (1, 1), "SAME") / sum_pool(
        jnp.ones_like(x), (3, 3), (1, 1), "SAME")),
    "avg_pool3d": ([(1, 4, 5, 4, 2)], lambda x: lax.reduce_window(
        x, 0.0, lax.add, (1, 2, 2, 2, 1), (1, 2, 2, 2, 1), "VALID") / 8),
    "adaptive_avg_pool2d": ([(2, 7, 6, 2)], lambda x: adaptive(x, (3, 4), jnp.mean)),
    "adaptive_max_pool2d": ([(2, 7, 6, 2)], lambda x: adaptive(x, (3, 4), jnp.max)),
    "adaptive_avg_pool1d": ([(2, 8, 2)], lambda x: adaptive(x, (3,), jnp.mean)),
    "local_response_norm": ([(2, 4, 5)], local_response_norm),
    "sliding_window_view": ([(4, 5)], lambda x: windows(x, (2, 3))),
    "unfold": ([(2, 5, 6, 3)], lambda x: unfold(x, (2, 3), (2, 1), (1, 1), (1, 2))),
    "fold": ([(2, 18, 18)], fold),
}
