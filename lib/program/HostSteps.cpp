//===- HostSteps.cpp - what is seen from outside of programs ------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/HostSteps.h"

#include "dialect/model/Format.h"
#include "lib/array/Buffer.h"
#include "lib/array/Text.h"
#include "lib/base/ErrorLocation.h"
#include "lib/base/FloatingPoint.h"
#include "lib/program/OutsideOfPrograms.h"
#include "lib/trace/Guard.h"
#include "lib/trace/HostFunction.h"
#include "lib/trace/State.h"
#include "lib/trace/Tapes.h"

#include <cstdio>

using namespace tenon;
using namespace tenon::detail;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// A buffer with the elements of the view.
static Array arrayOf(const rt::View &view) {
  Array array = Array::adopt(makeBuffer(view.dtype, {reinterpret_cast<const Dim *>(view.dims), view.rank}));
  if (rt::copy(view, viewOf(array.value())) != rt::Status::ok)
    throw Error(rt::cpuError());
  return array;
}

static std::string textOf(const rt::View &view, std::string_view spec) {
  const StridedData data{view.data, view.dtype, {view.dims, view.rank}, {view.strides, view.rank}};
  return spec.empty() ? arrayText(data, print_options())
                      : arrayText(data, print_options(), "{:" + std::string(spec) + "}");
}

/// `format` with the arrays in place of its fields, or behind it. The shape rule has checked it.
static std::string textOf(std::string_view format, std::span<const rt::View> arrays) {
  std::vector<FormatPart> parts;
  splitFormat(format, parts);
  std::string text;
  size_t next = 0;
  for (const FormatPart &part : parts)
    text += part.isField ? textOf(arrays[next++], part.text) : std::string(part.text);
  for (; next < arrays.size(); ++next)
    text += (text.empty() ? "" : " ") + textOf(arrays[next], "");
  return text;
}

static rt::Status printArrays(std::string_view format, std::span<const rt::View> arrays) {
  const std::string line = textOf(format, arrays) + "\n";
  fwrite(line.data(), 1, line.size(), stdout);
  fflush(stdout);
  return rt::Status::ok;
}

/// Whether all elements along the axes from `axis` on are true; else `index` is the first that is not.
static bool isTrue(const rt::View &x, int axis, const bool *at, int64_t *index) {
  if (axis == x.rank)
    return *at;
  for (index[axis] = 0; index[axis] < x.dims[axis]; ++index[axis])
    if (!isTrue(x, axis + 1, at + index[axis] * x.strides[axis], index))
      return false;
  return true;
}

static rt::Status failCheck(const rt::KernelCall &call) {
  const auto [format, examples] = CheckAttrs::read(call.attributes);
  const rt::View &condition = call.operands[0];
  int64_t index[max_rank] = {};
  isTrue(condition, 0, static_cast<const bool *>(condition.data), index);
  // Of several examples the arrays of the first that fails.
  const auto axes = static_cast<uint8_t>(examples);
  std::vector<rt::View> arrays(call.operands.begin() + 1, call.operands.end());
  for (rt::View &array : arrays) {
    if (array.rank < axes)
      return rt::Status::failed; // of a damaged program
    int64_t offset = 0;
    for (int axis = 0; axis < axes; ++axis)
      offset += index[axis] * array.strides[axis];
    array.data = static_cast<char *>(array.data) + offset * static_cast<int64_t>(item_size(array.dtype));
    array.dims += axes;
    array.strides += axes;
    array.rank -= axes;
  }
  throw Error(textOf(format, arrays));
}

//===----------------------------------------------------------------------===//
// The user's functions
//===----------------------------------------------------------------------===//

/// What the function gives for these arrays, which are of `types`.
static std::vector<Array> callFunction(const HostCallAttrs &attributes, std::span<const Array> arguments,
                                       std::span<const Type> types) {
  const std::shared_ptr<const HostFunction> function = HostFunction::find(attributes.function);
  if (!function)
    throw Error("host_call: expected the process that has recorded the call of its function, got another one");
  std::vector<Array> results;
  try {
    const OutsideOfPrograms outside;
    function->call(arguments, results);
  } catch (const GuardFailed &guard) { // of a program that the function runs, not of the one that has called it
    throw Error(guard.message(), guard.location());
  } catch (Error &error) {
    ErrorAccess::markOfHost(error);
    throw;
  }
  if (results.size() != types.size())
    throw Error("host_call: expected the function to return " + std::to_string(types.size()) +
                (types.size() == 1 ? " array" : " arrays") + ", as it is specified, got " +
                std::to_string(results.size()));
  for (size_t i = 0; i < results.size(); ++i) {
    const Array &result = results[i];
    const bool isHere = result.has_value() && result.value()->isBuffer();
    if (isHere && result.dtype({}) == types[i].dtype && provably_equal(result.shape({}), types[i].shape) == Always::yes)
      continue;
    const std::string which = types.size() == 1 ? "" : " as array " + std::to_string(i);
    const std::string got = isHere               ? describe(result.value()->dtype(), result.value()->shape())
                            : result.has_value() ? "a traced value"
                                                 : "an empty Array";
    throw Error("host_call: expected the function to return " + describe(types[i].dtype, types[i].shape) + which +
                ", as it is specified, got " + got);
  }
  return results;
}

/// The step of a program.
static rt::Status callHostStep(const rt::KernelCall &call) {
  std::vector<Array> arguments;
  for (const rt::View &view : call.operands)
    arguments.push_back(arrayOf(view));
  std::vector<Type> types;
  for (const rt::View &view : call.results)
    types.push_back({view.dtype, Device::cpu, Shape(std::span(view.dims, view.rank))});
  const std::vector<Array> results = callFunction(HostCallAttrs::read(call.attributes), arguments, types);
  rt::Status status = rt::Status::ok;
  for (size_t i = 0; i < results.size() && status == rt::Status::ok; ++i)
    status = rt::copy(viewOf(onHost(results[i].value(), "host_call", {}).value()), call.results[i]);
  return status;
}

void detail::callHost(const Bind &bind, std::span<Array> results) {
  std::vector<Array> arguments;
  for (Value *operand : bind.operands)
    arguments.push_back(onHost(operand, "host_call", bind.at));
  std::vector<Array> made = callFunction(HostCallAttrs::read(bind.attributes), arguments, bind.types);
  arguments.clear();
  for (size_t i = 0; i < results.size(); ++i) {
    Array array = Array::adopt(onDevice(made[i].value(), bind.types[i].device, bind.at));
    made[i] = Array();
    // What somebody else has may be known to a tape as something else.
    const bool isOnly = __atomic_load_n(&array.value()->references, __ATOMIC_ACQUIRE) == 1;
    results[i] = isOnly ? std::move(array) : anotherOf(array.value());
  }
}

void detail::installHostSteps() {
  rt::setPrinter(printArrays);
  rt::setHostKernels(failCheck, callHostStep);
}
