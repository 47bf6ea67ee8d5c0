# The lit suite: Dialect, Compiler, Tools, Execution.
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import shutil

import lit.formats

config.name = "Tenon"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".td", ".test"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.tenon_build_dir, "test")
config.excludes = ["unit", "conformance", "must-fail", "install", "fuzz", "Inputs", "lit.cfg.py", "lit.site.cfg.py.in"]

# The tools of the build before any of the same name on the machine.
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.tenon_build_dir, "bin"), config.llvm_bin, os.environ.get("PATH", "")])
for name in ("TENON_PYTHON", "HOME", "ASAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions.append(("%python", config.python))
config.substitutions.append(("%source", config.tenon_source_dir))
config.substitutions.append(("%llvm_include", os.path.join(config.llvm_bin, "..", "include")))
config.substitutions.append(("%build", config.tenon_build_dir))

# `REQUIRES: ptxas` where an assembler for PTX is on the machine.
if shutil.which("ptxas") or os.path.exists("/usr/local/cuda/bin/ptxas"):
    config.available_features.add("ptxas")
    config.environment["PATH"] += os.pathsep + "/usr/local/cuda/bin"
