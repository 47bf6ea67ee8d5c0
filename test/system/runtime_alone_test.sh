#!/usr/bin/env bash
# runtime_alone_test.sh SIZES_TEST RUNTIME_ALONE: a saved program runs in a process that has the runtime and nothing
# else of Tenon.
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
sizes_test=$1 program=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

names=$(nm -C --defined-only "$program")
grep -q ' tenon_rt_load_file$' <<<"$names" || { echo "expected tenon_rt_load_file in $program"; exit 1; }
if grep -E ' (tenon::)(Array|Trace|Record|Interpreter|Program|Lowered|Reverse|Batch|detail::(Value|makeBuffer))\b' <<<"$names"; then
  echo "expected nothing of arrays, traces or programs above the runtime"
  exit 1
fi
if readelf -d "$program" | grep NEEDED | grep -iE 'tenon|llvm|mlir'; then
  echo "expected no library of Tenon's or LLVM's"
  exit 1
fi
"$sizes_test" --save "$scratch/add.blob" add
env -i TENON_COMPILER=/nonexistent "$program" "$scratch/add.blob"
env -i TENON_ISA=v3 "$program" "$scratch/add.blob" >"$scratch/v3" 2>&1 || grep -q 'expected a CPU with' "$scratch/v3"
