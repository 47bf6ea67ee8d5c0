#!/usr/bin/env python3
"""TensorBoard reads what summary::FileWriter writes, with the values that were written.

    tensorboard_test.py PROGRAM

PROGRAM is programs/tensorboard_files.cpp. Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import io
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

try:
    from PIL import Image
    from tensorboard.backend.event_processing import event_file_loader
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import PyRecordReader_New
    from tensorboard.util import tensor_util
except ImportError:
    print("skipped: no TensorBoard; ./dev setup installs it")
    sys.exit(77)

ALL = {"tensors": 0}  # keep all events


def read(folder):
    events = EventAccumulator(str(folder), size_guidance=ALL)
    events.Reload()
    return events


def values(events, tag):
    return [(event.step, tensor_util.make_ndarray(event.tensor_proto)) for event in events.Tensors(tag)]


def buckets(data, count=30):
    """What TensorFlow 2 writes."""
    counts, edges = np.histogram(data, count)
    return np.stack([edges[:-1], edges[1:], counts], axis=1)


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.before = time.time()
        subprocess.run([PROGRAM, cls.folder], check=True)
        cls.values = read(cls.folder / "values")

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def plugin(self, tag):
        return self.values.SummaryMetadata(tag).plugin_data.plugin_name

    def test_scalars(self):
        got = values(self.values, "group/scalar")
        self.assertEqual([step for step, _ in got], [step * 1000000007 for step in range(-1, 1000)])
        np.testing.assert_array_equal([value for _, value in got], np.sqrt(np.arange(0, 1001.0)).astype(np.float32))
        metadata = self.values.SummaryMetadata("group/scalar")
        self.assertEqual((metadata.plugin_data.plugin_name, metadata.summary_description, metadata.data_class),
                         ("scalars", "the *root*", 1))
        for event in self.values.Tensors("group/scalar"):
            self.assertTrue(self.before - 1 <= event.wall_time <= time.time())
        odd = np.float32([np.nan, np.inf, -np.inf, 1e-45, 16777217.0])
        np.testing.assert_array_equal([value for _, value in values(self.values, "odd é")], odd)

    def test_histograms(self):
        x = np.arange(1000, dtype=np.float64) * 0.25
        for dtype in ("f32", "f64", "f16", "i32"):
            with self.subTest(dtype):
                [(step, rows)] = values(self.values, f"histogram/{dtype}")
                self.assertEqual((step, rows.dtype, self.plugin(f"histogram/{dtype}")), (3, np.float64, "histograms"))
                expected = buckets(np.trunc(x) if dtype == "i32" else x)
                np.testing.assert_allclose(rows[:, :2], expected[:, :2], rtol=1e-14)
                self.assertEqual(rows[:, 2].sum(), 1000)
                # An element on an edge may lie on either side of it.
                np.testing.assert_allclose(rows[:, 2], expected[:, 2], atol=1)
        [(_, rows)] = values(self.values, "histogram/bf16")
        self.assertEqual((rows[0, 0], rows[-1, 1], rows[:, 2].sum()), (0, 250, 1000))
        [(_, rows)] = values(self.values, "histogram/equal")
        np.testing.assert_array_equal(rows, [[2, 2, 0]] * 4 + [[2, 2, 3]])

    def test_images(self):
        pixels = np.arange(2 * 5 * 7 * 4).reshape(2, 5, 7, 4).astype(np.uint8)
        for channels in range(1, 5):
            with self.subTest(channels):
                [(_, strings)] = values(self.values, f"image/{channels}")
                self.assertEqual(self.plugin(f"image/{channels}"), "images")
                self.assertEqual(list(strings[:2]), [b"7", b"5"])
                for png, expected in zip(strings[2:], pixels[..., :channels], strict=True):
                    got = np.asarray(Image.open(io.BytesIO(png)))
                    np.testing.assert_array_equal(got.reshape(5, 7, channels), expected)
        [(_, strings)] = values(self.values, "image/float")
        got = np.asarray(Image.open(io.BytesIO(strings[2])))
        expected = np.arange(35, dtype=np.float32).reshape(5, 7) / np.float32(34)
        np.testing.assert_array_equal(got, np.minimum(expected.astype(np.float64) * 255.5, 255).astype(np.uint8))

    def test_texts(self):
        [(step, text)] = values(self.values, "text")
        self.assertEqual((step, text.item().decode(), self.plugin("text")),
                         (5, "# Tïtle\n\n| a | b |\n|---|---|\n| 1 | 2 |", "text"))

    def test_programs(self):
        events = read(self.folder / "jit")
        self.assertEqual([(step, value.item()) for step, value in values(events, "loss")],
                         [(step, 1.0 + step * step) for step in range(1, 351)])
        self.assertEqual([step for step, _ in values(events, "x")], [100, 200, 300])
        for step, rows in values(events, "x"):
            self.assertEqual((rows[0, 0], rows[-1, 1], rows[:, 2].sum()), (1, step, 2))
        self.assertEqual([step for step, _ in values(events, "text")], [100, 200, 300])

    def test_graph(self):
        graph = read(self.folder / "graph").Graph()
        nodes = {node.name: node for node in graph.node}
        self.assertEqual(len(nodes), len(graph.node))
        for node in graph.node:
            for name in node.input:
                self.assertIn(name.split(":")[0], nodes)
        [product] = [node for node in graph.node if node.op == "dot_general"]
        [shape] = product.attr["_output_shapes"].list.shape
        self.assertEqual([dim.size for dim in shape.dim], [-1, 3])
        self.assertEqual(list(product.input), ["input_0", "input_1"])
        self.assertEqual(product.attr["dtype"].type, 1)

    def test_file_version_comes_first(self):
        [path] = (self.folder / "values").iterdir()
        self.assertRegex(path.name, r"^events\.out\.tfevents\.\d{10}\.")
        first = next(iter(event_file_loader.EventFileLoader(str(path)).Load()))
        self.assertEqual(first.file_version, "brain.Event:2")

    def test_a_cut_file_gives_what_is_whole(self):
        [path] = (self.folder / "cut").iterdir()
        os.truncate(path, path.stat().st_size - 5)
        self.assertEqual([step for step, _ in values(read(self.folder / "cut"), "a")], [0, 1])

    def test_records(self):
        reader = PyRecordReader_New(str(self.folder / "records"))
        got = []
        while True:
            try:
                reader.GetNext()
            except Exception:  # its own class of errors: the end
                break
            got.append(reader.record())
        self.assertEqual(got, [bytes([97 + i]) * (i * 1000) for i in range(5)])


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
