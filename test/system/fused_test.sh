#!/usr/bin/env bash
# fused_test.sh OBJECT...: no kernel has an instruction that multiplies and then adds
# and subtracts by turns in one rounding. Nobody asks for it; g++ makes it of products
# of single complex numbers, in spite of -ffp-contract=off.
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
fused() { objdump -d --no-show-raw-insn "$@" | grep -E 'vfmaddsub|vfmsubadd' || true; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'vfmaddsub132ps %xmm0, %xmm1, %xmm2' | as -o "$work/planted.o" -
[[ -n $(fused "$work/planted.o") ]] || { echo "expected to see what was planted"; exit 1; }
[[ $# -ge 20 ]] || { echo "expected the kernels' objects, got $#"; exit 1; }
found=$(fused "$@")
[[ -z $found ]] || { printf 'expected no vfmaddsub in the kernels, got\n%s\n' "$found" | head -20; exit 1; }
