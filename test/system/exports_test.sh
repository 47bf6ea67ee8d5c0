#!/usr/bin/env bash
# exports_test.sh LIBTENON ROOT: what libtenon shows is tenon's, and no class or function of the rooms behind its
# public headers.
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
library=$1 root=$2
seen=$(nm -DC --defined-only "$library" | sed -E 's/^[0-9a-f ]*[A-Za-z] //')
printf '%s defines %d symbols\n' "$library" "$(wc -l <<<"$seen")"
fail() { printf '%s\n' "$@"; exit 1; }

for name in 'tenon_rt_load' 'tenon_rt_run' 'tenon::add(tenon::Operand const&, tenon::Operand const&)' \
  'typeinfo for tenon::Error' 'tenon::Lowered::trace[abi:cxx11]() const' 'tenon::Device::cpu'; do
  grep -qxF "$name" <<<"$seen" || fail "expected $name"
done

wrong=$(grep -vE '^(tenon_rt_[a-z_]+$|((vtable|VTT|typeinfo|typeinfo name|guard variable) for )?[^(]*\btenon::)' <<<"$seen" || true)
[[ -z $wrong ]] || fail "expected names of tenon alone, got also" "$(head -20 <<<"$wrong")"

# Names of namespaces, classes and functions that only inner headers know.
words() { find "$@" -name '*.h' -print0 | xargs -0 sed 's|//.*||' | grep -oE '[A-Za-z_][A-Za-z_0-9]*' | LC_ALL=C sort -u; }
inner=$(LC_ALL=C comm -23 <(words "$root/lib" "$root/runtime" "$root/dialect" | grep -E '[A-Z]') <(words "$root/include/tenon"))
classes=$(cut -d'(' -f1 <<<"$seen" | grep -oE '[A-Za-z_][A-Za-z_0-9]*' | LC_ALL=C sort -u)
wrong=$(LC_ALL=C comm -12 <(printf '%s\n' "$inner") <(printf '%s\n' "$classes"))
[[ -z $wrong ]] || fail "expected nothing of the rooms inside, got symbols with these names" "$wrong"
for name in 'rt' 'Trace' 'Program' 'JitCore'; do
  if grep -E "tenon::(detail::)?$name::" <<<"$(cut -d'(' -f1 <<<"$seen")"; then fail "expected nothing of $name"; fi
done
