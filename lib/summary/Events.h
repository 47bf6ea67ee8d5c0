//===- Events.h - TensorBoard's messages ------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Protocol buffers as TensorFlow 2 writes them: event.proto, summary.proto, tensor.proto, graph.proto.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/lowered.h>

#include <span>
#include <string>
#include <string_view>

namespace tenon::summary {

/// The event that a file begins with.
std::string versionEvent(double wallTime);
/// An event with one value of a summary, as below.
std::string summaryEvent(double wallTime, int64_t step, std::string_view value);
std::string graphEvent(double wallTime, int64_t step, std::string_view graphDef);

struct Tag {
  std::string_view name, description;
};
std::string scalarValue(const Tag &tag, float value);
/// `rows`: left edge, right edge and count of each bucket.
std::string histogramValue(const Tag &tag, std::span<const double> rows);
/// PNG files of one size.
std::string imageValue(const Tag &tag, int64_t width, int64_t height, std::span<const std::string> pngs);
std::string textValue(const Tag &tag, std::string_view text);

/// A GraphDef of a traced function.
std::string graphDef(const TracedFunction &function);

} // namespace tenon::summary
