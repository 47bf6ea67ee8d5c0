"""Prints what NumPy's functions for insertion, deletion, sets and polynomials return.

The lines are those of movement_goldens.py.

Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import random

import numpy as np

from movement_goldens import axis, joined, main, shape, some, with_rank

MODES = ["raise", "clip", "wrap"]
along = lambda of, at: of[at] if -len(of) <= at < len(of) else 2
first = lambda values: None if values is None else values[0]


def appending():
    attributes, shapes = joined()
    return [some(attributes[0])], (shapes * 2)[:2]


def inserting():
    of = shape(1, 3)
    at = some([axis(len(of))])
    size = int(np.prod(of)) if at is None else along(of, at[0])
    count = random.randint(1, 3)
    flat = (size,) if at is None else of
    values = list(flat)
    place = 0 if at is None else at[0] % len(flat)
    values[place] = random.randint(0, 3) if count == 1 else count
    if random.random() < 0.3:
        values = [] if count > 1 else values[:place] + values[place + 1:]
    low, high = (-size, size) if random.random() < 0.9 else (-size - 1, size + 1)
    return [[random.randint(low, high) for _ in range(count)], at], [of, tuple(values)]


def insert(a, x, values):
    at = 0 if a[1] is None else a[1][0]
    x = x.ravel() if a[1] is None else x
    if not -x.ndim <= at < x.ndim:
        raise ValueError
    places = a[0]
    if len(places) == 1 and values.ndim < x.ndim:
        values = np.expand_dims(np.broadcast_to(values, np.delete(x.shape, at)), at)
    elif len(places) == 1:
        places = places * values.shape[at]
    if len(places) == 0:
        np.insert(x, a[0][0], 0)
        return x
    return np.insert(x, places, values, at)


def deleting():
    of = shape(1, 3)
    at = some([axis(len(of))])
    size = int(np.prod(of)) if at is None else along(of, at[0])
    edge = 0 if random.random() < 0.9 else 1
    if size == 0 and not edge:
        return [[], at], [of]
    return [[random.randint(-size - edge, size - 1 + edge) for _ in range(random.randint(0, 4))], at], [of]


def diagonal():
    if random.random() < 0.3:
        of = (random.randint(1, 3),) * 3
    else:
        of = shape(2, 2, (0, 1, 2, 3, 5, 8))
    return [[random.randint(0, 1)]], [of, random.choice([(), (1,), (2,), (3,)])]


def filled(a, x, value):
    out = np.array(x)
    np.fill_diagonal(out, value, bool(a[0][0]))
    return out


def putting():
    of = shape(0, 3, (1, 2, 3))
    size, mode = int(np.prod(of)), random.randint(0, 2)
    beyond = 3 * size if mode else 0  # an index outside is said when it runs
    places = [random.randint(-size - beyond, size - 1 + beyond) for _ in range(random.randint(0, 4))]
    return [places, [mode]], [of, random.choice([(), (1,), (2,), (2, 3)])]


def put(a, x, values):
    out = np.array(x)
    np.put(out, np.array(a[0], int), values, MODES[a[1][0]])
    return out


def masked(*values):
    def make():
        of = shape(0, 3)
        mask = [random.randint(0, 1) for _ in range(int(np.prod(of)))]
        return [mask, [sum(mask)]], [of, *[random.choice(values) for _ in values[:1]]]
    return make


def place(a, x, values):
    out = np.array(x)
    np.place(out, np.array(a[0], bool).reshape(x.shape), values)
    return out


def flat(low, high):
    return lambda: ([], [(random.randint(low, high),), (random.randint(low, high),)])


def sets(function):
    def make():
        shapes = [shape(0, 2, (0, 1, 2, 3, 5)), shape(0, 2, (0, 1, 2, 3, 5))]
        size = lambda a, x, y: function(x % 7, y % 7)
        count = len(size(None, *[((7 * np.arange(int(np.prod(of))) + 3 * k) % 23) for k, of in enumerate(shapes)]))
        return [[count]], shapes
    return make, lambda a, x, y: function(x % 7, y % 7)


def top(a, x):
    at, k = a[1][0], a[0][0]
    if not 0 <= k <= along(x.shape, at):
        raise ValueError
    return np.take(np.flip(np.sort(x, at), at), range(k), at)



sections = lambda at: with_rank(lambda r, of: [[random.randint(1, 3)]], 1, 3)

# The arguments, and NumPy's function of them and of the arrays.
FUNCTIONS = {
    "append": (appending, lambda a, x, y: np.append(x, y, first(a[0]))),
    "insert": (inserting, insert),
    "delete_": (deleting, lambda a, x: np.delete(x, np.array(a[0], int), first(a[1]))),
    "resize": (with_rank(lambda r, of: [list(shape(0, 3))]), lambda a, x: np.resize(x, a[0])),
    "fill_diagonal": (diagonal, filled),
    "put": (putting, put),
    "place": (masked((1,), (2,), (2, 2), (5,)), place),
    "extract": (masked(), lambda a, x: np.extract(np.array(a[0], bool).reshape(x.shape), x)),
    "rollaxis": (with_rank(lambda r, of: [[axis(r)], [random.randint(-r, r)]], 1),
                 lambda a, x: np.rollaxis(x, a[0][0], a[1][0])),
    "fliplr": (with_rank(lambda r, of: [], 0, 3), lambda a, x: np.fliplr(x)),
    "flipud": (with_rank(lambda r, of: [], 0, 3), lambda a, x: np.flipud(x)),
    "dstack": (lambda: (lambda of: ([], [of] * random.randint(1, 3)))(shape(0, 3)), lambda a, *x: np.dstack(x)),
    "column_stack": (lambda: (lambda of: ([], [of] * random.randint(1, 3)))(shape(0, 3)), lambda a, *x: np.column_stack(x)),
    "array_split": (with_rank(lambda r, of: [[random.randint(0, 4)], [axis(r)]], 1),
                    lambda a, x: list(np.array_split(x, a[0][0], a[1][0]))),
    "hsplit": (sections(1), lambda a, x: list(np.hsplit(x, a[0][0]))),
    "vsplit": (sections(0), lambda a, x: list(np.vsplit(x, a[0][0]))),
    "dsplit": (with_rank(lambda r, of: [[random.randint(1, 3)]], 2, 4), lambda a, x: list(np.dsplit(x, a[0][0]))),
    "diagflat": (with_rank(lambda r, of: [[random.randint(-3, 3)]], 0, 2), lambda a, x: np.diagflat(x, a[0][0])),
    "tri": (lambda: ([[random.randint(0, 4)], [random.randint(0, 4)], [random.randint(-4, 4)]], []),
            lambda a: np.tri(a[0][0], a[1][0], a[2][0], dtype=int)),
    "tril_indices": (lambda: ([[random.randint(0, 4)], [random.randint(-4, 4)], [random.randint(0, 4)]], []),
                     lambda a: np.tril_indices(a[0][0], a[1][0], a[2][0])),
    "triu_indices": (lambda: ([[random.randint(0, 4)], [random.randint(-4, 4)], [random.randint(0, 4)]], []),
                     lambda a: np.triu_indices(a[0][0], a[1][0], a[2][0])),
    "ix_": (lambda: ([], [(random.randint(0, 4),) for _ in range(random.randint(1, 3))]), lambda a, *x: np.ix_(*x)),
    "top_k": (with_rank(lambda r, of: (lambda at: [[random.randint(0, along(of, at) + (random.random() < 0.1))], [at]])(
        axis(r)), 1), top),
    "union1d": sets(np.union1d),
    "intersect1d": sets(np.intersect1d),
    "setdiff1d": sets(np.setdiff1d),
    "setxor1d": sets(np.setxor1d),
    "ediff1d": (with_rank(lambda r, of: [], 0, 3), lambda a, x: np.ediff1d(x)),
    "polyadd": (flat(1, 4), lambda a, x, y: np.polyadd(x, y)),
    "polysub": (flat(1, 4), lambda a, x, y: np.polysub(x, y)),
    "polymul": (flat(1, 4), lambda a, x, y: np.convolve(x, y)),
    "polyder": (lambda: ([[random.randint(0, 3)]], [(random.randint(1, 5),)]), lambda a, x: np.polyder(x, a[0][0])),
    "vander": (lambda: ([[random.randint(0, 4)], [random.randint(0, 1)]], [(random.randint(0, 4),)]),
               lambda a, x: np.vander(x, a[0][0], bool(a[1][0]))),
}

if __name__ == "__main__":
    main(FUNCTIONS)
