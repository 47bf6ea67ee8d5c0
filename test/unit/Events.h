//===- Events.h - reading TensorBoard's files ---------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/data.h>

#include <protozero/pbf_reader.hpp>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace tenon::test {

/// An event with a value of a summary.
struct Event {
  int64_t step = 0;
  std::string name;
  double number = 0;                ///< of a scalar
  std::vector<double> rows;         ///< of a histogram
  std::vector<std::string> strings; ///< of images and texts
};

inline void readTensor(protozero::pbf_reader tensor, Event &event) {
  while (tensor.next())
    if (tensor.tag() == 5) {
      for (const float value : tensor.get_packed_float())
        event.number = value;
    } else if (tensor.tag() == 4) {
      const std::string bytes = tensor.get_string();
      event.rows.resize(bytes.size() / sizeof(double));
      std::memcpy(event.rows.data(), bytes.data(), bytes.size());
    } else if (tensor.tag() == 8) {
      event.strings.push_back(tensor.get_string());
    } else {
      tensor.skip();
    }
}
inline void readValue(protozero::pbf_reader value, Event &event) {
  while (value.next())
    if (value.tag() == 1)
      event.name = value.get_string();
    else if (value.tag() == 8)
      readTensor(value.get_message(), event);
    else
      value.skip();
}

/// The summaries of a file, in order.
inline std::vector<Event> eventsOf(const std::string &path) {
  std::vector<Event> events;
  bool isFirst = true;
  for (const std::string &record : data::tfrecord(path)) {
    protozero::pbf_reader reader(record);
    Event event;
    bool hasSummary = false;
    while (reader.next())
      if (reader.tag() == 2) {
        event.step = reader.get_int64();
      } else if (reader.tag() == 5) {
        hasSummary = true;
        protozero::pbf_reader summary = reader.get_message();
        while (summary.next(1))
          readValue(summary.get_message(), event);
      } else {
        reader.skip();
      }
    if (hasSummary)
      events.push_back(event);
    else if (!isFirst)
      events.push_back({event.step, "graph", 0, {}, {}});
    isFirst = false;
  }
  return events;
}
/// `NAME@STEP=NUMBER` of each, with spaces between.
inline std::string textOf(const std::vector<Event> &events) {
  std::string text;
  for (const Event &event : events)
    text +=
        (text.empty() ? "" : " ") + event.name + "@" + std::to_string(event.step) + "=" + Scalar(event.number).str();
  return text;
}
inline std::vector<std::string> filesOf(const std::filesystem::path &folder) {
  std::vector<std::string> files;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    files.push_back(entry.path().string());
  return files;
}

} // namespace tenon::test
