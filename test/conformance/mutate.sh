#!/usr/bin/env bash
# mutate.sh - does the conformance test see one ulp?
# Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds two copies of libtenon whose eager kernels are off by one ulp, one in
# exp and one in the tree of a sum, and expects that the compiled cells of that
# op fail. The product is not touched: the copies live in a temporary folder.
#
#   test/conformance/mutate.sh [BUILD]     (build/dev by default)
set -euo pipefail

root="$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)"
build="$(cd "${1:-$root/build/dev}" && pwd)"
export TENON_PYTHON="${TENON_PYTHON:-$root/.venv/bin/python}" TENON_SOURCE_DIR="$root"
scratch="$(mktemp -d -t tenon-mutants.XXXXXX)"
trap 'rm -rf "$scratch"' EXIT
export TENON_BUILD_DIR="$scratch"

# mutant NAME FILE SOURCE OLD NEW FILTER: OLD in runtime/cpu/FILE becomes NEW and
# runtime/cpu/SOURCE is compiled with it.
mutant() {
  local name=$1 file=$2 source=$3 old=$4 new=$5 filter=$6
  mkdir -p "$scratch/$name"
  cp -r "$root/runtime" "$scratch/$name/runtime"
  "$TENON_PYTHON" - "$build" "$root" "$scratch/$name" "$file" "$source" "$old" "$new" <<'PYTHON'
import json, os, shlex, subprocess, sys

build, root, copy, file, source, old, new = sys.argv[1:]
path = f"{copy}/runtime/cpu/{file}"
text = open(path).read()
assert text.count(old) == 1, f"expected '{old}' once in {file}, got {text.count(old)}"
open(path, "w").write(text.replace(old, new))

replaced = {}
for entry in json.load(open(f"{build}/compile_commands.json")):
    if os.path.realpath(os.path.join(entry["directory"], entry["file"])) != f"{root}/runtime/cpu/{source}":
        continue
    words = shlex.split(entry["command"])
    place = words.index("-o") + 1
    object_file = f"{copy}/{len(replaced)}.o"
    replaced[words[place]] = object_file
    words[place] = object_file
    words[words.index("-c") + 1] = f"{copy}/runtime/cpu/{source}"
    subprocess.run(words, cwd=entry["directory"], check=True)
assert len(replaced) == 2, f"expected {source} to be compiled for v3 and v4, got {len(replaced)} times"

link = subprocess.run(["ninja", "-C", build, "-t", "commands", "tenon"], check=True, text=True,
                      capture_output=True).stdout.splitlines()
link = [line for line in link if "-shared" in line and "libtenon.so" in line][-1]
for before, after in replaced.items():
    assert before in link, f"{before} is not linked"
    link = link.replace(before, after)
words = link.split(" -o ", 1)
output, rest = words[1].split(" ", 1)
soname = [part for part in link.split() if "-soname," in part][0].split("-soname,")[1]
subprocess.run(f"{words[0]} -o {copy}/{soname} {rest}", shell=True, cwd=build, check=True)
PYTHON
  local status=0
  LD_LIBRARY_PATH="$scratch/$name" "$build/bin/test/conformance_test" --gtest_filter="$filter" \
    >"$scratch/$name/output" 2>&1 || status=$?
  local red
  red=$(grep -c '^\[  FAILED  \] .*/compiled/' "$scratch/$name/output" || true)
  if [[ $status -eq 0 || $red -eq 0 ]]; then
    tail -5 "$scratch/$name/output"
    echo "mutate.sh: eager $name is off by one ulp and no compiled cell of $filter failed" >&2
    exit 1
  fi
  echo "eager $name off by one ulp: $red compiled cells fail"
}

# Half of an ulp or more is added, so that each result moves by one.
mutant exp Unary.cpp Unary.cpp \
  'return math::exp(x);' \
  'V y = math::exp(x); return y + y * math::Element<V>(sizeof(math::Element<V>) == 4 ? 0x1p-24 : 0x1p-53);' \
  'Conformance.exp/f32/*/f'
mutant sum Reduce.h Reduce.cpp \
  'return fold(halveToRegister());' \
  'Acc y = fold(halveToRegister()); return R::identity() == Acc(0) ? y + y * Acc(sizeof(Acc) == 4 ? 0x1p-24 : 0x1p-53) : y;' \
  'Conformance.sum/f32/*/f'
