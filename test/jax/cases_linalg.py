"""Linear algebra by JAX: case -> (shapes of the inputs, function). See jax_test.py.

Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import jax.scipy.linalg as sla
from jax import lax
from jax.numpy import linalg as la

z = lax.complex


def adjoint(x):
    return jnp.conj(jnp.swapaxes(x, -1, -2))


def definite(x):
    return x @ adjoint(x) + 0.5 * jnp.eye(x.shape[-1])


def of_qr(x):
    q, r = la.qr(x)
    return (q * jnp.abs(jnp.diagonal(r))[None, :]) @ r, jnp.abs(r)


def of_eigh(x):
    w, v = la.eigh(x)
    return w, jnp.abs(v) ** 2, (v * jnp.sin(w)[None, :]) @ adjoint(v)


def of_svd(x, *which):
    u, s, vh = la.svd(x, full_matrices=x.shape[0] == x.shape[1])
    parts = {"u": jnp.abs(u) ** 2, "vh": jnp.abs(vh) ** 2}
    return s, *(parts[name] for name in which), (u * jnp.sin(s)[None, :]) @ vh


def eig(x):
    w, v = lax.linalg.eig(x, compute_left_eigenvectors=False, enable_eigvec_derivs=True)
    return w, v


def of_eig(x):
    w, v = eig(x)
    return jnp.abs(v) ** 2 @ jnp.exp(w)


def lu_factor(x):
    return lax.linalg.lu(x)[0]


def triangular(a, b, **options):
    return lax.linalg.triangular_solve(a, b, **{"left_side": True, **options})


def tridiagonal(dl, d, du, b):
    n = d.shape[0]
    return la.solve(jnp.diag(d + 4) + jnp.diag(dl[1:], -1) + jnp.diag(du[:n - 1], 1), b)


def householder(x, taus):
    """The product of the reflections, by the definition."""
    m, n = x.shape
    product = jnp.eye(m)
    for i in range(n):
        v = jnp.concatenate([jnp.zeros(i), jnp.ones(1), x[i + 1:, i]])
        product = product @ (jnp.eye(m) - taus[i] * jnp.outer(v, v))
    return product[:, :n]


def cond(x):
    s = la.svd(x, compute_uv=False)
    return s[0] / s[-1]


FOUR, TALL, WIDE = (4, 4), (5, 3), (3, 5)
CASES = {
    "solve": ([FOUR, (4, 2)], la.solve),
    "solve vector": ([FOUR, (4,)], la.solve),
    "solve batch": ([(3, 4, 4), (3, 4, 2)], la.solve),
    "solve complex": ([FOUR, FOUR, (4, 2), (4, 2)], lambda a, b, c, d: la.solve(z(a, b), z(c, d))),
    "inv": ([FOUR], la.inv),
    "inv complex": ([FOUR, FOUR], lambda a, b: la.inv(z(a, b))),
    "det": ([FOUR], la.det),
    "det complex": ([FOUR, FOUR], lambda a, b: la.det(z(a, b))),
    "slogdet": ([FOUR], lambda x: la.slogdet(x)[1]),
    "slogdet complex": ([FOUR, FOUR], lambda a, b: tuple(la.slogdet(z(a, b)))),
    "triangular_solve lower": ([FOUR, (4, 2)], lambda a, b: triangular(a, b, lower=True)),
    "triangular_solve right": ([FOUR, (2, 4)], lambda a, b: triangular(a, b, left_side=False, transpose_a=True)),
    "triangular_solve unit": ([FOUR, (4, 2)], lambda a, b: triangular(a, b, lower=True, unit_diagonal=True)),
    "triangular_solve complex": ([FOUR, FOUR, (4, 2), (4, 2)], lambda a, b, c, d: triangular(
        z(a, b), z(c, d), transpose_a=True, conjugate_a=True)),
    "tridiagonal_solve": ([(5,), (5,), (5,), (5, 2)], tridiagonal),
    "cholesky_solve": ([FOUR, (4, 2)], lambda a, b: la.solve(definite(a), b)),
    "lu_solve": ([FOUR, (4, 2)], lambda a, b: la.solve(a.T, b)),
    "lstsq": ([TALL, (5, 2)], lambda a, b: la.lstsq(a, b)[0]),
    "lstsq wide": ([WIDE, (3, 2)], lambda a, b: la.lstsq(a, b)[0]),
    "matrix_power": ([FOUR], lambda x: (la.matrix_power(x, 5), la.matrix_power(x, -2))),
    "cholesky": ([FOUR], lambda x: la.cholesky(definite(x))),
    "cholesky upper": ([FOUR], lambda x: la.cholesky(definite(x)).T),
    "cholesky complex": ([FOUR, FOUR], lambda a, b: la.cholesky(definite(z(a, b)))),
    "cholesky symmetrized": ([FOUR], lambda x: la.cholesky(x + 6 * jnp.eye(4))),
    "lu_factor": ([FOUR], lu_factor),
    "lu_factor tall": ([TALL], lu_factor),
    "lu_factor wide complex": ([WIDE, WIDE], lambda a, b: lu_factor(z(a, b))),
    "qr": ([FOUR], of_qr),
    "qr tall": ([TALL], of_qr),
    "qr wide": ([WIDE], lambda x: jnp.abs(la.qr(x)[1])),
    "qr complex": ([(4, 3), (4, 3)], lambda a, b: of_qr(z(a, b))),
    "eigh": ([FOUR], of_eigh),
    "eigh complex": ([FOUR, FOUR], lambda a, b: of_eigh(z(a, b))),
    "eigvalsh": ([FOUR], la.eigvalsh),
    "svd": ([FOUR], lambda x: of_svd(x, "u", "vh")),
    "svd tall": ([TALL], lambda x: of_svd(x, "u")),
    "svd wide complex": ([WIDE, WIDE], lambda a, b: of_svd(z(a, b), "vh")),
    "svdvals": ([TALL], lambda x: la.svd(x, compute_uv=False)),
    "eigvals": ([FOUR], lambda x: jnp.sum(jnp.sin(eig(x)[0]))),
    "eig": ([FOUR], of_eig),
    "pinv": ([TALL], la.pinv),
    "pinv complex": ([WIDE, WIDE], lambda a, b: la.pinv(z(a, b))),
    "polar": ([FOUR], lambda x: sla.polar(x, method="svd")),
    "expm": ([FOUR], sla.expm),
    "expm complex": ([FOUR, FOUR], lambda a, b: sla.expm(z(a, b))),
    # That of a positive definite matrix, by its eigenvalues; JAX's sqrtm has no derivative.
    "sqrtm": ([FOUR], lambda x: (lambda w, v: (v * jnp.sqrt(w)[None, :]) @ v.T + 0j)(*la.eigh(definite(x)))),
    "householder_product": ([(5, 3), (3,)], householder),
    "matrix_norm spectral": ([TALL], lambda x: la.norm(x, 2)),
    "matrix_norm nuclear": ([TALL], lambda x: la.norm(x, "nuc")),
    "matrix_norm frobenius": ([TALL], la.norm),
    "cond": ([TALL], cond),
    "multi_dot": ([(2, 5), (5, 3), (3, 4)], lambda *x: la.multi_dot(x)),
    "kron": ([(2, 3), (3, 2)], jnp.kron),
    "cross": ([(4, 3), (4, 3)], jnp.cross),
    "block_diag": ([(2, 3), (1, 2)], sla.block_diag),
    "toeplitz": ([(4,), (5,)], sla.toeplitz),
    "einsum three": ([(3, 2, 4), (3, 4, 5), (5, 3)], lambda *x: jnp.einsum("bij,bjk,kl->il", *x)),
    "einsum diagonal": ([(2, 3, 3), (4,)], lambda *x: jnp.einsum("...ii,j->...j", *x)),
    "tensordot": ([(3, 4, 5), (4, 3, 2)], lambda x, y: jnp.tensordot(x, y, ([1, 0], [0, 1]))),
}
