#!/usr/bin/env bash
# blas_memory.sh ARCHIVE OUTPUT AR NM OBJCOPY: OpenBLAS's allocator of packing buffers, as an object of our own.
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
archive=$1 output=$(realpath -m "$2") ar=$3 nm=$4 objcopy=$5
member=$("$nm" --print-armap "$archive" 2>/dev/null | sed -n 's/^blas_memory_alloc in //p' | head -1 || true)
[[ -n $member ]] || { echo "expected blas_memory_alloc in $archive"; exit 1; }
"$ar" p "$archive" "$member" >"$output.tmp"
# Its destructor frees the buffers at exit, while other threads may still multiply. BlasLock.cpp defines the
# two functions that are renamed, with a lock.
"$objcopy" --remove-section=.fini_array --remove-section=.rela.fini_array \
  --redefine-sym blas_memory_alloc=tenon_blas_memory_alloc \
  --redefine-sym blas_memory_free=tenon_blas_memory_free "$output.tmp" "$output"
rm "$output.tmp"
