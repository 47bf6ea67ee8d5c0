"""The matrices of accuracy.py, SciPy's results, and how errors are measured.

Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import numpy as np

TYPES = {"f32": np.float32, "f64": np.float64, "c64": np.complex64, "c128": np.complex128}
# rows, kind, dtype
MATRICES = [(n, kind, dtype) for n in (10, 100, 300) for kind in ("normal", "bad")
            for dtype in ("f32", "f64", *(("c64", "c128") if n == 100 else ()))]


def wide(x):
    return x.astype(np.clongdouble if np.iscomplexobj(x) else np.longdouble)


def adjoint(x):
    return np.conj(x.T)


def size(x):
    return np.sqrt((np.abs(x) ** 2).sum())


def normal(numbers, rows, columns, dtype):
    x = numbers.standard_normal((rows, columns))
    return wide(x + 1j * numbers.standard_normal((rows, columns)) if dtype[0] == "c" else x)


def turned(numbers, x, dtype):
    """x times orthogonal matrices from the left: ten reflections, in long double, since the bits of NumPy's qr depend on the
    CPU."""
    for _ in range(10):
        v = normal(numbers, len(x), 1, dtype)
        x = x - v @ ((2 / (np.abs(v) ** 2).sum()) * (adjoint(v) @ x))
    return x


def values(n, dtype):
    """Of a bad matrix."""
    return np.logspace(0, -5 if dtype in ("f32", "c64") else -12, n)


def matrix(numbers, rows, n, kind, dtype):
    if kind == "normal":
        return normal(numbers, rows, n, dtype)
    x = turned(numbers, np.eye(rows, n, dtype=np.longdouble) * values(n, dtype), dtype)
    return adjoint(turned(numbers, adjoint(x), dtype))


def square(numbers, n, kind, dtype):
    return matrix(numbers, n, n, kind, dtype).astype(TYPES[dtype]), None


def system(numbers, n, kind, dtype):
    x = matrix(numbers, n, n, kind, dtype).astype(TYPES[dtype])
    return x, normal(numbers, n, 1, dtype).astype(TYPES[dtype])


def tall(numbers, n, kind, dtype):
    x = matrix(numbers, 2 * n, n, kind, dtype).astype(TYPES[dtype])
    return x, normal(numbers, 2 * n, 1, dtype).astype(TYPES[dtype])


def definite(numbers, n, kind, dtype):
    """Positive definite, also after rounding."""
    if kind == "bad":
        x = turned(numbers, np.diag(np.sqrt(wide(values(n, dtype)))), dtype)
    else:
        x = normal(numbers, n, 2 * n, dtype)
    x = x @ adjoint(x)
    return ((x + adjoint(x)) / 2).astype(TYPES[dtype]), None


# function -> what makes its arguments
FUNCTIONS = {"solve": system, "inv": square, "lu": square, "lstsq": tall, "cholesky": definite, "qr": square, "svd": square,
             "eigh": definite, "eig": square}


def scipy_results(function, x, b):
    """Those of one precision: numpy.linalg computes f32 in f64."""
    from scipy import linalg
    if function == "solve":
        return [linalg.solve(x, b)]
    if function == "lstsq":
        return [linalg.lstsq(x, b)[0]]
    if function == "lu":
        return list(linalg.lu(x, permute_l=True))
    if function == "svd":
        return list(linalg.svd(x, full_matrices=False))
    if function == "cholesky":
        return [linalg.cholesky(x, lower=True)]
    results = getattr(linalg, function)(x)
    return list(results) if isinstance(results, tuple) else [results]


def apart(q):
    return float(size(adjoint(q) @ q - np.eye(q.shape[1])))


def measure_matrix(function, x, b, results):
    """The residual, and how far vectors are from orthonormal, or None."""
    x, results = wide(x), [wide(y) for y in results]
    first = results[0]
    if function == "solve":
        return [float(size(x @ first - b) / (size(x) * size(first) + size(wide(b)))), None]
    if function == "lstsq":
        residual = adjoint(x) @ (x @ first - b)
        return [float(size(residual) / (size(x) * (size(x) * size(first) + size(wide(b))))), None]
    if function == "inv":
        return [float(size(x @ first - np.eye(len(x))) / (size(x) * size(first))), None]
    if function == "cholesky":
        return [float(size(x - first @ adjoint(first)) / size(x)), None]
    if function == "lu":
        return [float(size(x - first @ results[1]) / size(x)), None]
    if function == "qr":
        return [float(size(x - first @ results[1]) / size(x)), apart(first)]
    if function == "svd":
        u, s, vh = results
        return [float(size(x - (u * s) @ vh) / size(x)), max(apart(u), apart(adjoint(vh)))]
    w, v = results
    if function == "eigh":
        return [float(size(x - (v * w) @ adjoint(v)) / size(x)), apart(v)]
    return [float(size(x @ v - v * w) / size(x)), None]
