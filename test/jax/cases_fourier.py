"""Fourier transforms by JAX: case -> (shapes of the inputs, function). See jax_test.py.

Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
from jax import lax
from jax.numpy import fft
from jax.scipy.signal import fftconvolve

z = lax.complex


def of_complex(shape, function):
    """A function of complex numbers, given by two arrays."""
    return [shape, shape], lambda real, imaginary: function(z(real, imaginary))


CUBE = (3, 4, 5)
CASES = {
    "fft": of_complex((2, 6), fft.fft),
    "fft of real": ([(6, 2)], lambda x: fft.fft(x, axis=0)),
    "fft padded": of_complex((2, 8), lambda x: fft.fft(x, 11, norm="ortho")),
    "fft cropped": of_complex((7, 2), lambda x: fft.fft(x, 4, 0, "forward")),
    "ifft": of_complex((2, 9), lambda x: fft.ifft(x, 13)),
    "rfft": ([(2, 8)], fft.rfft),
    "rfft odd": ([(9, 2)], lambda x: fft.rfft(x, 7, 0, "ortho")),
    "irfft": of_complex((2, 5), fft.irfft),
    "irfft odd": of_complex((2, 5), lambda x: fft.irfft(x, 9, norm="forward")),
    "irfft padded": of_complex((2, 5), lambda x: fft.irfft(x, 20)),
    "hfft": of_complex((2, 5), fft.hfft),
    "ihfft": ([(2, 8)], fft.ihfft),
    "fft2": of_complex(CUBE, fft.fft2),
    "ifft2": of_complex(CUBE, lambda x: fft.ifft2(x, (3, 8))),
    "rfft2": ([CUBE], lambda x: fft.rfft2(x, norm="ortho")),
    "irfft2": of_complex(CUBE, fft.irfft2),
    "fftn": of_complex(CUBE, lambda x: fft.fftn(x, (5, 3), (0, 2))),
    "ifftn": of_complex(CUBE, fft.ifftn),
    "rfftn": ([CUBE], lambda x: fft.rfftn(x, axes=(2, 0))),
    "irfftn": of_complex(CUBE, lambda x: fft.irfftn(x, (2, 3, 7), (0, 1, 2))),
    "fft long prime": of_complex((1009,), fft.fft),
    "fftshift": ([(4, 5)], lambda x: (fft.fftshift(x), fft.ifftshift(x, 1))),
    "dct": ([(2, 7)], jax.scipy.fft.dct),
    "dct ortho": ([(6, 2)], lambda x: jax.scipy.fft.dct(x, axis=0, norm="ortho")),
    "idct": ([(2, 7)], jax.scipy.fft.idct),
    "idct ortho": ([(2, 6)], lambda x: jax.scipy.fft.idct(x, norm="ortho")),
    "fftconvolve full": ([(4, 6), (3, 2)], fftconvolve),
    "fftconvolve same": ([(4, 6), (3, 2)], lambda x, y: fftconvolve(x, y, "same")),
    "fftconvolve complex": ([(9,), (9,), (4,), (4,)], lambda a, b, c, d: fftconvolve(z(a, b), z(c, d), "valid")),
}
