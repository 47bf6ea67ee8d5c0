#!/usr/bin/env python3
"""hash_test.py PROGRAM [ARGUMENT...]: a test program, run with every hash of a
trace forced to one constant, passes as before with the same counts.

The counts are what the tests record of themselves (hits, compilations,
programs, kernels); the plain run is done beside it.
"""
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import os
import subprocess
import sys
import tempfile

TIMES = {"time", "timestamp", "name", "file", "line", "classname", "status", "result", "failures",
         "value_param", "type_param"}


def run(command, environment):
    """Test -> (result, recorded counts)."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        log = os.path.join(folder, "log")
        with open(log, "w") as file:
            status = subprocess.run(command + ["--gtest_output=json:" + report], cwd=folder, stdout=file, stderr=file,
                                    env={**os.environ, **environment}).returncode
        if status != 0:
            with open(log) as file:
                sys.exit(f"{command[0]} ended with {status} under {environment}:\n{file.read()[-8000:]}")
        with open(report) as file:
            suites = json.load(file)["testsuites"]
    tests = {}
    for suite in suites:
        for test in suite["testsuite"]:
            counts = {key: value for key, value in test.items() if key not in TIMES}
            tests[suite["name"] + "." + test["name"]] = (test["result"], counts)
    return tests


def main():
    command = sys.argv[1:]
    plain = run(command, {})
    constant = run(command, {"TENON_CONSTANT_HASH": "1"})
    different = [name for name in sorted(plain | constant) if plain.get(name) != constant.get(name)]
    for name in different[:20]:
        print(f"{name}:\n  plain    {plain.get(name)}\n  constant {constant.get(name)}")
    counts = sum(len(recorded) for _, recorded in plain.values())
    totals = {}
    for _, recorded in plain.values():
        for key, value in recorded.items():
            totals[key] = totals.get(key, 0) + int(value)
    print(f"{os.path.basename(command[0])}: {len(plain)} tests with {counts} counts, {len(different)} differ")
    print("  in all: " + ", ".join(f"{value} {key}" for key, value in sorted(totals.items())))
    # A comparison of nothing would pass too.
    return 1 if different or not counts else 0


sys.exit(main())
