//===- Npz.cpp - NumPy's .npz files ----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/io/Npz.h"

#include "lib/io/FileText.h"
#include "lib/io/Npy.h"
#include "lib/io/Zip.h"
#include "lib/program/Log.h"

using namespace tenon;
using namespace tenon::detail;

static constexpr std::string_view suffix = ".npy";

void detail::readNpz(const std::string &path, const MakeNamedRoom &makeRoom) {
  InputFile file("load_npz", path);
  for (const ZipMember &member : readZipDirectory(file)) {
    if (!member.name.ends_with(suffix))
      file.fail("expected members named NAME.npy, got " + quotedText(member.name));
    const std::string name = member.name.substr(0, member.name.size() - suffix.size());
    ZipStream stream(file, member);
    const std::string skipped = readNpy(
        stream, [&](Dtype dtype, std::span<const int64_t> dims) { return makeRoom(name, dtype, dims, stream); }, true);
    if (!skipped.empty())
      logLine(LogTopic::warning, "load_npz: skipped " + quotedText(name) + " of " + path +
                                     ": expected numbers that a dtype has, got " + skipped);
    stream.finish();
  }
}

void detail::writeNpz(const std::string &path, const std::map<std::string, StridedData> &arrays, bool compressed) {
  OutputFile file("save_npz", path);
  ZipWriter writer(file);
  for (const auto &[name, array] : arrays) {
    size_t size = item_size(array.dtype);
    for (int64_t dim : array.dims)
      size *= static_cast<size_t>(dim);
    const std::string header = npyHeader(array);
    const std::span<const std::byte> parts[] = {std::as_bytes(std::span(header)),
                                                {static_cast<const std::byte *>(array.data), size}};
    writer.add(name + std::string(suffix), parts, compressed);
  }
  writer.finish();
  file.commit();
}
