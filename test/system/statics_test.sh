#!/usr/bin/env bash
# statics_test.sh LIBRARY: no static of libtenon is made under a guard, which a fork
# in the middle of it would leave held in the child: rt::Lasting instead.
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
symbols=$(nm -C "$1")
grep -q 'tenon::rt::ForkHandlers::take' <<<"$symbols" || { echo "expected the symbols of $1"; exit 1; }
guarded=$(grep 'guard variable for' <<<"$symbols" || true)
[[ -z $guarded ]] || { printf 'expected no guarded statics, got\n%s\n' "$guarded"; exit 1; }
