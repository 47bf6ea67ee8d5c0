# linear_algebra.py - factorizations, in long double
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's own functions are LAPACK in f64, too coarse for second differences. These are the textbook algorithms: Gauss,
Gram-Schmidt, Jacobi, Taylor. Results are allowed `ulps` of their largest element."""
import numpy as np

from values import LONG, NUMPY, PARTS, Result, near, op, ulp

WIDE = np.clongdouble


def wide(x):
    return x.astype(WIDE if np.iscomplexobj(x) else LONG)


def close(values, dtype, ulps):
    """A result of `dtype`, allowed `ulps` of its largest element."""
    values = np.asarray(values)
    if dtype == "long":
        return Result(values, dtype)
    scale = np.max(np.abs(values), initial=0).astype(LONG)
    if dtype in PARTS:
        return Result(values.astype(NUMPY[dtype]), dtype, np.full(values.shape, ulps * ulp(scale, PARTS[dtype])))
    return near(values, dtype, ulps, scale)


def real_of(dtype):
    return PARTS.get(dtype, dtype)


def matrix_op(name):
    """An op over matrices: the function gets one of each input and returns values, and the others are its batch."""
    def add(function):
        @op(name)
        def _(c):
            return [close(values, tag, c.ulps) for values, tag in function(c, [wide(x) for x in c.x])]
        return function
    return add


def each(x, function):
    """The function of each matrix of a batch."""
    if x.ndim == 2:
        return function(x)
    results = [each(part, function) for part in x]
    return tuple(np.stack(parts) for parts in zip(*results)) if isinstance(results[0], tuple) else np.stack(results)


def H(x):
    return np.swapaxes(x, -1, -2).conj()


def T(x):
    return np.swapaxes(x, -1, -2)


def shifted(x, shift):
    return x + shift * np.eye(x.shape[-2], x.shape[-1], dtype=x.dtype)


def pivoted(x):
    return x + 6 * np.eye(x.shape[-2], x.shape[-1], dtype=x.dtype)[::-1]


def spread(x):
    return x / 4 + np.eye(x.shape[-2], x.shape[-1], dtype=x.dtype) * np.arange(2, 2 * x.shape[-1] + 1, 2)


def definite(x):
    return shifted(x @ H(x), 2)


def gauss(a):
    """Packed LU factors, pivots, permutation."""
    a = a.copy()
    m, n = a.shape
    pivots, order = [], list(range(m))
    for k in range(min(m, n)):
        size = np.abs(a[k:, k].real) + np.abs(a[k:, k].imag)
        p = k + int(np.argmax(size))
        pivots.append(p)
        a[[k, p]] = a[[p, k]]
        order[k], order[p] = order[p], order[k]
        if a[k, k] != 0:
            a[k + 1:, k] /= a[k, k]
            a[k + 1:, k + 1:] -= np.outer(a[k + 1:, k], a[k, k + 1:])
    return a, np.array(pivots, np.int32), np.array(order, np.int32)


def solve(a, b):
    n = a.shape[0]
    packed, _, order = gauss(a)
    x = b[order].astype(np.result_type(a, b))
    for i in range(n):
        x[i] = x[i] - packed[i, :i] @ x[:i]
    for i in reversed(range(n)):
        x[i] = (x[i] - packed[i, i + 1:] @ x[i + 1:]) / packed[i, i]
    return x


def inverse(a):
    return solve(a, np.eye(a.shape[0], dtype=a.dtype))


def cholesky(a):
    n = a.shape[0]
    lower = np.zeros_like(a)
    for j in range(n):
        lower[j, j] = np.sqrt((a[j, j] - lower[j, :j] @ lower[j, :j].conj()).real)
        lower[j + 1:, j] = (a[j + 1:, j] - lower[j + 1:, :j] @ lower[j, :j].conj()) / lower[j, j]
    return lower


def qr(a):
    """With a positive diagonal of R: Gram-Schmidt, each column twice."""
    m, n = a.shape
    k = min(m, n)
    q, r = np.zeros((m, k), a.dtype), np.zeros((k, n), a.dtype)
    for j in range(n):
        v = a[:, j].copy()
        for _ in range(2):
            part = q[:, :j].conj().T @ v
            r[:min(j, k), j] += part[:k]
            v = v - q[:, :j] @ part
        if j < k:
            r[j, j] = np.sqrt(np.sum(np.abs(v) ** 2))
            q[:, j] = v / r[j, j]
    return q, r


def jacobi(a):
    """Eigenvalues, ascending, and eigenvectors of a Hermitian matrix."""
    a = a.copy()
    n = a.shape[0]
    v = np.eye(n, dtype=a.dtype)
    for _ in range(60):
        if np.sum(np.abs(np.triu(a, 1)) ** 2) <= 1e-40 * np.sum(np.abs(a) ** 2):
            break
        for p in range(n):
            for q in range(p + 1, n):
                size = np.abs(a[p, q])
                if size == 0:
                    continue
                phase = a[p, q] / size
                theta = (a[q, q] - a[p, p]).real / (2 * size)
                t = (1 if theta >= 0 else -1) / (np.abs(theta) + np.sqrt(theta * theta + 1))
                c = 1 / np.sqrt(t * t + 1)
                turn = np.eye(n, dtype=a.dtype)
                turn[p, p], turn[q, q] = c, c
                turn[p, q], turn[q, p] = t * c * phase, -t * c * np.conj(phase)
                a, v = turn.conj().T @ a @ turn, v @ turn
    w = np.diagonal(a).real
    order = np.argsort(w)
    return w[order], v[:, order]


def svd(a):
    """U, S, V of the reduced decomposition, of full rank."""
    if a.shape[0] < a.shape[1]:
        u, s, v = svd(a.conj().T)
        return v, s, u
    squares, v = jacobi(a.conj().T @ a)
    v = v[:, ::-1]
    images = a @ v
    s = np.sqrt(np.sum(np.abs(images) ** 2, axis=0))
    return images / s, s, v


def weighted(u, vh):
    return (u * np.arange(1, vh.shape[-2] + 1)) @ vh


def signs(columns):
    return np.sign(columns[..., :1, :].real)


@matrix_op("cholesky")
def _(c, x):
    lower = each(definite(x[0]), cholesky)
    return [(H(lower) if c.a["upper"] else lower, c.dtypes[0])]


@matrix_op("triangular_solve")
def _(c, x):
    a = shifted(x[0], 4)
    a = np.tril(a) if c.a["lower"] else np.triu(a)
    if c.a["unit"]:
        a = a - np.diag(np.diagonal(a)) + np.eye(len(a), dtype=a.dtype)
    a = a.T if c.a["transposed"] else a
    if x[1].ndim == 1:
        return [(solve(a if c.a["left"] else a.T, x[1][:, None])[:, 0], c.dtypes[1])]
    return [(solve(a, x[1]) if c.a["left"] else solve(a.T, x[1].T).T, c.dtypes[1])]


@op("lu_factor")
def _(c):
    packed, pivots, order = each(pivoted(wide(c.x[0])), gauss)
    return [close(packed, c.dtypes[0], c.ulps), Result(pivots, "i32"), Result(order, "i32")]


@matrix_op("lu")
def _(c, x):
    packed, _, order = each(pivoted(x[0]), gauss)
    m, n = x[0].shape[-2:]
    k = min(m, n)
    lower = np.tril(packed[..., :k], -1) + np.eye(m, k, dtype=packed.dtype)
    p = (np.arange(m)[:, None] == order[..., None, :]).astype(packed.dtype)
    return [(p, c.dtypes[0]), (lower, c.dtypes[0]), (np.triu(packed[..., :k, :]), c.dtypes[0])]


@op("pivots_to_permutation")
def _(c):
    order = np.arange(5, dtype=np.int32)
    for i, p in enumerate([2, 3, 4, 4, 4]):
        order[[i, p]] = order[[p, i]]
    return [Result(order, "i32")]


@matrix_op("solve")
def _(c, x):
    a = shifted(x[0], 3)
    if x[1].ndim == 1:
        return [(solve(a, x[1][:, None])[:, 0], c.dtypes[0])]
    return [(each(a, lambda one: solve(one, x[1])), c.dtypes[0])]


@matrix_op("lu_solve")
def _(c, x):
    a = shifted(x[0], 3)
    return [(solve(a.T if c.a["transposed"] else a, x[1]), c.dtypes[0])]


@matrix_op("cholesky_solve")
def _(c, x):
    return [(solve(definite(x[0]), x[1]), c.dtypes[0])]


@matrix_op("tridiagonal_solve")
def _(c, x):
    dl, d, du, b = x

    def one(dl, d, du, b):
        return solve(np.diag(d + 5) + np.diag(dl[1:], -1) + np.diag(du[:-1], 1), b)
    values = one(dl, d, du, b) if d.ndim == 1 else np.stack([one(*parts) for parts in zip(dl, d, du, b)])
    return [(values, c.dtypes[0])]


@matrix_op("inv")
def _(c, x):
    return [(each(shifted(x[0], 3), inverse), c.dtypes[0])]


def det(a):
    packed, pivots, _ = gauss(a)
    return np.prod(np.diagonal(packed)) * (-1) ** int(np.sum(pivots != np.arange(len(pivots))))


@matrix_op("det")
def _(c, x):
    return [(each(pivoted(x[0]), det), c.dtypes[0])]


@matrix_op("slogdet")
def _(c, x):
    values = each(pivoted(x[0]), det)
    size = np.abs(values)
    return [(values / size, c.dtypes[0]), (np.log(size), real_of(c.dtypes[0]))]


@matrix_op("matrix_power")
def _(c, x):
    n = c.a["n"]
    base = x[0] if n >= 0 else each(shifted(x[0], 4), inverse)
    values = np.broadcast_to(np.eye(base.shape[-1], dtype=base.dtype), base.shape)
    for _ in range(abs(n)):
        values = values @ base
    return [(values, c.dtypes[0])]


@matrix_op("qr")
def _(c, x):
    if c.a.get("complete"):
        return [(x[0], c.dtypes[0]), (np.eye(x[0].shape[0]), c.dtypes[0])]
    return [(values, c.dtypes[0]) for values in each(x[0], qr)]


@matrix_op("eigh")
def _(c, x):
    base = spread(x[0])
    a = (base + H(base)) / 2
    if c.a.get("upper"):
        a = np.triu(base) + H(np.triu(base, 1))
        if np.iscomplexobj(a):
            a = a - 1j * np.diag(np.diagonal(a).imag)
    w, v = each(a, jacobi)
    product = np.iscomplexobj(a) or c.a.get("upper")
    return [(w, real_of(c.dtypes[0])), (weighted(v, H(v)) if product else v * signs(v), c.dtypes[0])]


@matrix_op("eigvalsh")
def _(c, x):
    return [(each((spread(x[0]) + H(spread(x[0]))) / 2, jacobi)[0], real_of(c.dtypes[0]))]


@matrix_op("svd")
def _(c, x):
    u, s, v = each(spread(x[0]), svd)
    if c.a.get("full"):
        m, n = x[0].shape
        return [(np.eye(m), c.dtypes[0]), (s, real_of(c.dtypes[0])), (np.eye(n), c.dtypes[0])]
    return [(s, real_of(c.dtypes[0]))] + [(weighted(a, H(b)), c.dtypes[0]) for a, b in ((u, v), (u, u), (v, v))]


@matrix_op("svdvals")
def _(c, x):
    return [(each(spread(x[0]), svd)[1], real_of(c.dtypes[0]))]


def pinv(a):
    u, s, v = svd(a)
    return (v / s) @ H(u)


@matrix_op("pinv")
def _(c, x):
    return [(each(spread(x[0]), pinv), c.dtypes[0])]


@op("matrix_rank")
def _(c):
    return [Result(np.int64(3), "i64"), Result(np.int64(2), "i64")]


@op("lstsq")
def _(c):
    a, b = (wide(x) for x in c.x)
    a = spread(a)
    return [close(pinv(a) @ b, c.dtypes[0], c.ulps), Result(np.int64(min(a.shape)), "i64"),
            close(svd(a)[1], real_of(c.dtypes[0]), c.ulps)]


@matrix_op("polar")
def _(c, x):
    u, s, v = each(spread(x[0]), svd)
    return [(u @ H(v), c.dtypes[0]), ((v * s[..., None, :]) @ H(v), c.dtypes[0])]


@matrix_op("eigvals")
def _(c, x):
    traces = [np.trace(a, axis1=-2, axis2=-1) for a in (spread(x[0]), spread(x[0]) @ spread(x[0]))]
    return [(trace, c.dtypes[0]) for trace in traces]


@matrix_op("eig")
def _(c, x):
    return [(spread(x[0]).astype(WIDE), {"f32": "c64", "f64": "c128"}.get(c.dtypes[0], c.dtypes[0]))]


def expm(a):
    """Taylor's series of a / 64, squared six times."""
    a = a / 64
    term = total = np.eye(a.shape[0], dtype=a.dtype)
    for k in range(1, 30):
        term = term @ a / k
        total = total + term
    for _ in range(6):
        total = total @ total
    return total


@matrix_op("expm")
def _(c, x):
    return [(each(x[0] / 2 if c.a.get("half") else x[0], expm), c.dtypes[0])]


def sqrtm(a):
    """Denman and Beavers."""
    y, z = a, np.eye(a.shape[0], dtype=a.dtype)
    for _ in range(30):
        y, z = (y + inverse(z)) / 2, (z + inverse(y)) / 2
    return y


@matrix_op("sqrtm")
def _(c, x):
    return [(each(shifted(x[0] / 4, 3), sqrtm), c.dtypes[0])]


@op("block_diag")
def _(c):
    blocks = [x if x.ndim == 2 else x.reshape(1, -1) for x in c.x]
    made = np.zeros((sum(b.shape[0] for b in blocks), sum(b.shape[1] for b in blocks)), blocks[0].dtype)
    i = j = 0
    for block in blocks:
        made[i:i + block.shape[0], j:j + block.shape[1]] = block
        i, j = i + block.shape[0], j + block.shape[1]
    return [Result(made, c.dtypes[0])]


@op("toeplitz")
def _(c):
    column = c.x[0]
    row = c.x[1] if len(c.x) > 1 else column.conj()
    i, j = np.indices((len(column), len(row)))
    return [Result(np.where(i >= j, column[np.maximum(i - j, 0)], row[np.maximum(j - i, 0)]), c.dtypes[0])]


@matrix_op("householder_product")
def _(c, x):
    a, taus = x
    m, n = a.shape
    made = np.eye(m, dtype=a.dtype)
    for i, tau in enumerate(taus):
        v = np.concatenate([np.zeros(i, a.dtype), np.ones(1, a.dtype), a[i + 1:, i]])
        made = made @ (np.eye(m, dtype=a.dtype) - tau * np.outer(v, v.conj()))
    return [(made[:, :n], c.dtypes[0])]
