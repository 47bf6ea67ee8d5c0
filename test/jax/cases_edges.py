"""Functions where derivatives are special, by JAX: case -> (inputs, function). See jax_test.py.

DIFFERENT says where Tenon has another result, and why.

Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn
from jax.numpy import linalg as la

from cases_convolutions import conv
from cases_fourier import fft, z
from cases_images import grid_sample
from cases_linalg import sla
from cases_windows import max_pool, reduced


def array(*rows):
    return np.array(rows, np.float64)


def cdist(x):
    d = x[:, None] - x[None]
    return jnp.sqrt((d**2).sum(-1))


def clip_by_norm(x):
    n = la.norm(x, axis=1, keepdims=True)
    return jnp.where(n > 1, x / n, x)


def huber(x, y):
    d = jnp.abs(x - y)
    return jnp.where(d <= 1, d**2 / 2, d - 0.5)


def function_of_eigenvalues(x):
    w, v = la.eigh(x)
    return (v * jnp.sin(w)) @ v.T


KINKS = array(-6, -3, -1, 0, 1, 3, 6)
TIED = np.array([1.0, 1, 0, 2, 2, 1, 0, 2, 2]).reshape(1, 3, 3, 1)
CENTERS = array([-1, -1], [0, 0.5], [0.5, -0.5], [1, 1]).reshape(1, 2, 2, 2)
RANK_2 = array([1, 2, 3], [4, 5, 6], [7, 8, 9])
RANK_1 = array([1, 2, 3], [2, 4, 6], [-1, -2, -3])
TWICE = array([2, 0, 0], [0, 2, 0], [0, 0, 3])
ROW = array([3, 4], [0, 0])
CASES = {
    "edge relu": ([KINKS], lambda x: (nn.relu(x), nn.relu6(x), nn.leaky_relu(x))),
    "edge elu": ([KINKS], lambda x: (nn.elu(x), nn.celu(x), nn.selu(x))),
    "edge hard_tanh": ([KINKS], nn.hard_tanh),
    "edge hard_sigmoid": ([KINKS], lambda x: (nn.hard_sigmoid(x), nn.hard_swish(x))),
    "edge soft_sign": ([KINKS], lambda x: (nn.soft_sign(x), jnp.abs(x))),
    "edge l1_loss": ([KINKS, np.abs(KINKS)], lambda x, y: jnp.abs(x - y)),
    "edge huber_loss": ([KINKS, array(-6, -2, -2, 0, 2, 3, 5)], huber),
    "edge kl_div": ([array(-1, -2, -3)], lambda x: np.log(0.5) - (x[1] + x[2]) / 2),
    "edge max_pool2d": ([TIED], lambda x: max_pool(x, (2, 2), (1, 1))),
    "edge reduce_window prod": ([array(2, 0, 3, 0, 0, 1, 5)], lambda x: reduced(x, 3, jnp.prod, fill=1.0)),
    "edge softmax": ([array([0, -np.inf, 1], [2, 2, -np.inf])], nn.softmax),
    "edge logsumexp": ([array([0, -np.inf, 1], [-np.inf, -np.inf, -np.inf])], lambda x: nn.logsumexp(x, -1)),
    "edge layer_norm": ([array([2, 2, 2])], lambda x: (x - x.mean(-1, keepdims=True)) / jnp.sqrt(
        x.var(-1, keepdims=True) + 1e-5)),
    "edge vector_norm": ([array(0, 0)], la.norm),
    "edge normalize": ([ROW], lambda x: x / jnp.maximum(la.norm(x, axis=1, keepdims=True), 1e-12)),
    "edge cdist": ([ROW], cdist),
    "edge clip_by_norm": ([ROW], clip_by_norm),
    "edge grid_sample": ([(1, 3, 5, 2), CENTERS], lambda x, g: grid_sample(x, g, align_corners=True)),
    "edge conv2d": ([(0, 4, 4, 2), (3, 3, 2, 3)], conv),
    "edge matmul": ([(2, 0), (0, 3)], jnp.matmul),
    "edge fft": ([(2, 1), (2, 1)], lambda a, b: (fft.fft(z(a, b)), fft.irfft(z(a, b), 1))),
    "edge irfft": ([(2, 2), (2, 2)], lambda a, b: (fft.irfft(z(a, b), 2), fft.hfft(z(a, b), 3))),
    "edge det": ([RANK_2], la.det),
    "edge det of rank 1": ([RANK_1], la.det),
    "edge slogdet": ([RANK_1], lambda x: la.slogdet(x)[1]),
    "edge solve": ([RANK_1, (3,)], la.solve),
    "edge cholesky": ([-TWICE], la.cholesky),
    "edge pinv": ([RANK_1], la.pinv),
    "edge lstsq": ([RANK_1, (3, 2)], lambda a, b: la.lstsq(a, b)[0]),
    "edge eigvalsh": ([TWICE], la.eigvalsh),
    "edge eigh": ([TWICE], function_of_eigenvalues),
    "edge svdvals": ([TWICE], lambda x: la.svd(x, compute_uv=False)),
    "edge matrix_norm nuclear": ([RANK_1], lambda x: la.norm(x, "nuc")),
    "edge qr": ([RANK_1], lambda x: jnp.abs(la.qr(x)[1])),
    "edge expm": ([np.zeros((3, 3))], sla.expm),
}
DERIVATIVES = ("grad", "jvp", "second")
NORM_OF_ZERO = "JAX: NaN where a norm is 0; Tenon: the derivative 0 of the norm, as PyTorch"
EQUAL = "JAX: NaN; Tenon leaves out the terms of equal eigenvalues or singular values, as dialect/records/Linalg.td says"
# What Tenon has otherwise, and why.
DIFFERENT = {
    "edge elu": (["second"], "at 0 JAX's celu takes a half of both sides twice; Tenon takes the left side"),
    "edge hard_sigmoid": (["second"], "of hard_swish at -3 and 3 JAX takes the outer side, Tenon the inner one"),
    "edge soft_sign": (DERIVATIVES, "abs at 0: 1 in JAX, 0 in Tenon, PyTorch and TensorFlow"),
    "edge l1_loss": (DERIVATIVES, "abs at 0: 1 in JAX, 0 in Tenon, PyTorch and TensorFlow"),
    "edge logsumexp": (DERIVATIVES, "JAX: NaN where all are -inf; Tenon: 0"),
    "edge vector_norm": (DERIVATIVES, NORM_OF_ZERO),
    "edge normalize": (DERIVATIVES, NORM_OF_ZERO),
    "edge cdist": (DERIVATIVES, NORM_OF_ZERO),
    "edge clip_by_norm": (DERIVATIVES, NORM_OF_ZERO),
    "edge solve": (["value"], "Tenon: NaN where the matrix is singular; JAX: infinities too"),
    "edge lstsq": (["second"], "the solution is not differentiable where the rank changes"),
    "edge eigvalsh": (["second"], EQUAL),
    "edge eigh": (DERIVATIVES, EQUAL + "; both are wrong, as this function is smooth"),
    "edge svdvals": (["second"], EQUAL),
    "edge matrix_norm nuclear": (DERIVATIVES, "not differentiable where a singular value is 0: both are subgradients"),
    "edge qr": (DERIVATIVES, "Tenon: NaN where the columns are dependent; JAX: rounding errors"),
}
