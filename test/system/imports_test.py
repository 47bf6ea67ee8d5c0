#!/usr/bin/env python3
"""Imports point down only: every #include of the sources against the order of the rooms.

    imports_test.py ROOT

A file may include what lies in its own room or in one above it in this list. Prints each include that may not stand,
and fails. Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import pathlib
import re
import sys

# The lowest first; a room is what its paths begin with. Public headers lie in one folder, each belongs to a room.
LIBRARY = """
lib/base include/tenon/{location,error,dtype,device,dim,axes,format,modes,padding,statistics}.h include/tenon/detail/{dtypes.def,inline_vector.h}
dialect/model
runtime/machine
runtime/math
runtime/memory
runtime/threads
runtime/lapack
runtime/fft
runtime/kernels runtime/contract runtime/linalg
runtime/device
runtime/program
runtime/tenon_rt.h runtime/tenon_rt.cpp
lib/array include/tenon/{array,index,memory,methods,view}.h include/tenon/detail/{value,state_ref}.h
lib/trace include/tenon/variable.h
lib/program include/tenon/program.h
lib/ops include/tenon/{results,ops,block,key,dtypes}.h
lib/tree include/tenon/{tree,fields,tree_slice}.h include/tenon/detail
lib/transform include/tenon/{transform,forward,jacobian,tape}.h
lib/control include/tenon/{control,fold,map,rules}.h
lib/random include/tenon/{random,generator}.h
lib/io include/tenon/{io,dlpack,checkpoint_file}.h
lib/jit include/tenon/{jit,concrete,constant,eval_shape,host,lowered,spec}.h include/tenon/detail/jit_core.h
include/tenon/{tenon,timeit}.h
lib/nn include/tenon/{nn,gradients,losses,metrics}.h include/tenon/nn include/tenon/detail/metric.h
lib/optim include/tenon/optim.h include/tenon/optim
lib/data include/tenon/{data,datasets}.h include/tenon/detail/data_core.h
lib/summary include/tenon/summary.h
lib/plot include/tenon/plot.h
lib/train include/tenon/train.h include/tenon/train
include/tenon/learning.h
"""
# The compiler stands on traces and on the form of programs; it sees nothing else of the library but the border.
COMPILER = """
dialect/ir
lib/compiler/nets
lib/compiler/import
lib/compiler/scalar
lib/compiler/group
lib/compiler/kernels
lib/compiler/target/cpu
lib/compiler/target/gpu
lib/compiler/blob
lib/compiler/pipelines
lib/compiler/border
"""
LAST_SEEN_BY_THE_COMPILER = "lib/trace"
BORDER = "lib/program/CompilerApi.h"
TOOLS = "tools"


def rooms(text):
    """The paths of each room, {a,b} spelled out."""
    result = []
    for line in text.split("\n"):
        paths = []
        for path in line.split():
            names = re.search(r"\{(.*)\}", path)
            paths += [path.replace(names[0], name) for name in names[1].split(",")] if names else [path]
        if paths:
            result.append(paths)
    return result


ROOMS = rooms(LIBRARY) + rooms(COMPILER) + [[TOOLS]]
FIRST_OF_COMPILER = len(rooms(LIBRARY))
PLACES = sorted(((path, number) for number, paths in enumerate(ROOMS) for path in paths), key=lambda p: -len(p[0]))


def room_of(file):
    """The number of the room that `file` lies in, or None."""
    return next((number for path, number in PLACES if file == path or file.startswith(path + "/")), None)


def fault(file, included):
    """What is wrong with `file` including `included`, or None."""
    above, below = room_of(file), room_of(included)
    if above is None or below is None:
        return f"{file if above is None else included}: lies in no room; name its room in {os.path.basename(__file__)}"
    if below > above:
        return f"{file}: includes {included}, from above: {ROOMS[above][0]} is below {ROOMS[below][0]}"
    in_compiler = FIRST_OF_COMPILER <= above < len(ROOMS) - 1
    if in_compiler and room_of(LAST_SEEN_BY_THE_COMPILER) < below < FIRST_OF_COMPILER and included != BORDER:
        return f"{file}: includes {included}: the compiler sees nothing above {LAST_SEEN_BY_THE_COMPILER} but {BORDER}"
    return None


def includes(root, file, sources):
    """The sources of this project that `file` names in #include lines. What is generated lies in the room of its path."""
    for line in (root / file).read_text().split("\n"):
        named = re.match(r'\s*#\s*include\s+(["<])([^">]+)[">]', line)
        if not named:
            continue
        for folder in (os.path.dirname(file), "", "include"):
            path = os.path.normpath(os.path.join(folder, named[2]))
            if path in sources:
                yield path
                break
        else:
            if re.search(r"\.(gen\.h|inc)$", named[2]):
                yield named[2]
            elif re.match(r"(lib|runtime|dialect|tools|tenon)/", named[2]):
                sys.exit(f"{file}: includes {named[2]}, which is not there")


def main():
    root = pathlib.Path(sys.argv[1])
    sources = set()
    for folder in ("include", "lib", "runtime", "dialect", "tools"):
        for path in (root / folder).rglob("*"):
            if path.suffix in (".h", ".cpp", ".def"):
                sources.add(str(path.relative_to(root)))
    for file, planted in [("lib/base/Dim.cpp", "lib/array/Buffer.h"), ("include/tenon/ops.h", "include/tenon/jit.h"),
                          ("runtime/program/Plan.h", "lib/trace/Trace.h"), ("lib/ops/Eager.cpp", "lib/compiler/nets/Nets.h"),
                          ("lib/compiler/group/Group.cpp", "lib/jit/Signature.h"), ("lib/new/File.cpp", "lib/base/Dim.h")]:
        if not fault(file, planted):
            sys.exit(f"a planted include goes unseen: {planted} in {file}")
    pairs = [(file, included) for file in sorted(sources) for included in includes(root, file, sources)]
    faults = [text for text in (fault(*pair) for pair in pairs) if text]
    unused = [path for paths in ROOMS for path in paths if not (root / path).exists()]
    print("\n".join(faults + [f"{path}: a room that is not there" for path in unused]))
    print(f"{len(sources)} files, {len(pairs)} includes, {len(faults)} from above")
    sys.exit(bool(faults or unused))


main()
