"""Prints what NumPy's indexing and indexed updates return.

A line: the shape of x (0, 1, 2, ...); the items of the index (an integer, START:STOP:STEP, `...`, `+` for newaxis, or an
array `SHAPE@ELEMENTS`, of truth values after `?`); the part's shape; its elements; those of x with the part replaced by
-1, -2, ..., and with 1, 2, ... added to it.

Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import random

import numpy as np


def bound(size):
    return random.choice(["", "", random.randint(-size - 2, size + 2)])


def array(shape, size):
    indices = np.array([random.randint(-size, size - 1) for _ in range(int(np.prod(shape)))]).reshape(shape)
    return indices, ",".join(map(str, shape)) + "@" + ",".join(map(str, indices.ravel()))


def mask(shape):
    holds = np.array([random.random() < 0.4 for _ in range(int(np.prod(shape)))]).reshape(shape)
    return holds, "?" + ",".join(map(str, shape)) + "@" + ",".join(map(str, holds.ravel().astype(int)))


def items(shape):
    """An index, as NumPy takes it and as text."""
    block = random.choice([(), (3,), (2, 2), (1,), (0,)])
    made, texts, axis = [], [], 0
    stop = random.randint(0, len(shape))
    while axis < stop:
        size, kind = shape[axis], random.choice(["int", "slice", "slice", "array", "array", "new", "all", "mask"])
        if size == 0 and kind in ("int", "array"):
            kind = "slice"
        axis += kind != "new"
        if kind == "int":
            made.append(random.randint(-size, size - 1))
            texts.append(str(made[-1]))
        elif kind == "slice":
            start, end, step = bound(size), bound(size), random.choice(["", 1, 2, 3, -1, -2])
            made.append(slice(*(None if at == "" else at for at in (start, end, step))))
            texts.append(f"{start}:{end}:{step}")
        elif kind == "all":
            made.append(slice(None))
            texts.append("::")
        elif kind == "new":
            made.append(None)
            texts.append("+")
        elif kind == "mask" and random.random() < 0.3 and block == ():
            made.append(mask((size,)))
            texts.append(made[-1][1])
            made[-1] = made[-1][0]
        else:
            if size == 0:
                made.append(slice(None))
                texts.append("::")
                continue
            indices, text = array(random.choice([block, block[1:], ()]), size)
            made.append(indices)
            texts.append(text)
    if random.random() < 0.3:
        at = random.randint(0, len(made))
        # What is behind the ellipsis counts from the last axis.
        if at == len(made) or axis == len(shape):
            made.insert(at, Ellipsis)
            texts.insert(at, "...")
    return tuple(made), texts


def line(shape):
    index, texts = items(shape)
    x = np.arange(int(np.prod(shape))).reshape(shape)
    try:
        part = x[index]
    except IndexError:
        return None  # masks that do not broadcast
    replaced, added = x.copy(), x.copy()
    values = np.arange(1, part.size + 1).reshape(part.shape)
    # NumPy says nothing of the order of duplicates where arrays are not in index order: one at a time.
    places = np.arange(x.size).reshape(shape)[index].ravel()
    for place, value in zip(places, values.ravel()):
        replaced.ravel()[place] = -value
        added.ravel()[place] += value
    text = lambda numbers: ",".join(map(str, np.asarray(numbers).ravel()))
    return " ".join(["|" + text(shape), "|" + " ".join(texts), "|" + text(part.shape), "|" + text(part), "|" + text(replaced),
                     "|" + text(added)])


def main():
    random.seed(20)
    seen = set()
    while len(seen) < 700:
        shape = tuple(random.choice([0, 1, 2, 3, 4, 5]) for _ in range(random.randint(0, 4)))
        if np.prod(shape) > 60:
            continue
        made = line(shape)
        if made and made not in seen:
            seen.add(made)
            print(made)


main()
