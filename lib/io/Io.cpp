//===- Io.cpp - arrays in files ---------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tenon/io.h>

#include "lib/array/Buffer.h"
#include "lib/base/ErrorLocation.h"
#include "lib/io/Csv.h"
#include "lib/io/Elements.h"
#include "lib/io/FileText.h"
#include "lib/io/Idx.h"
#include "lib/io/Npy.h"
#include "lib/io/Npz.h"
#include "lib/io/Safetensors.h"

using namespace tenon;
using namespace tenon::detail;

/// Makes an array of these sizes in `array`; returns where its elements go.
static std::byte *makeRoomIn(Array &array, Dtype dtype, std::span<const int64_t> dims) {
  Shape shape(dims);
  array = Array::adopt(makeBuffer(dtype, {shape.begin(), shape.size()}));
  return static_cast<std::byte *>(array.value()->data);
}

/// The array that `read` fills, in place.
template <class Read>
static Array loaded(const char *what, const std::string &path, Location at, const Read &read) {
  return placed(at, [&] {
    Array array;
    read(path, [&](Dtype dtype, std::span<const int64_t> dims) {
      if (const std::string message = tooManyAxes(dims.size()); !message.empty())
        fileError(what, message, path);
      return makeRoomIn(array, dtype, dims);
    });
    return array;
  });
}

Array tenon::load_npy(const std::string &path, Location at) {
  return loaded("load_npy", path, at, [](auto &file, const MakeRoom &makeRoom) { readNpy(file, makeRoom); });
}
Array tenon::load_idx(const std::string &path, Location at) { return loaded("load_idx", path, at, readIdx); }
Array tenon::load_csv(const std::string &path, CsvOptions options, Location at) {
  return loaded("load_csv", path, at, [&](auto &file, const MakeRoom &makeRoom) { readCsv(file, options, makeRoom); });
}

void tenon::save_npy(const std::string &path, const Array &array, Location at) {
  const Array here = onHost(array.value(), "save_npy()", at);
  placed(at, [&] { writeNpy(path, stridedOf(here)); });
}

void tenon::save_csv(const std::string &path, const Array &array, SaveCsvOptions options, Location at) {
  const Array here = denseOnHost(array, "save_csv()", at);
  placed(at, [&] { writeCsv(path, stridedOf(here), options); });
}

NamedArrays tenon::load_npz(const std::string &path, Location at) {
  return placed(at, [&] {
    NamedArrays arrays;
    readNpz(path, [&](const std::string &name, Dtype dtype, std::span<const int64_t> dims, const InputStream &stream) {
      if (const std::string message = tooManyAxes(dims.size()); !message.empty())
        stream.fail(message);
      return makeRoomIn(arrays[name], dtype, dims);
    });
    return arrays;
  });
}

/// Calls `write` with the elements of all arrays.
template <class Write>
static void writeNamed(const NamedArrays &arrays, const char *what, Location at, const Write &write) {
  NamedArrays here;
  std::map<std::string, StridedData> elements;
  for (const auto &[name, array] : arrays) {
    const Array &dense = here[name] = denseOnHost(array, what, at);
    elements.emplace(name, stridedOf(dense));
  }
  placed(at, [&] { write(elements); });
}

void tenon::save_npz(const std::string &path, const NamedArrays &arrays, NpzOptions options, Location at) {
  writeNamed(arrays, "save_npz()", at, [&](auto &elements) { writeNpz(path, elements, options.compressed); });
}

Safetensors tenon::load_safetensors(const std::string &path, Location at) {
  return placed(at, [&] {
    SafetensorsFile file = readSafetensors("load_safetensors", path);
    Safetensors result{{}, std::move(file.metadata)};
    for (const SafetensorsEntry &entry : file.entries) {
      if (const std::string message = tooManyAxes(entry.dims.size()); !message.empty())
        fileError("load_safetensors", message + "\n  tensor: " + quotedText(entry.name), path);
      const Shape shape{std::span<const int64_t>(entry.dims)};
      // Each array keeps the whole file mapped.
      const Release release{[](void *mapping) { delete static_cast<std::shared_ptr<const FileMapping> *>(mapping); },
                            new std::shared_ptr<const FileMapping>(file.mapping)};
      result.arrays[entry.name] = foreignArray({entry.data.data(), entry.dtype, {shape.begin(), shape.size()}, {}},
                                               release, "load_safetensors", at);
    }
    return result;
  });
}

void tenon::save_safetensors(const std::string &path, const NamedArrays &arrays,
                             const std::map<std::string, std::string> &metadata, Location at) {
  writeNamed(arrays, "save_safetensors()", at, [&](auto &elements) {
    OutputFile file("save_safetensors", path);
    writeSafetensors(file, elements, metadata);
    file.commit();
  });
}
