//===- Program.h - one compiled, or interpreted, program -------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/program/Programs.h"
#include "runtime/program/Executor.h"

#include <tenon/program.h>

#include <atomic>
#include <bitset>

namespace tenon {

class Program {
public:
  /// Some of a run's first inputs, by number.
  using Donors = std::bitset<256>;
  using Outputs = detail::InlineVector<Array, 4>;

  /// Null, and the reason in `error`, if the blob is not one or cannot run here.
  static ProgramRef fromBlob(std::span<const std::byte> blob, std::string &error);
  /// The program in a file that save_blob wrote. An Error names the file.
  static ProgramRef fromFile(const std::string &path);
  static ProgramRef interpreted(TraceRef trace);

  void retain() { __atomic_fetch_add(&references_, 1, __ATOMIC_RELAXED); }
  void release() {
    if (__atomic_fetch_sub(&references_, 1, __ATOMIC_ACQ_REL) == 1)
      delete this;
  }
  ~Program();

  /// Runs it on buffers; `outputs` is empty before. The `donors`: nobody but the caller's handle and
  /// `inputs[i]` holds input i, and its buffer may be written; afterwards those
  /// that were: the caller's handles must go. `areAsTraced`: the caller knows that the inputs
  /// are of the trace's types, whose sizes are numbers, and dense.
  void run(std::span<const Array> inputs, Donors &donors, const Location &at, Outputs &outputs,
           bool areAsTraced = false) {
    executable_ ? runCompiled(inputs, donors, at, outputs, areAsTraced) : interpret(inputs, donors, at, outputs);
  }
  bool isCompiled() const { return executable_ != nullptr; }
  /// Whether it runs on inputs of these sizes.
  bool accepts(std::span<const Array> inputs);
  /// The bytes that fromBlob loads this program from; empty if there are none at hand.
  std::span<const std::byte> blob() const { return std::as_bytes(std::span(blob_)); }
  void keepBlob(std::string blob) {
    blob_ = std::move(blob);
    bytes_ += blob_.size();
  }
  /// The trace that it was compiled from, for errors, and where its values are.
  void keepTrace(TraceRef trace, Device device) {
    trace_ = std::move(trace);
    device_ = device;
  }
  /// What it does, as a program of `trace`, ops aside.
  ProgramCost cost(const Trace &trace);
  /// What the cache counts.
  size_t bytes() const { return bytes_; }

private:
  Program() = default;
  static ProgramRef of(std::unique_ptr<rt::Executable> executable);
  void runCompiled(std::span<const Array> inputs, Donors &donors, const Location &at, Outputs &outputs,
                   bool areAsTraced);
  /// The buffers of a run's outputs, in place of donors where they may be: those are `reused`.
  static void makeOutputs(const rt::Plan &plan, std::span<const Array> inputs, const Donors &donors,
                          const rt::DeviceTable &table, const Location &at, Outputs &outputs, Donors &reused);
  /// Whether it has guards, which come before what takes memory where the trace is interpreted.
  bool hasGuards() const;
  /// Of the device where it runs.
  const rt::DeviceTable &tableFor(std::span<const Array> inputs, const Location &at) const;
  rt::PlanRef planFor(std::span<const Array> inputs, const rt::DeviceTable &table, Location at);
  void interpret(std::span<const Array> inputs, Donors &donors, const Location &at, Outputs &outputs);
  uint32_t references_ = 1;
  size_t bytes_ = 0;
  std::string blob_;
  /// The trace; null if the program was loaded. It is interpreted if there is no
  /// executable.
  TraceRef trace_;
  /// Where it runs; a loaded one where its inputs are.
  std::optional<Device> device_;
  std::unique_ptr<rt::Executable> executable_;
  /// The executable's first plan, if it is that of inputs as they were traced.
  std::atomic<rt::Plan *> tracedPlan_ = nullptr;
};

} // namespace tenon
