"""execute.py FILE FOLDER INPUT...: runs a .mlir compiled and interpreted on inputs
such as "f32 [[1, 2], [3, 4]]", which may use NumPy as np, and prints the results
if both ways print the same text and write the same bytes."""
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import filecmp
import glob
import os
import subprocess
import sys

import numpy as np

DTYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64, "u8": np.uint8, "u32": np.uint32,
          "bool": np.bool_}


def main(program, folder, *inputs):
    os.makedirs(folder, exist_ok=True)
    paths = []
    for number, text in enumerate(inputs):
        dtype, values = text.split(" ", 1)
        paths.append(f"{folder}/input{number}.npy")
        np.save(paths[-1], np.array(eval(values), dtype=DTYPES[dtype]))
    printed = {}
    for mode, flags in {"compiled": [], "interpreted": ["--interpret"]}.items():
        for old in glob.glob(f"{folder}/{mode}*.npy"):
            os.remove(old)
        ran = subprocess.run(["tenon-run", program, *paths, "--statistics", f"--output={folder}/{mode}", *flags],
                             capture_output=True, text=True)
        if ran.returncode != 0:
            sys.exit(f"{mode}: ended with {ran.returncode}\n{ran.stdout}{ran.stderr}")
        printed[mode] = ran.stdout
        print(f"{mode}: {ran.stderr.strip()}")
    print(printed["compiled"], end="")
    if printed["compiled"] != printed["interpreted"]:
        sys.exit("interpreted, the text is\n" + printed["interpreted"])
    files = glob.glob(f"{folder}/compiled*.npy")
    for path in files:
        if not filecmp.cmp(path, path.replace("compiled", "interpreted"), shallow=False):
            sys.exit(f"other bytes when interpreted: {path}")
    print(f"{len(files)} results, the same bytes")


main(*sys.argv[1:])
