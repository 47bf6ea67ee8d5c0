#!/usr/bin/env python3
"""Properties of the examples whose numbers are random, or times: that losses follow their closed form or fall, that
functions are traced as often as they should be, that a run goes on where it ended.

    guide_test.py FOLDER      of the built examples

Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(sys.argv.pop())


def run(program, *arguments, folder=None):
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run([FOLDER / program, *map(str, arguments)], cwd=folder or scratch, capture_output=True,
                              text=True, timeout=300)
    if done.returncode:
        raise AssertionError(f"{program} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def number(text, name):
    return float(re.search(rf"{re.escape(name)}[:=]? *(-?[\d.]+(?:e[+-]?\d+)?)", text)[1])


class Regression(unittest.TestCase):
    """y = 3 x + 2 + noise from W = 5, B = 10 at the rate 0.01: without noise in the data, the errors of W and B shrink
    by 0.98 at each step, so the loss is 1 + 68 * 0.98^(2 t)."""

    def check(self, program, steps):
        text = run(program)
        losses = {int(step): float(loss) for step, loss in re.findall(r"Loss at step (\d+): ([\d.]+)", text)}
        self.assertEqual(sorted(losses), list(range(0, steps, 20)))
        losses = {step + 1: loss for step, loss in losses.items()}
        losses[0], losses[steps] = number(text, "Initial loss"), number(text, "Final loss")
        for step, loss in losses.items():
            closed = 1 + 68 * 0.98 ** (2 * step)
            self.assertLess(abs(loss / closed - 1), 0.1, f"{program}, step {step}: {loss}, expected about {closed}")
        self.assertAlmostEqual(number(text, "W ="), 3 + 2 * 0.98**steps, delta=0.1)
        self.assertAlmostEqual(number(text, "B ="), 2 + 8 * 0.98**steps, delta=0.1)

    def test_by_hand(self):
        self.check("guide/linear_regression", 200)

    def test_with_a_model_and_an_optimizer(self):
        self.check("guide/linear_regression_model", 300)


class Fit(unittest.TestCase):
    LINE = r"2/2 \[={30}\] - \d+s \d+[mu]?s/step - loss: (\d+\.\d{4}(?:e-\d\d)?)\n"

    def test_traces_twice_and_the_loss_falls_to_zero(self):
        text = run("guide/compile_and_fit")
        note = "Currently running eagerly\n"
        match = re.fullmatch(rf"Epoch 1/3\n{note}{note}{self.LINE}Epoch 2/3\n{self.LINE}Epoch 3/3\n{self.LINE}", text)
        self.assertTrue(match, text)
        first, second, third = map(float, match.groups())
        self.assertGreater(first, 0.5)
        self.assertLess(second, 0.02)
        self.assertLess(third, second)

    def test_runs_the_model_at_each_batch_where_it_is_eager(self):
        text = run("guide/fit_run_eagerly")
        graph, eager = text.split("Running eagerly:\n")
        self.assertEqual(graph.count("Currently running eagerly"), 2)
        self.assertEqual(eager.count("Currently running eagerly"), 2)
        losses = [float(loss) for loss in re.findall(self.LINE, text)]
        self.assertEqual(len(losses), 4)
        self.assertLess(losses[3], losses[2])


class Times(unittest.TestCase):
    def test_eager_and_graph(self):
        text = run("guide/eager_and_graph_time", "--steps", 2)
        self.assertIn("462730 parameters, equal bits\n", text)
        self.assertGreater(number(text, "Eager time"), 0)
        self.assertGreater(number(text, "Graph time"), 0)

    def test_products(self):
        text = run("guide/measure_matmul", "--size", 50, "--steps", 3)
        self.assertRegex(text, r"\ATime to multiply a \(50, 50\) matrix by itself 3 times:\n"
                         r"CPU: \d+\.\d{3} secs\nGPU: not found\n\Z")


class Mnist(unittest.TestCase):
    def test_convolutions(self):
        text = run("guide/mnist_convolutions", "--steps", 25)
        self.assertIn("Logits: (1, 10)\n2650 parameters\n...\n25 batches, ", text)

    def test_lenet(self):
        text = run("guide/mnist_lenet", "--steps", 31, "--log", 10)
        losses = [float(loss) for loss in re.findall(r"Batch #\d+\tLoss: ([\d.]+)", text)]
        self.assertEqual(len(losses), 4)
        self.assertAlmostEqual(losses[0], 2.3, delta=0.2)
        self.assertLess(losses[3], losses[0])
        self.assertIn("\n1111946 parameters\n", text)


class Loops(unittest.TestCase):
    def test_tape(self):
        lines = run("learning/tape_loop").splitlines()
        self.assertEqual(len(lines), 5)
        self.assertLess(number(lines[4], " loss"), number(lines[0], " loss") / 3)
        self.assertGreater(number(lines[4], "val_accuracy"), 0.9)

    def test_compiled(self):
        text = run("learning/jit_loop", "--steps", 2)
        self.assertIn("traces: 1\n", text)
        losses = [float(loss) for loss in re.findall(r"batch \d+: loss ([\d.]+)", text)]
        self.assertLess(losses[-1], losses[0])

    def test_goes_on(self):
        with tempfile.TemporaryDirectory() as folder:
            first = run("learning/pipeline_resume", "--steps", 1, folder=folder)
            self.assertNotIn("goes on", first)
            second = run("learning/pipeline_resume", "--steps", 2, folder=folder)
        self.assertTrue(second.startswith("goes on at epoch 0, batch 40\n"), second)
        self.assertIn("ckpt-4.safetensors", second)


if __name__ == "__main__":
    unittest.main()
