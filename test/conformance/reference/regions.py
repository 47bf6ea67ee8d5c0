# regions.py - control flow over the functions of ControlCases.cpp, and the random programs of Programs.cpp
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from values import OPS, Call, Result, op


def arithmetic(c, number=0):
    """x + y and x * y in the dtype of an input; of one that only stores numbers x and y."""
    dtype = c.dtypes[number]
    if dtype.startswith("f8"):
        return lambda x, y: x, lambda x, y: np.broadcast_to(y, x.shape)

    def apply(name):
        return lambda x, y: OPS[name](Call([x, y], [dtype, dtype], {}, dtype, 0))[0].values
    return apply("add"), apply("multiply")


@op("call")
@op("checkpoint")
@op("composite")
@op("custom_jvp")
@op("custom_vjp")
def _(c):
    add, multiply = arithmetic(c)
    return [Result(add(multiply(c.x[0], c.x[1]), c.x[0]), c.dtypes[0])]


@op("cond")
def _(c):
    add, multiply = arithmetic(c, 1)
    return [Result((multiply if c.x[0] else add)(c.x[1], c.x[2]), c.dtypes[1])]


@op("switch_case")
def _(c):
    add, multiply = arithmetic(c, 1)
    branches = [multiply, add, lambda a, b: a]
    chosen = branches[max(0, min(int(c.x[0]) + c.a["from"], 2))]
    return [Result(chosen(c.x[1], c.x[2]), c.dtypes[1])]


@op("scan")
def _(c):
    add, multiply = arithmetic(c)
    carry, out = c.x[0], []
    rows = c.x[1][::-1] if c.a["reverse"] else c.x[1]
    for row in rows:
        carry = add(multiply(carry, row), c.x[2])
        out.append(add(carry, row))
    if c.a["reverse"]:
        out.reverse()
    return [Result(carry, c.dtypes[0]), Result(np.array(out, c.x[1].dtype).reshape(c.x[1].shape), c.dtypes[0])]


@op("while_loop")
def _(c):
    add, multiply = arithmetic(c)
    x, count = c.x[0], 0
    while count < c.a["rounds"]:
        x, count = add(multiply(x, c.x[1]), x), count + 1
    return [Result(x, c.dtypes[0]), Result(np.int32(count), "i32")]


@op("program")
def _(c):
    """Steps over a growing list of values; the last one is the result."""
    values = list(c.x)
    for step in c.a["steps"]:
        name, args = step[0], [values[i] for i in step[1:]]
        call = Call(args, [c.dtypes[0]] * len(args), {"axes": [1], "keepdims": True, "axis": 1}, c.dtype, 0)
        values.append(OPS[name](call)[0].values)
    return [Result(values[-1], c.dtypes[0])]
