#!/usr/bin/env bash
# symbols_test.sh PLUGIN static|shared: what a plug-in shows of itself is tenon_compiler_*.
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
plugin=$1
seen=$(nm -D --defined-only --format=posix "$plugin" | awk '{ print $1 }' | sort)
printf '%s defines %d symbols\n%s\n' "$plugin" "$(wc -l <<<"$seen")" "$(head -20 <<<"$seen")"
readelf -d "$plugin" | grep NEEDED | sed 's/^.*Shared/needs: shared/'
for name in compile release build_id abi; do
  grep -qx "tenon_compiler_$name" <<<"$seen" || { echo "expected tenon_compiler_$name"; exit 1; }
done
if [[ $2 != static ]]; then
  echo "SKIPPED: built on a shared LLVM, for a fast edit loop; as shipped (the release preset) LLVM is inside"
  exit 77
fi
wrong=$(grep -v '^tenon_compiler_[a-z_]*$' <<<"$seen" || true)
if [[ -n $wrong ]]; then
  printf 'expected tenon_compiler_* alone, got also\n%s\n' "$wrong"
  exit 1
fi
if readelf -d "$plugin" | grep NEEDED | grep -iE 'llvm|mlir|omp|protobuf'; then
  echo "expected a plug-in that needs no LLVM library"
  exit 1
fi
