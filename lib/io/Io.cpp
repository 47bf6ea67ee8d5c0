//===- Io.cpp - arrays in files ---------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tenon/io.h>

#include "lib/array/Buffer.h"
#include "lib/array/Placed.h"
#include "lib/io/Idx.h"
#include "lib/io/Npy.h"

#include <cstring>

using namespace tenon;
using namespace tenon::detail;

static Array toArray(const char *what, const std::string &path, const HostArray &host) {
  if (host.dims.size() > size_t(max_rank))
    throw Error(std::string(what) + ": expected at most " + std::to_string(max_rank) + " axes, got " +
                std::to_string(host.dims.size()) + "\n  file: " + path);
  Shape shape(host.dims);
  Array array = Array::adopt(makeBuffer(host.dtype, {shape.begin(), shape.size()}));
  if (!host.data.empty())
    std::memcpy(array.value()->data, host.data.data(), host.data.size());
  return array;
}

Array tenon::load_npy(const std::string &path, Location at) {
  return placed(at, [&] { return toArray("load_npy", path, readNpy(path)); });
}

Array tenon::load_idx(const std::string &path, Location at) {
  return placed(at, [&] { return toArray("load_idx", path, readIdx(path)); });
}

void tenon::save_npy(const std::string &path, const Array &array, Location at) {
  expectHostReadable(array.value(), "save_npy()", at);
  const Value *value = array.value();
  rt::View view = viewOf(value);
  placed(at, [&] { writeNpy(path, {view.data, view.dtype, {view.dims, view.rank}, {view.strides, view.rank}}); });
}
