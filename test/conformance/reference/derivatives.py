# derivatives.py - what grad and jvp give, by finite differences
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from values import FLOATS, LONG, OPS, Call, Result, rounded


def loss(name, inputs, dtypes, attributes, dtype, held):
    """What grad differentiates: see `loss` in Columns.cpp."""
    outs = OPS[name](Call(inputs, dtypes, attributes, dtype, 0, held))
    value = LONG(0)
    for number, out in enumerate(outs):
        y = np.asarray(out.values).astype(LONG)
        value = value + (number + 1) * np.sum(y * (y * LONG(0.5) + 1))
    return value


def gradient(name, inputs, dtypes, attributes, dtype, held=None):
    """Central differences, extrapolated once (error h^4)."""
    h = LONG(1) / 1024
    held = inputs if held is None else held
    out = []
    for number, x in enumerate(inputs):
        if dtypes[number] != "long":
            out.append(None)
            continue
        slope = np.zeros(x.shape, LONG)
        for index in np.ndindex(x.shape):
            def at(step):
                moved_inputs = list(inputs)
                moved_inputs[number] = x.copy()
                moved_inputs[number][index] += step
                return loss(name, moved_inputs, dtypes, attributes, dtype, held)
            near_slope = (at(h) - at(-h)) / (2 * h)
            far_slope = (at(2 * h) - at(-2 * h)) / (4 * h)
            slope[index] = (4 * near_slope - far_slope) / 3
        out.append(slope)
    return out


def gradient_gradient(name, inputs, dtypes, attributes, dtype):
    """Of the sum of x * gradient(x): gradient + H x."""
    k = LONG(1) / 1024

    def along(t):
        moved_inputs = [np.asarray(x * (1 + t)) if tag == "long" else x for x, tag in zip(inputs, dtypes)]
        return gradient(name, moved_inputs, dtypes, attributes, dtype, inputs)
    here, a, b, c, d = along(LONG(0)), along(k), along(-k), along(2 * k), along(-2 * k)
    out = []
    for i in range(len(inputs)):
        if here[i] is None:
            out.append(None)
        else:
            out.append(here[i] + (8 * (a[i] - b[i]) - (c[i] - d[i])) / (12 * k))
    return out


# What is allowed from a finite difference, in units of the largest derivative, per order.
SLACK = {"bf16": 2.0**-4, "f16": 2.0**-5, "f32": 2.0**-17, "f64": 1e-8}


def derivatives(case, inputs, dtypes):
    """The results of the columns grad and grad.grad."""
    name, column = case["op"], case["column"]
    attributes, dtype = case["attributes"], case["dtype"]
    wide = [x.astype(LONG) if tag in FLOATS else x for x, tag in zip(inputs, dtypes)]
    tags = ["long" if tag in FLOATS else tag for tag in dtypes]
    compute = gradient_gradient if column == "grad.grad" else gradient
    results = []
    for x, tag, slope in zip(inputs, dtypes, compute(name, wide, tags, attributes, dtype)):
        if slope is None:
            results.append(Result(np.zeros(x.shape, np.float32), "f32"))
            continue
        scale = max(1.0, float(np.max(np.abs(slope), initial=0))) * (4 if column == "grad.grad" else 1)
        # A conversion to a narrower float on the way decides.
        slack = max(SLACK[tag], SLACK.get(attributes.get("dtype"), 0))
        results.append(Result(rounded(slope, tag), tag, np.full(x.shape, slack * scale)))
    return results


def motion(case, inputs, dtypes):
    """The results of the column jvp: those of the function, then how they move, see `motion` in Columns.cpp."""
    name, attributes, dtype = case["op"], case["attributes"], case["dtype"]
    results = OPS[name](Call(inputs, dtypes, attributes, dtype, case["ulp"]))
    moves = [tag in SLACK for tag in dtypes]
    wide = [x.astype(LONG) if tag in FLOATS else x for x, tag in zip(inputs, dtypes)]
    tags = ["long" if tag in FLOATS else tag for tag in dtypes]
    along = [x * LONG(0.5) + LONG(number + 1) / 4 if moves[number] else None for number, x in enumerate(wide)]

    def at(step):
        point = [np.asarray(x + step * dx) if dx is not None else x for x, dx in zip(wide, along)]
        return [np.asarray(out.values) for out in OPS[name](Call(point, tags, attributes, dtype, 0, wide))]
    h = LONG(1) / 1024
    sides = [at(step) for step in (h, -h, 2 * h, -2 * h)]
    for number, out in enumerate(list(results)):
        if out.dtype not in SLACK:
            results.append(Result(np.zeros(out.values.shape, np.float32), "f32"))
            continue
        near, far = [(sides[i][number].astype(LONG) - sides[i + 1][number].astype(LONG)) / ((i + 2) * h) for i in (0, 2)]
        slope = (4 * near - far) / 3
        # The narrowest float on the way decides.
        slack = max([SLACK[out.dtype], SLACK.get(attributes.get("dtype"), 0)] + [SLACK.get(tag, 0) for tag in dtypes])
        scale = max(1.0, float(np.max(np.abs(slope), initial=0)))
        results.append(Result(rounded(slope, out.dtype), out.dtype, np.full(out.values.shape, slack * scale)))
    return results
