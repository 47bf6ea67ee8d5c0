"""Functions of images by JAX: case -> (inputs, function). See jax_test.py.

Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.ndimage import map_coordinates

IMAGE = (2, 5, 6, 3)


def resize(sizes, method, antialias=True):
    def function(x):
        return jax.image.resize(x, (x.shape[0], *sizes, x.shape[3]), method, antialias)

    return [IMAGE], function


def sample(x, places, mode):
    """x [height, width, channels] at places [..., 2] of (row, column)."""
    one = lambda channel: map_coordinates(channel, [places[..., 0], places[..., 1]], 1, mode, 0.0)
    return jax.vmap(one, -1, -1)(x)


def grid_sample(x, grid, mode="constant", align_corners=False):
    sizes = jnp.array([x.shape[2], x.shape[1]], jnp.float64)
    places = (grid + 1) / 2 * (sizes - 1) if align_corners else ((grid + 1) * sizes - 1) / 2
    return jax.vmap(lambda x, p: sample(x, p[..., ::-1], mode))(x, places)


def affine_grid(theta, height, width):
    x, y = (2 * np.arange(width) + 1) / width - 1, (2 * np.arange(height) + 1) / height - 1
    places = np.stack([*np.meshgrid(x, y), np.ones((height, width))], -1)
    return jnp.einsum("bij,hwj->bhwi", theta, places)


def roi_align(x, boxes):
    """2 x 3 bins of 2 x 2 samples, which lie inside of x."""

    def one(box, image):
        steps_y, steps_x = (np.arange(4) + 0.5) / 4, (np.arange(6) + 0.5) / 6
        rows = box[1] - 0.5 + (box[3] - box[1]) * steps_y
        columns = box[0] - 0.5 + (box[2] - box[0]) * steps_x
        places = jnp.stack(jnp.meshgrid(rows, columns, indexing="ij"), -1)
        return sample(image, places, "nearest").reshape(2, 2, 3, 2, -1).mean((1, 3))

    return jax.vmap(one)(boxes, x[np.array([0, 1, 0])])


def shuffle(x, order, inverse):
    """Blocks of 2 x 2; `order`: the axes of the channels, dcr or crd."""
    b, h, w, c = x.shape
    if inverse:
        x = x.reshape(b, h // 2, 2, w // 2, 2, c)  # b h r w s c
        x = x.transpose((0, 1, 3, 2, 4, 5) if order == "dcr" else (0, 1, 3, 5, 2, 4))
        return x.reshape(b, h // 2, w // 2, 4 * c)
    x = x.reshape((b, h, w, 2, 2, c // 4) if order == "dcr" else (b, h, w, c // 4, 2, 2))
    x = x.transpose((0, 1, 3, 2, 4, 5) if order == "dcr" else (0, 1, 4, 2, 5, 3))
    return x.reshape(b, 2 * h, 2 * w, c // 4)


# Some places lie outside, none on an edge between two elements.
GRID = np.random.default_rng(5).uniform(-1.3, 1.3, (2, 4, 3, 2))
THETA = np.array([[[0.8, 0.3, 0.1], [-0.2, 0.9, -0.05]], [[1.1, -0.2, 0.05], [0.3, 0.7, 0.15]]])
BOXES = np.array([[1.1, 1.3, 4.2, 3.9], [0.9, 1.2, 5.1, 4.3], [2.2, 0.8, 4.9, 3.1]])
CASES = {
    "image_resize nearest": resize((7, 3), "nearest"),
    "image_resize linear up": resize((9, 8), "linear"),
    "image_resize linear down": resize((3, 2), "linear"),
    "image_resize linear plain": resize((3, 8), "linear", False),
    "image_resize cubic up": resize((9, 8), "cubic"),
    "image_resize cubic down": resize((3, 2), "cubic"),
    "image_resize cubic plain": resize((3, 8), "cubic", False),
    "image_resize lanczos3": resize((4, 9), "lanczos3"),
    "image_resize lanczos5": resize((4, 9), "lanczos5", False),
    "grid_sample zeros": ([IMAGE, GRID], grid_sample),
    "grid_sample zeros corners": ([IMAGE, GRID], lambda x, g: grid_sample(x, g, align_corners=True)),
    "grid_sample border": ([IMAGE, GRID], lambda x, g: grid_sample(x, g, "nearest", True)),
    "grid_sample reflection": ([IMAGE, GRID], lambda x, g: grid_sample(x, g, "mirror", True)),
    "affine_grid": ([THETA], lambda theta: affine_grid(theta, 3, 4)),
    "affine_grid and grid_sample": ([IMAGE, THETA], lambda x, theta: grid_sample(x, affine_grid(theta, 5, 6))),
    "roi_align": ([IMAGE, BOXES], roi_align),
    "depth_to_space": ([(2, 3, 2, 8)], lambda x: shuffle(x, "dcr", False)),
    "space_to_depth": ([(2, 4, 6, 3)], lambda x: shuffle(x, "dcr", True)),
    "pixel_shuffle": ([(2, 3, 2, 8)], lambda x: shuffle(x, "crd", False)),
    "pixel_unshuffle": ([(2, 4, 6, 3)], lambda x: shuffle(x, "crd", True)),
}
