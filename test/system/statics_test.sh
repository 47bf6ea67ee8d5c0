#!/usr/bin/env bash
# statics_test.sh LIBTENON COMPILER: no static of libtenon is made under a guard, which a fork in the middle of it would
# leave held in the child: rt::Lasting instead. And nothing that was linked runs a destructor at exit, while other
# threads may still use what it frees. And both can be loaded into a running process, which has little static TLS.
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
symbols=$(nm -C "$1")
grep -q 'tenon::rt::ForkHandlers::take' <<<"$symbols" || { echo "expected the symbols of $1"; exit 1; }
guarded=$(grep 'guard variable for' <<<"$symbols" || true)
[[ -z $guarded ]] || { printf 'expected no guarded statics, got\n%s\n' "$guarded"; exit 1; }
for library in "$@"; do
  # The compiler driver's own entry, which destroys what was registered by atexit.
  bytes=$(readelf -dW "$library" | sed -n 's/.*(FINI_ARRAYSZ) *\([0-9]*\) .*/\1/p')
  [[ $bytes == 8 ]] || { echo "$library: expected one destructor of 8 bytes, got $bytes bytes"; exit 1; }
done

bytes=$((16#$(readelf -lW "$1" | sed -n 's/^ *TLS .* 0x0*\([0-9a-f]*\) R .*/\1/p')))
[[ $bytes -gt 0 && $bytes -le 64 ]] || { echo "$1: expected at most 64 bytes of static TLS, got $bytes"; exit 1; }
if readelf -dW "$2" | grep STATIC_TLS; then echo "$2: expected no static TLS"; exit 1; fi
