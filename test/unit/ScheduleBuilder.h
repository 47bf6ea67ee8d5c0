//===- ScheduleBuilder.h - schedules by hand, with C++ functions as kernels ---------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/program/Executor.h"

#include <tuple>

namespace tenon::rt::testing {

/// The code of a size.
struct Extent {
  std::vector<int64_t> code;
  Extent(int64_t value) : code{int64_t(SizeOp::constant), value} {}
  Extent(int value) : Extent(int64_t(value)) {}
  static Extent symbol(int64_t number) {
    Extent size(0);
    size.code = {int64_t(SizeOp::symbol), number};
    return size;
  }
  friend Extent operator+(Extent a, const Extent &b) { return join(std::move(a), b, SizeOp::add); }
  friend Extent operator*(Extent a, const Extent &b) { return join(std::move(a), b, SizeOp::multiply); }
  friend Extent operator/(Extent a, const Extent &b) { return join(std::move(a), b, SizeOp::floorDivide); }

private:
  static Extent join(Extent a, const Extent &b, SizeOp op) {
    a.code.insert(a.code.end(), b.code.begin(), b.code.end());
    a.code.push_back(int64_t(op));
    return a;
  }
};

class BodyBuilder {
public:
  ScheduleBody body;

  uint32_t addSizes(const std::vector<Extent> &sizes) {
    auto first = static_cast<uint32_t>(body.sizes.size());
    for (const Extent &size : sizes) {
      body.sizes.push_back({uint32_t(body.sizeCode.size()), uint32_t(size.code.size())});
      body.sizeCode.insert(body.sizeCode.end(), size.code.begin(), size.code.end());
    }
    return first;
  }
  /// A size as a word of a `dims` attribute.
  Dim attribute(const Extent &size) { return Dim::from_raw(addSizes({size})); }

  SlotId input(const std::vector<Extent> &dims, Dtype dtype = f32) {
    Slot slot{Slot::input, dtype, uint8_t(dims.size())};
    slot.source = static_cast<uint32_t>(body.inputs.size());
    body.inputs.push_back(add(slot, dims));
    return body.inputs.back();
  }
  SlotId temporary(const std::vector<Extent> &dims, Dtype dtype = f32) {
    return add({Slot::temporary, dtype, uint8_t(dims.size())}, dims);
  }
  template <class Attrs>
  SlotId view(OpCode op, SlotId of, const std::vector<Extent> &dims, const Attrs &attrs) {
    Slot slot{Slot::view, body.slots[of].dtype, uint8_t(dims.size()), op};
    slot.source = of;
    std::tie(slot.attributes, slot.attributeCount) = words(attrs);
    return add(slot, dims);
  }

  Step &step(Step::Kind kind, uint32_t target, const std::vector<SlotId> &operands,
             const std::vector<SlotId> &results) {
    Step step;
    step.kind = kind;
    step.target = target;
    step.operands = static_cast<uint32_t>(body.slotIds.size());
    step.operandCount = static_cast<uint32_t>(operands.size());
    step.resultCount = static_cast<uint32_t>(results.size());
    body.slotIds.insert(body.slotIds.end(), operands.begin(), operands.end());
    body.slotIds.insert(body.slotIds.end(), results.begin(), results.end());
    body.steps.push_back(step);
    return body.steps.back();
  }
  void launch(uint32_t kernel, const std::vector<SlotId> &operands, const std::vector<SlotId> &results,
              const std::vector<Extent> &sizes, const std::vector<int64_t> &immediates = {}) {
    Step &made = step(Step::launch, kernel, operands, results);
    made.sizes = addSizes(sizes);
    made.sizeCount = static_cast<uint32_t>(sizes.size());
    made.attributes = static_cast<uint32_t>(body.attributes.size());
    made.attributeCount = static_cast<uint32_t>(immediates.size());
    body.attributes.insert(body.attributes.end(), immediates.begin(), immediates.end());
  }
  void library(OpCode op, const std::vector<SlotId> &operands, const std::vector<SlotId> &results) {
    step(opInfo(op).lowering == Lowering::effect ? Step::host : Step::library, uint32_t(op), operands, results);
  }
  Step &region(OpCode op, const std::vector<uint32_t> &bodies, const std::vector<SlotId> &operands,
               const std::vector<SlotId> &results) {
    Step &made = step(Step::region, uint32_t(op), operands, results);
    made.bodies = static_cast<uint32_t>(body.bodies.size());
    made.bodyCount = static_cast<uint32_t>(bodies.size());
    body.bodies.insert(body.bodies.end(), bodies.begin(), bodies.end());
    return made;
  }
  template <class Attrs>
  Step &region(OpCode op, const std::vector<uint32_t> &bodies, const std::vector<SlotId> &operands,
               const std::vector<SlotId> &results, const Attrs &attrs) {
    return withAttributes(region(op, bodies, operands, results), attrs);
  }
  template <class Attrs>
  Step &withAttributes(Step &step, const Attrs &attrs) {
    std::tie(step.attributes, step.attributeCount) = words(attrs);
    return step;
  }

private:
  SlotId add(Slot slot, const std::vector<Extent> &dims) {
    slot.dims = addSizes(dims);
    body.slots.push_back(slot);
    return static_cast<SlotId>(body.slots.size() - 1);
  }
  template <class Attrs>
  std::pair<uint32_t, uint32_t> words(const Attrs &attrs) {
    AttrWriter writer;
    attrs.write(writer);
    auto begin = static_cast<uint32_t>(body.attributes.size());
    body.attributes.insert(body.attributes.end(), writer.words().begin(), writer.words().end());
    return {begin, uint32_t(writer.words().size())};
  }
};

/// A view of dense f32 (or other) data that owns its dims.
struct Tensor {
  std::vector<int64_t> dims, strides;
  std::vector<float> data;
  Dtype dtype = f32;
  explicit Tensor(std::vector<int64_t> sizes, float first = 0, float step = 1) : dims(std::move(sizes)) {
    size_t count = 1;
    for (int64_t dim : dims)
      count *= static_cast<size_t>(dim);
    for (size_t i = 0; i < count; ++i)
      data.push_back(first + step * static_cast<float>(i));
    strides.resize(dims.size());
    for (size_t i = dims.size(), stride = 1; i-- > 0; stride *= static_cast<size_t>(dims[i]))
      strides[i] = static_cast<int64_t>(stride);
  }
  View view() const {
    return {const_cast<float *>(data.data()), dtype, uint8_t(dims.size()), dims.data(), strides.data()};
  }
};

} // namespace tenon::rt::testing
