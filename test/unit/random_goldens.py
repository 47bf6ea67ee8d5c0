"""Prints random_goldens.txt: the numbers that jax.random draws.

    python3 test/unit/random_goldens.py > test/unit/random_goldens.txt

A line: the case, which random_test.cpp has by the same name; the seed, whose two words are the key; the dtype; the shape;
the elements' bits in hexadecimal. The text is in git because only JAX (pip install jax, on the CPU) draws these numbers,
and the tests' Python has NumPy alone; another version of JAX may draw others.

Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import sys

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_threefry_partitionable", True)
R = jax.random
SEEDS = [42, 0x123456789ABCDEF0]
SHORT = {"bool": "bool", "bfloat16": "bf16", "float16": "f16", "float32": "f32", "float64": "f64"}


def line(name, seed, draw):
    key = R.wrap_key_data(np.array([seed >> 32, seed & 0xFFFFFFFF], np.uint32), impl="threefry2x32")
    drawn = draw(key)
    if jnp.issubdtype(drawn.dtype, jax.dtypes.prng_key):
        drawn = R.key_data(drawn)
    out = np.asarray(drawn)
    kind = str(out.dtype)
    kind = SHORT.get(kind, kind.replace("uint", "u").replace("int", "i"))
    words = out.reshape(-1).view(f"u{out.dtype.itemsize}")
    print(name, seed, kind, ",".join(map(str, out.shape)) or "-", *(f"{int(w):x}" for w in words))


def cases(name, draw, seeds=SEEDS):
    for seed in seeds:
        line(name, seed, draw)


def all_floats(name, draw, shape):
    """draw(key, shape, dtype) in each dtype of floats; f64 needs x64."""
    for dtype in ("bfloat16", "float16", "float32"):
        cases(f"{name}/{SHORT[dtype]}", lambda key: draw(key, shape, jnp.dtype(dtype)))
    with jax.enable_x64(True):
        cases(f"{name}/f64", lambda key: draw(key, shape, jnp.dtype("float64")))


def main():
    print(f"# JAX {jax.__version__}, jax_threefry_partitionable=True, {jax.devices()[0].platform}: made by random_goldens.py")
    cases("split", lambda key: R.split(key, 7))
    cases("fold_in/0", lambda key: R.fold_in(key, 0))
    cases("fold_in/1234567", lambda key: R.fold_in(key, 1234567))
    cases("fold_in/4294967295", lambda key: R.fold_in(key, np.uint32(4294967295)))
    for width in (8, 16, 32):
        cases(f"bits/u{width}", lambda key: R.bits(key, (3, 37), jnp.dtype(f"uint{width}")))
    with jax.enable_x64(True):
        cases("bits/u64", lambda key: R.bits(key, (3, 37), jnp.dtype("uint64")))

    # Uniform and normal numbers.
    bounds = np.array([-3.7, 0.0, 0.1, 100.0], np.float32)
    above = np.array([2.9, 0.3, 0.1, 101.5], np.float32)
    all_floats("uniform", lambda key, s, t: R.uniform(key, s, t), (200,))
    all_floats("uniform/-2.3,4.9", lambda key, s, t: R.uniform(key, s, t, -2.3, 4.9), (200,))
    all_floats("uniform/1,1.7", lambda key, s, t: R.uniform(key, s, t, 1, 1.7), (200,))
    all_floats("uniform/-1,1", lambda key, s, t: R.uniform(key, s, t, -1, 1), (200,))
    all_floats("uniform/arrays", lambda key, s, t: R.uniform(key, s, t, bounds, above), (50, 4))
    all_floats("normal", lambda key, s, t: R.normal(key, s, t), (500,))
    all_floats("truncated_normal/-1,2.5", lambda key, s, t: R.truncated_normal(key, -1, 2.5, s, t), (300,))
    all_floats("truncated_normal/arrays",
               lambda key, s, t: R.truncated_normal(key, np.array([-9, 0, 1.5], np.float32),
                                                    np.array([-0.5, 0.25, 9], np.float32), s, t), (100, 3))

    # By the inverse of the distribution.
    for name in ("exponential", "gumbel", "laplace", "logistic", "cauchy"):
        all_floats(name, getattr(R, name), (300,))
    all_floats("rayleigh/2.5", lambda key, s, t: R.rayleigh(key, jnp.asarray(2.5, t), s, t), (300,))
    all_floats("pareto/3", lambda key, s, t: R.pareto(key, jnp.asarray(3, t), s, t), (300,))
    all_floats("weibull_min/2,3", lambda key, s, t: R.weibull_min(key, jnp.asarray(2, t), jnp.asarray(3, t), s, t), (300,))
    all_floats("triangular/-1,0.5,2", lambda key, s, t: R.triangular(key, -1, 0.5, 2, s, t), (300,))
    all_floats("lognormal/0.5", lambda key, s, t: R.lognormal(key, jnp.asarray(0.5, t), s, t), (300,))

    # Truth values, signs, integers.
    cases("bernoulli/0.5", lambda key: R.bernoulli(key, 0.5, (200,)))
    cases("bernoulli/arrays", lambda key: R.bernoulli(key, np.array([0, 0.1, 0.7, 1], np.float32), (50, 4)))
    for dtype in ("bfloat16", "float16"):
        cases(f"bernoulli/{SHORT[dtype]}", lambda key: R.bernoulli(key, jnp.asarray(0.3, dtype), (200,)))
    with jax.enable_x64(True):
        cases("bernoulli/f64", lambda key: R.bernoulli(key, jnp.asarray(0.3, "float64"), (200,)))
    cases("rademacher", lambda key: R.rademacher(key, (200,)))
    cases("rademacher/bf16", lambda key: R.rademacher(key, (20,), jnp.dtype("bfloat16")))
    for name, low, high, dtype in [("i32", -7, 12, "int32"), ("i32/wide", -2**31, 2**31 - 1, "int32"),
                                   ("i32/1000003", 0, 1000003, "int32"), ("i32/even", 0, 1024, "int32"),
                                   ("i32/empty", 5, 5, "int32"), ("i32/below", 5, -5, "int32"),
                                   ("u8", 0, 256, "uint8"), ("u8/beyond", -5, 1000, "uint8"), ("i8", -100, 17, "int8"),
                                   ("u16", 3, 40000, "uint16"), ("i16", -32768, 32768, "int16"),
                                   ("u32", 10, 2**31 - 1, "uint32")]:
        cases(f"randint/{name}", lambda key: R.randint(key, (150,), low, high, jnp.dtype(dtype)))
    cases("randint/arrays", lambda key: R.randint(key, (50, 4), np.array([0, -5, 7, 100]), np.array([[10], [1000]] * 25)))
    with jax.enable_x64(True):
        for name, low, high, dtype in [("i64", -10**15, 10**17, "int64"), ("i64/all", -2**63, 2**63 - 1, "int64"),
                                       ("u64", 1, 2**63 - 1, "uint64"), ("i32/all", -2**31, 2**31, "int32"),
                                       ("u32/all", 0, 2**32, "uint32"), ("i32/beyond", -10, 2**40, "int32")]:
            cases(f"randint/{name}", lambda key: R.randint(key, (150,), low, high, jnp.dtype(dtype)))
        cases("randint/i64/arrays", lambda key: R.randint(key, (50, 4), np.array([0, -2**62, 7, 100]),
                                                          np.array([10, 2**62, 2**63 - 1, 90]), jnp.dtype("int64")))
        cases("randint/i32/beyond arrays", lambda key: R.randint(key, (50, 4), np.array([0, -2**62, -2**31, 100]),
                                                                 np.array([10, 2**62, 2**31, 90]), jnp.dtype("int32")))
    cases("geometric/0.3", lambda key: R.geometric(key, 0.3, (300,)))
    cases("geometric/arrays", lambda key: R.geometric(key, np.array([1, 0.9, 0.01], np.float32), (100, 3)))

    # Orders and choices.
    table = np.arange(12, dtype=np.float32).reshape(3, 4)
    cases("permutation/20", lambda key: R.permutation(key, 20))
    cases("permutation/3000", lambda key: R.permutation(key, 3000), [42])
    cases("permutation/rows", lambda key: R.permutation(key, table))
    cases("permutation/columns", lambda key: R.permutation(key, table, axis=-1))
    cases("permutation/independent", lambda key: R.permutation(key, table, axis=1, independent=True))
    cases("choice/10", lambda key: R.choice(key, 10, (40,)))
    cases("choice/rows", lambda key: R.choice(key, table, (2, 3)))
    cases("choice/columns", lambda key: R.choice(key, table, (5,), axis=1))
    cases("choice/without", lambda key: R.choice(key, 50, (4, 5), replace=False))
    cases("choice/columns without", lambda key: R.choice(key, table, (3,), replace=False, axis=1))
    p = np.array([1, 0, 5, 2, 8], np.float32) / 16
    cases("choice/p", lambda key: R.choice(key, 5, (200,), p=p))
    cases("choice/p without", lambda key: R.choice(key, np.arange(10., 15, dtype=np.float32), (3,), replace=False, p=p))
    logits = np.log(np.array([[1, 2, 3, 4], [4, 1, 1, 1], [0, 0, 1, 1]], np.float32))
    cases("categorical", lambda key: R.categorical(key, logits))
    cases("categorical/300", lambda key: R.categorical(key, logits, shape=(100, 3)))
    cases("categorical/axis", lambda key: R.categorical(key, logits, axis=0, shape=(50, 4)))
    cases("categorical/without", lambda key: R.categorical(key, logits[:2], shape=(3, 2), replace=False))

    # By rejection.
    for a in (0.05, 0.7, 1.0, 3.5, 80.0):
        cases(f"gamma/{a}", lambda key: R.gamma(key, a, (1000,)))
        cases(f"loggamma/{a}", lambda key: R.loggamma(key, a, (300,)))
    cases("gamma/arrays", lambda key: R.gamma(key, np.array([0, 0.5, 2, 1000], np.float32), (100, 4)))
    with jax.enable_x64(True):
        cases("gamma/f64", lambda key: R.gamma(key, np.array([0.5, 2, 1000]), (200, 3), jnp.dtype("float64")))
    cases("gamma/f16", lambda key: R.gamma(key, 2.5, (300,), jnp.dtype("float16")))
    cases("gamma/bf16", lambda key: R.gamma(key, 2.5, (300,), jnp.dtype("bfloat16")))
    cases("beta/0.5,3", lambda key: R.beta(key, 0.5, 3, (1000,)))
    cases("beta/arrays", lambda key: R.beta(key, np.array([[1], [5]], np.float32), np.array([2, 8], np.float32)))
    cases("dirichlet", lambda key: R.dirichlet(key, np.array([0.3, 1, 4], np.float32), (300,)))
    cases("t/4", lambda key: R.t(key, 4.0, (1000,)))
    cases("chisquare/5", lambda key: R.chisquare(key, 5.0, (1000,)))
    cases("ball/3,2", lambda key: R.ball(key, 3, 2, (300,)))
    cases("ball/2,1", lambda key: R.ball(key, 2, 1, (300,)))
    for lam in (0.3, 4.0, 9.99, 10.0, 50.0, 1000.0):
        cases(f"poisson/{lam}", lambda key: R.poisson(key, lam, (1000,)))
    cases("poisson/arrays", lambda key: R.poisson(key, np.array([0, 3, 30, np.nan], np.float32), (100, 4)))
    for n, q in ((10, 0.3), (40, 0.9), (100, 0.5), (1000, 0.02), (100000, 0.7)):
        cases(f"binomial/{n},{q}", lambda key: R.binomial(key, n, q, (1000,)))
    cases("binomial/arrays", lambda key: R.binomial(key, np.array([0, 7, 500, -1, np.nan], np.float32),
                                                    np.array([[0], [0.25], [1], [1.5]], np.float32)))
    with jax.enable_x64(True):
        cases("binomial/f64", lambda key: R.binomial(key, 500., 0.4, (300,), jnp.dtype("float64")))
    weights = np.array([[1, 2, 3, 4], [4, 0, 1, 1]], np.float32)
    cases("multinomial/20", lambda key: R.multinomial(key, 20., weights, shape=(40, 2, 4)).astype(jnp.int32))
    cases("multinomial/500", lambda key: R.multinomial(key, np.array([500, 7], np.float32), weights).astype(jnp.int32))


if __name__ == "__main__":
    sys.exit(main())
