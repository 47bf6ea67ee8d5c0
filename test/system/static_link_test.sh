#!/usr/bin/env bash
# static_link_test.sh ARCHIVE SIZES_TEST: README's line links a C program with the runtime's archive, which then runs a
# saved program.
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
archive=$1 sizes_test=$2
cd "$TENON_SOURCE_DIR"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

line=$(grep -m1 '^cc main.c ' README.md) || { echo "expected a line 'cc main.c ...' in README.md"; exit 1; }
line=${line/main.c/test/system/programs/runtime_alone.c}
line=${line/build\/release\/lib/$(dirname "$archive")}
bash -c "$line -o '$scratch/program'"
"$sizes_test" --save "$scratch/add.blob" add
env -i "$scratch/program" "$scratch/add.blob"
if readelf -d "$scratch/program" | grep NEEDED | grep -i tenon; then
  echo "expected no library of Tenon's"
  exit 1
fi
