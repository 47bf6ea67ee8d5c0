//===- Frames.cpp - the frames of rules in locations ------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/transform/Frames.h"

#include "lib/base/Lasting.h"

#include <algorithm>
#include <memory>
#include <string>

using namespace tenon;

namespace {
class FrameNames {
public:
  explicit FrameNames(const std::string &transformation) {
    for (const OpInfo &info : allOps()) {
      ops_.resize(std::max<size_t>(ops_.size(), info.code + 1u));
      ops_[info.code] = transformation + "(" + info.name + ")";
    }
    for (const CompositeInfo &info : allComposites())
      composites_.push_back(transformation + "(" + info.name + ")");
  }
  const char *of(OpCode op, const CompositeInfo *composite) const {
    return composite ? composites_[static_cast<size_t>(idOf(*composite))].c_str()
                     : ops_[static_cast<size_t>(op)].c_str();
  }

private:
  /// By op code, and by id.
  std::vector<std::string> ops_, composites_;
};
} // namespace

const char *tenon::gradFrame(OpCode op, const CompositeInfo *composite) {
  static constinit rt::Lasting<FrameNames> names;
  return names.get([] { return new FrameNames("grad"); }).of(op, composite);
}

const char *tenon::jvpFrame(OpCode op, const CompositeInfo *composite) {
  static constinit rt::Lasting<FrameNames> names;
  return names.get([] { return new FrameNames("jvp"); }).of(op, composite);
}
