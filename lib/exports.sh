#!/usr/bin/env bash
# exports.sh OUTPUT NM CXXFILT INCLUDE OBJECT...: the version script of libtenon, which shows what the headers in
# INCLUDE declare and the C functions tenon_rt_*. All else, instantiations of the standard library among
# it, stays inside: a symbol is shown if every part of its name is a name in those headers, classes with members being
# defined there; an operator, or what is made of a template, if the classes that it takes are, and none is the
# runtime's.
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
output=$1 nm=$2 cxxfilt=$3 include=$4
shift 4
names=$(mktemp)
trap 'rm -f "$names"' EXIT
"$nm" --defined-only --extern-only --format=posix "$@" | awk '$1 ~ /^_Z/ { print $1 }' | LC_ALL=C sort -u >"$names"
headers() { find "$include" -name '*.h' -print0 | sort -z | xargs -0 sed 's|//.*||'; }
{
  headers | grep -oE '[A-Za-z_][A-Za-z_0-9]*' | sort -u
  # "+Array": not "class Trace;".
  headers | sed -nE 's/^(.*[ (])?(class|struct) (\[\[[^]]*\]\] )?([A-Za-z_0-9:]+)( final)? *($|[:{<].*)/+\4/p' | sed 's/.*::/+/' | sort -u
  echo
  "$cxxfilt" <"$names" | paste "$names" -
} | awk '
  BEGIN { FS = "\t"; print "{\n  global:" }
  !isSymbols { if ($0 == "") isSymbols = 1; else declared[$0] = 1; next }
  {
    name = $2
    gsub(/\[abi:[a-z0-9]*\]/, "", name)
    gsub(/operator *(\(\)|<=>|->|[<>]+=?)/, "operator", name)
    sub(/\(.*/, "", name)
    while (gsub(/<[^<>]*>/, "", name)) {}
    sub(/operator .*/, "operator", name)
    sub(/.* /, "", name)
    count = split(name, part, "::")
    isShown = part[1] == "tenon" && part[2] != "rt" && count > 1
    for (i = 2; i <= count; ++i) {
      sub(/^~/, "", part[i])
      isShown = isShown && (part[i] in declared || part[i] ~ /^operator/)
      isShown = isShown && (i == count || part[i] ~ /^[a-z]/ || ("+" part[i]) in declared)
    }
    takesClasses = part[2] ~ /^operator/ || $2 ~ /tenon::[a-zA-Z_0-9:]*</
    for (rest = $2; takesClasses && match(rest, /tenon::(detail::)?[A-Z][A-Za-z_0-9]*/); rest = substr(rest, RSTART + RLENGTH)) {
      class = substr(rest, RSTART, RLENGTH)
      sub(/.*::/, "", class)
      isShown = isShown && ("+" class) in declared
    }
    if (takesClasses && $2 ~ /tenon::rt::/) isShown = 0
    if (isShown) print "    " $1 ";"
  }
  END { print "    tenon_rt_*;\n  local:\n    *;\n};" }' >"$output.new"
if cmp -s "$output.new" "$output"; then rm "$output.new"; else mv "$output.new" "$output"; fi
