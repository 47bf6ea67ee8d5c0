#!/usr/bin/env bash
# valgrind_test.sh PROGRAM [ARGUMENT...]: a process with global arrays ends with
# status 0 and no error under valgrind.
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
command -v valgrind >/dev/null || { echo "SKIPPED: valgrind is not installed; ./dev setup installs it"; exit 77; }
# valgrind knows no AVX-512.
export TENON_ISA=v3
memcheck=(valgrind -q --error-exitcode=9 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite)
TENON_COMPILER=/nonexistent "${memcheck[@]}" "$@"
