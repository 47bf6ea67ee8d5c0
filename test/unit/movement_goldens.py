"""Prints what NumPy's shape functions return for small arrays.

A line: the function; its attributes, lists of integers; the shapes of its arrays, of which element i of array k is
(7 * i + 3 * k) % 23; for each result the shape and the elements, or `error`.

Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import random

import numpy as np

MODES = ["edge", "reflect", "symmetric", "wrap"]


def array(shape, k=0):
    return ((7 * np.arange(int(np.prod(shape))) + 3 * k) % 23).reshape(shape)


def shape(low=0, high=4, sizes=(0, 1, 2, 3, 4)):
    while True:
        made = tuple(random.choice(sizes) for _ in range(random.randint(low, high)))
        if np.prod(made) <= 60:
            return made


def axis(rank):
    """Now and then one that there is not."""
    return random.randint(-rank - 1, rank) if random.random() < 0.1 or rank == 0 else random.randint(-rank, rank - 1)


def axes(rank, count=None):
    return [axis(rank) for _ in range(random.randint(0, rank) if count is None else count)]


def like(of, count):
    """Shapes that are broadcast together, most of the time."""
    made = []
    for _ in range(count):
        one = [1 if random.random() < 0.3 else size for size in of]
        if random.random() < 0.05 and one:
            one[-1] += 1
        made.append(tuple(one[random.randint(0, len(one)):] if random.random() < 0.3 else one))
    return made


def put(x, values, at, flat, size):
    out = np.array(x)
    at = at + x.ndim if at < 0 else at
    if not 0 <= at < x.ndim:
        raise ValueError
    places = np.array(flat).reshape(x.shape[:at] + (size,) + x.shape[at + 1:])
    values = np.broadcast_to(values, places.shape)
    for place in np.ndindex(*places.shape):
        to = list(place)
        to[at] = places[place]
        out[tuple(to)] = values[place]
    return out


def putting():
    of = shape(1, 3, (1, 2, 3))
    at, size = random.randint(-len(of), len(of) - 1), random.randint(0, 3)
    places = list(of)
    places[at] = size
    flat = [random.randint(-of[at], of[at] - 1) for _ in range(int(np.prod(places)))]
    return [[at], flat, [size]], [of, tuple(1 if random.random() < 0.3 else n for n in places)]


def segment(start, combine):
    def compute(x, ids, count):
        out = np.full((count,) + x.shape[1:], start)
        for part, number in zip(x, ids):
            if 0 <= number < count:
                out[number] = combine(out[number], part)
        return out
    return compute


def joined():
    of, at = shape(1, 3), 0
    at = axis(len(of))
    shapes = []
    for _ in range(random.randint(1, 3)):
        one = list(of)
        if -len(of) <= at < len(of):
            one[at] = random.choice([0, 1, 2, 3])
        if random.random() < 0.05:
            one.append(1)
        shapes.append(tuple(one))
    return [[at]], shapes


def with_rank(make, low=0, high=4, sizes=(0, 1, 2, 3, 4)):
    def compute():
        of = shape(low, high, sizes)
        return make(len(of), of), [of]
    return compute


def contraction():
    inner = shape(0, 2, (1, 2, 3))
    left, right = shape(0, 2, (0, 1, 2, 3)), shape(0, 2, (0, 1, 2, 3))
    count = len(inner) + (random.random() < 0.1)
    if random.random() < 0.5:
        return [[count]], [left + inner, inner + right]
    order = random.sample(range(len(inner)), len(inner))
    mixed = tuple(inner[i] for i in order)
    first = [len(left) + i if random.random() < 0.5 else i - len(inner) for i in order]
    return [first, list(range(len(inner)))], [left + inner, mixed + right]


def choice():
    of = shape(1, 3, (1, 2, 3))
    return [[random.randint(-2, 1) for _ in range(of[-1])]], like(of, 2)


def segments():
    of = shape(1, 3)
    return [[random.randint(-1, 4) for _ in range(of[0])], [random.randint(0, 4)]], [of]


some = lambda values: values if random.random() < 0.7 else None
turn = lambda r, of: [[random.randint(-5, 5)], axes(r, 2)]
matrices = lambda r, of: [[random.randint(-4, 4)]]
diagonals = lambda r, of: [[random.randint(-4, 4)], [axis(r)], [axis(r)]]

# The arguments, and NumPy's function of them and of the arrays.
FUNCTIONS = {
    "expand_dims": (with_rank(lambda r, of: [axes(r + 1, random.randint(1, 2))]), lambda a, x: np.expand_dims(x, tuple(a[0]))),
    "squeeze": (with_rank(lambda r, of: [some([i for i in range(r) if of[i] == 1] or axes(r))], 0, 4, (0, 1, 1, 2)),
                lambda a, x: np.squeeze(x, None if a[0] is None else tuple(a[0]))),
    "flip": (with_rank(lambda r, of: [some(axes(r))]), lambda a, x: np.flip(x, None if a[0] is None else tuple(a[0]))),
    "moveaxis": (with_rank(lambda r, of: [axes(r, min(r, 2)), axes(r, min(r, 2))]), lambda a, x: np.moveaxis(x, a[0], a[1])),
    "swapaxes": (with_rank(lambda r, of: [[axis(r)], [axis(r)]], 1), lambda a, x: np.swapaxes(x, a[0][0], a[1][0])),
    "permute_dims": (with_rank(lambda r, of: [random.sample(range(-r, 0), r)], 1), lambda a, x: np.permute_dims(x, a[0])),
    "matrix_transpose": (with_rank(lambda r, of: []), lambda a, x: np.matrix_transpose(x)),
    "rot90": (with_rank(turn, 2), lambda a, x: np.rot90(x, a[0][0], a[1])),
    "diagonal": (with_rank(diagonals, 1), lambda a, x: np.diagonal(x, a[0][0], a[1][0], a[2][0])),
    "broadcast_arrays": (lambda: ([], like(shape(), 3)), lambda a, *x: np.broadcast_arrays(*x)),
    "ravel": (with_rank(lambda r, of: []), lambda a, x: np.ravel(x)),
    "flatten": (with_rank(lambda r, of: []), lambda a, x: x.flatten()),
    "atleast_1d": (with_rank(lambda r, of: [], 0, 2), lambda a, x: np.atleast_1d(x)),
    "atleast_2d": (with_rank(lambda r, of: [], 0, 3), lambda a, x: np.atleast_2d(x)),
    "atleast_3d": (with_rank(lambda r, of: [], 0, 4), lambda a, x: np.atleast_3d(x)),
    "concat": (joined, lambda a, *x: np.concat(x, axis=a[0][0])),
    "stack": (lambda: (lambda of: ([[axis(len(of) + 1)]], [of] * random.randint(1, 3)))(shape(0, 3)),
              lambda a, *x: np.stack(x, a[0][0])),
    "unstack": (with_rank(lambda r, of: [[axis(r)]], 1), lambda a, x: list(np.unstack(x, axis=a[0][0]))),
    "vstack": (lambda: (lambda of: ([], [of] * random.randint(1, 3)))(shape(0, 3)), lambda a, *x: np.vstack(x)),
    "hstack": (lambda: (lambda of: ([], [of] * random.randint(1, 3)))(shape(0, 3)), lambda a, *x: np.hstack(x)),
    "roll": (with_rank(lambda r, of: (lambda n: [[random.randint(-9, 9) for _ in range(random.choice([1, n]))], some(axes(r, n))])(
        random.randint(1, 2)), 1), lambda a, x: np.roll(x, a[0], None if a[1] is None else tuple(a[1]))),
    "repeat": (with_rank(lambda r, of: (lambda at: [[random.randint(0, 3) for _ in range(
        of[at] if -r <= at < r and random.random() < 0.6 and of[at] != 1 else 1)], some([at])])(axis(r)), 1),
        lambda a, x: np.repeat(x, a[0] if len(a[0]) != 1 else a[0][0], None if a[1] is None else a[1][0])),
    "tile": (with_rank(lambda r, of: [[random.randint(0, 3) for _ in range(random.randint(0, 3))]], 0, 3),
             lambda a, x: np.tile(x, a[0])),
    "pad_mode": (with_rank(lambda r, of: [[random.randint(0, 3)], [random.randint(0, 5) for _ in of], [random.randint(0, 5) for _ in of]],
                           0, 2, (0, 1, 2, 3)), lambda a, x: np.pad(x, list(zip(a[1], a[2])), MODES[a[0][0]]) if x.ndim else x),
    "tril": (with_rank(matrices, 2), lambda a, x: np.tril(x, a[0][0])),
    "triu": (with_rank(matrices, 2), lambda a, x: np.triu(x, a[0][0])),
    "diag": (with_rank(matrices, 0, 3), lambda a, x: np.diag(x, a[0][0])),
    "trace": (with_rank(diagonals, 1), lambda a, x: np.trace(x, a[0][0], a[1][0], a[2][0])),
    "meshgrid": (lambda: ([[random.randint(0, 1)]], [shape(0, 1) for _ in range(random.randint(1, 3))]),
                 lambda a, *x: np.meshgrid(*x, indexing="xy" if a[0][0] else "ij")),
    "eye": (lambda: ([[random.randint(0, 4)], [random.randint(0, 4)], [random.randint(-4, 4)]], []),
            lambda a: np.eye(a[0][0], a[1][0], a[2][0], dtype=int)),
    "indices": (lambda: ([list(shape(0, 3))], []), lambda a: np.indices(a[0])),
    "tensordot": (contraction, lambda a, x, y: np.tensordot(x, y, a[0][0] if len(a) == 1 else (a[0], a[1]))),
    "vecdot": (lambda: (lambda of: ([[-1]], like(of[:-1] + (of[-1],), 1) + [of]))(shape(1, 3)), lambda a, x, y: np.vecdot(x, y)),
    "outer": (lambda: ([], [shape(0, 2), shape(0, 2)]), lambda a, x, y: np.outer(x, y)),
    "inner": (lambda: (lambda n: ([], [shape(0, 2) + n, shape(0, 2) + n]))(shape(0, 1)), lambda a, x, y: np.inner(x, y)),
    "dot": (lambda: (lambda n: ([], [shape(0, 2) + (n,), random.choice([(n,), shape(0, 1) + (n, 2)])]))(random.randint(0, 3)),
            lambda a, x, y: np.dot(x, y)),
    "kron": (lambda: ([], [shape(0, 2), shape(0, 2)]), lambda a, x, y: np.kron(x, y)),
    "cross": (lambda: ([[-1]], like(shape(0, 2) + (3,), 2)), lambda a, x, y: np.linalg.cross(x, y)),
    "compress": (with_rank(lambda r, of: (lambda at: [[random.randint(0, 1) for _ in range(
        min(of[at], random.randint(0, 4)) if -r <= at < r else 1)], some([at])])(axis(r)), 1),
        lambda a, x: np.compress(np.array(a[0], bool), x, None if a[1] is None else a[1][0])),
    "put_along_axis": (putting, lambda a, x, v: put(x, v, a[0][0], a[1], a[2][0])),
    "select": (lambda: ([[random.randint(0, 9)]], like(shape(0, 3), 3)),
               lambda a, x, y, z: np.select([x > 14, x > 7], [y, z], a[0][0])),
    "choose": (choice, lambda a, x, y: np.choose(np.array(a[0]) % 2, [x, y])),
    "unravel_index": (lambda: (lambda of: ([list(of)], [shape(0, 2)]))(shape(1, 3, (2, 3, 4))),
                      lambda a, x: np.unravel_index(x % int(np.prod(a[0])), a[0])),
    "segment_sum": (segments, lambda a, x: segment(0, np.add)(x, a[0], a[1][0])),
    "segment_prod": (segments, lambda a, x: segment(1, np.multiply)(x, a[0], a[1][0])),
    "segment_max": (segments, lambda a, x: segment(-1, np.maximum)(x, a[0], a[1][0])),
    "segment_min": (segments, lambda a, x: segment(99, np.minimum)(x, a[0], a[1][0])),
}


def line(name, function):
    make, compute = function
    attributes, shapes = make()
    numbers = lambda values: ",".join(map(str, values))
    try:
        results = compute(attributes, *[array(of, k) for k, of in enumerate(shapes)])
        results = list(results) if isinstance(results, (tuple, list)) else [results]
        texts = [numbers(np.shape(result)) + ":" + numbers(np.ravel(result)) for result in results]
    except (ValueError, IndexError, TypeError):
        texts = ["error"]
    fields = [";".join("none" if values is None else numbers(values) for values in attributes), ";".join(map(numbers, shapes))]
    return " ".join([name, "|" + fields[0], "|" + str(len(shapes)) + "@" + fields[1]] + ["|" + text for text in texts])


def main(functions):
    random.seed(7)
    for name, function in functions.items():
        seen = set()
        for _ in range(200):
            made = line(name, function)
            # Of what is wrong a few; of the others those with elements mostly.
            wrong = made.endswith("error")
            if wrong and sum(one.endswith("error") for one in seen) >= 2:
                continue
            if made.endswith(":") and random.random() < 0.8:
                continue
            seen.add(made)
            if len(seen) == 14:
                break
        print("\n".join(sorted(seen)))


if __name__ == "__main__":
    main(FUNCTIONS)
