"""The models of bench/learning.cpp in JAX, PyTorch and TensorFlow: prints {"name": [seconds, ...]} for bench/run.

  learning_peers.py JAX|PyTorch|TensorFlow THREADS
"""
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import os
import sys
import time

if __name__ == "__main__":  # before a library is imported
    for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NPROC", "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"):
        os.environ[variable] = sys.argv[2]
    os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", JAX_PLATFORMS="cpu", CUDA_VISIBLE_DEVICES="")
    if sys.argv[2] == "1":  # XLA's pool asks how many cores there are
        os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[0]})

import numpy as np

REPETITIONS = 7
HUNDRED = [64] * 100 + [10]
# name: rows of images, whether it has channels, layers
CLASSES = 10
# GRU: batch, time, features, units. Transformer block: batch, time, features, heads.
GRU, BLOCK = (32, 200, 64, 64), (8, 128, 256, 8)


def measure(work):
    """Seconds of one call, in each repetition, after a warm-up."""
    work()
    start = time.perf_counter()
    work()
    calls = max(1, int(0.1 / max(time.perf_counter() - start, 1e-6)))
    times = []
    for _ in range(REPETITIONS):
        start = time.perf_counter()
        for _ in range(calls):
            work()
        times.append((time.perf_counter() - start) / calls)
    return times


def image_batch(*shape):
    return np.random.default_rng(7).random(shape, np.float32)


def label_batch(count):
    return (np.arange(count) % CLASSES).astype(np.int32)


BATCHES = {"mlp": image_batch(128, 784), "guide": image_batch(32, 28, 28, 1), "classic": image_batch(64, 28, 28, 1)}


def jax_rows():
    import jax
    import jax.numpy as jnp
    numbers = np.random.default_rng(1)

    def weights(*shape):
        bound = (6 / (np.prod(shape[:-1]) + shape[-1])) ** 0.5
        return jnp.asarray(numbers.uniform(-bound, bound, shape).astype(np.float32)), jnp.zeros(shape[-1])

    def dense(p, x):
        return x @ p[0] + p[1]

    def conv(p, x):
        return jax.nn.relu(jax.lax.conv_general_dilated(x, p[0], (1, 1), "VALID",
                                                        dimension_numbers=("NHWC", "HWIO", "NHWC")) + p[1])

    def mlp(p, x):
        for one in p[:-1]:
            x = jax.nn.relu(dense(one, x))
        return dense(p[-1], x)

    def guide(p, x):
        return dense(p[2], conv(p[1], conv(p[0], x)).mean((1, 2)))

    def classic(p, x):
        x = conv(p[1], conv(p[0], x))
        x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID").reshape(x.shape[0], -1)
        return dense(p[3], jax.nn.relu(dense(p[2], x)))

    def gru(p, x):
        kernel, recurrent = p[0], p[1]
        units = GRU[3]

        def step(h, x):
            a, b = x, dense(recurrent, h)
            z = jax.nn.sigmoid(a[:, :units] + b[:, :units])
            r = jax.nn.sigmoid(a[:, units:2 * units] + b[:, units:2 * units])
            n = jnp.tanh(a[:, 2 * units:] + r * b[:, 2 * units:])
            return z * h + (1 - z) * n, None
        h, _ = jax.lax.scan(step, jnp.zeros((x.shape[0], units)), dense(kernel, x).swapaxes(0, 1))
        return dense(p[2], h)

    def norm(p, x):
        x = x - x.mean(-1, keepdims=True)
        return x / jnp.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * p[0] + p[1]

    def block(p, x):
        batch, length, width, heads = BLOCK
        h = norm(p[0], x)
        q, k, v = (dense(one, h).reshape(batch, length, heads, width // heads) for one in p[1:4])
        x = x + dense(p[4], jax.nn.dot_product_attention(q, k, v).reshape(batch, length, width))
        x = x + dense(p[7], jax.nn.gelu(dense(p[6], norm(p[5], x))))
        return dense(p[8], x.mean(1))

    def adam_step(apply):
        def loss(p, x, y):
            logits = jax.nn.log_softmax(apply(p, x))
            return -jnp.take_along_axis(logits, y[:, None], 1).mean()

        def step(state, x, y):
            p, m, v, t = state
            value, g = jax.value_and_grad(loss)(p, x, y)
            t = t + 1
            m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
            v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, g)
            rate = 1e-3 * jnp.sqrt(1 - 0.999 ** t) / (1 - 0.9 ** t)
            p = jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-7), p, m, v)
            return (p, m, v, t), value
        return step

    sizes = [784, *HUNDRED]
    deep = [weights(a, b) for a, b in zip(sizes, sizes[1:])]
    x = jnp.asarray(image_batch(20, 784))
    times = {}
    for mode, f in (("eager", mlp), ("jit", jax.jit(mlp))):
        times["forward/" + mode] = measure(lambda: jax.block_until_ready(f(deep, x)))
    width = BLOCK[2]
    scale = (jnp.ones(width), jnp.zeros(width))
    models = {"mlp": (mlp, [weights(784, 512), weights(512, 256), weights(256, 10)]),
              "guide": (guide, [weights(3, 3, 1, 16), weights(3, 3, 16, 16), weights(16, 10)]),
              "classic": (classic, [weights(3, 3, 1, 32), weights(3, 3, 32, 64), weights(9216, 128), weights(128, 10)]),
              "gru": (gru, [weights(GRU[2], 3 * GRU[3]), weights(GRU[3], 3 * GRU[3]), weights(GRU[3], 10)]),
              "block": (block, [scale, *[weights(width, width) for _ in range(4)], scale, weights(width, 4 * width),
                                weights(4 * width, width), weights(width, 10)])}
    batches = BATCHES | {"gru": image_batch(*GRU[:3]), "block": image_batch(*BLOCK[:3])}
    for name, (apply, p) in models.items():
        x, y = jnp.asarray(batches[name]), jnp.asarray(label_batch(len(batches[name])))
        # The state is given away, as a Variable is updated in its place.
        step = jax.jit(adam_step(apply), donate_argnums=0)
        zeros = lambda: jax.tree.map(jnp.zeros_like, p)
        state = [(jax.tree.map(jnp.copy, p), zeros(), zeros(), jnp.float32(0))]

        def call():
            state[0], value = step(state[0], x, y)
            value.block_until_ready()
        times[name + "/jit"] = measure(call)
    return times


def torch_rows():
    import torch
    torch.set_num_threads(int(sys.argv[2]))
    nn = torch.nn

    class Gru(nn.Module):
        def __init__(self):
            super().__init__()
            self.gru, self.out = nn.GRU(GRU[2], GRU[3], batch_first=True), nn.Linear(GRU[3], 10)

        def forward(self, x):
            return self.out(self.gru(x)[0][:, -1])

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            _, _, width, heads = BLOCK
            self.block = nn.TransformerEncoderLayer(width, heads, 4 * width, 0.0, "gelu", batch_first=True, norm_first=True)
            self.out = nn.Linear(width, 10)

        def forward(self, x):
            return self.out(self.block(x).mean(1))

    def mlp(sizes):
        layers = []
        for a, b in zip(sizes, sizes[1:]):
            layers += [nn.Linear(a, b), nn.ReLU()]
        return nn.Sequential(*layers[:-1])

    models = {"mlp": mlp([784, 512, 256, 10]),
              "guide": nn.Sequential(nn.Conv2d(1, 16, 3), nn.ReLU(), nn.Conv2d(16, 16, 3), nn.ReLU(),
                                     nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10)),
              "classic": nn.Sequential(nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2),
                                       nn.Flatten(), nn.Linear(9216, 128), nn.ReLU(), nn.Linear(128, 10)),
              "gru": Gru(), "block": Block()}
    times, deep, x = {}, mlp([784, *HUNDRED]).eval(), torch.from_numpy(image_batch(20, 784))
    with torch.no_grad():
        times["forward/eager"] = measure(lambda: deep(x))
    batches = BATCHES | {"gru": image_batch(*GRU[:3]), "block": image_batch(*BLOCK[:3])}
    for name, model in models.items():
        batch = batches[name].transpose(0, 3, 1, 2) if batches[name].ndim == 4 else batches[name]
        x, y = torch.from_numpy(np.ascontiguousarray(batch)), torch.from_numpy(label_batch(len(batch))).long()
        optimizer = torch.optim.Adam(model.parameters(), 1e-3)

        def call():
            optimizer.zero_grad(set_to_none=True)
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            return loss.item()
        times[name + "/eager"] = measure(call)
    return times


def tensorflow_rows():
    import tensorflow as tf
    import keras
    layers = keras.layers

    def mlp(sizes):
        return keras.Sequential([layers.Dense(size, activation="relu") for size in sizes[:-1]] + [layers.Dense(sizes[-1])])

    def convolutions(*channels):
        return [layers.Conv2D(count, 3, activation="relu") for count in channels]

    def block():
        _, length, width, heads = BLOCK
        x = keras.Input((length, width))
        h = layers.LayerNormalization()(x)
        y = x + layers.MultiHeadAttention(heads, width // heads)(h, h)
        h = layers.Dense(4 * width, activation="gelu")(layers.LayerNormalization()(y))
        y = y + layers.Dense(width)(h)
        return keras.Model(x, layers.Dense(10)(layers.GlobalAveragePooling1D()(y)))

    models = {"mlp": mlp([512, 256, 10]),
              "guide": keras.Sequential([*convolutions(16, 16), layers.GlobalAveragePooling2D(), layers.Dense(10)]),
              "classic": keras.Sequential([*convolutions(32, 64), layers.MaxPool2D(2), layers.Flatten(),
                                           layers.Dense(128, activation="relu"), layers.Dense(10)]),
              "gru": keras.Sequential([layers.GRU(GRU[3]), layers.Dense(10)]), "block": block()}
    times, deep, x = {}, mlp(HUNDRED), tf.constant(image_batch(20, 784))
    deep(x)
    for mode, f in (("eager", deep), ("jit", tf.function(deep))):
        times["forward/" + mode] = measure(lambda: f(x).numpy())
    batches = BATCHES | {"gru": image_batch(*GRU[:3]), "block": image_batch(*BLOCK[:3])}
    for name, model in models.items():
        x, y = tf.constant(batches[name]), tf.constant(label_batch(len(batches[name])))
        model(x)
        optimizer = keras.optimizers.Adam(1e-3)
        optimizer.build(model.trainable_variables)

        @tf.function
        def step(x, y):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, model(x, training=True)))
            optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
            return loss
        times[name + "/jit"] = measure(lambda: step(x, y).numpy())
    return times


def main():
    try:
        times = {"JAX": jax_rows, "PyTorch": torch_rows, "TensorFlow": tensorflow_rows}[sys.argv[1]]()
    except ModuleNotFoundError:
        times = {}
    print(json.dumps(times))


if __name__ == "__main__":
    main()
