# __main__.py - what every op means, in NumPy
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Computes the expected results of the conformance matrix.

usage: python3 test/conformance/reference CASES INPUTS RESULTS VALUES

CASES has a JSON object a line: id, op, column, dtype, attributes, mapped, ulp, inputs (dtype, dims, offset into
INPUTS). RESULTS gets `case ID COUNT` and COUNT lines `DTYPE FORM RANK DIMS... OFFSET TOLERANCE`: values lie in
VALUES at OFFSET, as i64 modulo 2^64 (FORM i), f64 (f) or pairs of f64 (c); TOLERANCE is the offset of an absolute tolerance per
element (f64), or -1: equal by bits. A case that fails here gets `error ID MESSAGE`.

Nothing here is read from Tenon. Exactly rounded ops and the tree of a sum are computed in the dtype itself; others in
80-bit long double and rounded once. Derivatives are central differences in long double, extrapolated once. Narrow
floats are held in f32, rounded after each op.
"""
import json
import math
import sys

import numpy as np

# Each puts its ops into OPS.
import composites, contraction, convolution, creation, cumulative, edits, elementwise, fourier, images, indexing
import linear_algebra, movement, neural, orders, other, pooling, random_numbers, recurrent, reduction, reduction_options
import regions, shaping, sorting, spectral
from derivatives import derivatives, motion
from values import NARROW, NUMPY, OPS, Call, Result


def one(case, inputs, dtypes):
    if case["column"] in ("f", "vmap"):
        return OPS[case["op"]](Call(inputs, dtypes, case["attributes"], case["dtype"], case["ulp"]))
    if case["column"] == "jvp":
        return motion(case, inputs, dtypes)
    return derivatives(case, inputs, dtypes)


def run(case, inputs):
    dtypes = [at["dtype"] for at in case["inputs"]]
    if not case["column"].startswith("vmap"):
        return one(case, inputs, dtypes)
    examples = []
    for number in range(case["batch"]):
        example = [x[number] if mapped else x for x, mapped in zip(inputs, case["mapped"])]
        examples.append(one(case, [np.asarray(x) for x in example], dtypes))
    results = []
    for parts in zip(*examples):
        tolerance = None
        if parts[0].tolerance is not None:
            tolerance = np.stack([np.broadcast_to(part.tolerance, part.values.shape) for part in parts])
        results.append(Result(np.stack([part.values for part in parts]), parts[0].dtype, tolerance))
    return results


def decoded(codes, width, bits, lowest, hasInfinity):
    """The numbers that codes of a narrow float stand for."""
    top, sign = 1 << (width - 1), codes >> (width - 1)
    code = codes & (top - 1)
    exponent, fraction = code >> (bits - 1), (code & ((1 << (bits - 1)) - 1)).astype(np.float64)
    leading = np.where(exponent > 0, 2.0 ** (bits - 1), 0.0)
    value = np.ldexp(leading + fraction, np.maximum(exponent, 1) - 1 + lowest - (bits - 1))
    last = (top >> (bits - 1)) - 1
    if hasInfinity:
        value = np.where(exponent == last, np.where(fraction > 0, np.nan, np.inf), value)
    else:
        value = np.where(code == top - 1, np.nan, value)
    return np.where(sign == 1, -value, value).astype(np.float32)


def read(data, at):
    count = math.prod(at["dims"])
    if at["dtype"] in NARROW:
        bits, lowest, _ = NARROW[at["dtype"]]
        size = np.uint8 if at["dtype"].startswith("f8") else np.uint16
        codes = np.frombuffer(data, size, count, at["offset"]).astype(np.int64).reshape(at["dims"])
        return decoded(codes, 8 * size(0).itemsize, bits, lowest, hasInfinity=at["dtype"] != "f8e4m3fn")
    return np.frombuffer(data, NUMPY[at["dtype"]], count, at["offset"]).reshape(at["dims"])


def main(cases, inputs, results, values):
    data = open(inputs, "rb").read()
    offset = 0
    with open(results, "w") as listing, open(values, "wb") as out:
        def write(array):
            nonlocal offset
            block = np.ascontiguousarray(array).tobytes()
            out.write(block)
            offset += len(block)
            return offset - len(block)
        for line in open(cases):
            case = json.loads(line)
            try:
                with np.errstate(all="ignore"):
                    answers = run(case, [read(data, at) for at in case["inputs"]])
            except Exception as error:  # reported by the test of this case
                listing.write(f"error {case['id']} {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}\n")
                continue
            listing.write(f"case {case['id']} {len(answers)}\n")
            for answer in answers:
                array = answer.values
                form, kind = {"f": ("f", np.float64), "c": ("c", np.complex128)}.get(array.dtype.kind, ("i", np.int64))
                with np.errstate(all="ignore"):
                    at = write(array.astype(kind))
                tolerance = -1
                if answer.tolerance is not None:
                    tolerance = write(np.broadcast_to(answer.tolerance, array.shape).astype(np.float64))
                dims = " ".join(str(n) for n in array.shape)
                listing.write(f"{answer.dtype} {form} {array.ndim} {dims} {at} {tolerance}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
