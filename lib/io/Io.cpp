//===- Io.cpp - arrays in files ---------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tenon/io.h>

#include "lib/array/Buffer.h"
#include "lib/base/ErrorLocation.h"
#include "lib/io/Idx.h"
#include "lib/io/Npy.h"

using namespace tenon;
using namespace tenon::detail;

/// The array that `read` fills, in place.
static Array loaded(const char *what, const std::string &path, Location at,
                    void (*read)(const std::string &, const MakeRoom &)) {
  return placed(at, [&] {
    Array array;
    read(path, [&](Dtype dtype, std::span<const int64_t> dims) {
      if (dims.size() > size_t(max_rank))
        throw Error(std::string(what) + ": expected at most " + std::to_string(max_rank) + " axes, got " +
                    std::to_string(dims.size()) + "\n  file: " + path);
      Shape shape(dims);
      array = Array::adopt(makeBuffer(dtype, {shape.begin(), shape.size()}));
      return static_cast<std::byte *>(array.value()->data);
    });
    return array;
  });
}

Array tenon::load_npy(const std::string &path, Location at) { return loaded("load_npy", path, at, readNpy); }
Array tenon::load_idx(const std::string &path, Location at) { return loaded("load_idx", path, at, readIdx); }

void tenon::save_npy(const std::string &path, const Array &array, Location at) {
  const Array here = onHost(array.value(), "save_npy()", at);
  rt::View view = viewOf(here.value());
  placed(at, [&] { writeNpy(path, {view.data, view.dtype, {view.dims, view.rank}, {view.strides, view.rank}}); });
}
