#!/usr/bin/env python3
"""Measures the errors of Fourier transforms and factorizations beside SciPy's.

    accuracy.py ACCURACY           writes runtime/fft/ACCURACY.md and runtime/linalg/ACCURACY.md
    accuracy.py --check ACCURACY   compares the smaller rows with these tables, without SciPy's columns

ACCURACY is what accuracy.cpp is built to (ninja -C build/dev accuracy; build/dev/bin/test/accuracy). Everything is
measured in long double, which has 11 bits more than f64; the transforms in long double are compared with sums by the
definition first. SciPy is in the benchmarks' venv ('./dev setup jax'); --check needs NumPy alone.

Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import zlib

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np

from matrices import FUNCTIONS, MATRICES, measure_matrix, scipy_results

ROOT = pathlib.Path(__file__).resolve().parents[2]
POWERS = [1 << bits for bits in range(4, 21)]
PRIMES = [17, 97, 257, 1009, 10007, 65537, 100003, 1000003]
COMPOSITES = [60, 100, 360, 1000, 2310, 6561, 15625, 30030, 100000, 510510, 1000000]
COMPLEX = {"f32": np.complex64, "f64": np.complex128}
EPSILON = {"f32": 2.0**-23, "f64": 2.0**-52}
CHECKED_LENGTH, CHECKED_MATRIX = 3000, 100

FFT_HEAD = """# Errors of Fourier transforms

Relative errors, norm(error) / norm(result), in units of the dtype's epsilon (2^-23, 2^-52), of one
transform of complex (fft) or real (rfft) numbers between -1 and 1, and of `ifft(fft(x))`. SciPy's transforms
(`scipy.fft`) are pocketfft's, computed in the same dtype. (NumPy computes forward transforms of f32 in f64.) References
are transforms in long double.

`.venv-bench/bin/python test/accuracy/accuracy.py build/dev/bin/test/accuracy` writes this table and that of
`runtime/linalg`. The test `accuracy` measures the lengths up to 3,000 again.

| n | dtype | fft | SciPy | rfft | SciPy | round trip | SciPy |
|--:|---|--:|--:|--:|--:|--:|--:|
"""
LINALG_HEAD = """# Errors of linear algebra

Residuals and departures from orthogonality, in units of the dtype's epsilon (2^-23, 2^-52), measured in long double.
Norms are Frobenius norms. A matrix n has n rows; lstsq has 2 n rows. "normal": random normal elements. "bad": singular
values from 1 down to 1e-12 (f32, c64: 1e-5), evenly on a logarithmic scale. Cholesky, eigh: a normal matrix of 2 n columns
times its transpose; bad: eigenvalues as the singular values above.

| function | measured |
|---|---|
| solve | norm(A x - b) / (norm(A) norm(x) + norm(b)) |
| lstsq | norm(A^H (A x - b)) / (norm(A) (norm(A) norm(x) + norm(b))) |
| inv | norm(A X - I) / (norm(A) norm(X)) |
| lu, cholesky, qr, svd, eigh | norm(A - the product of the factors) / norm(A) |
| eig | norm(A V - V w) / norm(A) |
| orthogonality | norm(Q^H Q - I), of svd the larger one of U and V, of eigh of the eigenvectors |

`.venv-bench/bin/python test/accuracy/accuracy.py build/dev/bin/test/accuracy` writes this table and that of
`runtime/fft`. The test `accuracy` measures the matrices of up to 100 rows again. `scipy.linalg` calls OpenBLAS, in the
same dtype. (`numpy.linalg` computes f32 in f64.)

| function | matrix | dtype | residual | SciPy | orthogonality | SciPy |
|---|---|---|--:|--:|--:|--:|
"""


def signal(n, dtype):
    numbers = np.random.default_rng(n)
    return (numbers.uniform(-1, 1, n) + 1j * numbers.uniform(-1, 1, n)).astype(COMPLEX[dtype])


def check_reference():
    """np.fft in long double against the definition, with exact multiples of the angle."""
    for n in (16, 60, 97, 257, 1000):
        x = signal(n, "f64").astype(np.clongdouble)
        angles = -2 * np.arctan2(np.longdouble(0), np.longdouble(-1)) * np.arange(n, dtype=np.longdouble) / n
        waves = np.cos(angles) + 1j * np.sin(angles)
        places = np.outer(np.arange(n), np.arange(n)) % n
        by_definition = (waves[places] * x).sum(1)
        apart = np.linalg.norm((np.fft.fft(x) - by_definition).astype(np.complex128))
        assert apart < 2.0**-60 * np.linalg.norm(by_definition.astype(np.complex128)), (n, apart)


def size(x):
    return np.sqrt((np.abs(x) ** 2).sum())


def transform_errors(n, dtype, results):
    """Of (fft, rfft, round trip)."""
    x = signal(n, dtype)
    wide = x.astype(np.clongdouble)
    references = (np.fft.fft(wide), np.fft.rfft(wide.real), wide)
    return [float(size(y - reference) / size(reference)) / EPSILON[dtype] for y, reference in zip(results, references)]


def run(program, given):
    with tempfile.TemporaryDirectory() as folder:
        np.savez(folder + "/given.npz", **given)
        subprocess.run([program, folder + "/given.npz", folder + "/found.npz"], check=True)
        with np.load(folder + "/found.npz") as file:
            return dict(file)


def transforms(program, lengths, beside_scipy):
    """(n, dtype) -> figures of Tenon, and of SciPy."""
    rows = {}
    kinds = ("fft", "rfft", "round trip")
    for n in lengths:
        for dtype in EPSILON:
            x = signal(n, dtype)
            found = run(program, {f"{kind}/x": x for kind in kinds})
            ours = transform_errors(n, dtype, [found[f"{kind}/x/0"] for kind in kinds])
            theirs = [None] * 3
            if beside_scipy:
                from scipy import fft
                theirs = transform_errors(n, dtype, [fft.fft(x), fft.rfft(x.real), fft.ifft(fft.fft(x))])
            rows[f"{n:,}", dtype] = [figure for pair in zip(ours, theirs) for figure in pair]
    return rows


def matrices(program, most, beside_scipy):
    rows = {}
    for function in FUNCTIONS:
        for n, kind, dtype in MATRICES:
            if n > most:
                continue
            name = f"{kind} {n}"
            numbers = np.random.default_rng(zlib.crc32(f"{function} {name} {dtype}".encode()))
            x, b = FUNCTIONS[function](numbers, n, kind, dtype)
            given = {f"{function}/x": x, **({f"{function}/x/b": b} if b is not None else {})}
            found = run(program, given)
            ours = measure_matrix(function, x, b, [found[f"{function}/x/{i}"] for i in range(len(found))])
            theirs = measure_matrix(function, x, b, scipy_results(function, x, b)) if beside_scipy else [None] * 2
            epsilon = EPSILON["f32" if dtype in ("f32", "c64") else "f64"]
            rows[function, name, dtype] = [None if figure is None else figure / epsilon
                                           for pair in zip(ours, theirs) for figure in pair]
    return rows


def text(figure):
    return "" if figure is None else f"{figure:.2f}" if figure < 100 else f"{figure:.3g}"


def table(head, rows):
    return head + "".join("| " + " | ".join([*key, *map(text, figures)]) + " |\n" for key, figures in rows.items())


def stored(path, keys):
    """The first `keys` cells of each row of figures -> the others."""
    rows = {}
    for line in path.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == keys + (6 if keys == 2 else 4) and cells[keys].replace(".", "").isdigit():
            rows[tuple(cells[:keys])] = cells[keys:]
    return rows


def check(path, rows, keys):
    """How many figures of Tenon are not those of the table. Its results have the same bits on every CPU."""
    known, wrong = stored(path, keys), 0
    for key, figures in rows.items():
        ours, before = [text(figure) for figure in figures[::2]], known.get(key, ["?"] * len(figures))[::2]
        if ours != before:
            print(f"{path.relative_to(ROOT)}: {' '.join(key)}: expected {before}, got {ours}")
            wrong += 1
    print(f"{path.relative_to(ROOT)}: {len(rows)} rows measured, {wrong} differ")
    return wrong


def main():
    program, checks = sys.argv[-1], "--check" in sys.argv
    check_reference()
    lengths = sorted(POWERS + PRIMES + COMPOSITES) if not checks else [
        n for n in POWERS + PRIMES + COMPOSITES if n <= CHECKED_LENGTH]
    of_fft = transforms(program, lengths, not checks)
    of_linalg = matrices(program, CHECKED_MATRIX if checks else 1 << 30, not checks)
    fft, linalg = ROOT / "runtime/fft/ACCURACY.md", ROOT / "runtime/linalg/ACCURACY.md"
    if checks:
        return 1 if check(fft, of_fft, 2) + check(linalg, of_linalg, 3) else 0
    fft.write_text(table(FFT_HEAD, of_fft))
    linalg.write_text(table(LINALG_HEAD, of_linalg))
    print(f"written: {fft} {linalg}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
