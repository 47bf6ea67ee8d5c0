"""Attention, normalizations, losses and activations by JAX: case -> (inputs, function). See jax_test.py.

Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import nn


def attention(q, k, v, scale=None, bias=0.0, mask=True, cap=None):
    """By the formula: jax.nn.dot_product_attention computes its softmax in f32, also of f64."""
    k, v = (jnp.repeat(x, q.shape[1] // k.shape[1], 1) for x in (k, v))
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) * (scale or q.shape[-1] ** -0.5)
    if cap:
        scores = cap * jnp.tanh(scores / cap)
    return jnp.einsum("bhqk,bhkd->bhqd", nn.softmax(jnp.where(mask, scores + bias, -jnp.inf)), v)


def standardized(x, axes, epsilon, mean=None, variance=None):
    mean = x.mean(axes, keepdims=True) if mean is None else mean
    variance = ((x - mean) ** 2).mean(axes, keepdims=True) if variance is None else variance
    return (x - mean) / jnp.sqrt(variance + epsilon)


def batch_norm_training(x, scale, offset):
    mean, axes = x.mean((0, 1, 2)), (0, 1, 2)
    return standardized(x, axes, 1e-5) * scale + offset, mean, ((x - mean) ** 2).mean(axes)


def group_norm(x, scale, offset):
    groups = x.reshape(*x.shape[:-1], 2, -1)
    return standardized(groups, (1, 2, 4), 1e-5).reshape(x.shape) * scale + offset


def norm(x, p, axis):
    return (jnp.abs(x) ** p).sum(axis, keepdims=True) ** (1 / p)


def cosine_similarity(x, y):
    return (x * y).sum(-1) / (norm(x, 2, -1) * norm(y, 2, -1))[..., 0]


def distances(p):
    return lambda x, y: norm(x[:, None] - y[None], p, -1)[..., 0]


def clip_by_norm(x):
    n = norm(x, 2, 1)
    return jnp.where(n > 1.5, x * 1.5 / n, x)


# Class -100 is ignored.
CLASSES = np.array([2, 0, 3, -100, 1, 2])
KEPT = CLASSES >= 0


def picked(log_probabilities):
    return jnp.where(KEPT, -jnp.take_along_axis(log_probabilities, np.maximum(CLASSES, 0)[:, None], 1)[:, 0], 0)


def smoothed(logits, weights):
    """As PyTorch: (1 - e) of the class, e / classes of all; the mean by the weights of the classes."""
    log_probabilities, weights = nn.log_softmax(logits), jnp.exp(weights)
    of_class = weights[np.maximum(CLASSES, 0)] * KEPT
    all_classes = -(log_probabilities * weights).sum(1) * KEPT / logits.shape[1]
    return (0.9 * (picked(log_probabilities) * of_class).sum() + 0.1 * all_classes.sum()) / of_class.sum()


def binary_logits(x, target, pos_weight):
    t = nn.sigmoid(target)
    return (jnp.exp(pos_weight) * t * nn.softplus(-x) + (1 - t) * nn.softplus(x)).mean()


def binary(x, target):
    p, t = nn.sigmoid(x), nn.sigmoid(target)
    return -(t * jnp.log(p) + (1 - t) * jnp.log(1 - p)).sum()


def huber(x, y, delta):
    d = jnp.abs(x - y)
    return jnp.where(d <= delta, d**2 / 2, delta * (d - delta / 2)).mean()


def kl(x, target):
    return (jnp.exp(target) * (target - x))


CAUSAL = np.tril(np.ones((5, 5), bool))
WINDOW = np.tril(np.triu(np.ones((5, 5), bool), -2), 1)
HEADS = [(2, 3, 5, 4), (2, 3, 6, 4), (2, 3, 6, 2)]
SQUARE = [(2, 3, 5, 4), (2, 3, 5, 4), (2, 3, 5, 4)]
IMAGES, CHANNELS, ROWS, LOGITS = (3, 4, 5, 6), (6,), (4, 7), (6, 4)
CASES = {
    "attention": (HEADS, attention),
    "attention causal": (SQUARE, lambda *x: attention(*x, mask=CAUSAL)),
    "attention mask": (SQUARE, lambda *x: attention(*x, mask=CAUSAL, scale=0.5)),
    "attention bias": ([*HEADS, (2, 3, 5, 6)], lambda q, k, v, b: attention(q, k, v, bias=b)),
    "attention window": (SQUARE, lambda *x: attention(*x, mask=WINDOW)),
    "attention grouped": ([(2, 6, 5, 4), (2, 3, 5, 4), (2, 3, 5, 4)], lambda *x: attention(*x, mask=CAUSAL)),
    "attention softcap": (HEADS, lambda *x: attention(*x, cap=0.75)),
    "softmax": ([ROWS], lambda x: nn.softmax(x, 0)),
    "log_softmax": ([ROWS], nn.log_softmax),
    "logsumexp": ([ROWS], lambda x: nn.logsumexp(x, 1)),
    "layer_norm": ([ROWS, (7,), (7,)], lambda x, s, o: standardized(x, 1, 1e-5) * s + o),
    "layer_norm two axes": ([(2, 3, 4), (3, 4), (3, 4)], lambda x, s, o: standardized(x, (1, 2), 1e-3) * s + o),
    "rms_norm": ([ROWS, (7,)], lambda x, s: x / jnp.sqrt((x**2).mean(1, keepdims=True) + 1e-6) * s),
    "batch_norm": ([IMAGES] + [CHANNELS] * 4, lambda x, m, v, s, o: standardized(x, None, 1e-5, m, v**2 + 0.5) * s + o),
    "batch_norm_training": ([IMAGES, CHANNELS, CHANNELS], batch_norm_training),
    "group_norm": ([IMAGES, CHANNELS, CHANNELS], group_norm),
    "instance_norm": ([IMAGES, CHANNELS, CHANNELS], lambda x, s, o: standardized(x, (1, 2), 1e-5) * s + o),
    "normalize": ([ROWS], lambda x: x / norm(x, 2, -1)),
    "normalize p 3": ([ROWS], lambda x: x / norm(x, 3, 0)),
    "cosine_similarity": ([ROWS, ROWS], cosine_similarity),
    "pairwise_distance": ([ROWS, ROWS], lambda x, y: norm(x - y + 1e-6, 2, -1)[..., 0]),
    "cdist": ([ROWS, (3, 7)], distances(2)),
    "cdist p 1": ([ROWS, (3, 7)], distances(1)),
    "cdist p 3": ([ROWS, (3, 7)], distances(3)),
    "clip_by_norm": ([(6, 3)], clip_by_norm),
    "nll_loss": ([LOGITS], lambda x: picked(nn.log_softmax(x)).sum() / KEPT.sum()),
    "cross_entropy": ([LOGITS], lambda x: picked(nn.log_softmax(x))),
    "cross_entropy smoothed": ([LOGITS, (4,)], smoothed),
    "cross_entropy probabilities": ([LOGITS, LOGITS],
                                    lambda x, y: -(nn.log_softmax(x) * nn.softmax(y)).sum(1).mean()),
    "binary_cross_entropy": ([ROWS, ROWS], binary),
    "binary_cross_entropy_with_logits": ([ROWS, ROWS, (7,)], binary_logits),
    "huber_loss": ([ROWS, ROWS], lambda x, y: huber(x, y, 0.7)),
    "smooth_l1_loss": ([ROWS, ROWS], lambda x, y: huber(x, y, 0.7) / 0.7),
    "kl_div": ([ROWS, ROWS], lambda x, y: kl(nn.log_softmax(x), nn.log_softmax(y)).mean()),
    "kl_div of logarithms": ([ROWS, ROWS], lambda x, y: kl(nn.log_softmax(x), nn.log_softmax(y))),
    "mse_loss": ([ROWS, ROWS], lambda x, y: ((x - y) ** 2).mean()),
    "l1_loss": ([ROWS, ROWS], lambda x, y: jnp.abs(x - y)),
    "relu": ([ROWS], nn.relu),
    "sigmoid": ([ROWS], nn.sigmoid),
    "softplus": ([ROWS], nn.softplus),
    "log_sigmoid": ([ROWS], nn.log_sigmoid),
    "log1mexp": ([ROWS], lambda x: nn.log1mexp(jnp.abs(x) + 0.01)),
    "silu": ([ROWS], nn.silu),
    "gelu": ([ROWS], nn.gelu),
    "gelu exact": ([ROWS], lambda x: nn.gelu(x, False)),
    "mish": ([ROWS], nn.mish),
    "elu": ([ROWS], lambda x: nn.elu(x, 0.5)),
    "celu": ([ROWS], lambda x: nn.celu(x, 0.5)),
    "selu": ([ROWS], nn.selu),
    "leaky_relu": ([ROWS], nn.leaky_relu),
    "relu6": ([ROWS], nn.relu6),
    "hard_tanh": ([ROWS], nn.hard_tanh),
    "hard_sigmoid": ([ROWS], nn.hard_sigmoid),
    "hard_swish": ([ROWS], nn.hard_swish),
    "soft_sign": ([ROWS], nn.soft_sign),
}
