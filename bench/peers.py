"""The same work in NumPy, JAX and PyTorch: prints {"name": [seconds, ...]} for bench/run.

  peers.py NumPy|JAX|PyTorch dispatch|models|functions|derivatives|fft|attention
"""
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import sys
import time

import numpy as np

REPETITIONS = 9


def measure(work, clock, at_least=0.05):
    """Seconds of one call, in each repetition, after a warm-up."""
    calls, taken = 1, 0.0
    while taken < at_least:
        start = time.perf_counter()
        for _ in range(calls):
            work()
        taken = time.perf_counter() - start
        calls *= 2
    times = []
    for _ in range(REPETITIONS):
        start = clock()
        for _ in range(calls):
            work()
        times.append((clock() - start) / calls)
    return times


def numpy_dispatch():
    one, square = np.ones(1, np.float32), np.ones((32, 32), np.float32)
    return {"add/1": measure(lambda: one + one, time.process_time),
            "add/32x32": measure(lambda: square + square, time.process_time),
            "addNumber": measure(lambda: one + 1.0, time.process_time)}


def jax_dispatch():
    import jax
    x = jax.numpy.ones(8, np.float32)
    f = jax.jit(lambda a, b, c: a * b + c)
    tree = [jax.numpy.ones(8, np.float32) for _ in range(200)]
    g = jax.jit(lambda t: t[0] + t[199])
    return {"cachedCall": measure(lambda: f(x, x, x).block_until_ready(), time.perf_counter),
            "treeCall": measure(lambda: g(tree).block_until_ready(), time.perf_counter)}


def jax_models():
    import jax
    import jax.numpy as jnp

    def dense(key, start, end):
        return 0.05 * jax.random.normal(jax.random.key(key), (start, end)), jnp.zeros(end)

    def forward(layers, x):
        for kernel, bias in layers[:-1]:
            x = jax.nn.relu(x @ kernel + bias)
        return x @ layers[-1][0] + layers[-1][1]

    def step(model, images, labels):
        def loss(model):
            logits = jax.nn.log_softmax(forward(model, images))
            return -(logits * jax.nn.one_hot(labels, 10)).sum(1).mean()

        value, gradient = jax.value_and_grad(loss)(model)
        return jax.tree.map(lambda p, g: p - 0.5 * g, model, gradient), value

    deep = [dense(0, 784, 64)] + [dense(i, 64, 64) for i in range(1, 100)] + [dense(100, 64, 10)]
    x = jax.random.uniform(jax.random.key(7), (20, 784))
    times = {}
    for mode, f in (("eager", forward), ("jit", jax.jit(forward))):
        times["dense100/" + mode] = measure(lambda: jax.block_until_ready(f(deep, x)), time.perf_counter)
    small = [dense(1, 64, 64), dense(2, 64, 10)]
    images, labels = jax.random.uniform(jax.random.key(7), (64, 64)), jnp.arange(64) % 10
    for mode, f in (("eager", step), ("jit", jax.jit(step))):
        times["digits/" + mode] = measure(lambda: jax.block_until_ready(f(small, images, labels)), time.perf_counter)
    def squares(x):
        for _ in range(200):
            x = x @ x
        return x

    square = jax.random.uniform(jax.random.key(7), (1000, 1000))
    for mode, f in (("eager", squares), ("jit", jax.jit(squares))):
        times["squares/" + mode] = measure(lambda: jax.block_until_ready(f(square)), time.perf_counter)
    return times


def jax_derivatives():
    import jax
    import jax.numpy as jnp

    def squashed(w, x):
        return jnp.sum(jnp.tanh(x @ w))

    def scanned(w, xs):
        def step(h, x):
            h = jnp.tanh(h @ w + x)
            return h, h.sum()
        return jax.lax.scan(step, jnp.zeros(8), xs)[1].sum()

    w, x = jax.random.normal(jax.random.key(1), (10, 10)), jax.random.normal(jax.random.key(2), (10, 10))
    small, xs = 0.3 * jax.random.normal(jax.random.key(3), (8, 8)), jax.random.normal(jax.random.key(4), (1000, 8))
    cases = {"valueAndGrad": (jax.value_and_grad(squashed), w, x), "hessianOf": (jax.hessian(squashed), w, x),
             "gradOfScan": (jax.grad(scanned), small, xs)}
    times = {}
    for name, (f, *arguments) in cases.items():
        for mode, g in (("eager", f), ("jit", jax.jit(f))):
            times[f"{name}/{mode}"] = measure(lambda: jax.block_until_ready(g(*arguments)), time.perf_counter)
    return times


def functions(np, normal, uniform):
    """name -> (function, its arguments): the rows of functions.cpp. The last ones make random numbers."""
    side, count = 1000, 1000 * 1000
    import numpy
    numbers = numpy.random.default_rng(0)
    x = np.asarray(numbers.random(count, numpy.float32))
    matrix, places, mask = x.reshape(side, side), np.asarray(numbers.permutation(count)), x > 0.5

    def scatter_add(x, places):
        zeros = np.zeros(count, np.float32)
        if np is not numpy:
            return zeros.at[places].add(x)
        numpy.add.at(zeros, places, x)
        return zeros

    def unique(x):
        whole = np.floor(x * 100)
        return numpy.unique(whole) if np is numpy else np.unique(whole, size=100)

    def transpose(m):
        # Rows again, as JAX and Tenon: by itself NumPy would leave them columns.
        return numpy.add(m.T, numpy.float32(1), order="C") if np is numpy else m.T + np.float32(1)

    return {"sin": (np.sin, x), "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), x),
            "sum over 0": (lambda m: m.sum(0), matrix), "sum over 1": (lambda m: m.sum(1), matrix), "var": (np.var, x),
            "cumulative_sum": (np.cumsum, x), "cumulative_sum over 0": (lambda m: np.cumsum(m, 0), matrix),
            "sort": (np.sort, x), "argsort": (lambda x: np.argsort(x, stable=True), x),
            "gather": (lambda x, i: x[i], x, places), "scatter-add": (scatter_add, x, places),
            "transpose": (transpose, matrix), "flip": (lambda x: x[::-1] + np.float32(1), x),
            "roll": (lambda x: np.roll(x, 5), x), "x[mask]": (lambda x, mask: x[mask], x, mask), "unique": (unique, x),
            "normal": normal, "uniform": uniform}


def numpy_functions():
    numbers = np.random.default_rng(2)
    rows = functions(np, (lambda: numbers.standard_normal(1000 * 1000, np.float32),),
                     (lambda: numbers.random(1000 * 1000, np.float32),))
    return {name: measure(lambda: f(*arguments), time.perf_counter) for name, (f, *arguments) in rows.items()}


def jax_functions():
    import jax
    jax.config.update("jax_enable_x64", True)
    key = jax.random.key(2)
    rows = functions(jax.numpy, (lambda key: jax.random.normal(key, 1000 * 1000, np.float32), key),
                     (lambda key: jax.random.uniform(key, 1000 * 1000, np.float32), key))
    times = {}
    for name, (f, *arguments) in rows.items():
        for mode, work in (("eager", f), ("jit", jax.jit(f))):
            if (name, mode) != ("x[mask]", "jit"):
                times[f"{name}/{mode}"] = measure(lambda: jax.block_until_ready(work(*arguments)), time.perf_counter)
    return times


def numpy_fft():
    """The rows of bench/fft.cpp. The inputs are numbers of the same kind, not the same numbers."""
    numbers = np.random.default_rng(2)
    lengths = [1 << bits for bits in range(4, 23, 2)] + [97, 1009, 10007, 100003, 60, 1000, 10000, 100000, 1000000, 6561,
                                                         15625]
    rows = [(1, n, dtype) for n in lengths for dtype in ("c64", "c128")]
    rows += [(*shape, dtype) for shape in ((10000, 16), (1000, 100), (1000, 1024), (100, 1009), (64, 65536))
             for dtype in ("c64", "f32")]
    rows += [(1, n, dtype) for n in (1024, 1000, 1009, 1 << 20) for dtype in ("f32", "f64")]
    types = {"c64": np.complex64, "c128": np.complex128, "f32": np.float32, "f64": np.float64}
    times = {}
    for count, n, dtype in rows:
        isComplex = dtype[0] == "c"
        x = numbers.uniform(-1, 1, (count, n))
        x = (x + 1j * numbers.uniform(-1, 1, (count, n)) if isComplex else x).astype(types[dtype])
        name = ("" if isComplex else "rfft ") + dtype + " " + (f"{count}x" if count > 1 else "") + str(n)
        f = np.fft.fft if isComplex else np.fft.rfft
        times[name] = measure(lambda: f(x), time.perf_counter, at_least=0.02)
    return times


def attention_inputs():
    """Of bench/attention.cpp: numbers of the same kind, not the same numbers."""
    numbers = np.random.default_rng(1)
    return [numbers.standard_normal((8, 8, 512, 64), np.float32) for _ in range(4)]


def jax_attention():
    import jax
    import jax.numpy as jnp
    # JAX has the heads behind the length.
    *arguments, cotangent = (jnp.asarray(x.swapaxes(1, 2)) for x in attention_inputs())
    times = {}
    for suffix, is_causal in (("", False), (", causal", True)):
        def forward(q, k, v):
            return jax.nn.dot_product_attention(q, k, v, is_causal=is_causal)
        backward = jax.grad(lambda q, k, v: jnp.sum(forward(q, k, v) * cotangent), (0, 1, 2))
        for name, f in (("forward", forward), ("forward and backward", backward)):
            times[name + suffix] = measure(lambda: jax.block_until_ready(f(*arguments)), time.perf_counter)
    return times


def torch_attention():
    try:
        import torch
    except ImportError:
        return {}
    *arguments, cotangent = (torch.from_numpy(x) for x in attention_inputs())
    leaves = [x.clone().requires_grad_() for x in arguments]
    attend = torch.nn.functional.scaled_dot_product_attention
    times = {}
    for suffix, is_causal in (("", False), (", causal", True)):
        def forward():
            return attend(*arguments, is_causal=is_causal)

        def backward():
            return torch.autograd.grad(attend(*leaves, is_causal=is_causal), leaves, cotangent)
        for name, f in (("forward", forward), ("forward and backward", backward)):
            times[name + suffix] = measure(f, time.perf_counter)
    return times


def main():
    work = {("NumPy", "functions"): numpy_functions, ("JAX", "functions"): jax_functions,
            ("NumPy", "dispatch"): numpy_dispatch, ("NumPy", "fft"): numpy_fft, ("JAX", "dispatch"): jax_dispatch, ("JAX", "models"): jax_models,
            ("JAX", "derivatives"): jax_derivatives, ("JAX", "attention"): jax_attention,
            ("PyTorch", "attention"): torch_attention}
    print(json.dumps(work[tuple(sys.argv[1:])]()))


main()
