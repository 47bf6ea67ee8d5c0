"""Convolutions by JAX: case -> (shapes of the inputs, function). See jax_test.py.

Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
from jax import lax

SPATIAL = {1: "W", 2: "HW", 3: "DHW"}


def conv(x, kernel, strides=None, padding="VALID", layout=None, **options):
    axes = SPATIAL[x.ndim - 2]
    layout = layout or (f"N{axes}C", f"{axes}IO", f"N{axes}C")
    return lax.conv_general_dilated(x, kernel, strides or (1,) * len(axes), padding, dimension_numbers=layout, **options)


def conv_transpose(x, kernel, sizes, **options):
    """The derivative of conv by its x, which is zero here: conv is linear."""
    groups = options.get("feature_group_count", 1)
    zero = jnp.zeros((x.shape[0], *sizes, kernel.shape[-2] * groups))
    return jax.vjp(lambda u: conv(u, kernel, **options), zero)[1](x)[0]


def z(real, imaginary):
    return lax.complex(real, imaginary)


CASES = {
    "conv1d causal": ([(2, 9, 3), (3, 3, 4)], lambda x, k: conv(x, k, padding=[(4, 0)], rhs_dilation=(2,))),
    "conv2d": ([(2, 6, 7, 3), (3, 2, 3, 4)], conv),
    "conv2d strides": ([(2, 7, 6, 3), (3, 3, 3, 4)], lambda x, k: conv(x, k, (2, 2), "SAME")),
    "conv2d padding": ([(2, 6, 7, 3), (2, 3, 3, 2)],
                       lambda x, k: conv(x, k, (1, 2), [(1, 2), (0, 1)], rhs_dilation=(2, 1))),
    "conv2d groups": ([(2, 5, 5, 4), (3, 3, 2, 6)], lambda x, k: conv(x, k, feature_group_count=2)),
    "conv2d depthwise": ([(2, 5, 5, 4), (3, 3, 1, 8)],
                         lambda x, k: conv(x, k, padding="SAME", feature_group_count=4)),
    "conv2d channels_first": ([(2, 3, 6, 5), (3, 2, 3, 4)], lambda x, k: conv(x, k, layout=("NCHW", "HWIO", "NCHW"))),
    "conv2d complex": ([(2, 5, 5, 2), (2, 5, 5, 2), (3, 3, 2, 3), (3, 3, 2, 3)],
                       lambda a, b, c, d: conv(z(a, b), z(c, d), padding="SAME")),
    "conv3d": ([(2, 4, 5, 4, 2), (2, 3, 2, 2, 3)], lambda x, k: conv(x, k, (1, 2, 1))),
    "conv_general dilated": ([(2, 4, 5, 2), (3, 2, 2, 3)],
                             lambda x, k: conv(x, k, (2, 2), [(2, 1), (1, 1)], lhs_dilation=(3, 2))),
    "conv_general layout": ([(2, 3, 6, 5), (4, 3, 3, 2)], lambda x, k: conv(x, k, layout=("NCHW", "OIHW", "NHWC"))),
    "conv_transpose1d": ([(2, 5, 3), (3, 4, 3)], lambda x, k: conv_transpose(x, k, (11,), strides=(2,))),
    "conv_transpose2d same": ([(2, 4, 5, 3), (3, 3, 2, 3)],
                              lambda x, k: conv_transpose(x, k, (8, 10), strides=(2, 2), padding="SAME")),
    # (n - 1) * 3 + 5 - 2 + 2 places
    "conv_transpose2d padding": ([(2, 3, 4, 4), (3, 3, 2, 4)],
                                 lambda x, k: conv_transpose(x, k, (11, 14), strides=(3, 3), padding=[(1, 1), (1, 1)],
                                                             rhs_dilation=(2, 2), feature_group_count=2)),
    "conv_transpose3d": ([(1, 2, 3, 2, 2), (2, 2, 3, 3, 2)],
                         lambda x, k: conv_transpose(x, k, (3, 6, 4), strides=(1, 2, 1))),
    "convolve full": ([(7,), (4,)], jnp.convolve),
    "convolve same": ([(8,), (4,)], lambda x, y: jnp.convolve(x, y, "same")),
    "convolve valid": ([(4,), (9,)], lambda x, y: jnp.convolve(x, y, "valid")),
    "convolve 2d": ([(4, 5), (2, 3)], jax.scipy.signal.convolve),
    "correlate full": ([(7,), (4,)], lambda x, y: jnp.correlate(x, y, "full")),
    "correlate valid 2d": ([(5, 6), (2, 3)], lambda x, y: jax.scipy.signal.correlate(x, y, "valid")),
    "correlate complex": ([(6,), (6,), (3,), (3,)], lambda a, b, c, d: jnp.correlate(z(a, b), z(c, d), "full")),
}
