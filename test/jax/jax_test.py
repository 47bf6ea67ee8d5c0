#!/usr/bin/env python3
"""Compares values and derivatives with JAX's, in f64, function by function.

    jax_test.py JAX-CASES [--table] [NAME...]
    ctest --test-dir build/dev -R '^jax$'

JAX-CASES is what Main.cpp is built to (build/dev/bin/test/jax-cases). The same cases are listed here in cases_*.py, with
their inputs. Of each case it compares

    value   the results
    grad    the gradient of a weighted sum of the results (reverse mode)
    jvp     the derivative of that sum along a direction (forward mode)
    second  the gradient of the gradient's product with that direction

It fails where a difference exceeds the tolerance times the largest element. --table prints the difference of every case.
A part of a name chooses cases. cases_edges.py says where the two differ, and why.

JAX is in the benchmarks' venv, which './dev setup jax' makes: run by another Python it goes on there. 77 if it is not there.

Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import zlib

# Compiling takes most of the time, and what is computed is small.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true")
try:
    import jax
except ImportError:
    python = pathlib.Path(__file__).resolve().parents[2] / ".venv-bench/bin/python"
    if python.exists() and "TENON_JAX_TEST" not in os.environ:
        os.execve(python, [str(python), "-B", *sys.argv], {**os.environ, "TENON_JAX_TEST": "again"})
    print("JAX is not there: './dev setup jax' installs it")
    sys.exit(77)

import numpy as np

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_default_matmul_precision", "highest")

import cases_convolutions
import cases_edges
import cases_fourier
import cases_images
import cases_linalg
import cases_neural
import cases_windows

CASES = {}
for module in (cases_convolutions, cases_windows, cases_images, cases_neural, cases_linalg, cases_fourier,
               cases_edges):
    CASES.update(module.CASES)

# Of the largest element of what JAX has.
TOLERANCE = {"value": 1e-12, "grad": 1e-11, "jvp": 1e-11, "second": 1e-10}


def inputs_of(name, shapes):
    """Normal random numbers, by the case's name; an array is given as it is."""
    numbers = np.random.default_rng(zlib.crc32(name.encode()))
    return [shape if isinstance(shape, np.ndarray) else numbers.standard_normal(shape) for shape in shapes]


def pattern(f, shift, like):
    return f(shift + np.arange(like.size, dtype=np.float64)).reshape(like.shape)


def weighted(results):
    total = 0.0
    for y in results:
        total = total + (y.real * pattern(np.cos, 1, y)).sum()
        if np.iscomplexobj(y):
            total = total + (y.imag * pattern(np.sin, 1, y)).sum()
    return total


def reference(function, inputs):
    """What Main.cpp computes, by JAX: what -> arrays, or the text of JAX's error."""

    def results(*x):
        y = function(*x)
        return list(y) if isinstance(y, (tuple, list)) else [y]

    def loss(*x):
        return weighted(results(*x))

    everything = tuple(range(len(inputs)))
    tangents = tuple(jax.numpy.asarray(pattern(np.sin, 2, x)) for x in inputs)

    def along(*x):
        return sum((g * t).sum() for g, t in zip(jax.grad(loss, everything)(*x), tangents))

    work = {"value": results, "grad": jax.grad(loss, everything),
            "jvp": lambda *x: [jax.jvp(loss, x, tangents)[1]], "second": jax.grad(along, everything)}
    try:
        together = jax.jit(lambda *x: {what: list(f(*x)) for what, f in work.items()})(*inputs)
        return {what: [np.asarray(y) for y in arrays] for what, arrays in together.items()}
    except (NotImplementedError, ValueError, TypeError):
        found = {}
    for what, f in work.items():
        try:
            found[what] = [np.asarray(y) for y in jax.jit(f)(*inputs)]
        except (NotImplementedError, ValueError, TypeError) as error:
            found[what] = f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return found


def difference(got, expected):
    """The largest difference by the largest element."""
    if got.shape != expected.shape:
        return f"shape {got.shape}, JAX {expected.shape}"
    if expected.size == 0:
        return 0.0
    special = ~np.isfinite(expected)
    if not np.array_equal(got[special], expected[special], equal_nan=True) or not np.isfinite(got[~special]).all():
        return f"{got.ravel()}, JAX {expected.ravel()}"
    got, expected = got[~special], expected[~special]
    # Second derivatives of linear functions are zeros, or sums of rounding errors.
    return float(np.abs(got - expected).max(initial=0) / np.abs(expected).max(initial=1e-3))


def main():
    program, *arguments = sys.argv[1:]
    shows = "--table" in arguments
    chosen = [argument for argument in arguments if argument != "--table"]
    names = subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()
    if set(names) != set(CASES):
        print("only in C++:", sorted(set(names) - set(CASES)), "only here:", sorted(set(CASES) - set(names)))
        return 1
    names = [name for name in names if not chosen or any(part in name for part in chosen)]
    inputs = {name: inputs_of(name, CASES[name][0]) for name in names}
    with tempfile.TemporaryDirectory() as folder:
        given, found = folder + "/given.npz", folder + "/found.npz"
        np.savez(given, **{f"{name}/{i}": x for name in names for i, x in enumerate(inputs[name])})
        subprocess.run([program, given, found], check=True)
        with np.load(found) as file:
            ours = dict(file)
    failed = compared = 0
    for name in names:
        row, wrong = [], []
        if name + "/error" in ours:
            wrong.append("Tenon: " + bytes(ours[name + "/error"]).decode())
        else:
            for what, expected in reference(CASES[name][1], inputs[name]).items():
                if what in cases_edges.DIFFERENT.get(name, ([],))[0]:
                    row.append(f"{what} not compared")
                    continue
                if isinstance(expected, str):
                    wrong.append(f"{what}: JAX has {expected}")
                    continue
                for i, array in enumerate(expected):
                    key = f"{name}/{what}" + ("" if what == "jvp" else f"/{i}")
                    apart = difference(ours[key], array)
                    compared += 1
                    row.append(f"{what} {apart if isinstance(apart, str) else format(apart, '.1e')}")
                    if isinstance(apart, str) or not apart <= TOLERANCE[what]:
                        wrong.append(row[-1])
        if wrong:
            failed += 1
            print(f"{name}: {'; '.join(wrong)}")
        elif shows:
            print(f"{name}: {', '.join(row)} {cases_edges.DIFFERENT.get(name, ('', ''))[1]}")
    print(f"{len(names)} cases, {compared} arrays compared, {failed} cases differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
