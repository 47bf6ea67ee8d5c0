//===- KernelTable.cpp - the kernels for the CPU at hand -------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice is made once, at the first use: x86-64-v4, v3, or an error that
// names what is missing.
//===----------------------------------------------------------------------===//
#include "runtime/kernels/cpu/Table.h"
#include "runtime/lapack/Blas.h"
#include "runtime/machine/Cpu.h"
#include "runtime/memory/Memory.h"
#include "runtime/threads/Pool.h"

#include <tenon/error.h>

#include <atomic>
#include <cstdio>

namespace tenon::rt {
namespace {

const KernelTable *chooseTable() {
  warnOfWrongIsa();
  warnOfWrongThreadCount();
  const uint64_t features = hostFeatures();
  if ((features & kFeaturesV4) == kFeaturesV4)
    return &v4::kernelTable;
  return (features & kFeaturesV3) == kFeaturesV3 ? &v3::kernelTable : nullptr;
}

/// Null: this CPU is too old.
const KernelTable *table() {
  static constinit std::atomic<const KernelTable *> chosen;
  const KernelTable *known = chosen.load(std::memory_order_relaxed);
  if (!known) [[unlikely]]
    chosen.store(known = chooseTable(), std::memory_order_relaxed);
  return known;
}

Status refuse(const KernelCall &) { return Status::unsupportedCpu; }

Status printFormat(std::string_view format, std::span<const View>) {
  std::fwrite(format.data(), 1, format.size(), stdout);
  std::fputc('\n', stdout);
  return Status::ok;
}
Printer printer = printFormat;

Status failCheck(const KernelCall &call) {
  throw Error("a check does not hold: " + std::string(CheckAttrs::read(call.attributes).format));
}
Status callNobody(const KernelCall &) {
  throw Error("host_call: expected the process whose function is called, got another one");
}
HostKernel failure = failCheck, hostCall = callNobody;

} // namespace

Kernel kernel(OpCode op) {
  const KernelTable *kernels = table();
  const auto code = static_cast<uint16_t>(op);
  // Both sets have kernels for the same ops.
  const KernelTable &any = kernels ? *kernels : v3::kernelTable;
  if (code >= any.kernelCount || !any.kernels[code])
    return nullptr;
  return kernels ? kernels->kernels[code] : refuse;
}

Kernel compositeKernel(CompositeId id) {
  const KernelTable *kernels = table();
  const auto number = static_cast<size_t>(id);
  if (!v3::kernelTable.composites[number])
    return nullptr;
  return kernels ? kernels->composites[number] : refuse;
}

ElementwiseKernel elementwiseKernel(OpCode op, Dtype dtype, Dtype to) {
  // Each answer once: the way there is as long as adding two small arrays.
  static constexpr size_t opCount = 128;
  static constinit std::atomic<ElementwiseKernel> known[opCount][dtype_count];
  const auto code = static_cast<size_t>(op);
  const bool isKept = code < opCount && to == Dtype::bool_;
  if (isKept)
    if (ElementwiseKernel found = known[code][static_cast<size_t>(dtype)].load(std::memory_order_relaxed)) [[likely]]
      return found;
  const KernelTable *kernels = table();
  ElementwiseKernel found = kernels ? kernels->elementwise(op, dtype, to) : nullptr;
  if (isKept)
    known[code][static_cast<size_t>(dtype)].store(found, std::memory_order_relaxed);
  return found;
}

Status copy(const View &from, const View &to) {
  const KernelTable *kernels = table();
  return kernels ? kernels->copy(from, to) : Status::unsupportedCpu;
}

const BlasTable &blasTable() { return *table()->blas; }

std::string cpuError() {
  const uint64_t missing = kFeaturesV3 & ~hostFeatures();
  if (!missing)
    return "";
  return "expected a CPU of level x86-64-v3 or higher, got one without " + featureNames(missing);
}

void setPrinter(Printer newPrinter) {
  __atomic_store_n(&printer, newPrinter ? newPrinter : printFormat, __ATOMIC_RELEASE);
}
Printer currentPrinter() { return __atomic_load_n(&printer, __ATOMIC_ACQUIRE); }

void setHostKernels(HostKernel fail, HostKernel call) {
  __atomic_store_n(&failure, fail, __ATOMIC_RELEASE);
  __atomic_store_n(&hostCall, call, __ATOMIC_RELEASE);
}
HostKernel currentFailure() { return __atomic_load_n(&failure, __ATOMIC_ACQUIRE); }
HostKernel currentHostCall() { return __atomic_load_n(&hostCall, __ATOMIC_ACQUIRE); }

void *allocateScratch(size_t bytes) { return tryAllocate(bytes); }
void freeScratch(void *block, size_t bytes) { deallocate(block, bytes); }

} // namespace tenon::rt
