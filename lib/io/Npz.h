//===- Npz.h - NumPy's .npz files -----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A zip archive whose members are .npy files, named NAME.npy.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/array/StridedData.h"
#include "lib/io/HostArray.h"

#include <map>
#include <string>

namespace tenon::detail {

/// Reads all members in the order of the archive; `makeRoom` is told the array's name and
/// who to blame. Throws Error with the path and the member.
using MakeNamedRoom = std::function<std::byte *(const std::string &name, Dtype dtype, std::span<const int64_t> dims,
                                                const InputStream &stream)>;
void readNpz(const std::string &path, const MakeNamedRoom &makeRoom);

/// Writes dense arrays through a temporary name: the bytes of numpy.savez, in the order
/// of the names, or deflated.
void writeNpz(const std::string &path, const std::map<std::string, StridedData> &arrays, bool compressed);

} // namespace tenon::detail
