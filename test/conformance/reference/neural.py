# neural.py - attention, normalizations, losses and distances
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from composites import close, softplus
from values import LONG, near, op, rounded


def weights_of(c):
    """The weights of the softmax, 0 where no key takes part, and the largest size of a score."""
    q, k = c.long(0), c.long(1)
    k = np.repeat(k, q.shape[-3] // k.shape[-3], axis=-3)
    width = q.shape[-1]
    scale = LONG(c.a["scale"]) if "scale" in c.a else 1 / np.sqrt(LONG(max(width, 1)))
    scores = q @ np.swapaxes(k, -1, -2) * scale
    if "softcap" in c.a:
        scores = LONG(c.a["softcap"]) * np.tanh(scores / LONG(c.a["softcap"]))
    if "bias" in c.a:
        scores = scores + c.long(c.a["bias"])
    size = np.max(np.abs(scores), initial=0)
    i, j = np.arange(scores.shape[-2])[:, None], np.arange(scores.shape[-1])
    seen = np.ones(scores.shape, bool)
    if "causal" in c.a:
        seen = seen & (j <= i)
    left, right = c.a.get("window", (-1, -1))
    if left >= 0:
        seen = seen & (j >= i - left)
    if right >= 0:
        seen = seen & (j <= i + right)
    if "mask" in c.a:
        seen = seen & c.x[c.a["mask"]]
    scores = np.where(seen, scores, -LONG("1e4000"))
    weights = np.where(seen, np.exp(scores - np.max(scores, axis=-1, keepdims=True, initial=-LONG("1e4000"))), 0)
    total = np.sum(weights, axis=-1, keepdims=True)
    return weights / np.where(total == 0, 1, total), size


@op("attention")
@op("scaled_dot_product_attention")
def _(c):
    v = np.repeat(c.long(2), c.x[0].shape[-3] // c.x[2].shape[-3], axis=-3)
    weights, size = weights_of(c)
    return close(c, weights @ v, weights @ np.abs(v) * (1 + size))


@op("attention_gradient")
def _(c):
    q, k, v, cotangent = (c.long(i) for i in range(4))
    shared = q.shape[-3] // k.shape[-3]
    k, v = np.repeat(k, shared, axis=-3), np.repeat(v, shared, axis=-3)
    scale = LONG(c.a["scale"]) if "scale" in c.a else 1 / np.sqrt(LONG(max(q.shape[-1], 1)))
    weights, size = weights_of(c)

    def turned(x):
        return np.swapaxes(x, -1, -2)

    def over_queries(x):
        """The sum of what the heads of q that share one of k give it."""
        return np.sum(x.reshape(*x.shape[:-3], -1, shared, *x.shape[-2:]), axis=-3)
    of_weights = cotangent @ turned(v)
    slopes = weights * (of_weights - np.sum(weights * of_weights, axis=-1, keepdims=True)) * scale
    sizes = np.abs(cotangent) @ turned(np.abs(v))
    sizes = weights * (sizes + np.sum(weights * sizes, axis=-1, keepdims=True)) * scale * (1 + size)
    return (close(c, slopes @ k, sizes @ np.abs(k))
            + close(c, over_queries(turned(slopes) @ q), over_queries(turned(sizes) @ np.abs(q)))
            + close(c, over_queries(turned(weights) @ cotangent),
                    over_queries(turned(weights) @ np.abs(cotangent)) * (1 + size)))


def squares_of(c):
    """x over its root mean square, that root, and the shape of the scale beside x."""
    x, axes = c.long(0), tuple(c.a["axes"])
    if not x.size:
        return x, x, x.shape
    deviation = np.sqrt(np.mean(x * x, axis=axes, keepdims=True) + LONG(c.a["epsilon"]))
    return x / deviation, deviation, [n if axis in axes else 1 for axis, n in enumerate(x.shape)]


@op("rms_norm")
def _(c):
    normalized, _, shape = squares_of(c)
    return [near(normalized * c.long(1).reshape(shape) if normalized.size else normalized, c.dtypes[0], c.ulps)]


@op("rms_norm_gradient")
def _(c):
    normalized, deviation, shape = squares_of(c)
    if not normalized.size:
        return [near(normalized, c.dtypes[0], c.ulps)]
    axes, scaled = tuple(c.a["axes"]), c.long(1).reshape(shape) * c.long(2)

    def mean(values):
        return np.mean(values, axis=axes, keepdims=True)
    return [near((scaled - normalized * mean(scaled * normalized)) / deviation, c.dtypes[0], c.ulps,
                 (np.abs(scaled) + np.abs(normalized) * mean(np.abs(scaled * normalized))) / deviation)]


def beside(c, i):
    """A parameter of the channels beside x."""
    shape = [1] * c.x[0].ndim
    shape[c.a["axis"]] = -1
    return c.long(i).reshape(shape)


def normalized(c, x, axes, scale, offset):
    """Over these axes of x; scale and offset lie beside x."""
    mean = np.mean(x, axis=axes, keepdims=True)
    distance = x - mean
    variance = np.mean(distance * distance, axis=axes, keepdims=True)
    deviation = np.sqrt(variance + LONG(c.a["epsilon"]))
    size = (np.abs(x) + np.abs(mean)) / deviation * np.abs(scale) + np.abs(offset)
    return distance / deviation * scale + offset, size, mean, variance


@op("batch_norm")
def _(c):
    x, mean, variance, scale, offset = c.long(0), *(beside(c, i) for i in range(1, 5))
    deviation = np.sqrt(variance + LONG(c.a["epsilon"]))
    size = (np.abs(x) + np.abs(mean)) / deviation * np.abs(scale) + np.abs(offset)
    return close(c, (x - mean) / deviation * scale + offset, size)


@op("batch_norm_training")
def _(c):
    x, axis = c.long(0), c.a["axis"]
    others = tuple(i for i in range(x.ndim) if i != axis)
    y, size, mean, variance = normalized(c, x, others, beside(c, 1), beside(c, 2))
    wide = "f32" if c.dtypes[0] == "bf16" else c.dtypes[0]
    largest = np.max(np.abs(x))
    return close(c, y, size) + [near(mean.reshape(-1), wide, c.ulps, largest),
                                near(variance.reshape(-1), wide, c.ulps, largest * largest)]


@op("group_norm")
def _(c):
    x, axis, groups = c.long(0), c.a["axis"], c.a["groups"]
    split = x.reshape(x.shape[:axis] + (groups, x.shape[axis] // groups) + x.shape[axis + 1:])
    if not x.size:
        return close(c, x)
    axes = tuple(i for i in range(split.ndim) if i not in (0, axis))
    ones, none = np.ones_like(split), np.zeros_like(split)
    y, size, _, _ = normalized(c, split, axes, ones, none)
    scale, offset = beside(c, 1), beside(c, 2)
    return close(c, y.reshape(x.shape) * scale + offset, size.reshape(x.shape) * np.abs(scale) + np.abs(offset))


@op("instance_norm")
def _(c):
    x = c.long(0)
    axes = tuple(i for i in range(x.ndim) if i not in (0, c.a["axis"]))
    y, size, _, _ = normalized(c, x, axes, beside(c, 1), beside(c, 2))
    return close(c, y, size)


def reduced(c, losses, count=None):
    """The losses, their sum or their mean."""
    how = c.a.get("reduction", "mean")
    if how == "unreduced":
        return losses
    return np.sum(losses) if how == "sum" else np.sum(losses) / (losses.size if count is None else count)


def class_loss(c, logarithms):
    axis, smoothing = c.a["axis"], LONG(c.a.get("smoothing", 0))
    size = logarithms.shape[axis]
    weight = c.long(c.a["weight"]) if "weight" in c.a else np.ones(size, LONG)
    shape = [1] * logarithms.ndim
    shape[axis] = size
    weighted = logarithms * weight.reshape(shape)
    scale = np.max(np.abs(weighted)) * (logarithms.size if c.a.get("reduction") == "sum" else 1)
    if "classes" not in c.a:
        target = (1 - smoothing) * c.long(1) + smoothing / size
        losses = -np.sum(target * weighted, axis=axis)
        return close(c, reduced(c, losses), scale * np.max(np.sum(np.abs(target), axis=axis)))
    target = np.mod(c.x[1].astype(np.int64), c.a["classes"])
    kept = target != c.a.get("ignored", -100)
    picked = np.take_along_axis(weighted, np.expand_dims(target, axis), axis).squeeze(axis)
    losses = -(1 - smoothing) * picked - smoothing / size * np.sum(weighted, axis=axis)
    losses = np.where(kept, losses, 0)
    return close(c, reduced(c, losses, np.sum(weight[target] * kept)), scale)


@op("nll_loss")
def _(c):
    return class_loss(c, c.long(0))


@op("cross_entropy")
def _(c):
    x, axis = c.long(0), c.a["axis"]
    shifted = x - np.max(x, axis=axis, keepdims=True)
    return class_loss(c, shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True)))


def times(c, name, losses):
    return losses * c.long(c.a[name]) if name in c.a else losses


def pair_loss(c, losses):
    return close(c, reduced(c, losses), np.sum(np.abs(losses)) if c.a.get("reduction", "mean") != "unreduced" else None)


@op("binary_cross_entropy")
def _(c):
    p, target = (c.long(i) * LONG(0.375) for i in (0, 1))
    if c.dtypes[0] == "bf16":  # the products are rounded before the loss
        p, target = (rounded(x, "bf16").astype(LONG) for x in (p, target))
    return pair_loss(c, times(c, "weight", -(target * np.log(p) + (1 - target) * np.log1p(-p))))


@op("binary_cross_entropy_with_logits")
def _(c):
    x, target = c.long(0), c.long(1)
    positive, negative = times(c, "positive", target * softplus(-x)), (1 - target) * softplus(x)
    size = np.sum(np.abs(times(c, "weight", positive)) + np.abs(times(c, "weight", negative)))
    return close(c, reduced(c, times(c, "weight", positive + negative)), size)


def huber(d, delta):
    return np.where(np.abs(d) <= delta, d * d / 2, delta * (np.abs(d) - delta / 2))


@op("huber_loss")
def _(c):
    return pair_loss(c, huber(c.long(0) - c.long(1), LONG(c.a["delta"])))


@op("smooth_l1_loss")
def _(c):
    d, beta = c.long(0) - c.long(1), LONG(c.a["beta"])
    return pair_loss(c, huber(d, beta) / beta if beta else np.abs(d))


@op("mse_loss")
def _(c):
    return pair_loss(c, (c.long(0) - c.long(1)) ** 2)


@op("l1_loss")
def _(c):
    return pair_loss(c, np.abs(c.long(0) - c.long(1)))


@op("kl_div")
def _(c):
    x, target = c.long(0), c.long(1)
    if "log_target" in c.a:
        losses, size = np.exp(target) * (target - x), np.exp(target) * (np.abs(target) + np.abs(x))
    else:
        losses, size = target * (np.log(target) - x), target * (np.abs(np.log(target)) + np.abs(x))
    return close(c, reduced(c, losses), np.sum(size))


def norm(x, p, axis, keepdims=False):
    return np.sum(np.abs(x) ** LONG(p), axis=axis, keepdims=keepdims) ** (1 / LONG(p))


@op("normalize")
def _(c):
    x = c.long(0)
    return close(c, x / norm(x, c.a["p"], c.a["axis"], True))


@op("cosine_similarity")
def _(c):
    x1, x2 = np.broadcast_arrays(c.long(0), c.long(1))
    axis = c.a["axis"]
    products = x1 * x2 / (norm(x1, 2, axis, True) * norm(x2, 2, axis, True))
    return close(c, np.sum(products, axis=axis), np.sum(np.abs(products), axis=axis))


@op("pairwise_distance")
def _(c):
    d = c.long(0) - c.long(1) + LONG(c.a["epsilon"])
    return close(c, norm(d, c.a["p"], -1, "keepdims" in c.a), np.max(np.abs(d)))


@op("cdist")
def _(c):
    d = np.expand_dims(c.long(0), -2) - np.expand_dims(c.long(1), -3)
    return close(c, norm(d, c.a["p"], -1), np.max(np.abs(d)))
