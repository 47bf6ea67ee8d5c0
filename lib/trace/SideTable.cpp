//===- SideTable.cpp - names and locations beside a trace -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/SideTable.h"
#include "lib/trace/Bytes.h"

#include <tenon/error.h>

#include <set>

using namespace tenon;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {
struct TextWriter {
  std::vector<std::byte> bytes;
  void number(uint32_t value) {
    auto *raw = reinterpret_cast<const std::byte *>(&value);
    bytes.insert(bytes.end(), raw, raw + 4);
  }
  void text(std::string_view value) {
    number(static_cast<uint32_t>(value.size()));
    auto *raw = reinterpret_cast<const std::byte *>(value.data());
    bytes.insert(bytes.end(), raw, raw + value.size());
  }
};
} // namespace

static void writeBody(const Trace &trace, TextWriter &out) {
  const TraceBody &body = trace.body();
  out.text(body.name);
  out.number(static_cast<uint32_t>(body.locations.size()));
  for (const TraceLocation &location : body.locations) {
    out.text(location.file);
    out.number(location.line);
    out.number(location.column);
    out.number(static_cast<uint32_t>(location.scopes.size()));
    for (const std::string &scope : location.scopes)
      out.text(scope);
  }
  out.number(static_cast<uint32_t>(body.opLocations.size()));
  for (uint32_t location : body.opLocations)
    out.number(location);
  for (const TraceRef &region : body.regions)
    writeBody(*region, out);
}

std::vector<std::byte> Trace::sideTable() const {
  TextWriter out;
  std::vector<std::string> names = symbolNames(*this);
  out.number(static_cast<uint32_t>(names.size()));
  for (const std::string &name : names)
    out.text(name);
  writeBody(*this, out);
  return std::move(out.bytes);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

uint32_t SideTableReader::number() {
  if (bytes_.size() - at_ < 4)
    throw Error("trace side table: expected 4 more bytes at offset " + std::to_string(at_) + ", got the end");
  uint32_t value;
  std::memcpy(&value, bytes_.data() + at_, 4);
  at_ += 4;
  return value;
}

uint32_t SideTableReader::count(size_t least) {
  uint32_t value = number();
  if (value > (bytes_.size() - at_) / least)
    throw Error("trace side table: a count of " + std::to_string(value) + " at offset " + std::to_string(at_ - 4) +
                " is beyond the end");
  return value;
}

std::string SideTableReader::text() {
  uint32_t size = count(1);
  std::string value(reinterpret_cast<const char *>(bytes_.data()) + at_, size);
  at_ += size;
  return value;
}

std::vector<std::string> SideTableReader::symbolNames() {
  std::vector<std::string> names;
  std::set<std::string> known;
  for (uint32_t symbols = count(4); symbols; --symbols) {
    std::string name = text();
    // One name is one symbol; Dim refuses a name that is no word.
    if (!known.insert(name).second)
      throw Error("trace side table: the name '" + name + "' stands for two sizes");
    names.push_back(std::move(name));
  }
  return names;
}

void SideTableReader::readBody(TraceBody &body, int depth) {
  if (depth > 200)
    throw Error("trace side table: nested too deeply");
  body.name = text();
  uint32_t locations = count(16);
  body.locations.clear();
  for (uint32_t i = 0; i < locations; ++i) {
    TraceLocation location;
    location.file = text();
    location.line = number();
    location.column = number();
    for (uint32_t scopes = count(4); scopes; --scopes)
      location.scopes.push_back(text());
    body.locations.push_back(std::move(location));
  }
  uint32_t ops = count(4);
  if (ops != 0 && ops != body.ops.size())
    throw Error("trace side table: expected locations of " + std::to_string(body.ops.size()) + " ops, got " +
                std::to_string(ops));
  body.opLocations.clear();
  for (uint32_t i = 0; i < ops; ++i) {
    uint32_t location = number();
    if (location >= locations)
      throw Error("trace side table: expected the number of a location below " + std::to_string(locations) + ", got " +
                  std::to_string(location));
    body.opLocations.push_back(location);
  }
  for (TraceRef &region : body.regions) {
    // Traces are frozen, so nested ones are made anew with their locations.
    TraceBody nested = region->body();
    readBody(nested, depth + 1);
    region = Trace::make(std::move(nested));
  }
}

void SideTableReader::addLocations(TraceBody &body) {
  readBody(body, 0);
  if (at_ != bytes_.size())
    throw Error("trace side table: expected the end at offset " + std::to_string(at_));
}
