#===- complex_vjp_goldens.py - derivatives of functions of complex numbers, by JAX ---===#
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Prints complex_vjp_goldens.txt:
#   python complex_vjp_goldens.py > complex_vjp_goldens.txt, with the package jax
# A line for each function and point: the function's name; the point; the cotangent of the value; jax.vjp's cotangent of
# the point; jax.vjp of that one in turn, for the cotangent 0.5 - 0.25i. All are the two parts of complex numbers; the
# cotangent of a real value has 0 as its second part.
#
# The text is in git because NumPy has no derivatives: JAX's convention for complex ones is what is tested.
#===------------------------------------------------------------------------------===#
import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
POINTS = [0.4 + 0.3j, -0.7 + 0.2j, 0.25 - 1.5j, -2.0 - 0.5j, 1.5 + 0.125j]
COTANGENT, SECOND = 1.25 - 0.75j, 0.5 - 0.25j
NAMES = ("exp exp2 expm1 log log1p log2 log10 sqrt sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh "
         "square reciprocal real imag conj abs angle")
FUNCTIONS = {name: getattr(jnp, name) for name in NAMES.split()}
FUNCTIONS["pow2.5"] = lambda z: jnp.power(z, 2.5 + 0j)
FUNCTIONS["2^z"] = lambda z: jnp.power(2 + 0j, z)
FUNCTIONS["pow3"] = lambda z: z**3
FUNCTIONS["z^z"] = lambda z: jnp.power(z, z)
FUNCTIONS["quotient"] = lambda z: (z + 1) / (z * z - 3)
FUNCTIONS["swapped"] = lambda z: jax.lax.complex(jnp.imag(z), jnp.real(z) * jnp.imag(z))
FUNCTIONS["converted"] = lambda z: (jnp.real(z) * 2).astype(jnp.complex128) * z
FUNCTIONS["norm"] = lambda z: jnp.abs(jnp.sin(z) * jnp.conj(z))

for name, function in FUNCTIONS.items():
    for z in POINTS:
        if name == "acosh" and z.real < 0:
            continue  # jax has the slope of the other branch
        z = jnp.complex128(z)
        isReal = not jnp.iscomplexobj(function(z))
        cotangent = jnp.float64(COTANGENT.real) if isReal else jnp.complex128(COTANGENT)
        slope = lambda at: jax.vjp(function, at)[1](cotangent)[0]
        second = jax.vjp(slope, z)[1](jnp.complex128(SECOND))[0]
        numbers = [complex(x) for x in (z, cotangent, slope(z), second)]
        print(name, *(part.hex() for x in numbers for part in (x.real, x.imag)))
