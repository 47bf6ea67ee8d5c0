#!/usr/bin/env python3
# NumPy's opinion of what program_fuzz has left in a folder.
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""numpy_opinion.py FOLDER: recomputes each value of each program from the values that it is made of,
as they were recorded, and compares within a tolerance by dtype. What NumPy does not have is composed
here, or taken as given and counted as such."""
import collections
import pathlib
import re
import sys

import numpy as np

# A rounding of the dtype; NumPy computes with what it promotes to, mostly wider.
EPS = {"f64": 2.0**-52, "c128": 2.0**-52, "f32": 2.0**-23, "c64": 2.0**-23, "f16": 2.0**-10, "bf16": 2.0**-7}
LARGEST = {"bf16": 3.3895e38, "f16": 65504.0, "f32": 3.4028235e38, "c64": 3.4028235e38}


def along(axis, keepdims=False):
    return {"axis": axis, "keepdims": keepdims}


def logsumexp(x, axis, keepdims=False):
    with np.errstate(all="ignore"):
        return np.logaddexp.reduce(np.asarray(x, np.float64), **along(axis, keepdims))


def softmax(x, axis):
    return np.exp(log_softmax(x, axis))


def log_softmax(x, axis):
    x = np.asarray(x, np.float64)
    return x - logsumexp(x, axis, True) if np.ndim(x) else x * 0.0


def cumulated(function):
    def run(x, axis, initial=False):
        return function(x, axis=axis, include_initial=initial)
    return run


def sliced(x, starts, stops, steps):
    return x[tuple(slice(a, None if c < 0 and b < 0 else b, c) for a, b, c in zip(starts, stops, steps))]


def sorted_along(x, axis, descending):
    x = np.sort(x, axis=axis)
    if not descending:
        return x
    # Descending, NaN still stand last.
    nan = np.sum(x != x, axis=axis, keepdims=True)
    size = x.shape[axis]
    place = np.arange(size).reshape([-1 if i == axis % x.ndim else 1 for i in range(x.ndim)])
    order = np.where(place < size - nan, size - 1 - nan - place, place)
    return np.take_along_axis(x, np.broadcast_to(order, x.shape), axis)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def positive_or(x, a, b):
    return np.where(x > 0, a, b)


COMPOSED = {
    "logsumexp": logsumexp, "softmax": softmax, "log_softmax": log_softmax, "sliced": sliced,
    "sorted_along": sorted_along, "positive_or": positive_or, "sigmoid": sigmoid,
    "cumulative_sum": cumulated(np.cumulative_sum), "cumulative_prod": cumulated(np.cumulative_prod),
    "cumulative_logsumexp": lambda x, axis: np.logaddexp.accumulate(np.asarray(x, np.float64), axis=axis),
    "joined": lambda *x: np.concatenate(x[:-1], axis=x[-1]),
    "relu": lambda x: np.maximum(x, x.dtype.type(0)), "square": np.square, "rsqrt": lambda x: 1 / np.sqrt(x),
    "softplus": lambda x: np.logaddexp(x, 0), "silu": lambda x: np.where(np.isneginf(x), -0.0, x * sigmoid(x)),
    "mish": lambda x: x * np.tanh(np.logaddexp(x, 0)), "log_sigmoid": lambda x: -np.logaddexp(-x, 0),
    "relu6": lambda x: np.clip(x, 0, 6), "hard_tanh": lambda x: np.clip(x, -1, 1),
    "soft_sign": lambda x: np.where(np.isinf(x), np.sign(x), x / (1 + np.abs(x))), "max": np.amax, "min": np.amin, "asin": np.arcsin,
    "logit": lambda x: np.log(x) - np.log1p(-x), "nanmax": np.nanmax, "nansum": np.nansum,
    "power_of_integers": lambda x, y: np.power(x, np.maximum(y, 0)),
    "sign_bit": lambda x: np.signbit(np.where(np.isnan(x), 0, x)),
    "copied_sign": lambda x, y: np.copysign(x, np.where(np.isnan(y), 1, y)), "where": np.where, "abs": np.abs, "pow": np.power, "popcount": None, "clz": None, "round": np.round,
}
NAMES = {name: getattr(np, name) for name in dir(np) if callable(getattr(np, name))} | COMPOSED


class Taken(Exception):
    """NumPy has no opinion."""


def opinion(line, v):
    found = re.match(r"(number_first_)?(\w+)\((.*)\)$", line)
    if not found or NAMES.get(found[2]) is None:
        raise Taken
    if found[1]:
        operand, number = found[3].split(", ")
        line = f"{found[2]}({number}, {operand})"
    return np.asarray(eval(line, {"__builtins__": {}, **NAMES, "True": True, "False": False, "v": v}))


def operands(line, v):
    return [v[int(i)] for i in re.findall(r"v\[(\d+)\]", line)]


def difference(dtype, got, want, given):
    """Empty, or what differs."""
    if got.shape != want.shape:
        return f"shape {got.shape} for {want.shape}"
    if dtype not in EPS:
        wrong = np.flatnonzero(np.asarray(got != want.astype(got.dtype)))
        return f"{got.flat[wrong[0]]} for {want.flat[wrong[0]]} at {wrong[0]}" if wrong.size else ""
    # Of bools and narrow integers NumPy makes f16.
    eps = max(EPS[dtype], np.finfo(want.dtype).eps if want.dtype.kind in "fc" else 0)
    complexes = dtype in ("c64", "c128")
    want = want.astype(np.complex128 if complexes else np.float64)
    got = got.astype(want.dtype)
    largest = 1.0
    for x in given:
        finite = np.abs(x[np.isfinite(x)].astype(want.dtype)) if x.dtype != bool else np.ones(1)
        largest = max(largest, finite.max(initial=0))
    size = max([1] + [x.size for x in given])
    tolerance = eps * (64 * np.abs(want) + size * min(largest, 1e30) + 4 * min(largest, 1e15) ** 2)
    with np.errstate(all="ignore"):
        same = (got == want) | (np.isnan(got) & np.isnan(want)) | (np.abs(got - want) <= tolerance)
        # Beyond what the dtype holds, or near it.
        limit = LARGEST.get(dtype, np.inf) * 0.98
        same |= ~(np.abs(got) < limit) & ~(np.abs(want) < limit)
    wrong = np.flatnonzero(~same)
    return f"{got.flat[wrong[0]]} for {want.flat[wrong[0]]} at {wrong[0]}" if wrong.size else ""


def main(folder):
    counts, wrong, given = collections.Counter(), collections.Counter(), collections.Counter()
    for text in sorted(pathlib.Path(folder).glob("*.txt"), key=lambda path: int(path.stem)):
        lines = [line.split("\t") for line in text.read_text().splitlines()]
        with np.load(text.with_suffix(".npz")) as arrays:
            v = [arrays[f"v{i}"] for i in range(len(lines))]
        counts["programs"] += 1
        for i, (dtype, line) in enumerate(lines):
            name = line.split("(")[0].replace("number_first_", "")
            try:
                with np.errstate(all="ignore"):
                    want = opinion(line, v)
            except Taken:
                counts["given"] += 1
                given[name] += 1
                continue
            except (TypeError, ValueError, OverflowError) as error:  # a dtype or size that NumPy refuses
                counts["refused"] += 1
                given[f"{name}: {str(error)[:40]}"] += 1
                continue
            what = difference(dtype, v[i], want, operands(line, v))
            counts["compared"] += 1
            if what:
                wrong[name] += 1
                if wrong[name] <= 3:
                    kinds = ", ".join(f"{lines[int(k)][0]}{list(v[int(k)].shape)}" for k in re.findall(r"v\[(\d+)\]", line))
                    print(f"seed {text.stem}: v[{i}] = {line} of {kinds}, {dtype}: {what}")
    print(f"{counts['programs']} programs: {counts['compared']} values compared with NumPy's, {sum(wrong.values())} "
          f"differ; {counts['given']} taken as given, of {counts['refused']} NumPy refuses the operands")
    if "-v" in sys.argv:
        print("given:", dict(given.most_common(60)))
        print("wrong:", dict(wrong))
    return wrong.total() != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
