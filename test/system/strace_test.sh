#!/usr/bin/env bash
# strace_test.sh SIZES_TEST BLOBS: running a saved program opens no compiler, though
# one lies beside it.
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
command -v strace >/dev/null || { echo "SKIPPED: strace is not installed; ./dev setup installs it"; exit 77; }
program=$1 blobs=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
strace -o "$folder/self" true 2>"$folder/why" || { echo "SKIPPED: strace may not trace here: $(cat "$folder/why")"; exit 77; }

# Each case in a process of its own: the blobs lie where the test left them.
count=0
for blob in "$blobs"/sizes-*/program.blob; do
  [[ -f $blob ]] || { echo "expected the blobs of sizes_test: run that first"; exit 1; }
  name=$(basename "$(dirname "$blob")")
  [[ $name != sizes-v3 ]] || continue
  strace -f -e trace=open,openat,openat2,execve -o "$folder/calls" "$program" --blob "$blob" "${name#sizes-}" 131
  grep -q program.blob "$folder/calls" || { echo "expected to see the blob opened"; exit 1; }
  if grep -iE 'compiler|llvm|mlir' "$folder/calls"; then
    echo "expected no compiler to be opened"
    exit 1
  fi
  count=$((count + 1))
done
echo "$count programs ran; opened by the last of them:"
grep -vE 'ENOENT|/proc/|/sys/' "$folder/calls" | sed -E 's/^[0-9]+ +//'

# The same eyes see a compiler where there is one.
strace -f -e trace=open,openat,openat2,execve -o "$folder/calls" "$program" --gtest_filter='*OneCompilation/exp' >"$folder/out"
grep -q 'libtenon-compiler.so' "$folder/calls" || { echo "expected to see the compiler opened by a compilation"; exit 1; }
