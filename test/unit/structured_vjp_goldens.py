#===- structured_vjp_goldens.py - derivatives with ties and zeros, by JAX ---------===#
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Prints structured_vjp_goldens.txt:
#   python structured_vjp_goldens.py > structured_vjp_goldens.txt, with the package jax
# A line for each argument of each function below: the function's name, the argument's number, the elements of jax.vjp's
# cotangent, in f64. The arrays, and the weights that are the result's cotangent, are multiples of 1/8 with ties (see
# numbers()).
#
# The text is in git because NumPy has no derivatives, and differences cannot tell how a tie is shared.
#===------------------------------------------------------------------------------===#
import math

import jax
import jax.numpy as jnp
from jax import lax

jax.config.update("jax_enable_x64", True)
ROWS = jnp.array([3, 0, 3, 1])


def numbers(shape, seed):
    """As structured_vjp_test.cpp has them: (seed * 37 + i * 29) mod 23, less 11, in eighths."""
    return jnp.array([((seed * 37 + i * 29) % 23 - 11) / 8 for i in range(math.prod(shape))]).reshape(shape)


def twice(x):
    """x, with the slope 2: what ties share shows."""
    return 2 * x - lax.stop_gradient(x)


def gru(w, u, x):
    def step(h, v):
        z, r = jax.nn.sigmoid(v @ w[0] + h @ u[0]), jax.nn.sigmoid(v @ w[1] + h @ u[1])
        n = jnp.tanh(v @ w[2] + (r * h) @ u[2])
        h = (1 - z) * n + z * h
        return h, h

    return lax.scan(step, jnp.zeros(3), x)[1]


def attention(q, k, v):
    return jax.nn.softmax(q @ k.T / math.sqrt(q.shape[-1]), axis=-1) @ v


def layer_norm(x, scale, shift):
    return (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * scale + shift


FUNCTIONS = {
    "softmax": ([(3, 4)], lambda x: jax.nn.softmax(x, axis=0)),
    "log_softmax": ([(3, 4)], lambda x: jax.nn.log_softmax(x, axis=1)),
    "logsumexp": ([(3, 4)], lambda x: jax.nn.logsumexp(x, axis=1)),
    "max": ([(3, 8)], lambda x: jnp.max(jnp.concatenate([x, twice(x)], axis=1), axis=1)),
    "maximum": ([(24,), (24,)], lambda x, y: jnp.maximum(x, jnp.where(y > 0, twice(x), y))),
    "prod": ([(3, 4)], lambda x: jnp.prod(x, axis=1)),
    "var": ([(3, 4)], lambda x: jnp.var(x, axis=0)),
    "cumulative_sum": ([(3, 5)], lambda x: jnp.cumsum(x, axis=1)),
    "cumulative_prod": ([(3, 5)], lambda x: jnp.cumprod(x, axis=1)),
    "cumulative_max": ([(3, 5)], lambda x: lax.cummax(x, axis=1)),
    "cumulative_logsumexp": ([(3, 5)], lambda x: lax.cumlogsumexp(x, axis=1)),
    "sort": ([(30,)], lambda x: jnp.sort(x) ** 2),
    "sort_descending": ([(3, 7)], lambda x: jnp.sort(x, axis=1, descending=True) ** 2),
    "take": ([(4, 3)], lambda x: jnp.take(x, ROWS, axis=0) ** 2),
    "take_along_axis": ([(4, 3)], lambda x: jnp.take_along_axis(x, jnp.array([[1, 3, 0], [1, 0, 2]]), axis=0) ** 2),
    "set": ([(4, 3), (4, 3)], lambda x, u: (x.at[jnp.array([2, 0, 3, 1])].set(u)) ** 2),
    "add": ([(4, 3), (4, 3)], lambda x, u: (x.at[ROWS].add(u)) ** 2),
    "multiply": ([(4, 3), (4, 3)], lambda x, u: (x.at[jnp.array([2, 0, 3, 1])].multiply(u, unique_indices=True)) ** 2),
    "dynamic_slice": ([(5, 6)], lambda x: lax.dynamic_slice(x, (2, 9), (2, 3)) ** 2),
    "dynamic_update_slice": ([(5, 6), (2, 3)], lambda x, u: lax.dynamic_update_slice(x, u, (3, 1)) ** 2),
    "pad": ([(2, 3), ()], lambda x, v: lax.pad(x, v, ((1, 2, 0), (0, 1, 2))) ** 2),
    "concatenate": ([(2, 1), (2, 3)], lambda x, y: jnp.concatenate([x, y, x * y], axis=1) ** 2),
    "reverse": ([(2, 3)], lambda x: x[::-1, 2:0:-1] ** 2),
    "transpose": ([(2, 3, 4)], lambda x: jnp.transpose(x, (2, 0, 1)) ** 2),
    "where": ([(4, 3), (4, 3)], lambda x, y: jnp.where(x > 0, x * y, jnp.sin(y))),
    "clip": ([(23,)], lambda x: jnp.clip(x, -1.0 + 1 / 16, 1.0 + 1 / 16) ** 2),
    "norm": ([(3, 4)], lambda x: jnp.sqrt(jnp.sum(x * x, axis=1))),
    "matmul": ([(2, 3, 4), (4, 2)], lambda x, y: x @ y),
    "tensordot": ([(2, 3, 4), (3, 4, 2)], lambda x, y: jnp.tensordot(x, y, axes=2)),
    "median": ([(3, 5)], lambda x: jnp.sum(jnp.sort(x, axis=1)[:, 2:3] * x, axis=1)),
    "attention": ([(3, 4), (5, 4), (5, 2)], attention),
    "layer_norm": ([(3, 4), (4,), (4,)], layer_norm),
    "gru": ([(3, 2, 3), (3, 3, 3), (6, 2)], gru),
    "cond": ([(3,), (3,)], lambda x, y: lax.cond(x.sum() > y.sum(), lambda: x * jnp.exp(y), lambda: jnp.tanh(x) * y)),
    "associative_scan": ([(5, 2)], lambda x: lax.associative_scan(lambda a, b: a * b + a, x)),
}

for name, (shapes, function) in FUNCTIONS.items():
    arguments = [numbers(shape, seed + 1) for seed, shape in enumerate(shapes)]
    value, pull = jax.vjp(function, *arguments)
    for i, cotangent in enumerate(pull(numbers(value.shape, 9))):
        print(name, i, *(float(x).hex() for x in cotangent.ravel()))
