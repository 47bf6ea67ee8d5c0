//===- Events.cpp - TensorBoard's messages ----------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/summary/Events.h"

#include <protozero/pbf_writer.hpp>

using namespace tenon;
using protozero::pbf_writer;

namespace {
enum Event : uint32_t { wall_time = 1, event_step = 2, file_version = 3, graph_def = 4, event_summary = 5 };
enum Value : uint32_t { value_tag = 1, value_tensor = 8, value_metadata = 9 };
enum Metadata : uint32_t { plugin_data = 1, summary_description = 3, data_class = 4 };
enum Tensor : uint32_t { tensor_dtype = 1, tensor_shape = 2, tensor_content = 4, float_val = 5, string_val = 8 };
/// DataClass of summary.proto: which kind of reading a plug-in does.
enum DataClass : int32_t { of_scalar = 1, of_tensor = 2, of_blobs = 3 };
enum DataType : int32_t { dt_float = 1, dt_double = 2, dt_string = 7 };

pbf_writer eventOf(std::string &out, double wallTime, int64_t step) {
  pbf_writer event(out);
  event.add_double(wall_time, wallTime);
  if (step != 0) // zero is what is left out
    event.add_int64(event_step, step);
  return event;
}

/// A value with its tag, its tensor, and what shows it. `fill` writes elements into the tensor.
template <class Fill>
std::string valueOf(const summary::Tag &tag, const char *plugin, DataClass kind, DataType dtype,
                    std::initializer_list<int64_t> sizes, const Fill &fill) {
  std::string out;
  pbf_writer value(out);
  value.add_string(value_tag, tag.name.data(), tag.name.size());
  {
    pbf_writer tensor(value, value_tensor);
    tensor.add_enum(tensor_dtype, dtype);
    {
      pbf_writer shape(tensor, tensor_shape);
      for (const int64_t size : sizes)
        pbf_writer(shape, 2).add_int64(1, size);
    }
    fill(tensor);
  }
  pbf_writer metadata(value, value_metadata);
  {
    pbf_writer data(metadata, plugin_data);
    data.add_string(1, plugin);
  }
  if (!tag.description.empty())
    metadata.add_string(summary_description, tag.description.data(), tag.description.size());
  metadata.add_enum(data_class, kind);
  return out;
}
} // namespace

std::string summary::versionEvent(double wallTime) {
  std::string out;
  eventOf(out, wallTime, 0).add_string(file_version, "brain.Event:2");
  return out;
}
std::string summary::summaryEvent(double wallTime, int64_t step, std::string_view value) {
  std::string out;
  pbf_writer event = eventOf(out, wallTime, step);
  pbf_writer summary(event, event_summary);
  summary.add_message(1, value.data(), value.size());
  return out;
}
std::string summary::graphEvent(double wallTime, int64_t step, std::string_view graphDef) {
  std::string out;
  eventOf(out, wallTime, step).add_bytes(graph_def, graphDef.data(), graphDef.size());
  return out;
}

std::string summary::scalarValue(const Tag &tag, float value) {
  return valueOf(tag, "scalars", of_scalar, dt_float, {},
                 [&](pbf_writer &tensor) { tensor.add_packed_float(float_val, &value, &value + 1); });
}
std::string summary::histogramValue(const Tag &tag, std::span<const double> rows) {
  return valueOf(tag, "histograms", of_tensor, dt_double, {static_cast<int64_t>(rows.size() / 3), 3},
                 [&](pbf_writer &tensor) {
                   tensor.add_bytes(tensor_content, reinterpret_cast<const char *>(rows.data()), rows.size_bytes());
                 });
}
std::string summary::imageValue(const Tag &tag, int64_t width, int64_t height, std::span<const std::string> pngs) {
  return valueOf(tag, "images", of_blobs, dt_string, {static_cast<int64_t>(pngs.size() + 2)}, [&](pbf_writer &tensor) {
    tensor.add_bytes(string_val, std::to_string(width));
    tensor.add_bytes(string_val, std::to_string(height));
    for (const std::string &png : pngs)
      tensor.add_bytes(string_val, png);
  });
}
std::string summary::textValue(const Tag &tag, std::string_view text) {
  return valueOf(tag, "text", of_tensor, dt_string, {},
                 [&](pbf_writer &tensor) { tensor.add_bytes(string_val, text.data(), text.size()); });
}
