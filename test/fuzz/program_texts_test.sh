#!/usr/bin/env bash
# program_texts_test.sh PROGRAM_FUZZ COMPILER INCLUDE LIBTENON NEST_FUZZ: the C++ that program_fuzz
# writes of its programs compiles and computes what they compute; that of nest_fuzz compiles and runs.
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" 60 7000 "$work"
"$2" -std=c++20 -O0 "-I$3" "$work/programs.cpp" "$4" "-Wl,-rpath,$(dirname "$4")" -o "$work/programs"
"$work/programs" "$work"

"$5" 1 27 "$work/nest.cpp"
"$2" -std=c++20 -O0 "-I$3" "-I$(dirname "$0")/../.." "$work/nest.cpp" "$4" "-Wl,-rpath,$(dirname "$4")" -o "$work/nest"
"$work/nest"
