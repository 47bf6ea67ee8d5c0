//===- ProgramRunner.h - kernels, schedules and calls for tests of programs -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/device/Null.h"
#include "test/unit/ScheduleBuilder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace tenon::rt::testing {

inline const Extent n = Extent::symbol(0);
inline uint32_t cancelFlag = 0;

//===----------------------------------------------------------------------===//
// Kernels. Sizes come first in the words: words[0] is the extent.
//===----------------------------------------------------------------------===//

inline const float *in(const KernelArgs *args, int i) { return static_cast<const float *>(args->buffers[i]); }
inline float *out(const KernelArgs *args, int i) { return static_cast<float *>(args->buffers[i]); }

inline int32_t addKernel(const KernelArgs *args, int64_t lo, int64_t hi) {
  for (int64_t i = lo; i < hi; ++i)
    out(args, 2)[i] = in(args, 0)[i] + in(args, 1)[i];
  return 0;
}
/// y = x * words[1] + words[2]
inline int32_t affineKernel(const KernelArgs *args, int64_t lo, int64_t hi) {
  for (int64_t i = lo; i < hi; ++i)
    out(args, 1)[i] = in(args, 0)[i] * static_cast<float>(args->words[1]) + static_cast<float>(args->words[2]);
  return 0;
}
/// holds = x < words[1]
inline int32_t lessKernel(const KernelArgs *args, int64_t, int64_t) {
  *static_cast<bool *>(args->buffers[1]) = in(args, 0)[0] < static_cast<float>(args->words[1]);
  return 0;
}
inline int32_t failKernel(const KernelArgs *, int64_t, int64_t) { return 3; }
inline int32_t cancelKernel(const KernelArgs *args, int64_t lo, int64_t hi) {
  __atomic_store_n(&cancelFlag, 1, __ATOMIC_RELAXED);
  for (int64_t i = lo; i < hi; ++i)
    out(args, 1)[i] = in(args, 0)[i];
  return 0;
}
/// Row i is the sum of row i, by way of scratch: words are rows, columns.
inline int32_t rowSumKernel(const KernelArgs *args, int64_t lo, int64_t hi) {
  auto *scratch = static_cast<float *>(args->scratch);
  for (int64_t i = lo; i < hi; ++i) {
    std::copy_n(in(args, 0) + i * args->words[1], args->words[1], scratch);
    out(args, 1)[i] = 0;
    for (int64_t k = 0; k < args->words[1]; ++k)
      out(args, 1)[i] += scratch[k];
  }
  return reinterpret_cast<uintptr_t>(scratch) % 64 == 0 ? 0 : 3;
}
/// y[i] = x[i] + b[0]
inline int32_t addFirstKernel(const KernelArgs *args, int64_t lo, int64_t hi) {
  for (int64_t i = lo; i < hi; ++i)
    out(args, 2)[i] = in(args, 0)[i] + in(args, 1)[0];
  return 0;
}
/// The first item of each chunk is the chunk's size, the others are 0.
inline int32_t chunkSizesKernel(const KernelArgs *args, int64_t lo, int64_t hi) {
  for (int64_t i = lo; i < hi; ++i)
    out(args, 1)[i] = i == lo ? static_cast<float>(hi - lo) : 0;
  return 0;
}
enum KernelNumber : uint32_t { kAdd, kAffine, kLess, kFail, kCancel, kRowSum, kAddFirst, kChunkSizes };

inline std::vector<KernelFunction> allKernels() {
  return {addKernel,    affineKernel, lessKernel,     failKernel,
          cancelKernel, rowSumKernel, addFirstKernel, chunkSizesKernel};
}

/// Library steps: strided, like the eager ones.
inline Status negateLibrary(const KernelCall &call) {
  const View &x = call.operands[0];
  auto *to = static_cast<float *>(call.results[0].data);
  for (int64_t i = 0; i < x.count(); ++i) {
    int64_t rest = i, offset = 0;
    for (int axis = x.rank - 1; axis >= 0; --axis) {
      offset += rest % x.dims[axis] * x.strides[axis];
      rest /= x.dims[axis];
    }
    to[i] = -static_cast<const float *>(x.data)[offset];
  }
  return Status::ok;
}
inline Status fullLibrary(const KernelCall &call) {
  FullAttrs a = FullAttrs::read(call.attributes);
  int64_t count = 1;
  for (Dim dim : a.shape)
    count *= dim.raw();
  EXPECT_EQ(count, call.results[0].count());
  std::fill_n(static_cast<float *>(call.results[0].data), count, static_cast<float>(a.value.asDouble()));
  return Status::ok;
}
inline Status outOfMemoryLibrary(const KernelCall &) { return Status::outOfMemory; }
inline Status throwingPrint(const KernelCall &) { throw std::runtime_error("from the host"); }

inline Kernel testLibrary(OpCode op) {
  switch (op) {
  case OpCode::negative:
    return negateLibrary;
  case OpCode::full:
    return fullLibrary;
  case OpCode::exp:
    return outOfMemoryLibrary;
  case OpCode::print:
    return throwingPrint;
  default:
    return nullptr;
  }
}

inline Schedule scheduleOf(std::vector<ScheduleBody> bodies, size_t symbols = 0) {
  Schedule schedule;
  schedule.schedules = std::move(bodies);
  for (const char *name : {"add", "affine", "less", "fail", "cancel", "row_sum", "add_first", "chunk_sizes"})
    schedule.kernels.emplace_back().name = name;
  schedule.kernels[kAdd].inPlace = {{0, 0}, {1, 0}};
  schedule.kernels[kAffine].inPlace = {{0, 0}};
  schedule.kernels[kAddFirst].inPlace = {{0, 0}};
  schedule.kernels[kLess].extent = KernelInfo::wholeExtent;
  schedule.kernels[kFail].canFail = true;
  schedule.kernels[kRowSum].scratchPerItem = 4;
  schedule.kernels[kRowSum].scratchSize = 1;
  for (uint32_t i = 0; i < symbols; ++i)
    schedule.symbols.push_back({std::string(1, char('n' + i)), i, 0});
  schedule.locations = {"model.cpp:7:3"};
  return schedule;
}

/// A program, run as the library above would.
struct Runner {
  std::unique_ptr<Executable> program;
  RunReport report;
  PlanRef plan;
  std::vector<Tensor> results;

  explicit Runner(const Schedule &schedule) {
    Schedule read;
    EXPECT_EQ(parse(serialize(schedule), read), "");
    EXPECT_EQ(read, schedule);
    std::string error;
    program = Executable::make(std::move(read), allKernels(), testLibrary, error);
    EXPECT_TRUE(program) << error;
  }
  explicit Runner(std::vector<ScheduleBody> bodies, size_t symbols = 0)
      : Runner(scheduleOf(std::move(bodies), symbols)) {}

  std::string planFor(const std::vector<Tensor> &inputs) {
    std::vector<View> views;
    for (const Tensor &input : inputs)
      views.push_back(input.view());
    std::string error;
    plan = program->plan(views, error);
    return error;
  }
  Status run(std::vector<Tensor> &inputs, const uint32_t *cancel = nullptr, bool donate = false) {
    EXPECT_EQ(planFor(inputs), "");
    results.clear();
    report = {};
    std::vector<void *> from, to;
    for (Tensor &input : inputs)
      from.push_back(input.data.data());
    for (const PlannedOutput &output : plan->outputs) {
      Tensor &result = results.emplace_back(std::vector<int64_t>(output.dims.begin(), output.dims.end()), -99.f, 0.f);
      result.dtype = output.dtype;
      if (output.kind == PlannedOutput::input)
        result.data = inputs[output.source].data;
    }
    for (size_t i = 0; i < results.size(); ++i)
      to.push_back(donate && plan->outputs[i].donor != PlannedOutput::noDonor ? from[plan->outputs[i].donor]
                                                                              : results[i].data.data());
    return program->run(*plan, from, to, cancel, report);
  }
  std::vector<float> operator()(std::vector<Tensor> inputs) {
    EXPECT_EQ(run(inputs), Status::ok);
    expectSameOnNull(inputs);
    return results.empty() ? std::vector<float>() : results[0].data;
  }

  /// The same on a device whose memory the host cannot touch, by its own kernels.
  void expectSameOnNull(const std::vector<Tensor> &inputs) {
    std::string error;
    auto again = Executable::make(program->schedule(), allKernels(), testLibrary, error);
    std::vector<View> views;
    for (const Tensor &input : inputs)
      views.push_back(input.view());
    const PlanRef there = again->plan(views, error, nullDevice);
    ASSERT_TRUE(there) << error;
    EXPECT_EQ(again->plan(views, error, nullDevice).operator->(), there.operator->());
    EXPECT_NE(again->plan(views, error).operator->(), there.operator->());
    std::vector<void *> from, to;
    Stream *stream = nullDevice.streams->ofThread();
    auto make = [&](size_t bytes, const void *content) {
      void *memory = nullDevice.allocate(bytes, nullptr);
      EXPECT_EQ(nullDevice.toDevice(stream, memory, content, bytes), Status::ok);
      return memory;
    };
    for (const Tensor &input : inputs)
      from.push_back(make(input.data.size() * sizeof(float), input.data.data()));
    for (const PlannedOutput &output : there->outputs)
      to.push_back(output.kind == PlannedOutput::input ? from[output.source]
                                                       : make(output.bytes, std::vector<char>(output.bytes).data()));
    RunReport said;
    EXPECT_EQ(again->run(*there, from, to, nullptr, said), Status::ok);
    EXPECT_EQ(nullDevice.streams->finish(stream).status, Status::ok);
    for (size_t i = 0; i < to.size(); ++i) {
      const PlannedOutput &output = there->outputs[i];
      std::vector<float> got(results[i].data);
      nullDevice.toHost(got.data(), to[i], output.bytes);
      EXPECT_EQ(got, results[i].data) << "result " << i << " on null:0";
      if (output.kind != PlannedOutput::input)
        nullDevice.deallocate(to[i], output.bytes);
    }
    for (size_t i = 0; i < inputs.size(); ++i)
      nullDevice.deallocate(from[i], inputs[i].data.size() * sizeof(float));
  }
};

inline std::vector<float> iota(size_t count, float first = 0, float step = 1) {
  return Tensor({int64_t(count)}, first, step).data;
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

/// y = (x + x) * 3 + 1 over any n.
inline BodyBuilder chain() {
  BodyBuilder b;
  SlotId x = b.input({n}), sum = b.temporary({n}), y = b.temporary({n});
  b.launch(kAdd, {x, x}, {sum}, {n});
  b.launch(kAffine, {sum}, {y}, {n}, {3, 1});
  b.body.outputs = {y};
  return b;
}

/// while x[0] < bound: x, k = x * 2 + 1, k; carries a constant k along.
inline Schedule whileSchedule(int64_t bound) {
  BodyBuilder b;
  SlotId x = b.input({n}), k = b.input({n}), y = b.temporary({n}), kept = b.temporary({n});
  b.region(OpCode::while_loop, {1, 2}, {x, k}, {y, kept}, WhileLoopAttrs{0, 0});
  b.body.outputs = {y, kept};
  BodyBuilder test;
  SlotId tx = test.input({n});
  test.input({n});
  SlotId holds = test.temporary({}, bool_);
  test.launch(kLess, {tx}, {holds}, {n}, {bound});
  test.body.outputs = {holds};
  BodyBuilder body;
  SlotId bx = body.input({n}), bk = body.input({n}), by = body.temporary({n});
  body.launch(kAffine, {bx}, {by}, {n}, {2, 1});
  body.body.outputs = {by, bk};
  return scheduleOf({b.body, test.body, body.body}, 1);
}

/// carry' = carry + x[i]; y[i] = carry'; z[i] = x[i] + const.
inline Schedule scanSchedule(bool reverse, const Extent &rounds = n) {
  const Extent length = n, width = Extent::symbol(1);
  BodyBuilder b;
  SlotId xs = b.input({length, width}), init = b.input({width}), constant = b.input({width});
  SlotId carry = b.temporary({width}), ys = b.temporary({length, width}), zs = b.temporary({length, width});
  Dim lengths[] = {b.attribute(rounds)};
  b.region(OpCode::scan, {1}, {constant, init, xs}, {carry, ys, zs}, ScanAttrs{lengths, 1, 1, reverse});
  b.body.outputs = {carry, ys, zs};
  BodyBuilder body;
  SlotId c = body.input({width}), state = body.input({width}), x = body.input({width});
  SlotId next = body.temporary({width}), z = body.temporary({width});
  body.launch(kAdd, {state, x}, {next}, {width});
  body.launch(kAdd, {x, c}, {z}, {width});
  body.body.outputs = {next, next, z};
  Schedule schedule = scheduleOf({b.body, body.body});
  schedule.symbols = {{"length", 0, 0}, {"width", 0, 1}};
  return schedule;
}

} // namespace tenon::rt::testing
